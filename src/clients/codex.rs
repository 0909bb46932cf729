//! Codex CLI, as observed on 0.171.0. It ignores an answer with an unknown key and runs the call,
//! so answers have only these keys.

use serde_json::{Value, json};

use super::{
    Capability, Hook,
    dialect::{Dialect, Row},
    fields,
    message::{Decision, Printed, Reply},
    setup::{ABOUT, Hooks, Patience, Setup, instructions},
    tool_result,
};
use crate::core::tool::ToolResult;

pub(super) static CODEX: Dialect = Dialect {
    name: "codex",
    title: "OpenAI Codex CLI",
    capabilities: &[
        Capability::HoldStop,
        Capability::HoldSubagentStop,
        Capability::NameSubagents,
        Capability::NameCalls,
        Capability::BriefReviewer,
    ],
    tools: TOOLS,
    registered: &[
        Hook::SessionStart,
        Hook::UserPrompt,
        Hook::PreToolUse,
        Hook::PostToolUse,
        Hook::SubagentStart,
        Hook::SubagentStop,
        Hook::Stop,
        Hook::SessionEnd,
    ],
    recorded: &[
        (
            Hook::UserPrompt,
            include_str!("../../tests/payloads/codex/0.171.0/UserPromptSubmit.json"),
        ),
        (
            Hook::PreToolUse,
            include_str!("../../tests/payloads/codex/0.171.0/PreToolUse.Bash.echo-one.json"),
        ),
        (Hook::Stop, include_str!("../../tests/payloads/codex/0.171.0/Stop.json")),
    ],
    setup: Some(Setup {
        folder: ".codex",
        variable: Some("CODEX_HOME"),
        program: "codex",
        off: Some(("config.toml", "/features/hooks", false)),
        hooks: Hooks::Shared {
            file: "hooks.json",
            patience: Patience::Seconds(10),
            line: |_, line| line.to_owned(),
        },
        reviewer: ("agents/roz.toml", |_| {
            let instructions = instructions().replace("'''", "''");
            format!(
                "name = \"roz\"\ndescription = \"{ABOUT}\"\n\
                 developer_instructions = '''\n{instructions}'''\n"
            )
        }),
    }),
    project_reviewers: &[".codex/agents", ".codex/config.toml"],
    words: &[
        ("Agent tool (formerly Task)", "`spawn_agent` tool"),
        ("the Agent tool", "the `spawn_agent` tool"),
        ("Agent tool", "`spawn_agent` tool"),
        ("subagent_type", "agent_type"),
        (", run_in_background false", ""),
        ("- run_in_background: false\n", ""),
        ("- description: \"Review\"\n", ""),
        ("prompt \"Review", "message \"Review"),
        ("- prompt: ", "- message: "),
        ("use the AskUserQuestion tool instead of stopping", "ask in your answer"),
        ("use the AskUserQuestion tool", "end your turn with the question"),
    ],
    // This field contains only the output, without lines of the client.
    failed: fields::says_it_failed,
    result: |call, answer| ToolResult { exit_code: None, ..tool_result::result(call, answer) },
    recorded_exit_code,
    render,
    ..Dialect::LIKE_CLAUDE
};

const SPAWN: &[(&str, &str)] = &[("agent_type", "subagent_type"), ("message", "prompt")];
const MESSAGE: &[(&str, &str)] = &[("target", "to"), ("agent", "to"), ("id", "to")];

const TOOLS: &[Row] = &[
    ("spawn_agent", "Agent", SPAWN),
    ("collaborationspawn_agent", "Agent", SPAWN),
    ("collaborationsend_message", "SendMessage", MESSAGE),
    ("collaborationfollowup_task", "SendMessage", MESSAGE),
    ("multi_agent_v1send_input", "SendMessage", MESSAGE),
    ("collaborationwait_agent", "", &[]),
    ("collaborationlist_agents", "", &[]),
    ("collaborationinterrupt_agent", "", &[]),
    ("multi_agent_v1wait_agent", "", &[]),
    ("multi_agent_v1close_agent", "", &[]),
    ("view_image", "Read", &[("path", "file_path")]),
    ("create_goal", "", &[]),
    ("get_goal", "", &[]),
    ("update_goal", "", &[]),
    ("update_plan", "", &[]),
];

fn render(said: Reply, hook: Hook) -> Printed {
    let event = hook.name();
    let stdout = match (hook, said.decision) {
        (Hook::PreToolUse, Decision::Object(reason) | Decision::Ask(reason)) => json!({
            "hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            },
        }),
        (
            Hook::UserPrompt | Hook::PostToolUse | Hook::Stop | Hook::SubagentStop,
            Decision::Object(reason),
        ) => json!({ "decision": "block", "reason": reason }),
        _ if said.context.is_empty() => Value::Object(serde_json::Map::new()),
        _ => json!({
            "hookSpecificOutput": { "hookEventName": event, "additionalContext": said.context },
        }),
    };
    Printed { stdout, refusal: None }
}

/// The exit code of a call, from a line of the transcript, because the payload does not contain it.
/// The line is written before the event (observed eight times out of eight); if it is missing, the
/// code is unknown.
fn recorded_exit_code(line: &str, tool_use_id: &str) -> Option<i32> {
    if !line.contains(tool_use_id) || !line.contains("exit_code") {
        return None;
    }
    let line: Value = serde_json::from_str(line).ok()?;
    let item = line.get("payload")?.get("item")?;
    let is_it = item.get("id")?.as_str()? == tool_use_id;
    is_it.then(|| item.get("exit_code")?.as_i64()?.try_into().ok())?
}
