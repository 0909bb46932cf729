//! What a node calls that which it defines.

use tree_sitter::Node;

use super::{Source, table::Name};

/// The longest name, in characters.
const LONGEST: usize = 120;

pub(super) fn of(source: &Source, node: Node, rule: Name) -> Vec<String> {
    let text = |node: Node| one_line(source.text_of(node));
    let field = |name: &str| node.child_by_field_name(name).map(text);
    match rule {
        Name::Field => {
            let found = field("name").or_else(|| field("property"));
            vec![found.unwrap_or_else(|| "default".to_owned())]
        }
        Name::Impl => {
            let of = field("type").unwrap_or_else(|| "extern".to_owned());
            vec![match field("trait") {
                Some(what) => format!("<{of} as {what}>"),
                None => of,
            }]
        }
        Name::Receiver => {
            let name = field("name").unwrap_or_default();
            let receiver = node.child_by_field_name("receiver").map(|it| {
                let text = text(it);
                let text = text.trim_matches(['(', ')']);
                let of = text.rsplit([' ', '*']).next().unwrap_or(text);
                of.split('[').next().unwrap_or(of).to_owned()
            });
            vec![receiver.map_or_else(|| name.clone(), |it| format!("{it}.{name}"))]
        }
        Name::Each => {
            let mut found = Vec::new();
            each(source, node, 0, &mut found);
            found
        }
        Name::Left => {
            let left = node.child_by_field_name("left").or_else(|| node.named_child(0));
            left.map(|it| identifiers(source, it)).unwrap_or_default()
        }
    }
}

/// The names of all children that have one, and of those in a list of them.
fn each(source: &Source, node: Node, depth: usize, found: &mut Vec<String>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let mut fields = child.walk();
        let names: Vec<Node> = child.children_by_field_name("name", &mut fields).collect();
        let is_list = depth < 2 && child.kind().ends_with("spec_list");
        if is_list {
            each(source, child, depth + 1, found);
        }
        for name in names {
            found.extend(identifiers(source, name));
        }
    }
}

/// The names in a pattern.
fn identifiers(source: &Source, pattern: Node) -> Vec<String> {
    const MOST: usize = 50;
    let mut found = Vec::new();
    let mut todo = vec![pattern];
    while let Some(node) = todo.pop() {
        let kind = node.kind();
        if kind == "property_identifier" && node.id() != pattern.id() {
            // The part that a pattern takes something from.
        } else if kind.ends_with("identifier") || kind.ends_with("identifier_pattern") {
            found.push(one_line(source.text_of(node)));
        } else if !is_place(kind) {
            let mut cursor = node.walk();
            let mut children: Vec<Node> = node.named_children(&mut cursor).collect();
            children.reverse();
            todo.extend(children);
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}

/// Something that is there already, and gets another value.
fn is_place(kind: &str) -> bool {
    matches!(
        kind,
        "attribute" | "subscript" | "member_expression" | "subscript_expression" | "call"
    )
}

/// What a definition is set to, where that is one thing.
pub(super) fn value_of(node: Node) -> Option<Node> {
    let own = node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"));
    own.or_else(|| {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).find_map(|it| it.child_by_field_name("value"))
    })
}

/// The names in `export { a, b as c }`.
pub(super) fn exported(source: &Source, node: Node) -> Vec<String> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    let lists = node.named_children(&mut cursor).filter(|it| it.kind() == "export_clause");
    for list in lists.collect::<Vec<_>>() {
        let mut cursor = list.walk();
        for item in list.named_children(&mut cursor) {
            let name =
                item.child_by_field_name("alias").or_else(|| item.child_by_field_name("name"));
            found.extend(name.map(|it| one_line(source.text_of(it))));
        }
    }
    if found.is_empty() {
        found.push(one_line(source.text_of(node)));
    }
    found
}

pub(super) fn is_in_type(node: Node) -> bool {
    const TYPES: &[&str] = &[
        "impl_item",
        "trait_item",
        "class_body",
        "class_definition",
        "interface_body",
        "enum_body",
    ];
    let ancestors = std::iter::successors(node.parent(), Node::parent);
    // Its list, what wraps it, and what these stand in.
    ancestors.take(3).any(|it| TYPES.contains(&it.kind()))
}

/// All that stands in it is as visible as it is.
pub(super) fn is_interface(node: Node) -> bool {
    matches!(node.kind(), "trait_item" | "interface_declaration" | "annotation_type_declaration")
}

/// Text in one line, however long it was.
fn one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST).collect()
}
