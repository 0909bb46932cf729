//! How much of a reading may go into suspicions. Guesses at what nobody knows are many, and those of
//! an ordinary script would use up what its own commands need. What is left of them is looked at by
//! its words: the commands that its texts begin with count as what may run.

use super::super::{Certainty, HOLE, Run};
use super::pieces::{beginning, is_command_like};
use super::{Walker, limit};
use std::collections::BTreeSet;
use std::ops::Range;

impl Walker<'_> {
    /// Reads on suspicion with what is left for suspicions. `false` where that was not enough; then
    /// it is no bound of the line's.
    pub(super) fn at_most(&mut self, look: impl FnOnce(&mut Self)) -> bool {
        let known = self.reading.unreadable;
        let (all, most) = (self.work, self.suspects.left.min(self.work));
        self.work = most;
        look(self);
        let used = most - self.work;
        let is_bound = |it: &_| Some(*it) != known && super::super::Unreadable::is_bound(*it);
        let is_enough = self.work > 0 && !self.reading.unreadable.as_ref().is_some_and(is_bound);
        self.work = all - used;
        self.suspects.left -= used;
        if !is_enough {
            self.reading.unreadable = known;
        }
        is_enough
    }

    /// What the texts among the words of those runs begin with, and what they were given.
    pub(super) fn suspect_words(&mut self, runs: Range<usize>) {
        let of_line = self.reading.runs.get(runs.clone()).unwrap_or_default();
        let words = of_line.iter().flat_map(|run| run.argv.iter().skip(1)).cloned();
        let texts: Vec<String> = words.chain(self.suspects.told(&runs)).collect();
        self.suspect_beginnings(&texts);
    }

    pub(super) fn suspect_beginnings(&mut self, texts: &[String]) {
        let length: usize = texts.iter().map(String::len).sum();
        if !self.spend(1 + length / 256) {
            return;
        }
        let parts =
            texts.iter().flat_map(|it| it.split(['\n', ';', '|', '&', '`', '(', '"', '\'']));
        let lines: BTreeSet<&str> = parts.map(beginning).filter(|it| is_command_like(it)).collect();
        if !self.spend(lines.len() / 8) {
            return;
        }
        for line in lines {
            let words = line.split_whitespace().take(limit::RAW_LENGTH);
            let argv: Vec<String> =
                words.map(|it| it.trim_matches(['"', '\'']).to_owned()).collect();
            let program = self.program_of(&argv[0]);
            if program.chars().all(|it| it == HOLE) {
                continue;
            }
            let run = Run {
                argv,
                program,
                assignments: Vec::new(),
                certainty: Certainty::Opaque,
                conditional: true,
                again: true,
                loose: false,
            };
            self.record_run(run);
        }
    }
}
