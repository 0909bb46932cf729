//! How much of a reading may go into suspicions. Guesses at what nobody knows are many, and those of
//! an ordinary script would use up what its own commands need. What is left of them is looked at by
//! its words: what stands at each place of its texts counts as what may run.

use super::super::{Certainty, HOLE, Run};
use super::{Walker, limit};
use std::collections::BTreeSet;
use std::ops::Range;

/// So many words of each are looked at.
const LONGEST: usize = 8;

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
        if std::mem::take(&mut self.suspects.more) > 0 {
            self.fail(super::super::Unreadable::Work);
        }
        is_enough
    }

    /// What stands in the texts among the words of those runs, and in what they were given.
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
        // Signs of quoting are left out, and what is put in is not known.
        let plain = |text: &String| -> String {
            text.replace(['"', '\'', '\\'], "").replace(|c| "{},;|&()`<>=".contains(c), " ")
        };
        let known = |word: &str| -> String {
            word.find('$').map_or_else(|| word.to_owned(), |at| format!("{}{HOLE}", &word[..at]))
        };
        let mut lines: BTreeSet<Vec<String>> = BTreeSet::new();
        for text in texts.iter().map(plain) {
            for line in text.lines() {
                let words: Vec<String> = line.split_whitespace().map(known).collect();
                // Each of them may be the program: what stands before it may be a wrapper, an
                // assignment, a word of the shell's.
                for at in 0..words.len() {
                    lines.insert(words[at..].iter().take(LONGEST).cloned().collect());
                    if lines.len() > limit::RAW_WORDS {
                        return self.fail(super::super::Unreadable::Work);
                    }
                }
            }
        }
        if !self.spend(lines.len() / 8) {
            return;
        }
        for argv in lines {
            if argv.iter().all(|it| it.chars().all(|it| it == HOLE)) {
                continue;
            }
            let program = self.program_of(&argv[0]);
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
