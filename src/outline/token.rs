//! What a piece is made of, without what only looks: blanks, comments, commas
//! at the end of a list, semicolons that need not be there.
//!
//! Nodes begin and end in the list of tokens, so two pieces with the same
//! tokens have the same tree.

use tree_sitter::{Language as Grammar, Node};

use super::{
    Language, Piece, Source,
    kinds::{
        BINDERS, BLOCKS, CALLS, FIELDS, FLOW, MEMBERS, SHARED, TEXTS, THIN, UNBOUND, is_literal,
    },
    table::Semicolons,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Open,
    Close,
    Identifier,
    /// The name of a part: a field, a method, an argument that is named.
    Member,
    /// A name that two things go by at once: `{ name }`.
    Shorthand,
    Literal,
    /// Keywords, operators, brackets.
    Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'s> {
    pub what: What,
    pub kind: u16,
    pub text: &'s [u8],
}

/// A piece, cut up.
#[derive(Debug, Default)]
pub struct Tokens<'s> {
    pub all: Vec<Token<'s>>,
    /// So many of them stand before the body.
    pub head: usize,
    pub comments: Vec<&'s [u8]>,
    /// Names that are bound in it: parameters, variables, patterns.
    pub bound: Vec<&'s [u8]>,
    /// Where each of those stands among the tokens.
    pub bound_at: Vec<usize>,
    /// What is called, one for each call.
    pub calls: Vec<&'s [u8]>,
    /// What a type of its own calls its parts.
    pub fields: Vec<&'s [u8]>,
    /// Branches, loops, and what else makes code go two ways.
    pub flow: usize,
}

/// What each kind of node is, by its number in the grammar.
#[derive(Debug)]
pub struct Classes(Vec<Class>, Grammar);

#[expect(clippy::struct_excessive_bools, reason = "a row of the table: they are its columns")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Class {
    what: What,
    is_flow: bool,
    is_text: bool,
    is_comment: bool,
    is_call: bool,
    is_block: bool,
    is_thin: bool,
}

pub(super) fn is_comment(kind: &str) -> bool {
    matches!(kind, "comment" | "line_comment" | "block_comment")
}

pub(super) fn is_directive(text: &[u8], language: &Language) -> bool {
    language.directives.iter().any(|it| text.starts_with(it.as_bytes()))
}

/// A statement that is a text and nothing else.
pub(super) fn is_docstring(node: Node) -> bool {
    node.kind() == "expression_statement"
        && node.named_child_count() == 1
        && node.named_child(0).is_some_and(|it| it.kind() == "string")
}

impl Classes {
    pub(super) fn of(grammar: &Grammar) -> Self {
        let class = |id: usize| {
            let id = u16::try_from(id).unwrap_or(0);
            let name = grammar.node_kind_for_id(id).unwrap_or_default();
            let is_named = grammar.node_kind_is_named(id);
            let what = match name {
                it if it.starts_with("shorthand") => What::Shorthand,
                "field_identifier" | "property_identifier" | "private_property_identifier" => {
                    What::Member
                }
                it if it.ends_with("identifier") && is_named => What::Identifier,
                it if is_named && is_literal(it) => What::Literal,
                _ => What::Word,
            };
            Class {
                what,
                is_flow: FLOW.contains(&name),
                is_text: is_named && TEXTS.contains(&name),
                is_comment: is_named && is_comment(name),
                is_call: is_named && CALLS.contains(&name),
                is_block: is_named && BLOCKS.contains(&name),
                is_thin: is_named && THIN.contains(&name),
            }
        };
        Self((0..grammar.node_kind_count()).map(class).collect(), grammar.clone())
    }

    /// What the grammar calls a kind of node.
    pub fn name(&self, kind: u16) -> &str {
        self.1.node_kind_for_id(kind).unwrap_or_default()
    }

    fn get(&self, id: u16) -> Class {
        let none = Class {
            what: What::Word,
            is_flow: false,
            is_text: false,
            is_comment: false,
            is_call: false,
            is_block: false,
            is_thin: false,
        };
        self.0.get(usize::from(id)).copied().unwrap_or(none)
    }

    /// Whether statements stand in it, one behind the other.
    pub fn is_block(&self, kind: u16) -> bool {
        self.get(kind).is_block
    }

    /// Whether a tree says the same without it: brackets around an expression.
    pub fn is_thin(&self, kind: u16) -> bool {
        self.get(kind).is_thin
    }

