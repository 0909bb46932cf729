//! The files that a session is known to have written, with a file tool or a command that names the
//! file.
//!
//! They decide which untracked files are part of the work, and who is named when an approval ends.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Beyond this, the oldest are forgotten.
const MAX_PATHS: usize = 2_000;

/// Absolute paths, each with its last write in seconds since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writes {
    #[serde(default)]
    paths: BTreeMap<PathBuf, i64>,
    /// Some files were forgotten, so any file may be the session's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    overflowed: bool,
}

impl Writes {
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Notes a write. A known file is noted again only if its last write precedes `since` (the
    /// newest approval or review request): so most calls change nothing, and an unchanged session
    /// is not saved.
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

    pub fn wrote_since(&self, path: &Path, since: DateTime<Utc>) -> bool {
        self.paths.get(path).is_some_and(|&at| at >= since.timestamp())
    }

    pub fn since(&self, since: DateTime<Utc>) -> impl Iterator<Item = &Path> {
        let since = since.timestamp();
        self.paths.iter().filter(move |(_, at)| **at >= since).map(|(path, _)| path.as_path())
    }
}

#[cfg(test)]
mod tests;
