//! Commands by their first word: groups, branches, loops, `case`, functions, tests.

use super::scanner::{End, Scanner};
use crate::shell::Unreadable;
use crate::shell::syntax::{Arm, Item, Link, List, Node, Word};
use std::rc::Rc;

impl Scanner<'_> {
    pub(super) fn command(&mut self) -> Option<Node> {
        self.commands += 1;
        if self.commands > self.most_commands {
            self.fail(Unreadable::Work);
        }
        let node = match self.bare_word() {
            "" if self.peek() == b'(' => self.parenthesis(),
            "{" => self.group(),
            "if" => self.branches(),
            "while" | "until" => {
                self.at += 5;
                self.nested(None, |scanner| {
                    let condition = scanner.list(&End::Words(&["do"]));
                    let body = scanner.body("do", "done");
                    Some(Node::While { condition, body })
                })
            }
            "for" => self.each("for"),
            "select" => self.each("select"),
            "case" => self.case(),
            "function" => {
                self.at += "function".len();
                self.skip_blanks();
                let name = self.word().as_text().unwrap_or_default();
                self.skip_blanks();
                if self.take("(") {
                    self.skip_blanks();
                    self.expect(")");
                }
                self.function(name)
            }
            "[[" => Some(self.test()),
            "coproc" => self.coprocess(),
            _ => return self.simple(),
        };
        node.map(|node| self.redirected(node))
    }

    fn parenthesis(&mut self) -> Option<Node> {
        if let Some(text) = self.arithmetic() {
            return Some(Node::Arithmetic(text));
        }
        self.at += 1;
        self.nested(None, |scanner| {
            let list = scanner.list(&End::Parenthesis);
            scanner.expect(")");
            Some(Node::Subshell(list))
        })
    }

    fn group(&mut self) -> Option<Node> {
        self.nested(None, |scanner| Some(Node::Group(scanner.body("{", "}"))))
    }

    fn body(&mut self, open: &str, close: &'static str) -> List {
        self.expect_word(open);
        let list = match close {
            "}" => self.list(&End::Words(&["}"])),
            _ => self.list(&End::Words(&["done"])),
        };
        self.expect_word(close);
        list
    }

    fn branches(&mut self) -> Option<Node> {
        self.nested(None, |scanner| {
            let mut branches = Vec::new();
            let mut otherwise = None;
            scanner.expect_word("if");
            loop {
                let condition = scanner.list(&End::Words(&["then"]));
                scanner.expect_word("then");
                let body = scanner.list(&End::Words(&["elif", "else", "fi"]));
                branches.push((condition, body));
                match scanner.bare_word() {
                    "elif" if !scanner.is_over() => scanner.at += "elif".len(),
                    "else" if !scanner.is_over() => {
                        scanner.at += "else".len();
                        otherwise = Some(scanner.list(&End::Words(&["fi"])));
                        break;
                    }
                    _ => break,
                }
            }
            scanner.expect_word("fi");
            Some(Node::If { branches, otherwise })
        })
    }

    fn each(&mut self, keyword: &str) -> Option<Node> {
        self.at += keyword.len();
        self.skip_blanks();
        if self.peek() == b'(' {
            let Some(header) = self.arithmetic() else {
                self.fail(Unreadable::Syntax);
                return None;
            };
            self.skip_lines();
            self.take(";");
            return self
                .nested(None, |scanner| Some(Node::Count { header, body: scanner.do_or_brace() }));
        }
        let name = self.word().as_text().unwrap_or_default();
        self.skip_lines();
        let mut words = None;
        if self.bare_word() == "in" {
            self.at += 2;
            words = Some(self.words());
        }
        self.skip_blanks();
        self.take(";");
        self.nested(None, |scanner| Some(Node::For { name, words, body: scanner.do_or_brace() }))
    }

    fn do_or_brace(&mut self) -> List {
        self.skip_lines();
        if self.bare_word() == "{" { self.body("{", "}") } else { self.body("do", "done") }
    }

    /// The words up to the end of the command, as after `for x in`.
    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if self.is_over() || matches!(self.peek(), b'\n' | b';' | b'&' | b'|' | b'(' | b')') {
                return words;
            }
            if self.peek() == b'#' {
                self.skip_comment();
                continue;
            }
            let start = self.at;
            words.push(self.word());
            if self.at == start {
                self.fail(Unreadable::Syntax);
            }
        }
    }

    fn case(&mut self) -> Option<Node> {
        self.at += "case".len();
        self.skip_blanks();
        let subject = self.word();
        self.expect_word("in");
        self.nested(None, |scanner| {
            let mut arms = Vec::new();
            loop {
                scanner.skip_lines();
                if scanner.is_over() || scanner.bare_word() == "esac" {
                    break;
                }
                arms.push(scanner.arm());
            }
            scanner.expect_word("esac");
            Some(Node::Case { subject, arms })
        })
    }

    fn arm(&mut self) -> Arm {
        self.take("(");
        let mut patterns = Vec::new();
        while !self.is_over() {
            self.skip_lines();
            let start = self.at;
            patterns.push(self.word());
            self.skip_lines();
            if self.take(")") {
                break;
            }
            if !self.take("|") || self.at == start {
                self.fail(Unreadable::Syntax);
            }
        }
        let body = self.list(&End::Arm);
        let falls_through = self.take(";;&") || self.take(";&");
        if !falls_through {
            self.take(";;");
        }
        Arm { patterns, body, falls_through }
    }

    pub(super) fn function(&mut self, name: String) -> Option<Node> {
        self.skip_lines();
        let body = self.nested(None, Self::command)?;
        Some(Node::Function { name, body: Rc::new(body) })
    }

    /// `[[ … ]]`. Only its words matter, because there may be substitutions in them.
    fn test(&mut self) -> Node {
        self.at += 2;
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.is_over() {
                self.fail(Unreadable::Group);
                break;
            }
            if self.bare_word() == "]]" {
                self.at += 2;
                break;
            }
            match self.peek() {
                b'(' | b')' | b'|' | b'&' | b';' => self.at += 1,
                b'<' | b'>' if self.peek_at(1) != b'(' => self.at += 1,
                _ => {
                    let start = self.at;
                    let word = self.word();
                    let is_match = word.as_text().as_deref() == Some("=~");
                    words.push(word);
                    if is_match {
                        words.push(self.regular_expression());
                    }
                    if self.at == start {
                        self.fail(Unreadable::Syntax);
                    }
                }
            }
        }
        Node::Test(words)
    }

    fn coprocess(&mut self) -> Option<Node> {
        self.at += "coproc".len();
        self.skip_blanks();
        let start = self.at;
        let name = self.bare_word();
        if !name.is_empty() && !is_compound(name) {
            // `coproc NAME { …; }`: a name only if a compound command follows.
            self.at += name.len();
            self.skip_blanks();
            if self.peek() != b'(' && !is_compound(self.bare_word()) {
                self.at = start;
            }
        }
        let body = self.nested(None, Self::command)?;
        Some(Node::Coprocess(Box::new(Item { node: body, link: Link::Background })))
    }
}

fn is_compound(word: &str) -> bool {
    matches!(word, "{" | "if" | "while" | "until" | "for" | "select" | "case" | "[[")
}
