//! What an agent hands to `roz reflect`: its shape, and what is wrong with it.
//!
//! A batch is read leniently: one bad candidate rejects itself, with every
//! reason, and never the batch. Lengths are counted in characters, after
//! trimming.

mod schema;

use std::{collections::BTreeSet, ops::RangeInclusive};

use serde_json::{Map, Value};

pub use self::schema::{PLACEHOLDERS, example, schema};
use super::learning::{Category, Confidence, Criterion, Scope};
use crate::core::bounded;

/// In characters.
pub const SUMMARY: RangeInclusive<usize> = 10..=200;
/// In characters.
pub const DETAIL: RangeInclusive<usize> = 20..=2000;
pub const TAGS: RangeInclusive<usize> = 1..=10;

/// The standard input of `roz reflect`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    pub session_id: Option<String>,
    /// As they came: each is read on its own, by [`judge`](super::judge::judge).
    pub candidates: Vec<Value>,
    pub learnings_used: Vec<Used>,
    pub ratings: Vec<Rating>,
    pub notes: Option<String>,
    /// What was passed over, a sentence each.
    pub warnings: Vec<String>,
}

/// A learning that was shown and helped.
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

/// A learning to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub category: Category,
    pub summary: String,
    pub detail: String,
    pub scope: Scope,
    pub confidence: Confidence,
    pub criteria: Vec<Criterion>,
    pub tags: Vec<String>,
    pub context_files: Vec<String>,
    pub relevance: Option<String>,
    pub supersedes: Option<String>,
}

/// Why a batch cannot be read at all.
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
    #[error("`candidates` is {0}, not a list. `roz reflect --schema` shows it")]
    Candidates(&'static str),
}

/// A candidate, as far as it could be read.
#[derive(Debug)]
pub(super) struct Read {
    /// None: there are reasons.
    pub(super) candidate: Option<Candidate>,
    pub(super) summary: String,
    pub(super) tags: Vec<String>,
    pub(super) reasons: Vec<String>,
    pub(super) warnings: Vec<String>,
}

const FIELDS: &[&str] = &[
    "category",
    "summary",
    "detail",
    "scope",
    "confidence",
    "criteria_met",
    "tags",
    "context_files",
    "relevance",
    "supersedes",
];

impl Batch {
    /// # Errors
    ///
    /// If `text` is no JSON object with a list `candidates`. Whatever else is
    /// wrong is a warning, or the affair of one candidate.
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
            Some(other) => return Err(Unreadable::Candidates(kind(&other))),
            None => return Err(Unreadable::Shape("an object without `candidates`")),
        };
        let mut batch = Self { candidates, ..Self::default() };
        for (name, value) in object {
            batch.take(&name, value);
        }
        Ok(batch)
    }

    fn take(&mut self, name: &str, value: Value) {
        const OTHERS: &[&str] = &["session_id", "candidates", "learnings_used", "ratings", "notes"];
        match (name, value) {
            (_, Value::Null) => (),
            ("session_id", Value::String(id)) => self.session_id = filled(&id),
            ("notes", Value::String(notes)) => self.notes = filled(&notes),
            ("learnings_used", Value::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    match used(item) {
                        Some(used) => self.learnings_used.push(used),
                        None => self
                            .pass_over(&format!("learnings_used[{at}]"), "an object with an `id`"),
                    }
                }
            }
            ("ratings", Value::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    match rating(item, at) {
                        Ok(rating) => self.ratings.push(rating),
                        Err(why) => self.warnings.push(why),
                    }
                }
                self.drop_contradictions();
            }
            ("session_id" | "notes", _) => self.pass_over(name, "a text"),
            ("learnings_used" | "ratings", _) => self.pass_over(name, "a list"),
            _ => self.warnings.push(unknown(name, OTHERS)),
        }
    }

    /// Who says both of a learning has said nothing of it.
    fn drop_contradictions(&mut self) {
        let says =
            |id: &str, useful| self.ratings.iter().any(|it| it.id == id && it.useful == useful);
        let both: BTreeSet<String> = self
            .ratings
            .iter()
            .filter(|it| says(&it.id, !it.useful))
            .map(|it| it.id.clone())
            .collect();
        self.ratings.retain(|it| !both.contains(&it.id));
        let said = |id: &String| {
            format!("`ratings` has {} useful and useless: both are passed over", quoted(id))
        };
        self.warnings.extend(both.iter().map(said));
    }

    fn pass_over(&mut self, name: &str, wanted: &str) {
        self.warnings.push(passed_over(name, wanted));
    }
}

fn passed_over(name: &str, wanted: &str) -> String {
    format!("`{name}` is passed over: it has to be {wanted}")
}

fn used(item: &Value) -> Option<Used> {
    let id = item.as_str().or_else(|| item["id"].as_str()).and_then(filled)?;
    Some(Used { id, how: item["how"].as_str().and_then(filled) })
}

