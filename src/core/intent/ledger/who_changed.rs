//! Who changed a file last according to the ledger, for an agent whose knowledge of the file is out
//! of date.

use chrono::{DateTime, Utc};

use super::Record;
use crate::core::bounded::{self, session_shown};

pub const UNKNOWN: &str = "not by an agent roz knows of";

const SHOWN: usize = 5;

/// For example `session ab12cd34… for INT-002 at 10:42 UTC, lines 3-7`. `records` are newest first;
/// `hash` is that of the file's current content.
pub fn of(records: &[Record], path: &str, hash: &str, now: DateTime<Utc>) -> String {
    let Some(record) = records.iter().find(|record| record.touches(path)) else {
        return UNKNOWN.to_owned();
    };
    let details = record.metadata.roz.files.iter().find(|file| file.path == path);
    let told = details.and_then(|detail| detail.changed.file_hash.as_deref());
    let last = shown(record, path, now);
    match told {
        // The file has changed again since the last record.
        Some(told) if told != hash => format!("{UNKNOWN}; before that {last}"),
        Some(_) => last,
        None => format!("last known: {last}"),
    }
}

fn shown(record: &Record, path: &str, now: DateTime<Utc>) -> String {
    let intent = record
        .intent_id
        .as_deref()
        .map(|intent_id| format!(" for {}", bounded::line(intent_id, 60)));
    let at = record.timestamp;
    let format = if at.date_naive() == now.date_naive() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    let session = session_shown(&record.session_id);
    let lines = lines(record, path);
    format!("session {session}{} at {} UTC{lines}", intent.unwrap_or_default(), at.format(format))
}

fn lines(record: &Record, path: &str) -> String {
    let files = record.files.iter().filter(|file| file.path == path);
    let ranges = files.flat_map(|file| &file.conversations).flat_map(|file| &file.ranges);
    let shown = ranges.take(SHOWN).map(|range| match range {
        range if range.start_line == range.end_line => range.start_line.to_string(),
        range => format!("{}-{}", range.start_line, range.end_line),
    });
    let shown: Vec<String> = shown.collect();
    match shown.as_slice() {
        [] => String::new(),
        [one] if !one.contains('-') => format!(", line {one}"),
        _ => format!(", lines {}", shown.join(", ")),
    }
}
