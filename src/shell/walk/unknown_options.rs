//! Commands after options whose grammar is in no table: where they may begin.

use super::shells::is_shell;
use super::{Call, Walker};
use crate::shell::limit;
use crate::shell::table::{file_programs, global_options, interpreters, wrappers};

/// The most positions that are tried as the beginning of a command.
const MOST_PLACES: usize = 4;

impl Walker<'_> {
    /// Walks a command among the operands of a program, which begin at `at`. A word after an option
    /// counts as its value, unless a program has that name: `xterm -e git push`.
    pub(super) fn unknown_options(&mut self, from: usize, at: usize, call: &Call) {
        let words = &call.words;
        let mut places: Vec<usize> = Vec::new();
        let dashes = words.iter().position(|word| word.text == "--");
        if let Some(dashes) = dashes.filter(|dashes| *dashes >= from) {
            places.push(dashes + 1);
        } else {
            let may_be_value = |place: usize| {
                let before = words[place - 1].text.as_str();
                place > from && before.starts_with('-') && !before.contains('=')
            };
            for place in at..words.len().min(at + limit::CHOICES) {
                let word = &words[place];
                let (is_line, is_last) = (word.text.contains(' '), place + 1 == words.len());
                if word.text.starts_with('-') || is_line && !is_last {
                    continue;
                }
                let is_known = is_line || is_known_program(&self.program(word));
                if is_known || !may_be_value(place) && places.is_empty() {
                    places.push(place);
                }
                if is_known && !may_be_value(place) {
                    break;
                }
            }
        }
        places.retain(|place| *place < words.len());
        for place in places.into_iter().take(MOST_PLACES) {
            // `bsub 'code'`: a word with blanks is code.
            if words[place].text.contains(' ') {
                self.code_from(&words[place], &call.code(place), &call.io);
            } else {
                self.command_at(place, call);
            }
        }
    }
}

/// Whether some table has a row for a program.
pub(super) fn is_known_program(name: &str) -> bool {
    is_shell(name)
        || global_options::find(name).is_some()
        || wrappers::is_one(name)
        || interpreters::find(name).is_some()
        || file_programs::rows(name).next().is_some()
        || matches!(name, "echo" | "printf" | "cd" | "eval" | "true" | "false")
}
