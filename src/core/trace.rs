//! The events of a session, one line each.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::core::bounded;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceEvent {
    /// From 1, without gaps except for compaction.
    pub seq: u64,
    pub timestamp: DateTime<Utc>,
    /// The name of a [`Mark`], in `snake_case`.
    pub event_type: String,
    pub payload: Value,
}

/// What a session stores about its trace; the store has the events themselves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    pub seq: u64,
    /// The store's counters, saved with the state to detect when one is ahead.
    #[serde(default)]
    pub events: u64,
    #[serde(default)]
    pub bytes: u64,
    #[serde(default)]
    pub dropped: u64,
    /// Refusals that a trial suppressed.
    #[serde(default)]
    pub would_refuse: u64,
    #[serde(skip)]
    fresh: Vec<(TraceEvent, bool)>,
}

/// Texts in here have limited lengths. Empty fields are left out of the payload.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event_type", content = "payload", rename_all = "snake_case")]
pub enum Mark {
    /// The client starts or continues.
    SessionStart { source: String },
    /// A first event other than the start.
    SessionSeen,
    /// A prompt of the user.
    PromptReceived { prompt: String, asks_for_review: bool },
    /// A prompt that the client inserted while a gate was not idle.
    ClientPrompt { prompt: String },
    /// A gated call is denied or asked about.
    GateBlocked(GateAnswer),
    /// A gated call goes through.
    GateAllowed(GateAnswer),
    /// `about`: the asking gate and its question.
    CallGranted { tool: String, tool_use_id: String, about: String },
    /// A gated call has ended.
    ToolCompleted { tool: String, tool_use_id: Option<String>, succeeded: bool },
    /// The agent says which intent it works on.
    IntentSelected { intent_id: String },
    /// `told`: it had already happened.
    IntentRefused { code: String, answer: Word, subject: String },
    /// Each of its criteria was answered.
    IntentCompleted { intent_id: String, criteria: Vec<String> },
    /// A ticket is in progress.
    TicketDetected { ticket_id: String, source: String },
    /// A call that closes tickets was let through.
    TicketCloseIntended { tool_use_id: String, system: String, tickets: Vec<String> },
    /// It closed them.
    TicketClosed { tool_use_id: String, system: String, tickets: Vec<String> },
    /// It failed.
    TicketCloseFailed { tool_use_id: String, system: String, tickets: Vec<String> },
    /// The client says that a task is completed.
    TaskCompleted { task_id: String, subject: String, answer: Word },
    /// A stop, as the reflection gate judged it.
    ReflectionStop { answer: Word, reason: String, block_count: u32, lines_changed: Option<u64> },
    /// The reflection gate has held too many stops in a row and lets go.
    ReflectionBreakerTripped { block_count: u32 },
    /// Learnings were stored.
    Reflection { accepted: Vec<String>, rejected: u32, was_due: bool },
    /// Nothing was learned.
    Skip { reason: String, decider: String, lines_changed: Option<u64>, was_due: bool },
    /// A note for the next reflection.
    Observation { note: String },
    /// The agent was shown learnings.
    LearningsInjected { learnings: Vec<String> },
    /// The agent reads one.
    LearningOpened { learning_id: String },
    /// The agent says that one helped.
    LearningReferenced { learning_id: String },
    /// A stop, as the review gate judged it.
    StopHookCalled(StopAnswer),
    /// The review gate has held too many stops in a row and lets go.
    BreakerTripped { block_count: u32 },
    /// A person ends the review.
    ReviewEnded { by: Word },
    /// The agent starts a reviewer.
    ReviewerLaunched { tool_use_id: Option<String> },
    /// `proof`: what was checked before the token was given.
    ReviewerStarted { agent_id: String, proof: Value },
    /// A subagent with the reviewer's name gets no token, or may not decide.
    TokenRefused { agent_id: Option<String>, reason: String },
    /// A call of a reviewer may post this verdict.
    PermitGiven { agent_id: String, verdict: Word, tool_use_id: Option<String> },
    /// A reviewer named a session other than its own.
    BadSessionId { agent_id: String, named: String },
    /// A verdict was posted.
    RozDecision(DecisionTaken),
    /// A person lets one gated call through.
    CallAllowed { by: Word, pattern: Option<String> },
    /// A verdict was refused.
    DecisionRefused { reason: String },
    /// A reviewer wants to end without a verdict and is held.
    ReviewerHeld { agent_id: String, blocks: u32 },
    /// A reviewer has ended.
    ReviewerEnded { agent_id: String, outcome: Word },
    /// `hold`, `deny` or `ask`.
    WouldRefuse { answer: Word, gate: Word, subject: String, reason: String },
    /// A rule of self-protection objected.
    Protected { rule: Word, answer: Word, subject: String },
    /// One of roz's own files protects less after a call.
    Weakened { file: String, what: String },
    /// Events beyond `after_seq` were written by a hook that ended before it could save the state
    /// that they belong to.
    Interrupted { after_seq: u64, events: u64 },
    /// Old events were dropped.
    TraceCompacted { dropped: u64 },
    /// The client reports the end of the session.
    SessionEnd { reason: String },
}

