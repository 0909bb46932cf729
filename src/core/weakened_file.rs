//! A weakened file of roz's own: what protection was lost, and when.

use std::{collections::BTreeSet, path::PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::bounded;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The user's `config.toml`.
    Configuration,
    /// A file of the plugin that the client reads.
    Plugin,
    /// Settings of the client, which may name roz's hooks.
    Settings,
    Binary,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeakenedFile {
    pub kind: Kind,
    pub file: PathBuf,
    /// What is weaker or missing, one clause each.
    pub what: Vec<String>,
    /// Earlier content. If the file says this again, it is no longer weakened.
    pub before: BTreeSet<String>,
    pub tool: String,
    pub session_id: String,
    pub at: DateTime<Utc>,
}

impl WeakenedFile {
    /// `` `~/.roz/config.toml`: `protect.enabled` was true, is false ``
    pub fn shown(&self) -> String {
        let what = self.what.iter().take(5).map(|what| bounded::line(what, 120));
        let what: Vec<String> = what.collect();
        bounded::plain_line(&format!("`{}`: {}", self.file.display(), what.join("; ")))
    }

    pub(super) fn applies(&self) -> &'static str {
        match self.kind {
            Kind::Configuration => "Until then the last confirmed configuration applies.",
            Kind::Plugin | Kind::Settings | Kind::Binary => "It applies as it is.",
        }
    }
}
