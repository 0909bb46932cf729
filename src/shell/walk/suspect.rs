//! Text that is not known, but what may have made it is: a shell whose input comes out of `sed`, a
//! script that the line writes through a program that is not modelled. Whatever stands literally in
//! those commands may be in that text, so it is read as code that may run. Nobody asks for it but
//! where a shell runs something unknown: `sed s/a/b/ f` by itself runs nothing.

use super::super::foreign;
use super::super::table::interpreters;
use super::super::{Certainty, HOLE, Reading, Run, Unreadable, last_part};
use super::field::Field;
use super::filter::substituted;
use super::kept::Kept;
use super::nested::SYSTEM;
use super::origin::normal;
use super::output::{printf, unescaped};
use super::pieces::{Written, beginning, is_command_like, leaves_out, pieces_of};
use super::{Io, Walker, edit, env::Made, limit};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Pieces of text that are read for one unknown text. More of them may run anything.
pub(super) const PIECES: usize = 512;

#[derive(Debug, Default)]
pub(super) struct Suspects {
    /// Where the runs begin that feed what is being walked: those of its pipeline, of the
    /// substitutions in its words.
    pub(super) from: Option<usize>,
    /// What has made the unknown texts that variables keep.
    pub(super) kept: Kept,
    /// Here-documents and here-strings, and how many runs there were before them.
    heard: Vec<(usize, String)>,
    /// What files on the disk gave to somebody through a redirection, in the same way.
    given: Vec<(usize, String)>,
    /// Files that were written in a way that leaves their text unknown, and the runs that did it.
    makers: BTreeMap<String, Vec<Range<usize>>>,
    /// Files whose last edit was followed.
    followed: BTreeSet<String>,
    /// Text is being read on suspicion: what that would run is not suspected in its turn.
    pub(super) busy: bool,
    /// What the code that stands in it writes.
    written: Written,
    pub(super) feeds: Feeds,
    /// How deep texts are being read as code of another language that may evaluate them.
    pub(super) evaluated: usize,
}

/// What one part of a line may give to another while both run.
#[derive(Debug, Default)]
pub(super) struct Feeds {
    /// A shell runs what is not known.
    fed: bool,
    /// Something is made that one program writes while another one reads it.
    fifo: bool,
    /// A part of that stands in no file that the project keeps.
    own: bool,
}

impl Suspects {
    /// Nothing is remembered until it goes on: what is walked has been walked before.
    pub(super) fn halt(&mut self) -> bool {
        std::mem::replace(&mut self.busy, true)
    }

    pub(super) fn has_makers(&self) -> bool {
        !self.makers.is_empty()
    }

    /// The files that were written in a way that leaves their text unknown.
    pub(super) fn made(&self) -> impl Iterator<Item = &str> {
        self.makers.keys().map(String::as_str)
    }

    /// A file was changed in place, in a way that is known or not.
    pub(super) fn edited(&mut self, path: &str, is_followed: bool) {
        if is_followed {
            self.followed.insert(path.to_owned());
        } else {
            self.followed.remove(path);
        }
    }

    pub(super) fn go_on(&mut self, busy: bool) {
        self.busy = busy;
    }
}

