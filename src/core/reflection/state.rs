//! The reflection gate's record of a session, and its arrows. The transition table stands in the
//! module above.

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
        /// Nothing is asked for.
        #[default]
        Idle = "idle",
        /// A ticket is in progress.
        Active = "active",
        Pending = "pending",
        /// It is due, and a stop was held for it.
        Blocked = "blocked",
        Reflected = "reflected",
        Skipped = "skipped",
    }
);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reflection {
    status: Status,
    block_count: u32,
    circuit_breaker_tripped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    circuit_breaker_tripped_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<Ticket>,
    /// Closes that were let through and whose end is not known yet, by `tool_use_id`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    close_intents: BTreeMap<String, Intent>,
    /// Tickets that were closed since the last reflection.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    closed: Vec<String>,
    /// Systems of which one was closed that the call did not name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    closed_unnamed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reflection: Option<Done>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip: Option<Skip>,
    /// A reason that was given before anything was due, until a small change passes with it or the
    /// reflection that came due is dealt with.
    #[serde(skip_serializing_if = "Option::is_none")]
    early_skip: Option<Skip>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subagent_observations: Vec<Observation>,
    #[serde(skip_serializing_if = "Shown::is_empty")]
    injected_learnings: Shown,
    /// The client's tasks that were completed, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    tasks: BTreeMap<String, Task>,
    /// The client's task tools are in use.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    uses_tasks: bool,
    /// How the gate was on when it first was in this session. It stays on, and what appears or
    /// vanishes later ends session mode for nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_mode: Option<Mode>,
    /// What the work tree was like when the session began.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<Baseline>,
    /// Why the last refused call of this turn was refused: the rule, and what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    /// Since when a stop waits for other subagents.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_since: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Intent {
    closings: Vec<Closing>,
    at: DateTime<Utc>,
}

/// Of each kind so many are kept.
const MAX_KEPT: usize = 100;
const MAX_OBSERVATIONS: usize = 200;
/// Of a note so much is kept, in bytes.
pub const MAX_NOTE: usize = 2_000;

impl Status {
    /// A reflection is due.
    pub fn is_open(self) -> bool {
        matches!(self, Status::Pending | Status::Blocked)
    }
}

impl Reflection {
    pub fn status(&self) -> Status {
        self.status
    }

    pub fn block_count(&self) -> u32 {
        self.block_count
    }

    pub fn ticket(&self) -> Option<&Ticket> {
        self.ticket.as_ref()
    }

    pub fn closed(&self) -> &[String] {
        &self.closed
    }

