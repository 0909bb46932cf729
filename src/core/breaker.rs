//! Keeps a gate from blocking for ever.
//!
//! A gate may block `max_blocks` times in a cycle. The next block trips the breaker instead: the
//! gate lets the agent go, until the cooldown is over or something new begins.

use chrono::{DateTime, Utc};

use crate::core::policy::BreakerPolicy;

#[derive(Debug)]
pub struct Breaker<'a> {
    pub block_count: &'a mut u32,
    pub tripped: &'a mut bool,
    pub tripped_at: &'a mut Option<DateTime<Utc>>,
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

impl Breaker<'_> {
    pub fn press(self, policy: &BreakerPolicy, now: DateTime<Utc>) -> Press {
        if *self.tripped || policy.max_blocks <= *self.block_count {
            *self.tripped = true;
            self.tripped_at.get_or_insert(now);
            return Press::Trip;
        }
        *self.block_count += 1;
        Press::Hold
    }

    pub fn reset(self) {
        *self.block_count = 0;
        *self.tripped = false;
        *self.tripped_at = None;
    }
}

#[cfg(test)]
mod tests;