/// The rating that stands at a place of a list.
///
/// # Errors
///
/// A sentence that names the place, if it is none.
pub fn rating(item: &Value, at: usize) -> Result<Rating, String> {
    let id = item["id"].as_str().and_then(filled);
    match (id, item["useful"].as_bool()) {
        (Some(id), Some(useful)) => Ok(Rating { id, useful }),
        _ => Err(passed_over(
            &format!("ratings[{at}]"),
            "an object with an `id` and `useful` true or false",
        )),
    }
}

/// Reads one candidate, with all that is wrong with it.
pub(super) fn read(value: &Value) -> Read {
    let none = Map::new();
    let mut reader = Reader {
        fields: value.as_object().unwrap_or(&none),
        reasons: Vec::new(),
        warnings: Vec::new(),
    };
    if !value.is_object() {
        let reason = format!("it is {}, not an object with the fields of a learning", kind(value));
        let (reasons, warnings) = (vec![reason], Vec::new());
        return Read {
            candidate: None,
            summary: String::new(),
            tags: Vec::new(),
            reasons,
            warnings,
        };
    }
    let category = reader.category();
    let summary = reader.text("summary", &SUMMARY);
    // A summary is a line: it stands in lists and headings.
    let summary = summary.map(|it| it.replace(char::is_control, " "));
    let detail = reader.text("detail", &DETAIL);
    if let (Some(summary), Some(detail)) = (&summary, &detail)
        && (summary == detail || is_same(summary, detail))
    {
        reader.reasons.push(
            "`detail` repeats `summary`: say why it is so, how you found out, what to do".into(),
        );
    }
    let criteria = reader.criteria();
    let tags = reader.tags();
    let texts = [("summary", &summary), ("detail", &detail), ("tags", &tags.first().cloned())];
    for (name, text) in texts {
        let text = text.as_deref().unwrap_or_default();
        if let Some(placeholder) = PLACEHOLDERS.iter().find(|it| text.contains(*it)) {
            reader.reasons.push(format!(
                "`{name}` still has the example's placeholder `{placeholder}`: write there what you \
                 learned, or run `roz skip \"why\"`"
            ));
        }
    }
    let scope = reader.word("scope", Scope::find, Scope::ALL);
    let confidence = reader.word("confidence", Confidence::find, Confidence::ALL);
    let context_files = reader.context_files();
    let relevance = reader.optional("relevance");
    let supersedes = reader.optional("supersedes");
    reader.unknown_fields();
    let Reader { reasons, warnings, .. } = reader;
    let shown = bounded::chars(
        summary.as_deref().unwrap_or_else(|| value["summary"].as_str().unwrap_or_default()).trim(),
        200,
    );
    let readable_tags = tags.clone();
    let candidate = match (category, summary, detail) {
        (Some(category), Some(summary), Some(detail)) if reasons.is_empty() => Some(Candidate {
            category,
            summary,
            detail,
            scope,
            confidence,
            criteria,
            tags,
            context_files,
            relevance,
            supersedes,
        }),
        _ => None,
    };
    Read { candidate, summary: shown, tags: readable_tags, reasons, warnings }
}

struct Reader<'a> {
    fields: &'a Map<String, Value>,
    reasons: Vec<String>,
    warnings: Vec<String>,
}

