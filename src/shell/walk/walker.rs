//! The walker: its state, and ways to walk something under other conditions.
//!
//! Each part of the state has its own file, and only that file accesses its fields. The other files
//! of this folder add steps, each for a group of programs or a part of the grammar.

use super::budget::Budget;
use super::call_stack::CallStack;
use super::choices::Choices;
use super::descriptors::Descriptors;
use super::known_command::Io;
use super::recorder::{Mode, Origin, Recorder};
use super::shell_state::Env;
use crate::shell::field::Field;
use crate::shell::syntax::List;
use crate::shell::{Certainty, How, Interpreter, Options, Reading, Unreadable};

pub(super) struct Walker<'o> {
    pub(super) options: &'o Options,
    pub(super) budget: Budget,
    pub(super) recorder: Recorder,
    pub(super) env: Env,
    pub(super) choices: Choices,
    pub(super) calls: CallStack,
    /// The code of `trap 'code' EXIT`, which runs at the end of its shell.
    pub(super) traps: Vec<String>,
    pub(super) descriptors: Descriptors,
    /// Whether the output becomes a part of a word: `$(…)`.
    pub(super) in_substitution: bool,
}

impl<'o> Walker<'o> {
    pub(super) fn new(options: &'o Options) -> Self {
        Self {
            options,
            budget: Budget::new(),
            recorder: Recorder::default(),
            env: Env::new(&options.variables),
            choices: Choices::default(),
            calls: CallStack::default(),
            traps: Vec::new(),
            descriptors: Descriptors::new(),
            in_substitution: false,
        }
    }

    pub(super) fn finish(mut self) -> Reading {
        self.run_traps(0);
        self.recorder.finish(self.budget.stopped_by())
    }

    pub(super) fn fail(&mut self, error: Unreadable) {
        if !self.recorder.is_muted() {
            self.budget.stop(error);
        }
    }

    /// Walks something nested: a group, a function, code in code.
    pub(super) fn enter<T: Default>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        if !self.budget.descend() {
            self.fail(Unreadable::Depth);
            return T::default();
        }
        let walked = walk(self);
        self.budget.ascend();
        walked
    }

    /// Walks something with another recording mode.
    pub(super) fn with_mode<T>(&mut self, more: Mode, walk: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.recorder.add(more);
        let walked = walk(self);
        self.recorder.restore(before);
        walked
    }

    pub(super) fn conditionally<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.with_mode(Mode { conditional: true, ..Mode::default() }, walk)
    }

    /// Walks code that the line may not contain literally, because it was expanded, decoded or
    /// read.
    pub(super) fn derived_if<T>(
        &mut self,
        is_derived: bool,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let origin = if is_derived { Origin::Derived } else { Origin::Line };
        self.with_mode(Mode { origin, ..Mode::default() }, walk)
    }

    pub(super) fn derived<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.derived_if(true, walk)
    }

    /// Walks something. If `muted`, it has been recorded before and is not recorded again.
    pub(super) fn muted_if<T>(&mut self, muted: bool, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.with_mode(Mode { muted, ..Mode::default() }, walk)
    }

    /// Walks a command, and restores the variables afterwards.
    pub(super) fn with_variables_kept<T>(
        &mut self,
        names: &[String],
        walk: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before: Vec<_> = names.iter().map(|name| self.env.variable(name).cloned()).collect();
        let walked = walk(self);
        for (name, variable) in names.iter().zip(before).rev() {
            self.env.put(name, variable);
        }
        walked
    }

    /// Walks something whose variables choose their values independently.
    pub(super) fn with_own_choices<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.choices.suspend();
        let walked = walk(self);
        self.choices.resume(outer);
        walked
    }

    /// Walks something whose changes end with it, as in a subshell.
    pub(super) fn isolated<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let (mark, depth, traps) = (self.env.mark(), self.env.stack_depth(), self.traps.len());
        let walked = walk(self);
        self.run_traps(traps);
        self.env.take_back(mark);
        self.env.truncate_stack(depth);
        walked
    }

    pub(super) fn subshell(&mut self, list: &List, io: &Io) -> String {
        self.enter(|walker| walker.isolated(|walker| walker.list(list, io)))
    }

    /// Walks the traps of a shell at its end, when their variables have their last values.
    fn run_traps(&mut self, mark: usize) {
        for code in self.traps.split_off(mark.min(self.traps.len())) {
            self.enter(|walker| walker.code(&code, &Io::default()));
        }
    }

    pub(super) fn record_write(&mut self, path: &str, how: How, certainty: Certainty) {
        if path.is_empty() || path.starts_with("/dev/fd/") {
            return;
        }
        for path in self.env.located(path) {
            self.recorder.write(path, how, certainty, &mut self.budget);
        }
    }

    pub(super) fn record_file(&mut self, file: &Field, how: How) {
        self.record_write(&file.text, how, self.recorder.certainty(file.certainty()));
    }

    pub(super) fn record_read(&mut self, path: &str, certainty: Certainty) {
        if path.is_empty() || path == "-" || path.starts_with("/dev/fd/") {
            return;
        }
        for path in self.env.located(path) {
            self.recorder.read(path, certainty);
        }
    }

    pub(super) fn record_script(
        &mut self,
        path: &str,
        interpreter: Interpreter,
        arguments: &[String],
    ) {
        if path.starts_with("/dev/fd/") {
            return;
        }
        for path in self.env.located(path) {
            self.recorder.script(path, interpreter, arguments, &mut self.budget);
        }
    }
}
