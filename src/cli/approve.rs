//! `roz approve` and `roz allow`: what `#roz:approve` and `#roz:allow` do, at a terminal.

use serde_json::json;

use super::{decide, target_session::Target};
use crate::{
    core::{
        self,
        review::{decision::Decision, reviewer::Claim},
        session::{Session, SessionId},
    },
    open::{self, Roz},
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
}

/// Let one gated call through (humans only, at a terminal)
///
/// Like `#roz:allow` at the beginning of a prompt: the call that waits, or the
/// next gated one within 15 minutes, passes once.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct AllowArgs {
    /// The session, or a unique beginning of its id; without it, the one of
    /// this project in which a call waits
    #[arg(short, long)]
    session: Option<String>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    decide::person(world)?;
    let roz = Roz::open(world, &world.cwd)?;
    let id = session(&roz, args.session.as_deref())?;
    let note = args.note.as_deref().map(str::trim).filter(|note| !note.is_empty());
    let summary = note.unwrap_or("approved at a terminal").to_owned();
    let decision = Decision::Complete { summary, second_opinions: None };
    let (value, words) = decide::post(roz, &id, decision, Claim::Human, Vec::new(), world)?;
    super::said(value, words)
}

pub(super) fn allow(args: &AllowArgs, world: &World) -> super::Result {
    decide::person(world)?;
    let roz = Roz::open(world, &world.cwd)?;
    let id = session(&roz, args.session.as_deref())?;
    let target = Target { id: id.clone(), stored: Some(roz.load(&id)?) };
    let told = target.update(&roz, world, |session| core::allow_once(session, world.now))?;
    let words = format!("{}\n", told.trim_start_matches("roz: "));
    super::said(json!({ "session_id": id, "allowed": "once" }), words)
}

/// The session: the named one, or else the only one of this project in which a call waits, or else
/// the newest of this project.
fn session(roz: &Roz, named: Option<&str>) -> super::Result<SessionId> {
    const LOOKED_AT: usize = 50;
    let listed = roz.store.list_sessions(LOOKED_AT).map_err(open::Error::from)?;
    let waits = |session: &Session| {
        let is_closed = session.review.phase().is_open() && session.review.trigger().is_some();
        session.project.as_ref() == Some(&roz.project) && is_closed
    };
    let waiting: Vec<SessionId> =
        listed.into_iter().flatten().filter(waits).map(|session| session.session_id).collect();
    match waiting.as_slice() {
        [one] if named.is_none() => Ok(one.clone()),
        [_, _, ..] if named.is_none() => {
            let ids: Vec<&str> = waiting.iter().map(SessionId::as_str).collect();
            let ids = ids.join(", ");
            let why = format!("calls wait in several sessions of this project: {ids}");
            Err((why + ". Name one with `--session`").into())
        }
        _ => Ok(roz.session_or_newest(named)?),
    }
}
