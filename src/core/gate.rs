//! The interface of a gate: it decides about events and reports its status. A new gate is a folder
//! of its own and a line in [`GATES`](super::GATES); a field in `Session` if it has state, in
//! `Policy` if it has settings, in `Facts` if it needs something from the disk. Self-protection
//! runs before all gates and is not a gate itself.

use serde::Serialize;

use super::{
    Cx, bounded, event::Event, needs::Needs, outcome::Outcome, policy::Policy, session::Session,
};

pub trait Gate: Sync {
    fn name(&self) -> &'static str;

    /// Adds what has to be looked up for `decide`.
    fn needs(&self, _session: &Session, _event: &Event, _policy: &Policy, _needs: &mut Needs) {}

    /// Not called if an earlier gate objects.
    fn decide(&self, session: &mut Session, event: &Event, cx: Cx) -> Outcome;

    /// `session` is `None` before the first event.
    fn status(&self, session: Option<&Session>, project: &Project, policy: &Policy) -> Status;
}

/// `{"gate", "on", "state", "about", "waits_for", "next"}`, the same in every command that prints
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    pub gate: &'static str,
    pub on: bool,
    pub state: &'static str,
    /// For example the selected intent.
    pub about: Option<String>,
    /// What the agent has to do before it can finish; `None`: nothing.
    pub waits_for: Option<String>,
    pub next: Option<String>,
    /// For a status line; `None` if there is nothing to say.
    #[serde(skip)]
    pub in_short: Option<String>,
}

/// Project settings that do not depend on the session.
#[derive(Debug, Clone, Default)]
pub struct Project {
    pub reflection: bool,
    /// The declared intents, or why they cannot be used; `None` where the gate is off.
    pub intent: Option<Result<Vec<String>, String>>,
}

/// In the order in which an agent meets the gates.
pub fn statuses(
    gates: &[&dyn Gate],
    session: Option<&Session>,
    project: &Project,
    policy: &Policy,
) -> Vec<Status> {
    gates.iter().map(|gate| gate.status(session, project, policy)).collect()
}

pub fn line(text: &str) -> String {
    bounded::plain_line(&bounded::line(text, 100))
}
