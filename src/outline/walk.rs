//! Splits a syntax tree into pieces.

use tree_sitter::Node;

use super::{
    Kind, Language, Outline, Piece, Source, definition_names,
    kinds::is_in,
    table::{Role, Visibility},
    token,
};

/// Deeper containers are part of the last one.
const DEEPEST: usize = 40;

pub(super) fn outline<'s>(source: &'s Source<'_>) -> Outline<'s> {
    let outline = Outline { pieces: Vec::new() };
    let mut walk = Walk { source, outline };
    let top = Place { is_public: true, ..Place::default() };
    walk.children(source.tree.root_node(), &top);
    walk.outline
}

struct Walk<'s, 'a> {
    source: &'s Source<'a>,
    outline: Outline<'s>,
}

/// The container of a definition.
#[derive(Default)]
struct Place {
    inside: String,
    is_public: bool,
    is_type: bool,
    is_interface: bool,
    depth: usize,
}

impl<'s> Walk<'s, '_> {
    fn role(&self, node: Node) -> Option<Role> {
        let mut roles = self.source.language.roles.iter();
        roles.find(|(_, kinds)| is_in(kinds, node.kind())).map(|(role, _)| *role)
    }

    fn children(&mut self, parent: Node<'s>, place: &Place) {
        let language = self.source.language;
        let mut cursor = parent.walk();
        let mut nodes: Vec<Node> = Vec::new();
        for child in parent.named_children(&mut cursor) {
            let text = self.source.text_of(child);
            if token::is_note(child, text, language) {
                continue;
            }
            nodes.push(child);
            if !matches!(self.role(child), Some(Role::Precedes)) {
                self.item(child, std::mem::take(&mut nodes), place);
            }
        }
        if !nodes.is_empty() {
            self.plain(Kind::Statement, nodes, place);
        }
    }

    /// `nodes` are the whole of the piece: the node or what wraps it, and the
    /// attributes before it.
    fn item(&mut self, node: Node<'s>, nodes: Vec<Node<'s>>, place: &Place) {
        match self.role(node) {
            Some(Role::Imports) => self.plain(Kind::Import, nodes, place),
            Some(Role::Groups) => self.children(node, place),
            Some(Role::Wraps) => self.wrapped(node, nodes, place),
            Some(Role::Defines(kind)) => {
                let is_free = is_free(kind, node, &nodes);
                let is_method = kind == Kind::Function && place.is_type;
                let kind = if is_method { Kind::Method } else { kind };
                let piece = self.named(kind, node, nodes, place);
                self.outline.pieces.push(Piece { is_free, ..piece });
            }
            Some(Role::Holds(kind)) => {
                let piece = self.named(kind, node, nodes, place);
                match node.child_by_field_name("body").filter(|_| place.depth < DEEPEST) {
                    Some(body) => self.container(piece, node, body, place),
                    None => self.outline.pieces.push(piece),
                }
            }
            Some(Role::Precedes) | None => self.plain(Kind::Statement, nodes, place),
        }
    }

    fn wrapped(&mut self, node: Node<'s>, nodes: Vec<Node<'s>>, place: &Place) {
        let fields = ["declaration", "definition"];
        let inner = fields.iter().find_map(|field| node.child_by_field_name(field));
        let last = || (0..).map_while(|at| node.named_child(at)).last();
        let is_definition = |item: &Node| {
            matches!(self.role(*item), Some(Role::Defines(..) | Role::Holds(..) | Role::Wraps))
        };
        if let Some(inner) = inner.or_else(last).filter(is_definition) {
            self.item(inner, nodes, place);
        } else if node.kind() == "export_statement" {
            let (kind, name) = match node.child_by_field_name("value") {
                Some(_) => (Kind::Value, "default".to_owned()),
                None => (Kind::Export, definition_names::one_line(self.source.text_of(node))),
            };
            let piece = self.piece(kind, nodes, place);
            self.outline.pieces.push(Piece { names: vec![name], is_public: true, ..piece });
        } else {
            self.plain(Kind::Statement, nodes, place);
        }
    }

    fn container(&mut self, piece: Piece<'s>, node: Node<'s>, body: Node<'s>, place: &Place) {
        const INTERFACES: &str = "trait_item interface_declaration annotation_type_declaration";
        let Language { separator, visibility, .. } = self.source.language;
        let inner = Place {
            inside: format!("{}{}{separator}", place.inside, piece.names.join(", ")),
            is_public: match piece.kind {
                // The methods of `impl S` say it themselves, those of a trait do not.
                Kind::Impl => node.child_by_field_name("trait").is_none() && place.is_public,
                _ => piece.is_public,
            },
            is_type: piece.kind != Kind::Module,
            is_interface: is_in(INTERFACES, node.kind()),
            depth: place.depth + 1,
        };
        let begin = piece.nodes.first().map_or(0, Node::start_byte);
        self.outline.pieces.push(Piece {
            is_public: piece.is_public && piece.kind != Kind::Impl,
            // The base classes are evaluated where the class is.
            is_free: !matches!(visibility, Visibility::Export | Visibility::Underscore),
            raw: self.source.text.get(begin..body.start_byte()).unwrap_or_default(),
            end: body.start_byte(),
            ..piece
        });
        self.children(body, &inner);
    }

    fn plain(&mut self, kind: Kind, nodes: Vec<Node<'s>>, place: &Place) {
        let piece = self.piece(kind, nodes, place);
        self.outline.pieces.push(piece);
    }

    fn named(&self, kind: Kind, node: Node, nodes: Vec<Node<'s>>, place: &Place) -> Piece<'s> {
        let names = definition_names::of(self.source, node);
        let is_public = place.is_public && self.is_public(node, &nodes, &names, place);
        Piece { names, is_public, ..self.piece(kind, nodes, place) }
    }

    fn piece(&self, kind: Kind, nodes: Vec<Node<'s>>, place: &Place) -> Piece<'s> {
        let (first, last) = (nodes.first(), nodes.last());
        let (begin, end) = (first.map_or(0, Node::start_byte), last.map_or(0, Node::end_byte));
        Piece {
            kind,
            inside: place.inside.clone(),
            names: Vec::new(),
            is_public: false,
            is_free: false,
            raw: self.source.text.get(begin..end).unwrap_or_default(),
            nodes,
            end,
        }
    }

    fn is_public(&self, node: Node, nodes: &[Node], names: &[String], place: &Place) -> bool {
        let has = |kind: &str, words: &str| {
            let mut cursor = node.walk();
            node.children(&mut cursor).filter(|child| child.kind() == kind).any(|child| {
                let text = String::from_utf8_lossy(self.source.text_of(child));
                words.is_empty() || text.split_whitespace().any(|word| is_in(words, word))
            })
        };
        match self.source.language.visibility {
            Visibility::Modifier => place.is_interface || has("visibility_modifier", ""),
            Visibility::Export => {
                place.is_interface
                    || nodes.iter().any(|node| node.kind() == "export_statement")
                    || place.is_type
                        && !has("accessibility_modifier", "private protected")
                        && !names.iter().any(|name| name.starts_with('#'))
            }
            Visibility::Underscore => names.iter().any(|name| !name.starts_with('_')),
            Visibility::Capital => {
                let mut last = names.iter().filter_map(|name| name.rsplit('.').next());
                last.any(|name| name.starts_with(char::is_uppercase))
            }
            Visibility::Public => {
                has("modifiers", "public")
                    || place.is_interface && !has("modifiers", "private")
                    || node.kind() == "enum_constant"
            }
        }
    }
}

/// Whether a definition means the same anywhere among its neighbours: nothing
/// in its head is evaluated, such as a decorator or a default value.
fn is_free(kind: Kind, node: Node, nodes: &[Node]) -> bool {
    const CONSTANTS: &str = "const_item static_item const_declaration";
    /// Overloads, decorators, and the enums of TypeScript.
    const FIXED: &str = "function_signature method_signature abstract_method_signature \
        enum_declaration decorated_definition decorator";
    let is_plain = |parameter: Node| {
        !parameter.kind().contains("default")
            || parameter
                .child_by_field_name("value")
                .is_none_or(|child_by_field_name| child_by_field_name.child_count() == 0)
    };
    let mut cursor = node.walk();
    let parameters = node.child_by_field_name("parameters");
    match kind {
        Kind::Function | Kind::Method | Kind::Type => {
            !nodes.iter().chain([&node]).any(|node| is_in(FIXED, node.kind()))
                && parameters
                    .is_none_or(|parameter| parameter.named_children(&mut cursor).all(is_plain))
        }
        Kind::Value => is_in(CONSTANTS, node.kind()),
        _ => false,
    }
}
