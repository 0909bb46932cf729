//! Reads files of the public peer, and changes only the status of entries in them.
//!
//! ```text
//! ## cl_20260301_001
//!
//! **Category:** pitfall
//! **Summary:** …
//! **Scope:** project | **Confidence:** high | **Status:** active
//! **Tags:** #a #b
//! …
//!
//! the detail, up to
//!
//! ---
//! ```
//!
//! Nothing is escaped there: a line of a detail that looks like a heading begins the next entry.

use std::{collections::HashMap, ops::Range};

use chrono::DateTime;

use super::parse::{Entry, Line, day, time};
use crate::core::reflection::learning::{Category, Confidence, Criterion, Learning, Scope, Status};

/// The id, if the heading consists only of one.
pub(super) fn id(heading: &str) -> Option<&str> {
    let id = heading.trim();
    let mut parts = id.split('_');
    let (word, day, number) = (parts.next()?, parts.next()?, parts.next()?);
    let fits = !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && day.len() == 8
        && day.bytes().all(|byte| byte.is_ascii_digit())
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && parts.next().is_none()
        && id.len() <= 64;
    fits.then_some(id)
}

/// An entry that is being parsed.
#[derive(Debug, Default)]
pub(super) struct Draft {
    line: usize,
    id: String,
    after_heading: usize,
    /// The first value of each label, in lower case.
    fields: HashMap<String, String>,
    status: Option<Range<usize>>,
    /// The lines of the detail, once a blank line has ended the fields.
    detail: Option<Vec<String>>,
    broken: Option<String>,
}

impl Draft {
    pub(super) fn begin(line: Line, id: &str) -> Self {
        Self { line: line.number, id: id.to_owned(), after_heading: line.next, ..Self::default() }
    }

    pub(super) fn breaks(&mut self, why: &str) {
        self.broken.get_or_insert(why.to_owned());
    }

    pub(super) fn take(&mut self, line: Line, text: &str) {
        if let Some(detail) = &mut self.detail {
            detail.push(text.to_owned());
        } else if text.trim().is_empty() {
            if !self.fields.is_empty() {
                self.detail = Some(Vec::new());
            }
        } else if text.starts_with("**") {
            self.fields(line, text);
        } else {
            self.detail = Some(vec![text.to_owned()]);
        }
    }

    /// Takes a line of fields: either one, or several with one-word values.
    fn fields(&mut self, line: Line, text: &str) {
        let mut from = 0;
        for part in text.split(" | ") {
            let at = from;
            from += part.len() + " | ".len();
            let Some((label, value)) =
                part.strip_prefix("**").and_then(|rest| rest.split_once(":**"))
            else {
                continue;
            };
            let label = label.trim().to_lowercase();
            if matches!(&*label, "summary" | "relevance" | "context files" | "tags") && at == 0 {
                let (_, value) = text.split_once(":**").unwrap_or_default();
                self.fields.entry(label).or_insert_with(|| value.trim().to_owned());
                return;
            }
            let word = value.trim();
            if label == "status" && self.status.is_none() {
                let start = line.start + at + part.len() - value.trim_start().len();
                self.status = Some(start..start + word.len());
            }
            self.fields.entry(label).or_insert_with(|| word.to_owned());
        }
    }

    pub(super) fn finish(mut self) -> Entry {
        let learning = self.learning();
        Entry {
            line: self.line,
            id: self.id,
            learning,
            statuses: self.status.into_iter().collect(),
            after_heading: self.after_heading,
            frame: ("**Status:** ".to_owned(), String::new()),
        }
    }

    fn learning(&mut self) -> Result<Learning, String> {
        if let Some(why) = self.broken.take() {
            return Err(why);
        }
        let text = |label: &str| self.fields.get(label).filter(|field| !field.is_empty()).cloned();
        let list = |label: &str| {
            let value = text(label).unwrap_or_default();
            let items = value.split(',').map(str::trim).filter(|part| !part.is_empty());
            items.map(str::to_owned).collect::<Vec<_>>()
        };
        let category = text("category").ok_or("it has no category")?;
        let status = match text("status") {
            Some(word) => Status::find(&word).ok_or_else(|| Status::unknown(&word))?,
            None => Status::Active,
        };
        let criterion = |name: &String| Criterion::find(&name.replace(' ', "_"));
        let tags = text("tags").unwrap_or_default();
        let tags = tags.split_whitespace().map(|word| word.trim_start_matches('#').to_owned());
        let created = text("created").and_then(|text| time(&text)).or_else(|| day(&self.id));
        Ok(Learning {
            category: Category::find(&category)
                .ok_or_else(|| format!("`{category}` is not a category"))?,
            summary: text("summary").ok_or("it has no summary")?,
            detail: self.detail(),
            scope: text("scope").and_then(|text| Scope::find(&text)).unwrap_or_default(),
            confidence: text("confidence")
                .and_then(|text| Confidence::find(&text))
                .unwrap_or_default(),
            status,
            criteria: list("criteria").iter().filter_map(criterion).collect(),
            tags: tags.filter(|tag| !tag.is_empty()).collect(),
            context_files: list("context files"),
            relevance: text("relevance"),
            ticket_id: text("ticket"),
            session_id: text("session"),
            supersedes: None,
            created_at: created.unwrap_or(DateTime::UNIX_EPOCH),
            roz_version: None,
            id: self.id.clone(),
        })
    }

    /// The detail, up to the last line that separates entries.
    fn detail(&self) -> String {
        let lines = self.detail.as_deref().unwrap_or_default();
        let end = lines.iter().rposition(|line| line.trim_end() == "---").unwrap_or(lines.len());
        lines[..end].join("\n").trim().to_owned()
    }
}
