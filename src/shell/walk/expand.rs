//! Words to fields: the expansions in bash's order, with holes for unknown text.

use super::brace;
use super::paths::START;
use super::pattern::Pattern;
use super::shell_state::Value;
use super::{Io, Walker};
use crate::shell::field::Field;
use crate::shell::syntax::List;
use crate::shell::syntax::{Part, Word};
use crate::shell::{HOLE, limit};
use std::rc::Rc;

pub(super) enum Expansion {
    One(String),
    /// `$@` and `${a[@]}`
    Many(Vec<String>),
    /// Unknown, but certainly a single word.
    Number,
}

impl Walker<'_> {
    pub(super) fn fields(&mut self, words: &[Word]) -> Vec<Field> {
        let mut fields = Vec::with_capacity(words.len());
        for word in words {
            if word.braces {
                for word in brace::expand(word) {
                    self.field(&word, &mut fields);
                }
                if !self.budget.spend(1) {
                    break;
                }
            } else {
                self.field(word, &mut fields);
            }
            if fields.len().is_multiple_of(64) && !self.budget.spend(1) {
                break;
            }
        }
        fields
    }

    fn field(&mut self, word: &Word, fields: &mut Vec<Field>) {
        if let [Part::Text { text, quoted }] = &word.parts[..] {
            let glob = !quoted && has_glob(text);
            fields.push(Field { text: text.clone(), glob, loose: false, resolved: false });
            return;
        }
        let mut current: Option<Field> = None;
        // `"$@"` without parameters expands to no word, despite its quotes.
        let mut none = false;
        for part in &word.parts {
            if let Part::Text { text, quoted } = part {
                let field = current.get_or_insert_default();
                field.glob |= !quoted && has_glob(text);
                field.text.push_str(text);
                continue;
            }
            let before =
                |text: &str| current.as_ref().is_some_and(|field| is_below(text, &field.text));
            match self.part(part) {
                Expansion::Number => push_expanded(&mut current, "\u{FFFC}"),
                Expansion::One(text) if before(&text) => push_expanded(&mut current, "\u{FFFC}"),
                Expansion::One(text) if part.is_quoted() => push_expanded(&mut current, &text),
                Expansion::One(text) => self.split(&text, &mut current, fields),
                Expansion::Many(texts) => {
                    none |= texts.is_empty();
                    for (index, text) in texts.iter().enumerate() {
                        if index > 0 {
                            fields.extend(current.take());
                        }
                        if part.is_quoted() {
                            push_expanded(&mut current, text);
                            // `"$@"` of unknown parameters may be several words.
                            if let Some(field) = &mut current {
                                field.loose |= field.is_unknown();
                            }
                        } else {
                            self.split(text, &mut current, fields);
                        }
                    }
                }
            }
        }
        fields.extend(current.filter(|field| !(none && field.text.is_empty())));
    }

    /// Splits the text of an unquoted expansion at the characters of `IFS`.
    fn split(&self, text: &str, current: &mut Option<Field>, fields: &mut Vec<Field>) {
        let ifs = self.separators();
        for character in text.chars() {
            if ifs.contains(character) {
                if character.is_whitespace() {
                    fields.extend(current.take());
                } else {
                    fields.push(current.take().unwrap_or_default());
                }
                continue;
            }
            let field = current.get_or_insert_default();
            field.text.push(character);
            field.resolved = true;
            field.loose |= character == HOLE;
            field.glob |= matches!(character, '*' | '?');
        }
    }

    pub(super) fn separators(&self) -> &str {
        const OWN: &str = " \t\n";
        let ifs = self.env.variable("IFS").and_then(|ifs| ifs.values.first());
        ifs.map(Value::scalar).filter(|ifs| !ifs.contains(HOLE)).unwrap_or(OWN)
    }

    fn part(&mut self, part: &Part) -> Expansion {
        match part {
            Part::Text { text, .. } => Expansion::One(text.clone()),
            Part::Parameter { parameter, quoted } => self.parameter(parameter, *quoted),
            Part::Command { list, .. } => Expansion::One(trimmed(&self.substituted(list))),
            Part::Arithmetic(word) => {
                let text = self.arithmetic_word(word);
                let text = text.trim();
                if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
                    Expansion::One(text.to_owned())
                } else {
                    Expansion::Number
                }
            }
            Part::Process { list, input } => {
                // Bash passes a path from which the output of the list can be read.
                let path = self.descriptors.next_path();
                if *input {
                    let output = self.substituted(list);
                    self.descriptors.put(path.clone(), output);
                } else {
                    let io = Io { stdin: Some(Rc::from(HOLE.to_string())), capture: false };
                    self.once(|walker| walker.subshell(list, &io));
                }
                Expansion::One(path)
            }
            Part::Array(words) => {
                for word in words.iter() {
                    self.text(word);
                }
                Expansion::Number
            }
        }
    }

    /// Walks a substitution. It is recorded once, however often its word is expanded.
    fn once<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let is_repeat = self.choices.set_repeat(false);
        let walked = self.muted_if(is_repeat, walk);
        self.choices.set_repeat(is_repeat);
        walked
    }

    fn substituted(&mut self, list: &List) -> String {
        let outer = std::mem::replace(&mut self.in_substitution, true);
        let io = Io { stdin: None, capture: true };
        let output = self.once(|walker| walker.subshell(list, &io));
        self.in_substitution = outer;
        output
    }

    /// The text of a word that is not split: a value, a redirection, the subject of a `case`.
    pub(super) fn text(&mut self, word: &Word) -> String {
        let mut text = String::new();
        for part in &word.parts {
            match part {
                Part::Text { text: literal, .. } => text.push_str(literal),
                part => match self.part(part) {
                    Expansion::One(more) if is_below(&more, &text) => text.push(HOLE),
                    Expansion::One(more) => text.push_str(&more),
                    Expansion::Many(more) => text.push_str(&more.join(" ")),
                    Expansion::Number => text.push(HOLE),
                },
            }
        }
        if !self.budget.spend(text.len() / 64) || text.len() > limit::TEXT {
            return HOLE.to_string();
        }
        text
    }

    /// A word as a pattern: quoted characters are literal.
    pub(super) fn pattern(&mut self, word: &Word) -> Pattern {
        let mut pattern = Pattern::default();
        for part in &word.parts {
            match part {
                Part::Text { text, quoted } => pattern.push(text, *quoted),
                part => match self.part(part) {
                    Expansion::One(text) => {
                        pattern.unknown |= text.contains(START);
                        pattern.push(&text, part.is_quoted());
                    }
                    Expansion::Many(texts) => pattern.push(&texts.join(" "), part.is_quoted()),
                    Expansion::Number => pattern.unknown = true,
                },
            }
        }
        pattern
    }
}

fn push_expanded(current: &mut Option<Field>, text: &str) {
    let field = current.get_or_insert_default();
    field.text.push_str(text);
    field.resolved = true;
}

/// Whether an unknown folder follows a name: `a$PWD/b` is below `a`, not below the current folder.
fn is_below(text: &str, before: &str) -> bool {
    text.starts_with(['~', START]) && before.ends_with(|c: char| c.is_alphanumeric())
}

/// An output without the newlines at its end. A hole may be nothing, so newlines before one go, too.
fn trimmed(output: &str) -> String {
    let known = output.trim_end_matches(['\n', HOLE]);
    let mut text = known.to_owned();
    if output[known.len()..].contains(HOLE) {
        text.push(HOLE);
    }
    text
}

/// Whether the shell may replace an unquoted word by file names.
pub(super) fn has_glob(text: &str) -> bool {
    text.contains(['*', '?']) || text.split_once('[').is_some_and(|(_, rest)| rest.contains(']'))
}

/// A pattern with a hole for each wildcard.
pub(super) fn with_holes(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '*' | '?' => text.push(HOLE),
            '[' if let Some((_, behind)) = rest.split_once(']') => {
                text.push(HOLE);
                rest = behind;
            }
            _ => text.push(character),
        }
    }
    text
}
