//! The commands of a line as the crate `rable` parses it.

use super::{Found, Syntax, unquoted};
use rable::{Node, NodeKind};

pub(super) fn find(line: &str) -> Result<Syntax, String> {
    let nodes = rable::parse(line, true).map_err(|error| error.to_string())?;
    let mut finder = Finder::default();
    finder.all(&nodes);
    Ok(finder.syntax)
}

#[derive(Default)]
struct Finder {
    syntax: Syntax,
    within: Vec<String>,
}

impl Finder {
    fn all(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Command { assignments, words, redirects } => {
                if !words.is_empty() {
                    let words = words.iter().map(text).collect();
                    self.syntax.commands.push(Found { words, within: self.within.clone() });
                }
                self.all(assignments);
                self.all(words);
                self.all(redirects);
            }
            NodeKind::Word { parts, .. } => self.all(parts),
            NodeKind::Pipeline { commands, .. } => self.all(commands),
            NodeKind::List { items } => {
                for item in items {
                    self.node(&item.command);
                }
            }
            NodeKind::If { condition, then_body, else_body, redirects } => {
                self.node(condition);
                self.node(then_body);
                if let Some(body) = else_body {
                    self.node(body);
                }
                self.all(redirects);
            }
            NodeKind::While { condition, body, redirects }
            | NodeKind::Until { condition, body, redirects } => {
                self.node(condition);
                self.node(body);
                self.all(redirects);
            }
            NodeKind::For { words, body, redirects, .. }
            | NodeKind::Select { words, body, redirects, .. } => {
                self.all(words.as_deref().unwrap_or(&[]));
                self.node(body);
                self.all(redirects);
            }
            NodeKind::Case { word, patterns, redirects } => {
                self.node(word);
                for case in patterns {
                    self.all(&case.patterns);
                    self.all(case.body.as_slice());
                }
                self.all(redirects);
            }
            NodeKind::Function { name, body } => {
                self.syntax.functions.push(name.clone());
                self.within.push(name.clone());
                self.node(body);
                self.within.pop();
            }
            NodeKind::ForArith { body, redirects, .. }
            | NodeKind::Subshell { body, redirects }
            | NodeKind::BraceGroup { body, redirects } => {
                self.node(body);
                self.all(redirects);
            }
            NodeKind::Coproc { command, .. }
            | NodeKind::CommandSubstitution { command, .. }
            | NodeKind::ProcessSubstitution { command, .. } => self.node(command),
            NodeKind::Redirect { target, .. } => self.node(target),
            NodeKind::Negation { pipeline } | NodeKind::Time { pipeline, .. } => {
                self.node(pipeline);
            }
            NodeKind::Array { elements } => self.all(elements),
            // Arithmetic, tests, here-documents and the content of `${…}` are text to it.
            _ => {}
        }
    }
}

/// A word's text, if nothing in it is expanded.
fn text(word: &Node) -> Option<String> {
    let NodeKind::Word { parts, .. } = &word.kind else { return None };
    let mut text = String::new();
    for part in parts {
        match &part.kind {
            NodeKind::WordLiteral { value } => text.push_str(&unquoted(value)?),
            NodeKind::AnsiCQuote { decoded, .. } => text.push_str(decoded),
            _ => return None,
        }
    }
    Some(text)
}
