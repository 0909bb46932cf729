//! `roz debug`: a whole session.

use serde_json::json;

use super::target_session;
use crate::world::World;

/// Show a whole session: its state and its trace, as JSON
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A session's id or a unique beginning of it; without one, the newest
    /// session of this project
    session: Option<String>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let (roz, session) = target_session::existing(args.session.as_deref(), world)?;
    let mut value = serde_json::to_value(&session)?;
    value["state"] = json!({
        "review": session.review.phase().word(),
        "reflection": session.reflection.status().word(),
        "intent": session.intent.word(),
    });
    value["trace_counters"] = value["trace"].take();
    value["trace"] = json!(roz.store.read_trace(&session.session_id)?);
    let words = format!("{value:#}\n");
    super::said(value, words)
}
