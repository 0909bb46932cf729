//! Standard input: data for a command, or a person's answers.

use std::io::{self, BufRead, IsTerminal as _, Read as _, Write};

/// The longest input, in bytes.
const MAX: u64 = 4 << 20;

/// Reads standard input. Fails at a terminal; `instead` says what to do.
pub(super) fn read(instead: &str) -> super::Result<Vec<u8>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(instead.into());
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(MAX + 1).read_to_end(&mut bytes);
    read.map_err(|err| format!("failed to read standard input: {err}"))?;
    if bytes.len() as u64 > MAX {
        return Err(format!("standard input is larger than {} MiB", MAX >> 20).into());
    }
    Ok(bytes)
}

/// Whether a question can be asked, because input and output are a terminal.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

pub(super) fn is_yes(question: &str) -> io::Result<bool> {
    Ok(ask(question, false)? == Some(true))
}

/// Asks until there is an answer. `None` if the input ends before.
pub(super) fn ask(question: &str, default: bool) -> io::Result<Option<bool>> {
    ask_by(question, default, &mut io::stdin().lock(), &mut io::stderr().lock())
}

pub(super) fn ask_by(
    question: &str,
    default: bool,
    answers: &mut impl BufRead,
    questions: &mut impl Write,
) -> io::Result<Option<bool>> {
    loop {
        write!(questions, "{question} [{}] ", if default { "Y/n" } else { "y/N" })?;
        questions.flush()?;
        let mut line = String::new();
        if answers.read_line(&mut line)? == 0 {
            writeln!(questions)?;
            return Ok(None);
        }
        match line.trim().to_lowercase().as_str() {
            "" => return Ok(Some(default)),
            "y" | "yes" => return Ok(Some(true)),
            "n" | "no" => return Ok(Some(false)),
            _ => writeln!(questions, "Please answer y or n.")?,
        }
    }
}
