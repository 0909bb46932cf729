//! Which record of the ledger accounts for a line of a file as it is now.
//!
//! Positions do not last: what was line 10 is line 40 after a merge. So each
//! record keeps a short [`mark`] of each line that it wrote, and of the lines
//! that these were put between; runs of lines are found again by their marks,
//! wherever they are. A mark does not see
//! blanks: a formatter that moves a line leaves it whose it was.
//!
//! Each line that was written accounts for one line at most, the longest runs
//! come first, and of equal ones the latest; rather one that was written in the
//! time that git says the line is from. Nothing accounts for a line that git
//! says is older. A line that says nothing (`}`, a blank one) belongs to the run
//! around it, or to the one intent that wrote such a line in that time, or to
//! nobody. Lines that a formatter broke are put together, and what it joined is
//! taken apart where it may have been so, with or without the comma that it put
//! or took away.
//!
//! First of all a line is looked for where it came from: in the text that its
//! commit left, it stands among what was written with it.
//!
//! Long because the rounds of the search share what is found and what is used.

pub mod names;

use std::collections::{BinaryHeap, HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};

use self::names::Name;
use super::{ledger::Record, ranges::LineRange};

/// How long a mark is: 36 bits of a SHA-256.
pub const MARK: usize = 6;

/// Lines of one record that are marked, beyond which only its ranges' hashes
/// tell.
const MOST_MARKS: usize = 20_000;

/// So many places in the ledger are tried for one line, the latest ones.
const MOST_PLACES: usize = 64;

pub type Mark = [u8; MARK];

/// What of a line is there when its blanks are not.
pub fn mark(line: &[u8]) -> Mark {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let hash = Sha256::digest(bare(line));
    let mut bits = hash.iter().take(5).fold(0_u64, |res, it| res << 8 | u64::from(*it)) >> 4;
    let mut res = [0; MARK];
    for digit in res.iter_mut().rev() {
        *digit = DIGITS[usize::from(bits.to_le_bytes()[0] & 63)];
        bits >>= 6;
    }
    res
}

/// Without its blanks, and without the mark of bytes' order that a file may
/// begin with.
fn bare(line: &[u8]) -> Vec<u8> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.iter().copied().filter(|it| !it.is_ascii_whitespace()).collect()
}

fn is_closing(it: u8) -> bool {
    matches!(it, b')' | b']' | b'}')
}

/// A call or a list as it stands in one line: the comma behind its last part is
/// there only where each part has a line of its own.
fn without_last_comma(broken: &[u8]) -> Option<Vec<u8>> {
    let text = bare(broken);
    let at = text.windows(2).rposition(|it| it[0] == b',' && is_closing(it[1]))?;
    Some([&text[..at], &text[at + 1..]].concat())
}

/// Where a line may have been put together: not within a word.
fn cuts(text: &[u8]) -> impl Iterator<Item = usize> {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it >= 0x80;
    let pairs = text.windows(2).enumerate();
    pairs.filter(move |(_, it)| !(is_part(it[0]) && is_part(it[1]))).map(|(at, _)| at + 1)
}

/// The marks of the lines in `ranges`, one behind the other, each range with the
/// line before it and the line behind it.
pub fn marks(text: &[u8], ranges: &[LineRange]) -> String {
    let lines: Vec<&[u8]> = text.split(|it| *it == b'\n').collect();
    let mut res = String::new();
    for range in ranges {
        let from = usize::try_from(range.start_line.saturating_sub(1)).unwrap_or(usize::MAX);
        let to = usize::try_from(range.end_line).unwrap_or(usize::MAX).min(lines.len());
        let written = lines.get(from..to).unwrap_or_default();
        if res.len() + (written.len() + 2) * MARK > MOST_MARKS * MARK {
            return res;
        }
        let beside =
            |at: Option<usize>| at.and_then(|it| lines.get(it)).copied().unwrap_or_default();
        let before = beside(from.checked_sub(1));
        for line in [&[before][..], written, &[beside(Some(to))][..]].concat() {
            res.push_str(std::str::from_utf8(&mark(line)).unwrap_or_default());
        }
    }
    res
}