impl Walker<'_> {
    /// Walks a command or a pipeline: what runs in it from its beginning on may be what feeds it.
    pub(super) fn fed(&mut self, walk: impl FnOnce(&mut Self) -> String) -> String {
        let runs = self.reading.runs.len();
        let writes = self.reading.writes.len();
        let is_outermost = self.suspects.from.is_none();
        let from = *self.suspects.from.get_or_insert(runs);
        let begun = self.suspects.kept.begins(runs, is_outermost);
        let output = walk(self);
        if is_outermost {
            self.suspects.from = None;
        }
        self.remember_makers(from, writes);
        self.suspects.kept.ends(begun);
        output
    }

    /// A here-document or a here-string was given to somebody.
    pub(super) fn heard(&mut self, text: &str) {
        if self.muted > 0 || self.suspects.busy {
            return;
        }
        self.suspects.heard.push((self.reading.runs.len(), text.to_owned()));
    }

    /// A file on the disk was given to somebody: `sed … < file`.
    pub(super) fn given(&mut self, path: &str) {
        if self.muted > 0 || self.suspects.busy {
            return;
        }
        if let Some(text) = self.lies_on_disk(path) {
            self.suspects.given.push((self.reading.runs.len(), text));
        }
    }

    /// Code has written files, and goes on.
    pub(super) fn remember_written(&mut self, writes: usize) {
        let from = self.suspects.from.unwrap_or(self.reading.runs.len());
        self.remember_makers(from, writes);
    }

    /// The files that were written since `writes`, unless their text is known.
    fn remember_makers(&mut self, from: usize, writes: usize) {
        if self.suspects.busy {
            return;
        }
        let to = self.reading.runs.len();
        for write in self.reading.writes.get(writes..).unwrap_or_default() {
            use super::super::How;
            if !matches!(write.how, How::Write | How::Append | How::Edit | How::Move | How::Link) {
                continue;
            }
            let path = &*normal(&write.path);
            let known = match self.env.files.get(path) {
                // An edit that nobody follows leaves none of what was known.
                Some(Made::Text(text)) => {
                    let is_known = write.how != How::Edit || self.suspects.followed.contains(path);
                    !text.contains(HOLE) && is_known
                }
                Some(Made::File(source)) => !source.starts_with("/dev/"),
                Some(Made::Unknown) | None => false,
            };
            if !known {
                let near = self.suspects.kept.near().to_vec();
                let ranges = self.suspects.makers.entry(path.to_owned()).or_default();
                for range in near.into_iter().chain(std::iter::once(from..to)) {
                    if !ranges.contains(&range) {
                        ranges.push(range);
                    }
                }
            }
        }
    }

    /// A shell runs what the commands before it in its pipeline, or in its words, have made.
    pub(super) fn suspect_feed(&mut self) {
        self.suspects.feeds.fed = true;
        self.feeds_itself();
        let from = self.suspects.from.unwrap_or(self.reading.runs.len());
        self.suspect(from..self.reading.runs.len());
        self.suspect_kept();
    }

    /// At the end of a line: a shell that runs what is not known, while other commands run beside
    /// it, may be given by any of them what it runs, through a FIFO, a coprocess, a file.
    pub(super) fn suspect_all(&mut self) {
        let Feeds { fed, fifo, own } = self.suspects.feeds;
        if fed && own && (self.lanes.has_jobs || fifo) {
            self.suspect(0..self.reading.runs.len());
        }
    }

    /// A shell is fed, a job begins or a FIFO is made, here.
    pub(super) fn feeds_itself(&mut self) {
        self.suspects.feeds.own |= self.kept.is_none();
    }

    pub(super) fn makes_fifo(&mut self) {
        self.suspects.feeds.fifo = true;
        self.feeds_itself();
    }

    /// Whether guesses count: not those at what was guessed, and not those about a file that the
    /// project keeps. What such a file may run or may not does not count.
    pub(super) fn may_guess(&self) -> bool {
        let keeps = self.kept.is_some() || self.options.kept;
        !self.suspects.busy && self.muted == 0 && !keeps
    }

    /// A script runs that the line has written, who knows how.
    pub(super) fn suspect_file(&mut self, path: &str) {
        if self.suspects.makers.is_empty() {
            return;
        }
        let located = self.located(path);
        let makers = located.iter().filter_map(|path| self.suspects.makers.get(&*normal(path)));
        let mut ranges: Vec<Range<usize>> = makers.flatten().cloned().collect();
        // It had another name: `jq … f > t && mv t f`.
        let moves = |it: &&Run| matches!(it.program.as_str(), "mv" | "cp" | "install" | "ln");
        let runs = ranges.iter().filter_map(|it| self.reading.runs.get(it.clone())).flatten();
        let sources: BTreeSet<String> = runs
            .filter(moves)
            .flat_map(|run| run.argv.iter().skip(1))
            .flat_map(|it| self.located(it))
            .collect();
        for source in sources {
            let makers = self.suspects.makers.get(&*normal(&source)).into_iter().flatten();
            let new: Vec<_> = makers.filter(|it| !ranges.contains(it)).cloned().collect();
            ranges.extend(new);
        }
        for range in ranges {
            self.suspect(range);
        }
    }

    /// Programs of the system that the line may have put into a file: `cat /usr/bin/git > f`.
    pub(super) fn copied(&self, path: &str) -> Vec<String> {
        if self.suspects.makers.is_empty() {
            return Vec::new();
        }
        let is_system = |it: &&str| SYSTEM.iter().any(|folder| it.starts_with(folder));
        let mut found: Vec<String> = Vec::new();
        for path in self.located(path) {
            let ranges = self.suspects.makers.get(&*normal(&path)).into_iter().flatten();
            let runs = ranges.filter_map(|it| self.reading.runs.get(it.clone())).flatten();
            let runs = runs.filter(|it| matches!(it.program.as_str(), "cat" | "dd" | "tee" | "pv"));
            let words = runs.flat_map(|run| run.argv.iter().skip(1));
            let words = words.map(|it| it.strip_prefix("if=").unwrap_or(it)).filter(is_system);
            for word in words.take(limit::VALUES) {
                if found.len() < limit::VALUES && !found.iter().any(|it| it == word) {
                    found.push(word.to_owned());
                }
            }
        }
        found
    }

    /// The texts that the line has given to files which a pattern, or a path that is not wholly
    /// known, may mean. Of a path of which nothing is known: those that what feeds it names, and
    /// those that the line goes over.
    pub(super) fn made_alike(&self, path: &str) -> Vec<String> {
        let is_pattern = super::expand::has_glob(path);
        if self.env.files.is_empty() || !(is_pattern || path.contains(HOLE)) {
            return Vec::new();
        }
        let is_unknown = path.chars().all(|it| matches!(it, HOLE | '/' | '.'));
        let pattern = normal(path).replace(HOLE, "*");
        let from = self.suspects.from.unwrap_or(self.reading.runs.len());
        let runs = self.reading.runs.get(from..).unwrap_or_default();
        let base = |path: &str| last_part(path).to_owned();
        let alike = |pattern: &str, name: &str| super::super::may_match(pattern, name);
        let may_be = |name: &str| {
            if !is_unknown {
                return alike(&pattern, name);
            }
            let name = base(name);
            let mut named = runs.iter().flat_map(|run| run.argv.iter().skip(1));
            named.any(|word| base(word) == name)
                || self.patterns.iter().any(|it| alike(&base(it), &name))
        };
        let files = self.env.files.iter().filter(|(name, _)| !name.starts_with("/dev/"));
        let texts = files.filter_map(|(name, made)| match made {
            Made::Text(text) if may_be(name) => Some(text.clone()),
            _ => None,
        });
        texts.take(8).collect()
    }

    /// A program that is not known is given a text that looks like a command.
    pub(super) fn suspect_text(&mut self, text: &str) {
        if !self.may_guess() || !is_command_like(text.trim()) {
            return;
        }
        self.suspects.busy = true;
        self.suspected(text);
        self.suspects.busy = false;
    }

    /// Reads what stands literally in some of the runs as code that may run.
    pub(super) fn suspect(&mut self, runs: Range<usize>) {
        if !self.may_guess() {
            return;
        }
        let of_line = self.reading.runs.get(runs.clone()).unwrap_or_default();
        let length = of_line.iter().flat_map(|run| &run.argv).map(|word| word.len() + 8);
        if !self.spend(1 + length.sum::<usize>() / 256) {
            return;
        }
        self.git_shows(runs.clone());
        let mut pieces: Vec<String> = self.told_before(runs.clone());
        let mut written = std::mem::take(&mut self.suspects.written);
        // What an editor among them may have changed.
        let mut shown = Vec::new();
        for run in self.reading.runs.get(runs.clone()).unwrap_or_default() {
            // Several words that are shown as one line, with a format before them or none.
            if matches!(run.program.as_str(), "echo" | "printf") {
                let words = &run.argv[1.min(run.argv.len())..];
                let all = unescaped(&words.join(" "));
                if run.program == "printf" {
                    let words: Vec<Field> = words.iter().map(|it| Field::literal(it)).collect();
                    let text = printf(&words);
                    pieces.extend(text.lines().map(str::to_owned));
                    shown.push(text);
                } else {
                    pieces.extend(all.lines().map(str::to_owned));
                }
                shown.push(all);
                pieces.push(words.join(" "));
                pieces.push(words.get(1..).unwrap_or_default().join(" "));
            }
            for word in run.argv.iter().skip(1) {
                if self.lies_on_disk(word).is_some() {
                    continue;
                }
                if let Some(text) = self.content(word) {
                    pieces.extend(text.lines().map(str::to_owned));
                    shown.push(text);
                }
                if interpreters::find(&run.program).is_some() {
                    shown.extend(self.named_in(word));
                }
                if !leaves_out(run) {
                    pieces_of(&run.program, word, &mut pieces, &mut written);
                }
            }
            if pieces.len() > PIECES {
                break;
            }
        }
        if !self.spend(shown.iter().map(String::len).sum::<usize>() / 256) {
            self.suspects.written = written;
            return;
        }
        for (at, text) in &self.suspects.heard {
            if (runs.start..=runs.end).contains(at) {
                pieces.extend(text.lines().map(str::to_owned));
                shown.push(text.clone());
                // Code for who got it, if that is an interpreter.
                if let Some(run) = self.reading.runs.get(*at) {
                    pieces_of(&run.program, text, &mut pieces, &mut written);
                }
            }
        }
        self.suspects.written = written;
        let lists = shown.iter().filter(|it| it.trim_start().starts_with(['{', '[']));
        let strings = lists.flat_map(|it| foreign::json_strings(it));
        pieces.extend(strings.flat_map(|it| it.lines().map(str::to_owned).collect::<Vec<_>>()));
        self.turned(runs.clone(), &mut pieces);
        // What stands behind them could be it.
        if pieces.len() > PIECES {
            self.fail(Unreadable::Work);
        }
        pieces.truncate(PIECES);
        pieces.extend(self.edited(runs.clone(), &shown));
        let mut done: BTreeSet<&str> = BTreeSet::new();
        self.suspects.busy = true;
        for piece in &pieces {
            let piece = beginning(piece);
            if piece.chars().any(|it| it != HOLE) && done.insert(piece) {
                self.suspected(piece);
            }
        }
        self.suspects.busy = false;
    }

    /// What the files hold that code names: `json.load(open("f.json"))`.
    fn named_in(&self, code: &str) -> Vec<String> {
        if self.env.files.is_empty() {
            return Vec::new();
        }
        let names = code.split(['"', '\'']).skip(1).step_by(2);
        let names = names.filter(|it| !it.is_empty() && it.len() < 256).take(limit::VALUES);
        names.filter_map(|it| self.content(it)).collect()
    }

    /// Files that git shows as they were, `git show HEAD:f`: what lies there now is the nearest to
    /// it that can be looked at.
    fn git_shows(&mut self, runs: Range<usize>) {
        let runs = self.reading.runs.get(runs).unwrap_or_default();
        let shows = |run: &&Run| {
            let verb =
                run.program == "git" && run.argv.iter().any(|it| it == "show" || it == "cat-file");
            verb && !run.argv.iter().any(|it| it.contains(HOLE))
        };
        let words = runs.iter().filter(shows).flat_map(|run| run.argv.iter().skip(1));
        let paths: Vec<String> =
            words.filter_map(|it| Some(it.split_once(':')?.1.to_owned())).collect();
        for path in paths.into_iter().filter(|it| !it.is_empty()) {
            for path in self.located(&path) {
                self.script_at(path, super::super::Interpreter::Shell, &[]);
            }
        }
    }

    /// What the runs may have made of the files on the disk that they name, each as one text, and of
    /// what was shown to them.
    fn edited(&mut self, runs: Range<usize>, shown: &[String]) -> Vec<String> {
        let near = self.suspects.given.iter().filter(|it| (runs.start..=runs.end).contains(&it.0));
        let mut texts: Vec<String> = near.map(|it| it.1.clone()).collect();
        let runs = self.reading.runs.get(runs).unwrap_or_default();
        for word in runs.iter().flat_map(|run| run.argv.iter().skip(1)) {
            texts.extend(self.lies_on_disk(word).filter(|text| !texts.contains(text)));
        }
        let mut made = Vec::new();
        for run in runs.iter().filter(|run| edit::edits(&run.program)) {
            let code = || run.argv.iter().skip(1).map(String::as_str);
            made.extend(shown.iter().map(|text| edit::guesses(code(), text)));
        }
        for text in texts {
            for run in runs.iter().filter(|run| edit::edits(&run.program)) {
                let code = || run.argv.iter().skip(1).map(String::as_str);
                made.push(edit::guesses(code(), &text));
                made.extend(code().filter_map(|code| substituted(code, &text)));
            }
            // Without the signs before them: a comment, an item of a list.
            let bare = text.lines().filter(|line| beginning(line) != line.trim());
            made.push(bare.map(beginning).collect::<Vec<_>>().join("\n"));
            made.push(text);
        }
        let length = made.iter().map(String::len).sum::<usize>();
        if self.spend(length / 256) { made } else { Vec::new() }
    }

    /// Walks text for what it would run, and for nothing else: whether it is code is not known, so
    /// neither an error in it nor a file that it names means anything.
    pub(super) fn suspected(&mut self, text: &str) {
        let outer = std::mem::take(&mut self.reading);
        // Places in the line's own reading mean nothing in this one.
        let repeated_from = self.repeated_from.take();
        self.conditional += 1;
        self.nested_code(text, &Io::default());
        self.conditional -= 1;
        let Reading { runs, unreadable, .. } = std::mem::replace(&mut self.reading, outer);
        self.repeated_from = repeated_from;
        // A bound that was met is one of the line's own.
        if let Some(bound) = unreadable.filter(|it| it.is_bound()) {
            self.fail(bound);
        }
        for run in runs {
            let run = Run { certainty: Certainty::Opaque, ..run };
            if !run.program.chars().all(|it| it == HOLE) && !self.reading.runs.contains(&run) {
                self.reading.runs.push(run);
            }
        }
    }
}
