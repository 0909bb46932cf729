//! What the review gate remembers. Only the methods here change it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::{
    bounded::{Text, TruncatedInput},
    breaker::{Breaker, Press},
    event::Background,
    policy::{self, BreakerPolicy, Policy, Scope},
    review::{
        attempt::Attempts,
        decision::{By, Decision, Posted},
        phase::Phase,
        proof::{Launch, Reviewer},
    },
};

const MAX_PROMPTS: usize = 20;
/// What all kept prompts may weigh together, in bytes; above it the older ones
/// are shortened, so that a session stays small.
const MAX_PROMPT_BYTES: usize = 24 * 1024;
const OLD_PROMPT_BYTES: usize = 512;
const MAX_HISTORY: usize = 50;
/// Calls and agents whose ids are remembered, so that nothing counts twice.
const MAX_IDS: usize = 64;

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
    /// Those under way, by `agent_id`.
    pub(super) reviewers: BTreeMap<String, Reviewer>,
    /// Those that ended or never got a token, newest last: they never get one
    /// again, and are not to be spoken to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    former_reviewers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) launches: Vec<Launch>,
    /// Counts the review cycles; 0: none yet.
    cycle: u64,
    /// The commit that was checked out when the cycle began.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    /// Gate denials in this cycle, and the calls that they answered.
    denials: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    denied: Vec<String>,
    /// Those of them that the user was asked about instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    asked: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<Approval>,
    /// The first stop that other subagents let pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_since: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    second_opinions: Vec<String>,
    /// Gated calls that were let through and have not come to their end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    running: Vec<String>,
}

/// The gated call that asked for a review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateTrigger {
    pub tool_name: String,
    pub tool_input: TruncatedInput,
    pub triggered_at: DateTime<Utc>,
    pub pattern_matched: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Approval {
    /// The user's prompt during which it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tree: Option<String>,
    /// The differing tree that the user was told of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<String>,
    /// With scope `tool`: it has served its one call, and which that was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    used: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    used_by: Option<String>,
}

/// How far an approval that is there reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    InScope,
    /// It does not reach this call, and why.
    Over(&'static str),
}