/// A line as it is now.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    pub text: &'a [u8],
    /// When it was committed; none if it is not.
    pub committed: Option<DateTime<Utc>>,
    /// When the file was committed before that, as far as is known.
    pub since: Option<DateTime<Utc>>,
    /// There was no such file then: what was written before is none of it.
    pub born: Option<DateTime<Utc>>,
}

/// What a record wrote into one file, range by range.
#[derive(Debug, Clone)]
pub struct Written {
    pub at: DateTime<Utc>,
    pub intent: Option<String>,
    ranges: Vec<Range>,
}

/// Lines that were written together, and what they were put between.
#[derive(Debug, Clone)]
struct Range {
    marks: Vec<Mark>,
    before: Mark,
    after: Mark,
}

impl Written {
    /// What `record` wrote into a file that went by one of these names. One
    /// that has another name now was not written.
    pub fn of(record: &Record, names: &[Name]) -> Option<Self> {
        let mut ranges = Vec::new();
        let is_it = |path: &str| names.iter().any(|it| it.covers(path, record.timestamp));
        let files = record.files.iter().zip(&record.metadata.roz.files);
        let files = files.filter(|(it, details)| is_it(&it.path) && names::from(details).is_none());
        for (file, details) in files {
            let marks = details.evidence.as_ref().and_then(|it| it.get("lines")?.as_str());
            let (all, _) = marks.unwrap_or_default().as_bytes().as_chunks::<MARK>();
            let mut rest = all.iter().copied();
            for range in file.conversations.iter().flat_map(|it| &it.ranges) {
                let count = range.end_line.saturating_sub(range.start_line).saturating_add(1);
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let mut marks: Vec<Mark> = rest.by_ref().take(count.saturating_add(2)).collect();
                // Of the ranges behind the last that there was room for nothing
                // is known.
                if marks.len() < 3 || marks.len() - 2 != count {
                    break;
                }
                let (before, after) = (marks.remove(0), marks.pop().unwrap_or_default());
                ranges.push(Range { marks, before, after });
            }
        }
        let intent = record.intent_id.clone();
        (!ranges.is_empty()).then_some(Self { at: record.timestamp, intent, ranges })
    }

    pub fn marks(&self) -> impl Iterator<Item = Mark> {
        self.ranges.iter().flat_map(|it| it.marks.iter().copied())
    }
}

/// Lines that stand one behind the other, here and there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    /// Two for each line of it that says something, one for each neighbour
    /// that is there still.
    weight: usize,
    length: usize,
    /// Of its lines, those that are from that time.
    timely: usize,
    /// Of two alike, the later record's, and of that the earlier lines.
    record: usize,
    before: std::cmp::Reverse<usize>,
    range: usize,
    place: usize,
}

/// The file as a commit left it, and what became of its lines.
#[derive(Debug, Clone)]
pub struct Origin<'a> {
    pub lines: Vec<Line<'a>>,
    /// Of those that the commit brought and that are there still: the number
    /// here, and the number now.
    pub came: Vec<(usize, usize)>,
}

/// For each line the number of the one of `written`, oldest first, that
/// accounts for it.
///
/// A line is looked for in the text of the commit that brought it first, oldest
/// commits first: there it stands between what it was written between.
pub fn attribute(lines: &[Line], origins: &[Origin], written: &[Written]) -> Vec<Option<usize>> {
    let mut search = Search::new(lines, written);
    for origin in origins {
        let found = Search::new(&origin.lines, written).found();
        let mut used = HashSet::new();
        for (then, now) in &origin.came {
            let place = found.get(*then).copied().flatten();
            // Of what is broken, all the pieces are one place's.
            let is_free = |it: &Place| used.contains(it) || !search.used.contains(it);
            if let (Some(place), Some(slot)) = (place.filter(is_free), search.found.get_mut(*now)) {
                *slot = Some(place);
                used.insert(place);
            }
        }
        search.used.extend(used);
    }
    search.found().into_iter().map(|it| it.map(|(record, ..)| record)).collect()
}

