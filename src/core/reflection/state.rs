//! What the reflection gate remembers of a session, with its transitions. The module above has the
//! transition table.

mod tasks;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::record::task_name;
pub use super::record::{Baseline, Decider, Done, Mode, Observation, Rejected, Skip, Task, Ticket};
use crate::core::{
    bounded,
    breaker::{Breaker, Press},
    policy::{self, BreakerPolicy},
    reflection::{
        learning::words,
        shown::{Injected, Shown},
        tickets::Closing,
    },
};

words!(
    #[derive(Default)]
    Status {
        #[default]
        Idle = "idle",
        Active = "active",
        Pending = "pending",
        Blocked = "blocked",
        Reflected = "reflected",
        Skipped = "skipped",
    }
);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reflection {
    status: Status,
    #[serde(flatten)]
    pub(super) breaker: Breaker,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<Ticket>,
    /// Running calls that would close tickets, by `tool_use_id`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    close_intents: BTreeMap<String, PendingClose>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    closed: Vec<String>,
    /// Systems with a closed ticket that the call did not name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    closed_unnamed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reflection: Option<Done>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip: Option<Skip>,
    /// A reason given before a reflection was due, kept until a small change uses it or the
    /// reflection is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    early_skip: Option<Skip>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subagent_observations: Vec<Observation>,
    #[serde(skip_serializing_if = "Shown::is_empty")]
    injected_learnings: Shown,
    /// The client's completed tasks, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    tasks: BTreeMap<String, Task>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    uses_tasks: bool,
    /// How the gate was first switched on in this session. It stays on, and markers that appear or
    /// vanish later do not change session mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_mode: Option<Mode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<Baseline>,
    /// Rule and subject of the last refused call of this turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_since: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PendingClose {
    closings: Vec<Closing>,
    at: DateTime<Utc>,
}

/// Entries of each kind.
const MAX_KEPT: usize = 100;
const MAX_OBSERVATIONS: usize = 200;
/// Bytes of a note.
pub const MAX_NOTE: usize = 2_000;

impl Status {
    pub fn is_open(self) -> bool {
        matches!(self, Status::Pending | Status::Blocked)
    }
}

impl Reflection {
    pub fn status(&self) -> Status {
        self.status
    }

    pub fn block_count(&self) -> u32 {
        self.breaker.block_count
    }

    pub fn ticket(&self) -> Option<&Ticket> {
        self.ticket.as_ref()
    }

    pub fn closed(&self) -> &[String] {
        &self.closed
    }

    /// As the project knows them: closed tickets, the current one first; without any, the current
    /// one.
    pub fn tickets(&self, session_id: &str) -> Vec<String> {
        let at_hand = self.ticket.as_ref().map(|ticket| &ticket.ticket_id);
        let is_about = |ticket_id: &&String| {
            !ticket_id.is_empty() && (self.closed.is_empty() || self.closed.contains(ticket_id))
        };
        let at_hand = at_hand.filter(is_about);
        let others = self.closed.iter().filter(|ticket_id| Some(*ticket_id) != at_hand);
        // In a session with tasks, a bare number is a task's id.
        let is_number =
            |id: &str| self.uses_tasks && id.bytes().all(|digit| digit.is_ascii_digit());
        let name = |id: &String| match &self.ticket {
            Some(own) if own.ticket_id == *id => own.name(session_id),
            _ => task_name(id, is_number(id), session_id),
        };
        at_hand.into_iter().chain(others).map(name).collect()
    }

    pub(super) fn closed_unnamed(&self) -> &[String] {
        &self.closed_unnamed
    }

    pub fn skip(&self) -> Option<&Skip> {
        self.skip.as_ref()
    }

    pub(super) fn early_skip(&self) -> Option<&Skip> {
        self.early_skip.as_ref()
    }

    pub fn done(&self) -> Option<&Done> {
        self.reflection.as_ref()
    }

    pub fn observations(&self) -> &[Observation] {
        &self.subagent_observations
    }

    pub(super) fn open_observations(&self) -> impl Iterator<Item = &Observation> {
        self.subagent_observations.iter().filter(|note| !note.is_settled)
    }

