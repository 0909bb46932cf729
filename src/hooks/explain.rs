//! Predicts what the gates would do with a call, without a client and without changing a session.

use std::collections::BTreeSet;

use super::{
    Around, Input,
    gather::{self, Lookup},
    read_call, reflection_facts, repositories,
};
use crate::{
    clients,
    core::{
        self, Cx,
        event::{Event, Origin, ToolCall, What},
        intent::{self, call_checks::Caller, gate::IntentGate},
        protect::{self, Objection},
        reflection::tickets::Closing,
        review::gated_calls,
        session::Session,
        trace::Mark,
    },
    open::Roz,
    shell::Reading,
    world::World,
};

const MAX_KEYS: usize = 64;

const ANYTHING: &str = "what could not be read";

#[derive(Debug)]
pub struct Explained {
    pub readings: Vec<Reading>,
    pub keys: Vec<String>,
    /// It could not be read completely, so every gate on commands covers it.
    pub may_run_anything: bool,
    /// (pattern, key that it matches)
    pub gates: Vec<(String, String)>,
    pub rules: Vec<Objection>,
    pub intent: Option<Refused>,
    /// Empty unless the reflection gate is on.
    pub closes: Vec<Closing>,
}

#[derive(Debug)]
pub struct Refused {
    pub code: String,
    /// `deny` or `ask`.
    pub answer: &'static str,
    pub message: String,
}

/// `json` is the tool's input; the result is what the hook would decide in `session`.
pub fn explain(tool: &str, json: &str, session: &Session, roz: &Roz, world: &World) -> Explained {
    let client = clients::ALL[0];
    // If the call contains several calls, only the first is explained.
    let call = client.calls(tool, json).remove(0);
    let event = Event { origin: Origin::default(), what: What::PreToolUse(call) };
    let id = &session.session_id;
    let mut input = Input::of_call(event, json, id.clone(), &world.cwd);
    read_call(&mut input, roz, world);
    let needs = core::needs(&[&IntentGate], session, &input.event, &roz.policy);
    let look = Lookup { input: &input, session, roz, world };
    let facts = gather::facts(needs, &Around::default(), look);
    let event = input.event;
    let dice = [0; 32];
    let cx = Cx { now: world.now, dice: &dice, policy: &roz.policy, facts: &facts, session_id: id };
    let rules = if roz.policy.protect.enabled {
        protect::objections(session, &event, cx).collect()
    } else {
        Vec::new()
    };
    let mut state = session.intent.clone();
    let intent = intent::decide(&mut state, &event, Caller::Agent, cx);
    let intent = intent.trace.iter().find_map(|mark| match mark {
        Mark::IntentRefused { code, answer, subject } => {
            Some(Refused { code: code.clone(), answer, message: subject.clone() })
        }
        _ => None,
    });
    let What::PreToolUse(call) = event.what else { unreachable!("it is made above") };
    let closes = if reflection_facts::is_on(session, roz, &world.cwd) {
        reflection_facts::closings(&call, &world.cwd, roz, world)
    } else {
        Vec::new()
    };
    let elsewhere = repositories::gates_elsewhere(&call, &world.cwd, &roz.project, world);
    let gates = gated_calls::gated(&roz.policy.review, &elsewhere, &call).into_iter();
    let gates = gates
        .map(|gated| (gated.pattern.to_owned(), gated.key.unwrap_or_else(|| ANYTHING.to_owned())))
        .collect();
    // An unreadable line has a key for each of its words, too many to print.
    let mut seen = BTreeSet::new();
    let keys = call.keys().iter().filter(|key| seen.insert(key.as_str()));
    let keys = keys.take(MAX_KEYS).cloned().collect();
    let ToolCall { readings, may_run_anything, .. } = call;
    Explained { readings, keys, may_run_anything, gates, rules, intent, closes }
}