/// A line in the ledger: the record, the range of it and the place in that.
type Place = (usize, usize, usize);

struct Search<'a> {
    lines: &'a [Line<'a>],
    written: &'a [Written],
    marks: Vec<Mark>,
    says: Vec<bool>,
    used: HashSet<Place>,
    found: Vec<Option<Place>>,
}

/// Whether there is more in a line than brackets.
pub fn says(line: &[u8]) -> bool {
    line.iter().filter(|it| it.is_ascii_alphanumeric() || **it >= 0x80).count() > 1
}

impl<'a> Search<'a> {
    fn new(lines: &'a [Line], written: &'a [Written]) -> Self {
        Self {
            lines,
            written,
            marks: lines.iter().map(|it| mark(it.text)).collect(),
            says: lines.iter().map(|it| says(it.text)).collect(),
            used: HashSet::new(),
            found: vec![None; lines.len()],
        }
    }

    fn found(mut self) -> Vec<Option<Place>> {
        let mut runs: BinaryHeap<Run> = self.runs().into();
        while let Some(run) = runs.pop() {
            // Others may have taken a part of it.
            let now = self.free(run);
            if now.first() == Some(&run) {
                self.take(run);
            } else {
                runs.extend(now);
            }
        }
        self.broken_lines();
        self.joined_lines();
        self.neighbours();
        self.left_over();
        self.found
    }

    fn is(&self, line: usize, record: usize, range: usize, place: usize) -> bool {
        let Some(written) = self.written.get(record) else { return false };
        let is_mark =
            written.ranges.get(range).and_then(|it| it.marks.get(place)) == self.marks.get(line);
        is_mark && line < self.marks.len() && self.is_in_time(line, record)
    }

    /// The same, and neither is taken yet.
    fn is_open(&self, line: usize, record: usize, range: usize, place: usize) -> bool {
        self.is(line, record, range, place)
            && self.found[line].is_none()
            && !self.used.contains(&(record, range, place))
    }

    /// The line stands behind what its range was put behind.
    fn is_before(&self, line: usize, record: usize, range: usize, place: usize) -> bool {
        let range = self.written.get(record).and_then(|it| it.ranges.get(range));
        let beside = line.checked_sub(1).filter(|it| self.says[*it]);
        place == 0 && range.zip(beside).is_some_and(|(it, beside)| self.marks[beside] == it.before)
    }

    /// The line stands before what its range was put before.
    fn is_after(&self, line: usize, record: usize, range: usize, place: usize) -> bool {
        let range = self.written.get(record).and_then(|it| it.ranges.get(range));
        let beside = Some(line + 1).filter(|it| self.says.get(*it) == Some(&true));
        range.zip(beside).is_some_and(|(it, beside)| {
            place + 1 == it.marks.len() && self.marks[beside] == it.after
        })
    }

    /// All runs with something in them that says something.
    fn runs(&self) -> Vec<Run> {
        let mut places: HashMap<Mark, Vec<Place>> = HashMap::new();
        for (record, written) in self.written.iter().enumerate().rev() {
            for (range, it) in written.ranges.iter().enumerate() {
                for (place, mark) in it.marks.iter().enumerate() {
                    let known = places.entry(*mark).or_default();
                    if known.len() < MOST_PLACES {
                        known.push((record, range, place));
                    }
                }
            }
        }
        let mut runs = Vec::new();
        let mut seen = HashSet::new();
        for (line, mark) in self.marks.iter().enumerate() {
            for (record, range, place) in places.get(mark).into_iter().flatten().copied() {
                // A range of nothing but brackets is found whole or not at all.
                let is_whole = || {
                    let marks = &self.written[record].ranges[range].marks;
                    place == 0 && (0..marks.len()).all(|it| self.is(line + it, record, range, it))
                };
                let stands = || {
                    self.is_before(line, record, range, place)
                        || self.is_after(line, record, range, place)
                };
                if !self.is_open(line, record, range, place)
                    || !self.says[line] && !stands() && !is_whole()
                {
                    continue;
                }
                let back = (1..=line.min(place))
                    .take_while(|it| self.is_open(line - it, record, range, place - it))
                    .count();
                let (from, begins) = (line - back, place - back);
                if seen.insert((record, range, from, begins)) {
                    runs.push(self.run(from, record, range, begins));
                }
            }
        }
        runs
    }

