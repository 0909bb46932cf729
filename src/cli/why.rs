//! `roz why`: says why the last call or stop of a session was refused, and what to do.

use serde_json::json;

use super::{
    blame,
    say::{self, Out},
    status, target_session,
};
use crate::{
    core::{
        GATES, bounded, gate,
        last_refusal::{self, Refused},
    },
    world::World,
};

/// Say why the last call or stop was refused, and what to do
///
/// Without a session, the one in which the client runs this, else the newest of this project.
///
/// Examples:
///   roz why
///   roz why 6f0c
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// A session's id or a unique beginning of it
    // Also a place (`src/a.rs:12`): the older spelling of `roz blame FILE:LINE --why`.
    #[arg(value_name = "SESSION")]
    subject: Option<String>,
    #[arg(long, alias = "session-id", value_name = "ID", conflicts_with = "subject", hide = true)]
    session: Option<String>,
}

/// What to do, as a sentence without one client's words: a session does not say which client has it.
fn neutral(text: &str) -> String {
    const REVIEW: &str = "Have the work reviewed by the reviewer `roz`";
    let text = [
        ("Start a reviewer with the Agent tool, subagent_type \"roz:roz\"", REVIEW),
        ("Spawn a new one with the Agent tool, subagent_type \"roz:roz\"", REVIEW),
        ("Use the Agent tool, subagent_type \"roz:roz\"", REVIEW),
        ("the agent starts the reviewer `roz:roz`", REVIEW),
        ("roz:roz", "roz"),
        ("with the Edit or Write tool", "with a tool that edits files"),
        ("with the Write tool", "with a tool that writes files"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (of_claude, neutral)| text.replace(of_claude, neutral));
    let mut rest = text.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", rest.as_str())
}

fn next(refused: &Refused, gates: &[gate::Status]) -> String {
    const AT_A_PROMPT: &str = " Or type `#roz:approve` if you have looked at it yourself, \
                               `#roz:stop` to end the review.";
    const AT_A_TERMINAL: &str = " Or run, at a terminal, `roz approve` if you have looked at it \
                                 yourself, `roz allow` to let the call through once.";
    let gate = gates.iter().find(|status| status.gate == refused.by);
    let waits_for = gate.and_then(|status| status.waits_for.as_deref());
    // A stop also passes while a reviewer is at work.
    let is_over = refused.has_passed_since && (refused.answer != "block" || waits_for.is_none());
    match (refused.instead, gate.and_then(|status| status.next.as_deref()).or(waits_for)) {
        _ if refused.is_trial => {
            "Nothing: without the trial it would have been refused.".to_owned()
        }
        _ if is_over => "Nothing. It has gone through since.".to_owned(),
        (Some(instead), _) => neutral(instead),
        (None, None) => "Nothing is in the way any more: do it again.".to_owned(),
        (None, Some(next)) if refused.by != "review" => neutral(next),
        (None, Some(next)) if refused.answer == "block" => neutral(next) + AT_A_PROMPT,
        (None, Some(next)) => neutral(next) + AT_A_TERMINAL,
    }
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let is_place = |text: &&String| text.contains(':') || world.cwd.join(text).exists();
    if let Some(place) = args.subject.as_ref().filter(is_place) {
        return blame::why(place, world);
    }
    let named = args.subject.as_deref().or(args.session.as_deref());
    let (roz, session) = target_session::existing(named, world)?;
    let refused = last_refusal::newest(&roz.store.read_trace(&session.session_id)?);
    let project = status::project(&roz, world);
    let gates = gate::statuses(GATES, Some(&session), &project, &roz.policy);
    let next = refused.as_ref().map(|refused| next(refused, &gates));
    let value = json!({
        "session_id": session.session_id,
        "refused": refused.as_ref().map(|refused| json!({
            "at": refused.at, "by": refused.by, "what": refused.what, "why": refused.why,
            "answer": refused.answer, "trial": refused.is_trial,
        })),
        "next": next,
    });
    let (Some(refused), Some(next)) = (refused, next) else {
        let words = format!("Nothing was refused in session {}.\n", session.session_id);
        return super::said(value, words);
    };
    let head = if refused.answer == "ask" { "asked about" } else { "refused" };
    let head = if refused.is_trial { "in a trial" } else { head };
    let rows = [
        ("session", session.session_id.to_string()),
        (head, format!("{}, {}", refused.what, say::when(refused.at, world.now))),
        ("by", refused.by.to_owned()),
        ("why", bounded::plain_line(&refused.why)),
        ("next", next),
    ];
    let out = Out::new(world);
    super::said(value, rows.map(|(name, text)| out.field(name, 13, &text)).concat())
}

#[cfg(test)]
mod tests;
