//! `${…}`: what a parameter stands for, and the operators on it.

use super::super::syntax::{Parameter, Part, Word};
use super::super::{HOLE, limit};
use super::Walker;
use super::absent::{is_empty, is_known};
use super::array::{Subscript, is_number};
use super::env::{Attribute, Value};
use super::expand::{Expansion, is_quoted};
use super::output::unescaped;
use std::borrow::Cow;

impl Walker<'_> {
    pub(super) fn parameter(&mut self, parameter: &Parameter, quoted: bool) -> Expansion {
        // Each is nothing, but one may make many of itself.
        const AT_ONCE: usize = 64;
        self.expanded += 1;
        if self.expanded.is_multiple_of(AT_ONCE) && !self.spend(1) {
            return unknown();
        }
        let expansion = self.meaning(parameter);
        self.brings(&parameter.name, parameter.indirect, &expansion);
        let is_star = |index: &Word| index.as_text().as_deref() == Some("*");
        match expansion {
            // `"$*"` is one word.
            Expansion::Many(texts)
                if quoted
                    && (parameter.name == "*" || parameter.index.as_ref().is_some_and(is_star)) =>
            {
                let between: String = self.separators().chars().take(1).collect();
                Expansion::One(texts.join(&between))
            }
            expansion => expansion,
        }
    }

    fn meaning(&mut self, parameter: &Parameter) -> Expansion {
        if parameter.length {
            let length = self.length(parameter);
            return length.map_or(Expansion::Number, |it| Expansion::One(it.to_string()));
        }
        let found = self.found(parameter);
        match parameter.operator {
            // What follows no operator that is known makes the value unknown.
            "" if !parameter.operand.parts.is_empty() => {
                self.text(&parameter.operand);
                unknown()
            }
            ":-" | "-" | ":=" | "=" | ":?" | "?" => self.absent_or_not(found, parameter),
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
            "" => found.unwrap_or_else(|| absent(parameter)),
            ":" if let Some(texts) = self.sliced_by_number(parameter) => Expansion::Many(texts),
            "@" if let Some(pairs) = self.pairs(parameter) => Expansion::Many(pairs),
            "@" if let Some(Expansion::One(text)) = &found
                && parameter.operand.as_text().as_deref() == Some("A") =>
            {
                Expansion::One(format!("{}={}", parameter.name, single_quoted(text)))
            }
            operator => {
                let found = match found {
                    // What is cut out of it is not `.`.
                    Some(_) if parameter.name == "PWD" && self.env.variable("PWD").is_none() => {
                        Expansion::One(self.directory(operator))
                    }
                    found => found.unwrap_or_else(|| absent(parameter)),
                };
                let positional = parameter.index.is_none();
                self.operated(found, operator, &parameter.operand, positional)
            }
        }
    }

    /// The value before any operator; `None` where the line has not set it.
    fn found(&mut self, parameter: &Parameter) -> Option<Expansion> {
        let mut name = Cow::from(&parameter.name);
        // The keys of an array.
        if parameter.indirect && parameter.index.is_some() {
            let keys = self.elements(&name).map(|it| it.into_iter().map(|(key, _)| key).collect());
            return Some(Expansion::Many(keys.unwrap_or(vec![HOLE.to_string()])));
        }
        if parameter.indirect {
            let found = self.special(&name).or_else(|| self.variable(&name, None));
            match found? {
                Expansion::One(target) if !target.contains(HOLE) => {
                    self.arithmetic(&target);
                    // `a[1]`
                    if let Some((array, key)) = target.split_once('[') {
                        return self.variable(array, Some(key.trim_end_matches(']')));
                    }
                    name = Cow::from(target);
                }
                _ => return Some(unknown()),
            }
        }
        let index = parameter.index.as_ref().map(|index| self.text(index));
        // Where there are elements, it is counted to find one of them.
        if let Some(index) = &index
            && !self.is_array(&name)
        {
            self.arithmetic(index);
        }
        if index.is_none()
            && let Some(special) = self.special(&name)
        {
            return Some(special);
        }
        self.variable(&name, index.as_deref())
    }

    /// What the shell says of the command that it is at: any of those before it.
    fn running(&mut self) -> Option<String> {
        const LATEST: usize = 8;
        let runs = &self.reading.runs;
        let latest = runs.len().saturating_sub(LATEST)..runs.len();
        let chosen = self.choose("BASH_COMMAND", latest.len())?;
        Some(self.reading.runs.get(latest.start + chosen)?.argv.join(" "))
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
                Expansion::One(self.since_start(&directories[chosen]))
            }
            "OLDPWD" if self.env.variable("OLDPWD").is_none() => match &self.env.previous[..] {
                [only] => Expansion::One(self.since_start(only)),
                _ => return None,
            },
            "_" if !self.lasts.is_empty() => {
                let chosen = self.choose("_", self.lasts.len())?;
                Expansion::One(self.lasts.get(chosen)?.1.clone())
            }
            "BASH_COMMAND" if self.env.variable(name).is_none() => Expansion::One(self.running()?),
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
        // What a name stands for may be an element.
        if index.is_none()
            && let Some((array, key)) = self.env.meant(name).split_once('[')
        {
            let (array, key) = (array.to_owned(), key.trim_end_matches(']').to_owned());
            return self.variable(&array, Some(&key));
        }
        if name == "BASH_ALIASES"
            && let Some(key) = index
        {
            if !matches!(key, "@" | "*") {
                return self.env.alias(key).map(|text| Expansion::One(text.clone()));
            }
            return Some(Expansion::Many(self.env.aliases().cloned().collect()));
        }
        if name == "FUNCNAME" && self.env.variable(name).is_none() {
            let back = index.map_or(Some(0), |it| it.parse::<usize>().ok())?;
            return self.calls.iter().rev().nth(back).map(|it| Expansion::One(it.name.clone()));
        }
        if name == "BASH_SOURCE" && self.env.variable(name).is_none() {
            let back = index.map_or(Some(0), |it| it.parse::<usize>().ok())?;
            return self.sources.iter().rev().nth(back).map(|it| Expansion::One(it.name.clone()));
        }
        let count = self.env.variable(name)?.values.len();
        let Some(chosen) = self.choose(name, count) else { return Some(unknown()) };
        let value = self.env.variable(name)?.values.get(chosen)?;
        let Some(index) = index else {
            // No word is the number 0 where keys are texts.
            let is_keyed = self.env.has(name, Attribute::Keyed) && !self.env.is_doubtful(name);
            return Some(Expansion::One(match value {
                Value::Array(elements) if is_keyed => {
                    elements.iter().find(|it| it.0 == "0").map_or("", |it| &it.1).to_owned()
                }
                _ => value.scalar().to_owned(),
            }));
        };
        let elements = match value {
            Value::Text(text) if matches!(index, "@" | "*") => {
                return Some(Expansion::Many(vec![text.clone()]));
            }
            Value::Text(text) if index == "0" => return Some(Expansion::One(text.clone())),
            Value::Text(_) => return Some(unknown()),
            Value::Array(elements) => elements,
        };
        if matches!(index, "@" | "*") {
            let elements = self.elements(name);
            return Some(elements.map_or_else(unknown, |it| {
                Expansion::Many(it.into_iter().map(|(_, text)| text).collect())
            }));
        }
        if is_number(index) {
            let element = elements.iter().find(|(key, _)| *key == index);
            return Some(element.map_or_else(unknown, |it| Expansion::One(it.1.clone())));
        }
        let elements = elements.clone();
        if !self.spend(elements.len() / 16) {
            return Some(unknown());
        }
        let key = self.subscript(name, index.to_owned());
        let is_known = !matches!(key, Subscript::Behind) && !index.contains(HOLE);
        let key = key.of(&elements);
        if is_known && let Some((_, text)) = elements.iter().find(|it| it.0 == key) {
            return Some(Expansion::One(text.clone()));
        }
        if elements.is_empty() || is_known && is_number(&key) {
            return Some(unknown());
        }
        let place = self.place(&elements, index);
        Some(place.map_or_else(unknown, |place| Expansion::One(elements[place].1.clone())))
    }

    fn operated(
        &mut self,
        found: Expansion,
        operator: &str,
        operand: &Word,
        positional: bool,
    ) -> Expansion {
        match found {
            Expansion::One(text) => Expansion::One(self.operate(&text, operator, operand)),
            Expansion::Many(texts) if operator != ":" => {
                // For all of them it is expanded once.
                let known;
                let operand = if texts.len() > 1 && operand.as_text().is_none() {
                    known = self.known_operand(operand);
                    &known
                } else {
                    operand
                };
                let operated = texts.iter().map(|text| self.operate(text, operator, operand));
                Expansion::Many(operated.collect())
            }
            // A slice of an array.
            Expansion::Many(texts) => match self.slice(operand) {
                Some((from, length)) => {
                    // Positional parameters count from one, `$0` being the first.
                    let all = i64::try_from(texts.len()).unwrap_or(i64::MAX);
                    let begins = positional && (from == 0 || from == -all - 1);
                    let from = if positional && from > 0 { from - 1 } else { from };
                    let texts =
                        if begins { [vec![self.own_name()], texts].concat() } else { texts };
                    let cut = cut(texts.len(), from, length);
                    Expansion::Many(texts.get(cut).unwrap_or_default().to_vec())
                }
                // From any of them on.
                None if texts.len() <= limit::VALUES => {
                    match self.choose(":", texts.len().max(1)) {
                        Some(from) => Expansion::Many(texts.into_iter().skip(from).collect()),
                        None => unknown(),
                    }
                }
                None => unknown(),
            },
            Expansion::Number => Expansion::Number,
        }
    }

    /// `$0`
    fn own_name(&mut self) -> String {
        match self.variable("0", None) {
            Some(Expansion::One(name)) => name,
            _ => HOLE.to_string(),
        }
    }

    /// An operand whose parts are expanded.
    fn known_operand(&mut self, operand: &Word) -> Word {
        let parts = operand.parts.iter().map(|part| match part {
            Part::Text { .. } => part.clone(),
            part => {
                let word = Word { parts: vec![part.clone()], braces: false };
                Part::Text { text: self.text(&word), quoted: is_quoted(part) }
            }
        });
        Word { parts: parts.collect(), braces: false }
    }

    fn operate(&mut self, text: &str, operator: &str, operand: &Word) -> String {
        let hole = HOLE.to_string();
        // An operand is expanded once: operands stand within operands.
        let slice = if operator == ":" { self.slice(operand) } else { None };
        if operator == "@" && operand.as_text().as_deref() == Some("P") {
            self.expanded_again(text);
        }
        let characters: Vec<char> = text.chars().collect();
        // Cutting at a pattern is quadratic in the worst case.
        if text.contains(HOLE) || characters.len() > 4096 || !self.spend(characters.len() / 64) {
            if operator != ":" {
                self.text(operand);
            }
            return hole;
        }
        let kept = |from: usize, to: usize| characters[from..to].iter().collect::<String>();
        match operator {
            "#" | "##" | "%" | "%%" => {
                let pattern = self.pattern(operand);
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
            ":" => match slice {
                Some((from, length)) => {
                    let cut = cut(characters.len(), from, length);
                    characters.get(cut).unwrap_or_default().iter().collect()
                }
                None => hole,
            },
            "@" => match operand.as_text().as_deref() {
                Some("U") => text.to_uppercase(),
                Some("L") => text.to_lowercase(),
                Some("Q") => single_quoted(text),
                Some("E") => unescaped(text),
                Some("P") => text.to_owned(),
                _ => hole,
            },
            _ => {
                self.text(operand);
                hole
            }
        }
    }

    /// `offset` and `length` of `:offset:length`, where both are known.
    pub(super) fn slice(&mut self, operand: &Word) -> Option<(i64, Option<i64>)> {
        let text = self.text(operand);
        let (from, length) = match text.split_once(':') {
            Some((from, length)) => (from, Some(length)),
            None => (text.as_str(), None),
        };
        let from = self.counted(from);
        let length = length.map(|it| self.counted(it));
        match length {
            Some(length) => Some((from?, Some(length?))),
            None => Some((from?, None)),
        }
    }
}

