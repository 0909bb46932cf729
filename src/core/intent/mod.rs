//! The intent gate: an agent says which declared piece of work it is at before
//! it changes anything, and stays inside that work's scope.
//!
//! [`catalogue`] is what the project declares, [`scope`] decides about a
//! target, [`overlap`] finds what two scopes have in common, [`ignore`] reads
//! `.intentignore`. [`glob`] is the one matcher below them all. [`class`] says
//! what kind of thing a call does, [`state`] is the turn and its arrows.
//! [`aftermath`] judges what a call has really changed.
//! [`selection`] says who may be selected, [`draft`] what may be declared,
//! [`briefing`] tells an agent of it, with the [`lessons`] of those before.

pub mod aftermath;
pub mod briefing;
pub mod catalogue;
pub mod class;
pub mod draft;
pub mod facts;
pub mod gate;
mod glob;
pub mod ignore;
pub mod ledger;
pub mod lessons;
pub mod overlap;
pub mod ranges;
pub mod scope;
pub mod selection;
pub mod state;
pub mod target;

/// The folder of a project that declares intents.
pub const SIDECAR: &str = ".orchestration";

use crate::core::{
    Cx,
    event::{Event, Sender, Source, What},
    outcome::{Effect, Notice, Outcome},
    policy::Lifetime,
    trace::Mark,
};

use self::{facts::Sidecar, gate::Caller, state::IntentState};

pub fn decide(state: &mut IntentState, event: &Event, caller: Caller, cx: Cx) -> Outcome {
    match &event.what {
        What::SessionStart { source } => on_session_start(state, *source, cx),
        What::Prompt { sender: Sender::User, .. } => {
            if cx.policy.intent.lifetime == Lifetime::Turn && state.selected().is_some() {
                state.turn_over();
            }
            Outcome::pass()
        }
        What::PreToolUse(call) => gate::on_tool(state, event, call, caller, cx),
        What::PostToolUse { call, succeeded } => {
            let agent = event.origin.agent_id.as_deref();
            for (path, hash) in &cx.facts.aims.seen {
                state.saw(agent, path, hash);
            }
            let mut outcome = Outcome::pass();
            if call.name == "Read" && !cx.facts.aims.seen.is_empty() {
                let seen = cx.facts.aims.seen.iter().map(|(path, _)| path.clone()).collect();
                outcome = outcome.doing(Effect::Keep(seen));
            }
            let Some(id) = &call.tool_use_id else { return outcome };
            if let Some(intent_id) = state.select_ended(id)
                && *succeeded
            {
                state.select(&intent_id, event.origin.prompt_id.as_deref(), cx.now);
                outcome = outcome
                    .marked(Mark::IntentSelected { intent_id: intent_id.clone() })
                    .doing(Effect::Select(intent_id));
                for overlap in &cx.facts.aims.overlaps {
                    outcome = outcome.telling_user(overlap.clone());
                }
            }
            if *succeeded {
                state.asked_and_ran(id, cx.now);
            }
            let Some(flight) = state.landed(id) else { return outcome };
            match &cx.facts.aims.aftermath {
                Some(aftermath) => {
                    outcome.then(|| aftermath::decide(state, &flight, call, aftermath, cx))
                }
                None if flight.is_for_an_intent() => {
                    outcome.doing(Effect::Landed(Box::new(flight)))
                }
                None => outcome,
            }
        }
        What::Prompt { .. }
        | What::SubagentStart { .. }
        | What::SubagentStop { .. }
        | What::Stop(_)
        | What::TaskCompleted { .. }
        | What::SessionEnd { .. } => Outcome::pass(),
    }
}

fn on_session_start(state: &mut IntentState, source: Source, cx: Cx) -> Outcome {
    let aims = &cx.facts.aims;
    match &aims.sidecar {
        Sidecar::NotAsked | Sidecar::Absent => return Outcome::pass(),
        Sidecar::Broken(what) => {
            state.saw_sidecar();
            return Outcome::pass().telling_user(format!(
                "roz: `.orchestration/active_intents.yaml` cannot be relied on, so every write is \
                 refused: {what}"
            ));
        }
        Sidecar::There => state.saw_sidecar(),
    }
    let open: Vec<String> = aims
        .catalogue
        .open()
        .take(20)
        .map(|it| format!("- {}: {}", it.id, crate::core::bounded::line(&it.name, 80)))
        .collect();
    let selected = state.selected().map(|it| it.intent_id.clone());
    let again = matches!(source, Source::Compact | Source::Resume | Source::Clear);
    let selected = match selected {
        Some(id) if again => format!("\nSelected, and still so: {id}."),
        _ => String::new(),
    };
    let open =
        if open.is_empty() { "(none is open: ask the user)".to_owned() } else { open.join("\n") };
    Outcome::pass()
        .telling_agent(Notice::new("intent-protocol").with("open", open).with("selected", selected))
}

#[cfg(test)]
mod tests;
