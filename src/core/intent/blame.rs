//! Which record of the ledger accounts for a line of a file as it is now.
//!
//! Line numbers do not last: line 10 may be line 40 after a merge. So each record keeps a short
//! [`mark`] of each line that it wrote and of the neighbouring lines, and runs of lines are found
//! again by their marks. Marks ignore blanks, so a formatter does not change who wrote a line.
//!
//! Each written line accounts for at most one line of the file. Runs of lines are matched before
//! single ones, and the latest record's first. A range is looked for where most of its lines are,
//! and between its old neighbours. A record does not account for a line that is older according to
//! git. A trivial line (`}`, a blank one) belongs to the lines that it was written with, or to no
//! record. A line that a formatter broke is joined again, with or without the comma that it added;
//! lines that it joined belong to no record.
//!
//! Lines are first looked for in the text that their commit left, among what was written with them.

pub mod earlier_names;

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};

use self::earlier_names::Name;
use super::{changed_lines::LineRange, ledger::Record};

/// In base64 digits: 36 bits of a SHA-256.
pub const MARK: usize = 6;

/// Beyond this many lines, a record has only the hashes of its ranges.
const MOST_MARKS: usize = 20_000;

/// The weight of a line that is not trivial.
const LINE: usize = 4;
const TWO_LINES: usize = 2 * LINE;

const MOST_PIECES: usize = 64;

pub type Mark = [u8; MARK];

/// Ignores blanks.
pub fn mark(line: &[u8]) -> Mark {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let hash = Sha256::digest(bare(line));
    let mut bits = hash.iter().take(5).fold(0_u64, |res, byte| res << 8 | u64::from(*byte)) >> 4;
    let mut res = [0; MARK];
    for digit in res.iter_mut().rev() {
        *digit = DIGITS[usize::from(bits.to_le_bytes()[0] & 63)];
        bits >>= 6;
    }
    res
}

/// Without blanks and byte order mark.
fn bare(line: &[u8]) -> Vec<u8> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

/// A call or list joined to one line: a formatter adds the last comma only where each part has its
/// own line.
fn without_last_comma(broken: &[u8]) -> Option<Vec<u8>> {
    let text = bare(broken);
    let is_last = |window: &[u8]| window[0] == b',' && matches!(window[1], b')' | b']' | b'}');
    let at = text.windows(2).rposition(is_last)?;
    Some([&text[..at], &text[at + 1..]].concat())
}

/// One after the other, each range with the line before it and the line after it.
pub fn marks(text: &[u8], ranges: &[LineRange]) -> String {
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let mut res = String::new();
    for range in ranges {
        let from = usize::try_from(range.start_line.saturating_sub(1)).unwrap_or(usize::MAX);
        let to = usize::try_from(range.end_line).unwrap_or(usize::MAX).min(lines.len());
        let written = lines.get(from..to).unwrap_or_default();
        if res.len() + (written.len() + 2) * MARK > MOST_MARKS * MARK {
            return res;
        }
        let beside =
            |at: Option<usize>| at.and_then(|at| lines.get(at)).copied().unwrap_or_default();
        let before = beside(from.checked_sub(1));
        for line in [&[before][..], written, &[beside(Some(to))][..]].concat() {
            res.push_str(std::str::from_utf8(&mark(line)).unwrap_or_default());
        }
    }
    res
}

#[derive(Debug, Clone)]
pub struct Line<'a> {
    pub text: &'a [u8],
    /// `None` if it is not committed.
    pub committed: Option<DateTime<Utc>>,
    /// When the file was committed before that, if known.
    pub since: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone)]
pub struct Written {
    pub at: DateTime<Utc>,
    ranges: Vec<Range>,
}

#[derive(Debug, Clone)]
struct Range {
    marks: Vec<Mark>,
    before: Mark,
    after: Mark,
}

