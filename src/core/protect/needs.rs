//! What has to be looked up for self-protection. Calls that write nothing and run no code need no
//! disk access, unless a reviewer is at work.

use super::accesses::{Access, Act, accesses, act_of_tool};
use crate::{
    core::{
        event::{Event, ToolCall},
        mcp_paths,
        policy::Policy,
        session::Session,
        tool::Tool,
    },
    shell,
};

#[derive(Debug, PartialEq)]
pub struct ProtectNeeds {
    pub accesses: Vec<Access>,
    /// Looked up on demand, because there may be many folders and links.
    pub path: bool,
}

/// `None` if no rule could object.
pub fn needs(session: &Session, event: &Event, policy: &Policy) -> Option<ProtectNeeds> {
    let call = event.call().filter(|_| policy.protect.enabled)?;
    // Reads matter only if there is a reviewer.
    let has_reviewer = session.review.reviewer_ids().next().is_some();
    let mut accesses = accesses(call);
    accesses.extend(of_server(call, session));
    accesses.retain(|access| has_reviewer || access.act != Act::Read);
    let is_opaque = call.may_run_anything
        || !call.unread.is_empty()
        || matches!(call.tool, Tool::PowerShell { .. })
        || call.readings.iter().any(|reading| !reading.code.is_empty());
    if accesses.is_empty() && !is_opaque && !has_reviewer {
        return None;
    }
    let is_program = |access: &Access| {
        access.takes_away || shell::last_part(access.path.trim_end_matches('/')) == "roz"
    };
    let path = accesses.iter().any(is_program);
    Some(ProtectNeeds { accesses, path })
}

/// Paths in the input of a server's tool or of a newer client's. The server's folder is unknown, so
/// relative paths also count from the project.
fn of_server(call: &ToolCall, session: &Session) -> Vec<Access> {
    let is_servers = call.tool.is_mcp();
    if !is_servers && call.tool != Tool::Other {
        return Vec::new();
    }
    let act = act_of_tool(call);
    let mut found = Vec::new();
    for path in mcp_paths::named(&call.input) {
        if let Some(project) = &session.project
            && is_servers
            && !path.starts_with(['/', '~'])
        {
            found.push(Access::new(&project.join(&path).to_string_lossy(), act));
        }
        found.push(Access::new(&path, act));
    }
    found
}
