//! Reads a line of the log, whoever wrote it.
//!
//! The public peer's log has the same events under `v`, `ts` and `event`, with
//! fields of its own: names and types are taken leniently, and what is not
//! needed is passed over. A line without a time or without its subject is none:
//! a guess would count for or against a learning.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use chrono::{DateTime, Utc};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

use super::{Entry, Event, VERSION};

const LEARNING: &[&str] = &["learning_id", "learning", "id"];
const SESSION: &[&str] = &["session_id", "session"];
const TICKET: &[&str] = &["ticket_id", "ticket"];
const TICKETS: &[&str] = &["tickets", "ticket_ids"];
const REASON: &[&str] = &["reason", "rejection_reason", "reasons"];

/// The entry that a line holds; none if it holds no entry.
pub fn entry(line: &[u8]) -> Option<Entry> {
    let Loose::Table(fields) = serde_json::from_slice(line).ok()? else { return None };
    let fields = Fields(fields);
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

/// An object's members, in their order.
struct Fields<'a>(Vec<(Cow<'a, str>, Loose<'a>)>);

impl Fields<'_> {
    /// The first of these names that has a value.
    fn find(&self, names: &[&str]) -> Option<&Loose<'_>> {
        let value = |name: &&str| self.0.iter().find(|(it, _)| it == name).map(|(_, it)| it);
        names.iter().filter_map(value).find(|it| !matches!(it, Loose::Nothing))
    }

    fn text(&self, names: &[&str]) -> Option<String> {
        self.find(names)?.text()
    }

    fn texts(&self, names: &[&str]) -> Vec<String> {
        match self.find(names) {
            Some(Loose::List(items)) => items.iter().filter_map(Loose::text).collect(),
            Some(one) => one.text().into_iter().collect(),
            None => Vec::new(),
        }
    }

    fn whole(&self, names: &[&str]) -> Option<u64> {
        match self.find(names)? {
            Loose::Number(it) => Some(*it),
            Loose::Text(it) => it.trim().parse().ok(),
            Loose::List(items) => Some(items.len() as u64),
            _ => None,
        }
    }

    fn number(&self, names: &[&str]) -> Option<u32> {
        self.whole(names).map(|it| u32::try_from(it).unwrap_or(u32::MAX))
    }

    fn switch(&self, names: &[&str]) -> Option<bool> {
        match self.find(names)? {
            Loose::Switch(it) => Some(*it),
            Loose::Number(it) => Some(*it > 0),
            Loose::Text(it) => match &*it.to_lowercase() {
                "true" | "useful" | "yes" => Some(true),
                "false" | "not_useful" | "useless" | "no" => Some(false),
                _ => None,
            },
            _ => None,
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
            Some(Loose::Table(members)) => {
                for (name, value) in members {
                    if let Loose::Number(by) = value {
                        count(name.to_string(), *by);
                    }
                }
            }
            Some(Loose::List(items)) => {
                items.iter().filter_map(Loose::text).for_each(|it| count(it, 1));
            }
            _ => (),
        }
        counts
    }
}

/// JSON in which no type is a mistake. Texts are borrowed: nearly all of a
/// large log is read just to be counted.
enum Loose<'a> {
    Nothing,
    Switch(bool),
    /// What is negative is 0, what has a fraction loses it.
    Number(u64),
    Text(Cow<'a, str>),
    List(Vec<Loose<'a>>),
    Table(Vec<(Cow<'a, str>, Loose<'a>)>),
}

impl Loose<'_> {
    fn text(&self) -> Option<String> {
        match self {
            Loose::Text(it) => Some(it.to_string()),
            Loose::Number(it) => Some(it.to_string()),
            Loose::Switch(it) => Some(it.to_string()),
            Loose::List(items) => {
                let texts: Vec<String> = items.iter().filter_map(Loose::text).collect();
                Some(texts.join("; "))
            }
            Loose::Nothing | Loose::Table(_) => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Nothing)
    }

    fn visit_bool<E>(self, it: bool) -> Result<Self::Value, E> {
        Ok(Loose::Switch(it))
    }

    fn visit_u64<E>(self, it: u64) -> Result<Self::Value, E> {
        Ok(Loose::Number(it))
    }

    fn visit_i64<E>(self, it: i64) -> Result<Self::Value, E> {
        Ok(Loose::Number(u64::try_from(it).unwrap_or(0)))
    }

    fn visit_f64<E>(self, it: f64) -> Result<Self::Value, E> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "such a cast stops at the ends of the range"
        )]
        Ok(Loose::Number(it as u64))
    }

    fn visit_borrowed_str<E>(self, it: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(it)))
    }

    fn visit_str<E>(self, it: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(it.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Loose::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut table = Vec::with_capacity(8);
        while let Some((name, value)) = members.next_entry::<Loose, Loose>()? {
            if let Loose::Text(name) = name {
                table.push((name, value));
            }
        }
        Ok(Loose::Table(table))
    }
}
