//! Words: quotes, escapes, extended globs, arrays.

use super::head;
use super::scanner::{End, Scanner, is_meta};
use crate::shell::Unreadable;
use crate::shell::escapes::unescaped;
use crate::shell::syntax::{Part, Word};
use std::rc::Rc;

/// Whether a run of plain text within a word ends here.
fn is_special(byte: u8) -> bool {
    is_meta(byte) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`')
}

impl Scanner<'_> {
    /// The next word; without parts if there is none.
    pub(super) fn word(&mut self) -> Word {
        let mut word = Word::default();
        self.count_word();
        let start = self.at;
        while !self.is_over() {
            match self.peek() {
                b'(' if self.bytes[start..self.at].ends_with(b"=")
                    && head(&self.text[start..self.at]).is_some() =>
                {
                    self.array(&mut word);
                }
                b'(' if self.at > start && b"?*+@!".contains(&self.bytes[self.at - 1]) => {
                    self.extended_glob(&mut word);
                }
                b'<' | b'>' if self.peek_at(1) == b'(' => self.process(&mut word),
                // The carriage return of a line that ends in CRLF is not part of the word.
                b'\r' if matches!(self.peek_at(1), b'\n' | 0) => break,
                byte if is_meta(byte) => break,
                _ => self.piece(&mut word, false),
            }
        }
        word
    }

    /// One quoted string, expansion or run of plain text. Within `${…}` of a quoted string
    /// (`in_quotes`) single quotes are text.
    pub(super) fn piece(&mut self, word: &mut Word, in_quotes: bool) {
        match self.peek() {
            b'\'' if !in_quotes => self.single_quotes(word),
            b'"' => {
                self.at += 1;
                word.push_text("", true);
                self.double_quotes(word);
            }
            b'\\' => self.escape(word),
            b'$' => self.dollar(word, in_quotes),
            b'`' => self.backticks(word, in_quotes),
            first => {
                let rest = &self.bytes[self.at..];
                let length = rest.iter().position(|byte| is_special(*byte) || *byte == b'\r');
                let length = length.unwrap_or(rest.len()).max(usize::from(first.is_ascii()));
                word.push_text(&self.text[self.at..self.at + length], in_quotes);
                self.at += length;
            }
        }
    }

    fn character(&mut self) -> Option<char> {
        let character = self.text.get(self.at..)?.chars().next()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn escape(&mut self, word: &mut Word) {
        self.at += 1;
        match self.character() {
            Some('\n') => {}
            Some('\r') if self.peek() == b'\n' => self.at += 1,
            Some(character) => word.push_text(character.encode_utf8(&mut [0; 4]), true),
            None => word.push_text("\\", true),
        }
    }

    fn single_quotes(&mut self, word: &mut Word) {
        let text = &self.text[self.at + 1..];
        if let Some(end) = text.find('\'') {
            word.push_text(&text[..end], true);
            self.at += end + 2;
        } else {
            self.fail(Unreadable::Quote);
            self.at = self.bytes.len();
        }
    }

    /// Reads from after the opening quote up to and including the closing one.
    pub(super) fn double_quotes(&mut self, word: &mut Word) {
        while self.at < self.bytes.len() {
            if self.error.is_some() {
                return;
            }
            if self.peek() == b'"' {
                self.at += 1;
                return;
            }
            self.quoted_piece(word, true);
        }
        self.fail(Unreadable::Quote);
    }

    pub(super) fn quoted_piece(&mut self, word: &mut Word, quote_ends: bool) {
        match self.peek() {
            b'\\' => {
                self.at += 1;
                match self.peek() {
                    b'\n' => self.at += 1,
                    b'"' if !quote_ends => word.push_text("\\", true),
                    b'$' | b'`' | b'\\' | b'"' => {
                        word.push_text(&self.text[self.at..=self.at], true);
                        self.at += 1;
                    }
                    _ => word.push_text("\\", true),
                }
            }
            b'$' => self.dollar(word, true),
            b'`' => self.backticks(word, true),
            _ => {
                let rest = &self.bytes[self.at..];
                let length = rest
                    .iter()
                    .position(|byte| {
                        matches!(byte, b'\\' | b'$' | b'`') || (quote_ends && *byte == b'"')
                    })
                    .unwrap_or(rest.len());
                // The bytes that end it are ASCII. In a here-document a `"` may come first, and is
                // text.
                let length = length.max(usize::from(rest[0].is_ascii()));
                word.push_text(&self.text[self.at..self.at + length], true);
                self.at += length;
            }
        }
    }

    /// `$'…'`, after the opening quote.
    pub(super) fn ansi_quotes(&mut self, word: &mut Word) {
        let rest = &self.text[self.at..];
        let mut is_escaped = false;
        let end = rest.bytes().position(|byte| {
            let is_end = byte == b'\'' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        let Some(end) = end else { return self.fail(Unreadable::Quote) };
        self.at += end + 1;
        // A NUL ends the string, as in all arguments of a program.
        let text = unescaped(&rest[..end]);
        word.push_text(text.split('\0').next().unwrap_or_default(), true);
    }

    fn process(&mut self, word: &mut Word) {
        let input = self.peek() == b'<';
        self.at += 2;
        let list = self.nested(Vec::new(), |scanner| {
            let list = scanner.list(&End::Parenthesis);
            scanner.expect(")");
            list
        });
        word.parts.push(Part::Process { list: Rc::new(list), input });
    }

    /// `( … )` after `name=`.
    pub(super) fn array(&mut self, word: &mut Word) {
        self.at += 1;
        let words = self.nested(Vec::new(), |scanner| {
            let mut words = Vec::new();
            loop {
                scanner.skip_lines();
                if scanner.is_over() {
                    break;
                }
                let start = scanner.at;
                words.push(scanner.word());
                if scanner.at == start {
                    words.pop();
                    break;
                }
            }
            words
        });
        self.expect(")");
        word.parts.push(Part::Array(Rc::new(words)));
    }

    /// `?(…)` and similar: pattern text that may contain blanks and bars.
    fn extended_glob(&mut self, word: &mut Word) {
        let mut depth = 0_usize;
        loop {
            if self.is_over() {
                self.fail(Unreadable::Group);
                return;
            }
            match self.peek() {
                b'(' => {
                    depth += 1;
                    word.push_text("(", false);
                    self.at += 1;
                }
                b')' => {
                    depth -= 1;
                    word.push_text(")", false);
                    self.at += 1;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.piece(word, false),
            }
        }
    }

    /// The right side of `=~`: parentheses and bars are text, blanks end it outside parentheses.
    pub(super) fn regular_expression(&mut self) -> Word {
        self.skip_blanks();
        let mut word = Word::default();
        let mut depth = 0_usize;
        while !self.is_over() {
            match self.peek() {
                b'(' => depth += 1,
                b')' | b' ' | b'\t' | b'\n' if depth == 0 => break,
                b')' => depth -= 1,
                byte if is_meta(byte) => {}
                _ => {
                    self.piece(&mut word, false);
                    continue;
                }
            }
            word.push_text(&self.text[self.at..=self.at], false);
            self.at += 1;
        }
        word
    }
}
