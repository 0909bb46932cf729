//! What the review gate remembers. Only the methods here change it.

mod calls;
mod queries;
mod reviewers;

use std::{collections::BTreeMap, path::PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use super::cycle::{Allow, GateTrigger, Opener};
use crate::core::{
    bounded::Text,
    breaker::{Breaker, Press},
    policy::{self, BreakerPolicy},
    review::{
        attempt::Attempts,
        decision::{By, Decision, Posted},
        phase::Phase,
        reviewer::{Launch, Reviewer},
        work::{Known, Work},
    },
};

const MAX_PROMPTS: usize = 20;
/// What all kept prompts may weigh together, in bytes; above it the older ones are shortened, so
/// that a session stays small.
const MAX_PROMPT_BYTES: usize = 24 * 1024;
const OLD_PROMPT_BYTES: usize = 512;
const MAX_HISTORY: usize = 50;
/// Calls and agents whose ids are remembered, so that nothing counts twice.
const MAX_IDS: usize = 64;

#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Review {
    enabled: bool,
    decision: Decision,
    decision_history: Vec<Posted>,
    user_prompts: Vec<Text>,
    gate_trigger: Option<GateTrigger>,
    gate_approved_at: Option<DateTime<Utc>>,
    last_prompt_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_prompt_id: Option<String>,
    review_started_at: Option<DateTime<Utc>>,
    block_count: u32,
    circuit_breaker_tripped: bool,
    circuit_breaker_tripped_at: Option<DateTime<Utc>>,
    pub(super) attempts: Attempts,
    /// By `agent_id`. One that has ended undecided stays until another is launched: its token is
    /// still good.
    pub(super) reviewers: BTreeMap<String, Reviewer>,
    /// Those that decided and ended, or never got a token, newest last: they never get one again,
    /// and nobody may talk to them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    former_reviewers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) launches: Vec<Launch>,
    /// Counts the review cycles; 0: none yet.
    cycle: u64,
    /// None in documents of before (see [`Review::opener`]), and before the first cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    opener: Option<Opener>,
    /// A prompt of the user has come since a gate opened the cycle.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    moved_on: bool,
    /// A stop was held in this cycle.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    was_held: bool,
    /// Verdicts with issues since a person last spoke.
    #[serde(skip_serializing_if = "is_zero")]
    rounds: u32,
    /// The trees of the work when the cycle began, by work tree (mode `always`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    before: BTreeMap<PathBuf, String>,
    /// The work trees that this review is about, from the start of its first reviewer on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    works: Vec<PathBuf>,
    /// A file was written since the cycle began or was approved: without a repository that is what
    /// a change is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_written: bool,
    /// Gate denials in this cycle, and the calls that they answered.
    denials: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    denied: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<Approval>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow: Option<Allow>,
    /// The first stop that other subagents let pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_since: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    second_opinions: Vec<String>,
    /// Gated calls that were let through and have not come to their end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    running: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What was approved in this session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Approval {
    /// The user's prompt during which it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt_id: Option<String>,
    /// The git tree that was looked at, of the first work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tree: Option<String>,
    /// Its rows in the tables of its repositories, by their id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rows: Vec<String>,
    /// A person decided at a terminal: it survives the prompt that says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    survives_prompt: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    by_person: bool,
    /// The changed state that the user was told of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<String>,
    /// With scope `tool`: it has served its one call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    used: bool,
    /// The call that it serves now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    used_by: Option<String>,
}

/// How far an approval that is there reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    InScope,
    /// It does not reach this call, and why.
    Over(String),
    /// Nobody can tell, and why.
    Unknown(String),
}

