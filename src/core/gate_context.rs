//! What every gate receives besides its own state: the time, the configuration, the facts, random
//! bytes.

use chrono::{DateTime, Utc};

use super::{facts::Facts, policy::Policy, session_id::SessionId};

#[derive(Debug, Clone, Copy)]
pub struct Cx<'a> {
    pub now: DateTime<Utc>,
    /// Random bytes, drawn once per event.
    pub dice: &'a [u8; 32],
    pub policy: &'a Policy,
    pub facts: &'a Facts,
    pub session_id: &'a SessionId,
}

impl Cx<'_> {
    /// For a choice by weight.
    pub(crate) fn roll(&self) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.dice[..8]);
        u64::from_le_bytes(bytes)
    }
}
