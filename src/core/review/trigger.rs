//! What starts a review, and a person's permission for one call without a review.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::{bounded::TruncatedInput, policy::later};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opener {
    /// `#roz` in front of a prompt.
    Person,
    /// `review.mode = "always"`.
    Always,
    Gate,
    /// The agent launched a reviewer by itself.
    Launch,
}

impl Opener {
    /// Whether the agent started the review without being asked by a person: once the user moves on
    /// or the work turns out approved, no stop waits for it.
    pub fn is_agents_doing(self) -> bool {
        matches!(self, Opener::Gate | Opener::Launch)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateTrigger {
    pub tool_name: String,
    pub tool_input: TruncatedInput,
    pub triggered_at: DateTime<Utc>,
    pub pattern_matched: String,
    /// What the pattern matched: `Bash:git push origin main`.
    pub key: Option<String>,
    pub root: Option<PathBuf>,
}

/// How long `#roz:allow` is valid.
const ALLOW_SECONDS: u64 = 15 * 60;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Allow {
    /// `None`: the next gated call, whatever its pattern.
    pub pattern: Option<String>,
    pub at: DateTime<Utc>,
    /// Prompts of the user since then: the second one ends the permission.
    pub prompts: u32,
    /// The running call that uses the permission.
    pub call: Option<String>,
}

impl Allow {
    /// A second call waits for the end of the first, which may use up the permission.
    pub fn covers(&self, pattern: &str, call: Option<&str>, now: DateTime<Utc>) -> bool {
        let is_fresh = self.prompts < 2 && now <= later(self.at, ALLOW_SECONDS);
        let is_free = self.call.is_none() || self.call.as_deref() == call;
        is_fresh && is_free && self.pattern.as_deref().is_none_or(|own| own == pattern)
    }
}
