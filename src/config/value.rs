//! Holds what was written against what its key may be. What passes is JSON as
//! `Policy` reads it; what does not is named, and the rest of it stands.

use std::{ops::Range, path::Path};

use serde_json::{Map, Value};
use toml::{Spanned, de::DeValue};

use super::{
    diagnostic::{alternatives, nearest, quoted},
    keys::{Item, Key, Kind},
};
use crate::core::pattern;

/// Far more than anybody writes by hand. Every pattern is matched against every
/// command, and in the worst case that takes the product of their lengths.
pub(super) const LONGEST_LIST: usize = 256;
pub(super) const LONGEST_PATTERN: usize = 256;
pub(super) const LONGEST_TEXT: usize = 4_096;
pub(super) const MOST_WEIGHTS: usize = 100;
pub(super) const HEAVIEST: u32 = u32::MAX;

/// Something wrong with a value. Where it stands is the reader's to say.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    pub(super) at: Range<usize>,
    pub(super) problem: String,
    pub(super) remedy: String,
}

/// Reads values; gathers their flaws.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    /// What `~` stands for.
    pub(super) home: Option<&'a Path>,
    pub(super) flaws: Vec<Flaw>,
}

impl Reader<'_> {
    /// The value as the policy reads it; none if nothing of it stands.
    pub(super) fn read(&mut self, key: &Key, value: &Spanned<DeValue>) -> Option<Value> {
        let at = value.span();
        match (key.kind, value.get_ref()) {
            (Kind::Switch, DeValue::Boolean(it)) => Some(Value::Bool(*it)),
            (Kind::Integer { .. }, DeValue::Integer(it)) => {
                let number = i128::from_str_radix(it.as_str(), it.radix()).ok();
                self.integer(key, number, it.as_str(), at)
            }
            (Kind::Share, DeValue::Float(it)) => self.share(key, it.as_str(), at),
            (Kind::Share, DeValue::Integer(it)) => self.share(key, it.as_str(), at),
            (Kind::Word(_) | Kind::Path | Kind::Template, DeValue::String(it)) => {
                self.text(key, it, at)
            }
            (Kind::List(item), DeValue::Array(items)) => {
                if items.len() > LONGEST_LIST {
                    let problem = format!("`{}` has {} items", key.path, items.len());
                    self.flaw(at, problem, format!("the first {LONGEST_LIST} apply"));
                }
                let items = items.iter().take(LONGEST_LIST);
                Some(items.filter_map(|it| self.item(key, item, it)).collect())
            }
            (Kind::Weights, DeValue::Table(weights)) => {
                let mut valid = Map::new();
                if weights.len() > MOST_WEIGHTS {
                    let problem = format!("`{}` has {} entries", key.path, weights.len());
                    self.flaw(at, problem, format!("{MOST_WEIGHTS} of them apply"));
                }
                for (id, weight) in weights.iter().take(MOST_WEIGHTS) {
                    if let Some(weight) = self.weight(key, id, weight) {
                        valid.insert(id.get_ref().to_string(), weight);
                    }
                }
                Some(Value::Object(valid))
            }
            (_, other) => {
                let problem = format!("`{}` is of type {}", key.path, other.type_str());
                self.flaw(at, problem, format!("it wants {}", key.kind.wanted()));
                None
            }
        }
    }

    /// A value that came as text, from the environment.
    pub(super) fn parse(&mut self, key: &Key, text: &str) -> Option<Value> {
        let text = text.trim();
        match key.kind {
            Kind::Integer { .. } => self.integer(key, text.parse().ok(), text, 0..0),
            Kind::Share => self.share(key, text, 0..0),
            Kind::Switch => match text {
                "true" | "1" => Some(Value::Bool(true)),
                "false" | "0" => Some(Value::Bool(false)),
                _ => self.unfit(key, text, 0..0),
            },
            Kind::Word(_) | Kind::Path | Kind::Template => self.text(key, text, 0..0),
            Kind::List(_) | Kind::Weights => self.unfit(key, text, 0..0),
        }
    }

    fn integer(
        &mut self,
        key: &Key,
        number: Option<i128>,
        text: &str,
        at: Range<usize>,
    ) -> Option<Value> {
        let Kind::Integer { min, max } = key.kind else { return self.unfit(key, text, at) };
        let number = number.and_then(|it| u64::try_from(it).ok());
        match number.filter(|it| (min..=max).contains(it)) {
            Some(number) => Some(number.into()),
            None => self.unfit(key, text, at),
        }
    }

    fn share(&mut self, key: &Key, text: &str, at: Range<usize>) -> Option<Value> {
        let number = text.parse().ok().filter(|it| (0.0..=1.0).contains(it));
        match number {
            // A minus before a zero would be kept.
            Some(number) => Some(Value::from(f64::abs(number))),
            None => self.unfit(key, text, at),
        }
    }

    fn text(&mut self, key: &Key, text: &str, at: Range<usize>) -> Option<Value> {
        match key.kind {
            Kind::Word(words) => match words.iter().find(|it| **it == text) {
                Some(word) => Some(Value::from(*word)),
                None if text.len() > LONGEST_TEXT => self.unfit(key, text, at),
                None => {
                    let remedy = match nearest(text, words.iter().copied()) {
                        Some(word) => format!("did you mean {}?", quoted(word)),
                        None => format!("it wants {}", key.kind.wanted()),
                    };
                    self.flaw(at, format!("`{}` is {}", key.path, quoted(text)), remedy);
                    None
                }
            },
            Kind::Path => match path(text, self.home) {
                Some(path) => Some(Value::String(path)),
                None => self.unfit(key, text, at),
            },
            Kind::Template if is_template_id(text) => Some(Value::from(text)),
            _ => self.unfit(key, text, at),
        }
    }

    fn item(&mut self, key: &Key, item: Item, value: &Spanned<DeValue>) -> Option<Value> {
        let at = value.span();
        let Some(text) = value.get_ref().as_str() else {
            let kind = value.get_ref().type_str();
            let problem = format!("`{}` has an item of type {kind}", key.path);
            self.flaw(at, problem, format!("it wants {}", key.kind.wanted()));
            return None;
        };
        let longest = item.longest();
        if text.is_empty() || text.len() > longest {
            let problem = format!("`{}` has an item of {} bytes", key.path, text.len());
            self.flaw(at, problem, format!("an item has 1 to {longest}"));
            return None;
        }
        match item {
            Item::Text => Some(Value::from(text)),
            Item::Path => {
                let Some(path) = path(text, self.home) else {
                    let problem = format!("`{}` has the item {}", key.path, quoted(text));
                    self.flaw(at, problem, format!("it wants {}", key.kind.wanted()));
                    return None;
                };
                Some(Value::String(path))
            }
            Item::Pattern => {
                if let Err(why) = pattern::check(text) {
                    let problem = format!("`{}`: {} is no pattern: {why}", key.path, quoted(text));
                    let remedy = "until it is mended it gates whatever begins with it";
                    self.flaw(at, problem, remedy.to_owned());
                }
                Some(Value::from(text))
            }
        }
    }

    fn weight(
        &mut self,
        key: &Key,
        id: &Spanned<impl AsRef<str>>,
        weight: &Spanned<DeValue>,
    ) -> Option<Value> {
        let name = id.get_ref().as_ref();
        if !is_template_id(name) {
            let problem = format!("`{}`: {} is no template's id", key.path, quoted(name));
            self.flaw(id.span(), problem, "an id is made of A-Z a-z 0-9 _ -".to_owned());
            return None;
        }
        let number = weight.get_ref().as_integer();
        let number = number.and_then(|it| u32::from_str_radix(it.as_str(), it.radix()).ok());
        if number.is_none() {
            let problem = format!("`{}.{name}` is no weight", key.path);
            self.flaw(weight.span(), problem, format!("it wants {}", weight_wanted()));
        }
        number.map(Value::from)
    }

    fn unfit(&mut self, key: &Key, text: &str, at: Range<usize>) -> Option<Value> {
        let problem = format!("`{}` is {}", key.path, quoted(text));
        self.flaw(at, problem, format!("it wants {}", key.kind.wanted()));
        None
    }

    fn flaw(&mut self, at: Range<usize>, problem: String, remedy: String) {
        self.flaws.push(Flaw { at, problem, remedy });
    }
}