/// `pass`, `block`, `deny`, `ask`, `told`, …
pub type Word = &'static str;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateAnswer {
    pub tool: String,
    pub pattern: String,
    pub tool_use_id: Option<String>,
    pub answer: Word,
    pub reason: String,
    pub changed_since_approval: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StopAnswer {
    pub answer: Word,
    pub reason: String,
    pub stop_hook_active: bool,
    pub block_count: u32,
    pub changed_since_approval: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DecisionTaken {
    pub decision: &'static str,
    pub summary: String,
    pub by: String,
    pub tree: Option<String>,
    /// Whether it was more than recorded.
    #[serde(rename = "stands")]
    pub has_effect: bool,
    pub seen: Vec<String>,
    pub unseen: Vec<String>,
    pub changed_meanwhile: Vec<String>,
}

impl Trace {
    pub(crate) fn push(&mut self, mark: &Mark, now: DateTime<Utc>) {
        self.seq += 1;
        self.would_refuse += u64::from(matches!(mark, Mark::WouldRefuse { .. }));
        self.fresh.push((mark.at(self.seq, now), mark.must_survive()));
    }

    pub fn fresh(&self) -> impl ExactSizeIterator<Item = &TraceEvent> {
        self.fresh.iter().map(|(event, _)| event)
    }

    /// Such events are synced to the disk: decisions and similar ones.
    pub fn must_survive(&self) -> bool {
        self.fresh.iter().any(|(_, durable)| *durable)
    }
}

impl Mark {
    pub fn at(&self, seq: u64, timestamp: DateTime<Utc>) -> TraceEvent {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        let event_type = match value.get_mut("event_type").map(Value::take) {
            Some(Value::String(name)) => name,
            _ => "unknown".to_owned(),
        };
        let mut payload = value.get_mut("payload").map(Value::take).unwrap_or_default();
        if let Some(fields) = payload.as_object_mut() {
            let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
            fields.retain(|_, value| !value.is_null() && !is_empty(value));
        }
        TraceEvent { seq, timestamp, event_type, payload }
    }

    fn must_survive(&self) -> bool {
        matches!(
            self,
            Mark::RozDecision(_)
                | Mark::Weakened { .. }
                | Mark::CallAllowed { .. }
                | Mark::Reflection { .. }
        )
    }

    /// A question that nobody answers is a denial.
    pub(crate) fn deny(&mut self) {
        if let Mark::GateBlocked(GateAnswer { answer, .. })
        | Mark::IntentRefused { answer, .. }
        | Mark::Protected { answer, .. } = self
        {
            *answer = "deny";
        }
    }

    /// (answer, gate, rule or reason, subject) of a refusal.
    pub(crate) fn refused(&self) -> Option<(Word, Word, &str, &str)> {
        let refused: (Word, Word, &str, &str) = match self {
            Mark::GateBlocked(GateAnswer { answer, reason, tool, .. }) => {
                (*answer, "review", reason.as_str(), tool.as_str())
            }
            Mark::StopHookCalled(StopAnswer { answer, reason, .. }) => {
                (*answer, "review", reason.as_str(), "the stop")
            }
            Mark::ReviewerHeld { agent_id, .. } => ("block", "review", "no verdict", agent_id),
            Mark::ReflectionStop { answer, reason, .. } => {
                (*answer, "reflection", reason.as_str(), "the stop")
            }
            Mark::TaskCompleted { answer, subject, .. } => {
                (*answer, "reflection", "a task was completed", subject)
            }
            Mark::IntentRefused { code, answer, subject } => (*answer, "intent", code, subject),
            Mark::Protected { rule, answer, subject } => {
                (*answer, "self-protection", *rule, subject)
            }
            _ => return None,
        };
        matches!(refused.0, "deny" | "ask" | "block").then_some(refused)
    }

    /// The rule behind the answer `wanted`, in one line: of the review gate its pattern.
    pub(crate) fn answered(&self, wanted: &str) -> Option<String> {
        let (answer, _, rule, subject) = self.refused()?;
        let rule = if let Mark::GateBlocked(gate) = self { &gate.pattern } else { rule };
        (answer == wanted).then(|| bounded::line(&format!("{rule}: {subject}"), 300))
    }
}
