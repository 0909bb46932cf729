//! `roz why`: says why the last call or stop of a session was refused, and what to do.

use serde_json::json;

use super::{
    blame,
    say::{self, Out},
    status, target_session,
};
use crate::{
    core::{GATES, bounded, gate::statuses, last_refusal},
    world::World,
};

/// Say why the last call or stop was refused, and what to do
///
/// Without a session, the one in which the client runs this, else the newest of this project.
///
/// Examples:
///   roz why
///   roz why --session 6f0c
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// An older spelling of `roz blame FILE:LINE --why`
    #[arg(value_name = "FILE:LINE", hide = true)]
    place: Option<String>,
    /// A session's id or a unique beginning of it
    #[arg(long, alias = "session-id", value_name = "ID", conflicts_with = "place")]
    session: Option<String>,
}

/// What to do without one client's words: a session does not say which client has it.
fn neutral(text: &str) -> String {
    const REVIEW: &str = "have the work reviewed by the reviewer `roz`";
    [
        ("Start a reviewer with the Agent tool, subagent_type \"roz:roz\"", REVIEW),
        ("Spawn a new one with the Agent tool, subagent_type \"roz:roz\"", REVIEW),
        ("Use the Agent tool, subagent_type \"roz:roz\"", REVIEW),
        ("the agent starts the reviewer `roz:roz`", REVIEW),
        ("roz:roz", "roz"),
        ("with the Edit or Write tool", "with a tool that edits files"),
        ("with the Write tool", "with a tool that writes files"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (of_claude, neutral)| text.replace(of_claude, neutral))
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if let Some(place) = &args.place {
        return blame::why(place, world);
    }
    let (roz, session) = target_session::existing(args.session.as_deref(), world)?;
    let refused = last_refusal::newest(&roz.store.read_trace(&session.session_id)?);
    let project = status::project(&roz, world);
    let gates = statuses(GATES, Some(&session), &project, &roz.policy);
    let next = refused.as_ref().map(|refused| {
        let gate = gates.iter().find(|status| status.gate == refused.by);
        let next = gate.and_then(|status| status.next.clone().or(status.waits_for.clone()));
        let done = || "nothing is in the way any more: do it again".to_owned();
        neutral(&refused.instead.map(str::to_owned).or(next).unwrap_or_else(done))
    });
    let value = json!({
        "session_id": session.session_id,
        "refused": refused.as_ref().map(|refused| json!({
            "at": refused.at, "by": refused.by, "what": refused.what, "why": refused.why,
        })),
        "next": next,
    });
    let (Some(refused), Some(next)) = (refused, next) else {
        let words = format!("Nothing was refused in session {}.\n", session.session_id);
        return super::said(value, words);
    };
    let rows = [
        ("session", session.session_id.to_string()),
        ("refused", format!("{}, {}", refused.what, say::when(refused.at, world.now))),
        ("by", refused.by.to_owned()),
        ("why", bounded::plain_line(&refused.why)),
        ("next", next),
    ];
    let out = Out::new(world);
    super::said(value, rows.map(|(name, text)| out.field(name, 9, &text)).concat())
}

#[cfg(test)]
mod tests;
