//! The settings of the intent gate.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Auto;

sections! {
    pub struct IntentPolicy {
        /// `auto`: on where the project has declared intents.
        pub enabled: Auto,
        pub lifetime: Lifetime,
        pub hitl: Hitl,
        /// How long a person's confirmation of a command is valid.
        pub hitl_ttl_seconds: u64 = 3600,
        pub opaque: OpaqueWrites,
        /// Refuses writes that cannot be recorded.
        pub require_ledger: bool,
        /// Stores the ledger's records as git notes, too.
        pub notes: bool = true,
        /// Formatters by glob over file names.
        pub format: BTreeMap<String, String>,
        /// Globs over tool keys for further tests and linters.
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

/// What a person has to confirm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hitl {
    Off,
    /// What cannot be undone.
    #[default]
    Critical,
    Destructive,
}

/// How calls are treated whose writes are not known beforehand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpaqueWrites {
    /// They run, and their changes are looked at afterwards.
    #[default]
    Observe,
    Ask,
    Deny,
}
