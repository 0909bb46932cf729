//! The reading so far. Only this module adds to it.

use super::budget::Budget;
use super::paths::{self, join};
use super::shell_state::Env;
use crate::shell::table::{folders, global_options};
use crate::shell::{
    Certainty, Code, HOLE, How, Interpreter, ReadOf, Reading, Run, Script, Unreadable, Write, limit,
};

/// How many entries to look back for the same write or script, which is often found twice in a row.
const RECENT: usize = 4;

/// How to record what is found in a part of the line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mode {
    /// The part may be skipped: a branch, a loop.
    pub(super) conditional: bool,
    pub(super) origin: Origin,
    /// The part runs on another machine.
    pub(super) elsewhere: bool,
    /// The part has been walked before, so nothing is recorded.
    pub(super) muted: bool,
}

/// Where code comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The line contains it literally.
    #[default]
    Line,
    /// It was expanded, decoded or read from the input.
    Derived,
    /// It is a call in code of another language.
    Foreign,
}

#[derive(Debug, Default)]
pub(super) struct Recorder {
    reading: Reading,
    mode: Mode,
    /// Where the runs of a loop begin, while its body is walked a second time.
    second_round: Option<usize>,
}

impl Recorder {
    /// Adds to the mode, and returns the previous one for [`Self::restore`].
    pub(super) fn add(&mut self, more: Mode) -> Mode {
        let before = self.mode;
        self.mode = Mode {
            conditional: before.conditional || more.conditional,
            origin: before.origin.max(more.origin),
            elsewhere: before.elsewhere || more.elsewhere,
            muted: before.muted || more.muted,
        };
        before
    }

    pub(super) fn restore(&mut self, before: Mode) {
        self.mode = before;
    }

    pub(super) fn is_muted(&self) -> bool {
        self.mode.muted
    }

    /// The certainty of words from the code that is being walked: no better than that of the code.
    pub(super) fn certainty(&self, certainty: Certainty) -> Certainty {
        if self.mode.origin > Origin::Line { certainty.max(Certainty::Resolved) } else { certainty }
    }

    pub(super) fn run_count(&self) -> usize {
        self.reading.runs.len()
    }

    /// Begins the second round of a loop whose runs begin at `from`: those are not recorded twice.
    /// `false` within the second round of another loop, as the rounds would multiply.
    pub(super) fn begin_second_round(&mut self, from: usize) -> bool {
        let is_outermost = self.second_round.is_none();
        self.second_round.get_or_insert(from);
        is_outermost
    }

    pub(super) fn end_second_round(&mut self) {
        self.second_round = None;
    }

    pub(super) fn elevate(&mut self) {
        self.reading.elevated |= !self.mode.muted && !self.mode.elsewhere;
    }

    /// Records a command, and adds whether it is conditional and where it runs.
    pub(super) fn run(&mut self, mut run: Run, env: &Env, budget: &mut Budget) {
        if self.mode.muted || self.mode.origin == Origin::Foreign && has_unknown_verb(&run) {
            return;
        }
        run.conditional = self.mode.conditional;
        run.is_elsewhere = self.mode.elsewhere;
        run.folders = if run.is_elsewhere { Vec::new() } else { folders_of(env, &run) };
        if !budget.spend(run.folders.iter().map(String::len).sum::<usize>() / 512) {
            return;
        }
        let from = self.second_round.unwrap_or(self.reading.runs.len());
        if !self.reading.runs[from..].contains(&run) {
            self.reading.runs.push(run);
        }
    }

    pub(super) fn write(
        &mut self,
        mut path: String,
        how: How,
        certainty: Certainty,
        budget: &mut Budget,
    ) {
        if self.mode.muted || self.mode.elsewhere {
            self.reading.changes_elsewhere |= !self.mode.muted;
            return;
        }
        // No system has files with such long names, but a glob may match some.
        if path.len() > limit::NAME {
            budget.stop(Unreadable::Work);
            path = HOLE.to_string();
        }
        let write = Write { path, how, certainty, conditional: self.mode.conditional };
        let recent = self.reading.writes.len().saturating_sub(RECENT);
        if !self.reading.writes[recent..].contains(&write)
            && budget.spend(1 + write.path.len() / 512)
        {
            self.reading.writes.push(write);
        }
    }

    pub(super) fn read(&mut self, path: String, certainty: Certainty) {
        if !self.mode.muted && !self.mode.elsewhere {
            let path = if path.len() > limit::NAME { HOLE.to_string() } else { path };
            self.reading.reads.push(ReadOf { path, certainty });
        }
    }

    /// Records a script that would be run, without reading its text.
    pub(super) fn script(
        &mut self,
        path: String,
        interpreter: Interpreter,
        arguments: &[String],
        budget: &mut Budget,
    ) {
        if self.mode.muted || self.mode.elsewhere {
            self.reading.changes_elsewhere |= !self.mode.muted;
            return;
        }
        let (arguments, conditional) = (arguments.to_vec(), self.mode.conditional);
        let script = Script { path, interpreter, arguments, conditional };
        let recent = self.reading.scripts.len().saturating_sub(RECENT);
        if !self.reading.scripts[recent..].contains(&script) && budget.spend(1) {
            self.reading.scripts.push(script);
        }
    }

    pub(super) fn code(&mut self, text: &str, language: Interpreter) {
        let is_new = self.reading.code.last().is_none_or(|last| last.text != text);
        if !self.mode.muted && is_new {
            self.reading.code.push(Code { text: text.to_owned(), language });
        }
    }

    pub(super) fn finish(mut self, unreadable: Option<Unreadable>) -> Reading {
        paths::remove_marks(&mut self.reading);
        Reading { unreadable, ..self.reading }
    }
}

/// `["git", verb]` in code of another language: a shim judges it when it runs.
fn has_unknown_verb(run: &Run) -> bool {
    let mut words = run.argv.iter().skip(1);
    global_options::find(&run.program).is_some()
        && words.find(|word| !word.starts_with('-')).is_some_and(|word| word.contains(HOLE))
        || run.program.contains(HOLE)
}

/// The folders that a command runs in: those that the line may be in, changed by its own options as
/// in `git -C ../b push`.
fn folders_of(env: &Env, run: &Run) -> Vec<String> {
    let mut steps = folders::of_options(&run.program, &run.argv);
    if run.program == "git" && !run.argv.iter().any(|word| word.starts_with("--git-dir")) {
        let assigned = run.assignments.iter().rev().find(|(name, _)| name == "GIT_DIR");
        let git_dir = assigned.map_or_else(|| env.known("GIT_DIR"), |(_, text)| text);
        steps.extend(folders::of_option("git-dir", git_dir));
    }
    let starts = env.directories();
    if steps.is_empty() && starts.iter().all(|folder| matches!(folder.as_str(), "" | ".")) {
        return Vec::new();
    }
    let end = |start: &String| steps.iter().fold(start.clone(), |from, to| join(&from, to));
    starts.iter().map(end).collect()
}
