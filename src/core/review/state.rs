//! What the review gate remembers. Only the methods here change it.

mod calls;
mod queries;
mod reviewers;

use std::{collections::BTreeMap, path::PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use super::trigger::{Allow, GateTrigger, Opener};
use crate::core::{
    bounded::Text,
    breaker::{Breaker, Press},
    policy::{self, BreakerPolicy},
    review::{
        blocked_stops::Attempts,
        decision::{By, Decision, Posted},
        phase::Phase,
        reviewer::{Launch, Reviewer},
        work::{Known, Work},
    },
};

/// What is said of a review whose breaker has tripped.
pub(super) const GIVEN_UP: &str = "the review was given up after too many stops";

const MAX_PROMPTS: usize = 20;
/// In bytes, for all stored prompts together; above it the older ones are shortened.
const MAX_PROMPT_BYTES: usize = 24 * 1024;
const OLD_PROMPT_BYTES: usize = 512;
const MAX_HISTORY: usize = 50;
/// Remembered ids of calls and agents, so that none counts twice.
const MAX_IDS: usize = 64;

#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Review {
    enabled: bool,
    pub(crate) decision: Decision,
    decision_history: Vec<Posted>,
    pub(crate) user_prompts: Vec<Text>,
    gate_trigger: Option<GateTrigger>,
    gate_approved_at: Option<DateTime<Utc>>,
    last_prompt_at: Option<DateTime<Utc>>,
    last_prompt_id: Option<String>,
    pub(crate) review_started_at: Option<DateTime<Utc>>,
    #[serde(flatten)]
    pub(crate) breaker: Breaker,
    pub(crate) attempts: Attempts,
    /// By `agent_id`. One that ended undecided stays until the next launch: its token is still
    /// valid.
    pub(super) reviewers: BTreeMap<String, Reviewer>,
    /// Reviewers that decided and ended, or never got a token, newest last. They never get one
    /// again, and messages to them are refused.
    former_reviewers: Vec<String>,
    pub(super) launches: Vec<Launch>,
    /// 0: no cycle yet.
    pub(super) cycle: u64,
    /// `None` before the first cycle and in older documents (see [`Review::opener`]).
    opener: Option<Opener>,
    /// The user sent a prompt after a gate opened the cycle.
    pub(super) moved_on: bool,
    was_held: bool,
    /// Reviews with issues since a person's last message.
    pub(in crate::core) rounds: u32,
    /// Trees at the start of the cycle, by work tree (mode `always`).
    before: BTreeMap<PathBuf, String>,
    /// Fixed when the first reviewer starts.
    pub(crate) works: Vec<PathBuf>,
    /// A file was written since the cycle began or was approved: outside of a repository this is
    /// the only sign of a change.
    is_written: bool,
    pub(super) denials: u32,
    denied: Vec<String>,
    approval: Option<Approval>,
    allow: Option<Allow>,
    /// The first stop that passed because other subagents run.
    waiting_since: Option<DateTime<Utc>>,
    /// Permitted gated calls that have not ended.
    running: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Approval {
    prompt_id: Option<String>,
    /// The reviewed git tree of the first work tree.
    tree: Option<String>,
    /// Ids of its rows in the repositories' tables.
    rows: Vec<String>,
    /// Approved at a terminal, so the prompt that reports it does not end it.
    survives_prompt: bool,
    by_person: bool,
    /// The changed tree that the user was told about.
    told: Option<String>,
    /// With scope `tool`: its one call has succeeded.
    used: bool,
    used_by: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    InScope,
    /// Does not cover this call; says why.
    Over(String),
    /// Unknown; says why.
    Unknown(String),
}

impl Review {
    /// Returns whether the prompt is new.
    pub(super) fn prompted(&mut self, text: &str, id: Option<&str>, now: DateTime<Utc>) -> bool {
        let is_told_again = id.is_some()
            && id == self.last_prompt_id.as_deref()
            && self.user_prompts.last() == Some(&Text::of(text));
        if is_told_again {
            return false;
        }
        self.last_prompt_at = Some(now);
        self.last_prompt_id = id.map(str::to_owned);
        self.user_prompts.push(Text::of(text));
        keep_newest(&mut self.user_prompts, MAX_PROMPTS);
        let mut weight = 0;
        for prompt in self.user_prompts.iter_mut().rev() {
            weight += prompt.as_str().len();
            if weight > MAX_PROMPT_BYTES {
                prompt.shorten(OLD_PROMPT_BYTES);
            }
        }
        if let Some(allow) = &mut self.allow {
            allow.prompts += 1;
            // A call that the user declined never ends.
            allow.call = None;
        }
        if let Some(approval) = &mut self.approval {
            if std::mem::take(&mut approval.survives_prompt) {
                approval.prompt_id = id.map(str::to_owned);
                self.gate_approved_at = Some(now);
            }
            approval.used_by = None;
        }
        if self.phase().is_open() {
            self.breaker.reset();
            self.rounds = 0;
            self.moved_on = true;
        }
        true
    }

    /// Begins a cycle. Earlier reviewers looked at the older request, so their tokens become
    /// invalid.
    pub(super) fn open(&mut self, opener: Opener, now: DateTime<Utc>) {
        self.end();
        self.enabled = true;
        self.opener = Some(opener);
        self.review_started_at = Some(now);
        self.cycle += 1;
    }

    pub(super) fn began_with(&mut self, works: &[Work]) {
        let trees = works.iter().filter_map(Work::known);
        self.before = trees.map(|known| (known.root.clone(), known.tree.clone())).collect();
    }

    /// Not called for a reviewer's writes.
    pub(in crate::core) fn wrote(&mut self) {
        self.is_written = true;
    }

    /// A person asks during a review: the reviewer continues, and all counts restart.
    pub(super) fn asked_again(&mut self) {
        self.breaker.reset();
        self.rounds = 0;
        self.moved_on = false;
        self.opener = Some(Opener::Person);
    }

    pub(super) fn end(&mut self) {
        self.attempts.close();
        for agent in std::mem::take(&mut self.reviewers).into_keys() {
            self.exclude(&agent);
        }
        self.breaker.reset();
        self.enabled = false;
        self.decision = Decision::Pending;
        self.gate_trigger = None;
        self.gate_approved_at = None;
        self.approval = None;
        self.waiting_since = None;
        self.opener = None;
        self.moved_on = false;
        self.was_held = false;
        self.rounds = 0;
        self.before.clear();
        self.works.clear();
        self.is_written = false;
        self.denials = 0;
        self.denied.clear();
    }

    /// Counts a block, or trips the breaker. Running reviewers keep their tokens, so their findings
    /// are recorded.
    pub(super) fn press(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) -> Press {
        let press = self.breaker.press(policy, now);
        if press == Press::Trip {
            self.attempts.close();
            self.enabled = false;
            self.waiting_since = None;
        }
        press
    }

    pub(super) fn may_wait(&mut self, timeout_seconds: u64, now: DateTime<Utc>) -> bool {
        let since = *self.waiting_since.get_or_insert(now);
        now < policy::later(since, timeout_seconds)
    }

    /// Only approvals in tables outlive the session.
    pub(super) fn session_ended(&mut self) {
        self.approval = None;
    }

    /// Applies a decision. `rows` are the ids of an approval in the tables.
    pub(super) fn decided(&mut self, posted: Posted, rows: Vec<String>) {
        let blocks = self.breaker.block_count;
        match &posted.decision {
            Decision::Complete { .. } => self.approve(&posted, rows),
            Decision::Issues { .. } => {
                // A tripped breaker stays tripped: later findings cause no further blocks.
                if posted.by == By::Human || !self.breaker.is_tripped {
                    self.enabled = true;
                    self.breaker.reset();
                }
                self.rounds = self.rounds.saturating_add(1);
                self.gate_approved_at = None;
                self.approval = None;
            }
            Decision::Pending => (),
        }
        self.decision = posted.decision.clone();
        self.attempts.succeeded(&posted.decision, blocks);
        self.record(posted);
    }

    /// Records a decision that has no effect.
    pub(super) fn record(&mut self, posted: Posted) {
        self.decision_history.push(posted);
        keep_newest(&mut self.decision_history, MAX_HISTORY);
    }

    fn approve(&mut self, posted: &Posted, rows: Vec<String>) {
        let by_person = posted.by == By::Human;
        if !self.enabled {
            // Nobody asked for this review, so no stop waits for it.
            self.opener.get_or_insert(Opener::Gate);
        }
        self.enabled = true;
        self.is_written = false;
        self.opener = Some(self.opener());
        self.gate_approved_at = Some(posted.posted_at);
        self.approval = Some(Approval {
            prompt_id: self.last_prompt_id.clone(),
            tree: posted.tree.clone(),
            rows,
            survives_prompt: by_person,
            by_person,
            ..Approval::default()
        });
        self.breaker.reset();
        self.rounds = 0;
        self.waiting_since = None;
    }

    pub(super) fn approved_at_prompt(&mut self) {
        if let Some(approval) = &mut self.approval {
            approval.survives_prompt = false;
        }
    }

    /// Rows that a review with issues withdraws. Only a person withdraws a person's approval.
    pub(super) fn withdrawable(&self, by: &By) -> Vec<String> {
        let may =
            self.phase() == Phase::Approved && (*by == By::Human || !self.is_approved_by_person());
        let approval = self.approval.as_ref().filter(|_| may);
        approval.map(|approval| approval.rows.clone()).unwrap_or_default()
    }

    pub(super) fn is_approved_by_person(&self) -> bool {
        self.phase() == Phase::Approved
            && self.approval.as_ref().is_some_and(|approval| approval.by_person)
    }

    /// An approval in the tables covers the work, so waiting calls and stops may pass.
    pub(super) fn approved_by_table(&mut self, known: &Known, summary: &str, now: DateTime<Utc>) {
        self.attempts.close();
        self.opener = Some(self.opener());
        self.decision = Decision::Complete { summary: summary.to_owned(), second_opinions: None };
        self.gate_approved_at = Some(now);
        self.approval = Some(Approval {
            prompt_id: self.last_prompt_id.clone(),
            tree: Some(known.tree.clone()),
            ..Approval::default()
        });
        self.is_written = false;
        self.breaker.reset();
    }
}

fn keep_newest<T>(list: &mut Vec<T>, max: usize) {
    let surplus = list.len().saturating_sub(max);
    list.drain(..surplus);
}
