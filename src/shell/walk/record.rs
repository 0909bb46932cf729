//! What is found on the way goes into the reading here, and nowhere else but for scripts and finds.

use super::super::table::folders;
use super::super::{Certainty, HOLE, How, ReadOf, Run, TextOf, Unreadable, Write};
use super::env::Made;
use super::field::Field;
use super::groups::{with_hidden, without_groups};
use super::origin::{join, normal};
use super::{Walker, expand, limit};

impl Walker<'_> {
    pub(super) fn record_run(&mut self, mut run: Run) {
        if self.is_silent() {
            return;
        }
        run.folders = self.folders_of(&run);
        if !self.spend(run.folders.iter().map(String::len).sum::<usize>() / 512) {
            return;
        }
        if let Some(from) = self.repeated_from
            && self.reading.runs[from..].contains(&run)
        {
            return;
        }
        self.reading.runs.push(run);
    }

    /// Where a command runs: where the line has gone by then, and from there where its own options
    /// go.
    fn folders_of(&self, run: &Run) -> Vec<String> {
        let mut goes = folders::of_options(&run.program, &run.argv);
        if run.program == "git" && !run.argv.iter().any(|word| word.starts_with("--git-dir")) {
            let own = run.assignments.iter().rev().find(|(name, _)| name == "GIT_DIR");
            let git_dir = own.map_or_else(|| self.known("GIT_DIR"), |(_, text)| text.clone());
            goes.extend(folders::of_option("git-dir", &git_dir));
        }
        let here = self.env.directories();
        if goes.is_empty() && here.iter().all(|folder| matches!(folder.as_str(), "" | ".")) {
            return Vec::new();
        }
        let there = |from: &String| goes.iter().fold(from.clone(), |from, to| join(&from, to));
        here.iter().map(there).collect()
    }

    /// A word that names a file. Where it is a pattern with groups in it, what it finds comes with its
    /// own name, which is what is written where it finds nothing.
    pub(super) fn record_written(&mut self, word: &Field, how: How, certainty: Certainty) {
        self.record_write(&word.text, how, certainty);
        // What is too long is none's.
        if !word.glob || self.is_silent() || word.text.len() > limit::NAME {
            return;
        }
        let Some(patterns) = without_groups(&word.text) else {
            return self.fail(Unreadable::Work);
        };
        if !self.spend(patterns.iter().map(|it| it.len()).sum::<usize>() / 512) {
            return;
        }
        for pattern in patterns.iter().filter(|it| **it != word.text) {
            self.record_write(pattern, how, certainty);
        }
    }

    /// Whether what is walked now is not said.
    fn is_silent(&self) -> bool {
        self.muted > 0 || self.is_spared()
    }

    pub(super) fn record_write(&mut self, path: &str, how: How, certainty: Certainty) {
        if self.is_silent() || path.is_empty() || path.starts_with("/dev/fd/") {
            return;
        }
        let mut paths: Vec<String> = Vec::new();
        let hidden = self.finds_hidden || self.env.variable("GLOBIGNORE").is_some();
        if path.len() > limit::NAME {
            paths.push(path.to_owned());
        } else if hidden && expand::has_glob(path) {
            let Some(ways) = with_hidden(path) else { return self.fail(Unreadable::Work) };
            if !self.spend(ways.iter().map(String::len).sum::<usize>() / 512) {
                return;
            }
            paths.extend(ways.iter().flat_map(|it| self.located(it)));
        } else {
            paths = self.located(path);
        }
        // Where git stands makes no difference to paths that nobody knows.
        if self.puts_back && path.chars().all(|it| it == HOLE) {
            paths.push(HOLE.to_string());
        }
        let puts_back = self.puts_back;
        for mut path in paths {
            // No system has a file of such a name; a pattern may find one all the same.
            if path.len() > limit::NAME {
                self.fail(Unreadable::Work);
                path = HOLE.to_string();
            }
            let conditional = self.conditional > 0;
            let is_found = false;
            let write = Write { path, how, certainty, conditional, puts_back, is_found };
            let recent = self.reading.writes.len().saturating_sub(4);
            if !self.reading.writes[recent..].contains(&write) {
                // Of many paths in one command, too, somebody will look each one up.
                if !self.spend(1 + write.path.len() / 512) {
                    return;
                }
                self.reading.writes.push(write);
            }
        }
    }

    pub(super) fn record_read(&mut self, path: &str, certainty: Certainty) {
        if self.muted > 0 || path.is_empty() || path == "-" || path.starts_with("/dev/fd/") {
            return;
        }
        let made = self.made(path);
        let is_known = |text: &str| !text.contains(HOLE) && self.env.directories().len() < 2;
        let own = matches!(&made, Some(Made::Text(text)) if is_known(text))
            && self.conditional == 0
            && self.besides(path).is_empty();
        // What stands there may have been somewhere else when the line began.
        if let Some(Made::File(source)) = made {
            self.reading.reads.push(ReadOf { path: source, certainty, own: false });
        }
        for path in self.located(path) {
            let path = if path.len() > limit::NAME { HOLE.to_string() } else { path };
            self.reading.reads.push(ReadOf { path, certainty, own });
        }
    }

    /// Notes that what a file was last said to hold has this at its end now; a line that adds to
    /// a file again and again is no reason to say all of it each time. Whether it could be noted so.
    pub(super) fn record_more(&mut self, path: &str, more: &str) -> bool {
        let last = self.reading.texts.last_mut().filter(|it| self.muted == 0 && it.path == path);
        match last.and_then(|it| it.text.as_mut()) {
            Some(text) if !more.contains(HOLE) => {
                text.push_str(more);
                true
            }
            _ => false,
        }
    }

    /// Notes what a file holds now.
    pub(super) fn record_text(&mut self, path: String) {
        let made = match self.env.files.get(&*normal(&path)) {
            Some(Made::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let added = made.and_then(|text| text.strip_prefix(HOLE)?.strip_prefix('\n'));
        let text = added.or(made).filter(|text| !text.contains(HOLE)).map(str::to_owned);
        let added = added.is_some();
        if self.muted == 0 && !path.starts_with("/dev/") {
            self.spend(text.as_ref().map_or(0, String::len) / 512);
            self.reading.texts.push(TextOf { path, text, added });
        }
    }

    /// Notes that a file is given what comes from elsewhere.
    pub(super) fn record_unknown_text(&mut self, path: &str) {
        if self.muted == 0 {
            let unknown = |path| TextOf { path, text: None, added: false };
            let texts = self.located(path).into_iter().map(unknown);
            self.reading.texts.extend(texts);
        }
    }
}
