//! Parses the batch of candidates that an agent passes to `roz reflect`.
//!
//! An invalid candidate is rejected by itself, with all reasons; the rest of the batch is kept.
//! Lengths are in characters, after trimming.

mod schema;

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

pub use self::schema::{PLACEHOLDERS, example, schema};
use super::learning::{Category, Confidence, Criterion, Learning, Origin, Scope, Status};
use crate::core::bounded;

pub const SUMMARY: RangeInclusive<usize> = 10..=200;
pub const DETAIL: RangeInclusive<usize> = 20..=2000;
pub const TAGS: RangeInclusive<usize> = 1..=10;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    pub session_id: Option<String>,
    /// Unparsed: [`judge`](super::judge::judge) reads them one by one.
    pub candidates: Vec<Value>,
    pub learnings_used: Vec<Used>,
    pub ratings: Vec<Rating>,
    pub notes: Option<String>,
    /// Sentences about ignored parts.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    pub id: String,
    pub how: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rating {
    pub id: String,
    pub useful: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("standard input is empty. Give one JSON object: `roz reflect --schema` shows it")]
    Empty,
    #[error("standard input is not JSON. `roz reflect --schema` shows what is wanted")]
    Json(#[from] serde_json::Error),
    #[error(
        "standard input is {0}, not an object with a list `candidates`. `roz reflect --schema` \
         shows it"
    )]
    Shape(&'static str),
}

#[derive(Debug)]
pub(super) struct Read {
    /// A learning without an id, or why the candidate is rejected.
    pub(super) candidate: Result<Learning, Vec<String>>,
    pub(super) summary: String,
    pub(super) tags: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl Batch {
    /// # Errors
    ///
    /// If `text` is not a JSON object with a list `candidates`. All else is a warning or rejects
    /// one candidate.
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err(Unreadable::Empty);
        }
        let mut object = match serde_json::from_str(text)? {
            Value::Object(object) => object,
            other => return Err(Unreadable::Shape(kind(&other))),
        };
        let candidates = match object.remove("candidates") {
            Some(Value::Array(candidates)) => candidates,
            Some(_) => return Err(Unreadable::Shape("an object whose `candidates` is not a list")),
            None => return Err(Unreadable::Shape("an object without `candidates`")),
        };
        let mut batch = Self { candidates, ..Self::default() };
        for (name, value) in object {
            batch.take(&name, value);
        }
        Ok(batch)
    }

    fn take(&mut self, name: &str, value: Value) {
        match (name, value) {
            (_, Value::Null) => (),
            ("session_id", Value::String(id)) => self.session_id = filled(&id),
            ("notes", Value::String(notes)) => self.notes = filled(&notes),
            ("learnings_used", Value::Array(items)) => {
                self.learnings_used.extend(items.iter().filter_map(used));
            }
            ("ratings", Value::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    match rating(item, at) {
                        Ok(rating) => self.ratings.push(rating),
                        Err(why) => self.warnings.push(why),
                    }
                }
            }
            (_, value) => {
                self.warnings.push(format!(
                    "{} is {}, and is ignored: there are the texts `session_id` and `notes`, and \
                     the lists `candidates`, `learnings_used` and `ratings`",
                    quoted(name),
                    kind(&value)
                ));
            }
        }
    }
}

fn used(item: &Value) -> Option<Used> {
    let id = item.as_str().or_else(|| item["id"].as_str()).and_then(filled)?;
    Some(Used { id, how: item["how"].as_str().and_then(filled) })
}

/// Reads one rating of a list.
///
/// # Errors
///
/// A sentence that names the position, if the rating is invalid.
pub fn rating(item: &Value, at: usize) -> Result<Rating, String> {
    let id = item["id"].as_str().and_then(filled);
    let rating = id.zip(item["useful"].as_bool()).map(|(id, useful)| Rating { id, useful });
    rating.ok_or_else(|| {
        format!(
            "`ratings[{at}]` is ignored: it has to be an object with an `id` and `useful` true or \
             false"
        )
    })
}

