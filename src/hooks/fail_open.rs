//! The answer when something fails around a decision: the agent goes on and the user is told. A
//! decision that was already made is kept.

use super::{
    Around, Error, Failure, Governed, error_in_short, fresh,
    gather::{self, Lookup},
    is_taken, reply, repositories,
};
use crate::{
    clients::message::{Input, Reply},
    core::{
        self, Cx,
        event::{Sender, Stop, What},
        intent::{self, call_checks::Caller, gate::IntentGate},
        outcome::{Notice, Outcome, Verdict},
        policy::Scope,
        protect,
        review::{self, gated_calls},
    },
    open::Roz,
    storage,
    world::{World, in_a_line},
};

pub(super) fn fail_open(
    input: &Input,
    failure: Failure,
    roz: Option<&Roz>,
    world: &World,
) -> Governed {
    let Failure { error, outcome } = failure;
    let was_decided = outcome.is_some();
    let why = in_a_line(&error);
    let warnings = vec![why.clone()];
    let Some(roz) = roz else {
        return Governed::now(Reply::default(), warnings);
    };
    let mut outcome = outcome.unwrap_or_default();
    // This state was not saved, so nothing may refer to it.
    outcome.context.clear();
    outcome.briefing = None;
    let is_corrupt = matches!(error, Error::Storage(storage::Error::Corrupt { .. }));
    let lost = |what: &str| format!("roz: {what}: {why}");
    // The approval was not read, came too late, or could not be used up.
    let unsure = !was_decided
        || matches!(&error, Error::Storage(error) if is_taken(error))
        || roz.policy.review.gates.approval_scope == Scope::Tool;
    match &input.event.what {
        What::PreToolUse(call) => {
            // Self-protection only needs to know the reviewers. Without a session no intent counts
            // as selected.
            if !was_decided {
                outcome = unsaved(input, roz, world);
            }
            let cwd = input.cwd.as_deref().unwrap_or(&world.cwd);
            let elsewhere = repositories::gates_elsewhere(call, cwd, &roz.project, world);
            let gated = gated_calls::gated(&roz.policy.review, &elsewhere, call).into_iter().next();
            match (&outcome.verdict, gated) {
                (Verdict::Pass, Some(gated)) if unsure => {
                    let notice = Notice::new("ask-unreadable")
                        .with("tool", call.name.clone())
                        .with("pattern", gated.pattern)
                        .with("covers", "")
                        .with("reason", error_in_short(&error));
                    outcome.verdict = Verdict::Ask(notice);
                    outcome.messages.push(lost(
                        "a gated tool is asked about, because its state could not be read",
                    ));
                }
                (Verdict::Pass, _) => (),
                // An objection is kept even if it was not saved.
                (Verdict::Object(_) | Verdict::Ask(_), _) => outcome.messages.push(lost(
                    "a call was refused, and no review of it can be recorded until this is fixed",
                )),
            }
        }
        What::Stop(Stop { stop_hook_active: held_before, .. })
        | What::SubagentStop { stop_hook_active: held_before, .. } => {
            let told = match (&outcome.verdict, held_before) {
                (Verdict::Pass, _) if was_decided => None,
                (Verdict::Pass, _) => {
                    Some("the stop passes unjudged, because the session's state could not be read")
                }
                (_, false) => Some("this stop is held, and could not be counted"),
                (_, true) => {
                    outcome.verdict = Verdict::Pass;
                    Some(
                        "the stop passes though the work is not reviewed, because it could not be \
                         counted",
                    )
                }
            };
            outcome.messages.extend(told.map(lost));
        }
        What::Prompt { text, sender: Sender::User }
            if review::may_ask(roz.policy.review.mode, text) =>
        {
            outcome.messages.push(lost("the review that this prompt asks for is not recorded"));
        }
        What::SessionStart { .. } => {
            outcome.messages.push(lost("this session is not governed"));
            outcome.messages.extend(roz.complaints());
        }
        What::SubagentStart { agent_type, .. } if agent_type == review::REVIEWER => {
            outcome.messages.push(lost("the reviewer got no token"));
        }
        _ => (),
    }
    if is_corrupt && outcome.messages.is_empty() {
        outcome.messages.push(lost(
            "the state of this session is lost and starts again (type `#roz` again if a review was open)",
        ));
    }
    if input.event.origin.is_unattended {
        outcome = outcome.unasked();
    }
    if roz.policy.trial {
        outcome = outcome.in_trial(&input.event);
    }
    Governed::now(reply(input, &outcome, roz, world), warnings)
}

/// What the gates that fail closed (self-protection, intent) decide without a session.
fn unsaved(input: &Input, roz: &Roz, world: &World) -> Outcome {
    let mut session = fresh(input, roz, world);
    let needs = core::needs(&[&IntentGate], &session, &input.event, &roz.policy);
    let look = Lookup { input, session: &session, roz, world };
    let facts = gather::facts(needs, &Around::default(), look);
    let (dice, policy, session_id) = ([0; 32], &roz.policy, &input.session_id);
    let cx = Cx { now: world.now, dice: &dice, policy, facts: &facts, session_id };
    let outcome = protect::decide(&session, &input.event, cx);
    outcome.then(|| intent::decide(&mut session.intent, &input.event, Caller::Agent, cx))
}
