//! Holds what was written against what its key may be. What passes is JSON as `Policy` reads it;
//! what does not is named, and the rest of it stands.

use std::{ops::Range, path::Path};

use serde_json::{Map, Value};
use toml::{Spanned, de::DeValue};

use super::{
    diagnostic::{alternatives, nearest, quoted},
    keys::{Field, FieldKind, Item, Key, Kind},
};
use crate::core::pattern;

/// Far more than anybody writes by hand. Every pattern is matched against every command, and in the
/// worst case that takes the product of their lengths.
pub(super) const LONGEST_LIST: usize = 256;
pub(super) const LONGEST_PATTERN: usize = 256;
pub(super) const LONGEST_TEXT: usize = 4_096;
pub(super) const MOST_WEIGHTS: usize = 100;
pub(super) const HEAVIEST: u32 = u32::MAX;

/// The key whose names are patterns of files, and whose texts are programs.
const FORMATTERS: &str = "intent.format";

/// What is wrong with a formatter, where, and what to do about it.
fn no_formatter(
    pattern: &Spanned<impl AsRef<str>>,
    program: &Spanned<DeValue>,
) -> Option<(Range<usize>, String, String)> {
    let text = pattern.get_ref().as_ref();
    if let Err(err) = glob::Pattern::new(text) {
        let problem = format!("`{FORMATTERS}`: {} is no pattern: {}", quoted(text), err.msg);
        return Some((pattern.span(), problem, "write it as `*.rs` or `web/**`".to_owned()));
    }
    let leads_elsewhere = text.starts_with(['/', '~'])
        || text.ends_with('/')
        || text.split('/').any(|part| matches!(part, "." | ".."));
    if leads_elsewhere || text.trim().is_empty() {
        let problem = format!("`{FORMATTERS}`: {} fits no file", quoted(text));
        let remedy = "write a name (`*.rs`), or a path from the project's root (`web/**`)";
        return Some((pattern.span(), problem, remedy.to_owned()));
    }
    let is_empty = matches!(program.get_ref(), DeValue::String(string) if string.trim().is_empty());
    is_empty.then(|| {
        let problem = format!("`{FORMATTERS}`: no program is named for {}", quoted(text));
        (program.span(), problem, "name one, as `rustfmt`, or leave the line out".to_owned())
    })
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    pub(super) at: Range<usize>,
    pub(super) problem: String,
    pub(super) remedy: String,
}

/// Reads values; gathers their flaws.
#[derive(Debug, Default)]
pub(super) struct Reader<'a> {
    /// What `~` stands for.
    pub(super) home: Option<&'a Path>,
    pub(super) flaws: Vec<Flaw>,
    /// Where the rows begin that were read.
    pub(super) rows: Vec<usize>,
}

