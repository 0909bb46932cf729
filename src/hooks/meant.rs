//! Which files a line means where it does not name them: what its patterns and
//! its searches come to on the disk, for the intent gate. What is found is more
//! than the line would find, never less; where there is too much to look at,
//! the folder counts.

use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};

use super::{scripts, stashed};
use crate::{
    core::protect::{Found, reach},
    shell::{Find, HOLE, How, Reading},
    world::read_head,
};

/// So many files are looked at for all searches of a call, and so many of what
/// they find are judged one by one.
const MAX_LOOKED_AT: usize = 20_000;
const MAX_FOUND: usize = 500;
const MAX_DEPTH: usize = 128;
/// Of a file so much is searched for a text, and so much of all of them.
const MAX_TEXT: usize = 1 << 20;
const MAX_TEXTS: usize = 32 << 20;

/// A search that a write hangs on: what it finds, and what follows its name.
pub(super) struct Meant<'a> {
    pub(super) cwd: &'a Path,
    pub(super) home: Option<&'a Path>,
    /// The root of the work tree.
    pub(super) project: &'a Path,
    left: usize,
    bytes: usize,
}

impl<'a> Meant<'a> {
    pub(super) fn new(cwd: &'a Path, home: Option<&'a Path>, project: &'a Path) -> Self {
        Self { cwd, home, project, left: MAX_LOOKED_AT, bytes: MAX_TEXTS }
    }

    /// The paths that a write means; itself, where it names one.
    pub(super) fn by(&mut self, reading: &Reading, path: &str, how: How) -> Vec<String> {
        if let Some((known, rest)) = path.split_once(HOLE) {
            if let Some(found) = self.by_loops(reading, path, how) {
                return found;
            }
            if let Some(found) = self.by_searches(reading, known, rest, how) {
                return found;
            }
            let mut meant = vec![path.to_owned()];
            if known.is_empty() && asks_for_top(reading) {
                let rest = rest.trim_start_matches('/');
                meant.push(self.project.join(rest).to_string_lossy().into_owned());
            }
            return meant;
        }
        // `find -delete` says that where it begins may go, too.
        if how == How::Remove
            && let Some(find) = reading.finds.iter().find(|it| deletes(it, path))
            && let Some(found) = self.found(find, path)
        {
            return found;
        }
        self.by_pattern(path)
    }

    /// Whether something has the name that may be a path; of a name of which only
    /// a folder is known, whether that is there.
    pub(super) fn is_there(&self, path: &str) -> bool {
        match path.split_once(HOLE) {
            None => self.absolute(path).symlink_metadata().is_ok(),
            Some((known, _)) => known.ends_with('/') && self.absolute(known).is_dir(),
        }
    }

    /// What a pattern finds that is there. Where that is nothing, bash takes the
    /// pattern for a name.
    pub(super) fn by_pattern(&mut self, path: &str) -> Vec<String> {
        let itself = vec![path.to_owned()];
        let pattern = self.absolute(path);
        if !path.contains(['*', '?', '[']) || pattern.symlink_metadata().is_ok() {
            return itself;
        }
        let mut found = scripts::matching(&pattern);
        found.retain(|it| it.symlink_metadata().is_ok() && !is_hidden_match(it, &pattern));
        if found.is_empty() || found.len() > MAX_FOUND {
            return itself;
        }
        let folder = if path.ends_with('/') { "/" } else { "" };
        found.iter().map(|it| format!("{}{folder}", it.to_string_lossy())).collect()
    }

    /// What a loop over a pattern writes, by what stands for its files; `None` where no
    /// loop of the line does.
    fn by_loops(&mut self, reading: &Reading, path: &str, how: How) -> Option<Vec<String>> {
        let mut found = BTreeSet::new();
        let mut is_known = false;
        for find in &reading.finds {
            let shown = find.shows.iter().filter(|it| find.is_written || !it.starts_with(HOLE));
            let rests = shown.filter_map(|it| path.strip_prefix(it.as_str()));
            let Some(rest) = rests.min_by_key(|it| it.len()).filter(|it| !it.contains(HOLE)) else {
                continue;
            };
            for (_, start) in &find.starts {
                let paths = self.found(find, start)?;
                // Nothing lies below a file.
                let paths = paths.iter().filter(|it| match rest {
                    "" => !is_edit(how) || !Path::new(it).is_dir(),
                    rest => !rest.starts_with('/') || Path::new(it).is_dir(),
                });
                is_known = true;
                found.extend(paths.map(|it| format!("{it}{rest}")));
            }
        }
        is_known.then(|| found.into_iter().collect())
    }

    /// `None` where no search of the line finds it.
    fn by_searches(
        &mut self,
        reading: &Reading,
        known: &str,
        rest: &str,
        how: How,
    ) -> Option<Vec<String>> {
        if rest.contains(HOLE) || !known.is_empty() && !known.ends_with('/') {
            return None;
        }
        let mut found = BTreeSet::new();
        let mut is_known = false;
        for find in reading.finds.iter().filter(|it| !it.is_git) {
            for (_, start) in &find.starts {
                let begins = match known {
                    // Of a name of which nothing is known, it is said what becomes of it.
                    "" => !find.acts.is_empty(),
                    known => start.trim_end_matches('/') == known.trim_end_matches('/'),
                };
                if !begins {
                    continue;
                }
                is_known = true;
                let Some(paths) = self.found(find, start) else {
                    // Whatever it is, it lies there.
                    found.insert(format!("{}/", start.trim_end_matches('/')));
                    continue;
                };
                found.extend(paths.into_iter().map(|it| format!("{it}{rest}")));
            }
        }
        found.retain(|it| it.ends_with('/') || !is_edit(how) || !Path::new(it).is_dir());
        is_known.then(|| found.into_iter().collect())
    }

