//! How much of a file a line shows: who has seen a line of it, or how many it
//! has, has not read it.

use serde::{Deserialize, Serialize};

use crate::shell::{HOLE, Reading, Run};

/// Which lines, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    All,
    First(u64),
    Last(u64),
    /// From one to another, both shown.
    Lines(u64, u64),
    Nothing,
}

/// Programs that show all of what they are given.
const WHOLE: &[&str] = &[
    "cat", "tac", "nl", "bat", "batcat", "less", "more", "most", "sort", "column", "expand", "fmt",
    "fold", "pr", "tee", "xxd", "hexdump", "od", "jq", "yq", "zcat",
];
/// Programs that, given no file, pass on a part of their input or none of it.
const FILTERS: &[&str] = &[
    "awk",
    "base64",
    "bash",
    "cksum",
    "cmp",
    "comm",
    "cut",
    "diff",
    "egrep",
    "fgrep",
    "gawk",
    "grep",
    "head",
    "ls",
    "md5sum",
    "mawk",
    "node",
    "perl",
    "python",
    "python3",
    "read",
    "rg",
    "ruby",
    "sed",
    "sh",
    "sha1sum",
    "sha256sum",
    "stat",
    "tail",
    "tr",
    "uniq",
    "wc",
    "xargs",
];

/// The files that a line reads, as it names them, and how much of each it shows.
pub fn shown(reading: &Reading) -> Vec<(&str, Shown)> {
    let fed: Vec<&Run> = reading.runs.iter().filter(|it| operands(it).is_empty()).collect();
    let cap = fed.iter().filter(|it| FILTERS.contains(&it.program.as_str())).map(|it| by(it));
    let cap = cap.reduce(Shown::and).unwrap_or(Shown::All);
    let reads = reading.reads.iter().filter(|it| !it.path.contains(HOLE));
    reads
        .map(|read| {
            let path = plain(&read.path);
            let named = reading.runs.iter().filter(|it| names(it, path)).map(by);
            // Through `<` it is named by nobody.
            let named = named.reduce(Shown::or);
            let shown = named.or_else(|| fed.iter().map(|it| by(it)).reduce(Shown::or));
            (read.path.as_str(), shown.map_or(Shown::Nothing, |it| it.and(cap)))
        })
        .collect()
}

impl Shown {
    /// What passes both, one behind the other.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, it) | (it, Self::All) => it,
            (Self::First(one), Self::First(other)) => Self::First(one.min(other)),
            (Self::Last(one), Self::Last(other)) => Self::Last(one.min(other)),
            _ => Self::Nothing,
        }
    }

    /// What is shown by one or the other: the larger part.
    fn or(self, other: Self) -> Self {
        let size = |it: Self| match it {
            Self::All => u64::MAX,
            Self::First(count) | Self::Last(count) => count,
            Self::Lines(from, to) => to.saturating_sub(from).saturating_add(1),
            Self::Nothing => 0,
        };
        if size(other) > size(self) { other } else { self }
    }

    /// The lines that are shown of so many; `None`: none of them.
    pub fn of(self, lines: u64) -> Option<(u64, u64)> {
        let (from, to) = match self {
            Self::All => (1, lines.max(1)),
            Self::First(count) => (1, count),
            Self::Last(count) => (lines.saturating_sub(count).saturating_add(1), lines),
            Self::Lines(from, to) => (from.max(1), to),
            Self::Nothing => return None,
        };
        let to = to.min(lines.max(1));
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

fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

fn operands(run: &Run) -> Vec<&str> {
    let skipped = match run.program.as_str() {
        "sed" | "gsed" | "awk" | "gawk" | "mawk" | "grep" | "egrep" | "fgrep" | "rg" | "jq"
        | "yq" | "tr" => 1,
        _ => 0,
    };
    let mut found: Vec<&str> = Vec::new();
    let mut words = run.argv.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-n" | "-c" if matches!(run.program.as_str(), "head" | "tail") => drop(words.next()),
            "-" => (),
            it if it.starts_with('-') => (),
            it => found.push(it),
        }
    }
    found.split_off(skipped.min(found.len()))
}

fn names(run: &Run, path: &str) -> bool {
    run.argv
        .iter()
        .skip(1)
        .map(|it| plain(it))
        .any(|word| word == path || path.strip_suffix(word).is_some_and(|it| it.ends_with('/')))
}

fn by(run: &Run) -> Shown {
    let words: Vec<&str> = run.argv.iter().skip(1).map(String::as_str).collect();
    let has = |list: &[&str]| words.iter().any(|it| list.contains(it));
    match run.program.as_str() {
        "bat" | "batcat"
            if words.iter().any(|it| it.starts_with("-r") || it.starts_with("--line")) =>
        {
            Shown::Nothing
        }
        "sort" if has(&["-u", "-c", "-o"]) => Shown::Nothing,
        it if WHOLE.contains(&it) => Shown::All,
        "head" => match count(&words) {
            Some(Count::Lines(count)) => Shown::First(count),
            _ => Shown::Nothing,
        },
        "tail" => match count(&words) {
            Some(Count::Lines(count)) => Shown::Last(count),
            Some(Count::From(line)) => Shown::Lines(line, u64::MAX),
            None => Shown::Nothing,
        },
        "sed" | "gsed" => of_sed(&words),
        "awk" | "gawk" | "mawk" => {
            let code = words.iter().find(|it| !it.starts_with('-')).map(|it| it.trim());
            let is_whole =
                code.is_some_and(|it| matches!(it, "1" | "{print}" | "{ print }" | "{print $0}"));
            if is_whole { Shown::All } else { Shown::Nothing }
        }
        "grep" | "egrep" | "fgrep" | "rg" => {
            let pattern = words.iter().find(|it| !it.starts_with('-'));
            let is_any = pattern.is_some_and(|it| matches!(*it, "" | "." | "^" | ".*" | "$"));
            let is_plain = words.iter().all(|it| !it.starts_with('-') || *it == "-n");
            if is_any && is_plain { Shown::All } else { Shown::Nothing }
        }
        _ => Shown::Nothing,
    }
}

