//! What the intent gate remembers of a session: the selected intent, the content that agents have
//! seen, questions to a person.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{check_commands::Ended, unconfirmed::FileHashes};
use crate::core::{policy, refusal::Code};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IntentState {
    /// The project had a sidecar in this session, so removing it does not turn the gate off.
    #[serde(skip_serializing_if = "is_default")]
    had_sidecar: bool,
    #[serde(skip_serializing_if = "is_default")]
    selected: Option<Selected>,
    /// The session has ended, and has not been resumed.
    #[serde(skip_serializing_if = "is_default")]
    has_left: bool,
    #[serde(skip_serializing_if = "is_default")]
    blocked: Option<Code>,
    /// Selecting calls that were let through: intent by `tool_use_id`.
    #[serde(skip_serializing_if = "is_default")]
    selecting: BTreeMap<String, String>,
    /// By `tool_use_id`.
    #[serde(skip_serializing_if = "is_default")]
    in_flight: BTreeMap<String, InFlight>,
    /// By agent (the main one has no name), then by path from the project's root.
    #[serde(skip_serializing_if = "is_default")]
    read: BTreeMap<String, BTreeMap<String, Seen>>,
    #[serde(skip_serializing_if = "is_default")]
    streak: Option<Streak>,
    /// By `tool_use_id`.
    #[serde(skip_serializing_if = "is_default")]
    asked: BTreeMap<String, Approved>,
    /// When a person was asked about calls that grant something, by `tool_use_id`.
    #[serde(rename = "granting_since", skip_serializing_if = "is_default")]
    granting: BTreeMap<String, DateTime<Utc>>,
    #[serde(skip_serializing_if = "is_default")]
    approved: Vec<Approved>,
    /// Commands that roz named for undoing a change.
    #[serde(skip_serializing_if = "is_default")]
    ways_back: Vec<String>,
    /// Tests and linters that failed in their last run.
    #[serde(skip_serializing_if = "is_default")]
    failing: BTreeSet<String>,
    /// Counts reads, so that the oldest is forgotten first.
    #[serde(skip_serializing_if = "is_default")]
    clock: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selected {
    pub intent_id: String,
    pub at: DateTime<Utc>,
    owed_to_agent: bool,
    /// The user has not been told about overlapping sessions.
    owed_to_user: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InFlight {
    /// Empty for a call that needs no intent.
    pub intent_id: String,
    pub at: DateTime<Utc>,
    /// Content hashes before the call, by path; `None` for a file that did not exist.
    pub before: BTreeMap<String, Option<String>>,
    /// For comparing the work tree afterwards; `None` if the tool itself reports what it changes.
    pub start: Option<Start>,
    /// The user has sent a prompt since: only background commands still run.
    pub is_of_earlier_prompt: bool,
    pub check: Option<String>,
    /// Empty for the main agent.
    pub agent: String,
    /// The agent makes no other call before this one ends: a person was asked about it, or calls of
    /// the agent have ended since.
    pub is_awaited: bool,
    /// The agent went on without its end: the call was declined or stopped.
    pub is_over: bool,
}

/// The state of the project when a call began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Start {
    /// By the file system's clock. Files that the call touches are younger.
    pub since: (i64, i64),
    #[serde(flatten)]
    pub git: GitStart,
    /// [`IntentState`]'s read counter at that time.
    pub seen: u64,
    /// The scope at that time, so that a call cannot widen the scope that it is judged by.
    pub scope: Vec<String>,
    /// Hashes of the sidecar files.
    pub sidecar: Option<FileHashes>,
    /// The call only undoes an unauthorised change.
    pub takes_back: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GitStart {
    pub head: Option<String>,
    /// The length of HEAD's reflog: entries after it belong to the call.
    pub head_log: u64,
    pub stashes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Seen {
    hash: String,
    at: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Streak {
    code: Code,
    target: String,
    count: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Approved {
    intent_id: String,
    command: String,
    #[serde(default)]
    at: DateTime<Utc>,
}

const MAX_CALLS: usize = 100;
const MAX_READ: u64 = 300;
const MAX_APPROVED: usize = 100;
const MAX_WAYS_BACK: usize = 40;
const MAX_FAILING: usize = 40;
/// After this many equal refusals in a row the user is asked.
const CIRCUIT: u32 = 3;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl InFlight {
    pub fn is_for_an_intent(&self) -> bool {
        !self.intent_id.is_empty()
    }
}

impl IntentState {
    /// One word for the state, `off` if there was no sidecar. Refused calls do not change it: the
    /// next call is judged again.
    pub fn word(&self) -> &'static str {
        if !self.had_sidecar {
            "off"
        } else if self.blocked.is_some() {
            "blocked"
        } else if self.in_flight.values().any(InFlight::is_for_an_intent) {
            "action_allowed"
        } else if self.selected.is_some() {
            "context_loaded"
        } else {
            "awaiting_intent_selection"
        }
    }

    pub fn selected(&self) -> Option<&Selected> {
        self.selected.as_ref()
    }

    pub fn had_sidecar(&self) -> bool {
        self.had_sidecar
    }

    pub fn saw_sidecar(&mut self) {
        self.had_sidecar = true;
    }

    pub fn lost_sidecar(&mut self) {
        self.had_sidecar = false;
    }

    pub fn select(&mut self, intent_id: &str, now: DateTime<Utc>) {
        self.blocked = None;
        self.streak = None;
        self.selected = Some(Selected {
            intent_id: intent_id.to_owned(),
            at: now,
            owed_to_agent: true,
            owed_to_user: true,
        });
        self.has_left = false;
    }

    /// The selected intent if the main agent has not been told about it. It is told at the next
    /// event whose answer can carry text.
    pub fn owed(&self) -> Option<&str> {
        let owed = self.selected.as_ref().filter(|selected| selected.owed_to_agent)?;
        Some(&owed.intent_id)
    }

    /// Records that the agent was told. Returns whether the user still has to be told. Telling a
    /// subagent does not count for the main agent.
    pub(super) fn told(&mut self, agent: Option<&str>) -> bool {
        let Some(selected) = &mut self.selected else { return false };
        if agent.is_none() {
            selected.owed_to_agent = false;
        }
        std::mem::take(&mut selected.owed_to_user)
    }

    pub(super) fn leaves(&mut self) {
        self.has_left = self.selected.is_some();
    }

    pub(super) fn is_back(&mut self) {
        self.has_left = false;
    }

    pub fn has_left(&self) -> bool {
        self.has_left
    }

    pub fn deselect(&mut self) {
        self.selected = None;
    }

    /// A new prompt: an intent has to be selected again.
    pub(super) fn turn_over(&mut self) {
        self.selected = None;
        self.blocked = None;
        self.in_flight.clear();
    }

    pub(super) fn prompted(&mut self) {
        for flight in self.in_flight.values_mut() {
            flight.is_of_earlier_prompt = true;
        }
    }

    /// An agent begins a call. Calls run one after another, or several side by side that all begin
    /// before the first one ends. So calls that a person was asked about, or that did not end
    /// before a later one did, no longer run.
    pub(super) fn begins(&mut self, agent: Option<&str>, call: &str) {
        for (_, flight) in self.flights_beside(agent, call) {
            flight.is_over |= flight.is_awaited;
        }
    }

    pub(super) fn ends(&mut self, agent: Option<&str>, call: &str) {
        for (_, flight) in self.flights_beside(agent, call) {
            flight.is_awaited = true;
        }
    }

    fn flights_beside(
        &mut self,
        agent: Option<&str>,
        call: &str,
    ) -> impl Iterator<Item = (&String, &mut InFlight)> {
        let agent = agent.unwrap_or_default();
        self.in_flight
            .iter_mut()
            .filter(move |(id, in_flight)| *id != call && in_flight.agent == agent)
    }

    pub(super) fn selecting(&mut self, call: &str, intent_id: &str) {
        make_room(&mut self.selecting, call, |_| DateTime::UNIX_EPOCH);
        self.selecting.insert(call.to_owned(), intent_id.to_owned());
    }

    pub fn would_select(&self, call: &str) -> Option<&str> {
        self.selecting.get(call).map(String::as_str)
    }

    /// Returns what an ended call selects.
    pub(super) fn select_ended(&mut self, call: &str) -> Option<String> {
        self.selecting.remove(call)
    }

    pub(super) fn allowed(&mut self, call: &str, flight: InFlight) {
        self.blocked = None;
        self.streak = None;
        self.runs(call, flight);
    }

    /// A call that needs no intent, but is looked at afterwards.
    pub(super) fn runs(&mut self, call: &str, flight: InFlight) {
        make_room(&mut self.in_flight, call, |in_flight| in_flight.at);
        self.in_flight.insert(call.to_owned(), flight);
    }

    /// Running calls by `tool_use_id`.
    pub fn flights(&self) -> impl Iterator<Item = (&str, &InFlight)> {
        self.in_flight.iter().map(|(id, flight)| (id.as_str(), flight))
    }

    /// Running calls of this prompt, except `call`.
    pub fn beside(&self, call: Option<&str>) -> impl Iterator<Item = &InFlight> {
        let others = self.flights().filter(move |(id, _)| call != Some(id));
        others.map(|(_, flight)| flight).filter(|flight| !flight.is_of_earlier_prompt)
    }

    pub fn in_flight(&self, call: &str) -> Option<&InFlight> {
        self.in_flight.get(call)
    }

    pub(super) fn landed(&mut self, call: &str) -> Option<InFlight> {
        self.in_flight.remove(call)
    }

    /// Returns whether this refusal trips the breaker.
    pub(super) fn refused(&mut self, code: Code, target: &str) -> bool {
        self.blocked = Some(code);
        let count = match &mut self.streak {
            Some(streak) if streak.code == code && streak.target == target => {
                streak.count = streak.count.saturating_add(1);
                streak.count
            }
            _ => {
                self.streak = Some(Streak { code, target: target.to_owned(), count: 1 });
                1
            }
        };
        count >= CIRCUIT
    }

    /// A call that only reads ends the refused state, but not the streak.
    pub(super) fn passed(&mut self) {
        self.blocked = None;
    }

    /// An agent has read a file, or written it.
    pub fn saw(&mut self, agent: Option<&str>, path: &str, hash: &str) {
        self.clock += 1;
        let at = self.clock;
        let files = self.read.entry(agent.unwrap_or_default().to_owned()).or_default();
        files.insert(path.to_owned(), Seen { hash: hash.to_owned(), at });
        let newest = |seen: &Seen| seen.at + MAX_READ > at;
        self.read.values_mut().for_each(|files| files.retain(|_, seen| newest(seen)));
        self.read.retain(|_, files| !files.is_empty());
    }

    /// The content hash that the agent saw last. A subagent that has not looked has seen what its
    /// parent saw.
    pub fn seen(&self, agent: Option<&str>, path: &str) -> Option<&str> {
        let of = |agent: &str| self.read.get(agent)?.get(path).map(|seen| seen.hash.as_str());
        agent.and_then(of).or_else(|| of(""))
    }

    /// Whether the agent does not know the current content. A file that it never saw is stale only
    /// when all of it is replaced.
    pub fn is_stale(&self, agent: Option<&str>, path: &str, actual: &str, is_write: bool) -> bool {
        self.seen(agent, path).map_or(is_write, |seen| seen != actual)
    }

    /// As [`Self::seen`], before the counter reached `count`.
    pub fn seen_before(&self, agent: Option<&str>, path: &str, count: u64) -> Option<&str> {
        let of = |agent: &str| self.read.get(agent)?.get(path).filter(|seen| seen.at <= count);
        let found = agent.and_then(of).or_else(|| of(""))?;
        Some(&found.hash)
    }

    pub(super) fn seen_so_far(&self) -> u64 {
        self.clock
    }

    pub(super) fn told_way_back(&mut self, command: &str) {
        self.ways_back.retain(|text| text != command);
        self.ways_back.push(command.to_owned());
        let excess = self.ways_back.len().saturating_sub(MAX_WAYS_BACK);
        self.ways_back.drain(..excess);
    }

    /// Whether roz named exactly this command.
    pub fn is_way_back(&self, command: &str) -> bool {
        self.ways_back.iter().any(|text| text == command.trim())
    }

    /// Returns whether the check began to fail with this run: the agent is told once per failure.
    pub(super) fn check_ended(&mut self, check: &str, ended: Ended) -> bool {
        match ended {
            Ended::Unknown => false,
            Ended::Well => {
                self.failing.remove(check);
                false
            }
            Ended::Failed => {
                while self.failing.len() >= MAX_FAILING && !self.failing.contains(check) {
                    self.failing.pop_first();
                }
                self.failing.insert(check.to_owned())
            }
        }
    }

    pub(super) fn asked(&mut self, call: &str, intent_id: &str, command: &str) {
        make_room(&mut self.asked, call, |_| DateTime::UNIX_EPOCH);
        let (intent_id, command) = (intent_id.to_owned(), command.to_owned());
        let asked = Approved { intent_id, command, at: DateTime::UNIX_EPOCH };
        self.asked.insert(call.to_owned(), asked);
    }

    pub(in crate::core) fn would_grant(&mut self, call: &str, now: DateTime<Utc>) {
        make_room(&mut self.granting, call, |at| *at);
        self.granting.insert(call.to_owned(), now);
    }

    /// When a person was asked about what the call grants. If it has run, they agreed.
    pub fn grants(&self, call: &str) -> Option<DateTime<Utc>> {
        self.granting.get(call).copied()
    }

    pub(super) fn granted(&mut self, call: &str) {
        self.granting.remove(call);
    }

    /// The call ran, so a person agreed to it.
    pub(super) fn asked_and_ran(&mut self, call: &str, now: DateTime<Utc>) {
        let Some(asked) = self.asked.remove(call) else { return };
        self.approved.retain(|approved| {
            approved.intent_id != asked.intent_id || approved.command != asked.command
        });
        self.approved.push(Approved { at: now, ..asked });
        let excess = self.approved.len().saturating_sub(MAX_APPROVED);
        self.approved.drain(..excess);
    }

    pub(super) fn is_approved(
        &self,
        intent_id: &str,
        command: &str,
        ttl_seconds: u64,
        now: DateTime<Utc>,
    ) -> bool {
        self.approved.iter().any(|approved| {
            approved.intent_id == intent_id
                && approved.command == command
                && now < policy::later(approved.at, ttl_seconds)
        })
    }
}

/// Forgets the oldest: a declined call never ends, and an open question is among the newest.
fn make_room<T>(calls: &mut BTreeMap<String, T>, call: &str, at: impl Fn(&T) -> DateTime<Utc>) {
    while calls.len() >= MAX_CALLS
        && !calls.contains_key(call)
        && let Some(oldest) = calls.iter().min_by_key(|call| at(call.1)).map(|call| call.0.clone())
    {
        calls.remove(&oldest);
    }
}

#[cfg(test)]
mod tests;
