//! What has to be looked up for the reflection gate.

use super::{may_hold_stop, uses_tasks};
use crate::core::{
    event::{Event, Sender, What},
    policy::{Auto, Decider, Policy},
    session::Session,
    tool::Tool,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReflectionNeed {
    /// The tickets that the call would close. Where it closes none, nothing else is looked at.
    Closings,
    /// Whether the gate is on in the session; the rest only if it is.
    IsOn,
    /// The ticket in progress, and other sessions that owe a reflection.
    Beginning,
    /// The work tree, where the session has not looked at it yet.
    Baseline,
    Diff,
    /// Learnings that are relevant now.
    Learnings(Occasion),
}

/// What learnings are looked up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    Beginning,
    Prompt,
    /// A command that has failed.
    Failure,
    /// A call that may be refused for the same reason as the one before. Whether it is, the gates
    /// say later.
    Refusal,
}

pub fn needs(session: &Session, event: &Event, policy: &Policy) -> Vec<ReflectionNeed> {
    use ReflectionNeed::{Baseline, Beginning, Closings, Diff, IsOn, Learnings};
    if policy.reflection.enabled == Auto::Off {
        return Vec::new();
    }
    // Subagents are never held: what a hold would be about is not looked at.
    let by_subagent = event.origin.agent_id.is_some();
    let state = &session.reflection;
    let is_new = state.baseline().is_none();
    let needs = match &event.what {
        What::SessionStart { .. } => vec![
            (true, IsOn),
            (true, Beginning),
            (is_new, Baseline),
            (true, Learnings(Occasion::Beginning)),
        ],
        What::Prompt { sender: Sender::User, .. } => vec![
            (true, IsOn),
            (is_new, Baseline),
            (policy.retrieval.on_prompt, Learnings(Occasion::Prompt)),
        ],
        What::PreToolUse(call) => {
            let only_looks = matches!(call.tool, Tool::Read { .. } | Tool::Search { .. });
            let may_repeat = !by_subagent && !only_looks && state.refused().is_some();
            vec![(may_repeat, Learnings(Occasion::Refusal)), (true, Closings), (true, IsOn)]
        }
        What::PostToolUse { call, succeeded: true } => {
            vec![(uses_tasks(call) && !state.uses_tasks(), IsOn)]
        }
        What::PostToolUse { call, succeeded: false } => {
            let is_command = call.command_lines().next().is_some();
            vec![(!by_subagent && is_command, Learnings(Occasion::Failure))]
        }
        What::Stop(_) => {
            let may_hold = !by_subagent && may_hold(session);
            vec![(may_hold, IsOn), (may_hold, Diff)]
        }
        What::TaskCompleted { .. } => {
            let decides = policy.gate.auto_skip.decider == Decider::Always && !by_subagent;
            vec![(true, IsOn), (decides, Diff)]
        }
        What::Prompt { .. }
        | What::SubagentStart { .. }
        | What::SubagentStop { .. }
        | What::SessionEnd { .. } => Vec::new(),
    };
    needs.into_iter().filter_map(|(is_needed, need)| is_needed.then_some(need)).collect()
}

/// Whether the gate could hold a stop. One that the review gate holds pays for nobody's git.
fn may_hold(session: &Session) -> bool {
    !session.review.phase().is_open() && may_hold_stop(&session.reflection)
}
