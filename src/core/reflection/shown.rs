//! What a session was shown of what was learned, and what became of it.

use serde::{Deserialize, Serialize};

/// A learning that this session was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Injected {
    pub learning_id: String,
    pub score: f64,
    pub outcome: Use,
    /// The conversation does not have it any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_forgotten: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    Pending,
    Referenced,
    Dismissed,
}

/// So many are kept.
const MAX_KEPT: usize = 100;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Shown(Vec<Injected>);

/// A learning is put before the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    First,
    /// It was shown, and is forgotten: it counts once.
    Again,
    /// The agent has it.
    Had,
}

impl Shown {
    pub(super) fn all(&self) -> &[Injected] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn put(&mut self, learning_id: &str, score: f64) -> Time {
        if let Some(it) = self.0.iter_mut().find(|it| it.learning_id == learning_id) {
            let was_forgotten = std::mem::replace(&mut it.is_forgotten, false);
            return if was_forgotten { Time::Again } else { Time::Had };
        }
        if self.0.len() >= MAX_KEPT {
            return Time::Had;
        }
        let (learning_id, outcome) = (learning_id.to_owned(), Use::Pending);
        self.0.push(Injected { learning_id, score, outcome, is_forgotten: false });
        Time::First
    }

    /// The conversation begins anew, or is cut down to a summary.
    pub(super) fn forget(&mut self) {
        for it in &mut self.0 {
            it.is_forgotten = true;
        }
    }

    /// Somebody says that a learning helped.
    pub(super) fn referenced(&mut self, learning_id: &str) {
        for it in &mut self.0 {
            if it.learning_id == learning_id {
                it.outcome = Use::Referenced;
            }
        }
    }

    /// The session is over: what nobody referred to is dismissed, once.
    pub(super) fn dismissed(&mut self) -> Vec<String> {
        let pending = self.0.iter_mut().filter(|it| it.outcome == Use::Pending);
        pending
            .map(|it| {
                it.outcome = Use::Dismissed;
                it.learning_id.clone()
            })
            .collect()
    }
}
