//! The intent gate: before an agent changes anything it says which declared piece of work it is
//! working on, and stays within that work's scope.
//!
//! [`gate`] has the checks before a call: its [`class`], the declared intents ([`catalogue`]),
//! their [`scope`] and [`ignore`]. [`post_call_changes`] judges what a call has changed, [`ledger`]
//! records it, and [`mutation`] classifies it. [`map`] and [`blame`] are made from the ledger.
//! [`state`] is what the gate remembers of a session.

pub mod blame;
pub mod briefing;
pub mod call_checks;
pub mod catalogue;
pub mod changed_lines;
pub mod check_commands;
pub mod class;
pub mod classify_changes;
pub mod draft;
pub mod facts;
pub mod gate;
mod glob;
pub mod ignore;
pub mod ledger;
pub mod lessons;
pub mod map;
pub mod mutation;
pub mod needs;
pub mod overlap;
pub mod post_call_changes;
pub mod post_call_facts;
pub mod printed_files;
pub mod scope;
pub mod selection;
pub mod state;
pub mod target;
pub mod unconfirmed;

pub const SIDECAR: &str = ".orchestration";

use crate::core::{
    Cx, bounded,
    event::{Event, Sender, What},
    outcome::{Effect, Notice, Outcome},
    policy::Lifetime,
    tool::Tool,
    trace::Mark,
};

use self::{call_checks::Caller, catalogue::Intent, facts::Sidecar, state::IntentState};

pub fn decide(state: &mut IntentState, event: &Event, caller: Caller, cx: Cx) -> Outcome {
    if let What::SessionEnd { .. } = &event.what {
        state.leaves();
    } else {
        state.is_back();
    }
    let facts = &cx.facts.intent;
    let agent = event.origin.agent_id.as_deref();
    if let What::PreToolUse(call) = &event.what
        && let Some(id) = &call.tool_use_id
    {
        state.begins(agent, id);
    }
    let mut outcome = decided(state, event, caller, cx);
    if facts.declared.sidecar == Sidecar::NotDeclared {
        state.lost_sidecar();
        outcome = outcome.telling_user(format!(
            "roz: the commit that is checked out declares no intents (`{}`), so the intent gate is \
             off until it does.",
            selection::FILE
        ));
    }
    if let What::PostToolUse { call, .. } = &event.what
        && let Some(id) = &call.tool_use_id
    {
        state.granted(id);
        state.ends(agent, id);
    }
    if let Some(since) = facts.granted {
        outcome = outcome.doing(Effect::Granted(since));
    }
    outcome
}

fn decided(state: &mut IntentState, event: &Event, caller: Caller, cx: Cx) -> Outcome {
    match &event.what {
        What::SessionStart { .. } => on_session_start(state, cx),
        What::Prompt { sender: Sender::User, .. } => {
            state.prompted();
            if cx.policy.intent.lifetime == Lifetime::Turn && state.selected().is_some() {
                state.turn_over();
                return Outcome::pass();
            }
            told(state, event, Outcome::pass(), cx)
        }
        What::PreToolUse(call) => call_checks::on_tool(state, event, call, caller, cx),
        What::PostToolUse { call, succeeded } => {
            let agent = event.origin.agent_id.as_deref();
            for (path, hash) in &cx.facts.intent.seen {
                state.saw(agent, path, hash);
            }
            let mut outcome = Outcome::pass();
            let seen: Vec<String> =
                cx.facts.intent.seen.iter().map(|(path, _)| path.clone()).collect();
            if matches!(call.tool, Tool::Read { .. }) && !seen.is_empty() {
                outcome = outcome.doing(Effect::Keep(seen));
            }
            let Some(id) = &call.tool_use_id else { return told(state, event, outcome, cx) };
            if let Some(intent_id) = state.select_ended(id)
                && *succeeded
            {
                state.select(&intent_id, cx.now);
                outcome = outcome.marked(Mark::IntentSelected { intent_id });
            }
            if *succeeded {
                state.asked_and_ran(id, cx.now);
            }
            let Some(flight) = state.landed(id) else { return told(state, event, outcome, cx) };
            if let Some(check) = &flight.check
                && state.check_ended(check, cx.facts.intent.ended)
            {
                outcome = outcome.telling_agent(offer(check, &flight.intent_id));
            }
            outcome = match &cx.facts.intent.aftermath {
                Some(aftermath) => {
                    let agent = event.origin.agent_id.as_deref();
                    outcome.then(|| {
                        post_call_changes::decide(state, &flight, agent, call, aftermath, cx)
                    })
                }
                None if flight.is_for_an_intent() => {
                    outcome.doing(Effect::Landed(Box::new(flight)))
                }
                None => outcome,
            };
            told(state, event, outcome, cx)
        }
        What::Prompt { sender: Sender::Client, .. } => told(state, event, Outcome::pass(), cx),
        What::SubagentStart { .. } => {
            let mut outcome = Outcome::pass();
            let handshake = cx.facts.intent.handshake.as_ref();
            outcome.briefing = handshake.map(|handshake| Box::new(handshake.briefing.clone()));
            outcome
        }
        What::SubagentStop { .. }
        | What::Stop(_)
        | What::TaskCompleted { .. }
        | What::SessionEnd { .. } => Outcome::pass(),
    }
}

