//! Checks values against the kinds of their keys. Valid ones become JSON for `Policy`; invalid
//! parts are reported and left out.

use std::{ops::Range, path::Path};

use serde_json::{Map, Value};
use toml::{Spanned, de::DeValue};

use super::{
    diagnostic::{alternatives, nearest, quoted},
    keys::{Field, Key, Kind},
};
use crate::core::tool_pattern;

/// Every pattern is matched against every command, which in the worst case takes the product of
/// their lengths. Nobody writes so many by hand.
pub(super) const LONGEST_LIST: usize = 256;
pub(super) const LONGEST_PATTERN: usize = 256;
pub(super) const LONGEST_TEXT: usize = 4_096;
pub(super) const MOST_WEIGHTS: usize = 100;

/// Its names are file patterns and its texts are programs.
const FORMATTERS: &str = "intent.format";

fn no_formatter(pattern: &str, program: &DeValue) -> Option<String> {
    let leads_elsewhere = pattern.starts_with(['/', '~'])
        || pattern.ends_with('/')
        || pattern.split('/').any(|part| matches!(part, "." | ".."));
    let name = quoted(pattern);
    match glob::Pattern::new(pattern) {
        Err(err) => Some(format!("{name} is not a pattern: {}", err.msg)),
        Ok(_) if leads_elsewhere || pattern.trim().is_empty() => {
            Some(format!("{name} fits no file"))
        }
        Ok(_) => {
            let is_empty = program.as_str().is_some_and(|program| program.trim().is_empty());
            is_empty.then(|| format!("no program is named for {name}"))
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    pub(super) at: Range<usize>,
    pub(super) problem: String,
    pub(super) remedy: String,
}

#[derive(Debug, Default)]
pub(super) struct Reader<'a> {
    pub(super) home: Option<&'a Path>,
    pub(super) flaws: Vec<Flaw>,
    pub(super) rows: Vec<usize>,
}

impl Reader<'_> {
    /// `None` if no part of the value is valid.
    pub(super) fn read(
        &mut self,
        path: &str,
        kind: Kind,
        value: &Spanned<DeValue>,
    ) -> Option<Value> {
        let at = value.span();
        match (kind, value.get_ref()) {
            (Kind::Switch | Kind::Auto, DeValue::Boolean(boolean)) => Some(Value::Bool(*boolean)),
            (Kind::Integer { .. }, DeValue::Integer(number)) => {
                let text = number.as_str();
                self.integer(path, kind, i128::from_str_radix(text, number.radix()).ok(), text, at)
            }
            (Kind::Share, DeValue::Float(number)) => self.share(path, number.as_str(), at),
            (Kind::Share, DeValue::Integer(number)) => self.share(path, number.as_str(), at),
            (
                Kind::Auto
                | Kind::Word(_)
                | Kind::Path
                | Kind::Template
                | Kind::Text
                | Kind::Pattern
                | Kind::GatePattern
                | Kind::Glob,
                DeValue::String(text),
            ) => self.text(path, kind, text, at),
            (Kind::List(item), DeValue::Array(items)) => {
                self.at_most(LONGEST_LIST, path, items.len(), at);
                let items = items.iter().take(LONGEST_LIST).enumerate();
                let read = |(index, value)| self.read(&format!("{path}[{index}]"), *item, value);
                Some(items.filter_map(read).collect())
            }
            (Kind::Weights | Kind::Switches(_) | Kind::Texts(_), DeValue::Table(table)) => {
                self.at_most(MOST_WEIGHTS, path, table.len(), at);
                let mut valid = Map::new();
                for (name, value) in table.iter().take(MOST_WEIGHTS) {
                    if let Some(value) = self.entry(path, kind, name, value) {
                        valid.insert(name.get_ref().to_string(), value);
                    }
                }
                Some(Value::Object(valid))
            }
            (Kind::Rows(fields), DeValue::Array(rows)) => {
                let rows = rows.iter().take(LONGEST_LIST);
                Some(rows.filter_map(|row| self.row(path, fields, row)).collect())
            }
            (_, other) => {
                let problem = format!("`{path}` is of type {}", other.type_str());
                self.flaw(at, problem, format!("it wants {}", kind.wanted()));
                None
            }
        }
    }

    fn at_most(&mut self, most: usize, path: &str, count: usize, at: Range<usize>) {
        if count > most {
            let problem = format!("`{path}` has {count} items");
            self.flaw(at, problem, format!("the first {most} apply"));
        }
    }

    /// The row's valid fields; `None` if a required one is missing.
    fn row(&mut self, path: &str, fields: &[Field], row: &Spanned<DeValue>) -> Option<Value> {
        let Some(table) = row.get_ref().as_table() else {
            let problem = format!("`{path}` has an item of type {}", row.get_ref().type_str());
            self.flaw(row.span(), problem, format!("write `[[{path}]]`"));
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
                let problem = format!("`{path}` has no field {}", quoted(text));
                self.flaw(name.span(), problem, remedy);
                continue;
            };
            if let Some(value) = self.read(&format!("{path}.{text}"), field.kind, value) {
                valid.insert(field.name.to_owned(), value);
            }
        }
        if let Some(missing) =
            fields.iter().find(|field| field.required && !valid.contains_key(field.name))
        {
            let problem = format!("a row of `{path}` has no `{}`", missing.name);
            self.flaw(row.span(), problem, "the row does not apply".to_owned());
            return None;
        }
        self.rows.push(row.span().start);
        Some(Value::Object(valid))
    }

    /// Variables cannot set lists or tables.
    pub(super) fn parse(&mut self, key: &Key, text: &str) -> Option<Value> {
        let text = text.trim();
        match key.kind {
            Kind::Integer { .. } => self.integer(key.path, key.kind, text.parse().ok(), text, 0..0),
            kind => self.text(key.path, kind, text, 0..0),
        }
    }

    fn integer(
        &mut self,
        path: &str,
        kind: Kind,
        number: Option<i128>,
        text: &str,
        at: Range<usize>,
    ) -> Option<Value> {
        let number = number.and_then(|number| u64::try_from(number).ok());
        match (kind, number) {
            (Kind::Integer { min, max }, Some(number)) if (min..=max).contains(&number) => {
                Some(number.into())
            }
            _ => self.unfit(path, kind, text, at),
        }
    }

    fn share(&mut self, path: &str, text: &str, at: Range<usize>) -> Option<Value> {
        let number = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        match number {
            // Otherwise `-0` would keep its sign.
            Some(number) => Some(Value::from(f64::abs(number))),
            None => self.unfit(path, Kind::Share, text, at),
        }
    }

    fn text(&mut self, path: &str, kind: Kind, text: &str, at: Range<usize>) -> Option<Value> {
        let is_short = (1..=LONGEST_PATTERN).contains(&text.len());
        let fits = match kind {
            Kind::Word(words) => words.contains(&text),
            Kind::Auto => text == "auto",
            Kind::Template => is_template_id(text),
            Kind::Text => is_text(text),
            Kind::Glob => {
                if let Err(err) = glob::Pattern::new(text) {
                    let problem = format!("`{path}`: {} is not a glob: {}", quoted(text), err.msg);
                    self.flaw(at, problem, format!("it wants {}", kind.wanted()));
                    return None;
                }
                is_short
            }
            Kind::Pattern | Kind::GatePattern if is_short => {
                self.check_pattern(path, kind, text, at.clone());
                true
            }
            Kind::Path => match absolute(text, self.home) {
                Some(path) => return Some(Value::String(path)),
                None => false,
            },
            _ => false,
        };
        if fits { Some(Value::from(text)) } else { self.unfit(path, kind, text, at) }
    }

    /// An invalid pattern still applies, as a prefix.
    fn check_pattern(&mut self, path: &str, kind: Kind, text: &str, at: Range<usize>) {
        let excluded = tool_pattern::exclusion(text).filter(|_| matches!(kind, Kind::GatePattern));
        if let Err(why) = tool_pattern::check(excluded.unwrap_or(text)) {
            let problem = format!("`{path}`: {} is not a pattern: {why}", quoted(text));
            let remedy = match excluded {
                Some(_) => "until it is fixed it excludes nothing",
                None => "until it is fixed it gates whatever begins with it",
            };
            self.flaw(at, problem, remedy.to_owned());
        }
    }

    fn entry(
        &mut self,
        path: &str,
        table: Kind,
        name: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue>,
    ) -> Option<Value> {
        let text = name.get_ref().as_ref();
        let (names, kind) = table.entries()?;
        if path == FORMATTERS
            && let Some(problem) = no_formatter(text, value.get_ref())
        {
            let remedy =
                "write `'*.rs' = 'rustfmt'`, or a path from the project's root as `'web/**'`";
            self.flaw(name.span(), format!("`{path}`: {problem}"), remedy.to_owned());
            return None;
        }
        let is_known = match (names, table) {
            (Some(names), _) => names.contains(&text),
            (None, Kind::Weights) => is_template_id(text),
            (None, _) => is_text(text) && !text.contains('='),
        };
        // Older files name it. No server was ever asked to search.
        if path == "backends.mcp.tool_names" && text == "search" {
            return None;
        }
        if !is_known && matches!(table, Kind::Weights) {
            let problem = format!("`{path}`: the name {} is not a template's id", quoted(text));
            self.flaw(name.span(), problem, "an id is made of A-Z a-z 0-9 _ -".to_owned());
            return None;
        }
        if !is_known {
            let problem = format!("`{path}` has the entry {}", quoted(text));
            self.flaw(name.span(), problem, table.meant(text));
            return None;
        }
        match (table, value.get_ref()) {
            (Kind::Texts(_), DeValue::String(empty)) if empty.is_empty() => Some("".into()),
            _ => self.read(&format!("{path}.{text}"), kind, value),
        }
    }

    fn unfit(&mut self, path: &str, kind: Kind, text: &str, at: Range<usize>) -> Option<Value> {
        self.flaw(at, format!("`{path}` is {}", quoted(text)), kind.meant(text));
        None
    }

    fn flaw(&mut self, at: Range<usize>, problem: String, remedy: String) {
        self.flaws.push(Flaw { at, problem, remedy });
    }
}

