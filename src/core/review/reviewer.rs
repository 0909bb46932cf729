//! A reviewer with its launch, and the decisions that it posts.

use std::{collections::BTreeMap, path::PathBuf};

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

const LAUNCH_SECONDS: u64 = 60;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    pub tool_use_id: Option<String>,
    pub at: DateTime<Utc>,
    /// A subagent answered this launch, so no other may.
    #[serde(default)]
    pub(super) answered: bool,
}

impl Launch {
    pub(super) fn is_open(&self, now: DateTime<Utc>) -> bool {
        !self.answered && self.at <= now && now <= policy::later(self.at, LAUNCH_SECONDS)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that a session keeps")]
pub struct Reviewer {
    pub started_at: DateTime<Utc>,
    pub token_sha256: String,
    /// It was not told its token, so it decides with its permit alone.
    pub(super) is_unbriefed: bool,
    /// The client does not separate its calls from the agent's, so neither what it saw nor its end
    /// is known.
    pub(super) is_unwatched: bool,
    pub session_id: String,
    /// The trees of the work when it started, by work tree.
    pub(super) began_with: BTreeMap<PathBuf, String>,
    pub(super) last_word: Option<String>,
    pub(super) permits: Vec<Permit>,
    /// Stops that were blocked because it had not decided.
    pub(super) blocks: u32,
    pub(super) proof: Value,
    /// Ended without a decision. Its token is valid until another reviewer starts.
    pub(super) has_ended: bool,
    /// The parts of the change that were shown to it.
    pub(super) seen: Seen,
    /// Lines read so far of each file with a long output.
    pub(super) kept_outputs: BTreeMap<String, u64>,
    /// For an empty work, the gated call is all there is to look at.
    pub(super) looked_at_call: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Permit {
    pub(super) verdict: String,
    pub(super) tool_use_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Posting {
    pub decision: Decision,
    pub claim: Claim,
    /// One per work tree.
    pub works: Vec<Looked>,
    /// Why part of the work could not be read.
    pub unknown: Option<String>,
    /// Files that the reviewer declares it need not see.
    pub excuses: Vec<Excuse>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    pub by: By,
    pub standing: Standing,
    pub approvals: Vec<Approved>,
    /// Ids of approvals that are no longer valid.
    pub withdrawn: Vec<String>,
    pub seen: Vec<String>,
    /// With the reasons.
    pub unseen: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    Token(String),
    /// A permit without a token, for a reviewer that was not told one.
    Permit,
    /// `roz decide` ran at a terminal, outside of an agent's environment.
    Human,
    Prompt,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Stands,
    /// Recorded without an effect, for this reason.
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

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Looked {
    /// `None` outside of a git repository.
    pub known: Option<Known>,
    pub required: Vec<Required>,
    /// Files that changed since the reviewer started.
    pub changed_meanwhile: Vec<String>,
}

impl Posting {
    pub(super) fn knowns(&self) -> impl Iterator<Item = &Known> {
        self.works.iter().filter_map(|work| work.known.as_ref())
    }

    pub fn tree(&self) -> Option<String> {
        self.knowns().next().map(|known| known.tree.clone())
    }

    pub fn mark(&self, taken: &Taken) -> Mark {
        Mark::RozDecision(DecisionTaken {
            decision: self.decision.verdict(),
            summary: bounded::chars(self.decision.summary(), 300),
            by: taken.by.to_string(),
            tree: self.tree(),
            has_effect: taken.standing == Standing::Stands,
            seen: taken.seen.clone(),
            unseen: taken.unseen.clone(),
            changed_meanwhile: {
                let works = self.works.iter();
                works.flat_map(|work| &work.changed_meanwhile).cloned().collect()
            },
        })
    }
}

impl Reviewer {
    pub fn is_undecided(&self) -> bool {
        self.last_word.is_none()
    }

    pub fn is_at_work(&self) -> bool {
        self.is_undecided() && !self.has_ended
    }
}
