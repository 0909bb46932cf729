//! What happened in a session, a line an event.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::core::bounded;

/// A line of the trace, as it is stored and printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceEvent {
    /// From 1, without a gap but for what compaction dropped.
    pub seq: u64,
    pub timestamp: DateTime<Utc>,
    /// The name of a [`Mark`], in `snake_case`.
    pub event_type: String,
    pub payload: Value,
}

/// What a session knows of its own trace; the events lie with the store.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The number of the newest event.
    pub seq: u64,
    /// The store's own counters, kept beside the state so that neither can be
    /// ahead of the other unnoticed.
    #[serde(default)]
    pub events: u64,
    #[serde(default)]
    pub bytes: u64,
    #[serde(default)]
    pub dropped: u64,
    /// How often something would have been refused, had it not been a trial.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub would_refuse: u64,
    /// Events that wait for the next save.
    #[serde(skip)]
    fresh: Vec<(TraceEvent, bool)>,
}

/// What can happen. Texts in here are bounded by whoever makes the mark.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event_type", content = "payload", rename_all = "snake_case")]
pub enum Mark {
    SessionStart {
        source: String,
    },
    /// Its first event, where that is not its start.
    SessionSeen,
    PromptReceived {
        prompt: String,
        asks_for_review: bool,
    },
    /// A prompt that the client put in, while a gate was not idle.
    ClientPrompt {
        prompt: String,
    },
    GateBlocked {
        tool: String,
        pattern: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_use_id: Option<String>,
        /// `deny` or `ask`.
        answer: &'static str,
        reason: String,
    },
    GateAllowed {
        tool: String,
        pattern: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_use_id: Option<String>,
        reason: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        changed_since_approval: Vec<String>,
    },
    /// A call that the user was asked about ran: somebody said yes to the client.
    CallGranted {
        tool: String,
        tool_use_id: String,
        /// The gate that asked, and about what.
        about: String,
    },
    /// A gated call came to its end.
    ToolCompleted {
        tool: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_use_id: Option<String>,
        succeeded: bool,
    },
    IntentSelected {
        intent_id: String,
    },
    IntentRefused {
        code: &'static str,
        /// `deny`, `ask`, or `told` where it had happened already.
        answer: &'static str,
        subject: String,
    },
    /// Each of its criteria was answered.
    IntentCompleted {
        intent_id: String,
        criteria: Vec<String>,
    },
    TicketDetected {
        ticket_id: String,
        source: String,
    },
    /// A call that closes tickets was let through.
    TicketCloseIntended {
        tool_use_id: String,
        system: String,
        tickets: Vec<String>,
    },
    TicketClosed {
        tool_use_id: String,
        system: String,
        tickets: Vec<String>,
    },
    TicketCloseFailed {
        tool_use_id: String,
        system: String,
        tickets: Vec<String>,
    },
    /// The client says that a task is completed.
    TaskCompleted {
        task_id: String,
        subject: String,
        /// `block` or `pass`.
        answer: &'static str,
    },
    /// A stop, as the reflection gate saw it.
    ReflectionStop {
        /// `block` or `pass`.
        answer: &'static str,
        reason: String,
        block_count: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        lines_changed: Option<u64>,
    },
    ReflectionBreakerTripped {
        block_count: u32,
    },
    Reflection {
        accepted: Vec<String>,
        rejected: u32,
        was_due: bool,
    },
    Skip {
        reason: String,
        decider: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        lines_changed: Option<u64>,
        was_due: bool,
    },
    Observation {
        note: String,
    },
    LearningsInjected {
        learnings: Vec<String>,
    },
    LearningOpened {
        learning_id: String,
    },
    LearningReferenced {
        learning_id: String,
    },
    StopHookCalled {
        /// `block` or `pass`.
        answer: &'static str,
        reason: String,
        stop_hook_active: bool,
        block_count: u32,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        changed_since_approval: Vec<String>,
    },
    BreakerTripped {
        block_count: u32,
    },
    BreakerReset,
    ReviewEnded {
        by: &'static str,
    },
    ReviewerLaunched {
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_use_id: Option<String>,
    },
    ReviewerStarted {
        agent_id: String,
        /// What was checked before the token was given.
        proof: Value,
    },
    TokenRefused {
        #[serde(skip_serializing_if = "Option::is_none")]
        agent_id: Option<String>,
        reason: String,
    },
    PermitGiven {
        agent_id: String,
        verdict: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_use_id: Option<String>,
    },
    /// A reviewer named a session other than its own.
    BadSessionId {
        agent_id: String,
        named: String,
    },
    RozDecision {
        decision: &'static str,
        summary: String,
        by: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
        stands: bool,
        /// Files whose changes the reviewer was shown.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        seen: Vec<String>,
        /// Files that it was not shown.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unseen: Vec<String>,
        /// Files of the work that changed while it was at work.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        changed_meanwhile: Vec<String>,
    },
    /// A person lets one gated call through.
    CallAllowed {
        by: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
    DecisionRefused {
        reason: String,
    },
    ReviewerHeld {
        agent_id: String,
        blocks: u32,
    },
    ReviewerEnded {
        agent_id: String,
        outcome: &'static str,
    },
    /// What would have been refused, had this not been a trial.
    WouldRefuse {
        /// `hold`, `deny` or `ask`.
        answer: &'static str,
        gate: &'static str,
        subject: String,
        reason: String,
    },
    /// A rule of self-protection objected.
    Protected {
        rule: &'static str,
        answer: &'static str,
        subject: String,
    },
    /// A call made one of roz's own files protect less.
    Weakened {
        file: String,
        what: String,
    },
    /// Events beyond `after_seq` were written by a hook that ended before it
    /// could save the state that they belong to.
    Interrupted {
        after_seq: u64,
        events: u64,
    },
    TraceCompacted {
        dropped: u64,
    },
    SessionEnd {
        reason: String,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Trace {
    pub(crate) fn push(&mut self, mark: &Mark, now: DateTime<Utc>) {
        self.seq += 1;
        self.would_refuse += u64::from(matches!(mark, Mark::WouldRefuse { .. }));
        self.fresh.push((mark.at(self.seq, now), mark.must_survive()));
    }

    /// The events that wait for the next save, oldest first.
    pub fn fresh(&self) -> impl ExactSizeIterator<Item = &TraceEvent> {
        self.fresh.iter().map(|(event, _)| event)
    }

    pub fn has_fresh(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Whether one of them is a decision or the like: a save that brings it
    /// is synced to the disk.
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
        let payload = value.get_mut("payload").map(Value::take).unwrap_or_default();
        TraceEvent { seq, timestamp, event_type, payload }
    }

    fn must_survive(&self) -> bool {
        matches!(
            self,
            Mark::RozDecision { .. }
                | Mark::Weakened { .. }
                | Mark::CallAllowed { .. }
                | Mark::Reflection { .. }
        )
    }

    /// A question that nobody answers is a denial.
    pub(crate) fn deny(&mut self) {
        if let Mark::GateBlocked { answer, .. }
        | Mark::IntentRefused { answer, .. }
        | Mark::Protected { answer, .. } = self
        {
            *answer = "deny";
        }
    }

    /// The gate that refused, what it refused, and why. None where this is no refusal.
    pub(crate) fn refusal(&self) -> Option<(&'static str, &str, &str)> {
        match self {
            Mark::GateBlocked { tool, reason, .. } => Some(("review", tool, reason)),
            Mark::StopHookCalled { answer: "block", reason, .. } => {
                Some(("review", "the stop", reason))
            }
            Mark::ReviewerHeld { agent_id, .. } => Some(("review", agent_id, "it has not decided")),
            Mark::ReflectionStop { answer: "block", reason, .. } => {
                Some(("reflection", "the stop", reason))
            }
            Mark::TaskCompleted { answer: "block", subject, .. } => {
                Some(("reflection", subject, "a task was completed"))
            }
            Mark::IntentRefused { code, subject, .. } => Some(("intent", subject, code)),
            Mark::Protected { rule, subject, .. } => Some(("self-protection", subject, rule)),
            _ => None,
        }
    }

    /// What the user is asked about by it, and by whom, in a line.
    pub(crate) fn question(&self) -> Option<String> {
        let (by, subject) = match self {
            Mark::GateBlocked { answer: "ask", pattern, tool, .. } => (pattern.as_str(), tool),
            Mark::IntentRefused { answer: "ask", code, subject } => (*code, subject),
            Mark::Protected { answer: "ask", rule, subject } => (*rule, subject),
            _ => return None,
        };
        Some(bounded::line(&format!("{by}: {subject}"), 300))
    }
}