    /// What a search finds from one of its folders. `None` where that cannot be
    /// known.
    fn found(&mut self, find: &Find, start: &str) -> Option<Vec<String>> {
        if start.contains(HOLE) {
            return None;
        }
        let root = self.absolute(start);
        let written = find.starts.iter().find(|it| it.1 == start).map_or(start, |it| &it.0);
        let search = Search { find, written, root: &root };
        let mut found = Vec::new();
        self.walk(search, &root, 0, &mut found).then_some(found)
    }

    /// Whether all of it was looked at.
    fn walk(&mut self, search: Search, path: &Path, depth: usize, found: &mut Vec<String>) -> bool {
        let Ok(metadata) = path.symlink_metadata() else { return true };
        let Some(left) = self.left.checked_sub(1).filter(|_| depth < MAX_DEPTH) else {
            return false;
        };
        self.left = left;
        let name = path.file_name().unwrap_or_default();
        if depth > 0 && name == ".git" && search.find.is_text {
            return true;
        }
        let answer = search.comes_to(path, &metadata, depth);
        if answer.finds && self.holds(path, &search.find.literal) {
            if found.len() >= MAX_FOUND {
                return false;
            }
            found.push(path.to_string_lossy().into_owned());
        }
        // Where it begins, a link is followed if it ends in a slash; what lies behind is judged by
        // where it really is.
        let is_folder = metadata.is_dir() || depth == 0 && path.is_dir();
        if !is_folder || answer.prunes {
            return true;
        }
        let Ok(entries) = fs::read_dir(path) else { return true };
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in entries.flatten() {
            if paths.len() > self.left {
                return false;
            }
            paths.push(entry.path());
        }
        paths.sort_unstable();
        paths.iter().all(|it| self.walk(search, it, depth + 1, found))
    }

    /// Whether a text may stand in a file.
    fn holds(&mut self, path: &Path, literal: &str) -> bool {
        if literal.is_empty() || self.bytes == 0 {
            return true;
        }
        let Some(bytes) = read_head(path, MAX_TEXT) else { return true };
        self.bytes = self.bytes.saturating_sub(bytes.len());
        let literal = literal.as_bytes();
        bytes.len() >= MAX_TEXT || bytes.windows(literal.len()).any(|it| it == literal)
    }

    fn absolute(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        }
    }
}

/// A search from one of its folders.
#[derive(Clone, Copy)]
struct Search<'a> {
    find: &'a Find,
    written: &'a str,
    root: &'a Path,
}

struct Answer {
    finds: bool,
    prunes: bool,
}

impl Search<'_> {
    fn comes_to(self, path: &Path, metadata: &fs::Metadata, depth: usize) -> Answer {
        let rest = path.strip_prefix(self.root).unwrap_or(Path::new(""));
        let shown = match (depth, self.written) {
            (0, written) => written.to_owned(),
            (_, "") => rest.display().to_string(),
            (_, written) => format!("{}/{}", written.trim_end_matches('/'), rest.display()),
        };
        let is_empty = || {
            if metadata.is_dir() {
                fs::read_dir(path).is_ok_and(|mut it| it.next().is_none())
            } else {
                metadata.len() == 0
            }
        };
        let asks = self.find.words.iter().any(|it| it == "-empty");
        let found = Found {
            path: &shown,
            spelt_out: &shown,
            depth,
            is_dir: metadata.is_dir(),
            is_link: metadata.is_symlink(),
            is_empty: asks && is_empty(),
            size: None,
            mode: None,
            age: None,
        };
        // Whatever is done to what it finds, it is found.
        let words = &self.find.words;
        let acts = |place: &usize| {
            let word = words[*place].as_str();
            matches!(word, "-delete" | "-exec" | "-execdir" | "-ok" | "-okdir")
        };
        let places = (0..words.len()).filter(acts).chain([words.len()]);
        let mut answer = Answer { finds: false, prunes: false };
        for place in places {
            let reached = reach(self.find, place, found);
            answer.finds |= reached.acts;
            answer.prunes |= reached.prunes;
        }
        answer
    }
}

/// Whatever changes what a file holds, passes folders over.
fn is_edit(how: How) -> bool {
    matches!(how, How::Edit | How::Append)
}

/// Whether it is the removal of what a search begins with.
fn deletes(find: &Find, path: &str) -> bool {
    let is_delete = |place: &usize| find.words.get(*place).is_some_and(|it| it == "-delete");
    !find.is_git
        && find.acts.iter().any(|it| is_delete(&it.0))
        && find.starts.iter().any(|it| it.1 == path)
}

/// `$(git rev-parse --show-toplevel)`, `git checkout :/src`
fn asks_for_top(reading: &Reading) -> bool {
    // A list of paths that the line holds is no word of git's.
    const ASKS: &[&str] = &[":/", ":(", stashed::LIST];
    let runs = reading.runs.iter().filter(|it| it.program == "git");
    let mut words = runs.flat_map(|it| &it.argv);
    words.any(|word| word == "--show-toplevel" || ASKS.iter().any(|it| word.starts_with(it)))
}

/// `*` finds no name that begins with a dot.
fn is_hidden_match(path: &Path, pattern: &Path) -> bool {
    let is_deep = pattern.components().any(|it| it.as_os_str() == "**");
    let is_hidden = |it: Component| it.as_os_str().to_string_lossy().starts_with('.');
    let mut parts = path.components().zip(pattern.components());
    !is_deep && parts.any(|(found, asked)| is_hidden(found) && !is_hidden(asked))
}
