//! What is found on the way goes into the reading here, and nowhere else.

use super::env::Env;
use super::start_folder::START;
use super::{Walker, limit};
use crate::shell::table::{folders, global_options};
use crate::shell::{
    Certainty, Code, HOLE, How, Interpreter, ReadOf, Run, Script, Unreadable, Write,
};

impl Walker<'_> {
    pub(super) fn record_run(&mut self, mut run: Run) {
        if self.muted > 0 || self.foreign > 0 && has_unknown_verb(&run) {
            return;
        }
        run.folders = folders_of(&self.env, &run);
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

    pub(super) fn record_write(&mut self, path: &str, how: How, certainty: Certainty) {
        if self.muted > 0 || path.is_empty() || path.starts_with("/dev/fd/") {
            return;
        }
        let conditional = self.conditional > 0;
        for mut path in self.located(path) {
            // No system has a file of such a name; a pattern may find one all the same.
            if path.len() > limit::NAME {
                self.fail(Unreadable::Work);
                path = HOLE.to_string();
            }
            let write = Write { path, how, certainty, conditional };
            let recent = self.reading.writes.len().saturating_sub(4);
            if !self.reading.writes[recent..].contains(&write) {
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
        for path in self.located(path) {
            let path = if path.len() > limit::NAME { HOLE.to_string() } else { path };
            self.reading.reads.push(ReadOf { path, certainty });
        }
    }

    /// Names a script that would be run, whose text nobody reads here.
    pub(super) fn record_script(
        &mut self,
        path: &str,
        interpreter: Interpreter,
        arguments: &[String],
    ) {
        if self.muted > 0 || path.starts_with("/dev/fd/") {
            return;
        }
        let conditional = self.conditional > 0;
        for path in self.located(path) {
            let script = Script { path, interpreter, arguments: arguments.to_vec(), conditional };
            let recent = self.reading.scripts.len().saturating_sub(4);
            if !self.reading.scripts[recent..].contains(&script) {
                if !self.spend(1) {
                    return;
                }
                self.reading.scripts.push(script);
            }
        }
    }

    pub(super) fn record_code(&mut self, text: &str, language: Interpreter) {
        let is_new = self.reading.code.last().is_none_or(|last| last.text != text);
        if self.muted == 0 && is_new {
            self.reading.code.push(Code { text: text.to_owned(), language });
        }
    }

    /// A path as seen from where the line starts, once for each folder that it may be in.
    pub(super) fn located(&self, path: &str) -> Vec<String> {
        self.env.directories().iter().map(|directory| join(directory, path)).collect()
    }
}

/// `["git", verb]` in code of another language: what it is, is judged when it runs.
fn has_unknown_verb(run: &Run) -> bool {
    global_options::find(&run.program).is_some()
        && run
            .argv
            .iter()
            .skip(1)
            .find(|word| !word.starts_with('-'))
            .is_some_and(|word| word.contains(HOLE))
        || run.program.contains(HOLE)
}

/// Where a command runs: where the line has gone by then, and from there where its own options go.
fn folders_of(env: &Env, run: &Run) -> Vec<String> {
    let mut goes = folders::of_options(&run.program, &run.argv);
    if run.program == "git" && !run.argv.iter().any(|word| word.starts_with("--git-dir")) {
        let own = run.assignments.iter().rev().find(|(name, _)| name == "GIT_DIR");
        let git_dir = own.map_or_else(|| env.known("GIT_DIR"), |(_, text)| text);
        goes.extend(folders::of_option("git-dir", git_dir));
    }
    let here = env.directories();
    if goes.is_empty() && here.iter().all(|folder| matches!(folder.as_str(), "" | ".")) {
        return Vec::new();
    }
    let there = |from: &String| goes.iter().fold(from.clone(), |from, to| join(&from, to));
    here.iter().map(there).collect()
}

/// `path` in `directory`, which is "" where the line starts.
pub(super) fn join(directory: &str, path: &str) -> String {
    if let Some(rest) = path.strip_prefix(START) {
        let rest = rest.trim_start_matches('/');
        return if rest.is_empty() { ".".to_owned() } else { rest.to_owned() };
    }
    let absolute = path.starts_with(['/', '~']);
    // A path that begins with a hole may be absolute, too: the hole stands for either.
    if absolute || directory.is_empty() || path.starts_with(HOLE) {
        return path.to_owned();
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    match path {
        "." | "" => directory.to_owned(),
        path if directory.ends_with('/') => format!("{directory}{path}"),
        path => format!("{directory}/{path}"),
    }
}
