//! The input of a self-protection rule.

use super::{accesses::Accessed, protected_paths::Places};
use crate::core::{event::ToolCall, session::Session, session_id::SessionId};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProtectFacts {
    pub places: Places,
    /// Only paths that some rule could be about.
    pub accessed: Vec<Accessed>,
}

#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) session: &'a Session,
    pub(super) session_id: &'a SessionId,
    /// The subagent that makes the call.
    pub(super) agent: Option<&'a str>,
    pub(super) call: &'a ToolCall<'a>,
    pub(super) facts: &'a ProtectFacts,
}