pub(super) fn read(value: &Value, of: &Origin) -> Read {
    let Some(fields) = value.as_object() else {
        let reason = format!("it is {}, not an object with the fields of a learning", kind(value));
        let (summary, tags, warnings) = Default::default();
        return Read { candidate: Err(vec![reason]), summary, tags, warnings };
    };
    let mut reader = Reader { fields, reasons: Vec::new(), warnings: Vec::new() };
    let category = reader.word("category", Category::find, Category::ALL);
    let category = reader.required(category);
    let summary = reader.text("summary", &SUMMARY);
    // Summaries are single lines in lists and headings.
    let summary = summary.map(|text| text.replace(char::is_control, " "));
    let detail = reader.text("detail", &DETAIL);
    if let (Some(summary), Some(detail)) = (&summary, &detail)
        && bounded::words(summary) == bounded::words(detail)
    {
        reader.reasons.push(
            "`detail` repeats `summary`: say why it is so, how you found out, what to do".into(),
        );
    }
    let criteria = reader.criteria();
    let tags = reader.tags();
    let scope = reader.word("scope", Scope::find, Scope::ALL);
    let scope = reader.defaulted("scope", scope);
    let confidence = reader.word("confidence", Confidence::find, Confidence::ALL);
    let confidence = reader.defaulted("confidence", confidence);
    let context_files = reader.texts("context_files", "list paths");
    let context_files = reader.defaulted("context_files", context_files);
    let relevance = reader.optional("relevance");
    let supersedes = reader.optional("supersedes");
    let known = &schema()["properties"]["candidates"]["items"]["properties"];
    for name in fields.keys().filter(|name| known.get(name).is_none()) {
        let all: Vec<&String> = known.as_object().into_iter().flat_map(Map::keys).collect();
        reader.warnings.push(format!(
            "{} is ignored: the fields are {}",
            quoted(name),
            listed(&all)
        ));
    }
    let Reader { reasons, warnings, .. } = reader;
    let shown = summary.as_deref().or_else(|| value["summary"].as_str()).unwrap_or_default();
    let (shown, all_tags) = (bounded::chars(shown.trim(), 200), tags.clone());
    let candidate = match (category, summary, detail) {
        (Some(category), Some(summary), Some(detail)) if reasons.is_empty() => Ok(Learning {
            id: String::new(),
            category,
            summary,
            detail,
            scope,
            confidence,
            status: Status::Active,
            criteria,
            tags,
            context_files,
            relevance,
            ticket_id: of.ticket_id.map(str::to_owned),
            session_id: of.session_id.map(str::to_owned),
            supersedes,
            created_at: of.now,
            roz_version: Some(of.roz_version.to_owned()),
        }),
        _ => Err(reasons),
    };
    Read { candidate, summary: shown, tags: all_tags, warnings }
}

struct Reader<'a> {
    fields: &'a Map<String, Value>,
    reasons: Vec<String>,
    warnings: Vec<String>,
}

