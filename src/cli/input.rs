//! What a verb is given on standard input.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0}")]
    Terminal(String),
    #[error("failed to read standard input")]
    Read(#[source] io::Error),
    #[error("standard input is larger than {} MiB", .0 >> 20)]
    TooLarge(u64),
}

/// At most `max` bytes. At a terminal nobody would know what to type: `instead` says what to do.
pub(super) fn read(max: u64, instead: &str) -> Result<Vec<u8>, Error> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(Error::Terminal(instead.to_owned()));
    }
    let mut bytes = Vec::new();
    stdin.lock().take(max + 1).read_to_end(&mut bytes).map_err(Error::Read)?;
    if bytes.len() as u64 > max { Err(Error::TooLarge(max)) } else { Ok(bytes) }
}

/// Whether a person at the terminal says yes.
pub(super) fn is_yes(question: &str) -> io::Result<bool> {
    let mut stderr = io::stderr().lock();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