impl Reader<'_> {
    /// The value as the policy reads it; none if nothing of it stands.
    pub(super) fn read(&mut self, key: &Key, value: &Spanned<DeValue>) -> Option<Value> {
        let at = value.span();
        match (key.kind, value.get_ref()) {
            (Kind::Switch | Kind::Auto, DeValue::Boolean(boolean)) => Some(Value::Bool(*boolean)),
            (Kind::Integer { .. }, DeValue::Integer(de_integer)) => {
                let number = i128::from_str_radix(de_integer.as_str(), de_integer.radix()).ok();
                self.integer(key, number, de_integer.as_str(), at)
            }
            (Kind::Share, DeValue::Float(de_float)) => self.share(key, de_float.as_str(), at),
            (Kind::Share, DeValue::Integer(de_integer)) => self.share(key, de_integer.as_str(), at),
            (Kind::Word(_) | Kind::Path | Kind::Template | Kind::Text, DeValue::String(string)) => {
                self.text(key, string, at)
            }
            (Kind::List(item), DeValue::Array(items)) => {
                if items.len() > LONGEST_LIST {
                    let problem = format!("`{}` has {} items", key.path, items.len());
                    self.flaw(at, problem, format!("the first {LONGEST_LIST} apply"));
                }
                let items = items.iter().take(LONGEST_LIST);
                Some(items.filter_map(|spanned| self.item(key, item, spanned)).collect())
            }
            (Kind::Auto, DeValue::String(string)) if &**string == "auto" => {
                Some(Value::from("auto"))
            }
            (Kind::Auto, DeValue::String(string)) => self.unfit(key, string, at),
            (Kind::Weights | Kind::Switches(_) | Kind::Texts(_), DeValue::Table(table)) => {
                let mut valid = Map::new();
                if table.len() > MOST_WEIGHTS {
                    let problem = format!("`{}` has {} entries", key.path, table.len());
                    self.flaw(at, problem, format!("{MOST_WEIGHTS} of them apply"));
                }
                for (name, value) in table.iter().take(MOST_WEIGHTS) {
                    let value = match key.kind {
                        Kind::Weights => self.weight(key, name, value),
                        _ => self.member(key, name, value),
                    };
                    if let Some(value) = value {
                        valid.insert(name.get_ref().to_string(), value);
                    }
                }
                Some(Value::Object(valid))
            }
            (Kind::Rows(fields), DeValue::Array(rows)) => {
                let rows = rows.iter().take(LONGEST_LIST);
                Some(rows.filter_map(|row| self.row(key, fields, row)).collect())
            }
            (_, other) => {
                let problem = format!("`{}` is of type {}", key.path, other.type_str());
                self.flaw(at, problem, format!("it wants {}", key.kind.wanted()));
                None
            }
        }
    }

    /// A row with what is right in it; none where something is missing.
    fn row(&mut self, key: &Key, fields: &[Field], row: &Spanned<DeValue>) -> Option<Value> {
        let Some(table) = row.get_ref().as_table() else {
            let kind = row.get_ref().type_str();
            let problem = format!("`{}` has an item of type {kind}", key.path);
            self.flaw(row.span(), problem, format!("write `[[{}]]`", key.path));
            return None;
        };
        let mut valid = Map::new();
        for (name, value) in table {
            let text = name.get_ref().as_ref();
            let Some(field) = fields.iter().find(|field| field.name == text) else {
                let names = fields.iter().map(|field| field.name);
                let remedy = match nearest(text, names.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there is {}", alternatives(names).replace(" or ", " and ")),
                };
                let problem = format!("`{}` has no field {}", key.path, quoted(text));
                self.flaw(name.span(), problem, remedy);
                continue;
            };
            if let Some(value) = self.field(key, field, value) {
                valid.insert(field.name.to_owned(), value);
            }
        }
        if let Some(missing) =
            fields.iter().find(|field| field.required && !valid.contains_key(field.name))
        {
            let problem = format!("a row of `{}` has no `{}`", key.path, missing.name);
            self.flaw(row.span(), problem, "the row does not apply".to_owned());
            return None;
        }
        self.rows.push(row.span().start);
        Some(Value::Object(valid))
    }

    fn field(&mut self, key: &Key, field: &Field, value: &Spanned<DeValue>) -> Option<Value> {
        let item = match field.kind {
            FieldKind::Patterns => Item::Pattern,
            FieldKind::Text | FieldKind::Texts => Item::Text,
            FieldKind::Word(words) => Item::Word(words),
        };
        match (field.kind, value.get_ref()) {
            (FieldKind::Text | FieldKind::Word(_), DeValue::String(_)) => {
                self.item(key, item, value)
            }
            (FieldKind::Texts | FieldKind::Patterns, DeValue::Array(items)) => {
                let items = items.iter().take(LONGEST_LIST);
                Some(items.filter_map(|spanned| self.item(key, item, spanned)).collect())
            }
            (_, other) => {
                let wanted = match field.kind {
                    FieldKind::Text | FieldKind::Word(_) => "a string",
                    FieldKind::Texts => "a list of strings",
                    FieldKind::Patterns => "a list of globs",
                };
                let problem =
                    format!("`{}.{}` is of type {}", key.path, field.name, other.type_str());
                self.flaw(value.span(), problem, format!("it wants {wanted}"));
                None
            }
        }
    }

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
            Kind::Auto => match text {
                "auto" => Some(Value::from(text)),
                "true" | "1" => Some(Value::Bool(true)),
                "false" | "0" => Some(Value::Bool(false)),
                _ => self.unfit(key, text, 0..0),
            },
            Kind::Word(_) | Kind::Path | Kind::Template | Kind::Text => self.text(key, text, 0..0),
            Kind::List(_) | Kind::Weights | Kind::Switches(_) | Kind::Texts(_) | Kind::Rows(_) => {
                self.unfit(key, text, 0..0)
            }
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
        let number = number.and_then(|number| u64::try_from(number).ok());
        match number.filter(|number| (min..=max).contains(number)) {
            Some(number) => Some(number.into()),
            None => self.unfit(key, text, at),
        }
    }

    fn share(&mut self, key: &Key, text: &str, at: Range<usize>) -> Option<Value> {
        let number = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        match number {
            // A minus before a zero would be kept.
            Some(number) => Some(Value::from(f64::abs(number))),
            None => self.unfit(key, text, at),
        }
    }

    fn text(&mut self, key: &Key, text: &str, at: Range<usize>) -> Option<Value> {
        match key.kind {
            Kind::Word(words) => match words.iter().find(|word| **word == text) {
                Some(word) => Some(Value::from(*word)),
                None if text.len() > LONGEST_TEXT => self.unfit(key, text, at),
                None => {
                    let remedy = key.kind.meant(text, words);
                    self.flaw(at, format!("`{}` is {}", key.path, quoted(text)), remedy);
                    None
                }
            },
            Kind::Path => match path(text, self.home) {
                Some(path) => Some(Value::String(path)),
                None => self.unfit(key, text, at),
            },
            Kind::Text if is_text(text) => Some(Value::from(text)),
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
            Item::Word(words) => {
                if words.contains(&text) {
                    return Some(Value::from(text));
                }
                let problem = format!("`{}` has the item {}", key.path, quoted(text));
                self.flaw(at, problem, key.kind.meant(text, words));
                None
            }
            Item::Path => {
                let Some(path) = path(text, self.home) else {
                    let problem = format!("`{}` has the item {}", key.path, quoted(text));
                    self.flaw(at, problem, format!("it wants {}", key.kind.wanted()));
                    return None;
                };
                Some(Value::String(path))
            }
            Item::Pattern | Item::GatePattern => {
                let excluded =
                    pattern::exclusion(text).filter(|_| matches!(item, Item::GatePattern));
                if let Err(why) = pattern::check(excluded.unwrap_or(text)) {
                    let problem = format!("`{}`: {} is no pattern: {why}", key.path, quoted(text));
                    let remedy = match excluded {
                        Some(_) => "until it is fixed it excludes nothing",
                        None => "until it is fixed it gates whatever begins with it",
                    };
                    self.flaw(at, problem, remedy.to_owned());
                }
                Some(Value::from(text))
            }
            Item::Glob => {
                if let Err(err) = glob::Pattern::new(text) {
                    let problem =
                        format!("`{}`: {} is not a glob: {}", key.path, quoted(text), err.msg);
                    self.flaw(at, problem, "write it as `*.lock` or `dist/**`".to_owned());
                    return None;
                }
                Some(Value::from(text))
            }
        }
    }

    /// An entry of a table of switches or of texts.
    fn member(
        &mut self,
        key: &Key,
        name: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue>,
    ) -> Option<Value> {
        let text = name.get_ref().as_ref();
        let names = match key.kind {
            Kind::Switches(Some(names)) | Kind::Texts(Some(names)) => Some(names),
            _ => None,
        };
        let is_known = names
            .map_or_else(|| is_text(text) && !text.contains('='), |names| names.contains(&text));
        if !is_known {
            let problem = format!("`{}` has the entry {}", key.path, quoted(text));
            let remedy = key.kind.meant(text, names.unwrap_or_default());
            self.flaw(name.span(), problem, remedy);
            return None;
        }
        if key.path == FORMATTERS
            && let Some((at, problem, remedy)) = no_formatter(name, value)
        {
            self.flaw(at, problem, remedy);
            return None;
        }
        match (key.kind, value.get_ref()) {
            (Kind::Switches(_), DeValue::Boolean(boolean)) => Some(Value::Bool(*boolean)),
            (Kind::Texts(_), DeValue::String(string)) if string.is_empty() || is_text(string) => {
                Some(Value::from(string.as_ref()))
            }
            _ => {
                let problem = format!("`{}.{text}` does not fit", key.path);
                self.flaw(value.span(), problem, format!("it wants {}", key.kind.wanted()));
                None
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
        let number = number.and_then(|de_integer| {
            u32::from_str_radix(de_integer.as_str(), de_integer.radix()).ok()
        });
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
            Item::Text | Item::Path | Item::Word(_) => LONGEST_TEXT,
            Item::Pattern | Item::GatePattern | Item::Glob => LONGEST_PATTERN,
        }
    }
}

