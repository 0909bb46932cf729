//! The intent gate's checks before a tool runs, in this order: the class of the call, the intent,
//! the scope, stale files, a person's confirmation. A breaker limits repeated refusals.

mod check;

pub use self::check::is_write;
use self::check::{Check, Passed, is_way_back, normal};
use super::{
    check_commands,
    class::{self, Class, Known, Purpose},
    facts::{Aim, Sidecar},
    state::{InFlight, IntentState, Start},
};
use crate::core::{
    Cx, bounded,
    event::{Event, ToolCall},
    outcome::{Effect, Notice, Outcome},
    refusal::{Code, Refusal},
    trace::Mark,
};

/// The tool of roz's own server by which an intent is selected.
pub const SELECT: &str = "select_active_intent";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Agent,
    /// Runs tests, and changes nothing.
    Reviewer,
}

pub(super) fn on_tool(
    state: &mut IntentState,
    event: &Event,
    call: &ToolCall,
    caller: Caller,
    cx: Cx,
) -> Outcome {
    let facts = &cx.facts.intent;
    let is_governed = match facts.declared.sidecar {
        Sidecar::NotAsked | Sidecar::NotDeclared => false,
        Sidecar::Absent => state.had_sidecar(),
        Sidecar::There => {
            state.saw_sidecar();
            true
        }
        Sidecar::Broken(_) | Sidecar::Missing(_) => true,
    };
    if !is_governed && facts.also.is_empty() {
        return Outcome::pass();
    }
    let agent = event.origin.agent_id.as_deref();
    let check = Check::new(call, agent, cx);
    let refuse = |state: &mut IntentState, refusal: Refusal| {
        let target = refusal.file.clone().unwrap_or_else(|| check.target());
        refuse(state, refusal, &target)
    };
    if let Some(id) = selects(call) {
        let check = if is_governed { check } else { check.in_project(&facts.also[0]) };
        return match check.selectable(&id) {
            Ok(()) => {
                if let Some(call) = &call.tool_use_id {
                    state.selecting(call, &id);
                }
                Outcome::pass()
            }
            Err(refusal) => refuse(state, *refusal),
        };
    }
    let known = Known {
        overrides: &cx.policy.intent.classes,
        free: &facts.free,
        may_discard: check.may_discard(),
    };
    let judged = class::classify(call, known);
    if judged.class == Class::Safe {
        state.passed();
        for (path, hash) in &facts.seen {
            state.saw(agent, path, hash);
        }
        return keeping(facts.seen.iter().map(|(path, _)| path.clone()));
    }
    let start = facts.start.as_ref().map(|start| Start {
        seen: state.seen_so_far(),
        takes_back: is_way_back(state, call),
        ..start.clone()
    });
    // Checks and git commands that edit nothing need no intent; what they change is reported
    // afterwards.
    let needs_none = caller == Caller::Reviewer
        || judged.purpose != Purpose::Change
            && state.selected().is_none()
            && !check.wants_person(&judged);
    let flight =
        InFlight { at: cx.now, agent: agent.unwrap_or_default().to_owned(), ..InFlight::default() };
    if needs_none && check.writes().next().is_none() && judged.class < Class::Critical {
        if let (Some(id), Some(_)) = (&call.tool_use_id, &start) {
            state.runs(id, InFlight { start, ..flight });
        }
        return Outcome::pass();
    }
    let Passed { intent_id, scope, asks } = match check.judge_all(state, &judged, is_governed) {
        Ok(passed) => passed,
        Err(refusal) => return refuse(state, *refusal),
    };
    let written = || facts.targets.iter().filter(|aim| aim.is_tracked());
    let kept = written().filter(|aim| aim.hash.is_some());
    let kept = keeping(kept.map(Aim::path).chain(facts.unkept.iter().cloned()));
    let command = normal(call);
    let ttl = cx.policy.intent.hitl_ttl_seconds;
    let ask = asks.filter(|_| !state.is_approved(&intent_id, &command, ttl, cx.now));
    if let Some(id) = &call.tool_use_id {
        if is_governed {
            let flight = InFlight {
                intent_id: intent_id.clone(),
                before: written().map(|aim| (aim.path(), aim.hash.clone())).collect(),
                start: start.map(|start| Start { scope, ..start }),
                check: check_commands::of(call, &cx.policy.intent.checks),
                is_awaited: ask.is_some(),
                ..flight
            };
            state.allowed(id, flight);
        }
        if ask.is_some() {
            state.asked(id, &intent_id, &command);
        }
    }
    match ask {
        None => kept,
        Some(why) => asking(kept, why, call, &intent_id),
    }
}

fn asking(kept: Outcome, why: String, call: &ToolCall, intent_id: &str) -> Outcome {
    let refusal = Refusal::new(Code::HitlRequired, &call.name, why)
        .of_intent(intent_id)
        .recovery("A person has to say yes, or to run it at a terminal of their own.");
    Outcome { effects: kept.effects, ..Outcome::ask(words(&refusal)).marked(mark(&refusal, "ask")) }
}

fn mark(refusal: &Refusal, answer: &'static str) -> Mark {
    let subject = bounded::line(&refusal.message, 200);
    Mark::IntentRefused { code: refusal.code.to_string(), answer, subject }
}

/// Passes, and stores the text of these files.
fn keeping(paths: impl Iterator<Item = String>) -> Outcome {
    let paths: Vec<String> = paths.collect();
    if paths.is_empty() { Outcome::pass() } else { Outcome::pass().doing(Effect::Keep(paths)) }
}

/// The intent that a call to roz's own tool selects.
pub fn selects(call: &ToolCall) -> Option<String> {
    let is_it = call.tool.is_of_roz() && call.name.ends_with(SELECT);
    is_it.then(|| call.text("intent_id").unwrap_or_default().trim().to_owned())
}

fn words(refusal: &Refusal) -> Notice {
    Notice::new("intent")
        .with("words", refusal.message.clone())
        .with("recovery", refusal.recovery.join(" "))
        .with("json", refusal.json())
}

/// Refuses. From the third time on, the user is asked.
fn refuse(state: &mut IntentState, mut refusal: Refusal, target: &str) -> Outcome {
    let is_circuit = state.refused(refusal.code, target);
    if is_circuit {
        refusal.message = format!(
            "This is refused for the third time in a row ({}): {}",
            refusal.code, refusal.message
        );
        refusal.code = Code::CircuitOpen;
        refusal.recovery = vec!["Stop, and ask the user what to do.".to_owned()];
    }
    Outcome::object(words(&refusal)).marked(mark(&refusal, "deny"))
}
