//! `find` and `fd`: what they run, and what becomes of what they find.

use super::super::table::grammar::Grammar;
use super::super::{Certainty, Find, HOLE, How, limit};
use super::Walker;
use super::call::Call;
use super::field::Field;
use super::through::keeps_names;
use std::ops::Range;

const FD: Grammar = Grammar {
    letters: "edtESocjC",
    long: &[
        "extension",
        "max-depth",
        "min-depth",
        "exact-depth",
        "type",
        "exclude",
        "size",
        "owner",
        "color",
        "threads",
        "base-directory",
        "changed-within",
        "changed-before",
        "ignore-file",
        "and",
        "format",
        "max-results",
        "search-path",
        "path-separator",
        "batch-size",
    ],
};

/// So many names below what is found are looked up; where there are more, what is found counts.
pub(super) const MOST_BELOW: usize = 64;

/// What becomes of what is found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Becomes {
    /// Where the writes begin that say so.
    pub(super) writes: usize,
    /// The word of the search that does it; `None` where it is done to all that is printed.
    pub(super) act: Option<usize>,
    /// Whether a file that is written, and of which nothing is known, is one of them for certain.
    pub(super) overwrites: bool,
    /// How many filters the names came through; `None` where they may not be those that were found.
    pub(super) through: Option<usize>,
}

impl Becomes {
    pub(super) fn since(writes: usize) -> Self {
        Self { writes, act: None, overwrites: false, through: None }
    }
}

