//! What has to be looked up for the intent gate.

use crate::core::{
    event::{Event, Sender, Source, What},
    policy::{Auto, Lifetime, Policy},
    session::Session,
    tool::REVIEWER,
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntentNeeds {
    pub look: Look,
    pub briefing: Option<BriefingNeed>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Look {
    /// The gate is off or does not handle the event.
    #[default]
    Nothing,
    IsDeclared,
    /// Also what a call writes, has shown or has changed.
    Declared,
}

/// An intent that the agent may have to be told about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefingNeed {
    pub intent_id: String,
    /// Also other sessions with overlapping scopes; not at the start of a conversation.
    pub overlaps: bool,
}

pub fn needs(session: &Session, event: &Event, policy: &Policy) -> IntentNeeds {
    if policy.intent.enabled == Auto::Off {
        return IntentNeeds::default();
    }
    let look = match &event.what {
        What::SessionStart { .. } | What::PreToolUse(_) | What::PostToolUse { .. } => {
            Look::Declared
        }
        What::Prompt { sender: Sender::User, .. } => Look::IsDeclared,
        What::Prompt { .. }
        | What::SubagentStart { .. }
        | What::SubagentStop { .. }
        | What::Stop(_)
        | What::TaskCompleted { .. }
        | What::SessionEnd { .. } => Look::Nothing,
    };
    IntentNeeds { look, briefing: briefing(session, event, policy) }
}

fn briefing(session: &Session, event: &Event, policy: &Policy) -> Option<BriefingNeed> {
    let state = &session.intent;
    let selected = || state.selected().map(|selected| selected.intent_id.as_str());
    let is_main = event.origin.agent_id.is_none();
    let owed = || state.owed().filter(|_| is_main);
    let (intent_id, overlaps) = match &event.what {
        // The next prompt shows it.
        What::SessionStart { source: Source::Resume }
            if policy.intent.lifetime == Lifetime::Turn =>
        {
            return None;
        }
        What::SessionStart { .. } => (selected()?, false),
        // A subagent works on the intent of the agent that started it.
        What::SubagentStart { agent_type, .. } if agent_type != REVIEWER => (selected()?, false),
        What::PostToolUse { call, succeeded } => {
            let selects = call.tool_use_id.as_deref().and_then(|id| state.would_select(id));
            (selects.filter(|_| *succeeded).or_else(owed)?, true)
        }
        What::Prompt { .. } => (owed()?, true),
        What::PreToolUse(_)
        | What::SubagentStart { .. }
        | What::SubagentStop { .. }
        | What::Stop(_)
        | What::TaskCompleted { .. }
        | What::SessionEnd { .. } => return None,
    };
    Some(BriefingNeed { intent_id: intent_id.to_owned(), overlaps })
}
