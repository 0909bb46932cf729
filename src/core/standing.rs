//! How each gate stands in a session, in a line: what it waits for, and what
//! comes next.

use serde::Serialize;

use super::{
    bounded,
    policy::{Mode, Policy},
    reflection::state::Status,
    review::phase::Phase,
    session::Session,
};

/// `{"gate", "on", "state", "waits_for", "next"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    pub gate: &'static str,
    pub on: bool,
    /// As `roz list` has it.
    pub state: String,
    /// What the agent cannot finish without; none: it may go on.
    pub waits_for: Option<String>,
    pub next: Option<String>,
}

/// What a project wants, whatever the session.
#[derive(Debug, Clone, Default)]
pub struct Gates {
    pub reflection: bool,
    /// Switched on, and whether what is declared can be relied on.
    pub intent: Option<Result<Vec<String>, String>>,
}

/// The three gates, in the order in which an agent meets them. Without a
/// session nothing has happened yet.
pub fn standings(session: Option<&Session>, gates: &Gates, policy: &Policy) -> [Standing; 3] {
    [intent(session, gates), review(session, policy), reflection(session, gates)]
}

fn line(text: &str) -> String {
    bounded::plain_line(&bounded::line(text, 100))
}

fn review(session: Option<&Session>, policy: &Policy) -> Standing {
    const AGAIN: &str = "the agent fixes it and starts the reviewer `roz:roz` again";
    let on = policy.review.mode != Mode::Never;
    let phase = session.map_or(Phase::Idle, |it| it.review.phase());
    let trigger = session.and_then(|it| it.review.trigger());
    let asked = trigger.map_or_else(
        || "a reviewer's approval, which the user asked for".to_owned(),
        |it| format!("a reviewer's approval, before `{}`", line(&it.pattern_matched)),
    );
    let (waits_for, next) = match phase {
        Phase::Idle if session.is_some_and(|it| it.review.is_tripped()) => (
            None,
            Some(
                "the review was given up after too many stops. Gated calls ask you; `#roz` in \
                 front of a prompt asks for a new one"
                    .to_owned(),
            ),
        ),
        Phase::Idle | Phase::Approved => (None, None),
        Phase::Pending => (Some(asked), Some("the agent starts the reviewer `roz:roz`".to_owned())),
        Phase::Reviewing => (
            Some("the reviewer, which is at work".to_owned()),
            Some("wait for its verdict".to_owned()),
        ),
        Phase::Issues { summary, .. } => {
            let finder = session.map_or("the reviewer", |it| it.review.finder());
            (Some(format!("what {finder} found: {}", line(summary))), Some(AGAIN.to_owned()))
        }
    };
    let state = phase.word().to_owned();
    Standing { gate: "review", on, state, waits_for, next }
}

fn reflection(session: Option<&Session>, gates: &Gates) -> Standing {
    let status = session.map_or(Status::Idle, |it| it.reflection.status());
    let closed = session.map(|it| it.reflection.closed()).unwrap_or_default();
    let of = match closed {
        [] => String::new(),
        tickets => format!(" at {}", line(&tickets.join(", "))),
    };
    let is_due = gates.reflection && status.is_open();
    Standing {
        gate: "reflection",
        on: gates.reflection,
        state: status.word().to_owned(),
        waits_for: is_due.then(|| format!("what was learned{of}")),
        next: is_due.then(|| "the agent runs `roz reflect`, or `roz skip REASON`".to_owned()),
    }
}

fn intent(session: Option<&Session>, gates: &Gates) -> Standing {
    let standing = |state: &str, waits_for: Option<&str>, next: Option<String>| Standing {
        gate: "intent",
        on: gates.intent.is_some(),
        state: state.to_owned(),
        waits_for: waits_for.map(str::to_owned),
        next,
    };
    let state = session.map_or("awaiting_intent_selection", |it| it.intent.word());
    let open = match &gates.intent {
        None => return standing("idle", None, None),
        Some(Err(problem)) => {
            let next = format!("mend it: {}", line(problem));
            return standing(state, Some("a sidecar that can be read"), Some(next));
        }
        Some(Ok(open)) => open,
    };
    if let Some(selected) = session.and_then(|it| it.intent.selected()) {
        return standing(&format!("{state} {}", line(&selected.intent_id)), None, None);
    }
    let next = match open.as_slice() {
        [] => "declare what is worked on: `roz intent new`".to_owned(),
        [one] => format!("the agent selects it: {}", line(one)),
        many => format!("the agent selects one of {}", line(&many.join(", "))),
    };
    standing(state, Some("an intent, before it may change anything"), Some(next))
}

/// In a few words, for a prompt or a status line: only the gates that are on
/// and have something to say.
pub fn in_short(standings: &[Standing]) -> Vec<(&Standing, String)> {
    let short = |it: &Standing| {
        if !it.on {
            return None;
        }
        if it.state == "idle" {
            // Idle, and all the same something comes next.
            return it.next.as_ref().map(|_| format!("{} given up", it.gate));
        }
        let words = match (it.gate, it.state.split_once(' ')) {
            ("intent", Some((_, id))) => id.to_owned(),
            ("intent", None) => "no intent".to_owned(),
            (gate, _) => format!("{gate} {}", it.state),
        };
        Some(words)
    };
    standings.iter().filter_map(|it| Some((it, short(it)?))).collect()
}
