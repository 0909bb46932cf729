//! `${…}`: the value of a parameter, and the operators on it.

use super::Walker;
use super::expand::Expansion;
use super::paths::{START, since_start};
use super::shell_state::Value;
use crate::shell::HOLE;
use crate::shell::syntax::{Parameter, Part, Word};

impl Walker<'_> {
    /// Expands an arithmetic expression. The variables that it sets are unknown from there on.
    pub(super) fn arithmetic_word(&mut self, word: &Word) -> String {
        let expression = self.text(word);
        self.arithmetic(&expression);
        expression
    }

    pub(super) fn arithmetic(&mut self, expression: &str) {
        if !["=", "++", "--"].iter().any(|sign| expression.contains(sign)) {
            return;
        }
        for name in expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            if self.env.variable(name).is_some() {
                self.env.set(name, vec![Value::hole()]);
            }
        }
    }

    pub(super) fn parameter(&mut self, parameter: &Parameter, quoted: bool) -> Expansion {
        let index = parameter.index.as_ref().and_then(Word::as_text);
        let is_star = parameter.name == "*" || index.as_deref() == Some("*");
        match self.expanded(parameter) {
            // `"$*"` is one word.
            Expansion::Many(texts) if quoted && is_star => {
                let between: String = self.separators().chars().take(1).collect();
                Expansion::One(texts.join(&between))
            }
            expansion => expansion,
        }
    }

    fn expanded(&mut self, parameter: &Parameter) -> Expansion {
        let mut found = self.value(parameter);
        if parameter.length {
            return match found {
                Some(Expansion::Many(texts)) if !texts.iter().any(|text| text.contains(HOLE)) => {
                    Expansion::One(texts.len().to_string())
                }
                _ => Expansion::Number,
            };
        }
        if !parameter.operator.starts_with(':') && self.is_absent(&parameter.name) {
            found = None;
        }
        match parameter.operator {
            // Text after the name that does not begin with a known operator.
            "" if !parameter.operand.parts.is_empty() => {
                self.text(&parameter.operand);
                unknown()
            }
            ":-" | "-" => match found {
                Some(found) if !is_known(&found) => {
                    let text = self.text(&parameter.operand);
                    match self.choices.choose(&format!("{}-", parameter.name), 2) {
                        Some(0) => found,
                        Some(_) => Expansion::One(text),
                        None => unknown(),
                    }
                }
                Some(found) if !is_empty(&found, parameter.operator) => {
                    self.muted_if(true, |walker| walker.text(&parameter.operand));
                    found
                }
                _ => Expansion::One(self.text(&parameter.operand)),
            },
            ":=" | "=" => match found {
                Some(found) if is_known(&found) && !is_empty(&found, parameter.operator) => found,
                _ => {
                    let text = self.text(&parameter.operand);
                    self.env.set(&parameter.name, vec![Value::Text(text.clone())]);
                    Expansion::One(text)
                }
            },
            ":+" | "+" => {
                let text = self.text(&parameter.operand);
                match found {
                    Some(found) if is_known(&found) => {
                        let empty = is_empty(&found, parameter.operator);
                        Expansion::One(if empty { String::new() } else { text })
                    }
                    // It may be set or not, which gives two readings of the command.
                    _ => match self.choices.choose(&format!("{}+", parameter.name), 2) {
                        Some(0) => Expansion::One(text),
                        Some(_) => Expansion::One(String::new()),
                        None => unknown(),
                    },
                }
            }
            ":?" | "?" => {
                self.text(&parameter.operand);
                found.unwrap_or_else(unknown)
            }
            "" => found.unwrap_or_else(|| absent(parameter)),
            operator => {
                let found = found.unwrap_or_else(|| absent(parameter));
                let positional = parameter.index.is_none();
                self.apply(found, operator, &parameter.operand, positional)
            }
        }
    }

    /// The value before any operator is applied; `None` if the line has not set it.
    fn value(&mut self, parameter: &Parameter) -> Option<Expansion> {
        let mut name = parameter.name.clone();
        // The keys of an array.
        if parameter.indirect && parameter.index.is_some() {
            let keys = match self.env.variable(&name).map(|variable| &variable.values[..]) {
                Some([Value::Array(elements)]) => {
                    elements.iter().map(|(key, _)| key.clone()).collect()
                }
                _ => vec![HOLE.to_string()],
            };
            return Some(Expansion::Many(keys));
        }
        if parameter.indirect {
            match self.variable(&name, None)? {
                Expansion::One(target) if !target.contains(HOLE) => name = target,
                _ => return Some(unknown()),
            }
        }
        let index = parameter.index.as_ref().map(|index| self.text(index));
        if index.is_none()
            && let Some(special) = self.special(&name)
        {
            return Some(special);
        }
        self.variable(&name, index.as_deref())
    }

    /// Positional and special parameters.
    fn special(&mut self, name: &str) -> Option<Expansion> {
        Some(match name {
            "@" | "*" => match self.positional() {
                Some(words) => Expansion::Many(words),
                None => Expansion::Many(vec![HOLE.to_string()]),
            },
            "#" => match self.positional() {
                Some(words) if !words.iter().any(|word| word.contains(HOLE)) => {
                    Expansion::One(words.len().to_string())
                }
                _ => Expansion::Number,
            },
            "?" | "$" | "!" | "-" | "RANDOM" | "SECONDS" | "UID" | "EUID" => Expansion::Number,
            "PWD" if self.env.variable("PWD").is_none() => {
                let directories = self.env.directories().to_vec();
                let chosen = self.choices.choose("PWD", directories.len())?;
                Expansion::One(since_start(&directories[chosen]))
            }
            "OLDPWD" if self.env.variable("OLDPWD").is_none() => match self.env.previous() {
                [only] => Expansion::One(since_start(only)),
                _ => return None,
            },
            "0" => return None,
            name if name.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => {
                let index: usize = name.parse().ok()?;
                let words = self.positional()?;
                let index = index.checked_sub(1)?;
                match words.get(index) {
                    Some(word) => Expansion::One(word.clone()),
                    // An argument that may be several moves those after it.
                    None if words.iter().any(|word| word.contains(HOLE)) => unknown(),
                    None => Expansion::One(String::new()),
                }
            }
            _ => return None,
        })
    }

    /// Whether a positional parameter is known to be unset.
    fn is_absent(&mut self, name: &str) -> bool {
        let Some(index) = name.parse::<usize>().ok().filter(|index| *index > 0) else {
            return false;
        };
        self.positional().is_some_and(|words| {
            words.len() < index && !words.iter().any(|word| word.contains(HOLE))
        })
    }

    /// The positional parameters in this reading; `None` if they are unknown.
    pub(super) fn positional(&mut self) -> Option<Vec<String>> {
        let ways = self.env.positional().len();
        let chosen = self.choices.choose("@", ways)?;
        self.env.positional()[chosen].clone()
    }

    fn variable(&mut self, name: &str, index: Option<&str>) -> Option<Expansion> {
        let values = self.env.variable(name)?.values.clone();
        let Some(chosen) = self.choices.choose(name, values.len()) else { return Some(unknown()) };
        let value = &values[chosen];
        let Some(index) = index else { return Some(Expansion::One(value.scalar().to_owned())) };
        let elements = match value {
            Value::Text(text) if matches!(index, "@" | "*") => {
                return Some(Expansion::Many(vec![text.clone()]));
            }
            Value::Text(text) if index == "0" => return Some(Expansion::One(text.clone())),
            Value::Text(_) => return Some(unknown()),
            Value::Array(elements) => elements,
        };
        if matches!(index, "@" | "*") {
            return Some(Expansion::Many(elements.iter().map(|(_, text)| text.clone()).collect()));
        }
        let elements = elements.clone();
        let holds = |name: &str| self.env.variable(name).map(|variable| &variable.values[..]);
        let is_name = index.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_key = elements.iter().any(|(key, _)| key == index);
        let is_any = is_name
            && !is_key
            && !matches!(holds(index), Some([Value::Text(text)]) if !text.contains(HOLE));
        if (index.contains(HOLE) || is_any) && !elements.is_empty() {
            // It may be any of them.
            let chosen = self.choices.choose(&format!("{name}["), elements.len());
            let element = chosen.and_then(|chosen| elements.get(chosen));
            return Some(element.map_or_else(unknown, |(_, text)| Expansion::One(text.clone())));
        }
        let key = self.subscript(index, &elements);
        let element = elements.iter().find(|(other, _)| *other == key);
        Some(element.map_or_else(unknown, |(_, text)| Expansion::One(text.clone())))
    }

    /// The key for a subscript: `2`, `i` (the variable's value), `-1` (from the end).
    pub(super) fn subscript(&self, index: &str, elements: &[(String, String)]) -> String {
        let mut index = index.trim();
        let is_key = elements.iter().any(|(key, _)| key == index);
        if !is_key
            && index.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && let Some([Value::Text(text)]) =
                self.env.variable(index).map(|variable| &variable.values[..])
        {
            index = text;
        }
        let Some(back) = index.strip_prefix('-').and_then(|back| back.parse::<usize>().ok()) else {
            return index.to_owned();
        };
        let last = elements.iter().filter_map(|(key, _)| key.parse::<usize>().ok()).max();
        last.map_or(0, |last| (last + 1).saturating_sub(back)).to_string()
    }

    fn apply(
        &mut self,
        found: Expansion,
        operator: &str,
        operand: &Word,
        positional: bool,
    ) -> Expansion {
        match found {
            Expansion::One(text) => Expansion::One(self.apply_to_text(&text, operator, operand)),
            Expansion::Many(texts) if operator != ":" => {
                // The operand is expanded once for all of them, because operands may be nested.
                let operand = self.known_operand(operand);
                let operated =
                    texts.iter().map(|text| self.apply_to_text(text, operator, &operand));
                Expansion::Many(operated.collect())
            }
            // A slice of an array.
            Expansion::Many(texts) => match self.slice(operand) {
                Some((from, length)) => {
                    // Positional parameters count from one: 0 is `$0`.
                    let from = if positional && from > 0 { from - 1 } else { from };
                    let range = cut(texts.len(), from, length);
                    Expansion::Many(texts.get(range).unwrap_or_default().to_vec())
                }
                None => unknown(),
            },
            Expansion::Number => Expansion::Number,
        }
    }

    /// An operand with its parts expanded.
    fn known_operand(&mut self, operand: &Word) -> Word {
        let parts = operand.parts.iter().map(|part| match part {
            Part::Text { .. } => part.clone(),
            part => {
                let word = Word { parts: vec![part.clone()], braces: false };
                Part::Text { text: self.text(&word), quoted: part.is_quoted() }
            }
        });
        Word { parts: parts.collect(), braces: false }
    }

    fn apply_to_text(&mut self, text: &str, operator: &str, operand: &Word) -> String {
        let hole = HOLE.to_string();
        let characters: Vec<char> = text.chars().collect();
        // Cutting at a pattern is quadratic in the worst case.
        if text.contains([HOLE, START])
            || text.starts_with('~')
            || characters.len() > 4096
            || !self.budget.spend(characters.len() / 64)
        {
            self.text(operand);
            return hole;
        }
        let kept = |from: usize, to: usize| characters[from..to].iter().collect::<String>();
        match operator {
            "#" | "##" | "%" | "%%" => {
                let pattern = self.pattern(operand);
                let longest = operator.len() == 2;
                if pattern.unknown || !self.budget.spend(characters.len()) {
                    hole
                } else if operator.starts_with('#') {
                    let cut = pattern.prefix(&characters, longest);
                    cut.map_or(hole, |cut| kept(cut, characters.len()))
                } else {
                    let cut = pattern.suffix(&characters, longest);
                    cut.map_or(hole, |cut| kept(0, cut))
                }
            }
            ":" => match self.slice(operand) {
                Some((from, length)) => {
                    let range = cut(characters.len(), from, length);
                    characters.get(range).unwrap_or_default().iter().collect()
                }
                None => hole,
            },
            _ => {
                self.text(operand);
                hole
            }
        }
    }

    /// A plain number, or the value of a variable.
    fn number(&self, text: &str) -> Option<i64> {
        let text = text.trim();
        let text = if text.starts_with(char::is_alphabetic) { self.env.known(text) } else { text };
        if text.is_empty() { Some(0) } else { text.parse().ok() }
    }

    /// `offset` and `length` of `:offset:length`, if both are plain numbers.
    fn slice(&mut self, operand: &Word) -> Option<(i64, Option<i64>)> {
        let text = self.text(operand);
        let (from, length) = match text.split_once(':') {
            Some((from, length)) => (from, Some(self.number(length)?)),
            None => (text.as_str(), None),
        };
        Some((self.number(from)?, length))
    }
}

