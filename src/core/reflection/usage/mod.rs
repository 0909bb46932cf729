//! The log of how learnings are used, and what it adds up to.
//!
//! The source is the log (`stats.log`, append-only JSONL in roz's home). A [`View`] sums up its
//! lines, a [`Tally`] is the part about one learning, and a [`Report`] combines the view with the
//! learnings.

mod report;
mod same_topic;
mod summary;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub(crate) use self::report::WARNED_DAYS;
pub use self::{
    report::{CrossUse, GateMiss, Recurrence, Report, Totals},
    summary::{Rejected, View},
};

pub const VERSION: u32 = 1;

/// Another program's log of the same form has some other field names.
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

    /// `None` for lines without a time or subject: guessing would distort a learning's counts.
    pub fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A learning's title was shown.
    Surfaced {
        learning_id: String,
        #[serde(default)]
        session_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket_id: Option<String>,
    },
    Referenced {
        learning_id: String,
        #[serde(default)]
        session_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket_id: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        how: Option<String>,
    },
    #[serde(alias = "implicitly_referenced")]
    Opened {
        learning_id: String,
        #[serde(default)]
        session_id: String,
    },
    /// The session ended without using a learning that it was shown.
    Dismissed {
        learning_id: String,
        #[serde(default)]
        session_id: String,
    },
    Corrected {
        learning_id: String,
        superseded_by: String,
    },
    Reflection {
        session_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket_id: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tickets: Vec<String>,
        #[serde(alias = "candidates_produced")]
        candidates: u32,
        #[serde(alias = "candidates_accepted")]
        accepted: u32,
        /// Ids of stored learnings.
        #[serde(default)]
        learnings: Vec<String>,
        /// Counts of accepted learnings.
        #[serde(default)]
        categories: BTreeMap<String, u32>,
        #[serde(default)]
        criteria: BTreeMap<String, u32>,
    },
    Skip {
        session_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket_id: Option<String>,
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
    /// An event of a newer roz or another program.
    #[serde(other)]
    Other,
}

/// Counts sessions, not single uses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    pub surfaced: u32,
    pub opened: u32,
    pub referenced: u32,
    pub used: u32,
    /// Sessions that used it after its title was shown; the other uses follow a search.
    pub hits: u32,
    pub dismissed: u32,
    pub rated_useful: u32,
    pub rated_useless: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_surfaced: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored: Option<DateTime<Utc>>,
    /// The part of `surfaced` from before the restore.
    pub forgiven: u32,
}

/// As the fields (`ticket_id`, `tickets`); readers of only the first still get a ticket.
pub fn fields(tickets: &[String]) -> (Option<String>, Vec<String>) {
    let several = if tickets.len() > 1 { tickets.to_vec() } else { Vec::new() };
    (tickets.first().cloned(), several)
}

impl Tally {
    /// The share of sessions with the title shown that used the learning; `None` if it was never
    /// shown.
    pub fn hit_rate(&self) -> Option<f64> {
        (self.surfaced > 0).then(|| f64::from(self.hits) / f64::from(self.surfaced))
    }

    /// Sessions that used it without having seen its title.
    pub fn found(&self) -> u32 {
        self.used.saturating_sub(self.hits)
    }
}
