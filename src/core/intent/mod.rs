//! The intent gate: an agent says which declared piece of work it is at before
//! it changes anything, and stays inside that work's scope; what it changed is
//! in the ledger.

pub mod class;
pub mod ledger;
pub mod ranges;
pub mod state;

/// The folder of a project that declares intents.
pub const SIDECAR: &str = ".orchestration";