impl Reader<'_> {
    /// None if it is not there, or null.
    fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|it| !it.is_null())
    }

    fn category(&mut self) -> Option<Category> {
        let all = listed(Category::ALL.iter().map(|it| it.word()));
        let found = match self.get("category") {
            Some(Value::String(word)) => Category::find(word)
                .ok_or_else(|| format!("`category` is {}; it is one of {all}", quoted(word))),
            Some(other) => Err(format!("`category` is {}; it is one of {all}", kind(other))),
            None => Err(format!("`category` is missing; it is one of {all}")),
        };
        found.map_err(|reason| self.reasons.push(reason)).ok()
    }

    fn text(&mut self, name: &str, limits: &RangeInclusive<usize>) -> Option<String> {
        let (min, max) = (limits.start(), limits.end());
        let wanted = format!("it needs {min} to {max} characters");
        let reason = match self.get(name) {
            Some(Value::String(text)) => {
                let text = text.trim();
                let length = text.chars().count();
                if limits.contains(&length) {
                    return Some(text.to_owned());
                }
                let by = if length < *min {
                    format!("{} too few", min - length)
                } else {
                    format!("{} too many", length - max)
                };
                let s = if length == 1 { "" } else { "s" };
                format!("`{name}` has {length} character{s}, {by}; {wanted}")
            }
            Some(other) => format!("`{name}` is {}, not a text; {wanted}", kind(other)),
            None => format!("`{name}` is missing; {wanted}"),
        };
        self.reasons.push(reason);
        None
    }

    fn criteria(&mut self) -> Vec<Criterion> {
        let all = listed(Criterion::ALL.iter().map(|it| it.word()));
        let wanted = format!("list one or more of {all}");
        let items = match self.get("criteria_met") {
            Some(Value::Array(items)) => items.clone(),
            Some(other) => {
                let reason = format!("`criteria_met` is {}, not a list; {wanted}", kind(other));
                self.reasons.push(reason);
                return Vec::new();
            }
            None => {
                self.reasons.push(format!("`criteria_met` is missing; {wanted}"));
                return Vec::new();
            }
        };
        let mut met = Vec::new();
        let mut unknown = Vec::new();
        for item in &items {
            match item.as_str().and_then(Criterion::find) {
                Some(it) if met.contains(&it) => (),
                Some(it) => met.push(it),
                None => unknown.push(item.as_str().map_or_else(|| kind(item).to_owned(), quoted)),
            }
        }
        let unknown = unknown.join(", ");
        if met.is_empty() {
            let reason =
                if unknown.is_empty() { "is empty".into() } else { format!("has {unknown}") };
            self.reasons.push(format!("`criteria_met` {reason}; {wanted}"));
        } else if !unknown.is_empty() {
            self.warnings.push(format!("`criteria_met`: {unknown} is passed over; there is {all}"));
        }
        met
    }

    fn tags(&mut self) -> Vec<String> {
        let (min, max) = (TAGS.start(), TAGS.end());
        let items = match self.get("tags") {
            Some(Value::Array(items)) => items,
            other => {
                let is = other.map_or_else(
                    || "is missing".to_owned(),
                    |it| format!("is {}, not a list", kind(it)),
                );
                self.reasons
                    .push(format!("`tags` {is}; give {min} to {max} words, as [\"a\", \"b\"]"));
                return Vec::new();
            }
        };
        let mut tags: Vec<String> = Vec::new();
        let mut reasons = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item.as_str().map(|it| it.trim().trim_start_matches('#').trim()) {
                Some("") => reasons.push(format!("`tags[{at}]` is empty; take it out or fill it")),
                Some(tag) => {
                    if !tags.iter().any(|it| it == tag) {
                        tags.push(tag.to_owned());
                    }
                }
                None => reasons.push(format!("`tags[{at}]` is {}, not a text", kind(item))),
            }
        }
        if !TAGS.contains(&items.len()) {
            reasons.push(format!("`tags` has {}; it needs {min} to {max}", items.len()));
        }
        self.reasons.extend(reasons);
        tags
    }

    /// A word that has a default.
    fn word<T: Copy + Default + std::fmt::Display>(
        &mut self,
        name: &str,
        find: fn(&str) -> Option<T>,
        all: &[T],
    ) -> T {
        let Some(value) = self.get(name) else { return T::default() };
        if let Some(found) = value.as_str().and_then(find) {
            return found;
        }
        let is = value.as_str().map_or_else(|| kind(value).to_owned(), quoted);
        let all = listed(all.iter().map(ToString::to_string));
        let warning = format!("`{name}` is {is}, so {} is taken; it is one of {all}", T::default());
        self.warnings.push(warning);
        T::default()
    }

    fn context_files(&mut self) -> Vec<String> {
        let Some(value) = self.get("context_files") else { return Vec::new() };
        let Some(items) = value.as_array() else {
            let warning = format!("`context_files` is {}, not a list: passed over", kind(value));
            self.warnings.push(warning);
            return Vec::new();
        };
        let mut files: Vec<String> = Vec::new();
        let mut warnings = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item.as_str().and_then(filled) {
                Some(file) if files.contains(&file) => (),
                Some(file) => files.push(file),
                None => warnings.push(format!("`context_files[{at}]` is no path: passed over")),
            }
        }
        self.warnings.extend(warnings);
        files
    }

    fn optional(&mut self, name: &str) -> Option<String> {
        let value = self.get(name)?;
        if let Some(text) = value.as_str() {
            return filled(text);
        }
        let warning = format!("`{name}` is {}, not a text: passed over", kind(value));
        self.warnings.push(warning);
        None
    }

    fn unknown_fields(&mut self) {
        let names = self.fields.keys().filter(|it| !FIELDS.contains(&it.as_str()));
        let warnings: Vec<_> = names.map(|it| unknown(it, FIELDS)).collect();
        self.warnings.extend(warnings);
    }
}

fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether nothing but case, blanks and punctuation tells them apart.
fn is_same(a: &str, b: &str) -> bool {
    let a = bounded::words(a);
    !a.is_empty() && a == bounded::words(b)
}

fn unknown(name: &str, names: &[&str]) -> String {
    let near = names
        .iter()
        .map(|it| (strsim::jaro_winkler(it, name), it))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let remedy = near.map_or_else(
        || format!("there is {}", listed(names.iter().copied())),
        |(_, it)| format!("did you mean `{it}`?"),
    );
    format!("{} is no field here and is passed over: {remedy}", quoted(name))
}

fn quoted(text: &str) -> String {
    format!("`{}`", bounded::plain_line(&bounded::line(text, 60)))
}

fn listed(words: impl Iterator<Item = impl AsRef<str>>) -> String {
    let words: Vec<_> = words.collect();
    words.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
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