    /// From there as far as it goes.
    fn run(&self, line: usize, record: usize, range: usize, place: usize) -> Run {
        let length = (0..self.lines.len() - line)
            .take_while(|it| self.is_open(line + it, record, range, place + it))
            .count();
        let said = self.says[line..line + length].iter().filter(|it| **it).count();
        let last = length.saturating_sub(1);
        let weight = 2 * said
            + usize::from(self.is_before(line, record, range, place))
            + usize::from(self.is_after(line + last, record, range, place + last));
        let timely = (line..line + length).filter(|it| self.is_timely(*it, record)).count();
        Run { weight, length, timely, record, before: std::cmp::Reverse(line), range, place }
    }

    /// What is left of a run.
    fn free(&self, run: Run) -> Vec<Run> {
        let mut left = Vec::new();
        let mut at = 0;
        while at < run.length {
            let now = self.run(run.before.0 + at, run.record, run.range, run.place + at);
            let length = now.length.min(run.length - at);
            if length > 0 {
                left.push(Run { length, ..now });
            }
            at += length.max(1);
        }
        // What says nothing stands for nothing alone.
        left.retain(|it| it.weight > 0 || it.length == run.length);
        left
    }

    fn take(&mut self, run: Run) {
        for at in 0..run.length {
            let place = (run.record, run.range, run.place + at);
            self.used.insert(place);
            self.found[run.before.0 + at] = Some(place);
        }
    }

    /// Git does not say that the line is from after another commit.
    fn is_timely(&self, line: usize, record: usize) -> bool {
        let since = self.lines.get(line).and_then(|it| it.since);
        let at = self.written.get(record).map(|it| it.at);
        since.is_none_or(|since| at.is_some_and(|it| it >= since))
    }

    /// Each place in the ledger that no line is found for yet.
    fn unused(&self) -> HashMap<Mark, Vec<Place>> {
        let mut unused: HashMap<Mark, Vec<Place>> = HashMap::new();
        for (record, written) in self.written.iter().enumerate().rev() {
            for (range, it) in written.ranges.iter().enumerate() {
                for (place, mark) in it.marks.iter().enumerate() {
                    if !self.used.contains(&(record, range, place)) {
                        unused.entry(*mark).or_default().push((record, range, place));
                    }
                }
            }
        }
        unused
    }

