//! Tracks which parts of a change a reviewer has seen, and which are missing.
//!
//! Lines are recorded by the blob id of the content, so that the diff of an old commit does not
//! count, and neither does anything that was shown before the file's last edit.

mod excuse;
mod printed_lines;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::core::review::diff::{self, Extent, FileDiff, Hunk};

pub use self::excuse::{Excuse, is_generated};

/// (first, last) line, from 1. `(n + 1, n)` is the place between lines `n` and `n + 1`.
type Range = (u64, u64);

/// The most paths or ranges that are remembered.
const MOST: usize = 4000;

/// Fewer digits do not identify a blob.
const SHORTEST_ID: usize = 7;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seen {
    /// By blob id, whole or abbreviated; most recently shown last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blobs: Vec<(String, Vec<Range>)>,
    /// Files whose diff has only a header, which was shown: renamed, new mode, new and empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headers: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Required {
    pub path: String,
    /// The id of the present content. Empty where the diff does not tell: a rename without changes,
    /// another mode.
    pub blob: String,
    pub ranges: Vec<Range>,
    /// Lines after which others were removed without replacement; 0 is the beginning.
    pub deletions: Vec<u64>,
    pub header_only: bool,
}

/// `files` is the diff of the base against the present content, made with `-U0 -M --full-index`.
/// Deleted and binary files need not be seen.
pub fn required(files: &[FileDiff]) -> Vec<Required> {
    let files = files.iter().filter(|file| !file.is_deleted && !file.is_binary);
    files
        .map(|file| {
            let (mut ranges, mut deletions) = (Vec::new(), Vec::new());
            for hunk in &file.hunks {
                add_changes(hunk, &mut ranges, &mut deletions);
            }
            Required {
                path: file.path.clone(),
                blob: file.post.clone(),
                ranges,
                deletions,
                header_only: file.hunks.is_empty(),
            }
        })
        .collect()
}

fn add_changes(hunk: &Hunk, ranges: &mut Vec<Range>, deletions: &mut Vec<u64>) {
    let is_context = |line: &str| line.is_empty() || line.starts_with(' ');
    let lines: Vec<&str> =
        hunk.lines.iter().map(String::as_str).filter(|line| !line.starts_with('\\')).collect();
    let mut next = hunk.first_new();
    for run in lines.chunk_by(|a, b| is_context(a) == is_context(b)) {
        let count = run.iter().filter(|line| !line.starts_with('-')).count() as u64;
        let end = next.saturating_add(count);
        if !is_context(run[0]) {
            match count {
                0 => deletions.push(next.saturating_sub(1)),
                _ => ranges.push((next, end - 1)),
            }
        }
        next = end;
    }
}

/// Whether a page shows only the line's beginning.
fn is_cut(line: &str) -> bool {
    line.len() > 1_000 && line.contains(" [… this line has ") && line.ends_with(" characters]")
}

impl Seen {
    /// Records all diffs in a text that was shown.
    pub fn diff(&mut self, text: &str) {
        for file in &diff::parse(text) {
            if file.hunks.is_empty() && !file.is_binary && !file.path.is_empty() {
                self.headers.retain(|path| *path != file.path);
                self.headers.push(file.path.clone());
            }
            let hunks =
                file.hunks.iter().filter(|hunk| !hunk.lines.iter().any(|line| is_cut(line)));
            self.add(&file.post, hunks.filter_map(shown).collect());
        }
        self.headers.drain(..self.headers.len().saturating_sub(MOST));
    }

    pub fn lines(&mut self, blob: &str, start: u64, count: u64) {
        if count > 0 {
            let start = start.max(1);
            self.add(blob, vec![(start, start.saturating_add(count - 1))]);
        }
    }

    /// Records the output of a program such as `cat`, `sed -n` or `grep -n`. `content` is the
    /// file's text.
    pub fn output(&mut self, blob: &str, content: &str, output: &str) {
        self.add(blob, printed_lines::shown(content, output));
    }

    /// Whether all required parts of a file were shown.
    pub(super) fn has(&self, required: &Required) -> bool {
        let blobs = self.blobs.iter().filter(|(id, _)| is_same_id(id, &required.blob));
        let mut shown: Vec<Range> = blobs.flat_map(|(_, ranges)| ranges).copied().collect();
        merge(&mut shown);
        if required.header_only {
            return !shown.is_empty() || self.headers.contains(&required.path);
        }
        let has_lines =
            |&(from, to): &Range| shown.iter().any(|range| range.0 <= from && to <= range.1);
        // Next to the removed lines, or between the neighbours.
        let has_place = |&after: &u64| {
            shown.iter().any(|range| range.0 <= after.saturating_add(1) && after <= range.1)
        };
        required.ranges.iter().all(has_lines) && required.deletions.iter().all(has_place)
    }

    fn add(&mut self, id: &str, mut ranges: Vec<Range>) {
        let is_id = id.len() >= SHORTEST_ID
            && id.bytes().all(|byte| byte.is_ascii_hexdigit())
            && id.bytes().any(|byte| byte != b'0');
        if !is_id || ranges.is_empty() {
            return;
        }
        if let Some(at) = self.blobs.iter().position(|(known, _)| known == id) {
            ranges.append(&mut self.blobs.remove(at).1);
        }
        merge(&mut ranges);
        ranges.truncate(MOST);
        self.blobs.push((id.to_owned(), ranges));
        let mut count: usize = self.blobs.iter().map(|(_, ranges)| ranges.len()).sum();
        while count > MOST {
            count -= self.blobs.remove(0).1.len();
        }
    }
}

fn shown(hunk: &Hunk) -> Option<Range> {
    let (old, mut new) = hunk.counts();
    let last = hunk.lines.last().filter(|_| hunk.extent != Extent::Filtered)?;
    let left = (hunk.old_lines.saturating_sub(old), hunk.new_lines.saturating_sub(new));
    // The client trims blank lines at the end of an output, which may be context.
    let is_trimmed = left.0 == left.1 && left.0 <= 3;
    if hunk.extent == Extent::Cut && !is_trimmed {
        // One side is complete and the other is not: a line before the context was left out
        // (`grep -v`), so the lines after it are not where they seem to be.
        if last.starts_with(' ') && (left.0 == 0) != (left.1 == 0) {
            return None;
        }
        // The last line may be split.
        new = new.saturating_sub(u64::from(last.starts_with([' ', '+'])));
    }
    if new == 0 && hunk.extent == Extent::Cut {
        return None;
    }
    let first = hunk.first_new();
    Some((first, first.saturating_add(new).saturating_sub(1)))
}

fn merge(ranges: &mut Vec<Range>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let touches = next.0 <= last.1.saturating_add(1);
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
}

fn is_same_id(one: &str, other: &str) -> bool {
    one.len().min(other.len()) >= SHORTEST_ID && (one.starts_with(other) || other.starts_with(one))
}
