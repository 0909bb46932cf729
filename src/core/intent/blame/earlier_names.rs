//! Earlier names of a file according to the ledger, so that what was written under them is found.

use chrono::{DateTime, Utc};

use crate::core::intent::{
    changed_lines::Change,
    ledger::{FileDetails, Record},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub path: String,
    pub since: Option<DateTime<Utc>>,
    pub until: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub at: DateTime<Utc>,
    pub path: String,
    pub from: Option<String>,
}

impl Turn {
    pub fn of(record: &Record) -> Vec<Self> {
        let turn = |file_details: &FileDetails| {
            let from = from(file_details).map(str::to_owned);
            let is_one = from.is_some() || file_details.changed.change == Change::Deleted;
            is_one.then(|| Self { at: record.timestamp, path: file_details.path.clone(), from })
        };
        record.metadata.roz.files.iter().filter_map(turn).collect()
    }
}

pub(super) fn from(file: &FileDetails) -> Option<&str> {
    file.evidence.as_ref()?.get("from")?.as_str()
}

pub fn of(path: &str, turns: &[Turn]) -> Vec<Name> {
    const MOST: usize = 100;
    let mut names = Vec::new();
    let (mut path, mut until) = (path.to_owned(), None);
    while names.len() < MOST {
        let is_before =
            |turn: &&Turn| turn.path == path && until.is_none_or(|until| turn.at < until);
        let last = turns.iter().filter(is_before).max_by_key(|turn| turn.at);
        let from = last.and_then(|turn| turn.from.clone());
        // Without an earlier name, git may have restored older content.
        let since = last.map(|turn| turn.at).filter(|_| from.is_some() || !names.is_empty());
        names.push(Name { path, since, until });
        let Some(from) = from else { break };
        (path, until) = (from, since);
    }
    names
}

pub fn add(names: &mut Vec<Name>, path: String) {
    if !names.iter().any(|name| name.path == path) {
        names.push(Name { path, since: None, until: None });
    }
}

impl Name {
    pub fn covers(&self, path: &str, at: DateTime<Utc>) -> bool {
        self.path == path
            && self.since.is_none_or(|since| since <= at)
            && self.until.is_none_or(|until| at < until)
    }
}
