//! `${…}`: what a parameter stands for, and the operators on it.

use super::super::HOLE;
use super::super::syntax::{Parameter, Part, Word};
use super::Walker;
use super::env::Value;
use super::expand::Expansion;
use std::borrow::Cow;

impl Walker<'_> {
    pub(super) fn parameter(&mut self, parameter: &Parameter, quoted: bool) -> Expansion {
        if parameter.length {
            return Expansion::Number;
        }
        let found = self.found(parameter);
        match parameter.operator {
            // What follows no operator that is known makes the value unknown.
            "" if !parameter.operand.parts.is_empty() => {
                self.text(&parameter.operand);
                unknown()
            }
            ":-" | "-" => match found {
                Some(found) if !is_empty(&found, parameter.operator) => {
                    self.muted(|walker| walker.text(&parameter.operand));
                    found
                }
                _ => Expansion::One(self.text(&parameter.operand)),
            },
            ":=" | "=" => match found {
                Some(found) if !is_empty(&found, parameter.operator) => found,
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
                    // Both may be: two readings of the command.
                    _ => match self.choose(&format!("{}+", parameter.name), 2) {
                        Some(0) => Expansion::One(text),
                        Some(_) => Expansion::One(String::new()),
                        None => unknown(),
                    },
                }
            }
            "" | ":?" | "?" => found.unwrap_or_else(unknown),
            operator => {
                let found = match found {
                    // What is cut out of it is not `.`.
                    Some(_) if parameter.name == "PWD" && self.env.variable("PWD").is_none() => {
                        Expansion::One(self.directory(operator))
                    }
                    found => found.unwrap_or_else(unknown),
                };
                let positional = parameter.index.is_none();
                self.operated(found, operator, &parameter.operand, (quoted, positional))
            }
        }
    }

    /// The value before any operator; `None` where the line has not set it.
    fn found(&mut self, parameter: &Parameter) -> Option<Expansion> {
        let mut name = Cow::from(&parameter.name);
        // The keys of an array.
        if parameter.indirect && parameter.index.is_some() {
            return Some(Expansion::Many(vec![HOLE.to_string()]));
        }
        if parameter.indirect {
            match self.variable(&name, None)? {
                Expansion::One(target) if !target.contains(HOLE) => {
                    self.arithmetic(&target);
                    name = Cow::from(target);
                }
                _ => return Some(unknown()),
            }
        }
        let index = parameter.index.as_ref().map(|index| self.text(index));
        if let Some(index) = &index {
            self.arithmetic(index);
        }
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
            "?" | "$" | "!" | "-" | "RANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID"
            | "BASHPID" => Expansion::Number,
            // Whose number it is, is known: who ends that process, says so.
            "PPID" if self.env.variable("PPID").is_none() => Expansion::One("PPID".to_owned()),
            "PWD" if self.env.variable("PWD").is_none() => {
                let directories = self.env.directories().to_vec();
                let chosen = self.choose("PWD", directories.len())?;
                match directories[chosen].as_str() {
                    it if it.starts_with(['/', '~', HOLE]) => Expansion::One(it.to_owned()),
                    // What is relative is joined to where the line stands.
                    _ => Expansion::One(".".to_owned()),
                }
            }
            name if name.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => {
                let index: usize = name.parse().ok()?;
                let words = self.positional()?;
                let index = index.checked_sub(1)?;
                match words.get(index) {
                    Some(word) => Expansion::One(word.clone()),
                    // Past an argument that may be several, nothing is sure.
                    None if words.iter().any(|word| word.contains(HOLE)) => unknown(),
                    None => Expansion::One(String::new()),
                }
            }
            _ => return None,
        })
    }

    /// The directory as a text that is cut from its beginning; else it is not known.
    fn directory(&self, operator: &str) -> String {
        match self.env.directories() {
            [only] if !only.is_empty() && operator.starts_with('#') && !only.contains("..") => {
                format!("/{}", only.trim_start_matches("./"))
            }
            _ => HOLE.to_string(),
        }
    }

    /// The positional parameters in this reading; `None` where they are unknown.
    pub(super) fn positional(&mut self) -> Option<Vec<String>> {
        let ways = self.env.positional().len();
        let chosen = self.choose("@", ways)?;
        self.env.positional()[chosen].clone()
    }

    fn variable(&mut self, name: &str, index: Option<&str>) -> Option<Expansion> {
        let count = self.env.variable(name)?.values.len();
        let Some(chosen) = self.choose(name, count) else { return Some(unknown()) };
        let value = self.env.variable(name)?.values.get(chosen)?;
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
            let texts: Vec<String> = elements.iter().map(|(_, text)| text.clone()).collect();
            let is_paid = self.spend(texts.len() / 4);
            return Some(if is_paid { Expansion::Many(texts) } else { unknown() });
        }
        let index = index.strip_prefix('-').map_or(index.to_owned(), |back| {
            let back: usize = back.parse().unwrap_or(0);
            elements.len().saturating_sub(back).to_string()
        });
        let element = elements.iter().find(|(key, _)| *key == index);
        Some(element.map_or_else(unknown, |(_, text)| Expansion::One(text.clone())))
    }

    fn operated(
        &mut self,
        found: Expansion,
        operator: &str,
        operand: &Word,
        (quoted, positional): (bool, bool),
    ) -> Expansion {
        match found {
            Expansion::One(text) => Expansion::One(self.operate(&text, operator, operand, quoted)),
            Expansion::Many(texts) if operator != ":" => Expansion::Many(
                texts.iter().map(|text| self.operate(text, operator, operand, quoted)).collect(),
            ),
            // A slice of an array.
            Expansion::Many(texts) => match self.slice(operand) {
                Some((from, length)) => {
                    // Positional parameters count from one, `$0` being the first.
                    let from = if positional { from.saturating_sub(1) } else { from };
                    Expansion::Many(texts.into_iter().skip(from).take(length).collect())
                }
                None => unknown(),
            },
            Expansion::Number => Expansion::Number,
        }
    }

    fn operate(&mut self, text: &str, operator: &str, operand: &Word, quoted: bool) -> String {
        let hole = HOLE.to_string();
        if operator == ":" {
            self.slice(operand);
        }
        if operator == "@" && operand.as_text().as_deref() == Some("P") {
            self.expanded_again(text);
        }
        let characters: Vec<char> = text.chars().collect();
        // Cutting at a pattern is quadratic in the worst case.
        if text.contains(HOLE) || characters.len() > 4096 || !self.spend(characters.len() / 64) {
            self.text(operand);
            return hole;
        }
        let kept = |from: usize, to: usize| characters[from..to].iter().collect::<String>();
        match operator {
            "#" | "##" | "%" | "%%" => {
                let pattern = self.pattern(&unquoted(operand, quoted));
                let longest = operator.len() == 2;
                if pattern.unknown || !self.spend(characters.len()) {
                    hole
                } else if operator.starts_with('#') {
                    let cut = pattern.prefix(&characters, longest);
                    cut.map_or(hole, |cut| kept(cut, characters.len()))
                } else {
                    let cut = pattern.suffix(&characters, longest);
                    cut.map_or(hole, |cut| kept(0, cut))
                }
            }
            "/" | "//" | "/#" | "/%" => self.replace(text, operator, operand),
            "^" | "^^" | "," | ",," if operand.parts.is_empty() => change_case(text, operator),
            ":" => match self.slice(operand) {
                Some((from, length)) => characters.iter().skip(from).take(length).collect(),
                None => hole,
            },
            "@" => match operand.as_text().as_deref() {
                Some("U") => text.to_uppercase(),
                Some("L") => text.to_lowercase(),
                Some("Q" | "P" | "E") => text.to_owned(),
                _ => hole,
            },
            _ => {
                self.text(operand);
                hole
            }
        }
    }

    /// `/from/to` with literal text for `from`; a pattern there makes the result unknown.
    fn replace(&mut self, text: &str, operator: &str, operand: &Word) -> String {
        let operand = self.text(operand);
        let (from, to) = operand.split_once('/').unwrap_or((&operand, ""));
        if operand.contains(HOLE) || super::expand::has_glob(from) || from.is_empty() {
            return HOLE.to_string();
        }
        match operator {
            "//" => text.replace(from, to),
            "/#" => text.strip_prefix(from).map_or(text.to_owned(), |rest| format!("{to}{rest}")),
            "/%" => text.strip_suffix(from).map_or(text.to_owned(), |rest| format!("{rest}{to}")),
            _ => text.replacen(from, to, 1),
        }
    }

    /// `offset` and `length` of `:offset:length`, where both are plain numbers.
    fn slice(&mut self, operand: &Word) -> Option<(usize, usize)> {
        let text = self.text(operand);
        self.arithmetic(&text);
        let (from, length) = match text.split_once(':') {
            Some((from, length)) => (from, length.trim().parse().ok()?),
            None => (text.as_str(), usize::MAX),
        };
        let from = if from.trim().is_empty() { 0 } else { from.trim().parse().ok()? };
        Some((from, length))
    }
}

