//! The questions of `roz init`, one for each gate.

use std::io::{self, BufRead, Write};

use super::{Found, Wants};
use crate::cli::input::ask_by;

/// Asks until each question is answered. `None` if the input ends before.
pub(super) fn wants(
    found: &Found,
    answers: &mut impl BufRead,
    questions: &mut impl Write,
) -> io::Result<Option<Wants>> {
    if !found.systems.is_empty() {
        writeln!(questions, "Ticket systems found: {}.", found.systems.join(", "))?;
    }
    let mut ask = |question: &str, default| ask_by(question, default, answers, questions);
    let closing = if found.systems.is_empty() { "" } else { " and closing tickets" };
    let review = format!("Make `git push`{closing} wait for a reviewer?");
    let Some(review) = ask(&review, true)? else { return Ok(None) };
    let reflection = "Make agents write down what they learned before a ticket closes?";
    let Some(reflection) = ask(reflection, true)? else { return Ok(None) };
    let intent = "Make agents say what they're working on, and keep edits in scope?";
    let Some(intent) = ask(intent, false)? else { return Ok(None) };
    Ok(Some(Wants { review, reflection, intent }))
}

#[cfg(test)]
mod tests;