    /// What was written as one line and is now several.
    fn broken_lines(&mut self) {
        const MOST: usize = 12;
        let mut unused = self.unused();
        let mut line = 0;
        while line < self.lines.len() {
            let open =
                (line..self.lines.len()).take(MOST).take_while(|it| self.found[*it].is_none());
            let most = open.count();
            let mut taken = 1;
            for count in 2..=most {
                let parts: Vec<&[u8]> =
                    self.lines[line..line + count].iter().map(|it| it.text).collect();
                let whole = parts.concat();
                let mut ways = vec![mark(&whole)];
                ways.extend(without_last_comma(&whole).map(|it| mark(&it)));
                let known = ways.iter().find(|it| unused.contains_key(*it));
                let places = known.and_then(|it| unused.get_mut(it));
                let Some(places) = places.filter(|_| self.says[line]) else { continue };
                if let Some(at) = places.iter().position(|it| self.is_in_time(line, it.0)) {
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

    /// What was written as several lines and is now one.
    fn joined_lines(&mut self) {
        const LONGEST: usize = 400;
        let unused = self.unused();
        for line in 0..self.lines.len() {
            let text = bare(self.lines[line].text);
            if self.found[line].is_some() || !self.says[line] || text.len() > LONGEST {
                continue;
            }
            let firsts = cuts(&text).filter_map(|it| Some((it, unused.get(&mark(&text[..it]))?)));
            let firsts: Vec<(usize, &Vec<Place>)> = firsts.collect();
            let found =
                firsts.into_iter().flat_map(|(cut, it)| it.iter().map(move |it| (cut, *it)));
            let mut found = found.filter(|(_, it)| self.is_in_time(line, it.0));
            let Some((first, count)) =
                found.find_map(|(cut, it)| Some((it, self.pieces(&text[cut..], it)?)))
            else {
                continue;
            };
            let (record, range, place) = first;
            self.used.extend((0..=count).map(|it| (record, range, place + it)));
            self.found[line] = Some(first);
        }
    }

    /// How many of the lines behind that place make up the rest of a joined
    /// one.
    fn pieces(&self, mut rest: &[u8], (record, range, first): Place) -> Option<usize> {
        const MOST: usize = 12;
        let marks = &self.written.get(record)?.ranges.get(range)?.marks;
        for count in 1..=MOST {
            let place = first + count;
            let expected = marks.get(place)?;
            if self.used.contains(&(record, range, place)) {
                return None;
            }
            let fits = |end: &usize| {
                let (piece, behind) = rest.split_at(*end);
                // The comma before a bracket goes when they are joined.
                let is_last = behind.first().is_some_and(|it| is_closing(*it));
                mark(piece) == *expected || is_last && mark(&[piece, b","].concat()) == *expected
            };
            let end = cuts(rest).chain([rest.len()]).find(fits)?;
            rest = &rest[end..];
            if rest.is_empty() {
                return Some(count);
            }
        }
        None
    }

    /// Git does not say that the line is older than the record.
    fn is_in_time(&self, line: usize, record: usize) -> bool {
        // Git counts in seconds.
        let until = self.lines.get(line).and_then(|it| it.committed);
        let until = until.and_then(|it| it.checked_add_signed(TimeDelta::seconds(1)));
        let born = self.lines.get(line).and_then(|it| it.born);
        self.written.get(record).is_some_and(|it| {
            until.is_none_or(|until| it.at <= until) && born.is_none_or(|born| it.at >= born)
        })
    }

    /// Lines that say nothing, where only one intent wrote such a line in the
    /// time that git says they are from.
    fn left_over(&mut self) {
        let mut unused = self.unused();
        for line in 0..self.lines.len() {
            if self.found[line].is_some() || self.says[line] || self.lines[line].since.is_none() {
                continue;
            }
            let Some(places) = unused.get_mut(&self.marks[line]) else { continue };
            let fits = |it: &&Place| self.is(line, it.0, it.1, it.2) && self.is_timely(line, it.0);
            let fitting: Vec<Place> = places.iter().filter(fits).copied().collect();
            let whose = |it: &Place| &self.written[it.0].intent;
            let Some(first) = fitting.first().copied() else { continue };
            if fitting.iter().all(|it| whose(it) == whose(&first)) {
                places.retain(|it| *it != first);
                self.used.insert(first);
                self.found[line] = Some(first);
            }
        }
    }

    /// Lines that say nothing belong to those that they stand behind, or
    /// before, where these were written with such a line beside them.
    fn neighbours(&mut self) {
        for step in [1, -1] {
            let all: Vec<usize> = match step {
                1 => (0..self.lines.len()).collect(),
                _ => (0..self.lines.len()).rev().collect(),
            };
            for line in all {
                let beside = line.checked_add_signed(-step).and_then(|it| self.found.get(it));
                let Some(Some((record, range, place))) = beside.copied() else { continue };
                if self.found[line].is_some() || self.says[line] {
                    continue;
                }
                // Something may have been put between them, or taken away.
                let near = (1..=8).filter_map(|it| place.checked_add_signed(step * it));
                let free = near
                    .filter(|it| self.is(line, record, range, *it) && self.is_timely(line, record))
                    .find(|it| !self.used.contains(&(record, range, *it)));
                if let Some(place) = free {
                    self.used.insert((record, range, place));
                    self.found[line] = Some((record, range, place));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
