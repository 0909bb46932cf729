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
    /// Tickets that the call would close. If there are none, nothing else is looked up.
    Closings,
    IsOn,
    /// The ticket in progress, and other sessions whose reflection is due.
    Beginning,
    Baseline,
    Diff,
    Learnings(Occasion),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    Beginning,
    Prompt,
    /// A command that has failed.
    Failure,
    /// The call may be refused again for the same reason; only the gates know.
    Refusal,
}

pub fn needs(session: &Session, event: &Event, policy: &Policy) -> Vec<ReflectionNeed> {
    use ReflectionNeed::{Baseline, Beginning, Closings, Diff, IsOn, Learnings};
    if policy.reflection.enabled == Auto::Off {
        return Vec::new();
    }
    // Subagents are never held.
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

/// If the review gate holds the stop, no git command is needed here.
fn may_hold(session: &Session) -> bool {
    !session.review.phase().is_open() && may_hold_stop(&session.reflection)
}
