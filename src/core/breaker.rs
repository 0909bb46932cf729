//! Keeps a gate from blocking for ever.
//!
//! A cycle of a gate may block `max_blocks` times. The next block trips the breaker instead: the
//! gate lets go, and stays tripped for the cooldown or until something new begins.

use chrono::{DateTime, Utc};

use crate::core::policy::BreakerPolicy;

/// A view of the fields in which a gate keeps its breaker.
#[derive(Debug)]
pub struct Breaker<'a> {
    pub block_count: &'a mut u32,
    pub tripped: &'a mut bool,
    pub tripped_at: &'a mut Option<DateTime<Utc>>,
}

#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// The block may stand; the count includes it.
    Hold,
    /// The gate has blocked often enough: let go.
    Trip,
}

pub fn times(blocks: u32) -> String {
    if blocks == 1 { "once".to_owned() } else { format!("{blocks} times") }
}

impl Breaker<'_> {
    /// Counts one more block, and says whether it may stand.
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
