//! git's words for files: what it takes out of its index or out of a commit, and how it names them.

use super::super::table::grammar::Grammar;
use super::super::table::options;
use super::super::{Certainty, HOLE, How, Unreadable, Write};
use super::call::Call;
use super::field::Field;
use super::groups::with_hidden_names;
use super::{Walker, expand, limit};
use std::borrow::Cow;

const CHECKOUT: Grammar = Grammar { letters: "bBU", long: &["orphan", "conflict", "unified"] };
/// With these, no word of `git checkout` is a path.
const OF_BRANCHES: &[&str] = &["b", "B", "orphan", "t", "track", "d", "detach"];
const INDEX: Grammar = Grammar { letters: "", long: &["prefix", "stage"] };
const TREE: Grammar =
    Grammar { letters: "", long: &["index-output", "prefix", "exclude-per-directory"] };

/// A pattern with more stars inside is not read to its end.
const STARS: usize = 32;

impl Walker<'_> {
    /// What git puts into the work tree from what it keeps.
    pub(super) fn checked_out(&mut self, words: &[Field]) {
        let at = Self::subcommand("git", words);
        match words.get(at).map(|word| word.text.as_str()) {
            Some("checkout") => self.checkout(words, at + 1),
            Some("checkout-index") => {
                let taken = INDEX.take(words, at + 1);
                if taken.has(&["temp"]) {
                    return;
                }
                let prefix = taken.value(&["prefix"]).map_or("", |it| it.text.as_str());
                if taken.has(&["a", "all", "stdin"]) {
                    self.checked_out_all(prefix);
                }
                for &place in &taken.operands {
                    let word = words[place].with_text(&format!("{prefix}{}", words[place].text));
                    self.put_out(&word);
                }
            }
            Some("read-tree") => {
                let taken = TREE.take(words, at + 1);
                if taken.has(&["u"]) && !taken.has(&["n", "dry-run"]) {
                    self.checked_out_all("");
                }
            }
            _ => {}
        }
    }

    /// `git checkout -- file`, `git checkout ref file`, `git checkout file`
    fn checkout(&mut self, words: &[Field], from: usize) {
        let taken = CHECKOUT.take(words, from);
        let dashes = words.iter().position(|word| word.text == "--");
        let is_of_branches = taken.has(OF_BRANCHES);
        // Of a commit that is named it may be any file.
        let first = taken.operands.first().copied();
        let is_of_index = first.is_some_and(|first| {
            dashes.is_some_and(|dashes| first > dashes)
                || dashes.is_none() && is_no_name_of_a_commit(&words[first].text)
        });
        let is_of_index = is_of_index && !asks_for_more(&words[from..]);
        let mut is_first = true;
        for place in taken.operands {
            let word = &words[place];
            if dashes.is_some_and(|dashes| place > dashes) {
                self.put_back(is_of_index, |walker| walker.put_out(word));
                continue;
            }
            let is_first = std::mem::take(&mut is_first);
            if is_of_branches || dashes.is_some() || word.text == "-" {
                continue;
            }
            if !is_first || is_no_name_of_a_commit(&word.text) {
                self.put_back(is_of_index, |walker| walker.put_out(word));
            } else if self.muted == 0 && !word.text.is_empty() {
                // A branch, or a file: whoever sees the disk knows.
                let certainty = self.certainty(word.certainty());
                let conditional = self.conditional > 0;
                for path in self.located(&word.text) {
                    if path.len() > limit::NAME {
                        return self.fail(Unreadable::Work);
                    }
                    // What is no branch is a path, and then the index is what it comes from.
                    let puts_back = self.is_plain_git && !asks_for_more(&words[from..]);
                    let (how, is_found) = (How::Write, false);
                    let write = Write { path, how, certainty, conditional, puts_back, is_found };
                    if !self.reading.perhaps.contains(&write) && self.spend(1) {
                        self.reading.perhaps.push(write);
                    }
                }
            }
        }
    }

    fn put_out(&mut self, word: &Field) {
        let Some(path) = pathspec(word, deep) else { return };
        self.record_written(&word.with_text(&path), How::Write, self.certainty(word.certainty()));
        self.hidden_from_shells(word, How::Write);
    }

    /// For git, `*` finds a dot that a name begins with, too; and what the shell finds nothing for
    /// comes to git as it is written.
    pub(super) fn hidden_from_shells(&mut self, word: &Field, how: How) {
        let path = pathspec(word, str::to_owned).filter(|it| expand::has_glob(it));
        let Some(path) = path.filter(|_| self.muted == 0) else { return };
        if inner_stars(&path).count() > STARS || path.len() > limit::NAME {
            return self.fail(Unreadable::Work);
        }
        for path in across_slashes(&path) {
            if !self.spend(path.len() / 64) {
                return;
            }
            let Some(paths) = with_hidden_names(&path) else { return self.fail(Unreadable::Work) };
            for path in paths.iter().filter(|it| **it != path) {
                if self.is_spent() {
                    return;
                }
                self.record_write(path, how, self.certainty(Certainty::Opaque));
            }
        }
    }

    /// Walks what git puts back to what its index holds, if `is_so` and no other
    /// index or work tree is meant than those that stand here.
    pub(super) fn put_back(&mut self, is_so: bool, walk: impl FnOnce(&mut Self)) {
        self.puts_back = is_so && self.is_plain_git;
        walk(self);
        self.puts_back = false;
    }

    /// Whether a call of git is one of the index and the work tree that lie where it runs.
    pub(super) fn is_plain_git(&self, call: &Call) -> bool {
        const MOVED: &[&str] = &[
            "GIT_DIR",
            "GIT_COMMON_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_PARAMETERS",
            "GIT_CONFIG_GLOBAL",
            "GIT_CONFIG_SYSTEM",
        ];
        let row = options::find("git");
        let given = row.map(|row| row.grammar.leading(&call.words, 1).0).unwrap_or_default();
        given.iter().all(|it| it.name == "C")
            && !call.assignments.iter().any(|it| it.0.starts_with("GIT_"))
            && !MOVED.iter().any(|it| self.env.variable(it).is_some())
    }

    /// Whatever the index holds.
    fn checked_out_all(&mut self, prefix: &str) {
        let path = if prefix.is_empty() { "." } else { prefix };
        self.record_write(path, How::Write, Certainty::Opaque);
    }
}

