//! Implements [`Gate`] for the intent gate: decisions and status.

use super::{call_checks::Caller, decide};
use crate::core::{
    Cx,
    event::Event,
    gate::{Gate, Project, Status, line},
    needs::Needs,
    outcome::Outcome,
    policy::Policy,
    session::Session,
};

pub struct IntentGate;

impl Gate for IntentGate {
    fn name(&self) -> &'static str {
        "intent"
    }

    fn needs(&self, session: &Session, event: &Event, policy: &Policy, needs: &mut Needs) {
        needs.intent = super::needs::needs(session, event, policy);
    }

    fn decide(&self, session: &mut Session, event: &Event, cx: Cx) -> Outcome {
        let agent = event.origin.agent_id.as_deref();
        let is_reviewer = agent.is_some_and(|id| session.review.is_reviewer(id));
        let caller = if is_reviewer { Caller::Reviewer } else { Caller::Agent };
        decide(&mut session.intent, event, caller, cx)
    }

    fn status(&self, session: Option<&Session>, project: &Project, _: &Policy) -> Status {
        let selected = session.and_then(|session| session.intent.selected());
        let is_completed = selected.is_some_and(|selected| {
            matches!(&project.intent, Some(Ok(open)) if !open.contains(&selected.intent_id))
        });
        let selected = selected.filter(|_| !is_completed);
        let about = selected.map(|selected| line(&selected.intent_id));
        let on = project.intent.is_some();
        let state = match session {
            Some(session) if !is_completed => session.intent.word(),
            _ if on => "awaiting_intent_selection",
            _ => "off",
        };
        let in_short = on.then(|| about.clone().unwrap_or_else(|| "no intent".to_owned()));
        let status = |waits_for: Option<&str>, next: Option<String>| {
            let (gate, waits_for) = (self.name(), waits_for.map(str::to_owned));
            Status { gate, on, state, about, waits_for, next, in_short }
        };
        let open = match &project.intent {
            None => return status(None, None),
            Some(Err(problem)) => {
                let next = format!("fix it: {}", line(problem));
                return status(Some("a sidecar that can be read"), Some(next));
            }
            Some(Ok(open)) => open,
        };
        if selected.is_some() {
            return status(None, None);
        }
        let next = match open.as_slice() {
            [] => "declare what is worked on: `roz intent new`".to_owned(),
            [one] => format!("the agent selects it: {}", line(one)),
            many => format!("the agent selects one of {}", line(&many.join(", "))),
        };
        status(Some("an intent, before it may change anything"), Some(next))
    }
}
