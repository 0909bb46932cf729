//! Words to fields: the expansions in bash's order, with holes where text cannot be known.

use super::env::Value;
use super::pattern::Pattern;
use super::start_folder::START;
use super::{Io, Walker, brace};
use crate::shell::field::Field;
use crate::shell::syntax::{Part, Word};
use crate::shell::{HOLE, limit};
use std::rc::Rc;

/// What a parameter stands for.
pub(super) enum Expansion {
    One(String),
    /// `$@` and `${a[@]}`
    Many(Vec<String>),
    /// Unknown, but a single word in any case.
    Number,
}

/// Which of several values a variable has in this reading of a command.
#[derive(Debug)]
pub(super) struct Choice {
    name: String,
    index: usize,
    count: usize,
}

impl Walker<'_> {
    pub(super) fn fields(&mut self, words: &[Word]) -> Vec<Field> {
        let mut fields = Vec::with_capacity(words.len());
        for word in words {
            // A POSIX shell leaves braces alone; which one `sh` is, is not known.
            if word.braces && (!self.posix || self.choose("{", 2) == Some(0)) {
                for word in brace::expand(word) {
                    self.field(&word, &mut fields);
                }
                if !self.spend(1) {
                    break;
                }
            } else {
                self.field(word, &mut fields);
            }
            if fields.len().is_multiple_of(64) && !self.spend(1) {
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
        // `"$@"` without parameters is no word, quotes or not.
        let mut none = false;
        for part in &word.parts {
            let quoted = match part {
                Part::Text { text, quoted } => {
                    let field = current.get_or_insert_default();
                    field.glob |= !quoted && has_glob(text);
                    field.text.push_str(text);
                    continue;
                }
                Part::Parameter { quoted, .. } | Part::Command { quoted, .. } => *quoted,
                Part::Arithmetic(_) | Part::Process { .. } | Part::Array(_) => true,
            };
            let expansion = self.part(part);
            match expansion {
                Expansion::Number => {
                    let field = current.get_or_insert_default();
                    field.text.push(HOLE);
                    field.resolved = true;
                }
                Expansion::One(text)
                    if current.as_ref().is_some_and(|field| is_below(&text, &field.text)) =>
                {
                    let field = current.get_or_insert_default();
                    field.text.push(HOLE);
                    field.resolved = true;
                }
                Expansion::One(text) if quoted => {
                    let field = current.get_or_insert_default();
                    field.text.push_str(&text);
                    field.resolved = true;
                }
                Expansion::One(text) => self.split(&text, &mut current, fields),
                Expansion::Many(texts) => {
                    none |= texts.is_empty();
                    for (index, text) in texts.iter().enumerate() {
                        if index > 0 {
                            fields.extend(current.take());
                        }
                        if quoted {
                            let field = current.get_or_insert_default();
                            field.text.push_str(text);
                            field.resolved = true;
                            // `"$@"` of unknown parameters may be several words.
                            field.loose |= field.is_unknown();
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

    /// The characters between words.
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
                let text = self.text(word);
                self.counted(&text);
                let text = text.trim();
                if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
                    Expansion::One(text.to_owned())
                } else {
                    Expansion::Number
                }
            }
            Part::Process { list, input } => {
                // Bash passes a path; what is read from it is what the list shows.
                let path = format!("/dev/fd/{}", self.next_descriptor);
                self.next_descriptor += 1;
                if *input {
                    let output = self.substituted(list);
                    self.env.descriptors.insert(path.clone(), output);
                } else {
                    let io = Io { stdin: Some(Rc::from(HOLE.to_string())), capture: false };
                    let repeating = std::mem::take(&mut self.repeating);
                    self.muted += usize::from(repeating);
                    self.subshell(list, &io);
                    self.muted -= usize::from(repeating);
                    self.repeating = repeating;
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

    /// The output of a substitution.
    pub(super) fn substituted(&mut self, list: &super::List) -> String {
        let repeating = std::mem::take(&mut self.repeating);
        self.muted += usize::from(repeating);
        let outer = std::mem::replace(&mut self.stdout_is_a_word, true);
        let output = self.subshell(list, &Io { stdin: None, capture: true });
        self.stdout_is_a_word = outer;
        self.muted -= usize::from(repeating);
        self.repeating = repeating;
        output
    }

    /// A word where no splitting is done: a value, a redirection, the subject of a `case`.
    pub(super) fn text(&mut self, word: &Word) -> String {
        let mut text = String::new();
        for part in &word.parts {
            match part {
                Part::Text { text: own, .. } => text.push_str(own),
                part => match self.part(part) {
                    Expansion::One(more) if is_below(&more, &text) => text.push(HOLE),
                    Expansion::One(more) => text.push_str(&more),
                    Expansion::Many(more) => text.push_str(&more.join(" ")),
                    Expansion::Number => text.push(HOLE),
                },
            }
        }
        if !self.spend(text.len() / 64) || text.len() > limit::TEXT {
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
                part => {
                    let quoted = matches!(
                        part,
                        Part::Parameter { quoted: true, .. } | Part::Command { quoted: true, .. }
                    );
                    match self.part(part) {
                        Expansion::One(text) => {
                            pattern.unknown |= text.contains(START);
                            pattern.push(&text, quoted);
                        }
                        Expansion::Many(texts) => pattern.push(&texts.join(" "), quoted),
                        Expansion::Number => pattern.unknown = true,
                    }
                }
            }
        }
        pattern
    }

    /// Which of `count` values `name` has in this reading. `None` where there are too many
    /// readings already.
    pub(super) fn choose(&mut self, name: &str, count: usize) -> Option<usize> {
        if count == 1 {
            return Some(0);
        }
        if let Some(choice) = self.choices.iter().find(|choice| choice.name == name) {
            return Some(choice.index.min(count - 1));
        }
        let readings: usize = self.choices.iter().map(|choice| choice.count).product();
        if readings * count > limit::CHOICES {
            return None;
        }
        self.choices.push(Choice { name: name.to_owned(), index: 0, count });
        Some(0)
    }

    /// Goes on to the next reading; `false` after the last.
    pub(super) fn next_choice(&mut self) -> bool {
        while let Some(mut choice) = self.choices.pop() {
            choice.index += 1;
            if choice.index < choice.count {
                self.choices.push(choice);
                return true;
            }
        }
        false
    }
}

/// Whether a folder that is not known comes behind a name: `a$PWD/b` is below `a`, and not where the
/// line is.
fn is_below(text: &str, before: &str) -> bool {
    text.starts_with(['~', START]) && before.ends_with(|c: char| c.is_alphanumeric())
}

/// An output without the newlines at its end. A hole there may be nothing, so that newlines before
/// it are at the end, too.
fn trimmed(output: &str) -> String {
    let known = output.trim_end_matches(['\n', HOLE]);
    let mut text = known.to_owned();
    if output[known.len()..].contains(HOLE) {
        text.push(HOLE);
    }
    text
}

/// Whether file names may be put in the place of an unquoted word.
pub(super) fn has_glob(text: &str) -> bool {
    text.contains(['*', '?']) || text.split_once('[').is_some_and(|(_, rest)| rest.contains(']'))
}
