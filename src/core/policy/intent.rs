//! What the intent gate reads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Auto;

sections! {
    pub struct IntentPolicy {
        /// `auto`: where the project has declared intents.
        pub enabled: Auto,
        pub lifetime: Lifetime,
        pub hitl: Hitl,
        /// How long a person's yes to a command holds.
        pub hitl_ttl_seconds: u64 = 3600,
        pub opaque: OpaqueWrites,
        /// A write that cannot be recorded is refused.
        pub require_ledger: bool,
        /// Git carries the ledger's records as notes.
        pub notes: bool = true,
        /// By glob over file names: the program that formats such a file.
        pub format: BTreeMap<String, String>,
        /// Globs over tool keys: what else is a test or a linter.
        pub checks: Vec<String>,
        /// By tool: `safe`, `destructive` or `critical`.
        pub classes: BTreeMap<String, String>,
    }
}

/// How long a selected intent stays selected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    #[default]
    Session,
    /// Until the user's next prompt.
    Turn,
}

/// What a person has to say yes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hitl {
    Off,
    /// What cannot be had back.
    #[default]
    Critical,
    /// Every call that changes something.
    Destructive,
}

/// What becomes of a call whose writes cannot be known beforehand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpaqueWrites {
    /// It runs, and what it changed is looked at afterwards.
    #[default]
    Observe,
    Ask,
    Deny,
}
