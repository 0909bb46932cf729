//! Text to syntax tree: lists, pipelines and compound commands. One pass, recursive, with a depth
//! that [`limit::DEPTH`] bounds. On an error it stops and keeps what it has: bash runs the lines
//! before a syntax error, too.
//!
//! Long because it is one grammar: the productions call each other.

mod expansions;
mod simple;
mod word;

pub(super) use simple::head;

use super::syntax::{Arm, Item, Link, List, Node, Word};
use super::{Unreadable, limit};
use simple::Pending;
use std::rc::Rc;

/// A syntax tree, and why it ends before the text does.
pub(super) struct Scanned {
    pub(super) list: List,
    pub(super) error: Option<Unreadable>,
    /// Whether bash may refuse it, and run nothing of it.
    pub(super) doubtful: bool,
    /// How many commands there are.
    commands: usize,
}

/// Scans a whole text of at the `most` so many commands. `depth` is how deep the text itself is
/// nested.
pub(super) fn scan(text: &str, depth: usize, most: usize) -> Scanned {
    if text.len() > limit::LINE {
        let error = Some(Unreadable::Length);
        return Scanned { list: List::new(), error, doubtful: false, commands: 0 };
    }
    let mut scanner = Scanner { most, ..Scanner::new(text, depth) };
    let list = scanner.list(&End::Text);
    scanner.documents();
    if scanner.at < text.len() {
        scanner.fail(Unreadable::Syntax);
    }
    let error = scanner.error.or(scanner.inner_error);
    Scanned { list, error, doubtful: scanner.doubtful, commands: scanner.commands }
}

/// Scans text in which only `$`, backticks and backslashes count, as in a here-document.
pub(super) fn scan_quoted(text: &str, depth: usize) -> (Word, Option<Unreadable>) {
    let mut scanner = Scanner::new(text, depth);
    let mut word = Word::text("", true);
    scanner.document_text(&mut word);
    (word, scanner.error.or(scanner.inner_error))
}

struct Scanner<'a> {
    /// See [`Scanned::doubtful`].
    doubtful: bool,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    /// How many commands there are so far, and at the most.
    commands: usize,
    most: usize,
    /// How many words.
    words: usize,
    /// How many `$( … )` are open.
    substitutions: usize,
    /// Here-documents whose text begins after the next newline.
    pending: Vec<Pending>,
    error: Option<Unreadable>,
    /// The first error within backticks.
    inner_error: Option<Unreadable>,
}

