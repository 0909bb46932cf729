//! The changes that roz found when a call ended.

use super::{
    changed_lines::Changed, ignore::Treatment, mutation::Meaning, state::InFlight, target::Target,
    unconfirmed::UnconfirmedChange,
};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aftermath {
    pub changes: Vec<Found>,
    /// Why the work tree was not searched for changes, or not completely.
    pub not_looked: Option<String>,
    /// Other calls in this project that have not ended.
    pub running: Vec<InFlight>,
    /// Sidecar files that the call changed.
    pub doubts: Vec<UnconfirmedChange>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// From the project's root.
    pub path: String,
    pub target: Target,
    pub treatment: Treatment,
    pub changed: Changed,
    /// `None` where too many files changed to look into each.
    pub meaning: Option<Box<Meaning>>,
    /// The call named the file beforehand.
    pub was_named: bool,
    /// The file is in the commit that is checked out.
    pub is_tracked: bool,
    /// The modification time, by the file system's clock; `None` if the file is gone.
    pub at: Option<(i64, i64)>,
    pub way_back: Option<WayBack>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayBack {
    pub command: String,
    /// Whether the command is known to restore what was there before.
    pub is_sure: bool,
}
