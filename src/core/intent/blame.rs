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
//! nobody. Lines that a formatter broke are put together; what it joined is not
//! taken apart, for that marks cannot tell.

use std::collections::{BinaryHeap, HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};

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
    let bare: Vec<u8> = line.iter().copied().filter(|it| !it.is_ascii_whitespace()).collect();
    let hash = Sha256::digest(&bare);
    let mut bits = hash.iter().take(5).fold(0_u64, |res, it| res << 8 | u64::from(*it)) >> 4;
    let mut res = [0; MARK];
    for digit in res.iter_mut().rev() {
        *digit = DIGITS[usize::from(bits.to_le_bytes()[0] & 63)];
        bits >>= 6;
    }
    res
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
    /// What `record` wrote into a file that went by one of these names.
    pub fn of(record: &Record, names: &[String]) -> Option<Self> {
        let mut ranges = Vec::new();
        let files = record.files.iter().zip(&record.metadata.roz.files);
        for (file, details) in files.filter(|(it, _)| names.contains(&it.path)) {
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

/// For each line the number of the one of `written`, oldest first, that
/// accounts for it.
pub fn attribute(lines: &[Line], written: &[Written]) -> Vec<Option<usize>> {
    Search::new(lines, written).found()
}

struct Search<'a> {
    lines: &'a [Line<'a>],
    written: &'a [Written],
    marks: Vec<Mark>,
    says: Vec<bool>,
    used: HashSet<(usize, usize, usize)>,
    /// By line: the record, the range of it and the place in that.
    found: Vec<Option<(usize, usize, usize)>>,
}

impl<'a> Search<'a> {
    fn new(lines: &'a [Line], written: &'a [Written]) -> Self {
        let says = |it: &Line| {
            it.text.iter().filter(|it| it.is_ascii_alphanumeric() || **it >= 0x80).count() > 1
        };
        Self {
            lines,
            written,
            marks: lines.iter().map(|it| mark(it.text)).collect(),
            says: lines.iter().map(says).collect(),
            used: HashSet::new(),
            found: vec![None; lines.len()],
        }
    }

    fn found(mut self) -> Vec<Option<usize>> {
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
        self.neighbours();
        self.left_over();
        self.found.into_iter().map(|it| it.map(|(record, ..)| record)).collect()
    }

    fn is(&self, line: usize, record: usize, range: usize, place: usize) -> bool {
        let Some(written) = self.written.get(record) else { return false };
        let is_mark =
            written.ranges.get(range).and_then(|it| it.marks.get(place)) == self.marks.get(line);
        let committed = self.lines.get(line).and_then(|it| it.committed);
        // Git counts in seconds.
        let is_before = committed.is_none_or(|it| {
            it.checked_add_signed(TimeDelta::seconds(1)).is_none_or(|it| written.at <= it)
        });
        is_mark && line < self.marks.len() && is_before
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
        let mut places: HashMap<Mark, Vec<(usize, usize, usize)>> = HashMap::new();
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
                if !self.is(line, record, range, place)
                    || !self.says[line] && !stands() && !is_whole()
                {
                    continue;
                }
                let back = (1..=line.min(place))
                    .take_while(|it| self.is(line - it, record, range, place - it))
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
            .take_while(|it| {
                self.is(line + it, record, range, place + it)
                    && self.found[line + it].is_none()
                    && !self.used.contains(&(record, range, place + it))
            })
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
    fn unused(&self) -> HashMap<Mark, Vec<(usize, usize, usize)>> {
        let mut unused: HashMap<Mark, Vec<(usize, usize, usize)>> = HashMap::new();
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
                let places = unused.get_mut(&mark(&parts.concat()));
                let Some(places) = places.filter(|_| self.says[line]) else { continue };
                let is_before = |it: &(usize, usize, usize)| {
                    let committed = self.lines[line].committed;
                    committed.is_none_or(|at| self.written[it.0].at <= at + TimeDelta::seconds(1))
                };
                if let Some(at) = places.iter().position(is_before) {
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

    /// Lines that say nothing, where only one intent wrote such a line in the
    /// time that git says they are from.
    fn left_over(&mut self) {
        let mut unused = self.unused();
        for line in 0..self.lines.len() {
            if self.found[line].is_some() || self.says[line] || self.lines[line].since.is_none() {
                continue;
            }
            let Some(places) = unused.get_mut(&self.marks[line]) else { continue };
            let fits = |it: &&(usize, usize, usize)| {
                self.is(line, it.0, it.1, it.2) && self.is_timely(line, it.0)
            };
            let fitting: Vec<(usize, usize, usize)> = places.iter().filter(fits).copied().collect();
            let whose = |it: &(usize, usize, usize)| &self.written[it.0].intent;
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
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Line<'_>> {
        text.lines().map(|it| Line { text: it.as_bytes(), committed: None, since: None }).collect()
    }

    fn written(ranges: &[&str]) -> Written {
        let range = |it: &&str| {
            let marks = it.lines().map(|it| mark(it.as_bytes())).collect();
            Range { marks, before: mark(b"?"), after: mark(b"?") }
        };
        Written {
            at: DateTime::UNIX_EPOCH,
            intent: None,
            ranges: ranges.iter().map(range).collect(),
        }
    }

    fn whose(text: &str, all: &[Written]) -> String {
        let sign = |it: Option<usize>| it.map_or_else(|| "-".to_owned(), |it| it.to_string());
        attribute(&lines(text), all).into_iter().map(sign).collect()
    }

    #[test]
    fn lines_are_found_wherever_they_have_gone_and_however_they_stand() {
        let all = [written(&["fn one() {\n    two();\n}"]), written(&["let three = 3;"])];
        assert_eq!(
            whose("by hand();\n\nfn one() {\nlet three = 3;\n\ttwo( );\n}\n", &all),
            "--0100"
        );
    }

    #[test]
    fn each_line_accounts_for_one_and_the_latest_for_the_first() {
        let all = [written(&["same();"]), written(&["same();"])];
        assert_eq!(whose("same();\nsame();\nsame();\n", &all), "10-");
    }

    #[test]
    fn what_says_nothing_belongs_to_what_is_around_it_or_to_nobody() {
        let all = [written(&["fn one() {\n}"]), written(&["fn two() {\n    three();\n}"])];
        assert_eq!(whose("}\nfn two() {\n    three();\n}\nfn one() {\n}\n", &all), "-11100");
        assert_eq!(whose("}\n\n}\n", &all), "---");
    }

    #[test]
    fn a_line_that_a_formatter_broke_is_whose_it_was() {
        let all = [written(&["call(first, second, third);"])];
        assert_eq!(whose("call(\n    first,\n    second, third);\nother();\n", &all), "000-");
    }

    #[test]
    fn nothing_accounts_for_a_line_that_is_older() {
        let mut all = [written(&["same();"])];
        all[0].at = DateTime::UNIX_EPOCH + TimeDelta::seconds(10);
        let mut now = lines("same();");
        now[0].committed = Some(DateTime::UNIX_EPOCH);
        assert_eq!(attribute(&now, &all), [None]);
        now[0].committed = Some(DateTime::UNIX_EPOCH + TimeDelta::seconds(10));
        assert_eq!(attribute(&now, &all), [Some(0)]);
    }
}
