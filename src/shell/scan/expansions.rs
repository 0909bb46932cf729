//! Expansions within a word: `$name`, `${…}`, `$(…)`, `$((…))`, backticks.

use super::scanner::{End, Scanner, scan};
use crate::shell::Unreadable;
use crate::shell::syntax::{List, Parameter, Part, Word};
use std::rc::Rc;

/// What may follow the name in `${name…}`. If one is a prefix of another, the longer comes first.
const OPERATORS: &[&str] = &[
    ":-", ":=", ":+", ":?", "-", "=", "+", "?", "##", "#", "%%", "%", "//", "/#", "/%", "/", "^^",
    "^", ",,", ",", "@", ":",
];

impl Scanner<'_> {
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) {
        self.count_word();
        match self.peek_at(1) {
            b'(' => {
                self.at += 1;
                if let Some(text) = self.arithmetic() {
                    word.parts.push(Part::Arithmetic(Rc::new(text)));
                    return;
                }
                self.at += 1;
                let list = self.substitution();
                word.parts.push(Part::Command { list: Rc::new(list), quoted });
            }
            b'{' => {
                self.at += 2;
                let parameter =
                    self.nested(Parameter::default(), |scanner| scanner.parameter(quoted));
                word.parts.push(Part::Parameter { parameter: Rc::new(parameter), quoted });
            }
            b'\'' if !quoted => {
                self.at += 2;
                self.ansi_quotes(word);
            }
            b'"' if !quoted => {
                self.at += 2;
                word.push_text("", true);
                self.double_quotes(word);
            }
            _ => {
                self.at += 1;
                let name = self.name();
                if name.is_empty() {
                    word.push_text("$", true);
                } else {
                    let parameter = Rc::new(Parameter { name, ..Parameter::default() });
                    word.parts.push(Part::Parameter { parameter, quoted });
                }
            }
        }
    }

    fn substitution(&mut self) -> List {
        self.substitutions += 1;
        let outer = std::mem::take(&mut self.pending);
        let list = self.nested(Vec::new(), |scanner| scanner.list(&End::Parenthesis));
        self.expect(")");
        // A here-document may begin inside and have its text after the closing parenthesis.
        let inner = std::mem::replace(&mut self.pending, outer);
        self.pending.extend(inner);
        self.substitutions -= 1;
        list
    }

    /// A variable's name, or a single digit or special parameter without braces.
    fn name(&mut self) -> String {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let length = match rest.first() {
            Some(first) if first.is_ascii_alphabetic() || *first == b'_' => {
                rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count()
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => 1,
            _ => 0,
        };
        self.at += length;
        self.text[self.at - length..self.at].to_owned()
    }

    /// Reads what comes after `${`, including the closing brace.
    fn parameter(&mut self, quoted: bool) -> Parameter {
        let mut parameter = Parameter::default();
        match (self.peek(), self.peek_at(1)) {
            (b'#', next) if next != b'}' && next != b':' && next != b'-' => {
                parameter.length = true;
                self.at += 1;
            }
            (b'!', next)
                if next.is_ascii_alphanumeric()
                    || next == b'_'
                    || next == b'#' && self.peek_at(2) == b'}' =>
            {
                parameter.indirect = true;
                self.at += 1;
            }
            _ => {}
        }
        parameter.name = self.name();
        while self.peek().is_ascii_digit() && parameter.name.bytes().all(|b| b.is_ascii_digit()) {
            parameter.name.push(char::from(self.peek()));
            self.at += 1;
        }
        if self.peek() == b'[' {
            self.at += 1;
            parameter.index = Some(self.braced(b']', quoted));
        }
        if let Some(operator) = OPERATORS.iter().find(|operator| self.starts_with(operator)) {
            parameter.operator = operator;
            self.at += operator.len();
        }
        // A pattern has its own quotes: those around `"${x#'a'}"` do not apply in it.
        let is_pattern = parameter.operator.starts_with(['#', '%', '/', '^', ',']);
        parameter.operand = self.braced(b'}', quoted && !is_pattern);
        parameter
    }

    /// Reads the text up to an unquoted `close`, and skips it.
    fn braced(&mut self, close: u8, quoted: bool) -> Word {
        let mut word = Word::default();
        while !self.is_over() {
            match self.peek() {
                byte if byte == close => {
                    self.at += 1;
                    return word;
                }
                b'<' | b'>' if self.peek_at(1) == b'(' && !quoted => {
                    let start = self.at;
                    let inner = self.word();
                    word.parts.extend(inner.parts);
                    if self.at == start {
                        self.at += 1;
                    }
                }
                b'\'' | b'"' | b'\\' | b'$' | b'`' => self.piece(&mut word, quoted),
                _ => {
                    let rest = &self.bytes[self.at..];
                    let length = rest
                        .iter()
                        .skip(1)
                        .position(|byte| *byte == close || b"'\"\\$`<>".contains(byte))
                        .map_or(rest.len(), |length| length + 1);
                    word.push_text(&self.text[self.at..self.at + length], quoted);
                    self.at += length;
                }
            }
        }
        self.fail(Unreadable::Quote);
        word
    }

    /// The text of `((…))`, if this is one. As in bash, that requires another `)` right after the
    /// one that closes the second parenthesis: `((a) | b)` is a subshell.
    pub(super) fn arithmetic(&mut self) -> Option<Word> {
        if self.peek_at(1) != b'(' {
            return None;
        }
        let start = self.at + 2;
        let end = self.closing(start)?;
        if self.bytes.get(end + 1) != Some(&b')') {
            return None;
        }
        self.at = end + 2;
        Some(self.quoted_text(&self.text[start..end]))
    }

    /// Where the parenthesis that was opened before `start` is closed, ignoring quoted and escaped
    /// ones.
    fn closing(&self, start: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut quote = 0;
        let mut at = start;
        while let Some(byte) = self.bytes.get(at) {
            match *byte {
                b'\\' => at += 1,
                byte if byte == quote => quote = 0,
                _ if quote != 0 => {}
                b'"' | b'\'' => quote = *byte,
                b'(' => depth += 1,
                b')' if depth == 0 => return Some(at),
                b')' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Backticks: without its backslashes, their text is a separate line.
    pub(super) fn backticks(&mut self, word: &mut Word, quoted: bool) {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(stop) = rest.find(['`', '\\']) else {
                self.fail(Unreadable::Quote);
                return;
            };
            text.push_str(&rest[..stop]);
            self.at += stop + 1;
            if rest.as_bytes()[stop] == b'`' {
                break;
            }
            match self.peek() {
                byte @ (b'`' | b'\\' | b'$') => {
                    text.push(char::from(byte));
                    self.at += 1;
                }
                b'"' if quoted => {
                    text.push('"');
                    self.at += 1;
                }
                _ => text.push('\\'),
            }
        }
        let scanned = scan(&text, self.depth + 1, self.most_commands);
        // Scanning a separate text costs more than its commands.
        self.commands += scanned.commands + 2;
        if self.commands > self.most_commands {
            self.fail(Unreadable::Work);
        }
        match scanned.error {
            Some(error) if !error.is_bound() => {
                self.backtick_error.get_or_insert(error);
            }
            Some(error) => self.fail(error),
            None => {}
        }
        word.parts.push(Part::Command { list: Rc::new(scanned.list), quoted });
    }
}
