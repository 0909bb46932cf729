//! Commands behind options that no table tells: where they may begin.

use super::call::Call;
use super::{Walker, limit};
use crate::shell::table::{file_programs, global_options, interpreters, wrappers};

/// A command may begin at so many places, where that is not known.
const MOST_PLACES: usize = 4;

impl Walker<'_> {
    /// A command behind options whose grammar is not known: what could be the value of one is taken
    /// for that, as long as no program is called so.
    pub(super) fn somewhere(&mut self, from: usize, at: usize, call: &Call) {
        let words = &call.words;
        let dashes = words.iter().position(|word| word.text == "--").filter(|word| *word >= from);
        let mut places: Vec<usize> = dashes.map(|it| it + 1).into_iter().collect();
        if places.is_empty() {
            let is_option = |at: usize| {
                let before = words[at - 1].text.as_str();
                at > from && before.starts_with('-') && !before.contains('=')
            };
            for place in at..words.len().min(at + limit::CHOICES) {
                let word = &words[place];
                if word.text.starts_with('-') {
                    continue;
                }
                let is_last = place + 1 == words.len();
                if word.text.contains(' ') && !is_last {
                    continue;
                }
                let is_familiar = is_familiar(&self.program(word)) || word.text.contains(' ');
                if is_familiar || !is_option(place) && places.is_empty() {
                    places.push(place);
                }
                if is_familiar && !is_option(place) {
                    break;
                }
            }
        }
        places.retain(|it| *it < words.len());
        for place in places.into_iter().take(MOST_PLACES) {
            // `bsub 'code'`: one word of more than one is code.
            if words[place].text.contains(' ') {
                let text = call.code(place);
                self.derived(&words[place], |walker| walker.nested_code(&text, &call.io));
            } else {
                self.rest(place, call);
            }
        }
    }
}

/// A program that has a row somewhere.
pub(super) fn is_familiar(name: &str) -> bool {
    super::shells::is_shell(name)
        || global_options::find(name).is_some()
        || wrappers::is_one(name)
        || interpreters::find(name).is_some()
        || file_programs::rows(name).next().is_some()
        || matches!(name, "echo" | "printf" | "cd" | "eval" | "true" | "false")
}
