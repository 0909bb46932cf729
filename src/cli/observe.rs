//! `roz observe`: leaves a note for the next reflection.

use serde_json::json;

use super::target_session::Target;
use crate::{
    core::{bounded, reflection::state::MAX_NOTE, trace::Mark},
    world::World,
};

/// Leave a note for the next reflection (for subagents)
///
/// A subagent does not reflect: it notes what it found, and the agent that
/// closes the ticket is shown the notes.
///
/// Example:
///   roz observe "the auth middleware has to come before the router's"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// What you found, in a sentence
    note: String,
    /// The session (default: the one in which this runs, else this project's newest)
    #[arg(long)]
    session_id: Option<String>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    match args.note.trim().len() {
        0 => return Err("the note is empty".into()),
        length if length > MAX_NOTE => {
            let why =
                format!("the note is {length} bytes long; at most {MAX_NOTE} are kept. Split it");
            return Err(why.into());
        }
        _ => (),
    }
    let (roz, target) = Target::open(args.session_id.as_deref(), world)?;
    let id = target.id.clone();
    let notes = target.update(&roz, world, |session| {
        session.reflection.observe(&args.note, None, world.now);
        session.record(&Mark::Observation { note: bounded::line(&args.note, 200) }, world.now);
        session.reflection.observations().len()
    })?;
    let words = format!("Noted for session {id} (note {notes}).\n");
    super::said(json!({ "session_id": id, "observations": notes }), words)
}
