//! Implements [`Gate`] for the intent gate: its decision, and where it stands.

use super::{decide, gate::Caller};
use crate::core::{
    Cx,
    event::Event,
    gate::{Gate, Project, Status, line},
    outcome::Outcome,
    policy::Policy,
    session::Session,
};

pub struct IntentGate;

impl Gate for IntentGate {
    fn name(&self) -> &'static str {
        "intent"
    }

    fn decide(&self, session: &mut Session, event: &Event, cx: Cx) -> Outcome {
        let agent = event.origin.agent_id.as_deref();
        let is_reviewer = agent.is_some_and(|id| session.review.is_reviewer(id));
        let caller = if is_reviewer { Caller::Reviewer } else { Caller::Agent };
        decide(&mut session.intent, event, caller, cx)
    }

    fn status(&self, session: Option<&Session>, project: &Project, _: &Policy) -> Status {
        let status = |state: &str, waits_for: Option<&str>, next: Option<String>| Status {
            gate: self.name(),
            on: project.intent.is_some(),
            state: state.to_owned(),
            waits_for: waits_for.map(str::to_owned),
            next,
            in_short: project.intent.as_ref().map(|_| match state.split_once(' ') {
                Some((_, id)) => id.to_owned(),
                None => "no intent".to_owned(),
            }),
        };
        let state = session.map_or("awaiting_intent_selection", |it| it.intent.word());
        let open = match &project.intent {
            None => return status("idle", None, None),
            Some(Err(problem)) => {
                let next = format!("fix it: {}", line(problem));
                return status(state, Some("a sidecar that can be read"), Some(next));
            }
            Some(Ok(open)) => open,
        };
        if let Some(selected) = session.and_then(|it| it.intent.selected()) {
            return status(&format!("{state} {}", line(&selected.intent_id)), None, None);
        }
        let next = match open.as_slice() {
            [] => "declare what is worked on: `roz intent new`".to_owned(),
            [one] => format!("the agent selects it: {}", line(one)),
            many => format!("the agent selects one of {}", line(&many.join(", "))),
        };
        status(state, Some("an intent, before it may change anything"), Some(next))
    }
}
