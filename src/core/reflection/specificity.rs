//! The write gate.

use super::candidate::Candidate;

/// What speaks against keeping it.
pub fn objections(_: &Candidate) -> Vec<String> {
    Vec::new()
}
