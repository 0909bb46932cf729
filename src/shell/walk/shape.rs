//! What a command is by its looks, before anything of it is expanded.

use super::super::syntax::{Node, Part, Word};
use super::start::START;

/// Whether its input becomes words of a command.
pub(super) fn is_xargs(node: &Node) -> bool {
    program(node).is_some_and(|name| matches!(name, "xargs" | "parallel"))
}

/// Commands that never fail.
pub(super) fn goes_well(node: &Node) -> bool {
    let Node::Simple(simple) = node else { return false };
    let is_it = |name: &str| matches!(name, "echo" | "printf" | ":" | "true" | "set" | "export");
    simple.words.is_empty() || program(node).is_some_and(is_it)
}

/// Commands that go to a folder, or make one.
pub(super) fn moves(node: &Node) -> bool {
    program(node).is_some_and(|name| matches!(name, "cd" | "pushd" | "popd" | "mkdir"))
}

/// The first word of a simple command, where it is plain text.
fn program(node: &Node) -> Option<&str> {
    let Node::Simple(simple) = node else { return None };
    match &simple.words.first()?.parts[..] {
        [Part::Text { text, .. }] => Some(text),
        _ => None,
    }
}

/// Commands whose answer is asked for with `&&`, so that what follows may not run.
pub(super) fn is_test(node: &Node) -> bool {
    match node {
        Node::Test(_) | Node::Arithmetic(_) => true,
        _ => program(node).is_some_and(|name| {
            matches!(
                name,
                "[" | "test" | "false" | "grep" | "diff" | "cmp" | "which" | "type" | "pgrep"
            )
        }),
    }
}

/// Whether a text is one by which the line's own knows what it cannot know: where it stands (`.`),
/// the home (`~`), the shell, or what a program shows of names.
pub(super) fn stands_for_more(word: &Word, text: &str) -> bool {
    let shows = |part: &Part| matches!(part, Part::Command { .. });
    text == "."
        || text.contains(START)
        || text.starts_with(['~', '/'])
        || text.starts_with("./")
        || text.starts_with("..")
        || word.parts.iter().any(shows)
}
