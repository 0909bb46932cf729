//! What a gate is handed beside its own state: the time, the configuration, the facts, a random number.

use std::cell::OnceCell;

use chrono::{DateTime, Utc};

use super::{facts::Facts, policy::Policy, session_id::SessionId};

/// A throw of the dice, made once somebody looks: most events need none.
#[derive(Debug)]
pub struct Dice {
    thrown: OnceCell<[u8; 32]>,
    throw: fn() -> [u8; 32],
}

impl Dice {
    pub fn new(throw: fn() -> [u8; 32]) -> Self {
        Self { thrown: OnceCell::new(), throw }
    }

    pub fn look(&self) -> &[u8; 32] {
        self.thrown.get_or_init(self.throw)
    }
}

impl From<[u8; 32]> for Dice {
    fn from(thrown: [u8; 32]) -> Self {
        Self { thrown: OnceCell::from(thrown), throw: || [0; 32] }
    }
}

/// What a gate may know besides its own state.
#[derive(Debug, Clone, Copy)]
pub struct Cx<'a> {
    pub now: DateTime<Utc>,
    /// The one throw of the dice that this event gets.
    pub dice: &'a Dice,
    pub policy: &'a Policy,
    pub facts: &'a Facts,
    pub session_id: &'a SessionId,
}

impl Cx<'_> {
    /// The throw as a number, for a choice by weight.
    pub(crate) fn roll(&self) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.dice.look()[..8]);
        u64::from_le_bytes(bytes)
    }
}
