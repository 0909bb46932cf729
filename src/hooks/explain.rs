//! What the gates would make of a call, without a client and without a word in
//! any session.

use std::collections::BTreeSet;

use super::{Around, Input, protect_facts_and_aims, read_call, reflection_facts, repositories};
use crate::{
    clients,
    core::{
        Cx,
        event::{Beyond, Event, Origin, ToolCall, What},
        facts::Facts,
        intent::{self, gate::Caller},
        protect::{self, Objection},
        reflection::tickets::Closing,
        review::patterns,
        session::Session,
        trace::Mark,
    },
    open::Roz,
    shell::Reading,
    world::World,
};

/// So many keys are shown.
const MAX_KEYS: usize = 64;

/// What a gate covers of a call that was not read to the end.
const ANYTHING: &str = "what could not be read";

/// A call as it is read, and what would object to it.
#[derive(Debug)]
pub struct Explained {
    pub readings: Vec<Reading>,
    /// What gate patterns are matched against.
    pub keys: Vec<String>,
    /// It could not be read to the end, so every gate on commands covers it.
    pub beyond: Option<Beyond>,
    /// The gates' patterns that cover the call, each with the key that it
    /// covers.
    pub gates: Vec<(String, String)>,
    pub rules: Vec<Objection>,
    /// What the intent gate has against it.
    pub intent: Option<Refused>,
    /// The tickets that it closes, where something is to be learned from them.
    pub closes: Vec<Closing>,
}

/// What the intent gate answers.
#[derive(Debug)]
pub struct Refused {
    pub code: &'static str,
    /// `deny` or `ask`.
    pub answer: &'static str,
    pub message: String,
}

/// Reads a call of `tool` with this input (JSON), as the hook before it would
/// in `session`.
pub fn explain(tool: &str, json: &str, session: &Session, roz: &Roz, world: &World) -> Explained {
    let client = clients::ALL[0];
    // Of a call that holds several, the first is explained.
    let call = client.calls(tool, json).remove(0);
    let mut event = Event { origin: Origin::default(), what: What::PreToolUse(call) };
    let id = &session.session_id;
    read_call(&mut event, id, &world.cwd, roz, world);
    let input = Input::of_call(event, json, id.clone(), &world.cwd);
    let (protect, intent) = protect_facts_and_aims(&input, &Around::default(), session, roz, world);
    let event = input.event;
    let facts = Facts { protect, intent, ..Facts::default() };
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
            Some(Refused { code, answer, message: subject.clone() })
        }
        _ => None,
    });
    let What::PreToolUse(call) = event.what else { unreachable!("it is made above") };
    let mut seen = BTreeSet::new();
    let all = call.keys().iter().filter(|it| seen.insert(it.as_str()));
    let all: Vec<&String> = all.collect();
    let closes = if reflection_facts::is_on(session, roz, &world.cwd) {
        reflection_facts::closings(&call, &world.cwd, roz, world)
    } else {
        Vec::new()
    };
    let own = patterns::covering(&roz.policy.review.gates, &call);
    let elsewhere = repositories::gates_elsewhere(&call, &world.cwd, &roz.project, world);
    let others = elsewhere
        .iter()
        .flat_map(|other| patterns::covering_runs(&other.gates, &call, &other.runs));
    let gates = own
        .into_iter()
        .chain(others)
        .map(|it| (it.pattern.to_owned(), it.key.unwrap_or_else(|| ANYTHING.to_owned())))
        .collect();
    // Of what could not be read, the words from each place on are keys: too many to show.
    let keys = all.into_iter().take(MAX_KEYS).cloned().collect();
    let ToolCall { readings, beyond, .. } = call;
    Explained { readings, keys, beyond, gates, rules, intent, closes }
}
