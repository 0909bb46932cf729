//! `roz learn backends`: where learnings are kept, and whether it answers.

use std::{fmt::Write as _, path::Path};

use serde_json::{Value, json};

use super::{
    Done,
    say::{self, Out, Tone},
    stock::problems_as_json,
};
use crate::{
    core::bounded,
    memory::Answered,
    open::Roz,
    world::{World, in_a_line},
};

/// Show where learnings are kept, why there, and whether it answers
///
/// Backends are found in the order of `backends.discovery`; `backends.use` and
/// `backends.overrides` choose them by hand. One that does not answer loses
/// nothing: what is learned meanwhile goes to the markdown file. Hooks start no
/// server: of one they show what it held when it was last read (`roz learn list`).
///
/// Examples:
///   roz learn backends
///   roz learn backends --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::here(world)?;
    let library = roz.library(world);
    let (answered, problems) = (library.ping_all(), library.problems());
    if args.json {
        let backends: Vec<Value> = answered.iter().map(as_json).collect();
        let problems = problems_as_json(problems);
        say::print_json(&json!({ "backends": backends, "problems": problems }))?;
        return Ok(Done::Well);
    }
    if answered.is_empty() {
        say::print("No backend is in use: nothing that is learned is kept.\n")?;
        return Ok(Done::Well);
    }
    let out = Out::new(world);
    let row = |backend: &Answered| {
        let answers = if backend.answer.is_ok() { "yes" } else { "no" };
        let place = shortened(&backend.place, &roz.project, world.user_home.as_deref());
        vec![backend.backend.to_owned(), answers.to_owned(), place, backend.why.to_owned()]
    };
    let rows: Vec<Vec<String>> = answered.iter().map(row).collect();
    let mut text = out.table(&["BACKEND", "ANSWERS", "WHERE", "WHY"], &rows);
    let failed = answered.iter().filter_map(|backend| {
        let err = backend.answer.as_ref().err()?;
        Some(format!("{}: {}", backend.backend, in_a_line(err)))
    });
    for problem in failed.chain(problems.iter().map(ToString::to_string)) {
        let said = say::folded(&bounded::plain_line(&problem), out.width, "  ");
        let _ = writeln!(text, "{}", out.paint(Tone::Warn, &said));
    }
    say::print(&text)?;
    Ok(Done::Well)
}

fn as_json(backend: &Answered) -> Value {
    json!({
        "name": backend.backend,
        "place": backend.place,
        "why": backend.why,
        "answers": backend.answer.is_ok(),
        "error": backend.answer.as_ref().err().map(|err| in_a_line(err)),
    })
}

/// A path from the project, or from the user's home.
fn shortened(place: &str, project: &Path, user_home: Option<&Path>) -> String {
    let path = Path::new(place);
    if let Ok(rest) = path.strip_prefix(project) {
        return rest.display().to_string();
    }
    let below = user_home.and_then(|home| path.strip_prefix(home).ok());
    below.map_or_else(|| place.to_owned(), |rest| format!("~/{}", rest.display()))
}
