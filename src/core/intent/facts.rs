//! What the shell saw for the intent gate.

use super::{
    aftermath::Aftermath, catalogue::Catalogue, ignore::Treatment, state::Start, target::Target,
};
use crate::shell::How;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aims {
    pub sidecar: Sidecar,
    pub catalogue: Catalogue,
    /// Intents that `.intentignore` keeps from being selected, with its lines.
    pub closed: Vec<(String, usize)>,
    /// What the call would write.
    pub targets: Vec<Aim>,
    /// What a call that ran has read, or what it wrote looks like now: paths
    /// from the project's root, with the hash of what they hold.
    pub seen: Vec<(String, String)>,
    /// What the selected intent shares with another session's.
    pub overlaps: Vec<String>,
    /// How things stand as the call begins, where it will be looked at.
    pub start: Option<Start>,
    /// What a call that ran has really changed, where that was looked at.
    pub aftermath: Option<Aftermath>,
    /// Why nothing can be recorded, where that matters.
    pub unwritable: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sidecar {
    /// Nobody looked: the gate is off.
    #[default]
    NotAsked,
    Absent,
    /// Why it cannot be relied on, with line and column.
    Broken(String),
    There,
}

/// A path that a call would write.
#[derive(Debug, Clone, PartialEq)]
pub struct Aim {
    pub target: Target,
    pub how: How,
    pub treatment: Treatment,
    /// A place of nobody's: a scratch folder, `/dev/null`.
    pub is_free: bool,
    /// What the file holds now, as `sha256:…`; none where there is no file.
    pub hash: Option<String>,
    /// Who changed it last, from the ledger.
    pub changed_by: Option<String>,
}
