//! What searches show: names that nobody can know but who looks there, below folders that stand in
//! the line. `grep -rl a src` shows `src/` and a hole.

use super::super::syntax::{Item, Node, Part, Word};
use super::super::table::grammar::Grammar;
use super::super::{Find, HOLE, How, Write};
use super::field::Field;
use super::find::MOST_BELOW;
use super::origin::found_by;
use super::{Walker, expand};

const GREP: Grammar = Grammar {
    letters: "efmABCdDgtTjMr",
    long: &[
        "regexp",
        "file",
        "max-count",
        "after-context",
        "before-context",
        "context",
        "include",
        "exclude",
        "exclude-dir",
        "exclude-from",
        "glob",
        "iglob",
        "type",
        "type-not",
        "threads",
        "max-depth",
        "max-filesize",
        "sort",
        "sortr",
        "encoding",
        "ignore-file",
    ],
};
const LS_FILES: Grammar =
    Grammar { letters: "xX", long: &["exclude", "exclude-from", "with-tree", "abbrev", "format"] };

/// A name that nobody knows, and more behind it.
const BELOW: &str = "\u{FFFC}/";

impl Walker<'_> {
    /// What `grep`, `rg` and `git ls-files` show. `None` where that is not a list of files, or not
    /// below folders that are known.
    pub(super) fn searched(&mut self, name: &str, words: &[Field]) -> Option<String> {
        match name {
            "find" | "gfind" | "fd" | "fdfind" => self.found.take(),
            "grep" | "egrep" | "fgrep" | "ggrep" | "rgrep" => {
                let taken = Grammar { letters: "efmABCdD", ..GREP }.take(words, 1);
                let recursive = ["r", "R", "recursive", "dereference-recursive"];
                let lists = ["l", "L", "files-with-matches", "files-without-match"];
                let is_deep = name == "rgrep" || taken.has(&recursive);
                if !is_deep && !taken.has(&lists) || taken.has(&["h", "no-filename"]) {
                    return None;
                }
                let include: Vec<String> =
                    values(&taken, &["include"]).map(|it| it.text.clone()).collect();
                self.looked_through(name, words, &taken, &include, is_deep)
            }
            "rg" | "ag" | "ack" => {
                // `-r` is a replacement there.
                let taken = GREP.take(words, 1);
                if taken.has(&["I", "no-filename", "h"]) {
                    return None;
                }
                let globs = values(&taken, &["g", "glob"]);
                let globs = globs.map(|it| it.text.clone()).filter(|it| !it.contains(['!', '/']));
                let globs: Vec<String> = globs.collect();
                self.looked_through(name, words, &taken, &globs, true)
            }
            "git" => self.searched_by_git(words),
            _ => None,
        }
    }

    fn looked_through(
        &mut self,
        name: &str,
        words: &[Field],
        taken: &super::super::table::grammar::Taken,
        include: &[String],
        is_deep: bool,
    ) -> Option<String> {
        let of_files = name == "rg" && taken.has(&["files"]);
        let given = taken.has(&["e", "regexp", "f", "file"]) || of_files;
        let mut operands = taken.operands.iter().map(|place| &words[*place]);
        let pattern = if given { None } else { operands.next() };
        let starts: Vec<&Field> = operands.collect();
        if !is_deep {
            // Some of those that it is told.
            let names: Vec<&str> = starts.iter().map(|it| it.text.as_str()).collect();
            return (!names.is_empty()).then(|| names.join("\n") + "\n");
        }
        let other = ["i", "ignore-case", "y", "v", "invert-match", "L", "files-without-match"];
        let loose = ["S", "smart-case", "z", "null-data", "a", "text", "U", "multiline"];
        let is_fixed = name == "fgrep" || taken.has(&["F", "fixed-strings"]);
        let literal = pattern.map(|it| it.text.as_str()).filter(|it| {
            let is_plain = |c: char| c.is_alphanumeric() || " _-/:=<>\"',;@#%&~!".contains(c);
            (is_fixed || it.chars().all(is_plain))
                && !it.contains(['\n', HOLE])
                && !taken.has(&other)
                && !taken.has(&loose)
        });
        let mut tests: Vec<String> = vec!["-type".to_owned(), "f".to_owned()];
        if matches!(name, "rg" | "ag" | "ack") && !taken.has(&["hidden", "u", "unrestricted"]) {
            tests.push("-visible".to_owned());
        }
        tests.extend(named(include));
        self.shows(&starts, tests, literal.unwrap_or_default())
    }

    /// `git ls-files`, `git grep -l`: what git keeps, below the paths that it is told.
    fn searched_by_git(&mut self, words: &[Field]) -> Option<String> {
        let at = Self::subcommand("git", words);
        if at != 1 {
            return None;
        }
        let (taken, skipped) = match words.get(at)?.text.as_str() {
            "ls-files" => (LS_FILES.take(words, at + 1), 0),
            "grep" => {
                let taken = Grammar { letters: "efmABCO", ..GREP }.take(words, at + 1);
                let skipped = usize::from(!taken.has(&["e", "f"]));
                (taken, skipped)
            }
            _ => return None,
        };
        let starts = taken.operands.iter().skip(skipped).map(|place| &words[*place]);
        let mut folders = Vec::new();
        let mut names = Vec::new();
        for start in starts {
            if start.text.starts_with(':') {
                return None;
            }
            // `*` goes through folders, too.
            let place = start.text.find(['*', '?', '[']);
            let folder = place.map(|it| start.text[..it].rsplit_once('/').map_or(".", |it| it.0));
            folders.push(folder.map_or_else(|| start.clone(), |it| start.with_text(it)));
            let name = start.text.rsplit('/').next().filter(|_| folder.is_some());
            names.push(name.map_or("*", |it| it.trim_start_matches("**")).to_owned());
        }
        let mut tests = vec!["-tracked".to_owned(), "-type".to_owned(), "fl".to_owned()];
        tests.extend(named(&names));
        let starts: Vec<&Field> = folders.iter().collect();
        self.shows(&starts, tests, "")
    }

    /// Notes a search, and what it shows.
    fn shows(&mut self, starts: &[&Field], words: Vec<String>, literal: &str) -> Option<String> {
        let here = Field::literal(".");
        let starts = if starts.is_empty() { &[&here][..] } else { starts };
        let starts = self.starts(starts);
        let shown = below(&starts);
        if self.muted == 0 {
            let literal = literal.to_owned();
            let find = Find { starts, words, literal, is_text: true, ..Find::default() };
            self.reading.finds.push(find);
        }
        shown
    }

    /// What `ls` shows of a folder, where the writes since then change names that nobody knows:
    /// those, as they lie in that folder, or what has a name below them.
    pub(super) fn listed(&mut self, node: &Node, writes: usize) {
        let changes = |it: &Write| {
            let is_change = matches!(it.how, How::Remove | How::Move | How::Chmod | How::Edit);
            is_change && it.path.starts_with(HOLE)
        };
        let written = self.reading.writes.get(writes..).unwrap_or_default();
        if !written.iter().any(|it| changes(it) || it.path.contains(BELOW)) {
            return;
        }
        let is_listed = written.iter().any(changes);
        let Node::Simple(simple) = node else { return };
        let words = simple.words.iter().map(|word| match &word.parts[..] {
            [Part::Text { text, .. }] => Some(text.as_str()),
            _ => None,
        });
        let Some(words) = words.collect::<Option<Vec<&str>>>() else { return };
        let [name, words @ ..] = &words[..] else { return };
        let (options, folders): (Vec<&str>, Vec<&str>) =
            words.iter().copied().partition(|it| it.starts_with('-'));
        let is_plain = |it: &&str| !it.contains(['R', 'd', 'I']) || it.starts_with("--");
        let is_pattern = |it: &&str| expand::has_glob(it);
        if *name != "ls"
            || self.muted > 0
            || !options.iter().all(is_plain)
            || folders.iter().any(is_pattern)
        {
            return;
        }
        let mut words = ["-mindepth", "1", "-maxdepth", "1"].map(str::to_owned).to_vec();
        let has_hidden = |it: &&str| it.contains(['a', 'A', 'f']) && !it.starts_with("--");
        if !options.iter().any(has_hidden) && !options.contains(&"--all") {
            words.push("-visible".to_owned());
        }
        let folders = if folders.is_empty() { vec!["."] } else { folders };
        let folders: Vec<Field> = folders.into_iter().map(Field::literal).collect();
        let starts = self.starts(&folders.iter().collect::<Vec<_>>());
        let shows = vec![HOLE.to_string()];
        let below = self.written_below(&starts, writes, words.len());
        let is_text = true;
        let find =
            Find { starts, words, is_text, shows, below, is_written: is_listed, ..Find::default() };
        self.reading.finds.push(find);
    }

    /// What has a name below one that a listing shows: `~/` and a hole, and `/config.toml`.
    fn written_below(
        &self,
        starts: &[(String, String)],
        writes: usize,
        act: usize,
    ) -> Vec<(usize, How, String)> {
        let is_start = |known: &str| {
            let known = known.trim_end_matches('/');
            starts.iter().any(|it| it.1.trim_end_matches('/') == known)
                || known.is_empty() && starts.iter().any(|it| it.0 == ".")
        };
        let mut below = Vec::new();
        for write in self.reading.writes.get(writes..).unwrap_or_default() {
            let Some((known, rest)) = write.path.split_once(HOLE) else { continue };
            let keeps = matches!(write.how, How::Touch | How::Directory | How::Lock);
            let one = (act, write.how, rest.to_owned());
            if rest.starts_with('/')
                && !rest.contains(HOLE)
                && !keeps
                && is_start(known)
                && below.len() < MOST_BELOW
                && !below.contains(&one)
            {
                below.push(one);
            }
        }
        below
    }

    /// `rm $(ls | grep x)`: the same of words that are listings.
    pub(super) fn listed_in(&mut self, words: &[Word], writes: usize) {
        if self.reading.writes.len() <= writes {
            return;
        }
        for word in words {
            if let [Part::Command { list, .. }] = &word.parts[..]
                && let [Item { node, .. }] = &list[..]
            {
                match node {
                    Node::Pipeline(stages) => {
                        if let Some(first) = stages.first() {
                            self.listed(first, writes);
                        }
                    }
                    node => self.listed(node, writes),
                }
            }
        }
    }

    /// A loop over the files that a pattern finds: a search by itself.
    pub(super) fn loop_over(&mut self, pattern: &str) {
        let Some(place) = pattern.find(['*', '?', '[']).filter(|_| self.muted == 0) else { return };
        let (folder, rest) = pattern[..place]
            .rfind('/')
            .map_or((".", pattern), |it| (&pattern[..it], &pattern[it + 1..]));
        let folder = if folder.is_empty() { "/" } else { folder };
        let depth = rest.trim_end_matches('/').split('/').count().to_string();
        let mut words = vec!["-mindepth".to_owned(), depth.clone()];
        if !rest.contains("**") {
            words.extend(["-maxdepth".to_owned(), depth]);
        }
        // `*` finds no name that begins with a dot.
        if !format!("/{rest}").contains("/.") {
            words.push("-visible".to_owned());
        }
        words.push("-path".to_owned());
        words.push(pattern.trim_end_matches('/').replace("**", "*"));
        let starts = self.starts(&[&Field::literal(folder)]);
        let starts = starts.into_iter().map(|(_, located)| {
            let written = if folder == "." { "" } else { folder };
            (written.to_owned(), located)
        });
        let mut shows = self.located(found_by(pattern.trim_end_matches('/')).as_str());
        shows.dedup();
        let starts = starts.collect();
        let find = Find { starts, words, is_text: true, shows, ..Find::default() };
        self.reading.finds.push(find);
    }
}

