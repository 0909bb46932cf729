//! The files that a session is known to have written: by a file tool, or by a command whose line
//! names the file.
//!
//! They decide which untracked files are part of the work, and who is named when an approval ends.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Of more files the ones written longest ago are forgotten.
const MAX_PATHS: usize = 2_000;

/// Absolute paths, and when each was last noted, in seconds since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writes {
    #[serde(default)]
    paths: BTreeMap<PathBuf, i64>,
    /// Some were forgotten, so any file may be the session's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    overflowed: bool,
}

impl Writes {
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Notes a write. One that is known is noted again only where `since` (the newest approval, or
    /// the newest request for a review) is between: most calls change nothing here, and an unchanged session is not saved.
    pub fn note(&mut self, path: &Path, now: DateTime<Utc>, since: Option<DateTime<Utc>>) {
        let known = self.paths.get(path);
        if known.is_some_and(|&at| since.is_none_or(|since| at >= since.timestamp())) {
            return;
        }
        self.paths.insert(path.to_owned(), now.timestamp());
        if self.paths.len() > MAX_PATHS
            && let Some(oldest) = self.paths.iter().min_by_key(|(_, at)| **at)
        {
            let oldest = oldest.0.clone();
            self.paths.remove(&oldest);
            self.overflowed = true;
        }
    }

    pub fn contains(&self, path: &Path) -> bool {
        self.overflowed || self.paths.contains_key(path)
    }

    /// Whether the file was written at that time or later.
    pub fn wrote_since(&self, path: &Path, since: DateTime<Utc>) -> bool {
        self.paths.get(path).is_some_and(|&at| at >= since.timestamp())
    }

    /// The files written at that time or later.
    pub fn since(&self, since: DateTime<Utc>) -> impl Iterator<Item = &Path> {
        let since = since.timestamp();
        self.paths.iter().filter(move |(_, at)| **at >= since).map(|(path, _)| path.as_path())
    }
}

#[cfg(test)]
mod tests;
