//! What a file was called before, by what the ledger says: so what was written into it then is
//! found.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::core::intent::{
    ledger::{FileDetails, Record},
    ranges::Change,
};

/// What a file was called, and when: what was written into a file of that name then may be in it.
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

/// Files from which definitions came into this one.
pub fn sources(file: &FileDetails) -> Vec<String> {
    let moved = file.evidence.as_ref().and_then(|it| it.get("moved")?.as_array());
    let from = moved
        .into_iter()
        .flatten()
        .filter(|it| it.get("to").and_then(Value::as_str) == Some(file.path.as_str()));
    let mut paths: Vec<String> =
        from.filter_map(|it| Some(it.get("from")?.as_str()?.to_owned())).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The names that a file has had, by what the ledger says. `path` is its name now.
pub fn of(path: &str, turns: &[Turn]) -> Vec<Name> {
    const MOST: usize = 100;
    let mut names = Vec::new();
    let (mut path, mut until) = (path.to_owned(), None);
    while names.len() < MOST {
        let is_before = |turn: &&Turn| turn.path == path && until.is_none_or(|it| turn.at < it);
        let last = turns.iter().filter(is_before).max_by_key(|turn| turn.at);
        let from = last.and_then(|turn| turn.from.clone());
        // Where it was not called otherwise before, git may have put back what it was.
        let since = last.map(|turn| turn.at).filter(|_| from.is_some() || !names.is_empty());
        names.push(Name { path, since, until });
        let Some(from) = from else { break };
        (path, until) = (from, since);
    }
    names
}

/// Adds one that git knows it by.
pub fn add(names: &mut Vec<Name>, path: String) {
    if !names.iter().any(|name| name.path == path) {
        names.push(Name { path, since: None, until: None });
    }
}

impl Name {
    pub fn covers(&self, path: &str, at: DateTime<Utc>) -> bool {
        self.path == path
            && self.since.is_none_or(|it| it <= at)
            && self.until.is_none_or(|it| at < it)
    }
}