    pub fn injected(&self) -> &[Injected] {
        self.injected_learnings.all()
    }

    pub(super) fn shown(&mut self) -> &mut Shown {
        &mut self.injected_learnings
    }

    pub fn baseline(&self) -> Option<&Baseline> {
        self.baseline.as_ref()
    }

    pub fn first_mode(&self) -> Option<Mode> {
        self.first_mode
    }

    pub(super) fn is_on(&mut self, mode: Mode) {
        self.first_mode.get_or_insert(mode);
    }

    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// A call was refused, or (`None`) a turn begins. Returns whether the previous refusal had the
    /// same reason.
    pub(super) fn refused_for(&mut self, reason: Option<String>) -> bool {
        let rule = |reason: &Option<String>| {
            let (rule, _) = reason.as_ref()?.split_once(": ")?;
            Some(rule.to_owned())
        };
        let is_again = reason.is_some() && rule(&reason) == rule(&self.refused);
        self.refused = reason;
        is_again
    }

    /// Only the first baseline counts.
    pub(super) fn began(&mut self, baseline: &Baseline) {
        self.baseline.get_or_insert_with(|| baseline.clone());
    }

    pub(super) fn found_ticket(&mut self, ticket: &Ticket) -> bool {
        if self.status == Status::Idle {
            self.status = Status::Active;
        } else if self.status != Status::Active {
            return false;
        }
        let is_new = self.ticket.as_ref().is_none_or(|known| known.ticket_id != ticket.ticket_id);
        if is_new {
            self.ticket = Some(ticket.clone());
        }
        is_new
    }

    /// A close was let through; its result is not known yet.
    pub(super) fn close_intended(
        &mut self,
        tool_use_id: &str,
        closings: Vec<Closing>,
        now: DateTime<Utc>,
    ) {
        if self.status == Status::Idle {
            self.status = Status::Active;
        }
        // So many calls have not ended: their ends were missed.
        if self.close_intents.len() >= MAX_KEPT {
            self.close_intents.clear();
        }
        self.close_intents.insert(tool_use_id.to_owned(), PendingClose { closings, at: now });
    }

    /// Returns what the call was to close.
    pub(super) fn close_ended(&mut self, tool_use_id: &str) -> Option<Vec<Closing>> {
        self.close_intents.remove(tool_use_id).map(|pending| pending.closings)
    }

    /// A close worked: a reflection is due. The current ticket may be another one.
    pub(super) fn closed_tickets(&mut self, closings: &[Closing], now: DateTime<Utc>) {
        for closing in closings {
            let keep = |kept: &mut Vec<String>, text: &String| {
                if kept.len() < MAX_KEPT && !kept.contains(text) {
                    kept.push(text.clone());
                }
            };
            let named = || closing.tickets.iter().filter(|ticket| !ticket.is_empty());
            named().for_each(|ticket_id| keep(&mut self.closed, ticket_id));
            let id = named().next();
            if id.is_none() {
                keep(&mut self.closed_unnamed, &closing.system);
            }
            let is_known = match (&self.ticket, id) {
                (Some(ticket), Some(id)) => ticket.ticket_id == *id,
                (Some(ticket), None) => ticket.source == closing.system,
                (None, _) => false,
            };
            if !is_known {
                let id = id.cloned().unwrap_or_default();
                self.ticket = Some(Ticket {
                    title: String::new(),
                    description: None,
                    tags: Vec::new(),
                    ticket_id: id,
                    source: closing.system.clone(),
                    detected_at: now,
                });
            }
        }
        self.due();
    }

    /// Begins a cycle unless one is open.
    pub(super) fn due(&mut self) {
        if self.status.is_open() {
            return;
        }
        self.status = Status::Pending;
        self.reflection = None;
        self.skip = None;
        self.waiting_since = None;
        if !self.breaker.is_tripped {
            self.breaker.block_count = 0;
        }
    }

    pub(super) fn skip_is_outgrown(&mut self) {
        if self.is_auto_skipped() {
            self.status = Status::Idle;
            self.skip = None;
        }
    }

