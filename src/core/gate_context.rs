//! What a gate is handed beside its own state: the time, the configuration, the facts, random bytes.

use chrono::{DateTime, Utc};

use super::{facts::Facts, policy::Policy, session_id::SessionId};

#[derive(Debug, Clone, Copy)]
pub struct Cx<'a> {
    pub now: DateTime<Utc>,
    /// The one throw of the dice that this event gets.
    pub dice: &'a [u8; 32],
    pub policy: &'a Policy,
    pub facts: &'a Facts,
    pub session_id: &'a SessionId,
}

impl Cx<'_> {
    /// The throw as a number, for a choice by weight.
    pub(crate) fn roll(&self) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.dice[..8]);
        u64::from_le_bytes(bytes)
    }
}