/// What ends a list, besides the end of the text.
enum End {
    Text,
    /// `)`
    Parenthesis,
    /// A reserved word where a command could stand.
    Words(&'static [&'static str]),
    /// `;;` or `esac`
    Arm,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, depth: usize) -> Self {
        let error = (depth > limit::DEPTH).then_some(Unreadable::Depth);
        Self {
            doubtful: false,
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth,
            commands: 0,
            most: limit::WORK,
            words: 0,
            substitutions: 0,
            pending: Vec::new(),
            error,
            inner_error: None,
        }
    }

    fn fail(&mut self, error: Unreadable) {
        self.error.get_or_insert(error);
    }

    /// A word, or an expansion in one.
    fn count_word(&mut self) {
        self.words += 1;
        if self.words > self.most.max(limit::WORK) * limit::WORDS {
            self.fail(Unreadable::Work);
        }
    }

    /// The byte that comes, or 0 at the end.
    fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    fn peek_at(&self, offset: usize) -> u8 {
        self.bytes.get(self.at + offset).copied().unwrap_or(0)
    }

    fn is_over(&self) -> bool {
        self.at >= self.bytes.len() || self.error.is_some()
    }

    fn starts_with(&self, text: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// Goes past `text`, if that comes.
    fn take(&mut self, text: &str) -> bool {
        let comes = self.starts_with(text);
        if comes {
            self.at += text.len();
        }
        comes
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.peek_at(1) == b'\n' => self.at += 2,
                b'\\' if self.peek_at(1) == b'\r' && self.peek_at(2) == b'\n' => self.at += 3,
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    /// Goes past blanks, comments and newlines, and reads the here-documents that are due.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                b'\n' => {
                    self.at += 1;
                    self.documents();
                }
                b'\r' if self.peek_at(1) == b'\n' => self.at += 1,
                b'#' => self.skip_comment(),
                _ => return,
            }
        }
    }

    /// The word that comes, if it is bare of quotes and expansions, else "": the only form in
    /// which bash takes a word for a reserved one.
    fn bare_word(&self) -> &'a str {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let length = rest.iter().position(|byte| word::is_meta(*byte)).unwrap_or(rest.len());
        let bare = !rest[..length].iter().any(|byte| b"\"'\\$`".contains(byte));
        // Metacharacters are ASCII, so this is a character boundary.
        if bare { self.text.get(self.at..self.at + length).unwrap_or("") } else { "" }
    }

    /// One level down: groups, substitutions, bodies.
    fn nested<T>(&mut self, empty: T, scan: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= limit::DEPTH {
            self.fail(Unreadable::Depth);
            return empty;
        }
        self.depth += 1;
        let scanned = scan(self);
        self.depth -= 1;
        scanned
    }

    fn list(&mut self, end: &End) -> List {
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

    fn is_at(&self, end: &End) -> bool {
        match end {
            End::Text => false,
            End::Parenthesis => self.peek() == b')',
            End::Words(words) => words.contains(&self.bare_word()),
            End::Arm => {
                self.starts_with(";;") || self.starts_with(";&") || self.bare_word() == "esac"
            }
        }
    }

    fn link(&mut self) -> Link {
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
            // Two of them, or one before `&`, end an arm of a `case`.
            b';' if !matches!(self.peek_at(1), b';' | b'&') => {
                self.at += 1;
                Link::Then
            }
            _ => Link::Then,
        }
    }

    fn pipeline(&mut self) -> Option<Node> {
        self.skip_prefixes();
        let first = self.command();
        self.skip_blanks();
        if !self.is_at_pipe() {
            return first;
        }
        let mut stages = Vec::from_iter(first);
        while self.is_at_pipe() && !self.is_over() {
            let joins = self.peek_at(1) == b'&';
            self.at += if joins { 2 } else { 1 };
            if joins && let Some(stage) = stages.pop() {
                stages.push(stage.with_errors());
            }
            self.skip_lines();
            self.skip_blanks();
            // Bash has `!` before a pipeline, not within one, and runs nothing of the line then. To
            // end here would leave out what another shell runs, and what stands around a substitution.
            self.doubtful |= self.bare_word() == "!";
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

    fn is_at_pipe(&self) -> bool {
        self.peek() == b'|' && self.peek_at(1) != b'|'
    }

    /// `!` and `time`, which change nothing about what runs.
    fn skip_prefixes(&mut self) {
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

    fn command(&mut self) -> Option<Node> {
        self.commands += 1;
        if self.commands > self.most {
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

    fn expect(&mut self, text: &str) {
        if !self.take(text) {
            let over = self.at >= self.bytes.len();
            self.fail(if over { Unreadable::Group } else { Unreadable::Syntax });
        }
    }

    /// A reserved word that must come here.
    fn expect_word(&mut self, word: &str) {
        self.skip_lines();
        if self.bare_word() == word {
            self.at += word.len();
        } else {
            let over = self.at >= self.bytes.len();
            self.fail(if over { Unreadable::Group } else { Unreadable::Syntax });
        }
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

    /// The words up to the end of a command, as after `for x in`.
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

    fn function(&mut self, name: String) -> Option<Node> {
        self.skip_lines();
        let body = self.nested(None, Self::command)?;
        Some(Node::Function { name, body: Rc::new(body) })
    }

    /// `[[ … ]]`: only its words count, for the substitutions in them.
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