    pub fn is_auto_skipped(&self) -> bool {
        self.status == Status::Skipped
            && self.skip.as_ref().is_some_and(|skip| skip.is_early || skip.decider == Decider::Auto)
    }

    /// Counts a block, or trips the breaker.
    pub(super) fn press(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) -> Press {
        let press = self.breaker.press(policy, now);
        self.status = Status::Blocked;
        if press == Press::Trip {
            self.status = Status::Idle;
            // Its task is not held again.
            for id in std::mem::take(&mut self.closed) {
                if let Some(task) = self.tasks.get_mut(&id) {
                    task.is_settled = true;
                }
            }
            self.closed_unnamed.clear();
            self.waiting_since = None;
        }
        press
    }

    pub(super) fn may_wait(&mut self, timeout_seconds: u64, now: DateTime<Utc>) -> bool {
        let since = *self.waiting_since.get_or_insert(now);
        now < policy::later(since, timeout_seconds)
    }

    /// Drops the notes after a reflection or a reasoned skip. An automatic skip keeps them: nobody
    /// has read them.
    fn settle_observations(&mut self) {
        self.subagent_observations.iter_mut().for_each(|note| note.is_settled = true);
    }

    fn settle(&mut self) {
        self.closed.clear();
        self.closed_unnamed.clear();
        self.tasks.values_mut().for_each(|task| task.is_settled = true);
    }

    /// Returns whether a reflection was due.
    pub fn reflected(&mut self, done: Done) -> bool {
        let was_due = self.status.is_open();
        if was_due {
            self.status = Status::Reflected;
            self.early_skip = None;
            self.settle();
            self.settle_observations();
        }
        self.breaker.reset();
        self.waiting_since = None;
        self.reflection = Some(done);
        was_due
    }

    /// Returns whether a reflection was due. Otherwise nothing is skipped and the reason is kept
    /// for a small change: future work cannot be judged yet.
    pub fn skipped(&mut self, skip: Skip) -> bool {
        let was_due = self.status.is_open();
        if was_due {
            self.status = Status::Skipped;
            self.settle();
            self.settle_observations();
            self.waiting_since = None;
            self.early_skip = None;
            self.skip = Some(skip);
        } else {
            self.early_skip = Some(Skip { is_early: true, ..skip });
        }
        was_due
    }

    /// Whether a small change is logged: not without changes, unless a ticket was closed.
    pub(super) fn is_news(&self, lines: u64) -> bool {
        lines > 0 || self.status.is_open()
    }

    /// With the agent's early reason if there is one.
    pub(super) fn auto_skipped(&mut self, lines: u64, now: DateTime<Utc>) -> Skip {
        let early = if self.is_news(lines) { self.early_skip.take() } else { None };
        let of_agent =
            early.or_else(|| self.skip.take()).filter(|early| early.decider != Decider::Auto);
        let skip = match of_agent {
            Some(skip) => Skip { lines_changed: Some(lines), ..skip },
            None => Skip {
                reason: format!("auto: {}", bounded::counted(lines, "line")),
                decider: Decider::Auto,
                lines_changed: Some(lines),
                is_early: false,
                timestamp: now,
            },
        };
        self.status = Status::Skipped;
        self.settle();
        self.skip = Some(skip.clone());
        skip
    }

    pub fn observe(&mut self, note: &str, agent_id: Option<String>, now: DateTime<Utc>) {
        let note = bounded::cut(note.trim(), MAX_NOTE).to_owned();
        let noted = Observation { note, agent_id, is_settled: false, timestamp: now };
        self.subagent_observations.push(noted);
        let excess = self.subagent_observations.len().saturating_sub(MAX_OBSERVATIONS);
        self.subagent_observations.drain(..excess);
    }

    pub fn opened(&mut self, learning_id: &str) {
        self.injected_learnings.opened(learning_id);
    }

    pub fn referenced(&mut self, learning_id: &str) {
        self.injected_learnings.referenced(learning_id);
    }

    pub(super) fn ended(&mut self) -> Vec<String> {
        if self.status == Status::Active {
            self.status = Status::Idle;
            self.close_intents.clear();
        }
        self.injected_learnings.dismissed()
    }
}
