//! The state of a scan, and the steps that every production is made of.

use crate::shell::syntax::{List, Word};
use crate::shell::{Unreadable, limit};
use std::cell::OnceCell;
use std::rc::Rc;

/// A syntax tree, and why it ends before the text, if it does.
pub(in crate::shell) struct Scanned {
    pub(in crate::shell) list: List,
    pub(in crate::shell) error: Option<Unreadable>,
    pub(super) commands: usize,
}

/// Scans a whole text with at most `most_commands` in it. `depth` is the nesting of the text
/// itself, for example in `bash -c`.
pub(in crate::shell) fn scan(text: &str, depth: usize, most_commands: usize) -> Scanned {
    if text.len() > limit::LINE {
        let error = Some(Unreadable::Length);
        return Scanned { list: List::new(), error, commands: 0 };
    }
    let mut scanner = Scanner { most_commands, ..Scanner::new(text, depth) };
    let list = scanner.list(&End::Text);
    scanner.documents();
    if scanner.at < text.len() {
        scanner.fail(Unreadable::Syntax);
    }
    let error = scanner.error.or(scanner.backtick_error);
    Scanned { list, error, commands: scanner.commands }
}

pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) commands: usize,
    pub(super) most_commands: usize,
    /// The number of words, expansions within words included.
    pub(super) words: usize,
    /// How many `$( … )` are open.
    pub(super) substitutions: usize,
    /// Here-documents whose text begins after the next newline.
    pub(super) pending: Vec<Pending>,
    pub(super) error: Option<Unreadable>,
    /// The first error within backticks. Bash parses their text only when it runs them, so the
    /// error does not affect the text around them.
    pub(super) backtick_error: Option<Unreadable>,
}

/// The end of a list, besides the end of the text.
pub(super) enum End {
    Text,
    /// `)`
    Parenthesis,
    Words(&'static [&'static str]),
    /// `;;` or `esac`
    Arm,
}

/// A here-document whose text is still to come.
pub(super) struct Pending {
    pub(super) delimiter: String,
    /// A quoted delimiter: the text is literal.
    pub(super) quoted: bool,
    /// `<<-`: tabs before each line are dropped.
    pub(super) strip: bool,
    pub(super) body: Rc<OnceCell<Word>>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Self {
        let error = (depth > limit::DEPTH).then_some(Unreadable::Depth);
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth,
            commands: 0,
            most_commands: limit::WORK,
            words: 0,
            substitutions: 0,
            pending: Vec::new(),
            error,
            backtick_error: None,
        }
    }

    /// A separate text in which only `$`, backticks and backslashes are special, as in a
    /// here-document.
    pub(super) fn quoted_text(&mut self, text: &str) -> Word {
        let mut scanner = Scanner::new(text, self.depth + 1);
        let mut word = Word::text("", true);
        while !scanner.is_over() {
            scanner.quoted_piece(&mut word, false);
        }
        if let Some(error) = scanner.error.or(scanner.backtick_error) {
            self.fail(error);
        }
        word
    }

    pub(super) fn fail(&mut self, error: Unreadable) {
        self.error.get_or_insert(error);
    }

    /// Counts a word, or an expansion in one.
    pub(super) fn count_word(&mut self) {
        self.words += 1;
        if self.words > self.most_commands.max(limit::WORK) * limit::WORDS {
            self.fail(Unreadable::Work);
        }
    }

    pub(super) fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, offset: usize) -> u8 {
        self.bytes.get(self.at + offset).copied().unwrap_or(0)
    }

    pub(super) fn is_over(&self) -> bool {
        self.at >= self.bytes.len() || self.error.is_some()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_next = self.starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.peek_at(1) == b'\n' => self.at += 2,
                b'\\' if self.peek_at(1) == b'\r' && self.peek_at(2) == b'\n' => self.at += 3,
                _ => return,
            }
        }
    }

    pub(super) fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    /// Skips blanks, comments and newlines. After a newline come the texts of its here-documents.
    pub(super) fn skip_lines(&mut self) {
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

    /// The next word if it has no quotes and no expansions, else "". Only such a word can be a reserved
    /// one: `\if` is a program.
    pub(super) fn bare_word(&self) -> &'a str {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let length = rest.iter().position(|byte| is_meta(*byte)).unwrap_or(rest.len());
        let is_bare = !rest[..length].iter().any(|byte| b"\"'\\$`".contains(byte));
        // Metacharacters are ASCII, so this is a character boundary.
        if is_bare { self.text.get(self.at..self.at + length).unwrap_or("") } else { "" }
    }

    /// Scans a nested part: a group, a substitution, a body. Returns `empty` if it is nested too
    /// deeply.
    pub(super) fn nested<T>(&mut self, empty: T, scan: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= limit::DEPTH {
            self.fail(Unreadable::Depth);
            return empty;
        }
        self.depth += 1;
        let scanned = scan(self);
        self.depth -= 1;
        scanned
    }

    pub(super) fn expect(&mut self, text: &str) {
        if !self.take(text) {
            self.fail_to_close();
        }
    }

    pub(super) fn expect_word(&mut self, word: &str) {
        self.skip_lines();
        if self.bare_word() == word {
            self.at += word.len();
        } else {
            self.fail_to_close();
        }
    }

    fn fail_to_close(&mut self) {
        let is_over = self.at >= self.bytes.len();
        self.fail(if is_over { Unreadable::Group } else { Unreadable::Syntax });
    }
}

pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
