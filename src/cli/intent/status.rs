//! `roz intent start`, `complete` and `archive`: where an intent is in its
//! life.

use std::path::PathBuf;

use serde_json::json;

use super::{Done, criteria, find, is_at_terminal, needs_a_person, open, refused, say};
use crate::{
    cli::target::Target,
    core::{
        bounded,
        intent::catalogue::Status,
        refusal::{Code, Refusal},
        trace::Mark,
    },
    world::World,
};

/// Say that work on an intent has begun, without selecting it
///
/// Example:
///   roz intent start INT-001
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Start {
    /// The intent's id
    id: String,
    /// Also one that is blocked or finished (a person's word)
    #[arg(long)]
    reopen: bool,
    /// A person has decided so already: for scripts
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Say that an intent is done: each of its criteria is met (a person's word)
///
/// At a terminal each criterion is asked for. Elsewhere name each one that is
/// met, by its words or its number, or give the answers as JSON: an object of
/// criterion and `true` or how it is met, or a list of `{"criterion", "met",
/// "how"}`.
///
/// Examples:
///   roz intent complete INT-001 --met "a link works once" --met 2
///   roz intent complete INT-001 --answers answers.json
///   echo '{"a link works once": "tests/link.rs"}' | roz intent complete INT-001 --answers -
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Complete {
    /// The intent's id
    id: String,
    /// A criterion that is met, or its number; may be given again
    #[arg(long, value_name = "CRITERION")]
    met: Vec<String>,
    /// A JSON file of answers, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// A person has decided so already: for scripts
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Put an intent away that will not be gone on with (a person's word)
///
/// Example:
///   roz intent archive INT-001
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Archive {
    /// The intent's id
    id: String,
    /// A person has decided so already: for scripts
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn start(args: &Start, world: &World) -> super::super::Result {
    if args.reopen {
        needs_a_person("start --reopen", args.yes, world)?;
    }
    let (_, desk) = open(world)?;
    let intent = match find(&desk, &args.id) {
        Ok(intent) => intent,
        Err(refusal) => return refused(refusal, args.json),
    };
    if !intent.status.can_be_selected() && !args.reopen {
        let status = bounded::line(intent.status.word(), 40);
        let message = format!("Intent {} is {status}.", intent.id);
        let refusal = Refusal::new(Code::IntentNotActive, "roz intent start", message)
            .of_intent(&intent.id)
            .recovery("A person takes it up again with `roz intent start --reopen`.");
        return refused(Box::new(refusal), args.json);
    }
    let written = desk.set_status(&intent.id, Status::InProgress, world.now)?;
    told(&intent.id, &Status::InProgress, written, args.json)
}

pub(super) fn archive(args: &Archive, world: &World) -> super::super::Result {
    needs_a_person("archive", args.yes, world)?;
    let (_, desk) = open(world)?;
    let intent = match find(&desk, &args.id) {
        Ok(intent) => intent,
        Err(refusal) => return refused(refusal, args.json),
    };
    let written = desk.set_status(&intent.id, Status::Archived, world.now)?;
    told(&intent.id, &Status::Archived, written, args.json)
}

pub(super) fn complete(args: &Complete, world: &World) -> super::super::Result {
    needs_a_person("complete", args.yes, world)?;
    let (roz, desk) = open(world)?;
    let intent = match find(&desk, &args.id) {
        Ok(intent) => intent,
        Err(refusal) => return refused(refusal, args.json),
    };
    let mut answers = criteria::Answers::new(&intent.acceptance_criteria);
    for said in &args.met {
        answers.met(said, None)?;
    }
    if let Some(file) = &args.answers {
        answers.read(file, world)?;
    }
    if is_at_terminal() && args.answers.is_none() && !args.json {
        answers.ask()?;
    }
    answers.check(&intent.id)?;
    let written = desk.set_status(&intent.id, Status::Completed, world.now)?;
    // The session is good to know, and not needed.
    let target = Target::find(&roz, None, world).ok().filter(|it| it.stored.is_some());
    if let (Some(target), true) = (target, written) {
        let mark = Mark::IntentCompleted {
            intent_id: intent.id.clone(),
            criteria: answers.given().map(|it| bounded::line(&it.criterion, 200)).collect(),
        };
        target.update(&roz, world, |session| session.record(&mark, world.now))?;
    }
    if args.json {
        let given: Vec<_> = answers.given().collect();
        say::print_json(&json!({
            "intent_id": intent.id,
            "status": Status::Completed.word(),
            "written": written,
            "answers": given,
        }))?;
        return Ok(Done::Well);
    }
    if intent.acceptance_criteria.is_empty() {
        say::warn(&format!("{} has no acceptance criteria: nothing was asked", intent.id));
    }
    told(&intent.id, &Status::Completed, written, false)
}

fn told(id: &str, status: &Status, written: bool, json: bool) -> super::super::Result {
    if json {
        say::print_json(&json!({
            "intent_id": id,
            "status": status.word(),
            "written": written,
        }))?;
        return Ok(Done::Well);
    }
    let already = if written { "" } else { " already" };
    say::print_plain(&format!("{id} is {status}{already}.\n"))?;
    Ok(Done::Well)
}
