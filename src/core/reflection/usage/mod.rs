//! What became of learnings: a log of events, and what it adds up to.
//!
//! The log (`stats.log`, JSONL, append-only, in roz's home) is the source; a [`View`] is what its
//! lines add up to, and a [`Tally`] what that says of one learning. What it says together with the
//! learnings themselves is a [`Report`].

mod report;
mod same_topic;
mod view;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub(crate) use self::report::WARNED_DAYS;
pub use self::{
    report::{CrossUse, GateMiss, Recurrence, Report, Totals},
    view::{Rejected, View},
};

/// The version of the lines that this roz writes.
pub const VERSION: u32 = 1;

/// A line of `stats.log`. The public peer's log has the same form, with some other names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(default)]
    pub v: u32,
    pub ts: DateTime<Utc>,
    #[serde(flatten)]
    pub event: Event,
}

impl Entry {
    pub fn new(ts: DateTime<Utc>, event: Event) -> Self {
        Self { v: VERSION, ts, event }
    }

    /// The entry that a line holds. A line without a time or without its subject holds none: a
    /// guess would count for or against a learning.
    pub fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Its title was put before an agent.
    Surfaced {
        learning_id: String,
        #[serde(default)]
        session_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket_id: Option<String>,
    },
    /// An agent said that it helped.
    Referenced {
        learning_id: String,
        #[serde(default)]
        session_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket_id: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        how: Option<String>,
    },
    /// A session asked for its text.
    #[serde(alias = "implicitly_referenced")]
    Opened {
        learning_id: String,
        #[serde(default)]
        session_id: String,
    },
    /// A session that was shown its title ended, and nobody had opened it or referred to it.
    Dismissed {
        learning_id: String,
        #[serde(default)]
        session_id: String,
    },
    /// Another learning has taken its place.
    Corrected {
        learning_id: String,
        superseded_by: String,
    },
    Reflection {
        session_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket_id: Option<String>,
        /// All of them, where there are several.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tickets: Vec<String>,
        #[serde(alias = "candidates_produced")]
        candidates: u32,
        #[serde(alias = "candidates_accepted")]
        accepted: u32,
        /// The ids of what was accepted and is kept somewhere.
        #[serde(default)]
        learnings: Vec<String>,
        /// By category, of what was accepted.
        #[serde(default)]
        categories: BTreeMap<String, u32>,
        /// By criterion claimed, of what was accepted.
        #[serde(default)]
        criteria: BTreeMap<String, u32>,
    },
    Skip {
        session_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket_id: Option<String>,
        /// All of them, where there are several.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tickets: Vec<String>,
        reason: String,
        decider: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lines_changed: Option<u64>,
    },
    Archived {
        learning_id: String,
        reason: String,
    },
    Restored {
        learning_id: String,
    },
    Rejected {
        #[serde(default)]
        session_id: String,
        summary: String,
        #[serde(default)]
        tags: Vec<String>,
        stage: String,
        #[serde(alias = "rejection_reason")]
        reason: String,
    },
    Rated {
        learning_id: String,
        useful: bool,
    },
    /// What a newer roz, or another program, writes.
    #[serde(other)]
    Other,
}

/// What is known of the use of one learning. A session counts once, however often it was shown,
/// opened or referred to in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    pub surfaced: u32,
    pub opened: u32,
    pub referenced: u32,
    /// Sessions that opened it or referred to it.
    pub used: u32,
    /// Of `used`, those that had been shown its title; the others came upon it by a search.
    pub hits: u32,
    /// Sessions that ended without anyone opening it or referring to it.
    pub dismissed: u32,
    pub rated_useful: u32,
    pub rated_useless: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_surfaced: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<DateTime<Utc>>,
    /// When it was last brought back from the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored: Option<DateTime<Utc>>,
    /// Of `surfaced`, those from before that: they are forgiven.
    pub forgiven: u32,
}

/// The tickets of an event as its fields `ticket_id` and `tickets`: what reads the first alone
/// reads a ticket.
pub fn fields(tickets: &[String]) -> (Option<String>, Vec<String>) {
    let several = if tickets.len() > 1 { tickets.to_vec() } else { Vec::new() };
    (tickets.first().cloned(), several)
}

impl Tally {
    /// How many of the sessions that were shown its title opened it or referred to it; 0 to 1.
    /// None: never shown.
    pub fn hit_rate(&self) -> Option<f64> {
        (self.surfaced > 0).then(|| f64::from(self.hits) / f64::from(self.surfaced))
    }

    /// The sessions that used it without having been shown its title.
    pub fn found(&self) -> u32 {
        self.used.saturating_sub(self.hits)
    }
}