impl Written {
    /// Only ranges that were written under one of these names.
    pub fn of(record: &Record, names: &[Name]) -> Option<Self> {
        let mut ranges = Vec::new();
        let is_it = |path: &str| names.iter().any(|name| name.covers(path, record.timestamp));
        let files = record.files.iter().zip(&record.metadata.roz.files);
        let files = files.filter(|(file_trace, details)| {
            is_it(&file_trace.path) && earlier_names::from(details).is_none()
        });
        for (file, details) in files {
            let marks =
                details.evidence.as_ref().and_then(|evidence| evidence.get("lines")?.as_str());
            let (all, _) = marks.unwrap_or_default().as_bytes().as_chunks::<MARK>();
            let mut rest = all.iter().copied();
            for range in file.conversations.iter().flat_map(|conversation| &conversation.ranges) {
                let count = range.end_line.saturating_sub(range.start_line).saturating_add(1);
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let mut marks: Vec<Mark> = rest.by_ref().take(count.saturating_add(2)).collect();
                // The ranges after the last one that was kept are unknown.
                if marks.len() < 3 || marks.len() - 2 != count {
                    break;
                }
                let (before, after) = (marks.remove(0), marks.pop().unwrap_or_default());
                ranges.push(Range { marks, before, after });
            }
        }
        (!ranges.is_empty()).then_some(Self { at: record.timestamp, ranges })
    }

    pub fn marks(&self) -> impl Iterator<Item = Mark> {
        self.ranges.iter().flat_map(|range| range.marks.iter().copied())
    }
}

/// The file as a commit left it, and what became of its lines.
#[derive(Debug, Clone)]
pub struct Origin<'a> {
    pub lines: Vec<Line<'a>>,
    /// Lines that the commit brought and that still exist: (line number here, line number now).
    pub came: Vec<(usize, usize)>,
}

/// For each line, the index in `written` (oldest first) of the record that accounts for it. Each
/// line is first looked for in the text of the commit that brought it, oldest commits first: there
/// its old neighbours are still beside it.
pub fn attribute(lines: &[Line], origins: &[Origin], written: &[Written]) -> Vec<Option<usize>> {
    let mut search = Search::new(lines, written);
    for origin in origins {
        let found = Search::new(&origin.lines, written).found();
        let mut used = HashSet::new();
        for (then, now) in &origin.came {
            let place = found.get(*then).copied().flatten();
            // A broken line may be matched by several pieces.
            let is_free = |place: &Place| used.contains(place) || !search.used.contains(place);
            if let (Some(place), Some(slot)) = (place.filter(is_free), search.found.get_mut(*now)) {
                *slot = Some(place);
                used.insert(place);
            }
        }
        search.used.extend(used);
    }
    search.found().into_iter().map(|found| found.map(|(record, ..)| record)).collect()
}

/// (record, range of the record, line of the range)
type Place = (usize, usize, usize);

struct Search<'a> {
    lines: &'a [Line<'a>],
    written: &'a [Written],
    marks: Vec<Mark>,
    lines_of: HashMap<Mark, Vec<usize>>,
    says: Vec<bool>,
    used: HashSet<Place>,
    found: Vec<Option<Place>>,
}

/// Whether a line has more than brackets.
pub fn says(line: &[u8]) -> bool {
    line.iter().filter(|byte| byte.is_ascii_alphanumeric() || **byte >= 0x80).count() > 1
}

impl<'a> Search<'a> {
    fn new(lines: &'a [Line], written: &'a [Written]) -> Self {
        let marks: Vec<Mark> = lines.iter().map(|line| mark(line.text)).collect();
        let mut lines_of: HashMap<Mark, Vec<usize>> = HashMap::new();
        for (line, mark) in marks.iter().enumerate() {
            lines_of.entry(*mark).or_default().push(line);
        }
        Self {
            lines,
            written,
            marks,
            lines_of,
            says: lines.iter().map(|line| says(line.text)).collect(),
            used: HashSet::new(),
            found: vec![None; lines.len()],
        }
    }

    fn found(mut self) -> Vec<Option<Place>> {
        // A single line may come from anywhere, so runs are matched first.
        for least in [TWO_LINES, 1] {
            for record in (0..self.written.len()).rev() {
                for range in 0..self.written[record].ranges.len() {
                    for _ in 0..MOST_PIECES {
                        let Some(end) = self.best_end(record, range, least) else { break };
                        self.take(record, range, end);
                    }
                }
            }
        }
        self.broken_lines();
        self.found
    }

