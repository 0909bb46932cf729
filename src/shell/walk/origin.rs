//! Where a file's text comes from, once the line has moved, copied, linked or written files: the
//! text itself, another file, or nothing that is known.

use super::super::table::grammar::Grammar;
use super::super::{HOLE, How, Interpreter, Script, Unreadable, last_part};
use super::builtin::logical;
use super::env::Made;
use super::field::Field;
use super::start::START;
use super::{Walker, expand, limit};
use std::borrow::Cow;

/// Patterns of files that the line goes over; a line of more may run anything.
const PATTERNS: usize = 64;

/// What is read from a descriptor whose number the shell has chosen: `{fd}< file`.
pub(super) const ANY_DESCRIPTOR: &str = "/dev/fd/4294967295";

impl Walker<'_> {
    /// What the line has made of a path: itself, or of a folder that it is in. `None` where it has
    /// not touched it.
    pub(super) fn made(&self, path: &str) -> Option<Made> {
        if self.env.files.is_empty() {
            return None;
        }
        let mut folders = self.env.directories().iter();
        let first = folders.find_map(|folder| self.made_at(&joined(folder, path)))?;
        // It may lie in another folder as well, and be something else there.
        let others = folders.filter_map(|folder| self.made_at(&joined(folder, path)));
        Some(others.fold(first, |made, other| match (made, other) {
            (Made::Text(text), Made::Text(other)) if text != other => {
                Made::Text(format!("{text}\n{other}"))
            }
            (made @ Made::Text(_), _) | (_, made) => made,
        }))
    }

    /// Whether the line has made this very path, and not only a folder that it is in.
    pub(super) fn has_made(&self, path: &str) -> bool {
        let mut folders = self.env.directories().iter();
        !self.env.files.is_empty()
            && folders.any(|it| self.env.files.contains_key(&*normal(&joined(it, path))))
    }

    /// [`Self::made`], of a path from where the line starts.
    pub(super) fn made_at(&self, path: &str) -> Option<Made> {
        let path = &*normal(path);
        if let Some(made) = self.env.files.get(path) {
            return Some(made.clone());
        }
        if path.strip_prefix("/dev/fd/").is_some_and(|it| it.contains(HOLE)) {
            return self.env.files.get(ANY_DESCRIPTOR).cloned();
        }
        let folders = path.char_indices().rev().filter(|(_, c)| *c == '/').take(limit::DEPTH);
        folders.map(|(at, _)| path.split_at(at)).find_map(|(folder, rest)| {
            match self.env.files.get(folder)? {
                Made::File(source) => Some(Made::File(format!("{source}{rest}"))),
                _ => None,
            }
        })
    }

    /// What a file holds: what the line has written to it, or what the caller knows of it. `None`
    /// where the line has not touched it and nobody knows.
    pub(super) fn content(&self, path: &str) -> Option<String> {
        let more = || self.on_disk(&self.besides(path));
        match self.made(path) {
            Some(Made::Text(text)) => Some(with(self.in_doubt(path, text), more())),
            Some(Made::File(source)) => {
                Some(with(self.on_disk(&[source]).unwrap_or_else(|| HOLE.to_string()), more()))
            }
            Some(Made::Unknown) => Some(with(HOLE.to_string(), more())),
            None => self.lies_on_disk(path),
        }
    }

    /// The text that the line has given a script, or that the caller knows of it. `None`: the caller
    /// has to look. A file that lies on the disk is recorded.
    pub(super) fn script_text(
        &mut self,
        path: &str,
        interpreter: Interpreter,
        arguments: &[String],
    ) -> Option<String> {
        // What it held before the line may be run as well.
        if self.lane_runs(path) {
            for path in self.located(path) {
                self.script_at(path, interpreter, arguments);
            }
        }
        let besides = self.besides(path);
        let more = self.on_disk(&besides);
        for path in besides {
            self.script_at(path, interpreter, arguments);
        }
        match self.made(path) {
            Some(Made::Text(text)) => Some(with(self.in_doubt(path, text), more)),
            Some(Made::Unknown) => Some(with(HOLE.to_string(), more)),
            Some(Made::File(source)) => {
                let text = self.on_disk(std::slice::from_ref(&source));
                self.script_at(source, interpreter, arguments);
                match (text, more) {
                    (Some(text), more) => Some(with(text, more)),
                    (None, more) => more,
                }
            }
            None => {
                for path in self.located(path) {
                    self.script_at(path, interpreter, arguments);
                }
                self.lies_on_disk(path)
            }
        }
    }

    /// Names a script, by its path from where the line starts. Where that is not known, the files
    /// that the line goes over may be it.
    pub(super) fn script_at(
        &mut self,
        path: String,
        interpreter: Interpreter,
        arguments: &[String],
    ) {
        if self.muted > 0 {
            return;
        }
        let conditional = self.conditional > 0;
        let patterns = if path.contains(HOLE) { self.patterns.clone() } else { Vec::new() };
        for path in patterns.into_iter().chain([path]) {
            let script = Script { path, interpreter, arguments: arguments.to_vec(), conditional };
            if !self.scripts.contains(&script) {
                if !self.spend(1) {
                    return;
                }
                self.scripts.insert(script.clone());
                self.reading.scripts.push(script);
            }
        }
    }

    /// Remembers a pattern of files that the line goes over: `for f in *.sh`, `find -name '*.sh'`.
    pub(super) fn goes_over(&mut self, pattern: &str) {
        for pattern in self.located(pattern) {
            if self.patterns.contains(&pattern) {
                continue;
            }
            if self.patterns.len() == PATTERNS {
                self.fail(Unreadable::Work);
                return;
            }
            self.patterns.push(pattern);
        }
    }

    /// The files that `find` goes over, by their names or their paths.
    pub(super) fn finds(&mut self, words: &[Field], starts: &[&Field]) {
        let tests = words.windows(2).filter_map(|pair| {
            let pattern = pair[1].text.as_str();
            match pair[0].text.as_str() {
                "-name" | "-iname" => Some(format!("**/{pattern}")),
                "-path" | "-wholename" => Some(format!("**/{}", last_part(pattern))),
                _ => None,
            }
        });
        let mut names: Vec<String> = tests.collect();
        if names.is_empty() {
            names.push("**/*".to_owned());
        }
        for name in &names {
            for start in starts.iter().map(|start| start.text.trim_end_matches('/')) {
                self.goes_over(&format!("{start}/{name}"));
                // A start may be the file itself.
                self.goes_over(start);
            }
            if starts.is_empty() {
                self.goes_over(name);
            }
        }
    }

    /// What a program is about to bring to other paths, before it has: `cp a b`, `mv a b`,
    /// `ln -s a b`, `install a b`, into a folder or under a new name.
    pub(super) fn brought(&mut self, name: &str, words: &[Field]) -> Vec<(String, Made)> {
        const COPY: Grammar = Grammar {
            letters: "tSgmoZ",
            long: &["target-directory", "suffix", "group", "mode", "owner", "context"],
        };
        let taken = COPY.take(words, 1);
        let mut operands: Vec<&Field> = taken.operands.iter().map(|place| &words[*place]).collect();
        if name == "git" {
            // `git mv a b`
            operands.remove(0);
        }
        let folder = taken.value(&["t", "target-directory"]);
        let (sources, target) = match (folder, &operands[..]) {
            (Some(folder), sources) => (sources, folder.text.as_str()),
            (None, [only]) if name.ends_with("ln") => (&[*only][..], "."),
            (None, [sources @ .., target]) => (sources, target.text.as_str()),
            (None, []) => return Vec::new(),
        };
        let by_name = name.ends_with("ln") && taken.has(&["s", "symbolic"]);
        let mut brought = Vec::new();
        if sources.len() > limit::BRACES {
            self.fail(Unreadable::Work);
        }
        for source in sources.iter().take(limit::BRACES) {
            let base = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or("");
            for target in self.located(target) {
                let inside = format!("{}/{base}", target.trim_end_matches('/'));
                let places = [Some(target), Some(inside)];
                let places = if sources.len() == 1 { &places[..] } else { &places[1..] };
                for place in places.iter().flatten() {
                    // A relative link is relative to where it lies.
                    let from = match place.rsplit_once('/') {
                        Some((folder, _)) if by_name => Some(join(folder, &source.text)),
                        _ => self.located(&source.text).into_iter().next(),
                    };
                    let from = from.unwrap_or_default();
                    let made = self.made_at(&from);
                    let made = made.or_else(|| self.made_at(&logical(&from)));
                    self.brings_below(&from, place, &mut brought);
                    let made = made.unwrap_or(Made::File(from));
                    brought.push((normal(place).into_owned(), made));
                }
            }
        }
        brought
    }

    /// What the line has made in a folder comes with it.
    fn brings_below(&mut self, from: &str, place: &str, brought: &mut Vec<(String, Made)>) {
        let folder = format!("{}/", normal(from).trim_end_matches('/'));
        let files = self.env.files.range(folder.clone()..);
        let below = files.take_while(|it| it.0.starts_with(&folder)).take(limit::BRACES);
        let below: Vec<(String, Made)> = below
            .map(|(path, made)| {
                let place = format!("{}/{}", place.trim_end_matches('/'), &path[folder.len()..]);
                (normal(&place).into_owned(), made.clone())
            })
            .collect();
        if self.spend(below.len()) {
            brought.extend(below);
        }
    }

    /// What a program has changed is unknown from now on, unless its output says so later.
    pub(super) fn unmake(&mut self, field: &Field, how: How) {
        // A mode or a time changes no text, and an edit leaves most of it.
        if matches!(how, How::Chmod | How::Touch | How::Lock | How::Edit | How::Append) {
            return;
        }
        if field.has_hole() && self.made(&field.text).is_none() {
            return;
        }
        for path in self.located(&field.text) {
            let path = &*normal(&path);
            self.may_stay(path);
            match self.env.files.get_mut(path) {
                Some(Made::Text(_)) => {}
                Some(made) => *made = Made::Unknown,
                None => drop(self.env.files.insert(path.to_owned(), Made::Unknown)),
            }
        }
    }
}