/// What of so many a slice takes; negative numbers count from the end.
fn cut(count: usize, from: i64, length: Option<i64>) -> std::ops::Range<usize> {
    let from_end = |back: i64| {
        count.saturating_sub(usize::try_from(back.unsigned_abs()).unwrap_or(usize::MAX))
    };
    let ahead = |forth: i64| usize::try_from(forth).unwrap_or(usize::MAX).min(count);
    // Before the beginning nothing is found.
    if from < 0 && usize::try_from(from.unsigned_abs()).unwrap_or(usize::MAX) > count {
        return 0..0;
    }
    let start = if from < 0 { from_end(from) } else { ahead(from) };
    let end = match length {
        None => count,
        Some(length) if length < 0 => from_end(length),
        Some(length) => start.saturating_add(ahead(length)).min(count),
    };
    start..end.max(start)
}

pub(super) fn unknown() -> Expansion {
    Expansion::One(HOLE.to_string())
}

/// What the line has not set. A list may have no words, or several.
fn absent(parameter: &Parameter) -> Expansion {
    let is_list = |index: &Word| index.as_text().is_some_and(|it| matches!(&*it, "@" | "*"));
    let names = parameter.indirect && parameter.operator == "@";
    if names || parameter.index.as_ref().is_some_and(is_list) {
        return Expansion::Many(vec![HOLE.to_string()]);
    }
    unknown()
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
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
