//! What opens a review, and what a person lets through without one.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::{bounded::TruncatedInput, policy::later};

/// Who asked for the review of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opener {
    /// `#roz` in front of a prompt.
    Person,
    /// `review.mode = "always"`.
    Always,
    /// A gated call.
    Gate,
    /// The agent, before anything asked for it.
    Launch,
}

impl Opener {
    /// Whether only the agent's own doing opened the review: no stop waits for it once the user has
    /// moved on, or the work turns out approved.
    pub fn is_agents_doing(self) -> bool {
        matches!(self, Opener::Gate | Opener::Launch)
    }
}

/// The gated call that asked for a review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateTrigger {
    pub tool_name: String,
    pub tool_input: TruncatedInput,
    pub triggered_at: DateTime<Utc>,
    pub pattern_matched: String,
    /// What the pattern matched: `Bash:git push origin main`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The work tree that the call is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<PathBuf>,
}

/// How long a person's `#roz:allow` holds.
const ALLOW_SECONDS: u64 = 15 * 60;

/// One gated call that a person lets through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Allow {
    /// Only calls that this pattern gates; none: the next gated call.
    pub pattern: Option<String>,
    pub at: DateTime<Utc>,
    /// Prompts of the user since then.
    pub prompts: u32,
    /// The call that goes through under it, until its end is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

impl Allow {
    /// Whether it lets a call of this pattern through. A second call waits for the end of the
    /// first, which may use it up.
    pub fn covers(&self, pattern: &str, call: Option<&str>, now: DateTime<Utc>) -> bool {
        let is_fresh = self.prompts < 2 && now <= later(self.at, ALLOW_SECONDS);
        let is_free = self.call.is_none() || self.call.as_deref() == call;
        is_fresh && is_free && self.pattern.as_deref().is_none_or(|own| own == pattern)
    }
}
