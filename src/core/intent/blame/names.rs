//! What a file was called before, by what the ledger says: so what was written
//! into it then is found.

use chrono::{DateTime, Utc};

use crate::core::intent::{
    ledger::{FileDetails, Record},
    ranges::Change,
};

/// What a file was called, and when: what was written into a file of that name
/// then may be in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub path: String,
    pub since: Option<DateTime<Utc>>,
    pub until: Option<DateTime<Utc>>,
}

/// A file came by its name from another one, or is there no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub at: DateTime<Utc>,
    pub path: String,
    pub from: Option<String>,
}

/// Names that a file has had, by what the ledger says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Life {
    pub names: Vec<Name>,
    /// When there was no such file, last.
    pub born: Option<DateTime<Utc>>,
}

impl Turn {
    pub fn of(record: &Record) -> Vec<Self> {
        let turn = |it: &FileDetails| {
            let from = from(it).map(str::to_owned);
            let is_one = from.is_some() || it.changed.change == Change::Deleted;
            is_one.then(|| Self { at: record.timestamp, path: it.path.clone(), from })
        };
        record.metadata.roz.files.iter().filter_map(turn).collect()
    }
}

pub(super) fn from(file: &FileDetails) -> Option<&str> {
    file.evidence.as_ref()?.get("from")?.as_str()
}

impl Life {
    /// Of the file that has that name now.
    pub fn of(path: &str, turns: &[Turn]) -> Self {
        const MOST: usize = 100;
        let mut life = Self::default();
        let (mut path, mut until) = (path.to_owned(), None);
        while life.names.len() < MOST {
            let is_before = |it: &&Turn| it.path == path && until.is_none_or(|until| it.at < until);
            let last = turns.iter().filter(is_before).max_by_key(|it| it.at);
            let since = last.map(|it| it.at);
            match last.and_then(|it| it.from.clone()) {
                Some(from) => {
                    life.names.push(Name { path, since, until });
                    (path, until) = (from, since);
                }
                None if life.names.is_empty() => {
                    // Git may have put back what it was before.
                    life.names.push(Name { path, since: None, until });
                    life.born = since;
                    break;
                }
                None => {
                    life.names.push(Name { path, since, until });
                    break;
                }
            }
        }
        life
    }

    /// With one that git knows it by.
    pub fn add(&mut self, path: String) {
        if !self.names.iter().any(|it| it.path == path) {
            self.names.push(Name { path, since: None, until: None });
        }
    }
}

impl Name {
    pub fn covers(&self, path: &str, at: DateTime<Utc>) -> bool {
        self.path == path
            && self.since.is_none_or(|it| it <= at)
            && self.until.is_none_or(|it| at < it)
    }
}
