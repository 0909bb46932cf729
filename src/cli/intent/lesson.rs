//! `roz intent lesson`: a line for the shared brain.

use serde_json::json;

use super::{Done, find, open, refused, say};
use crate::{
    core::intent::lessons::{About, LONGEST, Lesson, MOST_FILES},
    sidecar::{FOLDER, desk::BRAIN},
    world::World,
};

/// Write down what was learned, for those who come to the same files
///
/// It goes into `.orchestration/CLAUDE.md`, below `## Lessons Learned`, once.
///
/// Example:
///   roz intent lesson "links expire by the server's clock" --intent INT-001 --file src/auth/link.rs
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// What was learned, in a sentence
    lesson: String,
    /// The intent that it was learned at
    #[arg(long, value_name = "ID")]
    intent: Option<String>,
    /// A file that it is about, from the project's root; may be given again
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum Error {
    #[error("the lesson is empty: say what was learned")]
    Empty,
    #[error("the lesson is longer than {LONGEST} characters: say it in a sentence")]
    TooLong,
    #[error("there are more than {MOST_FILES} files")]
    TooManyFiles,
    #[error("a lesson that concerns no intent and no file reaches nobody: name one of them")]
    AboutNothing,
}

/// A lesson that can be written.
pub(in crate::cli) fn lesson(
    text: &str,
    intent: Option<&str>,
    files: &[String],
) -> Result<Lesson, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::Empty);
    }
    if text.chars().count() > LONGEST {
        return Err(Error::TooLong);
    }
    if files.len() > MOST_FILES {
        return Err(Error::TooManyFiles);
    }
    let plain = |it: &String| it.trim().trim_start_matches("./").to_owned();
    let files: Vec<String> = files.iter().map(plain).filter(|it| !it.is_empty()).collect();
    let intent = intent.map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned);
    if intent.is_none() && files.is_empty() {
        return Err(Error::AboutNothing);
    }
    Ok(Lesson { text: text.to_owned(), about: About { intent, files } })
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    let lesson = lesson(&args.lesson, args.intent.as_deref(), &args.file)?;
    let (_, desk) = open(world)?;
    if let Some(id) = &lesson.about.intent
        && let Err(refusal) = find(&desk, id)
    {
        return refused(refusal, args.json);
    }
    let is_new = desk.learn(&lesson)?;
    if args.json {
        say::print_json(&json!({ "lesson": lesson.text, "about": lesson.about, "new": is_new }))?;
        return Ok(Done::Well);
    }
    say::print(&if is_new {
        format!("Written to {FOLDER}/{BRAIN}.\n")
    } else {
        format!("{FOLDER}/{BRAIN} says so already.\n")
    })?;
    Ok(Done::Well)
}