/// The range that a slice takes from `count` elements; negative numbers count from the end.
fn cut(count: usize, from: i64, length: Option<i64>) -> std::ops::Range<usize> {
    let size = |number: i64| usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
    // Before the beginning there is nothing.
    if from < 0 && size(from) > count {
        return 0..0;
    }
    let start = if from < 0 { count - size(from) } else { size(from).min(count) };
    let end = match length {
        None => count,
        Some(length) if length < 0 => count.saturating_sub(size(length)),
        Some(length) => start.saturating_add(size(length)).min(count),
    };
    start.min(end)..end
}

/// The expansion of a variable that the line has not set.
fn absent(parameter: &Parameter) -> Expansion {
    let is_list = |index: &Word| matches!(index.as_text().as_deref(), Some("@" | "*"));
    match &parameter.index {
        Some(index) if is_list(index) => Expansion::Many(vec![HOLE.to_string()]),
        _ => unknown(),
    }
}

fn unknown() -> Expansion {
    Expansion::One(HOLE.to_string())
}

fn is_known(found: &Expansion) -> bool {
    match found {
        Expansion::One(text) => !text.chars().eq([HOLE]),
        Expansion::Many(texts) => !texts.iter().any(|text| text.chars().eq([HOLE])),
        Expansion::Number => true,
    }
}

/// Whether an operator treats the value as unset: with a colon, an empty one counts as well.
fn is_empty(found: &Expansion, operator: &str) -> bool {
    operator.starts_with(':')
        && match found {
            Expansion::One(text) => text.is_empty(),
            Expansion::Many(texts) => texts.iter().all(String::is_empty),
            Expansion::Number => false,
        }
}