impl Review {
    /// A prompt of the user arrives. Answers whether it is one that was not seen before.
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
            // A call that the user refused never comes to its end.
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
            self.breaker().reset();
            self.rounds = 0;
            self.moved_on = true;
        }
        true
    }

    /// A review is asked for: a new cycle. Earlier reviewers looked at the older request, so their
    /// tokens are void.
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

    /// A file was written, by another than a reviewer.
    pub(in crate::core) fn wrote(&mut self) {
        self.is_written = true;
    }

    /// A person asks again while a reviewer is at work: it goes on, and everything counts anew.
    pub(super) fn asked_again(&mut self) {
        self.breaker().reset();
        self.rounds = 0;
        self.moved_on = false;
        self.opener = Some(Opener::Person);
    }

    /// The review ends without an answer.
    pub(super) fn end(&mut self) {
        self.attempts.close();
        self.dismiss_reviewers();
        self.breaker().reset();
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

    /// A stop is to be blocked: may it be? If not, the gate lets go. Reviewers that still run keep
    /// their tokens: what they find is kept.
    pub(super) fn press(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) -> Press {
        let press = self.breaker().press(policy, now);
        if press == Press::Trip {
            self.attempts.close();
            self.enabled = false;
            self.waiting_since = None;
        }
        press
    }

    /// Whether the gate has let go not long ago. Once the cooldown is over, the breaker is as new.
    pub(super) fn is_hot(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) -> bool {
        let tripped_at = self.circuit_breaker_tripped_at.filter(|_| self.circuit_breaker_tripped);
        let is_hot = tripped_at.is_some_and(|at| now < policy::later(at, policy.cooldown_seconds));
        if self.circuit_breaker_tripped && !is_hot {
            self.breaker().reset();
        }
        is_hot
    }

    /// Whether other subagents may keep this stop waiting.
    pub(super) fn may_wait(&mut self, timeout_seconds: u64, now: DateTime<Utc>) -> bool {
        let since = *self.waiting_since.get_or_insert(now);
        now < policy::later(since, timeout_seconds)
    }

    /// No approval outlives its session, but in the tables.
    pub(super) fn session_ended(&mut self) {
        self.approval = None;
    }

    pub(super) fn found_second_opinions(&mut self, found: &[String]) {
        if self.second_opinions != found {
            self.second_opinions = found.to_vec();
        }
    }

    /// The first reviewer of a cycle fixes what the review is about.
    pub(super) fn fix_works(&mut self, works: &[PathBuf]) {
        if self.works.is_empty() {
            self.works = works.to_vec();
        }
    }

    /// A decision is taken that holds from now on. `rows` are the ids of an approval in the tables.
    pub(super) fn decided(&mut self, posted: Posted, rows: Vec<String>) {
        let blocks = self.block_count;
        match &posted.decision {
            Decision::Complete { .. } => self.approve(&posted, rows),
            Decision::Issues { .. } => {
                // A tripped breaker stays tripped: findings that come after it do not start another
                // round of blocks.
                if posted.by == By::Human || !self.circuit_breaker_tripped {
                    self.enabled = true;
                    self.breaker().reset();
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

    /// A decision is kept for the record, and changes nothing.
    pub(super) fn record(&mut self, posted: Posted) {
        self.decision_history.push(posted);
        keep_newest(&mut self.decision_history, MAX_HISTORY);
    }

    fn approve(&mut self, posted: &Posted, rows: Vec<String>) {
        let by_person = posted.by == By::Human;
        if !self.enabled {
            // Nobody had asked for a review, so no stop waits for one.
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
        self.breaker().reset();
        self.rounds = 0;
        self.waiting_since = None;
    }

    /// A person approved at a prompt, so that the next one is another.
    pub(super) fn approved_at_prompt(&mut self) {
        if let Some(approval) = &mut self.approval {
            approval.survives_prompt = false;
        }
    }

    /// The rows that a verdict with issues takes back. A person's approval only a person does.
    pub(super) fn withdrawable(&self, by: &By) -> &[String] {
        let may = |approval: &&Approval| !approval.by_person || *by == By::Human;
        let approval = self.approval.as_ref().filter(may);
        match approval.filter(|_| self.phase() == Phase::Approved) {
            Some(approval) => &approval.rows,
            None => &[],
        }
    }

    pub(super) fn is_approved_by_person(&self) -> bool {
        self.phase() == Phase::Approved
            && self.approval.as_ref().is_some_and(|approval| approval.by_person)
    }

    /// The work is what some approval in the tables covers: what waits may go on.
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
        self.breaker().reset();
    }

    fn breaker(&mut self) -> Breaker<'_> {
        Breaker {
            block_count: &mut self.block_count,
            tripped: &mut self.circuit_breaker_tripped,
            tripped_at: &mut self.circuit_breaker_tripped_at,
        }
    }
}

fn keep_newest<T>(list: &mut Vec<T>, max: usize) {
    let surplus = list.len().saturating_sub(max);
    list.drain(..surplus);
}
