//! `roz debug`: a whole session.

use serde_json::json;

use super::{Done, say};
use crate::{open::Roz, world::World};

/// Show a whole session: its state and its trace, as JSON
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A session's id or a unique beginning of it; without one, the newest
    /// session of this project
    session: Option<String>,
    /// Accepted for consistency; the output is always JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.session_or_newest(args.session.as_deref())?;
    let session = roz.load(&id)?.session;
    let mut value = serde_json::to_value(&session)?;
    value["state"] = json!({
        "review": session.review.phase().word(),
        "reflection": session.reflection.status().word(),
        "intent": session.intent.word(),
    });
    value["trace_counters"] = value["trace"].take();
    value["trace"] = json!(roz.store.read_trace(&id)?);
    say::print_json(&value)?;
    let _ = args.json;
    Ok(Done::Well)
}