impl Walker<'_> {
    /// `find … -exec command ;`, and `fd … -x command`.
    pub(super) fn find(&mut self, name: &str, call: &Call) {
        let words = &call.words;
        let is_fd = !name.ends_with("find");
        // `-L` and its like stand before the folders.
        let mut first = 1;
        while let Some(word) = words.get(first).filter(|_| !is_fd) {
            match word.text.as_str() {
                "-D" | "-f" => first += 2,
                "-H" | "-L" | "-P" | "-E" | "-X" | "-s" | "-x" | "-d" => first += 1,
                text if text.starts_with("-O") => first += 1,
                _ => break,
            }
        }
        let tests = words.get(first..).unwrap_or_default();
        let starts: Vec<&Field> =
            tests.iter().take_while(|word| !word.text.starts_with(['-', '(', '!'])).collect();
        self.finds(words, &starts);
        let place = self.reading.finds.len();
        let find = if is_fd { self.look_of_fd(words) } else { self.look(&starts, tests) };
        let shown = super::search::below(&find.starts);
        if self.muted == 0 && self.spend(1) {
            self.reading.finds.push(find);
        }
        // Where the tests of `find` begin.
        let tests = self.reading.finds.get(place).map_or(0, |it| it.words.len());
        let head = words.len().saturating_sub(tests);
        let found = match &starts[..] {
            [start] if start.text != "." && !is_fd => {
                format!("{}/{HOLE}", start.text.trim_end_matches('/'))
            }
            _ => HOLE.to_string(),
        };
        let found = Field { text: found, resolved: true, ..Field::default() };
        let mut at = first;
        while at < words.len() {
            let text = words[at].text.as_str();
            let writes = self.reading.writes.len();
            let mut act = None;
            let mut keeps = false;
            match text {
                "-delete" => {
                    // Whether it goes, too, hangs on what is in it.
                    for start in &starts {
                        self.record_written(start, How::Remove, Certainty::Opaque);
                    }
                    self.record_write(&found.text, How::Remove, Certainty::Opaque);
                    act = Some(at);
                    keeps = true;
                }
                "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                    if let Some(file) = words.get(at + 1) {
                        self.record_written(file, How::Write, file.certainty());
                    }
                }
                "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec"
                | "--exec-batch" => {
                    let end = (at + 1..words.len())
                        .find(|end| {
                            words[*end].text == ";"
                                || (words[*end].text == "+" && words[*end - 1].text == "{}")
                        })
                        .unwrap_or(words.len());
                    let template = words.get(at + 1..end).unwrap_or_default();
                    let mut inner: Vec<Field> =
                        template.iter().map(|w| super::xargs::replaced(w, "{}", &found)).collect();
                    // `fd -x rm` adds what it finds.
                    if is_fd && !template.iter().any(|word| word.text.contains('{')) {
                        inner.push(found.clone());
                    }
                    keeps = keeps_names(template.iter().map(|it| it.text.as_str()));
                    if template.first().is_some_and(|it| it.text == "{}") {
                        self.found_runs();
                    }
                    if !template.is_empty() {
                        let call = call.with_words(inner);
                        let before = self.env.directories().to_vec();
                        // It runs beside what is found.
                        if text.ends_with("dir") {
                            let folders = starts.iter().flat_map(|it| self.located(&it.text));
                            let folders = folders
                                .take(limit::VALUES)
                                .flat_map(|it| [format!("{it}/{HOLE}"), it])
                                .collect::<Vec<_>>();
                            if !folders.is_empty() {
                                self.env.put_directories(folders);
                            }
                        }
                        self.enter(|walker| walker.again(true, |walker| walker.call(call)));
                        self.env.put_directories(before);
                    }
                    act = Some(at);
                    at = end;
                }
                _ => {}
            }
            if let Some(act) = act {
                let act = if is_fd { None } else { act.checked_sub(head) };
                let through = keeps.then_some(0);
                let becomes = Becomes { writes, act, overwrites: true, through };
                self.becomes(place..self.reading.finds.len().min(place + 1), becomes);
            }
            at += 1;
        }
        self.found = shown;
    }

    fn look(&self, starts: &[&Field], words: &[Field]) -> Find {
        let tests = words.iter().skip(starts.len()).map(|word| word.text.clone());
        let here = Field::literal(".");
        let starts = if starts.is_empty() { &[&here][..] } else { starts };
        Find { starts: self.starts(starts), words: tests.collect(), ..Find::default() }
    }

    /// `fd` in the words of `find`, and two of our own: `-visible`, and `-like`, a pattern that is
    /// searched for in the name.
    fn look_of_fd(&self, words: &[Field]) -> Find {
        let is_end =
            |word: &Field| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
        let end = words.iter().position(is_end).unwrap_or(words.len());
        let taken = FD.take(&words[..end], 1);
        let values = |names: &'static [&'static str]| {
            let given = taken.options.iter().filter(|it| names.contains(&it.name.as_str()));
            given.filter_map(|it| it.value.as_ref()).collect::<Vec<&Field>>()
        };
        let mut tests: Vec<String> = Vec::new();
        if !taken.has(&["H", "hidden", "u", "unrestricted"]) {
            tests.push("-visible".to_owned());
        }
        if let Some(place) = taken.operands.first() {
            let is_glob = taken.has(&["g", "glob"]);
            let test = match (is_glob, taken.has(&["p", "full-path"])) {
                (true, false) => "-iname",
                (true, true) => "-ipath",
                (false, false) => "-like",
                (false, true) => "-true",
            };
            tests.push(test.to_owned());
            if test != "-true" {
                tests.push(words[*place].text.clone());
            }
        }
        for (at, extension) in values(&["e", "extension"]).iter().enumerate() {
            let first = if at == 0 { "(" } else { "-o" };
            tests.extend([first, "-iname"].map(str::to_owned));
            tests.push(format!("*.{}", extension.text.trim_start_matches('.')));
        }
        if taken.has(&["e", "extension"]) {
            tests.push(")".to_owned());
        }
        for kind in values(&["t", "type"]) {
            let letter = kind.text.get(..1).filter(|it| "fdl".contains(it));
            tests.extend(letter.into_iter().flat_map(|it| ["-type".to_owned(), it.to_owned()]));
        }
        let here = Field::literal(".");
        let mut starts: Vec<&Field> =
            taken.operands.iter().skip(1).map(|place| &words[*place]).collect();
        starts.extend(values(&["search-path", "base-directory", "C"]));
        if starts.is_empty() {
            starts.push(&here);
        }
        Find { starts: self.starts(&starts), words: tests, ..Find::default() }
    }

    pub(super) fn starts(&self, starts: &[&Field]) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for start in starts {
            found.extend(self.located(&start.text).into_iter().map(|it| (start.text.clone(), it)));
        }
        found
    }

    /// `git clean`: what git does not keep is found and removed.
    pub(super) fn cleaned(&mut self, words: &[Field], from: usize) {
        const CLEAN: Grammar = Grammar { letters: "e", long: &["exclude"] };
        if self.muted > 0 || CLEAN.take(words, from).has(&["n", "dry-run"]) {
            return;
        }
        let (given, _) = super::super::table::options::find("git")
            .map(|row| row.grammar.leading(words, 1))
            .unwrap_or_default();
        let mut folder = String::from(".");
        for option in given.iter().filter(|it| it.name == "C") {
            folder = super::join(&folder, option.value.as_ref().map_or("", |it| &it.text));
        }
        // In a tree that is not the repository's own, nothing is kept.
        if let Some(option) = given.iter().rev().find(|it| it.name == "work-tree") {
            let tree = super::join(&folder, option.value.as_ref().map_or("", |it| &it.text));
            self.record_write(&tree, How::Remove, Certainty::Resolved);
            return;
        }
        let words = words[from..].iter().map(|word| word.text.clone()).collect();
        let starts = self.starts(&[&Field::literal(&folder)]);
        let acts = vec![(0, How::Remove)];
        self.reading.finds.push(Find { starts, words, acts, is_git: true, ..Find::default() });
    }

    /// Notes what becomes of what the patterns of a loop find, by the writes since. One that may
    /// find anything is noted elsewhere.
    pub(super) fn patterns_become(&mut self, finds: Range<usize>, writes: usize) {
        let writes = self.reading.writes.get(writes..).unwrap_or_default();
        for find in self.reading.finds.get_mut(finds).unwrap_or_default() {
            let is_it = |path: &str| {
                let mut shows = find.shows.iter().filter(|it| !it.starts_with(HOLE));
                shows.any(|it| path.trim_end_matches('/') == it)
            };
            let act = find.words.len();
            for write in writes.iter().filter(|it| is_it(&it.path)) {
                if !find.acts.contains(&(act, write.how)) {
                    find.acts.push((act, write.how));
                }
            }
        }
    }

    /// Notes of some of the finds what becomes of what they find, by the writes since: those that
    /// name nothing but what is unknown, or what lies somewhere below where the find began.
    pub(super) fn becomes(&mut self, finds: Range<usize>, becomes: Becomes) {
        if finds.is_empty() {
            return;
        }
        let Becomes { writes, act, overwrites, through } = becomes;
        // What was found is named by where it was looked for.
        let is_start = |known: &str, find: &Find| {
            find.starts.iter().any(|it| it.1.trim_end_matches('/') == known.trim_end_matches('/'))
        };
        let finds_there = |known: &str| {
            let mut finds = self.reading.finds[finds.clone()].iter().filter(|it| !it.is_text);
            known.ends_with('/') && finds.any(|it| is_start(known, it))
        };
        let (mut hows, mut below): (Vec<How>, Vec<(How, String)>) = Default::default();
        let mut found = Vec::new();
        for (place, write) in self.reading.writes.iter().enumerate().skip(writes) {
            let (known, rest) = write.path.split_once(HOLE).unwrap_or((&write.path, "-"));
            let is_there = finds_there(known);
            let is_named = is_there || act.is_some() && (known.is_empty() || known.ends_with('/'));
            let takes = matches!(write.how, How::Remove | How::Move | How::Chmod | How::Edit);
            let gives = matches!(write.how, How::Write | How::Append | How::Link);
            if rest.chars().all(|it| it == HOLE) {
                let counts = takes || gives && (overwrites || is_there);
                if counts && (known.is_empty() || is_named) && !hows.contains(&write.how) {
                    hows.push(write.how);
                }
                if counts && is_there && through.is_some() {
                    found.push(place);
                }
            } else if is_named && rest.starts_with('/') && !rest.contains(HOLE) && (takes || gives)
            {
                let one = (write.how, rest.to_owned());
                if below.len() < MOST_BELOW && !below.contains(&one) {
                    below.push(one);
                } else if below.len() == MOST_BELOW && !hows.contains(&write.how) {
                    hows.push(write.how);
                }
            }
        }
        for place in found {
            self.reading.writes[place].is_found = true;
        }
        for find in self.reading.finds[finds].iter_mut().filter(|it| !it.is_text) {
            let act = act.unwrap_or(find.words.len() + through.unwrap_or(0));
            for how in &hows {
                if !find.acts.contains(&(act, *how)) {
                    find.acts.push((act, *how));
                }
            }
            find.below.extend(below.iter().map(|(how, rest)| (act, *how, rest.clone())));
        }
    }
}
