//! The tokens of a piece, without layout: no blanks, no comments, no comma at
//! the end of a list, no semicolon that is optional.
//!
//! The beginning and the end of each node are tokens, too. So two pieces with
//! the same tokens have the same syntax tree.

use std::{
    collections::{HashMap, HashSet},
    iter::successors,
};

use tree_sitter::{Language as Grammar, Node};

use super::{
    Language, Piece, Source,
    kinds::{self, is_comment, is_in},
};

/// Deeper nodes are compared as text.
const DEEPEST: usize = 500;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum What {
    Open,
    Close,
    Identifier,
    Member,
    /// The name of two things at once: `{ name }`.
    Shorthand,
    Literal,
    /// `pub(crate)`, `export`
    Visibility,
    /// A keyword, an operator, a bracket.
    #[default]
    Word,
}

impl What {
    pub fn is_name(self) -> bool {
        matches!(self, Self::Identifier | Self::Member | Self::Shorthand)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'s> {
    pub what: What,
    /// The number of the node's kind in the grammar.
    pub kind: u16,
    pub text: &'s [u8],
}

#[derive(Debug, Default)]
pub struct Tokens<'s> {
    pub all: Vec<Token<'s>>,
    pub bound: Vec<&'s [u8]>,
    /// Fields and variants of a type.
    pub fields: Vec<&'s [u8]>,
    /// The number of branches and loops.
    pub flow: usize,
}

/// Indexed by the number of a node's kind in the grammar.
#[derive(Debug)]
pub(super) struct Classes(Vec<Class>);

#[derive(Debug, Clone, Copy, Default)]
struct Class {
    what: What,
    is_flow: bool,
    is_unbound: bool,
    /// Empty: any field.
    binds: Option<&'static str>,
}

impl Classes {
    pub(super) fn of(grammar: &Grammar) -> Self {
        let set = |words: &'static str| -> HashSet<&str> { words.split(' ').collect() };
        let (flow, texts, unbound) = (set(kinds::FLOW), set(kinds::TEXTS), set(kinds::UNBOUND));
        let binders = kinds::BINDERS.split(' ').filter_map(|row| row.split_once('.'));
        let binders: HashMap<&str, &str> = binders.collect();
        let class = |number: usize| {
            let number = u16::try_from(number).unwrap_or(0);
            let name = grammar.node_kind_for_id(number).unwrap_or_default();
            let is_named = grammar.node_kind_is_named(number);
            let what = match name {
                "visibility_modifier" | "export_statement" | "export" => What::Visibility,
                _ if is_named && texts.contains(name) => What::Literal,
                _ if name.starts_with("shorthand") => What::Shorthand,
                "field_identifier" | "property_identifier" | "private_property_identifier" => {
                    What::Member
                }
                _ if is_named && name.ends_with("identifier") => What::Identifier,
                _ => What::Word,
            };
            Class {
                what,
                is_flow: flow.contains(name),
                is_unbound: unbound.contains(name),
                binds: binders.get(name).copied(),
            }
        };
        Self((0..grammar.node_kind_count()).map(class).collect())
    }

    fn get(&self, node: Node) -> Class {
        self.0.get(usize::from(node.kind_id())).copied().unwrap_or_default()
    }
}

impl<'s> Source<'_> {
    pub fn tokens(&'s self, piece: &Piece<'s>) -> Tokens<'s> {
        let mut lexer = Lexer { source: self, end: piece.end, tokens: Tokens::default() };
        for node in &piece.nodes {
            lexer.visit(Place { node: *node, parent: None, field: "", is_bound: false, depth: 0 });
        }
        lexer.tokens
    }
}

struct Lexer<'s, 'a> {
    source: &'s Source<'a>,
    end: usize,
    tokens: Tokens<'s>,
}

#[derive(Clone, Copy)]
struct Place<'s> {
    node: Node<'s>,
    parent: Option<Node<'s>>,
    field: &'s str,
    is_bound: bool,
    depth: usize,
}

