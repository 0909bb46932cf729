//! What a rule gets to see.

use super::{accesses::Accessed, places::Places};
use crate::core::{event::ToolCall, session::Session, session_id::SessionId};

/// What is there, and which of it a call is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProtectFacts {
    pub places: Places,
    /// What the call does to paths that any rule could be about.
    pub accessed: Vec<Accessed>,
}

/// What a rule gets to see.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) session: &'a Session,
    pub(super) session_id: &'a SessionId,
    /// The subagent whose call it is.
    pub(super) agent: Option<&'a str>,
    pub(super) call: &'a ToolCall<'a>,
    pub(super) facts: &'a ProtectFacts,
}