impl Item {
    pub(super) fn longest(self) -> usize {
        match self {
            Item::Text | Item::Path => LONGEST_TEXT,
            Item::Pattern => LONGEST_PATTERN,
        }
    }
}

impl Kind {
    /// What a value of it has to be, in words.
    pub(super) fn wanted(&self) -> String {
        match self {
            Kind::Switch => "true or false".to_owned(),
            Kind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Share => "a number from 0 to 1".to_owned(),
            Kind::Word(words) => alternatives(words.iter().copied()),
            Kind::Path => "an absolute path, or one that begins with `~/`".to_owned(),
            Kind::Template => "a template's id, made of A-Z a-z 0-9 _ -".to_owned(),
            Kind::List(Item::Text) => "a list of strings".to_owned(),
            Kind::List(Item::Path) => "a list of paths, absolute or from `~/`".to_owned(),
            Kind::List(Item::Pattern) => "a list of globs".to_owned(),
            Kind::Weights => format!("a table: for each template's id {}", weight_wanted()),
        }
    }
}

fn weight_wanted() -> String {
    format!("a whole number from 0 to {HEAVIEST}")
}

/// A hook runs wherever the agent is, so a relative path would mean another
/// place every time.
fn path(text: &str, home: Option<&Path>) -> Option<String> {
    let path = match text.strip_prefix("~/") {
        Some(rest) => home?.join(rest).into_os_string().into_string().ok()?,
        None => text.to_owned(),
    };
    let fits = path.len() <= LONGEST_TEXT && !path.contains('\0');
    (fits && Path::new(&path).is_absolute()).then_some(path)
}

fn is_template_id(text: &str) -> bool {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(is_part)
}
