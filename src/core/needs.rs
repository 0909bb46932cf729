//! What has to be looked up about an event for the review gate and at a session's start. What the
//! other gates need, `hooks` still says itself: `protect_facts`, `intent_facts`, `reflection_facts`.

use super::{
    event::{Event, Sender, Source, What},
    policy::{Mode, Policy},
    prompt::{self, Command},
    review::{self, phase::Phase},
    session::Session,
    tool::{REVIEWER, is_reviewer_name},
};

/// One thing to look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The work of every work tree of the session, beside what was approved of it.
    Works,
    /// The work of the current folder.
    WorkHere,
    /// The work that a gated call carries.
    GatedWork,
    /// The work trees of the session.
    Roots,
    /// The programs that can give a second opinion.
    SecondOpinions,
    /// The files that are dirty as the session begins.
    Dirty(Source),
    /// Other sessions of this project with an open review.
    OpenElsewhere,
    /// An agent file that bears the reviewer's name.
    Shadow,
    /// What a reviewer was shown.
    Shown,
    /// What a reviewer would change.
    ReviewerChanges,
}

pub fn needs(event: &Event, session: &Session, policy: &Policy) -> Vec<Need> {
    let agent = event.origin.agent_id.as_deref();
    let is_by_reviewer = agent.is_some_and(|id| session.review.has_token(id));
    let needs = match &event.what {
        What::SessionStart { source } => vec![
            (true, Need::SecondOpinions),
            (session.trace.seq == 0, Need::Dirty(*source)),
            (*source == Source::Fork, Need::OpenElsewhere),
        ],
        What::Prompt { text, sender: Sender::User } => {
            let approves = matches!(prompt::command(text), Some(Command::Approve(_)));
            let is_always = policy.review.mode == Mode::Always;
            let opens = is_always && !session.review.phase().is_open();
            vec![(approves || opens, Need::Works)]
        }
        What::PreToolUse(call) => {
            let is_launch = call.launches().is_some_and(is_reviewer_name);
            let is_approved = session.review.phase() == Phase::Approved;
            vec![
                (true, Need::GatedWork),
                (is_launch, Need::Roots),
                (is_launch && is_approved, Need::WorkHere),
                (is_by_reviewer, Need::ReviewerChanges),
            ]
        }
        What::PostToolUse { .. } => vec![(is_by_reviewer, Need::Shown)],
        What::Stop(_) => {
            vec![(review::needs_work_at_stop(&session.review, &policy.review), Need::Works)]
        }
        What::SubagentStart { agent_type, .. } if agent_type == REVIEWER => vec![
            (true, Need::SecondOpinions),
            (true, Need::Shadow),
            (true, Need::Roots),
            (true, Need::Works),
        ],
        What::Prompt { .. }
        | What::SubagentStart { .. }
        | What::SubagentStop { .. }
        | What::TaskCompleted { .. }
        | What::SessionEnd { .. } => Vec::new(),
    };
    needs.into_iter().filter_map(|(is_needed, need)| is_needed.then_some(need)).collect()
}
