//! `roz approve` and `roz allow`: what `#roz:approve` and `#roz:allow` do, at a terminal.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Done, decide, say};
use crate::{
    core::{
        self,
        review::{decision::Decision, reviewer::Claim},
        session::{Session, SessionId},
    },
    open::{self, Roz},
    storage,
    world::World,
};

/// Approve the work as it is (humans only, at a terminal)
///
/// Like `#roz:approve` at the beginning of a prompt: the session's current work
/// counts as reviewed, and the gated calls that wait for it pass.
///
/// Examples:
///   roz approve "read the diff"
///   roz approve --session 6f0c0d0e
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// What you looked at
    note: Option<String>,
    /// The session, or a unique beginning of its id; without it, the one of
    /// this project in which a call waits
    #[arg(short, long)]
    session: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Let one gated call through (humans only, at a terminal)
///
/// Like `#roz:allow` at the beginning of a prompt: the call that waits, or the
/// next gated one within 15 minutes, passes once.
///
/// Examples:
///   roz allow
///   roz allow --session 6f0c0d0e
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct AllowArgs {
    /// The session, or a unique beginning of its id; without it, the one of
    /// this project in which a call waits
    #[arg(short, long)]
    session: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("calls wait in several sessions of this project: {0}. Name one with `--session`")]
    Several(String),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    decide::person(world)?;
    let roz = Roz::open(world, &world.cwd)?;
    let id = session(&roz, args.session.as_deref())?;
    let note = args.note.as_deref().map(str::trim).filter(|note| !note.is_empty());
    let summary = note.unwrap_or("approved at a terminal").to_owned();
    let decision = Decision::Complete { summary, second_opinions: None };
    decide::post(roz, &id, decision, Claim::Human, Vec::new(), world)?.tell(args.json)?;
    Ok(Done::Well)
}

pub(super) fn allow(args: &AllowArgs, world: &World) -> super::Result {
    decide::person(world)?;
    let roz = Roz::open(world, &world.cwd)?;
    let id = session(&roz, args.session.as_deref())?;
    let loaded = roz.load(&id)?;
    let until = Instant::now() + Duration::from_secs(10);
    let fresh = || Session::new(id.clone(), world.now);
    let told = storage::update_from(&*roz.store, Some(loaded), &id, until, fresh, |session| {
        session.updated_at = world.now;
        core::allow_once(session, world.now)
    })?;
    if args.json {
        say::print_json(&json!({ "session_id": id, "allowed": "once" }))?;
    } else {
        say::print(&format!("{}\n", told.trim_start_matches("roz: ")))?;
    }
    Ok(Done::Well)
}

/// The session that is meant: the named one, the only one of this project in which a call waits,
/// else its newest.
fn session(roz: &Roz, named: Option<&str>) -> Result<SessionId, Box<dyn std::error::Error>> {
    const LOOKED_AT: usize = 50;
    if named.is_some() {
        return Ok(roz.session_or_newest(named)?);
    }
    let listed = roz.store.list_sessions(LOOKED_AT).map_err(open::Error::from)?;
    let waits = |session: &Session| {
        session.project.as_ref() == Some(&roz.project) && session.review.is_gate_closed()
    };
    let waiting: Vec<SessionId> =
        listed.into_iter().flatten().filter(waits).map(|session| session.session_id).collect();
    match waiting.as_slice() {
        [] => Ok(roz.session_or_newest(None)?),
        [one] => Ok(one.clone()),
        several => {
            let ids: Vec<&str> = several.iter().map(SessionId::as_str).collect();
            Err(Error::Several(ids.join(", ")).into())
        }
    }
}
