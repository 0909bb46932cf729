//! Who made a file what it is, as the ledger tells it: for an agent that finds
//! it changed.

use chrono::{DateTime, Utc};

use super::Record;
use crate::core::{
    bounded::{self, session_shown},
    intent::ranges::Change,
};

/// Whoever it was, no record of it is there.
pub const UNKNOWN: &str = "not by an agent roz knows of";

/// Ranges that are named.
const SHOWN: usize = 5;

/// `session ab12cd34… for INT-002 at 10:42 UTC, lines 3-7`. `records` come
/// newest first; `hash` is what the file holds now.
pub fn of(records: &[Record], path: &str, hash: &str, now: DateTime<Utc>) -> String {
    let Some(record) = records.iter().find(|it| it.touches(path)) else {
        return UNKNOWN.to_owned();
    };
    let details = record.metadata.roz.files.iter().find(|it| it.path == path);
    let told = details.and_then(|it| it.changed.file_hash.as_deref());
    let last = shown(record, path, now);
    match told {
        // Somebody else was at it since.
        Some(told) if told != hash => format!("{UNKNOWN}; before that {last}"),
        Some(_) => last,
        None => format!("last known: {last}"),
    }
}

fn shown(record: &Record, path: &str, now: DateTime<Utc>) -> String {
    let intent = record.intent_id.as_deref().map(|it| format!(" for {}", bounded::line(it, 60)));
    let at = record.timestamp;
    let format = if at.date_naive() == now.date_naive() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    let session = session_shown(&record.session_id);
    let lines = lines(record, path);
    format!("session {session}{} at {} UTC{lines}", intent.unwrap_or_default(), at.format(format))
}

fn lines(record: &Record, path: &str) -> String {
    let details = record.metadata.roz.files.iter().find(|it| it.path == path);
    if details.is_some_and(|it| it.changed.change == Change::Deleted) {
        return ", removed".to_owned();
    }
    let files = record.files.iter().filter(|it| it.path == path);
    let ranges: Vec<String> = files
        .flat_map(|it| &it.conversations)
        .flat_map(|it| &it.ranges)
        .map(|it| match it {
            it if it.start_line == it.end_line => it.start_line.to_string(),
            it => format!("{}-{}", it.start_line, it.end_line),
        })
        .collect();
    let word = match ranges.as_slice() {
        [] => return String::new(),
        [one] if !one.contains('-') => "line",
        _ => "lines",
    };
    let more = if ranges.len() > SHOWN { " …" } else { "" };
    let shown: Vec<String> = ranges.into_iter().take(SHOWN).collect();
    format!(", {word} {}{more}", shown.join(", "))
}
