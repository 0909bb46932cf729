//! Finds the lines that a change added or removed.
//!
//! Lines end with LF. A line is changed if any byte of it is, including its CR and the file's last
//! LF, as in `git diff` and `git blame`. Its hash excludes both: see [`content_hash`].

use imara_diff::{Algorithm, Diff, InternedInput};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::core::bounded;

/// Longer texts are not compared by lines.
const LONGEST_TEXT: usize = 16 << 20;

/// Git calls a file binary if it has a NUL within this many bytes.
const BINARY_WITHIN: usize = 8000;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    pub change: Change,
    /// New lines in the text after, from first to last; ranges never touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<LineRange>,
    /// Where lines were removed and none replaced them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deletions: Vec<Deletion>,
    /// In total.
    #[serde(default)]
    pub added: u64,
    #[serde(default)]
    pub removed: u64,
    /// `sha256:…` of the whole file afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_hash: Option<String>,
    /// `None` if the file did not exist, or its content is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_hash: Option<String>,
    /// Why there are no ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Created,
    Modified,
    Deleted,
    #[default]
    Unchanged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opaque {
    /// Binary according to git.
    Binary,
    TooLarge,
    Unknown,
}

/// Lines of the text after, from 1, inclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    pub start_line: u64,
    pub end_line: u64,
    pub content_hash: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deletion {
    /// They were after this line of the text after; 0: at its beginning.
    pub after_line: u64,
    pub lines: u64,
}

/// `sha256:` and 64 hexadecimal digits, of the lines joined by LF, without a final LF and without
/// the CR of each line. So a range's hash does not depend on its position or on line endings.
pub fn content_hash<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for (at, line) in lines.into_iter().enumerate() {
        if at > 0 {
            hash.update(b"\n");
        }
        hash.update(bare(line));
    }
    format!("sha256:{}", bounded::hex(&hash.finalize()))
}

fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// With their line ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

impl Changed {
    /// For a change whose texts are unknown.
    pub fn unseen(change: Change, why: Opaque) -> Self {
        Self { change, opaque: Some(why), ..Self::default() }
    }

    /// `None`: there is no such file.
    pub fn between(before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        let change = match (before, after) {
            (None, None) => Change::Unchanged,
            (None, Some(_)) => Change::Created,
            (Some(_), None) => Change::Deleted,
            (Some(before), Some(after)) if before == after => Change::Unchanged,
            (Some(_), Some(_)) => Change::Modified,
        };
        let mut res = Self { change, ..Self::default() };
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        if before == after {
            return res;
        }
        res.opaque = [before, after].into_iter().find_map(opaque);
        if res.opaque.is_none() {
            res.compare(before, after);
        }
        res
    }

    fn compare(&mut self, before: &[u8], after: &[u8]) {
        let input = InternedInput::new(before, after);
        // Git's default, so that blame later agrees on which of two equal lines is new.
        let mut diff = Diff::compute(Algorithm::Myers, &input);
        diff.postprocess_lines(&input);
        let text: Vec<&[u8]> = lines(after).collect();
        for hunk in diff.hunks() {
            let gone = u64::from(hunk.before.end.saturating_sub(hunk.before.start));
            let new = u64::from(hunk.after.end.saturating_sub(hunk.after.start));
            let start = u64::from(hunk.after.start);
            self.removed += gone;
            self.added += new;
            if new == 0 {
                self.deletions.push(Deletion { after_line: start, lines: gone });
                continue;
            }
            let range = hunk.after.start as usize..hunk.after.end as usize;
            let content_hash = content_hash(text.get(range).unwrap_or_default().iter().copied());
            self.ranges.push(LineRange {
                start_line: start + 1,
                end_line: start + new,
                content_hash,
            });
        }
    }
}

fn opaque(text: &[u8]) -> Option<Opaque> {
    if text.len() > LONGEST_TEXT {
        return Some(Opaque::TooLarge);
    }
    text.iter().take(BINARY_WITHIN).any(|byte| *byte == 0).then_some(Opaque::Binary)
}

#[cfg(test)]
mod tests;
