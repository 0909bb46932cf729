//! The questions of `roz init`, one for each gate.

use std::io::{self, BufRead, Write};

use super::{Found, Wants};
use crate::cli::input::ask_by;

/// Asks until each question is answered; none if the answers end before: who
/// goes away wants nothing of it.
pub(super) fn wants(
    found: &Found,
    answers: &mut impl BufRead,
    questions: &mut impl Write,
) -> io::Result<Option<Wants>> {
    let told = found.told();
    if !told.is_empty() {
        write!(questions, "Here is:\n{told}\n")?;
    }
    let mut ask = |question: &str, default| ask_by(question, default, answers, questions);
    let review = "Hold `git push` and closing tickets until a reviewer has approved?";
    let Some(review) = ask(review, true)? else { return Ok(None) };
    let reflection = "Have agents write down what they learned before a ticket closes?";
    let Some(reflection) = ask(reflection, true)? else { return Ok(None) };
    let intent = "Have agents declare what they are at, and keep them in its scope?";
    let Some(intent) = ask(intent, false)? else { return Ok(None) };
    let mut import = false;
    if found.has_older_learnings {
        let Some(answer) = ask("Copy the learnings that lie in `.grove/`?", true)? else {
            return Ok(None);
        };
        import = answer;
    }
    Ok(Some(Wants { review, reflection, intent, import }))
}

#[cfg(test)]
mod tests;
