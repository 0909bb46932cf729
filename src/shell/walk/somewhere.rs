//! Commands behind options that no table tells: where they may begin.

use super::super::table::{interpreters, options, wrappers, writers};
use super::call::Call;
use super::field::Field;
use super::{Walker, filter, limit};

/// A command may begin at so many places, where that is not known.
const MOST_PLACES: usize = 4;

impl Walker<'_> {
    /// A command behind options whose grammar is not known: what could be the value of one is taken
    /// for that, as long as no program is called so.
    pub(super) fn somewhere(&mut self, from: usize, at: usize, call: &Call) {
        let words = &call.words;
        let dashes = words.iter().position(|it| it.text == "--").filter(|it| *it >= from);
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

    /// `start-stop-daemon --exec program -- arguments`
    pub(super) fn named_by_option(&mut self, call: &Call) {
        let is_it = |it: &Field| matches!(it.text.as_str(), "-x" | "-a" | "--exec" | "--startas");
        let Some(at) = call.words.iter().position(is_it) else { return };
        let Some(program) = call.words.get(at + 1) else { return };
        let dashes = call.words.iter().position(|it| it.text == "--");
        let behind = dashes.map_or(&[][..], |at| &call.words[at + 1..]);
        let inner = call.with_words([std::slice::from_ref(program), behind].concat());
        self.enter(|walker| walker.call(inner));
    }
}

/// PowerShell's `-EncodedCommand`, which may be cut short: code in two bytes a letter.
pub(super) fn encoded(words: &[Field]) -> Option<String> {
    let is_it = |it: &Field| {
        let option = it.text.trim_start_matches(['-', '/']).to_ascii_lowercase();
        it.text.starts_with('-')
            && (option == "ec" || option.starts_with('e') && "encodedcommand".starts_with(&option))
    };
    let at = words.iter().position(is_it)?;
    let text = filter::unpacked("atob", &words.get(at + 1)?.text)?;
    Some(text.replace('\0', ""))
}

/// A program that has a row somewhere.
pub(super) fn is_familiar(name: &str) -> bool {
    super::is_shell(name)
        || options::find(name).is_some()
        || wrappers::is_one(name)
        || interpreters::find(name).is_some()
        || writers::rows(name).next().is_some()
        || matches!(name, "echo" | "printf" | "cd" | "eval" | "true" | "false")
}
