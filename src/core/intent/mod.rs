//! The intent gate: what a piece of declared work may change, and the ledger of
//! what it did change.

pub mod ledger;
pub mod ranges;

/// The folder of a project that declares intents.
pub const SIDECAR: &str = ".orchestration";
