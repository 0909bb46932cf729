//! What a gate is to everybody else: it decides about an event, and says where it stands. A new
//! gate is a folder of its own and a line in [`GATES`](super::GATES); a field in `Session` if it
//! has state, in `Policy` if it has settings, in `Facts` if it has to know what is on the disk.
//! Self-protection is asked before all gates, and is not a gate itself.

use serde::Serialize;

use super::{Cx, bounded, event::Event, outcome::Outcome, policy::Policy, session::Session};

pub trait Gate: Sync {
    fn name(&self) -> &'static str;

    /// Decides about an event. A gate behind one that objects never sees it.
    fn decide(&self, session: &mut Session, event: &Event, cx: Cx) -> Outcome;

    /// Where the gate stands. Without a session nothing has happened yet.
    fn status(&self, session: Option<&Session>, project: &Project, policy: &Policy) -> Status;
}

/// Where a gate stands: `{"gate", "on", "state", "waits_for", "next"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    pub gate: &'static str,
    pub on: bool,
    /// As `roz list` has it.
    pub state: String,
    /// What the agent cannot finish without; none: it may go on.
    pub waits_for: Option<String>,
    pub next: Option<String>,
    /// For a status line, where there is something to say.
    #[serde(skip)]
    pub in_short: Option<String>,
}

/// What a project wants, whatever the session.
#[derive(Debug, Clone, Default)]
pub struct Project {
    pub reflection: bool,
    /// Switched on, and whether what is declared can be relied on.
    pub intent: Option<Result<Vec<String>, String>>,
}

/// Where each gate stands, in the order in which an agent meets them.
pub fn statuses(
    gates: &[&dyn Gate],
    session: Option<&Session>,
    project: &Project,
    policy: &Policy,
) -> Vec<Status> {
    gates.iter().map(|gate| gate.status(session, project, policy)).collect()
}

/// A text of somebody's, in a line of a status.
pub fn line(text: &str) -> String {
    bounded::plain_line(&bounded::line(text, 100))
}
