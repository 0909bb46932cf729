//! Gemini CLI, as observed on 0.61.0. It has its own events, and expects the answer at the top
//! level. An exit code other than 0 and 1 denies the call.

use serde_json::json;

use super::{
    Capability, Hook,
    dialect::{Dialect, Row},
    message::{Decision, Printed, Reply},
    setup::{ABOUT, Hooks, Patience, Setup, guarded, instructions_alone, reviewer_file},
};
use crate::core::reviewer_file::SERVER;

pub(super) static GEMINI: Dialect = Dialect {
    name: "gemini",
    title: "Gemini CLI",
    capabilities: &[Capability::HoldStop, Capability::ExitCodes],
    events: EVENTS,
    tools: TOOLS,
    reviewer_server: Some(SERVER),
    project_reviewers: &[".gemini/settings.json"],
    registered: &[
        Hook::SessionStart,
        Hook::UserPrompt,
        Hook::PreToolUse,
        Hook::PostToolUse,
        Hook::Stop,
        Hook::SessionEnd,
    ],
    recorded: &[
        (
            Hook::UserPrompt,
            include_str!("../../tests/payloads/gemini/0.61.0/BeforeAgent.first.json"),
        ),
        (
            Hook::PreToolUse,
            include_str!(
                "../../tests/payloads/gemini/0.61.0/BeforeTool.run_shell_command.echo-one.json"
            ),
        ),
        (Hook::Stop, include_str!("../../tests/payloads/gemini/0.61.0/AfterAgent.json")),
    ],
    setup: Some(Setup {
        folder: ".gemini",
        variable: None,
        program: "gemini",
        off: Some(("settings.json", "/hooksConfig/enabled", false)),
        hooks: Hooks::Shared {
            file: "settings.json",
            patience: Patience::Milliseconds(10_000),
            line: guarded,
        },
        reviewer: ("agents/roz.md", |binary| {
            let server = format!(
                "mcp_servers:\n  {SERVER}:\n    command: {}\n    args: [mcp, --reviewer]\n",
                json!(binary)
            );
            let head = format!("name: roz\ndescription: {ABOUT}\n{server}");
            let how = format!(
                "\nDecide with your own tool `decide` of the server `{SERVER}` (session, verdict, \
                 summary, message), not in a shell.\n"
            );
            reviewer_file(&head, &(instructions_alone() + &how))
        }),
    }),
    words: &[
        ("Agent tool (formerly Task)", "`invoke_agent` tool"),
        ("the Agent tool", "the `invoke_agent` tool"),
        ("Agent tool", "`invoke_agent` tool"),
        ("subagent_type", "agent_name"),
        (", run_in_background false", ""),
        ("- run_in_background: false\n", ""),
        ("- description: \"Review\"\n", ""),
        (" (your token is in your first context)", ""),
        (" --token <your token>", ""),
        ("use the AskUserQuestion tool instead of stopping", "ask in your answer"),
        ("use the AskUserQuestion tool", "end your turn with the question"),
    ],
    context: &[Hook::SessionStart, Hook::UserPrompt, Hook::PostToolUse],
    sends_holds_as_prompts: true,
    mcp,
    render,
    ..Dialect::LIKE_CLAUDE
};

const EVENTS: &[(&str, Hook, &str)] = &[
    ("BeforeAgent", Hook::UserPrompt, ""),
    ("BeforeTool", Hook::PreToolUse, ""),
    ("AfterTool", Hook::PostToolUse, ""),
    ("AfterAgent", Hook::Stop, ""),
];

const SHELL: &[(&str, &str)] = &[("dir_path", "workdir"), ("is_background", "run_in_background")];

const TOOLS: &[Row] = &[
    ("run_shell_command", "Bash", SHELL),
    ("write_file", "Write", &[]),
    ("replace", "Edit", &[]),
    ("read_file", "Read", &[]),
    ("read_many_files", "Glob", &[]),
    ("list_directory", "LS", &[("dir_path", "path")]),
    ("grep_search", "Grep", &[("dir_path", "path")]),
    ("search_file_content", "Grep", &[("dir_path", "path")]),
    ("glob", "Glob", &[("dir_path", "path")]),
    ("invoke_agent", "Agent", &[("agent_name", "subagent_type")]),
    ("activate_skill", "Skill", &[]),
    ("complete_task", "", &[]),
    ("write_todos", "TodoWrite", &[]),
    ("google_web_search", "WebSearch", &[]),
    ("web_fetch", "WebFetch", &[]),
    ("save_memory", "", &[]),
    ("ask_user", "AskUserQuestion", &[]),
    ("enter_plan_mode", "EnterPlanMode", &[]),
    ("exit_plan_mode", "ExitPlanMode", &[]),
];

/// Splits a name like `mcp_calc_add`, if the payload does not name server and tool separately.
fn mcp(name: &str) -> Option<String> {
    let (server, tool) = name.strip_prefix("mcp_")?.split_once('_')?;
    Some(format!("mcp__{server}__{tool}"))
}

fn render(said: Reply, hook: Hook) -> Printed {
    let event = GEMINI.own_event(hook);
    let mut stdout = json!({});
    let mut specific = json!({});
    match said.decision {
        Decision::Object(reason) | Decision::Ask(reason) if hook == Hook::PreToolUse => {
            stdout["decision"] = "deny".into();
            stdout["reason"] = reason.as_str().into();
            // Other clients that follow Claude Code obey this field.
            specific["permissionDecision"] = "deny".into();
            specific["permissionDecisionReason"] = reason.into();
        }
        Decision::Object(reason) => {
            stdout["decision"] = "block".into();
            stdout["reason"] = reason.into();
        }
        Decision::Ask(_) | Decision::None => {
            if let Some(input) = said.updated_input {
                specific["tool_input"] = input;
            }
        }
    }
    if !said.context.is_empty() {
        specific["additionalContext"] = said.context.into();
    }
    if specific.as_object().is_some_and(|fields| !fields.is_empty()) {
        specific["hookEventName"] = event.into();
        stdout["hookSpecificOutput"] = specific;
    }
    if !said.message.is_empty() {
        stdout["systemMessage"] = said.message.into();
    }
    Printed { stdout, refusal: None }
}
