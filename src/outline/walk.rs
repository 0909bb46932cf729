//! From a syntax tree to its pieces.

use tree_sitter::Node;

use super::{
    Kind, Outline, Piece, Source,
    kinds::is_comment,
    names,
    table::{Name, Order, Role, Visibility},
    token,
};

/// The deepest nesting of definitions; what is deeper is part of the last one.
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

/// The container of a definition.
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
        let is_first = |at: usize| children[..at].iter().all(|it| is_comment(it.kind()));
        for (at, child) in children.iter().copied().enumerate() {
            let text = self.source.text_of(child);
            let is_note = is_comment(child.kind())
                && !token::is_directive(text, self.source.language)
                || token::is_docstring(child, self.source.language) && is_first(at);
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
        if !before.is_empty() {
            self.plain(Kind::Statement, before, place);
        }
    }

    /// `nodes` are the whole of the piece: what wraps `node`, and the attributes
    /// before it.
    fn item(&mut self, node: Node<'s>, nodes: Vec<Node<'s>>, place: &Place) {
        match self.role(node) {
            Some(Role::Imports) => self.plain(Kind::Import, nodes, place),
            Some(Role::Groups) => self.children(node, place),
            Some(Role::Wraps) => self.wrapped(node, nodes, place),
            Some(Role::Defines(kind, name, order)) => {
                let is_free = match order {
                    Order::Free => true,
                    Order::Fixed => false,
                    Order::FreeIfPlain => {
                        nodes.iter().all(|it| it.id() == node.id()) && has_plain_head(node)
                    }
                };
                self.definition(kind, name, is_free, node, nodes, place);
            }
            Some(Role::Holds(kind, name, body)) => {
                match node.child_by_field_name(body).filter(|_| place.depth < DEEPEST) {
                    Some(body) => self.container(kind, name, (node, body), &nodes, place),
                    None => self.definition(kind, name, false, node, nodes, place),
                }
            }
            Some(Role::Precedes) | None => self.plain(Kind::Statement, nodes, place),
        }
    }

    fn wrapped(&mut self, node: Node<'s>, nodes: Vec<Node<'s>>, place: &Place) {
        let fields = ["declaration", "definition"];
        let inner = fields.iter().find_map(|field| node.child_by_field_name(field));
        let last = || {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).last()
        };
        let is_defined = |it: &Node| {
            matches!(self.role(*it), Some(Role::Defines(..) | Role::Holds(..) | Role::Wraps))
        };
        let is_export = node.kind() == "export_statement";
        if let Some(inner) = inner.or_else(last).filter(is_defined) {
            self.item(inner, nodes, place);
        } else if is_export && node.child_by_field_name("value").is_some() {
            let names = vec!["default".to_owned()];
            let piece = self.piece(Kind::Value, nodes, place);
            self.outline.pieces.push(Piece { names, is_public: true, ..piece });
        } else if is_export {
            let names = names::exported(self.source, node);
            let piece = self.piece(Kind::Export, nodes, place);
            self.outline.pieces.push(Piece { names, is_public: true, ..piece });
        } else {
            self.plain(Kind::Statement, nodes, place);
        }
    }

    fn definition(
        &mut self,
        kind: Kind,
        name: Name,
        is_free: bool,
        node: Node<'s>,
        nodes: Vec<Node<'s>>,
        place: &Place,
    ) {
        let kind = match kind {
            // `const f = () => …`
            Kind::Value if is_function(node) => Kind::Function,
            Kind::Function if place.depth > 0 && names::is_in_type(node) => Kind::Method,
            kind => kind,
        };
        let names = names::of(self.source, node, name);
        let is_public = self.is_public(node, &nodes, &names, place);
        let piece = self.piece(kind, nodes, place);
        self.outline.pieces.push(Piece { names, is_public, is_free, ..piece });
    }

    fn container(
        &mut self,
        kind: Kind,
        name: Name,
        (node, body): (Node<'s>, Node<'s>),
        nodes: &[Node<'s>],
        place: &Place,
    ) {
        let names = names::of(self.source, node, name);
        let is_public = self.is_public(node, nodes, &names, place);
        // The piece is the head alone: all that is before the body.
        let mut head: Vec<Node> = Vec::new();
        for outer in nodes {
            before(*outer, body, &mut head);
        }
        let mut piece = self.piece(kind, head, place);
        piece.lines.1 = node.end_position().row + 1;
        piece.is_public = is_public && kind != Kind::Impl;
        // The base classes are evaluated where the class is.
        piece.is_free = match self.source.language.visibility {
            Visibility::Export | Visibility::Underscore => false,
            Visibility::Modifier | Visibility::Capital | Visibility::Public => true,
        };
        let separator = self.source.language.separator;
        let inside = format!("{}{}{separator}", place.inside, names.join(", "));
        piece.names = names;
        self.outline.pieces.push(piece);
        let is_public = match kind {
            // The methods of `impl S` say it themselves, those of a trait do not.
            Kind::Impl => node.child_by_field_name("trait").is_none() && place.is_public,
            _ => is_public,
        };
        let is_interface = names::is_interface(node);
        self.children(body, &Place { inside, is_public, is_interface, depth: place.depth + 1 });
    }

    fn plain(&mut self, kind: Kind, nodes: Vec<Node<'s>>, place: &Place) {
        let piece = self.piece(kind, nodes, place);
        self.outline.pieces.push(piece);
    }

    fn piece(&self, kind: Kind, nodes: Vec<Node<'s>>, place: &Place) -> Piece<'s> {
        let first = nodes.first().map_or(0, Node::start_byte);
        let last = nodes.last().map_or(first, Node::end_byte);
        let lines = (
            nodes.first().map_or(1, |node| node.start_position().row + 1),
            nodes.last().map_or(1, |node| node.end_position().row + 1),
        );
        Piece {
            kind,
            inside: place.inside.clone(),
            names: Vec::new(),
            is_public: false,
            is_free: false,
            lines,
            raw: self.source.text.get(first..last).unwrap_or_default(),
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

/// The parts of `node` that are before `body`.
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

/// Whether nothing in the head of a function is evaluated.
fn has_plain_head(node: Node) -> bool {
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
