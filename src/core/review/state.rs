//! What the review gate remembers. Only the methods here change it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use super::cycle::{Allow, GateTrigger, Opener};
use crate::core::{
    bounded::Text,
    breaker::{Breaker, Press},
    event::Background,
    policy::{self, BreakerPolicy, Policy, Scope},
    review::{
        attempt::Attempts,
        decision::{By, Decision, Posted},
        phase::Phase,
        proof::{Launch, Reviewer},
        words,
        work::{Known, Work},
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
    /// The commit that was checked out when the cycle began.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
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
    /// Those of them that the user was asked about instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    asked: Vec<String>,
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
    pub fn phase(&self) -> Phase<'_> {
        if !self.enabled {
            return Phase::Idle;
        }
        match &self.decision {
            Decision::Complete { .. } => Phase::Approved,
            _ if self.reviewers.values().any(Reviewer::is_at_work) => Phase::Reviewing,
            decision => decision.open_phase(),
        }
    }

    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// A cycle of an older document was opened by `#roz` if no call waits for it.
    pub fn opener(&self) -> Opener {
        let guess = if self.gate_trigger.is_some() { Opener::Gate } else { Opener::Person };
        self.opener.unwrap_or(guess)
    }

    pub fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// The work trees that this review is about; none before its first reviewer starts.
    pub fn works(&self) -> &[PathBuf] {
        &self.works
    }

    pub fn block_count(&self) -> u32 {
        self.block_count
    }

    pub fn rounds(&self) -> u32 {
        self.rounds
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

    pub fn approved_at(&self) -> Option<DateTime<Utc>> {
        self.approval.as_ref().and(self.gate_approved_at)
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

    /// Whether a gate is closed that a person could open: a call waits.
    pub fn is_gate_closed(&self) -> bool {
        self.phase().is_open() && self.gate_trigger.is_some()
    }

    /// At a stop the user is told of a changed state, `tree`. Answers whether that is news.
    pub(super) fn told_of(&mut self, tree: &str) -> bool {
        let Some(approval) = &mut self.approval else { return false };
        let is_news = approval.told.as_deref() != Some(tree);
        approval.told = Some(tree.to_owned());
        is_news
    }

    /// All decisions of this cycle, oldest first.
    pub fn decisions_of_cycle(&self) -> impl DoubleEndedIterator<Item = &Posted> {
        self.decision_history.iter().filter(|posted| posted.cycle == self.cycle)
    }

    /// What the last reviewer found, if it found issues.
    pub(super) fn decision_in_words(&self) -> Option<String> {
        match &self.decision {
            Decision::Issues { summary, .. } => Some(crate::core::bounded::chars(summary, 300)),
            Decision::Pending | Decision::Complete { .. } => None,
        }
    }

    /// Whether a stop was held in this cycle before.
    pub(super) fn was_held(&self) -> bool {
        self.was_held
    }

    pub(super) fn held(&mut self) {
        self.was_held = true;
    }

    /// Who decided last in this cycle, in words.
    pub(crate) fn finder(&self) -> &'static str {
        match self.decisions_of_cycle().next_back().map(|posted| &posted.by) {
            Some(By::Human) => "a person",
            Some(By::Reviewer(_)) | None => "the reviewer",
        }
    }

    /// Whether `agent` has reviewed, and ended.
    pub(super) fn is_former(&self, agent: &str) -> bool {
        self.former_reviewers.iter().any(|former| former == agent)
    }

    /// Whether `agent` is a reviewer with a token.
    pub fn has_token(&self, agent: &str) -> bool {
        self.reviewers.contains_key(agent)
    }

    /// The trees of the work when the reviewer with this token started.
    pub fn trees_at_start(&self, token: &str) -> Option<BTreeMap<PathBuf, String>> {
        let digest = crate::core::bounded::sha256(token.trim().as_bytes());
        let mut reviewers = self.reviewers.values();
        Some(reviewers.find(|reviewer| reviewer.token_sha256 == digest)?.began_with.clone())
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

    /// Whether nobody waits for this review any more but a gated call: the user has moved on.
    pub(super) fn has_moved_on(&self) -> bool {
        self.moved_on && self.opener().lets_go()
    }

    /// Whether a stop asks for the work to be looked at: it may have changed since the approval.
    pub fn approval_is_watched(&self, is_always: bool) -> bool {
        let is_fresh = match (self.last_prompt_at, self.gate_approved_at) {
            (Some(prompt), Some(approved)) => prompt <= approved,
            _ => true,
        };
        self.phase() == Phase::Approved
            && (is_always || self.opener() == Opener::Person && is_fresh)
    }

    /// Whether a work tree is as it was when the cycle began.
    pub(super) fn is_untouched(&self, works: &[Work]) -> bool {
        let is_same = |work: &Work| match work {
            Work::Known(known) => self.before.get(&known.root) == Some(&known.tree),
            Work::NoRepository => !self.is_written,
            Work::NotAsked | Work::Unknown(_) => false,
        };
        !works.is_empty() && works.iter().all(is_same)
    }

    /// What no approval covers of a work tree, in words.
    pub(super) fn why_new(&self, work: &Work) -> Option<String> {
        match work {
            Work::Known(known) if known.needs_approval() => Some(words::why_new(known)),
            Work::NoRepository if self.is_written => {
                Some("files were written since the approval".to_owned())
            }
            Work::Known(_) | Work::NoRepository | Work::NotAsked | Work::Unknown(_) => None,
        }
    }

    /// Whether a reviewer that the agent launched by itself left without a decision. It may still
    /// decide.
    pub(super) fn is_ahead_of_time(&self) -> bool {
        self.phase() == Phase::Idle
            && self.opener == Some(Opener::Launch)
            && self.approval.is_none()
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

    /// A review is asked for: a new cycle. Earlier reviewers looked at the
    /// older request, so their tokens are void.
    pub(super) fn open(&mut self, opener: Opener, base: Option<&str>, now: DateTime<Utc>) {
        self.end();
        self.enabled = true;
        self.opener = Some(opener);
        self.review_started_at = Some(now);
        self.cycle += 1;
        self.base = base.map(str::to_owned);
    }

    /// The work as it is when the cycle begins.
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
        self.asked.clear();
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
        // Whose cycle it is must not be guessed from a call that came later.
        self.opener = Some(self.opener());
        self.gate_trigger = Some(trigger);
    }

    pub(super) fn was_denied(&self, call: Option<&str>) -> bool {
        call.is_some_and(|id| self.denied.iter().any(|denied| denied == id))
    }

    pub(super) fn was_asked(&self, call: Option<&str>) -> bool {
        call.is_some_and(|id| self.asked.iter().any(|asked| asked == id))
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

    /// Whether an approval reaches the gated call `call` on `work`.
    pub(super) fn reach(
        &self,
        call: Option<&str>,
        work: &Work,
        policy: &Policy,
        now: DateTime<Utc>,
    ) -> Reach {
        const NOTHING: &str = "no reviewer has approved this work";
        let gates = &policy.review.gates;
        let is_new = |over: &str| Reach::Over(over.to_owned());
        if gates.approval_scope == Scope::Work {
            // One of an older document: it has no row in a table.
            let is_without_tree =
                |approval: &Approval| approval.tree.is_none() && approval.rows.is_empty();
            match work {
                Work::Known(known) if known.approval.is_some() => return Reach::InScope,
                Work::Known(known) if !self.approval.as_ref().is_some_and(is_without_tree) => {
                    return Reach::Over(words::why_new(known));
                }
                Work::Unknown(why) => return Reach::Unknown(why.clone()),
                // Until the next prompt, as without a repository.
                Work::Known(_) | Work::NoRepository | Work::NotAsked => (),
            }
        }
        let (Some(approval), Some(approved_at)) = (&self.approval, self.gate_approved_at) else {
            return is_new(NOTHING);
        };
        // A hook that is registered twice agrees with itself.
        let is_same_call = call.is_some() && approval.used_by.as_deref() == call;
        if approval.used && !is_same_call {
            return is_new("the approval was for one call, and that call has been made");
        }
        if approval.used_by.is_some() && !is_same_call {
            return is_new("the approval is for one call, and that call is being made");
        }
        if gates.approval_ttl_seconds.is_some_and(|ttl| policy::later(approved_at, ttl) < now) {
            return is_new("the approval has expired");
        }
        let same_prompt = match (&approval.prompt_id, &self.last_prompt_id) {
            (Some(then), Some(now)) => then == now,
            _ => self.last_prompt_at.is_none_or(|at| at <= approved_at),
        };
        match gates.approval_scope {
            Scope::Work | Scope::Prompt if !same_prompt && !approval.survives_prompt => {
                is_new("the user has sent another prompt since the approval")
            }
            Scope::Work | Scope::Prompt | Scope::Session | Scope::Tool => Reach::InScope,
        }
    }

    /// A gated call goes through under an approval. In scope `work` that may be one of another
    /// session: then this session's work is approved as well.
    pub(super) fn served(&mut self, call: Option<&str>, scope: Scope, work: &Work) {
        self.running.extend(call.map(str::to_owned));
        keep_newest(&mut self.running, MAX_IDS);
        if scope == Scope::Tool
            && let Some(approval) = &mut self.approval
        {
            match call {
                Some(call) => approval.used_by = Some(call.to_owned()),
                None => approval.used = true,
            }
        }
        if scope == Scope::Work
            && self.phase() == Phase::Idle
            && let Some(serving) = work.known().and_then(|known| known.approval.as_ref())
        {
            self.enabled = true;
            self.opener = Some(Opener::Gate);
            self.breaker().reset();
            self.decision =
                Decision::Complete { summary: serving.summary.clone(), second_opinions: None };
        }
    }

    /// A gated call goes through because a person said so.
    pub(super) fn allowed(&mut self, call: Option<&str>) {
        self.running.extend(call.map(str::to_owned));
        keep_newest(&mut self.running, MAX_IDS);
        match (call, &mut self.allow) {
            (Some(call), Some(allow)) => allow.call = Some(call.to_owned()),
            (None, _) => self.allow = None,
            (Some(_), None) => (),
        }
    }

    /// Whether a gated call was let through and has not ended.
    pub(super) fn is_running(&self, call: Option<&str>) -> bool {
        call.is_some_and(|call| self.running.iter().any(|running| running == call))
    }

    pub(super) fn is_allowed(&self, pattern: &str, call: Option<&str>, now: DateTime<Utc>) -> bool {
        self.allow.as_ref().is_some_and(|allow| allow.covers(pattern, call, now))
    }

    /// A person lets one gated call through: of the pattern that a call waits for, if one does.
    pub(super) fn allow_once(&mut self, now: DateTime<Utc>) -> Option<&str> {
        let waits = self.phase().is_open();
        let pattern = self.gate_trigger.as_ref().filter(|_| waits);
        let pattern = pattern.map(|trigger| trigger.pattern_matched.clone());
        let allow = self.allow.insert(Allow::new(pattern, now));
        allow.pattern.as_deref()
    }

    /// No approval outlives its session, but in the tables.
    pub(super) fn session_ended(&mut self) {
        self.approval = None;
    }

    /// A gated call came to its end. Answers whether it was one that we know.
    pub(super) fn ended(&mut self, call: &str, succeeded: bool) -> bool {
        let before = self.running.len();
        self.running.retain(|running| running != call);
        let is_calls = |used_by: &Option<String>| used_by.as_deref() == Some(call);
        if let Some(approval) =
            self.approval.as_mut().filter(|approval| is_calls(&approval.used_by))
        {
            approval.used = succeeded;
            if succeeded {
                self.enabled = false;
                self.decision = Decision::Pending;
                self.gate_trigger = None;
            } else {
                approval.used_by = None;
            }
        }
        if let Some(allow) = self.allow.as_mut().filter(|allow| is_calls(&allow.call)) {
            allow.call = None;
            if succeeded {
                self.allow = None;
            }
        }
        self.running.len() < before
    }

    pub(super) fn found_second_opinions(&mut self, found: &[String]) {
        if self.second_opinions != found {
            self.second_opinions = found.to_vec();
        }
    }

    /// The first reviewer of a cycle fixes what the review is about.
    pub(super) fn is_about(&mut self, works: &[PathBuf]) {
        if self.works.is_empty() {
            self.works = works.to_vec();
        }
    }

    /// Takes a decision down. `stands`: it is also the one that holds from now on. `rows` are the
    /// ids of an approval in the tables.
    pub(super) fn post(&mut self, posted: Posted, rows: Vec<String>, stands: bool) {
        let blocks = self.block_count;
        if stands {
            match &posted.decision {
                Decision::Complete { .. } => self.approve(&posted, rows),
                Decision::Issues { .. } => {
                    // A tripped breaker stays tripped: findings that come
                    // after it do not start another round of blocks.
                    self.enabled |= !self.circuit_breaker_tripped || posted.by == By::Human;
                    if posted.by == By::Human || !self.circuit_breaker_tripped {
                        self.breaker().reset();
                    }
                    self.rounds = self.rounds.saturating_add(1);
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

    /// A subagent with the reviewer's name started and gets no token.
    pub(super) fn turned_away(&mut self, agent: &str) {
        if !self.is_former(agent) {
            self.former_reviewers.push(agent.to_owned());
            keep_newest(&mut self.former_reviewers, MAX_IDS);
        }
    }

    /// A reviewer with a token starts. Those that ended undecided cannot decide any more.
    pub(super) fn started(&mut self, agent: &str, reviewer: Reviewer) {
        let gone = self.reviewers.iter().filter(|(_, other)| other.has_ended());
        let gone: Vec<String> = gone.map(|(id, _)| id.clone()).collect();
        for id in gone {
            self.reviewers.remove(&id);
            self.turned_away(&id);
        }
        self.reviewers.insert(agent.to_owned(), reviewer);
        self.attempts.spawned();
    }

    /// A reviewer is no longer there: the review is as it was before it started.
    pub(super) fn lost_reviewer(&mut self, agent: &str, timed_out: bool) {
        let Some(reviewer) = self.reviewers.get_mut(agent) else { return };
        let was_undecided = reviewer.is_undecided();
        if was_undecided {
            reviewer.ended();
        } else {
            self.reviewers.remove(agent);
            self.turned_away(agent);
        }
        let any_at_work = self.reviewers.values().any(Reviewer::is_at_work);
        if !self.enabled || any_at_work || !was_undecided {
            return;
        }
        if timed_out {
            self.attempts.timed_out();
        } else {
            self.attempts.undecided();
        }
        if self.opener() == Opener::Launch && self.decision == Decision::Pending {
            // Nobody had asked for this review: what was before it is nothing. Its token is kept.
            self.enabled = false;
        }
    }

    /// Drops the undecided reviewers that have been at work for too long.
    pub(super) fn lose_late_reviewers(&mut self, timeout_seconds: u64, now: DateTime<Utc>) {
        let is_late = |reviewer: &Reviewer| {
            reviewer.is_at_work() && policy::later(reviewer.started_at, timeout_seconds) <= now
        };
        let late = self.reviewers.iter().filter(|(_, reviewer)| is_late(reviewer));
        let late: Vec<String> = late.map(|(id, _)| id.clone()).collect();
        // As long as one of them is in time, all are waited for.
        let mut undecided = self.reviewers.values().filter(|reviewer| reviewer.is_at_work());
        if undecided.all(is_late) {
            for agent in late {
                self.lost_reviewer(&agent, true);
            }
        }
    }

    /// Drops the reviewers that the client does not list as running.
    pub(super) fn lose_absent_reviewers(&mut self, running: &[Background]) {
        let is_gone = |id: &String| !running.iter().any(|task| task.agent_id == *id);
        let gone: Vec<String> = self.reviewers.keys().filter(|id| is_gone(id)).cloned().collect();
        for agent in gone {
            self.lost_reviewer(&agent, false);
        }
    }

    /// The client that ran the reviewers is gone, and they with it.
    pub(super) fn lose_all_reviewers(&mut self) {
        self.lose_absent_reviewers(&[]);
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

    /// Whether the trigger's call is on the work tree `root`.
    pub fn trigger_root(&self) -> Option<&Path> {
        self.gate_trigger.as_ref()?.root.as_deref()
    }
}

fn keep_newest<T>(list: &mut Vec<T>, max: usize) {
    let surplus = list.len().saturating_sub(max);
    list.drain(..surplus);
}
