//! Claude Code: its tools, and the JSON of the answers to it.

mod input_shapes;
pub(super) mod nested_calls;
mod tool_result;
pub(crate) mod tools;

use serde_json::json;

use super::{
    Capability, Hook,
    dialect::{CONTEXT, Dialect},
    fields,
    message::{Decision, Printed, Reply},
};
use crate::core::tool::REVIEWER;

pub(super) static CLAUDE: Dialect = Dialect {
    name: "claude",
    title: "Claude Code",
    capabilities: &Capability::ALL,
    stop_brake: Some(8),
    reviewer: REVIEWER,
    kept_at_launch: Some(&[]),
    context: CONTEXT,
    failed: fields::says_it_failed,
    result: tool_result::result,
    ..Dialect::LIKE_CLAUDE
};

/// How roz can object in a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    /// `permissionDecision`, before a tool runs.
    Permission,
    /// A `block` at the top level.
    Decision,
    /// Exit code 2, and the reason on stderr.
    ExitCode,
    /// Not at all.
    None,
}

fn channel(hook: Hook) -> Channel {
    match hook {
        Hook::PreToolUse => Channel::Permission,
        Hook::UserPrompt | Hook::PostToolUse | Hook::Stop | Hook::SubagentStop => Channel::Decision,
        Hook::TaskCompleted => Channel::ExitCode,
        Hook::SessionStart | Hook::PostToolUseFailure | Hook::SubagentStart | Hook::SessionEnd => {
            Channel::None
        }
    }
}

/// The JSON for stdout, without what this hook does not support: the client discards a reply that
/// does not match its schema. It never contains an explicit `allow`, which would skip the user's
/// own permission prompt.
pub(super) fn render(said: Reply, hook: Hook) -> Printed {
    let mut reply = json!({});
    let mut specific = json!({});
    match (channel(hook), &said.decision) {
        (Channel::Permission, Decision::Ask(reason)) => {
            specific["permissionDecision"] = "ask".into();
            specific["permissionDecisionReason"] = reason.as_str().into();
        }
        (Channel::Permission, Decision::Object(reason)) => {
            specific["permissionDecision"] = "deny".into();
            specific["permissionDecisionReason"] = reason.as_str().into();
        }
        (Channel::Decision, Decision::Object(reason)) => {
            reply["decision"] = "block".into();
            reply["reason"] = reason.as_str().into();
        }
        (Channel::ExitCode | Channel::None, _)
        | (Channel::Decision, Decision::Ask(_))
        | (_, Decision::None) => (),
    }
    if !said.context.is_empty() {
        specific["additionalContext"] = said.context.into();
    }
    if let Some(input) = said.updated_input
        && channel(hook) == Channel::Permission
        && said.decision == Decision::None
    {
        specific["updatedInput"] = input;
    }
    if specific.as_object().is_some_and(|fields| !fields.is_empty()) {
        specific["hookEventName"] = hook.name().into();
        reply["hookSpecificOutput"] = specific;
    }
    if !said.message.is_empty() {
        reply["systemMessage"] = said.message.into();
    }
    let refusal = match said.decision {
        Decision::Object(reason) if channel(hook) == Channel::ExitCode => Some(reason),
        _ => None,
    };
    Printed { stdout: reply, refusal }
}
