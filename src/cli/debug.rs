//! `roz debug`: a session, whole.

use serde_json::json;

use super::{Done, say};
use crate::{open::Roz, world::World};

/// Show a session whole: its state and its trace
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A session's id or a unique beginning of it; without one, the newest
    /// session of this project
    session: Option<String>,
    /// As JSON (it is JSON without it too; the flag is for scripts that pass
    /// it to every verb)
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.session_or_newest(args.session.as_deref())?;
    let session = roz.load(&id)?.session;
    let state = session.review.phase().word();
    let mut document = serde_json::to_value(&session)?;
    if let Some(fields) = document.as_object_mut() {
        let counters = fields.remove("trace").unwrap_or_default();
        fields.insert("trace_counters".into(), counters);
        fields.insert("trace".into(), json!(roz.store.read_trace(&id)?));
        fields.insert("state".into(), json!({ "review": state }));
    }
    say::print_json(&document)?;
    let _ = args.json;
    Ok(Done::Well)
}