impl Kind {
    /// What was meant by a word that is none of these, or what is wanted.
    fn meant(&self, text: &str, words: &[&str]) -> String {
        match nearest(text, words.iter().copied()) {
            Some(word) => format!("did you mean {}?", quoted(word)),
            None => format!("it wants {}", self.wanted()),
        }
    }

    /// What a value of it has to be, in words.
    pub(super) fn wanted(&self) -> String {
        match self {
            Kind::Switch => "true or false".to_owned(),
            Kind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Share => "a number from 0 to 1".to_owned(),
            Kind::Word(words) => alternatives(words.iter().copied()),
            Kind::Path => "an absolute path, or one that begins with `~/`".to_owned(),
            Kind::Template => "a template's id, made of A-Z a-z 0-9 _ -".to_owned(),
            Kind::Text => format!("a text of 1 to {LONGEST_TEXT} bytes"),
            Kind::List(Item::Word(words)) => {
                format!("a list of {}", alternatives(words.iter().copied()))
            }
            Kind::Switches(None) => "a table: for each name true or false".to_owned(),
            Kind::Switches(Some(names)) => {
                format!("a table: true or false for {}", alternatives(names.iter().copied()))
            }
            Kind::Texts(Some(names)) => {
                format!("a table: a text for {}", alternatives(names.iter().copied()))
            }
            Kind::Texts(None) => "a table: a text for each variable's name".to_owned(),
            Kind::List(Item::Text) => "a list of strings".to_owned(),
            Kind::List(Item::Path) => "a list of paths, absolute or from `~/`".to_owned(),
            Kind::List(Item::Pattern | Item::GatePattern | Item::Glob) => {
                "a list of globs".to_owned()
            }
            Kind::Weights => format!("a table: for each template's id {}", weight_wanted()),
            Kind::Auto => "\"auto\", true or false".to_owned(),
            Kind::Rows(_) => "an array of tables".to_owned(),
        }
    }
}

fn weight_wanted() -> String {
    format!("a whole number from 0 to {HEAVIEST}")
}

/// A hook runs wherever the agent is, so a relative path would mean another place every time.
fn path(text: &str, home: Option<&Path>) -> Option<String> {
    let path = match text.strip_prefix("~/") {
        Some(rest) => home?.join(rest).into_os_string().into_string().ok()?,
        None => text.to_owned(),
    };
    let fits = path.len() <= LONGEST_TEXT && !path.contains('\0');
    (fits && Path::new(&path).is_absolute()).then_some(path)
}

fn is_text(text: &str) -> bool {
    (1..=LONGEST_TEXT).contains(&text.len()) && !text.contains('\0')
}

fn is_template_id(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(is_part)
}
