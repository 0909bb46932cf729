//! Implements [`Gate`] for the review gate: decisions and status.

use super::{decide, phase::Phase, state::GIVEN_UP};
use crate::core::{
    Cx,
    event::Event,
    gate::{Gate, Project, Status, line},
    needs::Needs,
    outcome::Outcome,
    policy::{Mode, Policy},
    session::Session,
};

pub struct ReviewGate;

impl Gate for ReviewGate {
    fn name(&self) -> &'static str {
        "review"
    }

    fn needs(&self, session: &Session, event: &Event, policy: &Policy, needs: &mut Needs) {
        needs.review = super::needs::needs(session, event, policy);
    }

    fn decide(&self, session: &mut Session, event: &Event, cx: Cx) -> Outcome {
        decide(&mut session.review, event, cx)
    }

    fn status(&self, session: Option<&Session>, _: &Project, policy: &Policy) -> Status {
        const AGAIN: &str = "the agent fixes it and starts the reviewer `roz:roz` again";
        let on = policy.review.mode != Mode::Never;
        let phase = session.map_or(Phase::Idle, |session| session.review.phase());
        let trigger = session.and_then(|session| session.review.trigger());
        let asked = trigger.map_or_else(
            || "a reviewer's approval, which the user asked for".to_owned(),
            |trigger| format!("a reviewer's approval, before `{}`", line(&trigger.pattern_matched)),
        );
        let is_given_up = phase == Phase::Idle
            && session.is_some_and(|session| session.review.breaker.is_tripped);
        let (waits_for, next) = match phase {
            Phase::Idle if is_given_up => (
                None,
                Some(format!(
                    "{GIVEN_UP}. Gated calls ask you; `#roz` in front of a prompt asks for a new one"
                )),
            ),
            Phase::Idle | Phase::Approved => (None, None),
            Phase::Pending => {
                (Some(asked), Some("the agent starts the reviewer `roz:roz`".to_owned()))
            }
            Phase::Reviewing => (
                Some("the reviewer, which is at work".to_owned()),
                Some("wait for its verdict".to_owned()),
            ),
            Phase::Issues { summary, .. } => {
                let finder = session.map_or("the reviewer", |session| session.review.finder());
                (Some(format!("what {finder} found: {}", line(summary))), Some(AGAIN.to_owned()))
            }
        };
        let state = if is_given_up { "given_up" } else { phase.word() };
        let in_short = (on && state != Phase::Idle.word())
            .then(|| format!("review {}", state.replace('_', " ")));
        Status { gate: self.name(), on, state, about: None, waits_for, next, in_short }
    }
}
