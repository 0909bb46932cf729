//! The basis of the intent gate: scopes with real files and links, the sidecar on the disk, and the
//! commands and tools that work on it.

mod aftermath;
mod init;
mod scope;
mod server;
mod sidecar;
mod verbs;

use std::fs;

use crate::support::Roz;

/// Three intents: two open ones that own a file in common, and one that is
/// done.
pub(crate) const INTENTS: &str = r#"# What we are at.
active_intents:
  - id: INT-001
    name: Login by link   # the first
    status: DRAFT
    owned_scope:
      - src/auth/**
    constraints: ["no <new> dependency"]
    acceptance_criteria:
      - a link works once
      - old links are refused
    updated_at: "2025-01-01"
  - id: INT-002
    name: Everything in Rust
    status: IN_PROGRESS
    owned_scope: ["src/**/*.rs"]
  - id: INT-003
    name: Papers
    status: COMPLETED
    owned_scope: [docs/**]
"#;

impl Roz {
    /// A project that declares `text`.
    pub(crate) fn declaring(text: &str) -> Self {
        Self::new().declares(text)
    }

    pub(crate) fn declares(self, text: &str) -> Self {
        fs::create_dir_all(self.project().join(".orchestration")).unwrap();
        self.write(".orchestration/active_intents.yaml", text);
        self
    }

    /// The content of the file of intents.
    #[track_caller]
    pub(crate) fn declared(&self) -> String {
        fs::read_to_string(self.project().join(".orchestration/active_intents.yaml")).unwrap()
    }
}
