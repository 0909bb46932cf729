//! `roz intent start`, `complete` and `archive`: change the status of an intent.

use serde_json::json;

use super::{Decided, find, input, needs_a_person, open, said, say};
use crate::{
    cli::target_session::Target,
    core::{
        bounded,
        intent::{
            catalogue::{Intent, Status},
            selection::Refused,
        },
        refusal::{Code, Refusal},
        trace::Mark,
    },
    sidecar::intent_store::IntentStore,
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
    #[arg(from_global)]
    json: bool,
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
    if args.reopen {
        needs_a_person("start --reopen", &args.decided, world)?;
    }
    let (_, store) = open(world)?;
    let intent = find(&store, &args.id)?;
    if !intent.status.can_be_selected() && !args.reopen {
        let status = bounded::line(intent.status.word(), 40);
        let message = format!("Intent {} is {status}.", intent.id);
        let refusal: Refused = Refusal::new(Code::IntentNotActive, "roz intent start", message)
            .of_intent(&intent.id)
            .recovery("A person can reopen it with `roz intent start --reopen`.")
            .into();
        return Err(refusal.into());
    }
    set(&store, intent, &Status::InProgress, world)
}

pub(super) fn archive(args: &Archive, world: &World) -> super::super::Result {
    needs_a_person("archive", &args.decided, world)?;
    let (_, store) = open(world)?;
    set(&store, find(&store, &args.id)?, &Status::Archived, world)
}

pub(super) fn complete(args: &Complete, world: &World) -> super::super::Result {
    needs_a_person("complete", &args.decided, world)?;
    let (roz, store) = open(world)?;
    let intent = find(&store, &args.id)?;
    let criteria = &intent.acceptance_criteria;
    check(intent, &args.met, input::can_ask() && !args.json)?;
    if criteria.is_empty() {
        say::warn(&format!("{} has no acceptance criteria: nothing was asked", intent.id));
    }
    let done = set(&store, intent, &Status::Completed, world)?;
    // The session is optional.
    let target = Target::find(&roz, None, world).ok().filter(|target| target.stored.is_some());
    if let (Some(target), false) = (target, intent.status == Status::Completed) {
        let criteria = criteria.iter().map(|criterion| bounded::line(criterion, 200)).collect();
        let mark = Mark::IntentCompleted { intent_id: intent.id.clone(), criteria };
        target.update(&roz, world, |session| session.record(&mark, world.now))?;
    }
    Ok(done)
}

/// Fails unless each criterion is met. `met` names those that are met, by text or by number; the
/// user is asked about the others.
fn check(intent: &Intent, met: &[String], is_asked: bool) -> super::super::Result<()> {
    let id = &intent.id;
    let criteria = &intent.acceptance_criteria;
    let shown = |text: &str| bounded::plain_line(&bounded::line(text, 120));
    let normal = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let mut answers = vec![None; criteria.len()];
    for said in met {
        let by_words = criteria.iter().position(|criterion| normal(criterion) == normal(said));
        let number = said.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let at = by_words.or(number).and_then(|at| answers.get_mut(at));
        let Some(answer) = at else {
            let said = shown(said);
            let text = format!("{id} has no criterion `{said}`. `roz intent show {id}` lists them");
            return Err(text.into());
        };
        *answer = Some(true);
    }
    let mut open = Vec::new();
    for (at, (criterion, mut answer)) in criteria.iter().zip(answers).enumerate() {
        if answer.is_none() && is_asked {
            let question = format!("Is it met? {}", bounded::plain_line(criterion));
            answer = Some(input::is_yes(&question)?);
        }
        let what = match answer {
            Some(true) => continue,
            Some(false) => "is not met",
            None => "is not answered",
        };
        open.push(format!("{}. `{}` {what}", at + 1, shown(criterion)));
    }
    if open.is_empty() {
        return Ok(());
    }
    Err(format!("{id} is not done: {}", open.join("; ")).into())
}

fn set(
    store: &IntentStore,
    intent: &Intent,
    status: &Status,
    world: &World,
) -> super::super::Result {
    let written = store.set_status(&intent.id, status.clone(), world.now)?;
    let already = if written { "" } else { " already" };
    let id = &intent.id;
    said(
        json!({ "intent_id": id, "status": status.word(), "written": written }),
        &format!("{id} is {status}{already}.\n"),
    )
}
