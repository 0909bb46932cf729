//! What was found to have changed when a call had ended.

use super::{
    ignore::Treatment, mutation::Meaning, ranges::Changed, state::InFlight, target::Target,
    unconfirmed::Doubt,
};

/// What was found after a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aftermath {
    pub changes: Vec<Found>,
    /// Why the work tree was not looked at, or not to the end.
    pub not_looked: Option<String>,
    /// Other calls in this project that have not come to their end.
    pub running: Vec<InFlight>,
    /// What it made of the sidecar's files.
    pub doubts: Vec<Doubt>,
}

/// A file that is not what it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// From the project's root.
    pub path: String,
    pub target: Target,
    pub treatment: Treatment,
    pub changed: Changed,
    /// Where so many files changed that not each was looked into, none.
    pub meaning: Option<Box<Meaning>>,
    /// The call said so beforehand.
    pub was_named: bool,
    /// The commit that was checked out has it.
    pub is_tracked: bool,
    /// When it was touched, by the file system's clock; none if it is gone.
    pub at: Option<(i64, i64)>,
    pub way_back: Option<WayBack>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayBack {
    pub command: String,
    /// Whether it is known to lead to what was there before.
    pub is_sure: bool,
}
