//! A reviewer and its launch, and a decision that it posts.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::core::{
    bounded, policy,
    review::{
        approval::Approved,
        decision::{By, Decision},
        seen::{Excuse, Required, Seen},
        work::Known,
    },
    trace::{DecisionTaken, Mark},
};

/// How long a launch waits for its SubagentStart.
const LAUNCH_SECONDS: u64 = 60;

/// A call that starts a reviewer with our brief.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    pub at: DateTime<Utc>,
    /// A subagent has started since, and no other may answer it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) answered: bool,
}

impl Launch {
    pub(super) fn is_open(&self, now: DateTime<Utc>) -> bool {
        !self.answered && self.at <= now && now <= policy::later(self.at, LAUNCH_SECONDS)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that a session keeps")]
pub struct Reviewer {
    pub started_at: DateTime<Utc>,
    pub token_sha256: String,
    /// It could not be told its token: it decides with its permit alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_unbriefed: bool,
    /// Its calls cannot be told from the agent's: what it looked at is not known, nor is its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_unwatched: bool,
    /// The session that it was told.
    pub session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last_word: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) permits: Vec<Permit>,
    /// How often its end was held because it had not decided.
    #[serde(default)]
    pub(super) blocks: u32,
    #[serde(default)]
    pub(super) proof: Value,
    /// It ended without a decision; its token is good until another reviewer starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) has_ended: bool,
    /// What of the work it was shown.
    #[serde(default)]
    pub(super) seen: Seen,
    /// Files in which the client keeps outputs that were too long to show, and how many lines of
    /// each were read from its beginning on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) kept_outputs: BTreeMap<String, u64>,
    /// It looked at what the gated call names (of an empty work there is nothing else to see).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) looked_at_call: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Permit {
    pub(super) verdict: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tool_use_id: Option<String>,
}

/// A decision that somebody wants to post.
#[derive(Debug, Clone, PartialEq)]
pub struct Posting {
    pub decision: Decision,
    pub claim: Claim,
    /// The work as it is now, a work tree each, with what has to be seen of it.
    pub works: Vec<Looked>,
    /// Why some of it could not be looked at.
    pub unknown: Option<String>,
    /// What the reviewer asks to be let off.
    pub excuses: Vec<Excuse>,
}

/// What came of a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    pub by: By,
    pub standing: Standing,
    /// Rows for the tables of approvals; each names its work tree first.
    pub approvals: Vec<Approved>,
    /// Approvals that do not hold any more, by id.
    pub withdrawn: Vec<String>,
    /// Files whose changes the reviewer was shown.
    pub seen: Vec<String>,
    /// Files that were approved without a look, with the reasons.
    pub unseen: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    Token(String),
    /// Neither a token nor a person: a reviewer that could not be told its token, if its permit says so.
    Permit,
    /// `roz decide` saw a person: a terminal, and no agent's environment.
    Human,
    /// A person typed `#roz:approve`.
    Prompt,
}

impl Claim {
    pub fn token(&self) -> Option<&str> {
        match self {
            Claim::Token(token) => Some(token),
            Claim::Permit | Claim::Human | Claim::Prompt => None,
        }
    }
}

/// What became of a posted decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Stands,
    /// It is recorded, and changes nothing, because …
    Recorded(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error(
        "no token: only a reviewer that roz has started may decide (`--token`), or a person at a \
         terminal (`--human`)"
    )]
    NoToken,
    #[error("the token is not that of a reviewer under way in this session")]
    UnknownToken,
    #[error(
        "this call has no permit: the reviewer itself must run `roz decide`, plainly, as a Bash call of its own"
    )]
    NoPermit,
    #[error("the work cannot be looked at: {0}")]
    Unknown(String),
    #[error("{0}")]
    Unseen(String),
    #[error(
        "look at what the call is about first: nothing has changed here, and `{call}` names what \
         does. Run a command that shows it, as `gh pr diff 7` does for `gh pr merge 7`"
    )]
    CallUnseen { call: String },
}

/// A work tree as it is when a decision is posted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Looked {
    /// None outside of a git repository.
    pub known: Option<Known>,
    /// What has to be seen of it.
    pub required: Vec<Required>,
}

impl Posting {
    /// The tree of the first work tree.
    pub fn tree(&self) -> Option<String> {
        self.works.iter().find_map(|work| Some(work.known.as_ref()?.tree.clone()))
    }

    pub fn mark(&self, taken: &Taken) -> Mark {
        Mark::RozDecision(DecisionTaken {
            decision: self.decision.verdict(),
            summary: bounded::chars(self.decision.summary(), 300),
            by: taken.by.to_string(),
            tree: self.tree(),
            stands: taken.standing == Standing::Stands,
            seen: taken.seen.clone(),
            unseen: taken.unseen.clone(),
        })
    }
}

impl Reviewer {
    pub fn is_undecided(&self) -> bool {
        self.last_word.is_none()
    }

    /// Whether its decision is waited for.
    pub fn is_at_work(&self) -> bool {
        self.is_undecided() && !self.has_ended
    }
}