enum Count {
    Lines(u64),
    From(u64),
}

/// `-n 3`, `-n3`, `-3`, `--lines=3`, `-n +3`; ten where nothing is said.
fn count(words: &[&str]) -> Option<Count> {
    let mut count = Count::Lines(10);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = match *word {
            "-n" | "--lines" => *words.next()?,
            "-q" | "-v" | "--quiet" | "--verbose" => continue,
            it if !it.starts_with('-') || it == "-" => continue,
            it => {
                let text = it.strip_prefix("--lines=").or(it.strip_prefix("-n"));
                text.or(it.strip_prefix('-'))?
            }
        };
        count = match text.strip_prefix('+') {
            Some(line) => Count::From(line.parse().ok()?),
            None => Count::Lines(text.parse().ok()?),
        };
    }
    Some(count)
}

/// `sed -n 2,5p f`, `sed -n p f`, `sed s/a/b/ f`, `sed 5q f`.
fn of_sed(words: &[&str]) -> Shown {
    let is_quiet = words.contains(&"-n");
    let is_plain = words.iter().all(|it| !it.starts_with('-') || matches!(*it, "-n" | "-E" | "-r"));
    let Some(script) = words.iter().find(|it| !it.starts_with('-')).filter(|_| is_plain) else {
        return Shown::Nothing;
    };
    let line = |text: &str| if text == "$" { Some(u64::MAX) } else { text.parse::<u64>().ok() };
    if !is_quiet {
        let is_whole = script.is_empty() || script.starts_with(['s', 'y', '=']);
        let ends = script.strip_suffix('q').and_then(line);
        return match ends {
            Some(count) => Shown::First(count),
            None if is_whole && !script.contains(';') => Shown::All,
            None => Shown::Nothing,
        };
    }
    let Some(range) = script.strip_suffix('p') else { return Shown::Nothing };
    match range.split_once(',') {
        _ if range.is_empty() => Shown::All,
        Some((from, to)) => match (line(from), line(to)) {
            (Some(from), Some(to)) => Shown::Lines(from, to),
            _ => Shown::Nothing,
        },
        None if range == "$" => Shown::Last(1),
        None => line(range).map_or(Shown::Nothing, |it| Shown::Lines(it, it)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[track_caller]
    fn of(line: &str) -> Vec<Shown> {
        shown(&shell::read(line))
            .into_iter()
            .filter(|it| it.0.ends_with('f'))
            .map(|it| it.1)
            .collect()
    }

    #[test]
    fn what_shows_all_of_a_file_reads_it() {
        for line in [
            "cat f",
            "cat a f",
            "cat < f",
            "cd d && cat f",
            "cat ./f 2>/dev/null",
            "bat f",
            "nl f",
            "sed -n p f",
            "sed s/a/b/ f",
            "tail -n +1 f",
            "awk 1 f",
            "grep -n '' f",
            "cat f | sort",
        ] {
            let shown = of(line);
            let is_whole = |it: &Shown| it.of(400) == Some((1, 400));
            assert!(shown.iter().any(is_whole), "{line}: {shown:?}");
        }
    }

    #[test]
    fn what_shows_a_part_reads_a_part() {
        for (line, expected) in [
            ("head -n 400 f", Some((1, 300))),
            ("head -5 f", Some((1, 5))),
            ("head f", Some((1, 10))),
            ("tail -n 5 f", Some((296, 300))),
            ("tail -n +100 f", Some((100, 300))),
            ("sed -n 2,5p f", Some((2, 5))),
            ("sed -n '7p' f", Some((7, 7))),
            ("sed 20q f", Some((1, 20))),
            ("cat f | head -3", Some((1, 3))),
            ("cat f | head -3 | head -9", Some((1, 3))),
        ] {
            let shown = of(line);
            assert_eq!(shown.first().and_then(|it| it.of(300)), expected, "{line}: {shown:?}");
        }
    }

    #[test]
    fn what_tells_of_a_file_does_not_read_it() {
        for line in [
            "stat f",
            "ls -l f",
            "wc -l f",
            "wc < f",
            "tail -n0 f",
            "tail -n 0 f",
            "head -0 f",
            "head -n 0 f",
            "head -c 5 f",
            "grep -c x f",
            "grep x f",
            "grep -q '' f",
            "md5sum f",
            "cut -d: -f1 f",
            "cat f | wc -l",
            "cat f | grep x",
            "cat f | head -0",
            "diff a f",
            "sed -i s/a/b/ f",
            "sed d f",
            "while read l; do :; done < f",
            "file f",
        ] {
            let shown = of(line);
            assert!(shown.iter().all(|it| it.of(300).is_none()), "{line}: {shown:?}");
        }
    }
}
