//! Qwen Code, as observed on 0.24.4 and 0.15.10. It has Claude Code's events and answers, and its
//! own tools.

use super::{
    Capability, Hook,
    dialect::{Dialect, Row},
    envelope::Payload,
    setup::{ABOUT, Hooks, Patience, Setup, instructions_alone, reviewer_file},
};

pub(super) static QWEN: Dialect = Dialect {
    name: "qwen",
    title: "Qwen Code",
    capabilities: &[
        Capability::Ask,
        Capability::HoldStop,
        Capability::HoldSubagentStop,
        Capability::NameSubagents,
        Capability::NameCalls,
        Capability::ExitCodes,
        Capability::ListBackgroundTasks,
    ],
    stop_brake: Some(8),
    fields: &[("crons", "session_crons")],
    tools: TOOLS,
    recorded: &[
        (
            Hook::UserPrompt,
            include_str!("../../tests/payloads/qwen/0.24.4/UserPromptSubmit.first.json"),
        ),
        (
            Hook::PreToolUse,
            include_str!(
                "../../tests/payloads/qwen/0.24.4/PreToolUse.run_shell_command.echo-one.json"
            ),
        ),
        (Hook::Stop, include_str!("../../tests/payloads/qwen/0.24.4/Stop.json")),
    ],
    setup: Some(Setup {
        folder: ".qwen",
        variable: None,
        program: "qwen",
        off: Some(("settings.json", "/disableAllHooks", true)),
        hooks: Hooks::Shared {
            file: "settings.json",
            // Every version interprets 1,000 and more as milliseconds.
            patience: Patience::Milliseconds(10_000),
            line: |_, line| line.to_owned(),
        },
        reviewer: ("agents/roz.md", |_| {
            let head = format!("name: roz\ndescription: {ABOUT}\nbackground: false\n");
            reviewer_file(&head, &instructions_alone())
        }),
    }),
    project_reviewers: &[".qwen/agents"],
    words: &[
        ("Agent tool (formerly Task)", "`agent` tool"),
        ("the Agent tool", "the `agent` tool"),
        ("Agent tool", "`agent` tool"),
        (" (your token is in your first context)", ""),
        (" --token <your token>", ""),
        ("use the AskUserQuestion tool instead of stopping", "ask in your answer"),
        ("use the AskUserQuestion tool", "end your turn with the question"),
    ],
    context: &[Hook::SessionStart, Hook::UserPrompt, Hook::PostToolUse, Hook::PostToolUseFailure],
    sends_holds_as_prompts: true,
    is_for_us,
    ..Dialect::LIKE_CLAUDE
};

const SHELL: &[(&str, &str)] = &[("directory", "workdir"), ("is_background", "run_in_background")];

const TOOLS: &[Row] = &[
    ("run_shell_command", "Bash", SHELL),
    ("monitor", "Monitor", SHELL),
    ("write_file", "Write", &[]),
    ("edit", "Edit", &[]),
    ("notebook_edit", "NotebookEdit", &[]),
    ("read_file", "Read", &[]),
    ("read_many_files", "Glob", &[]),
    ("list_directory", "LS", &[]),
    ("grep_search", "Grep", &[]),
    ("glob", "Glob", &[]),
    ("agent", "Agent", &[]),
    ("send_message", "SendMessage", &[]),
    ("skill", "Skill", &[]),
    ("todo_write", "TodoWrite", &[]),
    ("tool_search", "ToolSearch", &[]),
    ("web_fetch", "WebFetch", &[]),
    ("web_search", "WebSearch", &[]),
    ("exit_plan_mode", "ExitPlanMode", &[]),
    ("ask_user_question", "AskUserQuestion", &[]),
    ("task_stop", "TaskStop", &[]),
    ("cron_create", "CronCreate", &[]),
    ("cron_list", "CronList", &[]),
    ("cron_delete", "CronDelete", &[]),
];

/// The event is sent before every request to the model. A person's prompt is in `submitted_prompt`;
/// in the old version, which lacks that field, an empty `prompt` is ignored.
fn is_for_us(payload: &Payload, hook: Hook) -> bool {
    let is_old = payload.get("prompt_id").is_none();
    let is_empty = payload.get("prompt").is_none_or(|prompt| prompt.get() == "\"\"");
    hook != Hook::UserPrompt || payload.get("submitted_prompt").is_some() || is_old && !is_empty
}
