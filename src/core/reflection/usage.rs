//! What became of learnings: a log of events, and what it adds up to.
//!
//! The log (`stats.log`, JSONL, append-only, committed) is the source; a
//! [`Tally`] is a view of it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The version of the lines that this roz writes.
pub const VERSION: u32 = 1;

/// A line of `stats.log`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub v: u32,
    pub ts: DateTime<Utc>,
    #[serde(flatten)]
    pub event: Event,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Put before an agent.
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
    /// A session ended without anyone referring to it.
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
        candidates: u32,
        accepted: u32,
        /// The ids of what was accepted.
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
    /// A candidate that was not taken.
    Rejected {
        #[serde(default)]
        session_id: String,
        summary: String,
        #[serde(default)]
        tags: Vec<String>,
        stage: String,
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

/// What is known of the use of one learning.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    pub surfaced: u32,
    pub referenced: u32,
    pub dismissed: u32,
    pub rated_useful: u32,
    pub rated_useless: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_surfaced: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_referenced: Option<DateTime<Utc>>,
}

impl Tally {
    /// How often it was referred to, of the times that it was shown; 0 to 1.
    /// None: never shown.
    pub fn hit_rate(&self) -> Option<f64> {
        if self.surfaced == 0 {
            return None;
        }
        Some((f64::from(self.referenced) / f64::from(self.surfaced)).min(1.0))
    }
}
