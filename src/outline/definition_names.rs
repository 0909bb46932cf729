//! The names that a node defines.

use tree_sitter::Node;

use super::{Source, kinds::is_in};

/// In characters.
const LONGEST: usize = 120;

pub(super) fn of(source: &Source, node: Node) -> Vec<String> {
    let text = |node: Node| one_line(source.text_of(node));
    let field = |name: &str| node.child_by_field_name(name).map(text);
    if is_in("impl_item foreign_mod_item", node.kind()) {
        let of = field("type").unwrap_or_else(|| "extern".to_owned());
        return vec![match field("trait") {
            Some(name) => format!("<{of} as {name}>"),
            None => of,
        }];
    }
    match (field("name").or_else(|| field("property")), field("receiver")) {
        // `func (s *Session[T]) renew()`
        (Some(name), Some(receiver)) => {
            let mut words = receiver.trim_matches(['(', ')']).rsplit([' ', '*']);
            let of = words.find(|word| !word.is_empty()).unwrap_or_default();
            vec![format!("{}.{name}", of.split('[').next().unwrap_or(of))]
        }
        (Some(name), None) => vec![name],
        (None, _) => {
            let left = node.child_by_field_name("left");
            left.map_or_else(|| each(source, node, 0), |left| identifiers(source, left))
        }
    }
}

/// Includes the children of a list such as `const ( … )`.
fn each(source: &Source, node: Node, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if depth < 2 && child.kind().ends_with("spec_list") {
            found.extend(each(source, child, depth + 1));
        }
        let mut cursor = child.walk();
        for name in child.children_by_field_name("name", &mut cursor) {
            found.extend(identifiers(source, name));
        }
    }
    found
}

fn identifiers(source: &Source, pattern: Node) -> Vec<String> {
    const MOST: usize = 50;
    /// Assigning to one of these defines no name.
    const PLACES: &str = "attribute subscript member_expression subscript_expression call";
    let mut found = Vec::new();
    let mut todo = vec![pattern];
    while let Some(node) = todo.pop().filter(|_| found.len() < MOST) {
        let kind = node.kind();
        // `{ key: name }`: the key is not defined here.
        let is_key = kind == "property_identifier" && node.id() != pattern.id();
        if kind.ends_with("identifier") || kind.ends_with("identifier_pattern") {
            found.extend((!is_key).then(|| one_line(source.text_of(node))));
        } else if !is_in(PLACES, kind) {
            let mut cursor = node.walk();
            let first = todo.len();
            todo.extend(node.named_children(&mut cursor));
            todo[first..].reverse();
        }
    }
    found
}

pub(super) fn one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST).collect()
}
