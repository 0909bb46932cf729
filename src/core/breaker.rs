//! Keeps a gate from blocking for ever.
//!
//! A gate may block `max_blocks` times in a cycle. The next block trips the breaker instead: the
//! gate lets the agent go, until the cooldown is over or something new begins.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::policy::{self, BreakerPolicy};

/// Part of a gate's record.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Breaker {
    pub block_count: u32,
    #[serde(rename = "circuit_breaker_tripped")]
    pub is_tripped: bool,
    #[serde(rename = "circuit_breaker_tripped_at")]
    tripped_at: Option<DateTime<Utc>>,
}

#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// Block. The count includes this block.
    Hold,
    /// Let go: the gate has blocked often enough.
    Trip,
}

pub fn times(blocks: u32) -> String {
    if blocks == 1 { "once".to_owned() } else { format!("{blocks} times") }
}

impl Breaker {
    pub fn press(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) -> Press {
        if self.is_hot(policy, now) || policy.max_blocks <= self.block_count {
            self.is_tripped = true;
            self.tripped_at.get_or_insert(now);
            return Press::Trip;
        }
        self.block_count += 1;
        Press::Hold
    }

    /// Whether it is still tripped. Resets it after the cooldown.
    pub fn is_hot(&mut self, policy: &BreakerPolicy, now: DateTime<Utc>) -> bool {
        let is_over = |at| policy::later(at, policy.cooldown_seconds) <= now;
        if self.is_tripped && self.tripped_at.is_none_or(is_over) {
            self.reset();
        }
        self.is_tripped
    }

    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests;