    /// The line after the place where most of the range is found again, with at least this weight.
    fn best_end(&self, record: usize, range: usize, least: usize) -> Option<usize> {
        let Range { marks, before, after } = &self.written[record].ranges[range];
        let saying = |mark: &Mark| {
            let lines = self.lines_of.get(mark).into_iter().flatten().copied();
            lines.filter(|line| self.says[*line])
        };
        let mut weights: HashMap<usize, usize> = HashMap::new();
        for (place, mark) in marks.iter().enumerate() {
            for line in saying(mark).filter(|line| self.is_open(*line, (record, range, place))) {
                let weight = LINE + usize::from(self.is_timely(line, record));
                *weights.entry(line + marks.len() - place).or_default() += weight;
            }
        }
        let ends = saying(before).map(|line| line + 1 + marks.len()).chain(saying(after));
        for end in ends {
            if weights.contains_key(&end) || self.is_whole(record, range, end) {
                *weights.entry(end).or_default() += 1;
            }
        }
        let best = weights.into_iter().max_by_key(|(end, weight)| (*weight, Reverse(*end)));
        best.filter(|(_, weight)| *weight >= least).map(|(end, _)| end)
    }

    fn lines_up_to(&self, record: usize, range: usize, end: usize) -> Vec<Option<usize>> {
        let count = self.written[record].ranges[range].marks.len();
        (0..count).map(|place| (end + place).checked_sub(count)).collect()
    }

    fn is_whole(&self, record: usize, range: usize, end: usize) -> bool {
        let lines = self.lines_up_to(record, range, end).into_iter().enumerate();
        lines.into_iter().all(|(place, line)| {
            line.is_some_and(|line| self.is_open(line, (record, range, place)))
        })
    }

    fn take(&mut self, record: usize, range: usize, end: usize) {
        for (place, line) in self.lines_up_to(record, range, end).into_iter().enumerate() {
            let place = (record, range, place);
            if let Some(line) = line.filter(|line| self.is_open(*line, place)) {
                self.used.insert(place);
                self.found[line] = Some(place);
            }
        }
    }

    /// Whether the marks and times agree, and neither side is matched yet.
    fn is_open(&self, line: usize, place: Place) -> bool {
        let (record, range, at) = place;
        self.marks.get(line) == self.written[record].ranges[range].marks.get(at)
            && self.is_in_time(line, record)
            && self.found[line].is_none()
            && !self.used.contains(&place)
    }

    /// Whether the record is from after the file's previous commit: older records are in that one.
    fn is_timely(&self, line: usize, record: usize) -> bool {
        let since = self.lines.get(line).and_then(|line| line.since);
        let at = self.written.get(record).map(|written| written.at);
        since.is_none_or(|since| at.is_some_and(|at| at >= since))
    }

    fn unused(&self) -> HashMap<Mark, Vec<Place>> {
        let mut unused: HashMap<Mark, Vec<Place>> = HashMap::new();
        for (record, written) in self.written.iter().enumerate().rev() {
            for (range, item) in written.ranges.iter().enumerate() {
                for (place, mark) in item.marks.iter().enumerate() {
                    if !self.used.contains(&(record, range, place)) {
                        unused.entry(*mark).or_default().push((record, range, place));
                    }
                }
            }
        }
        unused
    }

    fn broken_lines(&mut self) {
        const MOST: usize = 12;
        let mut unused = self.unused();
        let mut line = 0;
        while line < self.lines.len() {
            let open =
                (line..self.lines.len()).take(MOST).take_while(|at| self.found[*at].is_none());
            let most = open.count();
            let mut taken = 1;
            for count in 2..=most {
                let parts: Vec<&[u8]> =
                    self.lines[line..line + count].iter().map(|line| line.text).collect();
                let whole = parts.concat();
                let mut ways = vec![mark(&whole)];
                ways.extend(without_last_comma(&whole).map(|joined| mark(&joined)));
                let known = ways.iter().find(|way| unused.contains_key(*way));
                let places = known.and_then(|mark| unused.get_mut(mark));
                let Some(places) = places.filter(|_| self.says[line]) else { continue };
                if let Some(at) = places.iter().position(|place| self.is_in_time(line, place.0)) {
                    let place = places.remove(at);
                    self.used.insert(place);
                    self.found[line..line + count].fill(Some(place));
                    taken = count;
                    break;
                }
            }
            line += taken;
        }
    }

    /// Whether the line is not older than the record, according to git.
    fn is_in_time(&self, line: usize, record: usize) -> bool {
        // Git counts in seconds.
        let until = self.lines.get(line).and_then(|line| line.committed);
        let until = until.and_then(|until| until.checked_add_signed(TimeDelta::seconds(1)));
        self.written
            .get(record)
            .is_some_and(|written| until.is_none_or(|until| written.at <= until))
    }
}

#[cfg(test)]
mod tests;
