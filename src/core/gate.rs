//! What a gate is to everybody else: it decides about an event, and says where it stands. A new
//! gate is a folder of its own and a line in [`GATES`](super::GATES); a field in `Session` if it
//! has state, in `Policy` if it has settings, in `Facts` if it has to know what is on the disk.
//! Self-protection is asked before all gates, and is not a gate itself.

use serde::Serialize;

use super::{
    Cx, bounded,
    event::Event,
    needs::Needs,
    outcome::{Notice, Outcome},
    policy::Policy,
    session::Session,
};

pub trait Gate: Sync {
    fn name(&self) -> &'static str;

    /// Adds what has to be looked up for `decide`: nothing for a gate that knows enough.
    fn needs(&self, _session: &Session, _event: &Event, _policy: &Policy, _needs: &mut Needs) {}

    /// Decides about an event. A gate behind one that objects never sees it.
    fn decide(&self, session: &mut Session, event: &Event, cx: Cx) -> Outcome;

    /// Where the gate stands. Without a session nothing has happened yet.
    fn status(&self, session: Option<&Session>, project: &Project, policy: &Policy) -> Status;
}

/// Where a gate stands: `{"gate", "on", "state", "about", "waits_for", "next"}`. Every verb that tells it
/// takes it from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    pub gate: &'static str,
    pub on: bool,
    pub state: &'static str,
    /// What the state is about, such as the selected intent.
    pub about: Option<String>,
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

/// Tells an agent whose conversation has forgotten it what a gate waits for. Gates that tell it in words
/// of their own need no such reminder.
pub fn reminder(status: Status) -> Option<Notice> {
    let notice = Notice::new("waiting")
        .with("gate", status.gate)
        .with("waits_for", status.waits_for.filter(|_| status.on)?)
        .with("next", status.next.unwrap_or_default());
    Some(notice)
}

/// A text of somebody's, in a line of a status.
pub fn line(text: &str) -> String {
    bounded::plain_line(&bounded::line(text, 100))
}
