//! `roz learn backends`: shows where learnings are kept, and whether each backend answers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    learnings::problems_as_json,
    say::{self, Out, Tone},
};
use crate::{
    core::bounded,
    memory::Answered,
    open::Roz,
    world::{World, in_a_line},
};

pub(super) fn run(world: &World) -> super::Result {
    let roz = Roz::here(world)?;
    let library = roz.library(world);
    let (answered, problems) = (library.ping_all(), library.problems());
    let backend = |backend: &Answered| {
        json!({
            "name": backend.backend,
            "place": backend.place,
            "why": backend.why,
            "answers": backend.answer.is_ok(),
            "error": backend.answer.as_ref().err().map(|err| in_a_line(err)),
        })
    };
    let backends: Vec<Value> = answered.iter().map(backend).collect();
    let value = json!({ "backends": backends, "problems": problems_as_json(problems) });
    if answered.is_empty() {
        return super::said(value, "No backend is in use: nothing that is learned is kept.\n");
    }
    let out = Out::new(world);
    let project = format!("{}/", roz.project.display());
    let row = |backend: &Answered| {
        let answers = if backend.answer.is_ok() { "yes" } else { "no" };
        let mut place = backend.place.replace(&project, "");
        if let Some(home) = &world.user_home {
            place = place.replace(&format!("{}/", home.display()), "~/");
        }
        [backend.backend, answers, &place, backend.why].map(str::to_owned).to_vec()
    };
    let heading = ["BACKEND", "ANSWERS", "WHERE", "WHY"];
    let mut text = out.table(&heading, answered.iter().map(row));
    let failed = answered.iter().filter_map(|backend| {
        let err = backend.answer.as_ref().err()?;
        Some(format!("{}: {}", backend.backend, in_a_line(err)))
    });
    for problem in failed.chain(problems.iter().map(ToString::to_string)) {
        let said = say::folded(&bounded::plain_line(&problem), out.width, "  ");
        let _ = writeln!(text, "{}", out.paint(Tone::Warn, &said));
    }
    super::said(value, text)
}
