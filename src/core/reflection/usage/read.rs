//! Reads a line of the log, whoever wrote it.
//!
//! The public peer's log has the same events under `v`, `ts` and `event`, with
//! fields of its own: names and types are taken leniently, and what is not
//! needed is passed over. A line without a time or without its subject is none:
//! a guess would count for or against a learning.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::{Entry, Event, VERSION};

const LEARNING: &[&str] = &["learning_id", "learning", "id"];
const SESSION: &[&str] = &["session_id", "session"];
const TICKET: &[&str] = &["ticket_id", "ticket"];
const TICKETS: &[&str] = &["tickets", "ticket_ids"];
const REASON: &[&str] = &["reason", "rejection_reason", "reasons"];

/// The entry that a line holds; none if it holds no entry.
pub fn entry(line: &[u8]) -> Option<Entry> {
    let fields = Fields(serde_json::from_slice(line).ok()?);
    let ts = time(&fields.text(&["ts", "timestamp"])?)?;
    let v = fields.number(&["v", "version"]).unwrap_or(VERSION);
    let event = event(&fields)?;
    Some(Entry { v, ts, event })
}

fn event(fields: &Fields) -> Option<Event> {
    let learning = || fields.text(LEARNING).filter(|it| !it.is_empty());
    let session_id = fields.text(SESSION).unwrap_or_default();
    let ticket = || fields.text(TICKET).filter(|it| !it.is_empty());
    let reason = || fields.text(REASON).unwrap_or_default();
    Some(match &*fields.text(&["event", "event_type"])? {
        "surfaced" => Event::Surfaced { learning_id: learning()?, session_id, ticket_id: ticket() },
        "referenced" => Event::Referenced {
            learning_id: learning()?,
            session_id,
            ticket_id: ticket(),
            how: fields.text(&["how"]),
        },
        // The public peer notes what looked as if it had helped: somebody had read it.
        "opened" | "implicitly_referenced" => {
            Event::Opened { learning_id: learning()?, session_id }
        }
        "dismissed" => Event::Dismissed { learning_id: learning()?, session_id },
        "corrected" => Event::Corrected {
            learning_id: learning()?,
            superseded_by: fields
                .text(&["superseded_by", "corrected_by", "new_learning_id"])
                .unwrap_or_default(),
        },
        "reflection" => Event::Reflection {
            session_id,
            ticket_id: ticket(),
            tickets: fields.texts(TICKETS),
            candidates: fields.number(&["candidates", "candidates_produced"]).unwrap_or(0),
            accepted: fields.number(&["accepted", "candidates_accepted"]).unwrap_or(0),
            learnings: fields.texts(&["learnings", "learning_ids", "accepted_ids"]),
            categories: fields.counts(&["categories", "by_category"]),
            criteria: fields.counts(&["criteria", "criteria_met", "by_criterion"]),
        },
        "skip" | "skipped" => Event::Skip {
            session_id,
            ticket_id: ticket(),
            tickets: fields.texts(TICKETS),
            reason: reason(),
            decider: fields.text(&["decider"]).unwrap_or_default(),
            lines_changed: fields.whole(&["lines_changed", "lines"]),
        },
        "archived" => Event::Archived { learning_id: learning()?, reason: reason() },
        "restored" => Event::Restored { learning_id: learning()? },
        "rejected" => Event::Rejected {
            session_id,
            summary: fields.text(&["summary", "candidate_summary"])?,
            tags: fields.texts(&["tags"]),
            stage: fields.text(&["stage"]).unwrap_or_default(),
            reason: reason(),
        },
        "rated" => {
            let useful = fields.switch(&["useful", "is_useful", "rating"])?;
            Event::Rated { learning_id: learning()?, useful }
        }
        _ => Event::Other,
    })
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    let strict = DateTime::parse_from_rfc3339(text).ok();
    // With a blank for the `T`, say.
    strict.map(|it| it.to_utc()).or_else(|| text.parse().ok())
}

/// An object's members, in which no type is a mistake.
struct Fields(Map<String, Value>);

impl Fields {
    /// The first of these names that has a value.
    fn find(&self, names: &[&str]) -> Option<&Value> {
        names.iter().filter_map(|name| self.0.get(*name)).find(|value| !value.is_null())
    }

    fn text(&self, names: &[&str]) -> Option<String> {
        text(self.find(names)?)
    }

    fn texts(&self, names: &[&str]) -> Vec<String> {
        match self.find(names) {
            Some(Value::Array(items)) => items.iter().filter_map(text).collect(),
            Some(one) => text(one).into_iter().collect(),
            None => Vec::new(),
        }
    }

    fn whole(&self, names: &[&str]) -> Option<u64> {
        match self.find(names)? {
            Value::String(text) => text.trim().parse().ok(),
            Value::Array(items) => Some(items.len() as u64),
            value => whole(value),
        }
    }

    fn number(&self, names: &[&str]) -> Option<u32> {
        self.whole(names).map(|it| u32::try_from(it).unwrap_or(u32::MAX))
    }

    fn switch(&self, names: &[&str]) -> Option<bool> {
        match self.find(names)? {
            Value::Bool(it) => Some(*it),
            Value::String(it) => match &*it.to_lowercase() {
                "true" | "useful" | "yes" => Some(true),
                "false" | "not_useful" | "useless" | "no" => Some(false),
                _ => None,
            },
            value => whole(value).map(|it| it > 0),
        }
    }

    /// `{"a": 2}`, or `["a", "a"]`.
    fn counts(&self, names: &[&str]) -> BTreeMap<String, u32> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut count = |name: String, by: u64| {
            let at = counts.entry(name).or_default();
            *at = at.saturating_add(u32::try_from(by).unwrap_or(u32::MAX));
        };
        match self.find(names) {
            Some(Value::Object(members)) => {
                for (name, value) in members {
                    if let Some(by) = whole(value) {
                        count(name.clone(), by);
                    }
                }
            }
            Some(Value::Array(items)) => {
                items.iter().filter_map(text).for_each(|it| count(it, 1));
            }
            _ => (),
        }
        counts
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(it) => Some(it.clone()),
        Value::Number(it) => Some(it.to_string()),
        Value::Bool(it) => Some(it.to_string()),
        Value::Array(items) => {
            let texts: Vec<String> = items.iter().filter_map(text).collect();
            Some(texts.join("; "))
        }
        Value::Null | Value::Object(_) => None,
    }
}

/// A number of things: what is negative is 0, what has a fraction loses it.
fn whole(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "such a cast stops at the ends of the range"
    )]
    number.as_u64().or_else(|| Some(number.as_f64()? as u64))
}
