//! What has to be looked up for the review gate.

use super::{needs_work_at_stop, phase::Phase};
use crate::core::{
    event::{Event, Sender, Source, What},
    policy::{Mode, Policy},
    prompt::{self, Command},
    session::Session,
    tool::{REVIEWER, is_reviewer_name},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewNeed {
    /// All work trees of the session, compared with their approvals.
    Works,
    WorkHere,
    GatedWork,
    /// Of a reviewer that is launched or starts: where it looks, and what may take its place.
    Reviewer,
    OpenElsewhere,
    Shown,
    ReviewerChanges,
}

pub fn needs(session: &Session, event: &Event, policy: &Policy) -> Vec<ReviewNeed> {
    let agent = event.origin.agent_id.as_deref();
    let is_by_reviewer = agent.is_some_and(|id| session.review.has_token(id));
    let needs = match &event.what {
        What::SessionStart { source } => {
            vec![(*source == Source::Fork, ReviewNeed::OpenElsewhere)]
        }
        What::Prompt { text, sender: Sender::User } => {
            let approves = matches!(prompt::command(text), Some(Command::Approve(_)));
            let is_always = policy.review.mode == Mode::Always;
            let opens = is_always && !session.review.phase().is_open();
            vec![(approves || opens, ReviewNeed::Works)]
        }
        What::PreToolUse(call) => {
            let is_launch = call.launches().is_some_and(is_reviewer_name);
            let is_approved = session.review.phase() == Phase::Approved;
            vec![
                (true, ReviewNeed::GatedWork),
                (is_launch, ReviewNeed::Reviewer),
                (is_launch && is_approved, ReviewNeed::WorkHere),
                (is_by_reviewer, ReviewNeed::ReviewerChanges),
            ]
        }
        What::PostToolUse { .. } => vec![(is_by_reviewer, ReviewNeed::Shown)],
        What::Stop(_) => {
            vec![(needs_work_at_stop(&session.review, &policy.review), ReviewNeed::Works)]
        }
        What::SubagentStart { agent_type, .. } if agent_type == REVIEWER => {
            vec![(true, ReviewNeed::Reviewer), (true, ReviewNeed::Works)]
        }
        What::Prompt { .. }
        | What::SubagentStart { .. }
        | What::SubagentStop { .. }
        | What::TaskCompleted { .. }
        | What::SessionEnd { .. } => Vec::new(),
    };
    needs.into_iter().filter_map(|(is_needed, need)| is_needed.then_some(need)).collect()
}
