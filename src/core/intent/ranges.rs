//! Which lines a change made, from the texts before and after.
//!
//! Lines end with LF. A line counts as changed when any byte of it has, its CR and the file's last
//! LF among them: so says `git diff`, and so will `git blame`. Its hash is without both: see
//! [`content_hash`].

use imara_diff::{Algorithm, Diff, InternedInput};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::core::bounded;

/// A longer text has no lines that anybody looks at.
const LONGEST_TEXT: usize = 16 << 20;

/// Where git looks for a NUL to call a file binary.
const BINARY_WITHIN: usize = 8000;

/// What a call made of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    pub change: Change,
    /// What is new in the text after, in its lines, first to last, none beside another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<LineRange>,
    /// Where lines are gone and none came in their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deletions: Vec<Deletion>,
    /// Lines in all.
    #[serde(default)]
    pub added: u64,
    #[serde(default)]
    pub removed: u64,
    /// What the whole file holds afterwards, as `sha256:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_hash: Option<String>,
    /// What it held before; none where it was not there, or nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_hash: Option<String>,
    /// Why there are no ranges, where there might be some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Created,
    Modified,
    Deleted,
    /// The text is what it was.
    #[default]
    Unchanged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opaque {
    /// What git takes for binary.
    Binary,
    TooLarge,
    /// The text before is not known.
    Unknown,
}

/// Lines of the text after, from 1, both included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    pub start_line: u64,
    pub end_line: u64,
    /// See [`content_hash`].
    pub content_hash: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deletion {
    /// The line of the text after behind which they stood; 0: at its beginning.
    pub after_line: u64,
    pub lines: u64,
}

/// `sha256:` and 64 hexadecimal digits, of the lines joined by LF, without an LF at the end; a
/// line's CR before its LF is no part of it. So a range's hash is the same wherever the lines
/// stand, and in a checkout with other line ends.
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

/// Lines with their ends; an LF at the end of the text begins no other.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

impl Changed {
    /// A change of which nothing but that is known.
    pub fn unseen(change: Change, why: Opaque) -> Self {
        Self { change, opaque: Some(why), ..Self::default() }
    }

    /// From the texts before and after; none: there is no such file.
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
        // As git's own: so later blames agree on which of two like lines is new.
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
