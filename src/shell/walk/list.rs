//! Lists and pipelines: which of their commands may be skipped, and where output goes.

use super::{Io, Walker};
use crate::shell::syntax::{Item, Link, List, Node, Part, Simple};
use crate::shell::table::grammar::lists;
use crate::shell::{HOLE, limit, scan};
use std::rc::Rc;

impl Walker<'_> {
    /// Walks text as code of the same shell.
    pub(super) fn code(&mut self, text: &str, io: &Io) -> String {
        if !self.budget.spend(1 + text.len().min(limit::LINE) / 256) {
            return String::new();
        }
        // Do not scan more commands than the budget allows.
        let scanned = scan::scan(text, self.budget.depth(), self.budget.left());
        let mark = self.env.mark();
        let output = self.list(&scanned.list, io);
        if scanned.error.is_some() {
            // Bash may reject all of it.
            let changes = self.env.take_back(mark);
            self.env.merge(&[changes], false);
        }
        if let Some(error) = scanned.error {
            self.fail(error);
        }
        output
    }

    pub(super) fn list(&mut self, list: &[Item], io: &Io) -> String {
        let mut output = String::new();
        // Set once the list may have been left.
        let mut left = None;
        let ends = |item: &Item| matches!(item.link, Link::Then | Link::Background);
        for chain in list.split_inclusive(ends) {
            if self.budget.is_spent() {
                break;
            }
            let background = chain.last().is_some_and(|item| item.link == Link::Background);
            output.push_str(&if background {
                self.isolated(|walker| walker.chain(chain, io))
            } else {
                self.chain(chain, io)
            });
            if left.is_none() && chain.iter().any(|item| may_leave(&item.node)) {
                left = Some(self.env.mark());
            }
        }
        if let Some(mark) = left.filter(|mark| *mark < self.env.mark()) {
            let changes = self.env.take_back(mark);
            self.env.merge(&[changes], false);
        }
        output
    }

    pub(super) fn chain(&mut self, chain: &[Item], io: &Io) -> String {
        let mut output = String::new();
        // Whether the next command depends on the previous one: `a || b`, `[ … ] && b`.
        let mut hangs = false;
        // Set once commands run only if the previous ones succeed: `make && x=1`.
        let mut unsure = None;
        for Item { node, link } in chain {
            if hangs {
                let mark = self.env.mark();
                let shown = self.conditionally(|walker| walker.node(node, io));
                // Its output may be empty, which makes another word.
                if self.in_substitution && !shown.is_empty() {
                    output.push(HOLE);
                } else {
                    output.push_str(&shown);
                }
                let changes = self.env.take_back(mark);
                self.env.merge(&[changes], false);
            } else {
                output.push_str(&self.node(node, io));
            }
            hangs |= *link == Link::Or || is_test(node);
            if unsure.is_none() && !is_expected_to_succeed(node) {
                unsure = Some(self.env.mark());
            }
        }
        if let Some(mark) = unsure.filter(|mark| *mark < self.env.mark()) {
            let changes = self.env.take_back(mark);
            // `make && cd d`: paths are assumed to be in the folder that the line means to change
            // to.
            let directories = changes.directories.clone();
            self.env.merge(&[changes], false);
            if let Some(directories) = directories {
                self.env.put_directories(directories);
            }
        }
        output
    }

    pub(super) fn pipeline(&mut self, stages: &[Node], io: &Io) -> String {
        let mut stdin = io.stdin.clone();
        let mut output = String::new();
        for (index, stage) in stages.iter().enumerate() {
            if self.budget.is_spent() {
                break;
            }
            let last = index + 1 == stages.len();
            let stage_io = Io { stdin, capture: !last || io.capture };
            let mark = self.env.mark();
            output = self.node(stage, &stage_io);
            let changes = self.env.take_back(mark);
            // Zsh, and bash with `lastpipe`, run the last stage in the shell itself.
            if last && !changes.is_empty() {
                self.env.merge(&[changes], false);
            }
            stdin = Some(Rc::from(output.as_str()));
        }
        output
    }
}

/// Whether a simple command begins with one of these words.
fn begins_with(simple: &Simple, names: &'static str) -> bool {
    simple.words.first().is_some_and(
        |word| matches!(&word.parts[..], [Part::Text { text, .. }] if lists(names, text)),
    )
}

/// Whether a command hardly ever fails, so that the command after `&&` is sure to run.
fn is_expected_to_succeed(node: &Node) -> bool {
    const NAMES: &str =
        "cd pushd popd : true export declare local set echo printf mkdir alias unset";
    match node {
        Node::Simple(simple) => simple.words.is_empty() || begins_with(simple, NAMES),
        Node::Function { .. } => true,
        _ => false,
    }
}

/// Whether a command may leave the function or the loop that it is in.
fn may_leave(node: &Node) -> bool {
    let any = |list: &List| list.iter().any(|item| may_leave(&item.node));
    match node {
        Node::Simple(simple) => begins_with(simple, "return exit break continue"),
        Node::Group(list) => any(list),
        Node::If { branches, otherwise } => {
            branches.iter().any(|(_, body)| any(body)) || otherwise.as_ref().is_some_and(any)
        }
        Node::Case { arms, .. } => arms.iter().any(|arm| any(&arm.body)),
        _ => false,
    }
}

/// Whether a command only tests something, so that the command after `&&` may not run.
fn is_test(node: &Node) -> bool {
    match node {
        Node::Test(_) | Node::Arithmetic(_) => true,
        Node::Simple(simple) => begins_with(simple, "[ test false grep diff cmp which type pgrep"),
        _ => false,
    }
}