/// Offers to write a lesson once the failure is understood.
fn offer(check: &str, intent_id: &str) -> Notice {
    Notice::new("intent-lesson").with("check", check).with("intent", bounded::line(intent_id, 60))
}

fn on_session_start(state: &mut IntentState, cx: Cx) -> Outcome {
    let facts = &cx.facts.intent;
    let mut declared = &facts.declared;
    let is_own =
        !matches!(declared.sidecar, Sidecar::NotAsked | Sidecar::NotDeclared | Sidecar::Absent);
    if let (false, Some(above)) = (is_own, facts.also.first()) {
        declared = &above.declared;
    }
    let refusal = match &declared.sidecar {
        Sidecar::NotAsked | Sidecar::NotDeclared | Sidecar::Absent => return Outcome::pass(),
        Sidecar::Missing(missing) => Some(missing.refuses("")),
        Sidecar::Broken(unreliable) => Some(unreliable.refuses("")),
        Sidecar::There => {
            declared.doubts.first().map(|doubt| doubt.refuses("", cx.session_id.as_str()))
        }
    };
    if is_own && !matches!(declared.sidecar, Sidecar::Missing(_)) {
        state.saw_sidecar();
    }
    if let Some(refusal) = refusal {
        return Outcome::pass().telling_user(format!(
            "roz: {} Until then every write is refused. {}",
            refusal.message,
            refusal.recovery.join(" ")
        ));
    }
    let mut outcome = Outcome::pass();
    if let Some(odd) = facts.odd.first() {
        let more = if facts.odd.len() > 1 { ", and more lines" } else { "" };
        outcome = outcome.telling_user(format!(
            "roz: `.intentignore`, {}{more} (`roz intent check`)",
            bounded::plain_line(&bounded::line(odd, 300))
        ));
    }
    let is_closed = |id: &str| declared.closed.iter().any(|(closed_id, _)| closed_id == id);
    let open: Vec<&Intent> =
        declared.catalogue.open().filter(|intent| !is_closed(&intent.id)).collect();
    let mut selected = String::new();
    if let Some(handshake) = &facts.handshake {
        // The conversation may have been compacted since.
        let id = bounded::line(&handshake.briefing.intent.id, 60);
        selected = format!("You are still working on {id}: its context follows.\n");
        outcome.briefing = Some(Box::new(handshake.briefing.clone()));
        state.told(None);
    }
    let notice = Notice::new("intent-protocol")
        .with("selected", selected)
        .with("open", briefing::listed(&open));
    outcome.telling_agent(notice)
}

/// Tells the agent once about the selected intent, unless the answer of the selecting call did, and
/// both the agent and the user about overlapping sessions.
fn told(state: &mut IntentState, event: &Event, mut outcome: Outcome, cx: Cx) -> Outcome {
    let Some(handshake) = &cx.facts.intent.handshake else { return outcome };
    let is_selected =
        state.selected().is_some_and(|selected| selected.intent_id == handshake.briefing.intent.id);
    if !is_selected {
        return outcome;
    }
    if !handshake.is_told {
        outcome.briefing = Some(Box::new(handshake.briefing.clone()));
    }
    let tells_user = state.told(event.origin.agent_id.as_deref());
    if handshake.overlaps.is_empty() {
        return outcome;
    }
    let overlaps = handshake.overlaps.join("; ");
    if tells_user {
        outcome = outcome.telling_user(format!("roz: {overlaps}."));
    }
    if !handshake.are_overlaps_told {
        outcome = outcome.telling_agent(Notice::new("intent-overlap").with("overlaps", overlaps));
    }
    outcome
}

#[cfg(test)]
mod tests;