impl<'s> Lexer<'s, '_> {
    fn visit(&mut self, place: Place<'s>) {
        let Place { node, parent, field, depth, .. } = place;
        let (class, language) = (self.source.classes.get(node), self.source.language);
        let text = self.source.text_of(node);
        if is_note(node, text, language) {
            return;
        }
        self.tokens.flow += usize::from(class.is_flow);
        let binds = parent
            .and_then(|parent| self.source.classes.get(parent).binds)
            .filter(|_| node.is_named());
        let is_bound = place.is_bound && !class.is_unbound && !matches!(field, "type" | "value")
            || binds.is_some_and(|bind| bind.is_empty() || bind == field);
        let is_whole =
            class.what == What::Literal && !has_code(node) || node.kind() == "visibility_modifier";
        if node.child_count() == 0 || is_whole || depth > DEEPEST {
            self.leaf(Place { is_bound, ..place }, class);
            return;
        }
        // `export` wraps a definition that is the same without it.
        let edge = |what| {
            let is_export = class.what == What::Visibility;
            (!is_export).then(|| Token { what, kind: node.kind_id(), text: b"" })
        };
        self.tokens.all.extend(edge(What::Open));
        let children = children(node);
        for (at, (child, field)) in children.iter().enumerate() {
            if child.start_byte() < self.end && !is_optional(&children, at, node, language) {
                let (node, parent, depth) = (*child, Some(node), depth + 1);
                self.visit(Place { node, parent, field, is_bound, depth });
            }
        }
        self.tokens.all.extend(edge(What::Close));
    }

    fn leaf(&mut self, Place { node, parent, field, is_bound, .. }: Place<'s>, class: Class) {
        let text = self.source.text_of(node);
        let is_blank = text.trim_ascii().is_empty() && class.what != What::Literal;
        if is_blank || node.kind() == "line_continuation" {
            return;
        }
        let kind = parent.map_or("", |parent| parent.kind());
        let what = match class.what {
            What::Identifier if kind == "shorthand_field_initializer" => What::Shorthand,
            what => what,
        };
        let is_own = !matches!(kind, "global_statement" | "nonlocal_statement");
        if is_bound && is_own && matches!(what, What::Identifier | What::Shorthand) {
            self.tokens.bound.push(text);
        }
        if field == "name" && matches!(kind, "field_declaration" | "enum_variant") {
            self.tokens.fields.push(text);
        }
        let text = if what == What::Literal { unquoted(text) } else { text };
        self.tokens.all.push(Token { what, kind: node.kind_id(), text });
    }
}

/// Whether a node is only for readers: a comment or a docstring. A directive is
/// for some tool.
pub(super) fn is_note(node: Node, text: &[u8], language: &Language) -> bool {
    let is_directive =
        || language.directives.iter().any(|directive| text.starts_with(directive.as_bytes()));
    is_comment(node.kind()) && !is_directive() || is_docstring(node, language)
}

/// Whether a statement is the string at the beginning of a module, a function
/// or a class.
fn is_docstring(node: Node, language: &Language) -> bool {
    const OWNERS: &str = "module function_definition class_definition";
    let owner = || node.parent().map(|block| block.parent().unwrap_or(block));
    language.name == "python"
        && node.kind() == "expression_statement"
        && node.named_child_count() == 1
        && node.named_child(0).is_some_and(|named_child| named_child.kind() == "string")
        && owner().is_some_and(|owner| is_in(OWNERS, owner.kind()))
        && successors(node.prev_named_sibling(), Node::prev_named_sibling)
            .all(|node| is_comment(node.kind()))
}

fn children(node: Node<'_>) -> Vec<(Node<'_>, &str)> {
    let mut cursor = node.walk();
    let mut found = Vec::new();
    let mut is_there = cursor.goto_first_child();
    while is_there {
        found.push((cursor.node(), cursor.field_name().unwrap_or_default()));
        is_there = cursor.goto_next_sibling();
    }
    found
}

/// Whether a string has code in it, as in `f"{x}"`: such a string is not a single token.
fn has_code(text: Node) -> bool {
    const CODE: &str = "interpolation template_substitution string_interpolation";
    let mut cursor = text.walk();
    text.named_children(&mut cursor).any(|named_child| is_in(CODE, named_child.kind()))
}

/// Whether a child is a comma or a semicolon that a formatter may remove.
fn is_optional(children: &[(Node, &str)], at: usize, parent: Node, language: &Language) -> bool {
    let (Some((child, _)), parent) = (children.get(at), parent.kind()) else { return false };
    match child.kind() {
        ";" => language.name != "rust" && !parent.starts_with("for_"),
        // In a macro, every token may count.
        "," if parent == "token_tree" => false,
        "," if matches!(parent, "match_arm" | "interface_body" | "object_type") => true,
        "," => {
            let code = |pair: &&(Node, &str)| !is_comment(pair.0.kind());
            let before = children[..at].iter().rev().find(code).map_or("", |child| child.0.kind());
            let after = children[at + 1..].iter().find(code).map_or("", |child| child.0.kind());
            matches!(after, ")" | "]" | "}" | ">" | "|")
                && !matches!(before, "" | "," | "(" | "[" | "{" | "<")
        }
        _ => false,
    }
}

/// A string without its quotes: `'a'` and `"a"` are the same, where they are
/// the same kind of node.
fn unquoted(text: &[u8]) -> &[u8] {
    let inner = |quote: &[u8]| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.starts_with(quote)).then_some(inner)
    };
    inner(b"'").or_else(|| inner(b"\"")).unwrap_or(text)
}
