//! What a call that has ended leaves in the ledger.

use super::ledger::{self, FileChange};
use crate::core::refusal::Refusal;

/// What goes into the ledger.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Landing {
    pub intent_id: String,
    pub files: Vec<FileChange>,
    pub not_looked: Option<String>,
    pub violation: Option<Refusal>,
}

impl Landing {
    pub fn change(self) -> ledger::Change {
        ledger::Change {
            files: self.files,
            not_looked: self.not_looked,
            violation: self.violation.as_ref().map(ledger::Refusal::from),
            ..ledger::Change::default()
        }
    }
}
