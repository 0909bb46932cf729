//! `roz intent select`: selects the intent that a session works on.

use std::fmt::Write as _;

use serde_json::json;

use super::{said, store};
use crate::{
    cli::target_session::Target,
    core::{
        intent::selection::{self, Collision},
        trace::Mark,
    },
    open::Roz,
    world::World,
};

/// Select the intent this session works on, and print its scope and constraints
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
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let target = Target::find(&roz, args.session_id.as_deref(), world)?;
    let session = target.session(&roz, world);
    // A session is governed by its own project, whatever its current folder is.
    let roz = roz.of_session(&session, world).unwrap_or(Ok(roz))?;
    let store = store(&roz, &world.cwd)?;
    let intent = store.choose(args.id.trim(), "roz intent select")?;
    let session_id = target.id.clone();
    target.update(&roz, world, |session| {
        if store.root() == roz.sidecar {
            session.intent.saw_sidecar();
        }
        session.intent.select(&intent.id, world.now);
        session.record(&Mark::IntentSelected { intent_id: intent.id.clone() }, world.now);
    })?;
    let others = roz.elsewhere(Some(&session_id), store.root(), world.now);
    let collisions = selection::collisions(&store.catalogue, intent, &others, store.case);
    let briefing = store.briefing(intent);
    let context = briefing.context();
    let overlap = |collision: &Collision| {
        json!({
            "session_id": collision.with.session_id,
            "intent_id": collision.with.intent_id,
            "witness": collision.witness,
        })
    };
    let overlaps: Vec<_> = collisions.iter().map(overlap).collect();
    let value = json!({
        "session_id": session_id,
        "intent_id": intent.id,
        "context": context,
        "in_doubt": briefing.waits,
        "overlaps": overlaps,
    });
    let mut words = format!("{context}\n");
    for collision in &collisions {
        let _ = writeln!(words, "Mind: {collision}.");
    }
    said(value, &words)
}
