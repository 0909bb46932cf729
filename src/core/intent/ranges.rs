//! Which lines a change made: from the texts before and after, or from the patch that the client's
//! own tools answer with.
//!
//! Lines end with LF. A line counts as changed when any byte of it has, its CR and the file's last
//! LF among them: so says `git diff`, and so will `git blame`. Its hash is without both: see
//! [`content_hash`].

use imara_diff::{Algorithm, Diff, InternedInput};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::core::bounded;

/// A longer text has no lines that anybody looks at.
const LONGEST_TEXT: usize = 16 << 20;

/// Where git looks for a NUL to call a file binary.
const BINARY_WITHIN: usize = 8000;

/// What a call made of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Created,
    Modified,
    Deleted,
    /// The text is what it was.
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

/// A line without its end.
fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Lines with their ends; an LF at the end of the text begins no other.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|it| *it == b'\n')
}

impl Changed {
    fn new(change: Change) -> Self {
        Self {
            change,
            ranges: Vec::new(),
            deletions: Vec::new(),
            added: 0,
            removed: 0,
            file_hash: None,
            before_hash: None,
            opaque: None,
        }
    }

    /// A change of which nothing but that is known.
    pub fn unseen(change: Change, why: Opaque) -> Self {
        Self { opaque: Some(why), ..Self::new(change) }
    }

    /// From the texts before and after; none: there is no such file.
    pub fn between(before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        let mut res = Self::new(match (before, after) {
            (None, None) => Change::Unchanged,
            (None, Some(_)) => Change::Created,
            (Some(_), None) => Change::Deleted,
            (Some(before), Some(after)) if before == after => Change::Unchanged,
            (Some(_), Some(_)) => Change::Modified,
        });
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

    /// From what Write and Edit answer: `structuredPatch`, `type`, `content`, `originalFile`.
    /// `after` is the file's text, where it is at hand; what the patch says of a line that is not
    /// there counts as it stands in the patch. None if the answer does not tell.
    pub fn by_tool(answer: &Value, after: Option<&[u8]>) -> Option<Self> {
        let hunks = answer.get("structuredPatch")?.as_array()?;
        let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::as_bytes);
        let written = text("content").or(after);
        if hunks.is_empty() {
            // An update may be of a file whose text the client does not tell.
            return match (text("originalFile"), answer.get("type").and_then(Value::as_str)) {
                (None, Some("create")) => Some(Self::between(None, Some(written?))),
                (Some(before), _) => Some(Self::between(Some(before), Some(written?))),
                (None, _) => None,
            };
        }
        if let Some(why) = [text("originalFile"), written].into_iter().flatten().find_map(opaque) {
            return Some(Self::unseen(Change::Modified, why));
        }
        let text: Option<Vec<&[u8]>> = after.map(|it| lines(it).collect());
        let mut res = Self::new(Change::Modified);
        let mut line = 0;
        for hunk in hunks {
            let start = hunk.get("newStart")?.as_u64()?;
            // Where a hunk leaves nothing, it names the line before; or, where that leaves nothing
            // of the whole text, the first.
            let is_empty = hunk.get("newLines")?.as_u64()? == 0;
            let start = match start {
                0 | 1 if is_empty => 1,
                start if is_empty => start.checked_add(1)?,
                start => start,
            };
            if start <= line || start > u64::from(u32::MAX) {
                return None;
            }
            line = res.add_hunk(start, hunk.get("lines")?.as_array()?, text.as_deref())? - 1;
        }
        Some(res)
    }

    /// Answers the number of the line behind the hunk.
    fn add_hunk(&mut self, start: u64, lines: &[Value], after: Option<&[&[u8]]>) -> Option<u64> {
        let mut line = start;
        let (mut gone, mut new): (u64, Vec<&[u8]>) = (0, Vec::new());
        for text in lines {
            let text = text.as_str()?;
            match text.as_bytes().first() {
                Some(b'-') => gone += 1,
                Some(b'+') => {
                    new.push(&text.as_bytes()[1..]);
                    line += 1;
                }
                // `\ No newline at end of file`
                Some(b'\\') => (),
                Some(b' ') | None => {
                    self.add_run(line, gone, &new, after);
                    (gone, new) = (0, Vec::new());
                    line += 1;
                }
                Some(_) => return None,
            }
        }
        self.add_run(line, gone, &new, after);
        Some(line)
    }

    /// Lines that stand before `line`, in the place of `gone` others.
    fn add_run(&mut self, line: u64, gone: u64, new: &[&[u8]], after: Option<&[&[u8]]>) {
        let count = new.len() as u64;
        self.removed += gone;
        self.added += count;
        if count > 0 {
            let start_line = line - count;
            let from = usize::try_from(start_line - 1).unwrap_or(usize::MAX);
            let to = from.saturating_add(new.len());
            let found = after.and_then(|it| it.get(from..to));
            // The client shows tabs as blanks: the file knows better, as long as it is the file
            // that the patch is about.
            let is_it = |found: &&[&[u8]]| {
                found.iter().zip(new).all(|(one, two)| one.trim_ascii() == two.trim_ascii())
            };
            let lines = found.filter(is_it).unwrap_or(new);
            let content_hash = content_hash(lines.iter().copied());
            self.ranges.push(LineRange { start_line, end_line: line - 1, content_hash });
        } else if gone > 0 {
            self.deletions.push(Deletion { after_line: line - 1, lines: gone });
        }
    }
}

fn opaque(text: &[u8]) -> Option<Opaque> {
    if text.len() > LONGEST_TEXT {
        return Some(Opaque::TooLarge);
    }
    text.iter().take(BINARY_WITHIN).any(|it| *it == 0).then_some(Opaque::Binary)
}

#[cfg(test)]
mod tests;
