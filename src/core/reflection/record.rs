//! The parts of the reflection gate's record of a session.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::learning::words;

/// What makes a reflection due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The end of a session without a ticket system.
    Session,
    Tickets,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ticket {
    pub ticket_id: String,
    pub source: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub detected_at: DateTime<Utc>,
}

impl Ticket {
    /// As the project knows it.
    pub fn name(&self, session_id: &str) -> String {
        task_name(&self.ticket_id, self.source == "tasks", session_id)
    }
}

/// As the project knows the ticket. The client numbers its tasks from 1 in each session, so the
/// session is part of a task's name.
pub(super) fn task_name(id: &str, is_task: bool, session_id: &str) -> String {
    if is_task && !id.is_empty() { format!("{session_id}/{id}") } else { id.to_owned() }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Done {
    /// Ids of stored learnings.
    pub learnings: Vec<String>,
    pub rejected_candidates: Vec<Rejected>,
    pub candidates_produced: u32,
    pub candidates_accepted: u32,
    /// Free text outside of the candidates.
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
    /// Given before a reflection was due: it covers a small change, not a large one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_early: bool,
    pub timestamp: DateTime<Utc>,
}

words!(
    Decider {
        Agent = "agent",
        User = "user",
        Auto = "auto",
    }
);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub note: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Existed at the last reflection or skip.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_settled: bool,
    pub timestamp: DateTime<Utc>,
}

/// The work tree at the start of the session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Baseline {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Uncommitted files with content hashes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub dirty: BTreeMap<String, String>,
}

/// A completed task of the client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Task {
    pub blocks: u32,
    /// Reflected on, skipped or given up.
    pub is_settled: bool,
}