    pub fn is_call(&self, kind: u16) -> bool {
        self.get(kind).is_call
    }
}

impl<'s> Source<'_> {
    pub fn tokens(&'s self, piece: &Piece<'s>, classes: &Classes) -> Tokens<'s> {
        let mut cut = Cutter {
            source: self,
            classes,
            body: piece.body,
            is_head: true,
            tokens: Tokens::default(),
        };
        for node in &piece.nodes {
            cut.node(*node);
        }
        if cut.is_head {
            cut.tokens.head = cut.tokens.all.len();
        }
        cut.tokens
    }
}

struct Cutter<'s, 'a, 'c> {
    source: &'s Source<'a>,
    classes: &'c Classes,
    body: usize,
    is_head: bool,
    tokens: Tokens<'s>,
}

/// A node that has begun.
struct Begun<'s> {
    node: Node<'s>,
    is_text: bool,
    /// Up to where its text has been seen.
    seen: usize,
    is_bound: bool,
}

impl<'s> Cutter<'s, '_, '_> {
    fn push(&mut self, what: What, kind: u16, range: std::ops::Range<usize>) {
        if self.is_head && range.start >= self.body {
            self.is_head = false;
            self.tokens.head = self.tokens.all.len();
        }
        let text = match what {
            What::Open | What::Close => &[][..],
            _ => self.source.text.get(range).unwrap_or_default(),
        };
        let text = match what {
            What::Literal if self.source.language.quotes_are_alike => unquoted(text),
            _ => text,
        };
        self.tokens.all.push(Token { what, kind, text });
    }

