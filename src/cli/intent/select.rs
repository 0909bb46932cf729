//! `roz intent select`: a session says which intent it is at.

use std::fmt::Write as _;

use serde_json::json;

use super::{Done, desk, refused, say};
use crate::{
    cli::target::Target,
    core::{
        intent::selection::{self, Collision},
        trace::Mark,
    },
    open::Roz,
    world::World,
};

/// Say which intent this session is at, and be told its scope and constraints
///
/// Example:
///   roz intent select INT-001
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The intent's id
    id: String,
    /// The session (default: the one in which this runs, else this project's newest)
    #[arg(long)]
    session_id: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let target = Target::find(&roz, args.session_id.as_deref(), world)?;
    let session = target.session(&roz, world);
    // The session's own project governs it, wherever it stands now.
    let roz = roz.of_session(&session, world).unwrap_or(Ok(roz))?;
    let desk = desk(&roz, &world.cwd)?;
    let intent = match desk.choose(args.id.trim(), "roz intent select") {
        Ok(intent) => intent,
        Err(refusal) => return refused(refusal, args.json),
    };
    let session_id = target.id.clone();
    target.update(&roz, world, |session| {
        if desk.root() == roz.sidecar {
            session.intent.saw_sidecar();
        }
        session.intent.select(&intent.id, None, world.now);
        session.record(&Mark::IntentSelected { intent_id: intent.id.clone() }, world.now);
    })?;
    let others = roz.elsewhere(Some(&session_id), desk.root(), world.now);
    let collisions = selection::collisions(&desk.catalogue, intent, &others, desk.case);
    let briefing = desk.briefing(intent, |it| roz.text_before(desk.root(), it));
    let context = briefing.context();
    if args.json {
        let overlaps: Vec<_> = collisions.iter().map(as_json).collect();
        say::print_json(&json!({
            "session_id": session_id,
            "intent_id": intent.id,
            "context": context,
            "in_doubt": briefing.waits,
            "overlaps": overlaps,
        }))?;
        return Ok(Done::Well);
    }
    let mut text = format!("{context}\n");
    for collision in &collisions {
        let _ = writeln!(text, "Mind: {collision}.");
    }
    say::print_plain(&text)?;
    Ok(Done::Well)
}

fn as_json(collision: &Collision) -> serde_json::Value {
    json!({
        "session_id": collision.with.session_id,
        "intent_id": collision.with.intent_id,
        "witness": collision.witness,
    })
}
