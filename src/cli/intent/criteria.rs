//! The acceptance criteria of an intent, answered one by one.

use std::io;

use crate::{cli::input, core::bounded};

/// The criteria in their order, each with what was answered.
#[derive(Debug)]
pub(super) struct Answers<'a>(Vec<(&'a str, Option<bool>)>);

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("there is no criterion `{said}`. There {}", among(.there))]
    Unknown { said: String, there: Vec<String> },
    #[error("failed to ask")]
    Terminal(#[source] io::Error),
    #[error("{id} is not done: {}", .open.join("; "))]
    Open { id: String, open: Vec<String> },
}

impl<'a> Answers<'a> {
    pub(super) fn new(criteria: &'a [String]) -> Self {
        Self(criteria.iter().map(|criterion| (criterion.as_str(), None)).collect())
    }

    /// `said` is a criterion in its own words, or its number.
    pub(super) fn met(&mut self, said: &str) -> Result<(), Error> {
        let wanted = normal(said);
        let by_words = self.0.iter().position(|(criterion, _)| normal(criterion) == wanted);
        let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let at = by_words.or(number).filter(|at| *at < self.0.len());
        let Some(at) = at else {
            let there = self.0.iter().map(|(criterion, _)| shown(criterion)).collect();
            return Err(Error::Unknown { said: shown(said), there });
        };
        self.0[at].1 = Some(true);
        Ok(())
    }

    /// Asks at the terminal for those that nobody has answered.
    pub(super) fn ask(&mut self) -> Result<(), Error> {
        for (criterion, met) in self.0.iter_mut().filter(|(_, met)| met.is_none()) {
            let question = format!("Is it met? {}", bounded::plain_line(criterion));
            *met = Some(input::is_yes(&question).map_err(Error::Terminal)?);
        }
        Ok(())
    }

    /// Whether each one is met.
    pub(super) fn check(&self, id: &str) -> Result<(), Error> {
        let open = self.0.iter().enumerate().filter_map(|(at, (criterion, met))| {
            let what = match met {
                Some(true) => return None,
                Some(false) => "is not met",
                None => "is not answered",
            };
            Some(format!("{}. `{}` {what}", at + 1, shown(criterion)))
        });
        let open: Vec<String> = open.collect();
        if open.is_empty() { Ok(()) } else { Err(Error::Open { id: id.to_owned(), open }) }
    }
}

fn among(there: &[String]) -> String {
    match there {
        [] => "is none at all".to_owned(),
        some => format!("are: {}", some.join("; ")),
    }
}

fn shown(text: &str) -> String {
    bounded::plain_line(&bounded::line(text, 120))
}

fn normal(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}
