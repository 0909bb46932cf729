//! Which files a command line shows. Counting a file's lines does not show it; showing part of it
//! counts as all of it.

use serde::{Deserialize, Serialize};

use crate::{
    core::name_words::is_one,
    shell::{HOLE, Reading, Run},
};

/// Which lines, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    All,
    /// From one to another, both shown.
    Lines(u64, u64),
}

/// Lines of a file that were shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartSeen {
    /// As in [`Aims::seen`](super::facts::Aims::seen).
    pub path: String,
    pub hash: String,
    /// From 1, both among them.
    pub from: u64,
    pub to: u64,
    /// So many the file has.
    pub lines: u64,
}

/// Programs that show what they are given.
const SHOWS: &str = "cat tac nl bat batcat less more most head tail sed gsed awk gawk grep egrep \
    fgrep rg sort column expand fmt fold pr xxd hexdump od jq yq zcat";
/// Options with which these programs show something else, or write.
const SHOWS_LESS: &str =
    "-c --count -q --quiet -l --files-with-matches -L -i --in-place -o --output";
/// Programs that read another program's output and show nothing of it.
const HIDES_INPUT: &str = "wc md5sum sha1sum sha256sum cksum sum base64 tr uniq cut";

/// The files that a line shows, as it names them.
pub fn shown(reading: &Reading) -> Vec<&str> {
    let is_bare = |run: &Run| run.argv.iter().skip(1).all(|it| it.starts_with('-'));
    if reading.runs.iter().any(|it| is_one(HIDES_INPUT, &it.program) && is_bare(it)) {
        return Vec::new();
    }
    let paths = reading.reads.iter().map(|it| it.path.as_str());
    let is_shown = |path: &&str| {
        let mut by = reading.runs.iter().filter(|run| names(run, path)).peekable();
        // `head < a.rs` does not name the file.
        let is_named = by.peek().is_some();
        by.any(shows) || !is_named && reading.runs.iter().any(shows)
    };
    paths.filter(|it| !it.contains(HOLE)).filter(is_shown).collect()
}

fn shows(run: &Run) -> bool {
    is_one(SHOWS, &run.program) && !shows_less(run)
}

fn shows_less(run: &Run) -> bool {
    // `grep -i` only looks at letters otherwise, and `head -c` shows so many bytes.
    let may = match run.program.as_str() {
        "grep" | "egrep" | "fgrep" | "rg" => "-i -o",
        "sed" | "gsed" | "sort" => "",
        _ => return false,
    };
    super::class::options(run)
        .iter()
        .any(|option| is_one(SHOWS_LESS, option) && !is_one(may, option))
}

fn names(run: &Run, path: &str) -> bool {
    let plain = |path: &str| path.strip_prefix("./").unwrap_or(path).to_owned();
    let path = plain(path);
    run.argv
        .iter()
        .skip(1)
        .map(|it| plain(it))
        .any(|word| word == path || path.strip_suffix(&word).is_some_and(|it| it.ends_with('/')))
}

impl Shown {
    /// The lines that are shown of so many; `None`: none of them.
    pub fn of(self, lines: u64) -> Option<(u64, u64)> {
        let (from, to) = match self {
            Self::All => (1, lines.max(1)),
            Self::Lines(from, to) => (from.max(1), to.min(lines.max(1))),
        };
        (from <= to).then_some((from, to))
    }
}

/// What was shown of a file, piece by piece.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) hash: String,
    /// In order, apart from each other; from 1, both ends among them.
    pub(super) ranges: Vec<(u64, u64)>,
}

impl Part {
    pub(super) fn add(&mut self, from: u64, to: u64) {
        /// More pieces are no reading.
        const MOST: usize = 64;
        let mut ranges = std::mem::take(&mut self.ranges);
        ranges.push((from, to));
        ranges.sort_unstable();
        for (from, to) in ranges {
            match self.ranges.last_mut() {
                Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
                _ => self.ranges.push((from, to)),
            }
        }
        self.ranges.truncate(MOST);
    }

    pub(super) fn holds(&self, lines: (u64, u64)) -> bool {
        self.ranges.iter().any(|it| it.0 <= lines.0 && lines.1 <= it.1)
    }

    /// From 1.
    pub(super) fn first_unseen(&self) -> u64 {
        match self.ranges.first() {
            Some((from, to)) if *from <= 1 => to.saturating_add(1),
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests;
