//! What a command is by its looks, before anything of it is expanded.

use super::super::syntax::{Node, Part};

/// Whether its input becomes words of a command.
pub(super) fn is_xargs(node: &Node) -> bool {
    let Node::Simple(simple) = node else { return false };
    let first = simple.words.first().map(|word| &word.parts[..]);
    matches!(first, Some([Part::Text { text, .. }]) if matches!(text.as_str(), "xargs" | "parallel"))
}

/// Commands whose answer is asked for with `&&`, so that what follows may not run.
pub(super) fn is_test(node: &Node) -> bool {
    match node {
        Node::Test(_) | Node::Arithmetic(_) => true,
        Node::Simple(simple) => simple.words.first().is_some_and(|word| {
            matches!(&word.parts[..], [Part::Text { text, .. }] if matches!(
                text.as_str(),
                "[" | "test" | "false" | "grep" | "diff" | "cmp" | "which" | "type" | "pgrep"
            ))
        }),
        _ => false,
    }
}
