//! How each blocked stop turned out, for `roz stats`.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::review::decision::Decision;

const MAX_ATTEMPTS: usize = 50;

/// The newest 50, newest last.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Attempts(Vec<Attempt>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    pub template_id: String,
    pub timestamp: DateTime<Utc>,
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    spawned: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Outcome {
    Pending,
    Success { decision_type: String, blocks_needed: u32 },
    NotSpawned,
    NoDecision,
    TimedOut,
    BadSessionId,
}

impl Attempts {
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Attempt> {
        self.0.iter()
    }

    /// A stop is blocked. An attempt that is still open has failed.
    pub(super) fn begin(&mut self, template_id: &str, now: DateTime<Utc>) {
        self.close();
        self.0.push(Attempt {
            template_id: template_id.to_owned(),
            timestamp: now,
            outcome: Outcome::Pending,
            spawned: false,
        });
        let surplus = self.0.len().saturating_sub(MAX_ATTEMPTS);
        self.0.drain(..surplus);
    }

    pub(super) fn spawned(&mut self) {
        if let Some(attempt) = self.open() {
            attempt.spawned = true;
        }
    }

    /// Only the first decision counts.
    pub(super) fn succeeded(&mut self, decision: &Decision, blocks_needed: u32) {
        if let Some(attempt) = self.0.last_mut()
            && matches!(attempt.outcome, Outcome::Pending | Outcome::BadSessionId)
        {
            let decision_type = decision.verdict().to_lowercase();
            attempt.outcome = Outcome::Success { decision_type, blocks_needed };
        }
    }

    pub(super) fn failed(&mut self, outcome: Outcome) {
        if let Some(attempt) = self.open() {
            attempt.outcome = outcome;
        }
    }

    pub(super) fn close(&mut self) {
        if let Some(attempt) = self.open() {
            attempt.outcome =
                if attempt.spawned { Outcome::NoDecision } else { Outcome::NotSpawned };
        }
    }

    fn open(&mut self) -> Option<&mut Attempt> {
        self.0.last_mut().filter(|attempt| attempt.outcome == Outcome::Pending)
    }
}