impl Review {
    pub fn phase(&self) -> Phase<'_> {
        if !self.enabled {
            return Phase::Idle;
        }
        match &self.decision {
            Decision::Complete { .. } => Phase::Approved,
            _ if self.reviewers.values().any(Reviewer::is_undecided) => Phase::Reviewing,
            decision => decision.open_phase(),
        }
    }

    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    pub fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    pub fn block_count(&self) -> u32 {
        self.block_count
    }

    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    pub fn prompts(&self) -> &[Text] {
        &self.user_prompts
    }

    pub fn trigger(&self) -> Option<&GateTrigger> {
        self.gate_trigger.as_ref()
    }

    pub fn started_at(&self) -> Option<DateTime<Utc>> {
        self.review_started_at
    }

    pub fn second_opinions(&self) -> &[String] {
        &self.second_opinions
    }

    pub fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    pub fn is_tripped(&self) -> bool {
        self.circuit_breaker_tripped
    }

    /// The tree that an approval was given for, while it is in scope.
    pub fn approved_tree(&self, policy: &Policy, now: DateTime<Utc>) -> Option<&str> {
        let in_scope = self.reach(None, policy, now) == Reach::InScope;
        match self.phase() {
            Phase::Approved if in_scope => self.approval.as_ref()?.tree.as_deref(),
            _ => None,
        }
    }

    /// At a stop the user is told that the work tree is now `tree`, not the one
    /// that was approved. Answers whether that is news.
    pub(super) fn told_of(&mut self, tree: &str) -> bool {
        let Some(approval) = &mut self.approval else { return false };
        let is_news = approval.told.as_deref() != Some(tree);
        approval.told = Some(tree.to_owned());
        is_news
    }

    /// All decisions of this cycle, oldest first.
    pub fn decisions_of_cycle(&self) -> impl DoubleEndedIterator<Item = &Posted> {
        self.decision_history.iter().filter(|it| it.cycle == self.cycle)
    }

    /// Who decided last in this cycle, in words.
    pub(crate) fn finder(&self) -> &'static str {
        match self.decisions_of_cycle().next_back().map(|it| &it.by) {
            Some(By::Human) => "a person",
            Some(By::Reviewer(_)) | None => "the reviewer",
        }
    }

    /// Whether `agent` has reviewed, and ended.
    pub(super) fn is_former(&self, agent: &str) -> bool {
        self.former_reviewers.iter().any(|it| it == agent)
    }

    /// Whether `agent` is a reviewer under way.
    pub fn has_token(&self, agent: &str) -> bool {
        self.reviewers.contains_key(agent)
    }

    /// Whether `agent` reviews or has reviewed in this session.
    pub fn is_reviewer(&self, agent: &str) -> bool {
        self.has_token(agent) || self.is_former(agent)
    }

    /// Every reviewer of this session that is known.
    pub fn reviewer_ids(&self) -> impl Iterator<Item = &str> {
        self.reviewers.keys().chain(&self.former_reviewers).map(String::as_str)
    }

    pub(super) fn is_hot(&self, policy: &BreakerPolicy, now: DateTime<Utc>) -> bool {
        self.circuit_breaker_tripped
            && self
                .circuit_breaker_tripped_at
                .is_some_and(|at| now < policy::later(at, policy.cooldown_seconds))
    }

    // What happens.

    /// A prompt of the user arrives. Answers whether it is one that was not
    /// seen before.
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
        true
    }

    /// A review is asked for: a new cycle. Earlier reviewers looked at the
    /// older request, so their tokens are void.
    pub(super) fn open(&mut self, base: Option<&str>, now: DateTime<Utc>) {
        self.attempts.close();
        self.dismiss_reviewers();
        self.breaker().reset();
        self.enabled = true;
        self.decision = Decision::Pending;
        self.gate_trigger = None;
        self.gate_approved_at = None;
        self.approval = None;
        self.review_started_at = Some(now);
        self.cycle += 1;
        self.base = base.map(str::to_owned);
        self.denials = 0;
        self.denied.clear();
        self.asked.clear();
        self.waiting_since = None;
    }

    /// The review ends without an answer: at the user's word.
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
    }

    /// A stop is to be blocked: may it be? If not, the gate lets go. Reviewers
    /// that still run keep their tokens: what they find is kept.
    pub(super) fn press(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) -> Press {
        let press = self.breaker().press(policy, now);
        if press == Press::Trip {
            self.attempts.close();
            self.enabled = false;
            self.waiting_since = None;
        }
        press
    }

    pub(super) fn cool_down(&mut self) {
        self.breaker().reset();
    }

    /// Whether other subagents may keep this stop waiting.
    pub(super) fn may_wait(&mut self, timeout_seconds: u64, now: DateTime<Utc>) -> bool {
        let since = *self.waiting_since.get_or_insert(now);
        now < policy::later(since, timeout_seconds)
    }

    pub(super) fn triggered(&mut self, trigger: GateTrigger) {
        self.gate_trigger = Some(trigger);
    }

    pub(super) fn was_denied(&self, call: Option<&str>) -> bool {
        call.is_some_and(|id| self.denied.iter().any(|it| it == id))
    }

    pub(super) fn was_asked(&self, call: Option<&str>) -> bool {
        call.is_some_and(|id| self.asked.iter().any(|it| it == id))
    }

    /// Counts a denial. Answers whether there were `max` before it in this
    /// cycle, so that the user is asked instead.
    pub(super) fn denied(&mut self, call: Option<&str>, max: u32) -> bool {
        let asks = max <= self.denials;
        self.denials = self.denials.saturating_add(1);
        if asks {
            self.asked.extend(call.map(str::to_owned));
            keep_newest(&mut self.asked, MAX_IDS);
        }
        self.denied.extend(call.map(str::to_owned));
        keep_newest(&mut self.denied, MAX_IDS);
        asks
    }

    /// Whether the approval reaches the gated call `call`.
    pub(super) fn reach(&self, call: Option<&str>, policy: &Policy, now: DateTime<Utc>) -> Reach {
        let gates = &policy.review.gates;
        let Some(approval) = &self.approval else {
            return Reach::Over("nothing is approved");
        };
        // A hook that is registered twice agrees with itself.
        if approval.used && (call.is_none() || approval.used_by.as_deref() != call) {
            return Reach::Over("the approval has served its one call");
        }
        let Some(approved_at) = self.gate_approved_at else {
            return Reach::Over("nothing is approved");
        };
        if gates.approval_ttl_seconds.is_some_and(|ttl| policy::later(approved_at, ttl) < now) {
            return Reach::Over("the approval has expired");
        }
        let same_prompt = match (&approval.prompt_id, &self.last_prompt_id) {
            (Some(then), Some(now)) => then == now,
            _ => self.last_prompt_at.is_none_or(|at| at <= approved_at),
        };
        match gates.approval_scope {
            Scope::Work | Scope::Prompt if !same_prompt => {
                Reach::Over("the user has sent another prompt since the approval")
            }
            Scope::Work | Scope::Prompt | Scope::Session | Scope::Tool => Reach::InScope,
        }
    }

    /// A gated call goes through under the approval.
    pub(super) fn served(&mut self, call: Option<&str>, scope: Scope) {
        self.running.extend(call.map(str::to_owned));
        keep_newest(&mut self.running, MAX_IDS);
        if scope == Scope::Tool
            && let Some(approval) = &mut self.approval
        {
            approval.used = true;
            approval.used_by = call.map(str::to_owned);
            self.enabled = false;
            self.decision = Decision::Pending;
            self.gate_trigger = None;
        }
    }

    /// No approval outlives its session.
    pub(super) fn session_ended(&mut self) {
        self.approval = None;
    }

    /// A gated call came to its end. Answers whether it was one that we know.
    pub(super) fn ended(&mut self, call: &str) -> bool {
        let before = self.running.len();
        self.running.retain(|it| it != call);
        if let Some(approval) = &mut self.approval
            && approval.used_by.as_deref() == Some(call)
        {
            approval.used_by = None;
        }
        self.running.len() < before
    }

    pub(super) fn found_second_opinions(&mut self, found: &[String]) {
        if self.second_opinions != found {
            self.second_opinions = found.to_vec();
        }
    }

    /// Takes a decision down. `stands`: it is also the one that holds from now
    /// on.
    pub(super) fn post(&mut self, posted: Posted, stands: bool) {
        let blocks = self.block_count;
        if stands {
            match &posted.decision {
                Decision::Complete { .. } => {
                    self.enabled = true;
                    self.gate_approved_at = Some(posted.posted_at);
                    self.approval = Some(Approval {
                        prompt_id: self.last_prompt_id.clone(),
                        tree: posted.tree.clone(),
                        ..Approval::default()
                    });
                    self.breaker().reset();
                    self.waiting_since = None;
                }
                Decision::Issues { .. } => {
                    // A tripped breaker stays tripped: findings that come
                    // after it do not start another round of blocks.
                    self.enabled |= !self.circuit_breaker_tripped || posted.by == By::Human;
                    if posted.by == By::Human && self.circuit_breaker_tripped {
                        self.breaker().reset();
                    }
                    self.gate_approved_at = None;
                    self.approval = None;
                }
                Decision::Pending => (),
            }
            self.decision = posted.decision.clone();
            self.attempts.succeeded(&posted.decision, &posted.by, blocks);
        }
        self.decision_history.push(posted);
        keep_newest(&mut self.decision_history, MAX_HISTORY);
    }

    /// A subagent with the reviewer's name started and gets no token.
    pub(super) fn turned_away(&mut self, agent: &str) {
        if !self.is_former(agent) {
            self.former_reviewers.push(agent.to_owned());
            keep_newest(&mut self.former_reviewers, MAX_IDS);
        }
    }

    /// A reviewer is no longer there.
    pub(super) fn lost_reviewer(&mut self, agent: &str) -> Option<Reviewer> {
        let reviewer = self.reviewers.remove(agent)?;
        self.turned_away(agent);
        if self.enabled && self.reviewers.is_empty() && reviewer.is_undecided() {
            self.attempts.undecided();
        }
        Some(reviewer)
    }

    /// Drops the undecided reviewers that no longer run.
    pub(super) fn lose_absent_reviewers(
        &mut self,
        background: Option<&[Background]>,
        timeout_seconds: u64,
        now: DateTime<Utc>,
    ) {
        let gone = |(id, reviewer): (&String, &Reviewer)| {
            let is_gone = match background {
                Some(running) => !running.iter().any(|it| it.agent_id == *id),
                None => policy::later(reviewer.started_at, timeout_seconds) <= now,
            };
            is_gone.then(|| id.clone())
        };
        let gone: Vec<String> = self.reviewers.iter().filter_map(gone).collect();
        for agent in gone {
            self.lost_reviewer(&agent);
        }
    }

    fn dismiss_reviewers(&mut self) {
        for agent in std::mem::take(&mut self.reviewers).into_keys() {
            self.turned_away(&agent);
        }
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
