//! What the client takes for an answer. Every reply that a test provokes is
//! held against this: a field that an event does not know makes the client
//! throw the whole reply away.

use std::process::Output;

use roz::hooks::Hook;
use serde_json::Value;

/// In characters.
const MAX_STRING: usize = 10_000;
const MAX_REASON: usize = 1_500;

/// The reply, if it is one. `hook` is none for events that reach no gate.
#[track_caller]
pub(crate) fn check(hook: Option<Hook>, output: &Output) -> Value {
    let (stdout, stderr) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
    let text = str::from_utf8(stdout).expect("stdout is text");
    let line = text.strip_suffix('\n').unwrap_or_else(|| panic!("no line: {text:?} {stderr}"));
    assert!(!line.contains('\n'), "more than one line: {text:?}");
    let reply: Value = serde_json::from_str(line).expect("stdout is JSON");
    match output.status.code() {
        Some(0) => {
            let is_ours = |it: &str| it.starts_with("roz: warning: ");
            assert!(stderr.lines().all(is_ours), "stderr: {stderr:?}");
        }
        Some(2) => {
            assert_eq!(hook, Some(Hook::TaskCompleted), "exit code 2: {stderr}");
            assert_eq!(line, "{}");
            assert_ne!(stderr, "");
        }
        code => panic!("exit code {code:?}: {stderr}"),
    }
    check_json(hook, &reply);
    reply
}

#[track_caller]
pub(crate) fn check_json(hook: Option<Hook>, reply: &Value) {
    let complaint = complaint(hook, reply);
    let shown: String = reply.to_string().chars().take(2000).collect();
    assert_eq!(complaint, None, "as the answer to {hook:?}: {shown}");
}

/// Whether it is an answer to some event.
pub(crate) fn fits_any(reply: &Value) -> bool {
    Hook::ALL.into_iter().any(|it| complaint(Some(it), reply).is_none())
}

fn complaint(hook: Option<Hook>, reply: &Value) -> Option<String> {
    let Some(fields) = reply.as_object() else { return Some("no object".into()) };
    let Some(hook) = hook else {
        return (!fields.is_empty()).then(|| "an answer to no event of ours".into());
    };
    for (name, value) in fields {
        let fits = match name.as_str() {
            "decision" => blocks(hook) && value == "block" && fields.contains_key("reason"),
            "reason" => is_reason(value) && fields.contains_key("decision"),
            "systemMessage" => value.as_str().is_some_and(|it| !it.is_empty()),
            "hookSpecificOutput" => specific_fits(hook, value),
            _ => false,
        };
        if !fits {
            return Some(format!("`{name}` does not fit"));
        }
    }
    longest(reply).filter(|it| *it > MAX_STRING).map(|it| format!("a string of {it} characters"))
}

/// Events that take a `block`. A prompt may be blocked; roz never does.
fn blocks(hook: Hook) -> bool {
    matches!(hook, Hook::Stop | Hook::SubagentStop | Hook::PostToolUse)
}

fn specific_fits(hook: Hook, value: &Value) -> bool {
    let takes_context = matches!(
        hook,
        Hook::SessionStart
            | Hook::UserPrompt
            | Hook::PreToolUse
            | Hook::PostToolUse
            | Hook::PostToolUseFailure
            | Hook::SubagentStart
    );
    let Some(fields) = value.as_object() else { return false };
    let before_a_tool = hook == Hook::PreToolUse;
    fields["hookEventName"] == hook.name()
        && fields.len() > 1
        && fields.iter().all(|(name, value)| match name.as_str() {
            "hookEventName" => true,
            "additionalContext" => takes_context && value.is_string(),
            // An `allow` would skip the user's own permission prompt.
            "permissionDecision" => {
                before_a_tool
                    && (value == "deny" || value == "ask")
                    && fields.contains_key("permissionDecisionReason")
            }
            "permissionDecisionReason" => {
                fields.contains_key("permissionDecision") && is_reason(value)
            }
            "updatedInput" => {
                before_a_tool && value.is_object() && !fields.contains_key("permissionDecision")
            }
            _ => false,
        })
}

fn is_reason(value: &Value) -> bool {
    value.as_str().is_some_and(|it| !it.is_empty() && it.chars().count() <= MAX_REASON)
}

fn longest(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => items.iter().filter_map(longest).max(),
        Value::Object(fields) => fields.values().filter_map(longest).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The checker itself: what it must not let pass.
#[test]
fn the_contract_knows_a_bad_reply() {
    use serde_json::json;
    let pre = |fields: Value| {
        let mut specific = json!({ "hookEventName": "PreToolUse" });
        specific.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({ "hookSpecificOutput": specific })
    };
    let good = [
        (Hook::Stop, json!({})),
        (Hook::Stop, json!({ "decision": "block", "reason": "x", "systemMessage": "y" })),
        (
            Hook::PreToolUse,
            pre(json!({ "permissionDecision": "ask", "permissionDecisionReason": "x" })),
        ),
        (Hook::PreToolUse, pre(json!({ "updatedInput": { "a": 1 } }))),
    ];
    for (hook, reply) in good {
        assert_eq!(complaint(Some(hook), &reply), None, "{reply}");
    }
    let bad = [
        (Hook::Stop, json!([])),
        (Hook::Stop, json!({ "decision": "approve", "reason": "x" })),
        (Hook::Stop, json!({ "decision": "block" })),
        (Hook::Stop, json!({ "decision": "block", "reason": "x".repeat(1501) })),
        (Hook::Stop, json!({ "continue": true })),
        (Hook::Stop, json!({ "systemMessage": "x".repeat(10_001) })),
        (
            Hook::Stop,
            json!({ "hookSpecificOutput": { "hookEventName": "Stop", "additionalContext": "x" } }),
        ),
        (Hook::UserPrompt, json!({ "decision": "block", "reason": "x" })),
        (
            Hook::SessionStart,
            json!({ "hookSpecificOutput": { "hookEventName": "Stop", "additionalContext": "x" } }),
        ),
        (Hook::PreToolUse, json!({ "decision": "block", "reason": "x" })),
        (Hook::PreToolUse, pre(json!({}))),
        (
            Hook::PreToolUse,
            pre(json!({ "permissionDecision": "allow", "permissionDecisionReason": "x" })),
        ),
        (Hook::PreToolUse, pre(json!({ "permissionDecision": "deny" }))),
        (Hook::PostToolUse, pre(json!({ "additionalContext": "x" }))),
    ];
    for (hook, reply) in bad {
        assert!(complaint(Some(hook), &reply).is_some(), "{hook:?}: {reply}");
    }
    assert!(complaint(None, &json!({ "systemMessage": "x" })).is_some());
}