/// What a search from these folders shows.
pub(super) fn below(starts: &[(String, String)]) -> Option<String> {
    if starts.iter().any(|(written, _)| written.contains(HOLE) || expand::has_glob(written)) {
        return None;
    }
    let mut shown = String::new();
    for (written, _) in starts {
        let line = format!("{}/{HOLE}\n", written.trim_end_matches('/'));
        if !shown.contains(&line) {
            shown.push_str(&line);
        }
    }
    (!shown.is_empty()).then_some(shown)
}

/// Whether a text is nothing but what is unknown: holes, and names that were found.
pub(super) fn is_unknown(text: &str) -> bool {
    let is_found = |line: &str| {
        let line = line.trim();
        line.chars().eq([HOLE]) || line.strip_suffix(HOLE).is_some_and(|it| it.ends_with('/'))
    };
    text.contains(HOLE) && text.trim().lines().all(is_found)
}

fn values<'a>(
    taken: &'a super::super::table::grammar::Taken,
    names: &'static [&'static str],
) -> impl Iterator<Item = &'a Field> {
    let given = taken.options.iter().filter(|it| names.contains(&it.name.as_str()));
    given.filter_map(|it| it.value.as_ref())
}

/// Any of these names, in the words of `find`.
fn named(patterns: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    for (at, pattern) in patterns.iter().enumerate() {
        words.extend([if at == 0 { "(" } else { "-o" }, "-name"].map(str::to_owned));
        words.push(pattern.clone());
    }
    if !words.is_empty() {
        words.push(")".to_owned());
    }
    words
}
