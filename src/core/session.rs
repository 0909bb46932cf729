//! The document that the store keeps for each session of the client.

use std::{collections::BTreeMap, path::PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::core::session_id::{BadSessionId, RUN, SessionId};
use crate::core::{
    bounded,
    intent::state::IntentState,
    reflection::state::Reflection,
    review::state::Review,
    scheduled_prompts::Schedule,
    session_writes::Writes,
    trace::{Mark, Trace},
};

/// Documents with a higher version are read, never written.
pub const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    pub version: u32,
    pub session_id: SessionId,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// The client's folder at the session's first event.
    pub cwd: Option<PathBuf>,
    /// The root of the git work tree that held `cwd`, else `cwd` itself.
    pub project: Option<PathBuf>,
    pub transcript_path: Option<PathBuf>,
    /// The commit that was checked out at the session's first event.
    pub head: Option<String>,
    /// The model that the client named last.
    pub model: Option<String>,
    // Boxed: a hook has several sessions on its stack, and each page of that is a fault.
    #[serde(default)]
    pub review: Box<Review>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub reflection: Box<Reflection>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub intent: Box<IntentState>,
    #[serde(default)]
    pub trace: Trace,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) schedule: Schedule,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    asked: Vec<Asked>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) writes: Writes,
    /// Files that were dirty when the session began, by path in the project, with content hashes.
    /// While unchanged, they are not part of its work.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) dirty: BTreeMap<String, String>,
    /// The client reported the end, and no event since.
    #[serde(default, skip_serializing_if = "is_default")]
    pub has_ended: bool,
    /// Messages to the user that wait for an event whose answer can carry them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    messages: Vec<String>,
    /// The last blocked stop, or prompt that changed anything.
    answered: Option<Box<Answered>>,
}

/// An event that may arrive twice, with roz's answer: a hook that is registered in two places is
/// called twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Answered {
    sha256: String,
    at: DateTime<Utc>,
    answer: Value,
}

/// Later than this, an equal payload is another event.
const TWICE_WITHIN: TimeDelta = TimeDelta::seconds(2);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) tool_use_id: String,
    /// Question and asking gate, in one line.
    pub(crate) about: String,
    pub(crate) agent_id: Option<String>,
    /// Whether the user's consent also permits what the call starts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) has_pass: bool,
}

/// A declined call never ends, so only so many are waited for.
const MAX_ASKED: usize = 16;

fn is_default<T: Default + PartialEq>(item: &T) -> bool {
    *item == T::default()
}

impl Session {
    pub fn new(session_id: SessionId, now: DateTime<Utc>) -> Self {
        Self {
            version: VERSION,
            session_id,
            created_at: now,
            updated_at: now,
            cwd: None,
            project: None,
            transcript_path: None,
            head: None,
            model: None,
            review: Box::default(),
            reflection: Box::default(),
            intent: Box::default(),
            trace: Trace::default(),
            schedule: Schedule::default(),
            asked: Vec::new(),
            writes: Writes::default(),
            dirty: BTreeMap::new(),
            has_ended: false,
            messages: Vec::new(),
            answered: None,
        }
    }

    pub fn is_open(&self) -> bool {
        self.review.phase().is_open() || self.reflection.status().is_open()
    }

    /// Added to the trace; stored with the session.
    pub fn record(&mut self, mark: &Mark, now: DateTime<Utc>) {
        self.trace.push(mark, now);
    }

    pub(crate) fn asks(&mut self, asked: Asked) {
        self.asked.retain(|earlier| earlier.tool_use_id != asked.tool_use_id);
        self.asked.push(asked);
        let excess = self.asked.len().saturating_sub(MAX_ASKED);
        self.asked.drain(..excess);
    }

    /// Returns what the user was asked and agreed to.
    pub(crate) fn asked_and_ran(&mut self, tool_use_id: &str) -> Option<Asked> {
        let at = self.asked.iter().position(|asked| asked.tool_use_id == tool_use_id)?;
        Some(self.asked.remove(at))
    }

    /// Calls of an agent that did not run before its `next` one, so the user declined them. Each is
    /// returned once.
    pub(crate) fn declined(&mut self, agent: Option<&str>, next: Option<&str>) -> Vec<String> {
        let is_over = |item: &&mut Asked| {
            item.has_pass && item.agent_id.as_deref() == agent && Some(&*item.tool_use_id) != next
        };
        let over = self.asked.iter_mut().filter(is_over);
        over.map(|asked| {
            asked.has_pass = false;
            asked.tool_use_id.clone()
        })
        .collect()
    }

    pub(crate) fn tell_user(&mut self, message: String) {
        self.messages.push(message);
    }

    /// The answer to an identical payload, if it was the last event and is recent.
    pub(crate) fn answered_before(&self, payload: &str, now: DateTime<Utc>) -> Option<Value> {
        let last = self.answered.as_ref()?;
        // Every other save changes this time.
        let is_last = last.at == self.updated_at;
        let is_now = now.signed_duration_since(last.at).abs() <= TWICE_WITHIN;
        let is_same = is_last && is_now && last.sha256 == bounded::sha256(payload.as_bytes());
        is_same.then(|| last.answer.clone())
    }

    pub(crate) fn answers(&mut self, payload: &str, answer: Value, now: DateTime<Utc>) {
        let sha256 = bounded::sha256(payload.as_bytes());
        self.answered = Some(Box::new(Answered { sha256, at: now, answer }));
    }

    pub(crate) fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.messages)
    }
}
