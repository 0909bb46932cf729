//! `roz debug`: a session, whole.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Done, say};
use crate::{
    core::{
        intent::state::IntentState,
        reflection::state::Reflection,
        review::state::Review,
        session::SessionId,
        trace::{Trace, TraceEvent},
    },
    open::Roz,
    world::World,
};

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

/// The document with its trace, what one looks for first at the top.
#[derive(Serialize)]
struct Whole<'a> {
    session_id: &'a SessionId,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    version: u32,
    cwd: Option<&'a Path>,
    project: Option<&'a Path>,
    transcript_path: Option<&'a Path>,
    head: Option<&'a str>,
    state: State,
    review: &'a Review,
    reflection: &'a Reflection,
    intent: &'a IntentState,
    trace_counters: &'a Trace,
    trace: &'a [TraceEvent],
}

/// Each gate in a word.
#[derive(Serialize)]
struct State {
    review: &'static str,
    reflection: &'static str,
    intent: &'static str,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.session_or_newest(args.session.as_deref())?;
    let session = roz.load(&id)?.session;
    say::print_json(&Whole {
        session_id: &session.session_id,
        created_at: session.created_at,
        updated_at: session.updated_at,
        version: session.version,
        cwd: session.cwd.as_deref(),
        project: session.project.as_deref(),
        transcript_path: session.transcript_path.as_deref(),
        head: session.head.as_deref(),
        state: State {
            review: session.review.phase().word(),
            reflection: session.reflection.status().word(),
            intent: session.intent.word(),
        },
        review: &session.review,
        reflection: &session.reflection,
        intent: &session.intent,
        trace_counters: &session.trace,
        trace: &roz.store.read_trace(&id)?,
    })?;
    let _ = args.json;
    Ok(Done::Well)
}
