//! From a tree to its pieces.

use tree_sitter::Node;

use super::{
    Kind, Outline, Piece, Source, names,
    table::{Free, Name, Role, Visibility},
    token,
};

/// Definitions in definitions, so deep; what lies deeper is part of the last.
const DEEPEST: usize = 40;

pub(super) fn outline<'s>(source: &'s Source<'_>) -> Outline<'s> {
    let outline = Outline { pieces: Vec::new(), comments: Vec::new() };
    let mut walk = Walk { source, outline };
    let place = Place { inside: String::new(), is_public: true, is_interface: false, depth: 0 };
    walk.children(source.root(), &place);
    walk.outline
}

struct Walk<'s, 'a> {
    source: &'s Source<'a>,
    outline: Outline<'s>,
}

/// Where a definition stands.
struct Place {
    inside: String,
    is_public: bool,
    is_interface: bool,
    depth: usize,
}

impl<'s> Walk<'s, '_> {
    fn role(&self, node: Node) -> Option<Role> {
        let kind = node.kind();
        self.source.language.roles.iter().find(|(it, _)| *it == kind).map(|(_, role)| *role)
    }

    fn children(&mut self, parent: Node<'s>, place: &Place) {
        let mut before: Vec<Node> = Vec::new();
        let mut cursor = parent.walk();
        let children: Vec<Node> = parent.named_children(&mut cursor).collect();
        let is_first = |at: usize| children[..at].iter().all(|it| token::is_comment(it.kind()));
        for (at, child) in children.iter().copied().enumerate() {
            let text = self.source.text_of(child);
            let is_note = token::is_comment(child.kind())
                && !token::is_directive(text, self.source.language)
                || self.source.language.has_docstrings
                    && token::is_docstring(child)
                    && is_first(at);
            if is_note {
                self.outline.comments.push(text);
            } else if let Some(Role::Precedes) = self.role(child) {
                before.push(child);
            } else {
                before.push(child);
                let nodes = std::mem::take(&mut before);
                self.item(child, nodes, place);
            }
        }
        if let Some(last) = before.last().copied() {
            self.piece(Kind::Statement, last, before, place);
        }
    }

    /// `nodes`: what stands around and before `node` too.
    fn item(&mut self, node: Node<'s>, nodes: Vec<Node<'s>>, place: &Place) {
        match self.role(node) {
            Some(Role::Imports) => self.piece(Kind::Import, node, nodes, place),
            Some(Role::Groups) => self.children(node, place),
            Some(Role::Wraps) => self.wrapped(node, nodes, place),
            Some(Role::Defines(kind, name, free)) => {
                self.definition(kind, name, free, node, nodes, place);
            }
            Some(Role::Holds(kind, name, body)) => {
                match node.child_by_field_name(body).filter(|_| place.depth < DEEPEST) {
                    Some(body) => self.container(kind, name, node, body, &nodes, place),
                    None => self.definition(kind, name, Free::No, node, nodes, place),
                }
            }
            Some(Role::Precedes) | None => self.piece(Kind::Statement, node, nodes, place),
        }
    }

    fn wrapped(&mut self, node: Node<'s>, nodes: Vec<Node<'s>>, place: &Place) {
        let fields = ["declaration", "definition"];
        let inner = fields.iter().find_map(|it| node.child_by_field_name(it));
        let last = || {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).last()
        };
        let inner = inner.or_else(last);
        match inner.map(|it| (it, self.role(it))) {
            Some((inner, Some(Role::Defines(kind, name, free)))) => {
                self.definition(kind, name, free, inner, nodes, place);
            }
            Some((inner, Some(Role::Holds(kind, name, body)))) if place.depth < DEEPEST => {
                match inner.child_by_field_name(body) {
                    Some(body) => self.container(kind, name, inner, body, &nodes, place),
                    None => self.definition(kind, name, Free::No, inner, nodes, place),
                }
            }
            Some((inner, Some(Role::Wraps))) => self.wrapped(inner, nodes, place),
            _ if node.kind() == "export_statement" => match node.child_by_field_name("value") {
                Some(value) => {
                    let mut piece = self.raw_piece(Kind::Value, nodes, node.end_byte(), place);
                    piece.names = vec!["default".to_owned()];
                    (piece.is_public, piece.body) = (true, value.start_byte());
                    self.outline.pieces.push(piece);
                }
                None => self.piece(Kind::Export, node, nodes, place),
            },
            _ => self.piece(Kind::Statement, node, nodes, place),
        }
    }

    fn definition(
        &mut self,
        kind: Kind,
        name: Name,
        free: Free,
        node: Node<'s>,
        nodes: Vec<Node<'s>>,
        place: &Place,
    ) {
        let is_inside = place.depth > 0;
        let kind = match kind {
            // `const f = () => …`
            Kind::Value if is_function(node) => Kind::Function,
            Kind::Function if is_inside && names::is_in_type(node) => Kind::Method,
            kind => kind,
        };
        let free = match free {
            Free::Yes => true,
            Free::No => false,
            Free::IfPlain => nodes.iter().all(|it| it.id() == node.id()) && is_plain(node),
        };
        let names = names::of(self.source, node, name);
        let is_public = self.is_public(node, &nodes, &names, place);
        let body = ["body", "value", "right"].iter().find_map(|it| node.child_by_field_name(it));
        let body = body.or_else(|| names::value_of(node)).filter(|_| kind != Kind::Type);
        // What a type is made of is what others see of it.
        let body = body.map_or(node.end_byte(), |it| it.start_byte());
        let mut piece = self.raw_piece(kind, nodes, node.end_byte(), place);
        piece.names = names;
        piece.is_public = is_public;
        piece.is_free = free;
        piece.body = body;
        self.outline.pieces.push(piece);
    }

    fn container(
        &mut self,
        kind: Kind,
        name: Name,
        node: Node<'s>,
        body: Node<'s>,
        nodes: &[Node<'s>],
        place: &Place,
    ) {
        let names = names::of(self.source, node, name);
        let is_public = self.is_public(node, nodes, &names, place);
        // The head: all that stands before the body, and no more.
        let mut head: Vec<Node> = Vec::new();
        for outer in nodes {
            before(*outer, body, &mut head);
        }
        let mut piece = self.raw_piece(kind, head, body.start_byte(), place);
        // What a class inherits from is looked up where it stands.
        piece.is_free = match self.source.language.visibility {
            Visibility::Export | Visibility::Underscore => false,
            Visibility::Modifier | Visibility::Capital | Visibility::Public => true,
        };
        piece.lines.1 = node.end_position().row + 1;
        piece.is_public = is_public && kind != Kind::Impl;
        let separator = self.source.language.separator;
        let name = names.join(", ");
        let inside = format!("{}{name}{separator}", place.inside);
        piece.names = names;
        self.outline.pieces.push(piece);
        let is_interface = names::is_interface(node);
        let is_public = match kind {
            // What is in it says so for itself, where it is not a trait's.
            Kind::Impl => node.child_by_field_name("trait").is_none() && place.is_public,
            _ => is_public,
        };
        self.children(body, &Place { inside, is_public, is_interface, depth: place.depth + 1 });
    }

    fn piece(&mut self, kind: Kind, node: Node<'s>, nodes: Vec<Node<'s>>, place: &Place) {
        let names = match kind {
            Kind::Export => names::exported(self.source, node),
            _ => Vec::new(),
        };
        let mut piece = self.raw_piece(kind, nodes, node.end_byte(), place);
        piece.is_public = kind == Kind::Export;
        piece.names = names;
        piece.body = piece.body.min(node.start_byte());
        self.outline.pieces.push(piece);
    }

    fn raw_piece(&self, kind: Kind, nodes: Vec<Node<'s>>, end: usize, place: &Place) -> Piece<'s> {
        let first = nodes.first().map_or(end, Node::start_byte);
        let last = nodes.last().map_or(end, Node::end_byte).max(first);
        let line = |it: Option<&Node>, end: bool| {
            it.map_or(0, |it| if end { it.end_position().row } else { it.start_position().row }) + 1
        };
        Piece {
            kind,
            inside: place.inside.clone(),
            names: Vec::new(),
            is_public: false,
            is_free: false,
            lines: (line(nodes.first(), false), line(nodes.last(), true)),
            raw: self.source.text.get(first..last).unwrap_or_default(),
            body: end,
            nodes,
        }
    }

    fn is_public(&self, node: Node, nodes: &[Node], names: &[String], place: &Place) -> bool {
        let has = |kind: &str, words: &[&str]| {
            let mut cursor = node.walk();
            node.children(&mut cursor).any(|it| {
                it.kind() == kind
                    && (words.is_empty() || {
                        let text = String::from_utf8_lossy(self.source.text_of(it));
                        text.split_whitespace().any(|it| words.contains(&it))
                    })
            })
        };
        let says_so = match self.source.language.visibility {
            Visibility::Modifier => has("visibility_modifier", &[]) || place.is_interface,
            Visibility::Export if place.inside.is_empty() || place.is_interface => {
                nodes.iter().any(|it| it.kind() == "export_statement") || place.is_interface
            }
            Visibility::Export => {
                let is_exported = nodes.iter().any(|it| it.kind() == "export_statement");
                let is_hidden = has("accessibility_modifier", &["private", "protected"])
                    || names.iter().any(|it| it.starts_with('#'));
                is_exported || names::is_in_type(node) && !is_hidden
            }
            Visibility::Underscore => names.iter().any(|it| !it.starts_with('_')),
            Visibility::Capital => names.iter().any(|it| {
                it.rsplit('.').next().is_some_and(|it| it.starts_with(char::is_uppercase))
            }),
            Visibility::Public => {
                has("modifiers", &["public"])
                    || place.is_interface && !has("modifiers", &["private"])
                    || node.kind() == "enum_constant"
            }
        };
        says_so && place.is_public
    }
}

/// The parts of `node` that stand before `body`.
fn before<'s>(node: Node<'s>, body: Node<'s>, found: &mut Vec<Node<'s>>) {
    if node.end_byte() <= body.start_byte() {
        found.push(node);
        return;
    }
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.end_byte() <= body.start_byte() {
                found.push(child);
            } else if child.start_byte() <= body.start_byte() && child.id() != body.id() {
                todo.push(child);
            }
        }
    }
}

fn is_function(node: Node) -> bool {
    let value = names::value_of(node);
    value.is_some_and(|it| {
        matches!(
            it.kind(),
            "arrow_function" | "function_expression" | "generator_function" | "lambda"
        )
    })
}

/// Nothing in its head is evaluated.
fn is_plain(node: Node) -> bool {
    let Some(parameters) = node.child_by_field_name("parameters") else { return true };
    let is_computed =
        node.child_by_field_name("name").is_some_and(|it| it.kind() == "computed_property_name");
    let mut cursor = parameters.walk();
    !is_computed
        && parameters.named_children(&mut cursor).all(|it| {
            !it.kind().contains("default")
                || it.child_by_field_name("value").is_none_or(|it| it.child_count() == 0)
        })
}