fn unknown() -> Expansion {
    Expansion::One(HOLE.to_string())
}

/// Whether it is sure that a value is empty, or that it is not.
fn is_known(found: &Expansion) -> bool {
    let known = |text: &String| text.is_empty() || text.chars().any(|c| c != HOLE);
    match found {
        Expansion::One(text) => known(text),
        Expansion::Many(texts) => texts.iter().all(known),
        Expansion::Number => true,
    }
}

/// Whether the value counts as absent for the operator: with a colon, empty is as good as unset.
fn is_empty(found: &Expansion, operator: &str) -> bool {
    operator.starts_with(':')
        && match found {
            Expansion::One(text) => text.is_empty(),
            Expansion::Many(texts) => texts.iter().all(String::is_empty),
            Expansion::Number => false,
        }
}

/// The operand of `${x#…}` in double quotes is a pattern all the same.
fn unquoted(operand: &Word, quoted: bool) -> Word {
    if !quoted {
        return operand.clone();
    }
    let parts = operand.parts.iter().cloned().map(|part| match part {
        Part::Text { text, .. } => Part::Text { text, quoted: false },
        part => part,
    });
    Word { parts: parts.collect(), braces: false }
}

fn change_case(text: &str, operator: &str) -> String {
    let upper = operator.starts_with('^');
    let change = |text: &str| if upper { text.to_uppercase() } else { text.to_lowercase() };
    if operator.len() == 2 {
        return change(text);
    }
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().collect();
    change(&first) + characters.as_str()
}
