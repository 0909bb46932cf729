//! The tokens of a piece, without layout: no blanks, no comments, no comma at
//! the end of a list, no semicolon that is optional.
//!
//! The beginning and the end of each node are tokens, too. So two pieces with
//! the same tokens have the same syntax tree.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use tree_sitter::{Language as Grammar, Node};

use super::{
    Language, Piece, Source,
    kinds::{self, is_comment, is_in},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Open,
    Close,
    Identifier,
    /// The name of a part: a field, a method, a named argument.
    Member,
    /// The name of two things at once: `{ name }`.
    Shorthand,
    Literal,
    /// `pub(crate)`, `export`
    Visibility,
    /// A keyword, an operator, a bracket.
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
    pub comments: Vec<&'s [u8]>,
    /// Names that the piece binds: parameters, variables, patterns.
    pub bound: Vec<&'s [u8]>,
    /// Fields and variants of a type.
    pub fields: Vec<&'s [u8]>,
    /// How many branches, loops and the like.
    pub flow: usize,
}

/// What each kind of node is, by its number in the grammar.
#[derive(Debug)]
pub(super) struct Classes(Vec<Class>);

#[derive(Debug, Clone, Copy)]
struct Class {
    what: What,
    is_flow: bool,
    is_text: bool,
    is_unbound: bool,
    /// The field whose nodes it binds; empty: any.
    binds: Option<&'static str>,
    /// The field that names a part.
    member: Option<&'static str>,
}

impl Classes {
    pub(super) fn of(grammar: &Grammar) -> Self {
        let table = |rows: &'static str| -> HashMap<&str, &str> {
            rows.split(' ').filter_map(|row| row.split_once('.')).collect()
        };
        let set = |words: &'static str| -> HashSet<&str> { words.split(' ').collect() };
        let (flow, texts, unbound) = (set(kinds::FLOW), set(kinds::TEXTS), set(kinds::UNBOUND));
        let (binders, members) = (table(kinds::BINDERS), table(kinds::MEMBERS));
        let class = |id: usize| {
            let id = u16::try_from(id).unwrap_or(0);
            let name = grammar.node_kind_for_id(id).unwrap_or_default();
            let is_named = grammar.node_kind_is_named(id);
            let is_text = is_named && texts.contains(name);
            let what = match name {
                "visibility_modifier" | "export_statement" | "export" => What::Visibility,
                _ if is_text => What::Literal,
                _ if name.starts_with("shorthand") => What::Shorthand,
                "field_identifier" | "property_identifier" | "private_property_identifier" => {
                    What::Member
                }
                _ if is_named && name.ends_with("identifier") => What::Identifier,
                _ if is_named && kinds::is_literal(name) => What::Literal,
                _ => What::Word,
            };
            Class {
                what,
                is_flow: flow.contains(name),
                is_text,
                is_unbound: unbound.contains(name),
                binds: binders.get(name).copied(),
                member: members.get(name).copied(),
            }
        };
        Self((0..grammar.node_kind_count()).map(class).collect())
    }

    fn get(&self, node: Node) -> Class {
        const UNKNOWN: Class = Class {
            what: What::Word,
            is_flow: false,
            is_text: false,
            is_unbound: false,
            binds: None,
            member: None,
        };
        self.0.get(usize::from(node.kind_id())).copied().unwrap_or(UNKNOWN)
    }
}

impl<'s> Source<'_> {
    pub fn tokens(&'s self, piece: &Piece<'s>) -> Tokens<'s> {
        let classes = self.language.classes.get_or_init(|| Classes::of(&(self.language.grammar)()));
        let mut lexer = Lexer { source: self, classes, tokens: Tokens::default() };
        for node in &piece.nodes {
            lexer.tree(*node);
        }
        lexer.tokens
    }
}

struct Lexer<'s, 'a> {
    source: &'s Source<'a>,
    classes: &'s Classes,
    tokens: Tokens<'s>,
}

enum Step<'s> {
    Visit(Place<'s>),
    /// Text between the children of a string.
    Text(u16, Range<usize>),
    Close(What, u16),
}

#[derive(Clone, Copy)]
struct Place<'s> {
    node: Node<'s>,
    parent: Option<Node<'s>>,
    field: &'s str,
    is_bound: bool,
}

