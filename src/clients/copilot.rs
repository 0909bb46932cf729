//! GitHub Copilot CLI, as observed on 1.0.102 with Claude Code's event names. Tools have Copilot's
//! own names and fields, and answers are flat. A hook that exits with anything but 0 denies the
//! call.

use serde_json::json;

use super::{
    Capability, Hook,
    dialect::{Dialect, Row},
    envelope::Payload,
    message::{Decision, Printed, Reply},
    setup::{ABOUT, Hooks, Setup, instructions, own_file, reviewer_file},
};

pub(super) static COPILOT: Dialect = Dialect {
    name: "copilot",
    title: "GitHub Copilot CLI",
    capabilities: &[
        Capability::HoldStop,
        Capability::HoldSubagentStop,
        Capability::NameSubagents,
        Capability::BriefReviewer,
        Capability::ReplaceInput,
        Capability::ExitCodes,
    ],
    stop_brake: Some(8),
    fields: &[
        ("sessionId", "session_id"),
        ("transcriptPath", "transcript_path"),
        ("parent_agent_id", "parent_session"),
        ("tool_result", "tool_response"),
    ],
    tools: TOOLS,
    recorded: &[
        (
            Hook::UserPrompt,
            include_str!("../../tests/payloads/copilot/1.0.102/UserPromptSubmit.json"),
        ),
        (
            Hook::PreToolUse,
            include_str!("../../tests/payloads/copilot/1.0.102/PreToolUse.Bash.echo-one.json"),
        ),
        (Hook::Stop, include_str!("../../tests/payloads/copilot/1.0.102/Stop.json")),
    ],
    setup: Some(Setup {
        folder: ".copilot",
        variable: None,
        program: "copilot",
        off: None,
        hooks: Hooks::Own { file: "hooks/roz.json", text: own_file },
        reviewer: ("agents/roz.agent.md", |_| {
            reviewer_file(&format!("name: roz\ndescription: {ABOUT}\n"), instructions())
        }),
    }),
    words: &[
        ("Agent tool (formerly Task)", "`task` tool"),
        ("the Agent tool", "the `task` tool"),
        ("Agent tool", "`task` tool"),
        ("subagent_type", "agent_type"),
        ("run_in_background false", "mode \"sync\""),
        ("run_in_background: false", "mode: \"sync\""),
        ("use the AskUserQuestion tool instead of stopping", "ask in your answer"),
        ("use the AskUserQuestion tool", "end your turn with the question"),
    ],
    context: &[
        Hook::SessionStart,
        Hook::UserPrompt,
        Hook::PreToolUse,
        Hook::PostToolUse,
        Hook::SubagentStart,
    ],
    kept_at_launch: Some(&["name", "description", "mode"]),
    sends_holds_as_prompts: true,
    is_for_us,
    mcp,
    render,
    ..Dialect::LIKE_CLAUDE
};

const FILE: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("file_text", "content"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
];

const TOOLS: &[Row] = &[
    ("Read", "Read", FILE),
    ("view", "Read", FILE),
    ("Write", "Write", FILE),
    ("create", "Write", FILE),
    ("Edit", "Edit", FILE),
    ("Agent", "Agent", &[("agent_type", "subagent_type")]),
    ("write_agent", "SendMessage", &[("agent_id", "to")]),
    ("read_agent", "AgentOutput", &[]),
    ("list_agents", "", &[]),
    ("list_bash", "", &[]),
    ("read_bash", "BashOutput", &[("shellId", "shell_id")]),
    ("stop_bash", "", &[]),
    ("report_intent", "", &[]),
    ("update_todo", "", &[]),
    ("web_fetch", "WebFetch", &[]),
    // The client's own notes about its tasks.
    ("sql", "", &[]),
];

/// Ignores stops and prompts of subagents, which are not those of the session. There is a separate
/// event when a subagent stops.
fn is_for_us(payload: &Payload, hook: Hook) -> bool {
    !matches!(hook, Hook::Stop | Hook::UserPrompt) || payload.get("agent_id").is_none()
}

/// Splits a name like `calc-add` into the server and its tool.
fn mcp(name: &str) -> Option<String> {
    let (server, tool) = name.split_once('-')?;
    Some(format!("mcp__{server}__{tool}"))
}

fn render(said: Reply, hook: Hook) -> Printed {
    let mut stdout = json!({});
    match (hook, said.decision) {
        (Hook::PreToolUse, Decision::Object(reason) | Decision::Ask(reason)) => {
            stdout["permissionDecision"] = "deny".into();
            stdout["permissionDecisionReason"] = reason.into();
        }
        (
            Hook::UserPrompt | Hook::PostToolUse | Hook::Stop | Hook::SubagentStop,
            Decision::Object(reason),
        ) => {
            stdout["decision"] = "block".into();
            stdout["reason"] = reason.into();
        }
        _ => {
            if let Some(input) = said.updated_input {
                stdout["modifiedArgs"] = input;
            }
        }
    }
    if !said.context.is_empty() {
        stdout["additionalContext"] = said.context.into();
    }
    Printed { stdout, refusal: None }
}