/// A text, and what may stand there as well.
fn with(text: String, more: Option<String>) -> String {
    match more {
        Some(more) => format!("{text}\n{more}"),
        None => text,
    }
}

/// `./x`, `a/../x` and `x` are the same file, by name.
pub(super) fn normal(path: &str) -> Cow<'_, str> {
    let path = path.strip_prefix("./").map_or(path, |it| it.trim_start_matches('/'));
    let bytes = path.as_bytes();
    let is_part = |at: usize| match bytes.get(at..) {
        Some([b'.', b'/', ..] | [b'.', b'.', b'/', ..]) => true,
        Some([b'/', ..] | [b'.'] | [b'.', b'.']) => at > 0,
        _ => false,
    };
    let starts = bytes.iter().enumerate().filter(|it| *it.1 == b'/').map(|it| it.0 + 1);
    if !std::iter::once(0).chain(starts).any(is_part) {
        return Cow::Borrowed(path);
    }
    let is_absolute = path.starts_with('/');
    let parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    let folded = logical(&parts.join("/"));
    Cow::Owned(if is_absolute { format!("/{folded}") } else { folded })
}

/// What a pattern will find: a hole for each sign in it that is no text.
pub(super) fn found_by(pattern: &str) -> String {
    let parts = pattern.split('/');
    let parts = parts.map(|part| if expand::has_glob(part) { open(part) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("/")
}

/// A hole for each part of a pattern that is no text.
pub(super) fn open(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    // Behind it nothing closes a bracket.
    let last = pattern.rfind(']').map_or(0, |it| pattern.len() - it);
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        if let Some(after) = behind_group(character, rest) {
            text.push(HOLE);
            rest = after;
            continue;
        }
        match character {
            '*' | '?' => text.push(HOLE),
            '[' if rest.len() >= last && last > 0 => {
                text.push(HOLE);
                rest = rest.split_once(']').map_or(rest, |it| it.1);
            }
            _ => text.push(character),
        }
    }
    text
}

/// What stands behind a group that begins with a sign and with what follows it. Of one that nothing
/// closes, all is part of it.
pub(super) fn behind_group(sign: char, rest: &str) -> Option<&str> {
    if !matches!(sign, '?' | '*' | '+' | '@' | '!') || !rest.starts_with('(') {
        return None;
    }
    let mut depth = 0_usize;
    for (at, character) in rest.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&rest[at + 1..]);
        }
    }
    Some("")
}

/// `path` in `directory`, which is "" where the line starts.
pub(super) fn join(directory: &str, path: &str) -> String {
    joined(directory, path).into_owned()
}

/// [`join`], where nobody keeps it: most lines stand where they start.
fn joined<'a>(directory: &'a str, path: &'a str) -> Cow<'a, str> {
    if let Some(rest) = path.strip_prefix(START) {
        let rest = rest.trim_start_matches('/');
        return Cow::Borrowed(if rest.is_empty() { "." } else { rest });
    }
    let absolute = path.starts_with(['/', '~']);
    // A path that begins with a hole may be absolute, too: the hole stands for either.
    if absolute || directory.is_empty() || path.starts_with(HOLE) {
        return Cow::Borrowed(path);
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    match path {
        "." | "" => Cow::Borrowed(directory),
        path if directory.ends_with('/') => Cow::Owned([directory, path].concat()),
        path => Cow::Owned([directory, "/", path].concat()),
    }
}