/// Whether words of `git restore` or `git checkout` bring more than the index holds
/// where it differs: the files of a commit, of submodules, or what was merged. Any
/// word that is not known may be such an option.
pub(super) fn asks_for_more(words: &[Field]) -> bool {
    const LONG: &[&str] = &["so", "r", "m", "co"];
    let mut words = words.iter().map(|it| it.text.as_str()).take_while(|it| *it != "--");
    words.any(|it| match it.strip_prefix("--") {
        Some(long) => long.starts_with(HOLE) || LONG.iter().any(|it| long.starts_with(it)),
        None => it.starts_with(HOLE) || it.starts_with('-') && it.contains(['s', 'm', HOLE]),
    })
}

/// The path, or the pattern of paths, that git takes a word for; `None` where it says what is left
/// out. What counts from the top of the work tree begins with a hole.
pub(super) fn pathspec(word: &Field, deep: impl Fn(&str) -> String) -> Option<String> {
    let text = word.text.as_str();
    let (mut rest, mut is_top, mut is_literal) = (text, false, false);
    if let Some(long) = text.strip_prefix(":(") {
        let (magic, path) = long.split_once(')')?;
        let has = |name: &str| magic.split(',').any(|it| it.trim() == name);
        if has("exclude") {
            return None;
        }
        (rest, is_top, is_literal) = (path, has("top"), has("literal"));
        // Names without regard to case, and attributes: whatever lies there.
        if magic.split(',').any(|it| it.trim() == "icase" || it.trim().starts_with("attr")) {
            rest = "";
        }
    } else if let Some(short) = text.strip_prefix(':') {
        let path = short.trim_start_matches(['/', '!', '^']);
        let marks = &short[..short.len() - path.len()];
        if marks.contains(['!', '^']) {
            return None;
        }
        (rest, is_top) = (path.strip_prefix(':').unwrap_or(path), marks.contains('/'));
    }
    // The shell's own patterns are looked up as the shell does.
    let path = if word.glob || is_literal { rest.to_owned() } else { deep(rest) };
    Some(match (is_top, path.as_str()) {
        (true, path) => format!("{HOLE}/{path}"),
        (false, "") => ".".to_owned(),
        (false, path) => path.to_owned(),
    })
}

/// A word as the path that git takes it for, where it begins with git's own signs:
/// `:/x` is `x` at the top of the work tree. Where it says what is left out, that is
/// whatever else there is.
pub(super) fn without_magic(word: &Field) -> Cow<'_, Field> {
    if !word.text.starts_with(':') {
        return Cow::Borrowed(word);
    }
    let path = pathspec(word, str::to_owned).unwrap_or_else(|| ".".to_owned());
    Cow::Owned(word.with_text(&path))
}

/// A pattern, and what it is where one of its stars finds a slash: `*laude*json`.
fn across_slashes(pattern: &str) -> impl Iterator<Item = String> {
    let across =
        inner_stars(pattern).map(|at| format!("{}*/*{}", &pattern[..at], &pattern[at + 1..]));
    std::iter::once(pattern.to_owned()).chain(across)
}

/// The places of the stars with some of a name before them.
fn inner_stars(pattern: &str) -> impl Iterator<Item = usize> {
    pattern.match_indices('*').map(|it| it.0).filter(|at| {
        let (before, after) = (&pattern[..*at], &pattern[at + 1..]);
        !before.is_empty() && !before.ends_with(['/', '*']) && !after.starts_with('/')
    })
}

/// For git, `*` finds slashes, too.
fn deep(pattern: &str) -> String {
    let Some(place) = pattern.find(['*', '?', '[']).filter(|_| expand::has_glob(pattern)) else {
        return pattern.to_owned();
    };
    let begin = pattern[..place].rfind('/').map_or(0, |it| it + 1);
    let (folder, rest) = pattern.split_at(begin);
    match rest.strip_prefix("**/").or_else(|| rest.strip_prefix('*')) {
        Some(end) if rest.starts_with("**/") && !end.is_empty() && !expand::has_glob(end) => {
            pattern.to_owned()
        }
        Some(end) if !end.is_empty() && !expand::has_glob(end) && !end.starts_with('*') => {
            format!("{folder}**/{rest}")
        }
        // Anything there.
        _ if folder.is_empty() => ".".to_owned(),
        _ => folder.to_owned(),
    }
}

/// Whether git can only take it for a path: no part of a branch's name begins with a dot, and none
/// holds what a pattern does.
fn is_no_name_of_a_commit(text: &str) -> bool {
    let is_revision = text.contains("..") && !text.starts_with('.') && !text.contains('/');
    !is_revision
        && !text.contains("@{")
        && (text.starts_with([':', '.', '/', '~'])
            || text.ends_with('/')
            || text.contains("/.")
            || expand::has_glob(text))
}
