//! `roz intent start`, `complete` and `archive`: the status of an intent.

use serde_json::json;

use super::{Decided, criteria, find, is_at_terminal, needs_a_person, open, say, told};
use crate::{
    cli::target::Target,
    core::{
        bounded,
        intent::catalogue::{Intent, Status},
        refusal::{Code, Refusal},
        trace::Mark,
    },
    sidecar::store::IntentStore,
    world::World,
};

/// Mark an intent as in progress, without selecting it
///
/// Example:
///   roz intent start INT-001
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Start {
    /// The intent's id
    id: String,
    /// Also one that is blocked or finished (a person decides)
    #[arg(long)]
    reopen: bool,
    #[command(flatten)]
    decided: Decided,
}

/// Complete an intent: each of its criteria is met (a person decides)
///
/// At a terminal each criterion is asked for. Elsewhere name each one that is met, by its words or
/// its number.
///
/// Example:
///   roz intent complete INT-001 --met "a link works once" --met 2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Complete {
    /// The intent's id
    id: String,
    /// A criterion that is met, or its number; may be given again
    #[arg(long, value_name = "CRITERION")]
    met: Vec<String>,
    #[command(flatten)]
    decided: Decided,
}

/// Archive an intent that nobody continues (a person decides)
///
/// Example:
///   roz intent archive INT-001
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Archive {
    /// The intent's id
    id: String,
    #[command(flatten)]
    decided: Decided,
}

pub(super) fn start(args: &Start, world: &World) -> super::super::Result {
    let Decided { yes, json } = args.decided;
    if args.reopen {
        needs_a_person("start --reopen", yes, world)?;
    }
    let (_, store) = open(world)?;
    let intent = find(&store, &args.id, json)?;
    if !intent.status.can_be_selected() && !args.reopen {
        let status = bounded::line(intent.status.word(), 40);
        let message = format!("Intent {} is {status}.", intent.id);
        let refusal = Refusal::new(Code::IntentNotActive, "roz intent start", message)
            .of_intent(&intent.id)
            .recovery("A person takes it up again with `roz intent start --reopen`.");
        return Err(told(Box::new(refusal), json).into());
    }
    set(&store, intent, &Status::InProgress, json, world)
}

pub(super) fn archive(args: &Archive, world: &World) -> super::super::Result {
    let Decided { yes, json } = args.decided;
    needs_a_person("archive", yes, world)?;
    let (_, store) = open(world)?;
    set(&store, find(&store, &args.id, json)?, &Status::Archived, json, world)
}

pub(super) fn complete(args: &Complete, world: &World) -> super::super::Result {
    let Decided { yes, json } = args.decided;
    needs_a_person("complete", yes, world)?;
    let (roz, store) = open(world)?;
    let intent = find(&store, &args.id, json)?;
    let mut answers = criteria::Answers::new(&intent.acceptance_criteria);
    for said in &args.met {
        answers.met(said)?;
    }
    if is_at_terminal() && !json {
        answers.ask()?;
    }
    answers.check(&intent.id)?;
    if intent.acceptance_criteria.is_empty() {
        say::warn(&format!("{} has no acceptance criteria: nothing was asked", intent.id));
    }
    let done = set(&store, intent, &Status::Completed, json, world)?;
    // The session is good to know, and not needed.
    let target = Target::find(&roz, None, world).ok().filter(|target| target.stored.is_some());
    if let (Some(target), false) = (target, intent.status == Status::Completed) {
        let criteria = intent.acceptance_criteria.iter();
        let mark = Mark::IntentCompleted {
            intent_id: intent.id.clone(),
            criteria: criteria.map(|criterion| bounded::line(criterion, 200)).collect(),
        };
        target.update(&roz, world, |session| session.record(&mark, world.now))?;
    }
    Ok(done)
}

fn set(
    store: &IntentStore,
    intent: &Intent,
    status: &Status,
    json: bool,
    world: &World,
) -> super::super::Result {
    let written = store.set_status(&intent.id, status.clone(), world.now)?;
    let already = if written { "" } else { " already" };
    let id = &intent.id;
    say::answer(
        json,
        &json!({ "intent_id": id, "status": status.word(), "written": written }),
        &format!("{id} is {status}{already}.\n"),
    )
}
