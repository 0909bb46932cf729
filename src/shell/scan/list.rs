//! Lists and pipelines: commands with `;`, `&`, `&&`, `||` and `|` between them.

use super::scanner::{End, Scanner};
use crate::shell::Unreadable;
use crate::shell::syntax::{Item, Link, List, Node};

impl Scanner<'_> {
    pub(super) fn list(&mut self, end: &End) -> List {
        let mut list = List::new();
        loop {
            self.skip_lines();
            if self.is_over() || self.is_at(end) {
                return list;
            }
            let start = self.at;
            let node = self.pipeline();
            let link = self.link();
            list.extend(node.map(|node| Item { node, link }));
            if self.at == start {
                self.fail(Unreadable::Syntax);
            }
        }
    }

    pub(super) fn is_at(&self, end: &End) -> bool {
        match end {
            End::Text => false,
            End::Parenthesis => self.peek() == b')',
            End::Words(words) => words.contains(&self.bare_word()),
            End::Arm => {
                self.starts_with(";;") || self.starts_with(";&") || self.bare_word() == "esac"
            }
        }
    }

    pub(super) fn link(&mut self) -> Link {
        self.skip_blanks();
        match self.peek() {
            b'&' if self.peek_at(1) == b'&' => {
                self.at += 2;
                Link::And
            }
            b'|' if self.peek_at(1) == b'|' => {
                self.at += 2;
                Link::Or
            }
            b'&' => {
                self.at += 1;
                Link::Background
            }
            // `;;`, `;&` and `;;&` end an arm of a `case`.
            b';' if !matches!(self.peek_at(1), b';' | b'&') => {
                self.at += 1;
                Link::Then
            }
            _ => Link::Then,
        }
    }

    pub(super) fn pipeline(&mut self) -> Option<Node> {
        self.skip_prefixes();
        let first = self.command();
        self.skip_blanks();
        if !self.is_at_pipe() {
            return first;
        }
        let mut stages = Vec::from_iter(first);
        while self.is_at_pipe() && !self.is_over() {
            let has_errors = self.peek_at(1) == b'&';
            self.at += if has_errors { 2 } else { 1 };
            self.skip_lines();
            self.skip_blanks();
            self.skip_prefixes();
            let start = self.at;
            stages.extend(self.command());
            if self.at == start {
                self.fail(Unreadable::Syntax);
            }
            self.skip_blanks();
        }
        Some(Node::Pipeline(stages))
    }

    pub(super) fn is_at_pipe(&self) -> bool {
        self.peek() == b'|' && self.peek_at(1) != b'|'
    }

    /// Skips `!` and `time`, which do not change what runs.
    pub(super) fn skip_prefixes(&mut self) {
        loop {
            self.skip_blanks();
            match self.bare_word() {
                "!" => self.at += 1,
                "time" => {
                    self.at += 4;
                    self.skip_blanks();
                    for option in ["-p", "--"] {
                        if self.bare_word() == option {
                            self.at += 2;
                            self.skip_blanks();
                        }
                    }
                }
                _ => return,
            }
        }
    }
}
