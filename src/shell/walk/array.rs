//! Arrays: their elements, in the orders that they may stand in.

use super::super::syntax::{Parameter, Word};
use super::super::{HOLE, limit};
use super::Walker;
use super::env::{Attribute, Value};
use super::simple::put_at;

/// What stands between brackets behind the name of an array.
#[derive(Debug)]
pub(super) enum Subscript {
    Key(String),
    /// Below zero it is from the end.
    Number(i64),
    /// Nobody knows: it is taken for a new one.
    Behind,
}

impl Subscript {
    /// The key that is meant in an array of these elements.
    pub(super) fn of(&self, elements: &[(String, String)]) -> String {
        let behind = || {
            let last = elements.last().and_then(|(key, _)| key.parse::<i64>().ok());
            last.map_or(0, |last| last.saturating_add(1))
        };
        match self {
            Self::Key(key) => key.clone(),
            Self::Number(count) if *count < 0 => behind().saturating_add(*count).to_string(),
            Self::Number(count) => count.to_string(),
            Self::Behind => behind().to_string(),
        }
    }
}

impl Walker<'_> {
    /// The keys and the texts of an array, in one reading of it.
    pub(super) fn elements(&mut self, name: &str) -> Option<Vec<(String, String)>> {
        let count = self.env.variable(name)?.values.len();
        let chosen = self.choose(name, count)?;
        let Value::Array(mut elements) = self.env.variable(name)?.values.get(chosen)?.clone()
        else {
            return None;
        };
        if !self.spend(elements.len() / 4) {
            return None;
        }
        if has_words(&elements) || elements.len() > 1 && self.env.has(name, Attribute::Keyed) {
            match self.choose(&format!("{name}!"), elements.len().min(3)) {
                Some(0) => {}
                Some(1) => elements.reverse(),
                // As many orders as nobody tries.
                _ => return Some(vec![(HOLE.to_string(), HOLE.to_string())]),
            }
        }
        Some(elements)
    }

    /// The key that a subscript of `name` means: a number that is counted, from the end where it is
    /// below zero, but of what is declared with texts for keys that text. What cannot be counted is
    /// a word, and what is not known stands behind all others.
    pub(super) fn key(&mut self, name: &str, key: String, elements: &[(String, String)]) -> String {
        self.subscript(name, key).of(elements)
    }

    /// What a subscript says, before it is known of which elements. It is counted once.
    pub(super) fn subscript(&mut self, name: &str, key: String) -> Subscript {
        if is_number(&key) || self.has_texts_for_keys(name) {
            return Subscript::Key(key);
        }
        match self.counted(&key) {
            Some(count) => Subscript::Number(count),
            None if key.contains(HOLE) => Subscript::Behind,
            None => Subscript::Key(key),
        }
    }

    pub(super) fn is_array(&self, name: &str) -> bool {
        let values = self.env.variable(name).map(|it| &it.values[..]);
        values.is_some_and(|it| it.iter().all(|it| matches!(it, Value::Array(_))))
    }

    /// Whether the keys of `name` are texts. Where that may be otherwise, it is so in one reading.
    pub(super) fn has_texts_for_keys(&mut self, name: &str) -> bool {
        self.env.has(name, Attribute::Keyed)
            && (!self.env.is_doubtful(name) || self.choose(&format!("{name}[A"), 2) == Some(0))
    }

    /// A text that is given to an array is its element with the number 0.
    pub(super) fn as_elements(&mut self, name: &str, values: Vec<Value>) -> Vec<Value> {
        let is_array = |it: &Value| matches!(it, Value::Array(_));
        let before = match self.env.variable(name) {
            Some(variable)
                if variable.values.iter().any(is_array) && !values.iter().all(is_array) =>
            {
                variable.values.clone()
            }
            _ => return values,
        };
        let mut all = Vec::new();
        for value in values {
            let Value::Text(text) = value else {
                all.push(value);
                continue;
            };
            for value in &before {
                let value = match value {
                    Value::Text(_) => Value::Text(text.clone()),
                    Value::Array(elements) if self.spend(elements.len() / 4) => {
                        let mut elements = elements.clone();
                        put_at(&mut elements, "0".to_owned(), text.clone());
                        Value::Array(elements)
                    }
                    Value::Array(_) => Value::hole(),
                };
                if !all.contains(&value) {
                    all.push(value);
                }
            }
        }
        all
    }

    /// Where it is not known which of a few elements is meant: each of them, and a new one.
    pub(super) fn unknown_key(
        &mut self,
        name: &str,
        key: &str,
        elements: &[(String, String)],
    ) -> Option<String> {
        const FEW: usize = 3;
        if elements.is_empty() || elements.len() > FEW {
            return None;
        }
        let is_known = !key.contains(HOLE) && {
            let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
            is_number || self.env.variable(key).is_none_or(|it| it.values.len() == 1)
        };
        if is_known {
            return None;
        }
        let chosen = self.choose(&format!("{name}[{key}"), elements.len() + 1)?;
        elements.get(chosen).map(|it| it.0.clone())
    }

    /// `name[key]` gets one of these texts, whatever else the array may hold.
    pub(super) fn put_at_key(&mut self, name: &str, key: &str, texts: &[String]) {
        let outer = std::mem::take(&mut self.choices);
        let mark = self.env.mark();
        let before = self.env.variable(name).map(|it| it.values.clone());
        let before = before.unwrap_or_else(|| vec![Value::Array(Vec::new())]);
        let (mut values, mut branches) = (Vec::new(), Vec::new());
        loop {
            let subscript = self.subscript(name, key.to_owned());
            for value in &before {
                let elements = value.clone().into_elements();
                let key = subscript.of(&elements);
                for text in texts {
                    if !self.spend(elements.len() / 4) {
                        break;
                    }
                    let mut elements = elements.clone();
                    put_at(&mut elements, key.clone(), text.clone());
                    let value = Value::Array(elements);
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
            branches.push(self.env.take_back(mark));
            if !self.next_choice() || !self.spend(1) {
                break;
            }
        }
        self.env.merge(&branches, true);
        self.choices = outer;
        self.given_value(name, values);
    }

    /// `unset 'a[1]'`
    pub(super) fn unset_element(&mut self, name: &str, key: &str) {
        let Some(variable) = self.env.variable(name).cloned() else { return };
        if matches!(key, "@" | "*") {
            return self.env.put(name, None);
        }
        let mut values = Vec::new();
        let subscript = self.subscript(name, key.to_owned());
        for value in variable.values {
            let mut elements = value.into_elements();
            if !self.spend(elements.len() / 16) {
                return;
            }
            if key.contains(HOLE) {
                values.push(Value::Array(elements.clone()));
            }
            let key = subscript.of(&elements);
            let is_sure = is_number(&key) || self.env.has(name, Attribute::Keyed);
            if !is_sure && !elements.iter().any(|(own, _)| *own == key) {
                // Any of them.
                for place in 0..elements.len().min(limit::VALUES / 2) {
                    let mut left = elements.clone();
                    left.remove(place);
                    values.push(Value::Array(left));
                }
            }
            elements.retain(|(own, _)| *own != key);
            values.push(Value::Array(elements));
        }
        self.env.set(name, values);
    }

    /// `${#x}`, `${#a[@]}`: how long, where that is known.
    pub(super) fn length(&mut self, parameter: &Parameter) -> Option<usize> {
        let is_all = |index: &Option<Word>| {
            index.as_ref().and_then(Word::as_text).is_some_and(|it| matches!(&*it, "@" | "*"))
        };
        if let Some(variable) = self.env.variable(&parameter.name) {
            // It is no matter worth several readings.
            return match (&variable.values[..], is_all(&parameter.index), &parameter.index) {
                ([Value::Array(elements)], true, _) => Some(elements.len()),
                ([Value::Text(text)], false, None) if !text.contains(HOLE) => {
                    Some(text.chars().count())
                }
                _ => None,
            };
        }
        None
    }

    /// `${a[@]@k}` and `${a[@]@K}`: each key with its text behind it.
    pub(super) fn pairs(&mut self, parameter: &Parameter) -> Option<Vec<String>> {
        let operand = parameter.operand.as_text()?;
        if parameter.index.is_none() || !matches!(operand.as_str(), "k" | "K") {
            return None;
        }
        let elements = self.elements(&parameter.name)?;
        let pairs: Vec<String> = elements.into_iter().flat_map(|(key, text)| [key, text]).collect();
        Some(if operand == "K" { vec![pairs.join(" ")] } else { pairs })
    }

    /// `${a[@]:5:1}` of an array with gaps: a slice begins at a number, not at a place.
    pub(super) fn sliced_by_number(&mut self, parameter: &Parameter) -> Option<Vec<String>> {
        let index = parameter.index.as_ref()?.as_text()?;
        if !matches!(&*index, "@" | "*") {
            return None;
        }
        let elements = self.elements(&parameter.name)?;
        let numbers: Vec<i64> =
            elements.iter().map(|it| it.0.parse().ok()).collect::<Option<_>>()?;
        let last = *numbers.last()?;
        if usize::try_from(last).is_ok_and(|it| it + 1 == numbers.len()) {
            return None;
        }
        let (from, length) = self.slice(&parameter.operand)?;
        let from = if from < 0 { last.saturating_add(1).saturating_add(from) } else { from };
        let length = length.map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(0));
        let texts = elements.into_iter().zip(numbers).filter(|it| it.1 >= from).map(|it| it.0.1);
        Some(texts.take(length).collect())
    }

    /// Which element a subscript means that is no number: the text of a variable, or any of them.
    pub(super) fn place(&mut self, elements: &[(String, String)], index: &str) -> Option<usize> {
        if let Some(count) = self.env.variable(index).map(|it| it.values.len())
            && let Some(chosen) = self.choose(index, count)
            && let Some(value) = self.env.variable(index).and_then(|it| it.values.get(chosen))
            && let Some(place) = elements.iter().position(|(key, _)| key == value.scalar())
        {
            return Some(place);
        }
        if elements.len() > limit::VALUES {
            return None;
        }
        self.choose(&format!("[{index}"), elements.len())
    }
}

/// Whether a subscript is a number as it stands: with a zero before it, it is counted in eights.
pub(super) fn is_number(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_digit())
        && (key.len() == 1 || !key.starts_with('0'))
}

/// Whether only bash knows the order of an array: some of its keys are words.
fn has_words(elements: &[(String, String)]) -> bool {
    let is_word = |it: &(String, String)| !it.0.bytes().all(|byte| byte.is_ascii_digit());
    elements.len() > 1 && elements.iter().any(is_word)
}