impl Reader<'_> {
    /// `null` counts as missing.
    fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// Records a reason for rejection if the field is invalid.
    fn required<T>(&mut self, read: Result<T, String>) -> Option<T> {
        read.map_err(|reason| self.reasons.push(reason)).ok()
    }

    /// Uses the default for an invalid field, with a warning unless it is missing.
    fn defaulted<T: Default>(&mut self, name: &str, read: Result<T, String>) -> T {
        if let (Err(why), Some(_)) = (&read, self.get(name)) {
            self.warnings.push(format!("{why}, and is ignored"));
        }
        read.unwrap_or_default()
    }

    fn text(&mut self, name: &str, limits: &RangeInclusive<usize>) -> Option<String> {
        let (min, max) = (limits.start(), limits.end());
        let text = self.get(name).and_then(Value::as_str).map(str::trim);
        let length = text.map(|text| text.chars().count());
        let is = match (text, length) {
            (Some(text), _) if is_placeholder(text) => {
                let text = bounded::line(text, 60);
                format!("`{name}` is a placeholder or an example of roz's own, {}", quoted(&text))
            }
            (Some(text), Some(length)) if limits.contains(&length) => return Some(text.to_owned()),
            (_, Some(length)) => format!("`{name}` has {length} characters"),
            (..) => self.is(name),
        };
        self.reasons
            .push(format!("{is}; say there what you learned, in {min} to {max} characters"));
        None
    }

    fn criteria(&mut self) -> Vec<Criterion> {
        let wanted = format!("list one or more of {}", listed(Criterion::ALL));
        let words = self.texts("criteria_met", &wanted);
        let Some(words) = self.required(words) else { return Vec::new() };
        let mut met: Vec<Criterion> =
            words.iter().filter_map(|word| Criterion::find(word)).collect();
        met.sort_unstable();
        met.dedup();
        let unknown = words.iter().filter(|word| Criterion::find(word).is_none());
        let unknown: Vec<String> = unknown.map(|word| quoted(word)).collect();
        let unknown = unknown.join(", ");
        if met.is_empty() {
            self.reasons.push(format!("`criteria_met` names no criterion ({unknown}); {wanted}"));
        } else if !unknown.is_empty() {
            self.warnings.push(format!("`criteria_met`: {unknown} is ignored; {wanted}"));
        }
        met
    }

    fn tags(&mut self) -> Vec<String> {
        let (min, max) = (TAGS.start(), TAGS.end());
        let wanted = format!("list {min} to {max} words, as [\"a\", \"b\"]");
        let tags = self.texts("tags", &wanted);
        let Some(tags) = self.required(tags) else { return Vec::new() };
        if !TAGS.contains(&tags.len()) {
            self.reasons.push(format!("`tags` has {}; {wanted}", tags.len()));
        }
        if let Some(tag) = tags.iter().find(|tag| PLACEHOLDERS.contains(&tag.as_str())) {
            self.reasons.push(format!("`tags` has the placeholder {}; {wanted}", quoted(tag)));
        }
        tags
    }

    fn word<T: Copy + std::fmt::Display>(
        &self,
        name: &str,
        find: fn(&str) -> Option<T>,
        all: &[T],
    ) -> Result<T, String> {
        let found = self.get(name).and_then(Value::as_str).and_then(find);
        found.ok_or_else(|| format!("{}; it is one of {}", self.is(name), listed(all)))
    }

    /// Trims tags and their `#`, and removes blank and repeated ones.
    fn texts(&self, name: &str, wanted: &str) -> Result<Vec<String>, String> {
        let items = self.get(name).and_then(Value::as_array);
        let texts: Option<Vec<&str>> =
            items.and_then(|items| items.iter().map(Value::as_str).collect());
        let mut distinct: Vec<String> = Vec::new();
        for text in texts.ok_or_else(|| format!("{}; {wanted}", self.is(name)))? {
            let text = text.trim().trim_start_matches('#').trim();
            if !text.is_empty() && !distinct.iter().any(|had| had == text) {
                distinct.push(text.to_owned());
            }
        }
        Ok(distinct)
    }

    fn optional(&mut self, name: &str) -> Option<String> {
        let text = self.get(name).and_then(Value::as_str).map(filled);
        let read = text.ok_or_else(|| format!("{}; it is a text", self.is(name)));
        self.defaulted(name, read)
    }

    fn is(&self, name: &str) -> String {
        match self.get(name) {
            None => format!("`{name}` is missing"),
            Some(Value::String(text)) => format!("`{name}` is {}", quoted(text)),
            Some(other) => format!("`{name}` is {}", kind(other)),
        }
    }
}

/// Whether a text is a placeholder, has no words, or is an example that roz prints.
fn is_placeholder(text: &str) -> bool {
    let words = bounded::words(text);
    let example = &example()["candidates"][0];
    let is_own = |own: &Value| own.as_str().is_some_and(|own| bounded::words(own) == words);
    words.is_empty()
        || PLACEHOLDERS.iter().any(|placeholder| text.contains(placeholder))
        || [&example["summary"], &example["detail"]].into_iter().any(is_own)
}

fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn quoted(text: &str) -> String {
    format!("`{}`", bounded::plain_line(&bounded::line(text, 60)))
}

fn listed<T: std::fmt::Display>(words: &[T]) -> String {
    words.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;
