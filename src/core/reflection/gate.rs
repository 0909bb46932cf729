//! Implements [`Gate`] for the reflection gate: decisions and status.

use super::{decide, state};
use crate::core::{
    Cx,
    event::Event,
    gate::{Gate, Project, Status, line},
    needs::Needs,
    outcome::Outcome,
    policy::Policy,
    session::Session,
};

pub struct ReflectionGate;

impl Gate for ReflectionGate {
    fn name(&self) -> &'static str {
        "reflection"
    }

    fn needs(&self, session: &Session, event: &Event, policy: &Policy, needs: &mut Needs) {
        needs.reflection = super::needs::needs(session, event, policy);
    }

    fn decide(&self, session: &mut Session, event: &Event, cx: Cx) -> Outcome {
        decide(&mut session.reflection, event, cx)
    }

    fn status(&self, session: Option<&Session>, project: &Project, _: &Policy) -> Status {
        let status = session.map_or(state::Status::Idle, |session| session.reflection.status());
        let closed = session.map(|session| session.reflection.closed()).unwrap_or_default();
        let of = match closed {
            [] => String::new(),
            tickets => format!(" at {}", line(&tickets.join(", "))),
        };
        let is_due = project.reflection && status.is_open();
        let in_short = (project.reflection && status != state::Status::Idle)
            .then(|| format!("reflection {}", status.word()));
        Status {
            gate: self.name(),
            on: project.reflection,
            state: status.word(),
            about: None,
            waits_for: is_due.then(|| format!("what was learned{of}")),
            next: is_due.then(|| "the agent runs `roz reflect`, or `roz skip REASON`".to_owned()),
            in_short,
        }
    }
}
