//! Programs that cannot be known: `$X -c code` may be a shell, or an interpreter of another
//! language.

use super::super::{Certainty, Interpreter, foreign::Given, scan};
use super::Walker;
use super::call::Call;
use super::field::Field;
use super::output::unknown_output;

impl Walker<'_> {
    /// A program that cannot be known. Unquoted it may also be nothing, and the next word the
    /// program: `$SUDO git push`.
    pub(super) fn unknown_program(&mut self, call: &Call) -> String {
        if call.words[0].loose && call.words.len() > 1 {
            let rest = Call { words: call.words[1..].to_vec(), ..call.clone() };
            let from = self.reading.runs.len();
            self.resolved += 1;
            self.enter(|walker| walker.call(rest));
            self.resolved -= 1;
            // In code that was put together nobody knows where a word ends.
            let is_put_together = !call.words[0].resolved;
            for run in self.reading.runs.iter_mut().skip(from).filter(|_| is_put_together) {
                run.certainty = Certainty::Opaque;
            }
        }
        self.leaf(&call.words, call, Certainty::Opaque);
        // `t=$(mktemp); echo … > $t; $t`
        if self.has_made(&call.words[0].text) {
            self.script_of(call);
        }
        if call.words.iter().all(Field::is_unknown) {
            self.suspect_feed();
        } else if call.words[0].is_unknown() {
            self.suspect_named();
        }
        self.given_code(call);
        unknown_output(call)
    }

    /// What a program that is not known is given as code, by an option that shells and interpreters
    /// have for it, or because it is all that it is given.
    pub(super) fn given_code(&mut self, call: &Call) {
        let words = call.words.get(1..).unwrap_or_default();
        let option = words.iter().position(|word| {
            let letters = word.text.strip_prefix('-').unwrap_or_default();
            letters.ends_with(['c', 'e']) && letters.bytes().all(|it| it.is_ascii_lowercase())
        });
        let code = match (option, words) {
            (Some(place), _) => words.get(place + 1),
            (None, [only]) => Some(only).filter(|it| it.text.contains(char::is_whitespace)),
            (None, _) => None,
        };
        let Some(code) = code.filter(|code| !code.is_unknown()) else { return };
        if !self.spend(1 + code.text.len() / 256) {
            return;
        }
        // `-e` takes code of other languages.
        let is_shells = option.is_some_and(|place| words[place].text.ends_with('c'))
            && scan::scan(&code.text, self.depth, self.work).error.is_none();
        if is_shells {
            let shell = call.clone().renamed("sh");
            self.resolved += 1;
            self.perhaps(|walker| walker.enter(|walker| walker.call(shell)));
            self.resolved -= 1;
        } else {
            self.suspect_code(&code.text, Interpreter::Other, &Given::default());
            self.suspect_text(&code.text);
        }
    }
}