impl Kind {
    /// The word that was perhaps meant, or else what is allowed.
    fn meant(self, text: &str) -> String {
        let words = match self {
            Kind::Word(words) | Kind::Switches(Some(words)) | Kind::Texts(Some(words)) => words,
            _ => &[],
        };
        match nearest(text, words.iter().copied()) {
            Some(word) => format!("did you mean {}?", quoted(word)),
            None => format!("it wants {}", self.wanted()),
        }
    }

    fn wanted(self) -> String {
        let wanted = match self {
            Kind::Integer { min, max } => return format!("a whole number from {min} to {max}"),
            Kind::Word(words) => return alternatives(words.iter().copied()),
            Kind::List(item) => return format!("a list, each item {}", item.wanted()),
            Kind::Weights | Kind::Switches(_) | Kind::Texts(_) => {
                let (names, kind) = self.entries().unwrap_or((None, self));
                let names = names.map(|names| alternatives(names.iter().copied()));
                let names = names.unwrap_or_else(|| "each name".to_owned());
                return format!("a table: for {names} {}", kind.wanted());
            }
            Kind::Switch => "true or false",
            Kind::Share => "a number from 0 to 1",
            Kind::Path => "an absolute path, or one that begins with `~/`",
            Kind::Template => "a template's id, made of A-Z a-z 0-9 _ -",
            Kind::Text => "a text",
            Kind::Pattern | Kind::GatePattern => "a pattern, such as `Bash:git push*`",
            Kind::Glob => "a glob, such as `*.lock`",
            Kind::Auto => "\"auto\", true or false",
            Kind::Rows(_) => "an array of tables",
        };
        wanted.to_owned()
    }
}

/// Hooks run in any folder, so relative paths are ambiguous.
fn absolute(text: &str, home: Option<&Path>) -> Option<String> {
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
