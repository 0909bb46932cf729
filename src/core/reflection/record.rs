//! What the reflection gate keeps of a session, piece by piece.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::learning::words;

/// What asks for a reflection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A stop, for want of a ticket system.
    Session,
    /// The close of a ticket.
    Tickets,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ticket {
    pub ticket_id: String,
    /// The system that it is of.
    pub source: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub detected_at: DateTime<Utc>,
}

impl Ticket {
    /// By what the project knows it.
    pub fn name(&self, session_id: &str) -> String {
        task_name(&self.ticket_id, self.source == "tasks", session_id)
    }
}

/// A ticket's id as the project knows it. The client numbers its tasks from 1 on in each session:
/// task 1 of another session is another task.
pub(super) fn task_name(id: &str, is_task: bool, session_id: &str) -> String {
    if is_task && !id.is_empty() { format!("{session_id}/{id}") } else { id.to_owned() }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Done {
    /// The ids of what was accepted and is kept somewhere.
    pub learnings: Vec<String>,
    pub rejected_candidates: Vec<Rejected>,
    pub candidates_produced: u32,
    pub candidates_accepted: u32,
    /// What else was said, outside of the candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    pub completed_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rejected {
    pub summary: String,
    pub stage: String,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skip {
    pub reason: String,
    pub decider: Decider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_changed: Option<u64>,
    /// It was given before anything was due: it says why a small change taught nothing, and of a
    /// larger one nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_early: bool,
    pub timestamp: DateTime<Utc>,
}

words!(
    Decider {
        Agent = "agent",
        User = "user",
        /// The change was a small one.
        Auto = "auto",
    }
);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub note: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// It was there when a reflection was written or skipped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_settled: bool,
    pub timestamp: DateTime<Utc>,
}

/// What the work tree was like when the session began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Baseline {
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Files that differed from it, with a hash of what they held.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub dirty: BTreeMap<String, String>,
}

/// A task of the client's that was completed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Task {
    pub blocks: u32,
    /// Reflected on, skipped, or given up.
    pub is_settled: bool,
}
