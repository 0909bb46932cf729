//! The acceptance criteria of an intent, answered one by one.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    cli::input,
    core::bounded,
    world::{self, World},
};

const LARGEST: u64 = 1 << 20;

/// The criteria in their order, each with what was answered.
#[derive(Debug)]
pub(super) struct Answers {
    answers: Vec<Answer>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Answer {
    pub(super) criterion: String,
    /// None: nobody has said.
    met: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    how: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("there is no criterion `{said}`. There {}", among(.there))]
    Unknown { said: String, there: Vec<String> },
    #[error("`{}` cannot be read, or is larger than 1 MiB", .0.display())]
    Unreadable(PathBuf),
    #[error("failed to read the answers from standard input")]
    Stdin(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error(
        "failed to make sense of the answers. They are an object of criterion and `true` or how it \
         is met, or a list of objects with `criterion`, `met` and `how`"
    )]
    NoAnswers(#[source] Option<serde_json::Error>),
    #[error("failed to ask")]
    Terminal(#[source] io::Error),
    #[error("{id} is not done: {}", .open.join("; "))]
    Open { id: String, open: Vec<String> },
}

/// One answer in a list of them.
#[derive(Debug, Deserialize)]
struct Given {
    criterion: String,
    met: bool,
    #[serde(default)]
    how: Option<String>,
}

impl Answers {
    pub(super) fn new(criteria: &[String]) -> Self {
        let open = |it: &String| Answer { criterion: it.clone(), met: None, how: None };
        Self { answers: criteria.iter().map(open).collect() }
    }

    /// `said` is a criterion in its own words, or its number.
    pub(super) fn met(&mut self, said: &str, how: Option<String>) -> Result<(), Error> {
        self.answer(said, true, how)
    }

    fn answer(&mut self, said: &str, met: bool, how: Option<String>) -> Result<(), Error> {
        let wanted = normal(said);
        let by_words = self.answers.iter().position(|it| normal(&it.criterion) == wanted);
        let by_number = || {
            let number: usize = wanted.parse().ok()?;
            number.checked_sub(1).filter(|it| *it < self.answers.len())
        };
        let Some(at) = by_words.or_else(by_number) else {
            let there = self.answers.iter().map(|it| shown(&it.criterion)).collect();
            return Err(Error::Unknown { said: shown(said), there });
        };
        self.answers[at].met = Some(met);
        self.answers[at].how = how.filter(|it| !it.trim().is_empty());
        Ok(())
    }

    /// From a file, or standard input where that is `-`.
    pub(super) fn read(&mut self, file: &Path, world: &World) -> Result<(), Error> {
        const PATIENCE: Duration = Duration::from_secs(10);
        let text = if file == Path::new("-") {
            let bytes = world::read_stdin(usize::try_from(LARGEST).unwrap_or(0), PATIENCE);
            let bytes = bytes.map_err(|err| Error::Stdin(Box::new(err)))?;
            String::from_utf8(bytes).map_err(|err| Error::Stdin(Box::new(err)))?
        } else {
            let text = world::read_text(&world.cwd.join(file), LARGEST);
            text.ok_or_else(|| Error::Unreadable(file.to_owned()))?
        };
        let value = serde_json::from_str(&text).map_err(|err| Error::NoAnswers(Some(err)))?;
        match value {
            Value::Object(fields) => {
                for (criterion, value) in fields {
                    match value {
                        Value::Bool(met) => self.answer(&criterion, met, None)?,
                        Value::String(how) if !how.trim().is_empty() => {
                            self.answer(&criterion, true, Some(how))?;
                        }
                        _ => return Err(Error::NoAnswers(None)),
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    let given: Given =
                        serde_json::from_value(item).map_err(|err| Error::NoAnswers(Some(err)))?;
                    self.answer(&given.criterion, given.met, given.how)?;
                }
            }
            _ => return Err(Error::NoAnswers(None)),
        }
        Ok(())
    }

    /// Asks at the terminal for those that nobody has answered.
    pub(super) fn ask(&mut self) -> Result<(), Error> {
        for answer in self.answers.iter_mut().filter(|it| it.met.is_none()) {
            let question = format!("Is it met? {}", bounded::plain_line(&answer.criterion));
            answer.met = Some(input::is_yes(&question).map_err(Error::Terminal)?);
        }
        Ok(())
    }

    /// Whether each one is met.
    pub(super) fn check(&self, id: &str) -> Result<(), Error> {
        let open = self.answers.iter().enumerate().filter_map(|(at, it)| {
            let what = match it.met {
                Some(true) => return None,
                Some(false) => "is not met",
                None => "is not answered",
            };
            Some(format!("{}. `{}` {what}", at + 1, shown(&it.criterion)))
        });
        let open: Vec<String> = open.collect();
        if open.is_empty() { Ok(()) } else { Err(Error::Open { id: id.to_owned(), open }) }
    }

    pub(super) fn given(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter()
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