    /// The node and all below it, without recursion: code may be as deep as it
    /// likes.
    fn node(&mut self, root: Node<'s>) {
        let mut cursor = root.walk();
        let mut begun: Vec<Begun> = Vec::new();
        loop {
            let node = cursor.node();
            if let Some(parent) = begun.last_mut() {
                let gap = parent.seen..node.start_byte();
                parent.seen = node.end_byte();
                let (is_text, kind) = (parent.is_text, parent.node.kind_id());
                self.gap(gap, is_text, kind);
            }
            let field = cursor.field_name();
            if self.enter(node, field, &mut begun) && cursor.goto_first_child() {
                continue;
            }
            if begun.last().is_some_and(|it| it.node.id() == node.id()) {
                self.leave(&mut begun);
            }
            loop {
                if begun.is_empty() {
                    return;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                cursor.goto_parent();
                self.leave(&mut begun);
            }
        }
    }

    fn gap(&mut self, gap: std::ops::Range<usize>, is_text: bool, kind: u16) {
        let text = self.source.text.get(gap.clone()).unwrap_or_default();
        let is_blank = text.iter().all(u8::is_ascii_whitespace);
        // A line that goes on says so in Python.
        let is_nothing = text.is_empty() || !is_text && (is_blank || text.trim_ascii() == b"\\");
        if !is_nothing {
            self.push(What::Literal, kind, gap);
        }
    }

    /// Answers whether its children are to be looked at.
    fn enter(&mut self, node: Node<'s>, field: Option<&str>, begun: &mut Vec<Begun<'s>>) -> bool {
        let class = self.classes.get(node.kind_id());
        let text = self.source.text_of(node);
        if class.is_comment && !is_directive(text, self.source.language) {
            self.tokens.comments.push(text);
            return false;
        }
        if class.is_flow {
            self.tokens.flow += 1;
        }
        if self.source.language.has_docstrings && is_docstring(node) && is_first_in_body(node) {
            self.tokens.comments.push(text);
            return false;
        }
        let parent = begun.last().map(|it| it.node);
        let parent_kind = parent.map_or("", |it| it.kind());
        let kind = node.kind();
        let binds = || {
            let field = field.unwrap_or_default();
            BINDERS.iter().any(|(it, of)| *it == parent_kind && (of.is_empty() || *of == field))
        };
        let was_bound = begun.last().is_some_and(|it| it.is_bound);
        let is_bound =
            was_bound && !UNBOUND.contains(&kind) && !matches!(field, Some("type" | "value"))
                || node.is_named() && binds();
        if node.child_count() == 0 || class.is_text && is_whole(node) {
            let place = (parent, field.unwrap_or_default());
            self.leaf(node, class, place, is_bound, begun.is_empty());
            return false;
        }
        if class.is_call {
            self.tokens.calls.push(self.callee(node));
        }
        self.push(What::Open, node.kind_id(), node.byte_range());
        let seen = node.start_byte();
        begun.push(Begun { node, is_text: class.is_text, seen, is_bound });
        true
    }

    fn leave(&mut self, begun: &mut Vec<Begun<'s>>) {
        let Some(done) = begun.pop() else { return };
        let end = done.node.end_byte();
        self.gap(done.seen..end, done.is_text, done.node.kind_id());
        self.push(What::Close, done.node.kind_id(), end..end);
    }

    fn leaf(
        &mut self,
        node: Node<'s>,
        class: Class,
        (parent, field): (Option<Node>, &str),
        is_bound: bool,
        is_alone: bool,
    ) {
        let text = self.source.text_of(node);
        if !is_alone && (text.is_empty() || is_for_looks(node, text, parent, self.source.language))
        {
            return;
        }
        // Whitespace that ends a statement.
        if !class.is_text && text.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if node.kind() == "line_continuation" {
            return;
        }
        let parent = parent.map_or("", |it| it.kind());
        let what = match class.what {
            What::Identifier if parent == "shorthand_field_initializer" => What::Shorthand,
            What::Identifier if MEMBERS.contains(&(parent, field)) => What::Member,
            what => what,
        };
        let what = if class.is_text { What::Literal } else { what };
        if is_bound
            && matches!(what, What::Identifier | What::Shorthand)
            && !SHARED.contains(&parent)
        {
            self.tokens.bound.push(text);
            self.tokens.bound_at.push(self.tokens.all.len());
        }
        if field == "name" && FIELDS.contains(&parent) {
            self.tokens.fields.push(text);
        }
        self.push(what, node.kind_id(), node.byte_range());
    }

    /// The last name of what is called: `renew` of `self.session.renew(…)`.
    fn callee(&self, call: Node<'s>) -> &'s [u8] {
        const FIELDS: &[&str] = &["function", "macro", "constructor", "name", "type"];
        const LAST: &[&str] = &["field", "property", "attribute", "name", "function"];
        let mut found = FIELDS.iter().find_map(|it| call.child_by_field_name(it));
        for _ in 0..16 {
            let next =
                found.and_then(|it| LAST.iter().find_map(|field| it.child_by_field_name(field)));
            match next {
                Some(next) => found = Some(next),
                None => break,
            }
        }
        found.map(|it| self.source.text_of(it)).unwrap_or_default()
    }
}

fn is_first_in_body(node: Node) -> bool {
    let Some(parent) = node.parent() else { return false };
    let owner = parent.parent().map_or("", |it| it.kind());
    matches!(owner, "function_definition" | "class_definition")
        && parent.named_child(0).is_some_and(|it| it.id() == node.id())
}

/// A text without code in it is one token.
fn is_whole(text: Node) -> bool {
    let mut cursor = text.walk();
    text.named_children(&mut cursor).all(|it| {
        !matches!(it.kind(), "interpolation" | "template_substitution" | "string_interpolation")
    })
}

/// What a formatter puts there or takes away.
fn is_for_looks(node: Node, text: &[u8], parent: Option<Node>, language: &Language) -> bool {
    let parent = parent.map_or("", |it| it.kind());
    match text {
        b"," if node.kind() == "," => {
            // In a macro, every token may matter.
            parent != "token_tree"
                && (parent == "match_arm"
                    || is_before_the_end(node)
                    || matches!(parent, "interface_body" | "object_type"))
        }
        b";" if node.kind() == ";" && language.semicolons == Semicolons::AreOptional => {
            !parent.starts_with("for_")
        }
        _ => false,
    }
}

/// Behind an item, and before the bracket that closes the list.
fn is_before_the_end(comma: Node) -> bool {
    let beside = |from: Node, next: fn(&Node<'_>) -> bool| next(&from);
    let mut after = comma.next_sibling();
    while let Some(it) = after.filter(|it| is_comment(it.kind())) {
        after = it.next_sibling();
    }
    let mut before = comma.prev_sibling();
    while let Some(it) = before.filter(|it| is_comment(it.kind())) {
        before = it.prev_sibling();
    }
    let is_closing = |it: &Node<'_>| matches!(it.kind(), ")" | "]" | "}" | ">" | "|");
    let is_item = |it: &Node<'_>| !matches!(it.kind(), "," | "(" | "[" | "{" | "<");
    after.is_some_and(|it| beside(it, is_closing)) && before.is_some_and(|it| beside(it, is_item))
}

/// What stands between plain quotes.
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