    /// What a reflection is about: the tickets that were closed, the one at hand first, or that one
    /// where none was. By what the project knows them.
    pub fn tickets(&self, session_id: &str) -> Vec<String> {
        let at_hand = self.ticket.as_ref().map(|ticket| &ticket.ticket_id);
        let is_about = |ticket_id: &&String| {
            !ticket_id.is_empty() && (self.closed.is_empty() || self.closed.contains(ticket_id))
        };
        let at_hand = at_hand.filter(is_about);
        let others = self.closed.iter().filter(|ticket_id| Some(*ticket_id) != at_hand);
        // Of an id alone, where the session uses the client's tasks, a mere number is one of them.
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

    /// The gate is on: how it was at first stands.
    pub(super) fn is_on(&mut self, mode: Mode) {
        self.first_mode.get_or_insert(mode);
    }

    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// A call was refused, or a new turn begins. Answers whether the rule is that of the refusal
    /// before.
    pub(super) fn refused_for(&mut self, reason: Option<String>) -> bool {
        let rule = |reason: &Option<String>| {
            let (rule, _) = reason.as_ref()?.split_once(": ")?;
            Some(rule.to_owned())
        };
        let is_again = reason.is_some() && rule(&reason) == rule(&self.refused);
        self.refused = reason;
        is_again
    }

    /// The first look at the work tree stands.
    pub(super) fn began(&mut self, baseline: &Baseline) {
        self.baseline.get_or_insert_with(|| baseline.clone());
    }

    /// Idle: a ticket is in progress.
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

    /// A close was let through, and is not known to have worked.
    pub(super) fn close_intended(
        &mut self,
        tool_use_id: &str,
        closings: Vec<Closing>,
        now: DateTime<Utc>,
    ) {
        if self.status == Status::Idle {
            self.status = Status::Active;
        }
        // What is left of so many calls has ended unseen.
        if self.close_intents.len() >= MAX_KEPT {
            self.close_intents.clear();
        }
        self.close_intents.insert(tool_use_id.to_owned(), Intent { closings, at: now });
    }

    /// A call came to its end: what it was to close, if anything.
    pub(super) fn close_ended(&mut self, tool_use_id: &str) -> Option<Vec<Closing>> {
        self.close_intents.remove(tool_use_id).map(|pending| pending.closings)
    }

    /// A close worked: a reflection is due. What was found of another ticket says nothing about
    /// this one.
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

    /// A reflection is due: a new cycle, unless one is open.
    pub(super) fn due(&mut self) {
        if self.status.is_open() {
            return;
        }
        self.status = Status::Pending;
        self.reflection = None;
        self.skip = None;
        self.waiting_since = None;
        if !self.circuit_breaker_tripped {
            self.block_count = 0;
        }
    }

    /// A large change makes light of an automatic skip.
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

    /// A stop would be held: counts it, or lets go.
    pub(super) fn press(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) -> Press {
        self.cool(policy, now);
        let press = self.breaker().press(policy, now);
        self.status = Status::Blocked;
        if press == Press::Trip {
            self.status = Status::Idle;
            // A task that the stop was held for is not held open again.
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

    /// Whether the gate has let go, and may not hold yet.
    pub(super) fn is_tripped(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) -> bool {
        self.cool(policy, now);
        self.circuit_breaker_tripped
    }

    fn cool(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) {
        let is_over = self
            .circuit_breaker_tripped_at
            .is_none_or(|at| policy::later(at, policy.cooldown_seconds) <= now);
        if self.circuit_breaker_tripped && is_over {
            self.breaker().reset();
        }
    }

    fn breaker(&mut self) -> Breaker<'_> {
        Breaker {
            block_count: &mut self.block_count,
            tripped: &mut self.circuit_breaker_tripped,
            tripped_at: &mut self.circuit_breaker_tripped_at,
        }
    }

    pub(super) fn may_wait(&mut self, timeout_seconds: u64, now: DateTime<Utc>) -> bool {
        let since = *self.waiting_since.get_or_insert(now);
        now < policy::later(since, timeout_seconds)
    }

    /// Whoever reflects or gives a reason has the notes before it. A small change that passes by
    /// itself has no such reader.
    fn settle_observations(&mut self) {
        self.subagent_observations.iter_mut().for_each(|note| note.is_settled = true);
    }

    /// What was closed is seen to.
    fn settle(&mut self) {
        self.closed.clear();
        self.closed_unnamed.clear();
        self.tasks.values_mut().for_each(|task| task.is_settled = true);
    }

    /// What was learned is written down. Answers whether that was due.
    pub fn reflected(&mut self, done: Done) -> bool {
        let was_due = self.status.is_open();
        if was_due {
            self.status = Status::Reflected;
            self.early_skip = None;
            self.settle();
            self.settle_observations();
        }
        self.breaker().reset();
        self.waiting_since = None;
        self.reflection = Some(done);
        was_due
    }

    /// Nothing is to be written down. Answers whether something was due; without, nothing is
    /// skipped, and the reason is kept for a small change: what has not been done yet cannot have
    /// taught nothing.
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

    /// Whether so small a change is worth a reason and a line in the log: a session that changed
    /// nothing is not, unless it closed a ticket.
    pub(super) fn is_news(&self, lines: u64) -> bool {
        lines > 0 || self.status.is_open()
    }

    /// A small change passes by itself, with the agent's own reason where it gave one.
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