impl<'s> Lexer<'s, '_> {
    /// Without recursion: code may be nested as deep as it likes.
    fn tree(&mut self, root: Node<'s>) {
        let mut todo =
            vec![Step::Visit(Place { node: root, parent: None, field: "", is_bound: false })];
        while let Some(step) = todo.pop() {
            match step {
                Step::Text(kind, range) => self.push(What::Literal, kind, range),
                Step::Close(what, kind) => self.push(what, kind, 0..0),
                Step::Visit(place) => self.visit(place, &mut todo),
            }
        }
    }

    fn visit(&mut self, place: Place<'s>, todo: &mut Vec<Step<'s>>) {
        let Place { node, parent, field, is_bound } = place;
        let (class, language) = (self.classes.get(node), self.source.language);
        let text = self.source.text_of(node);
        if is_comment(node.kind()) && !is_directive(text, language)
            || is_docstring(node, language) && is_first_in_body(node)
        {
            self.tokens.comments.push(text);
            return;
        }
        self.tokens.flow += usize::from(class.is_flow);
        let binds = parent.and_then(|it| self.classes.get(it).binds).filter(|_| node.is_named());
        let is_bound = is_bound && !class.is_unbound && !matches!(field, "type" | "value")
            || binds.is_some_and(|it| it.is_empty() || it == field);
        let place = Place { is_bound, ..place };
        let is_whole = class.is_text && !has_code(node) || node.kind() == "visibility_modifier";
        if node.child_count() == 0 || is_whole {
            self.leaf(place, class);
            return;
        }
        let is_export = class.what == What::Visibility;
        let (open, close) =
            if is_export { (class.what, class.what) } else { (What::Open, What::Close) };
        self.push(open, node.kind_id(), 0..0);
        let first_step = todo.len();
        let mut seen = node.start_byte();
        let children = children(node);
        for (at, (child, field)) in children.iter().enumerate() {
            self.gap(seen..child.start_byte(), node, class, todo);
            seen = child.end_byte();
            if !is_optional(&children, at, node, language) {
                todo.push(Step::Visit(Place { node: *child, parent: Some(node), field, is_bound }));
            }
        }
        self.gap(seen..node.end_byte(), node, class, todo);
        todo.push(Step::Close(close, node.kind_id()));
        todo[first_step..].reverse();
    }

    fn gap(&self, gap: Range<usize>, node: Node, class: Class, todo: &mut Vec<Step<'s>>) {
        let text = self.source.text.get(gap.clone()).unwrap_or_default().trim_ascii();
        let is_layout = !class.is_text && matches!(text, b"" | b"\\");
        if !gap.is_empty() && !is_layout {
            todo.push(Step::Text(node.kind_id(), gap));
        }
    }

    fn leaf(&mut self, Place { node, parent, field, is_bound }: Place<'s>, class: Class) {
        let text = self.source.text_of(node);
        let is_layout = text.trim_ascii().is_empty() && !class.is_text;
        if is_layout || node.kind() == "line_continuation" {
            return;
        }
        let kind = parent.map_or("", |it| it.kind());
        let member = parent.and_then(|it| self.classes.get(it).member);
        let what = match class.what {
            What::Identifier if kind == "shorthand_field_initializer" => What::Shorthand,
            What::Identifier if member == Some(field) => What::Member,
            what => what,
        };
        let is_own = !matches!(kind, "global_statement" | "nonlocal_statement");
        if is_bound && is_own && matches!(what, What::Identifier | What::Shorthand) {
            self.tokens.bound.push(text);
        }
        if field == "name" && matches!(kind, "field_declaration" | "enum_variant") {
            self.tokens.fields.push(text);
        }
        self.push(what, node.kind_id(), node.byte_range());
    }

    fn push(&mut self, what: What, kind: u16, range: Range<usize>) {
        let text = self.source.text.get(range).unwrap_or_default();
        let has_two_quotes = what == What::Literal && self.source.language.has_two_quotes;
        let text = if has_two_quotes { unquoted(text) } else { text };
        self.tokens.all.push(Token { what, kind, text });
    }
}

pub(super) fn is_directive(text: &[u8], language: &Language) -> bool {
    language.directives.iter().any(|it| text.starts_with(it.as_bytes()))
}

/// Whether a statement is a string and nothing else.
pub(super) fn is_docstring(node: Node, language: &Language) -> bool {
    language.name == "python"
        && node.kind() == "expression_statement"
        && node.named_child_count() == 1
        && node.named_child(0).is_some_and(|it| it.kind() == "string")
}

fn is_first_in_body(node: Node) -> bool {
    let Some(parent) = node.parent() else { return false };
    let owner = parent.parent().map_or("", |it| it.kind());
    matches!(owner, "function_definition" | "class_definition")
        && parent.named_child(0).is_some_and(|it| it.id() == node.id())
}

fn children<'s>(node: Node<'s>) -> Vec<(Node<'s>, &'s str)> {
    let mut cursor = node.walk();
    let mut found = Vec::new();
    let mut is_there = cursor.goto_first_child();
    while is_there {
        found.push((cursor.node(), cursor.field_name().unwrap_or_default()));
        is_there = cursor.goto_next_sibling();
    }
    found
}

/// Whether code is embedded in a string.
fn has_code(text: Node) -> bool {
    const CODE: &str = "interpolation template_substitution string_interpolation";
    let mut cursor = text.walk();
    text.named_children(&mut cursor).any(|it| is_in(CODE, it.kind()))
}

/// Whether a child is a comma or a semicolon that a formatter may remove.
fn is_optional(children: &[(Node, &str)], at: usize, parent: Node, language: &Language) -> bool {
    let (Some((child, _)), parent) = (children.get(at), parent.kind()) else { return false };
    match child.kind() {
        ";" => language.has_optional_semicolons && !parent.starts_with("for_"),
        // In a macro, every token may count.
        "," if parent == "token_tree" => false,
        "," if matches!(parent, "match_arm" | "interface_body" | "object_type") => true,
        "," => {
            let code = |it: &&(Node, &str)| !is_comment(it.0.kind());
            let before = children[..at].iter().rev().find(code).map_or("", |it| it.0.kind());
            let after = children[at + 1..].iter().find(code).map_or("", |it| it.0.kind());
            matches!(after, ")" | "]" | "}" | ">" | "|") && !is_in(" , ( [ { <", before)
        }
        _ => false,
    }
}

/// A string without plain quotes.
fn unquoted(text: &[u8]) -> &[u8] {
    match text {
        [first @ (b'\'' | b'"'), inner @ .., last]
            if first == last && !inner.starts_with(&[*first]) =>
        {
            inner
        }
        _ => text,
    }
}
