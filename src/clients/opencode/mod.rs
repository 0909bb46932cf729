//! opencode, through a plugin that `roz install` writes, as observed on 1.18.33. It has Claude
//! Code's events and answers, and its own tools.

use serde_json::json;

use super::{
    Capability, Hook,
    dialect::{Dialect, Row},
    setup::{ABOUT, Hooks, Setup, instructions, reviewer_file},
};

const PLUGIN: &str = include_str!("roz.js");

pub(super) static OPENCODE: Dialect = Dialect {
    name: "opencode",
    title: "opencode",
    capabilities: &[
        Capability::HoldStop,
        Capability::HoldSubagentStop,
        Capability::NameSubagents,
        Capability::NameCalls,
        Capability::BriefReviewer,
        Capability::ReplaceInput,
        Capability::ExitCodes,
        Capability::EnvironmentFile,
    ],
    tools: TOOLS,
    recorded: &[
        (
            Hook::UserPrompt,
            include_str!("../../../tests/payloads/opencode/1.18.33/UserPromptSubmit.first.json"),
        ),
        (
            Hook::PreToolUse,
            include_str!("../../../tests/payloads/opencode/1.18.33/PreToolUse.bash.echo-one.json"),
        ),
        (Hook::Stop, include_str!("../../../tests/payloads/opencode/1.18.33/Stop.json")),
    ],
    setup: Some(Setup {
        folder: ".config/opencode",
        variable: None,
        program: "opencode",
        off: None,
        hooks: Hooks::Own {
            file: "plugins/roz.js",
            text: |_, binary| PLUGIN.replace("\"@ROZ@\"", &json!(binary).to_string()),
        },
        reviewer: ("agents/roz.md", |_| {
            reviewer_file(&format!("description: {ABOUT}\nmode: subagent\n"), instructions())
        }),
    }),
    project_reviewers: &[
        ".opencode/agent",
        ".opencode/agents",
        ".opencode/opencode.json",
        ".opencode/opencode.jsonc",
        "opencode.json",
        "opencode.jsonc",
    ],
    words: &[
        ("Agent tool (formerly Task)", "`task` tool"),
        ("the Agent tool", "the `task` tool"),
        ("Agent tool", "`task` tool"),
        (", run_in_background false", ""),
        ("- run_in_background: false\n", ""),
        ("use the AskUserQuestion tool instead of stopping", "ask in your answer"),
        ("use the AskUserQuestion tool", "end your turn with the question"),
    ],
    context: &[Hook::SessionStart, Hook::UserPrompt, Hook::PostToolUse, Hook::SubagentStart],
    kept_at_launch: Some(&["description"]),
    sends_holds_as_prompts: true,
    mcp,
    ..Dialect::LIKE_CLAUDE
};

const FILE: &[(&str, &str)] = &[
    ("filePath", "file_path"),
    ("oldString", "old_string"),
    ("newString", "new_string"),
    ("replaceAll", "replace_all"),
];

const TOOLS: &[Row] = &[
    ("bash", "Bash", &[]),
    ("write", "Write", FILE),
    ("edit", "Edit", FILE),
    ("read", "Read", FILE),
    ("grep", "Grep", &[]),
    ("glob", "Glob", &[]),
    ("list", "LS", &[]),
    ("skill", "Skill", &[]),
    ("task", "Agent", &[]),
    ("todowrite", "TodoWrite", &[]),
    ("todoread", "TodoRead", &[]),
    ("webfetch", "WebFetch", &[]),
    ("websearch", "WebSearch", &[]),
    ("question", "AskUserQuestion", &[]),
    ("plan_exit", "ExitPlanMode", &[]),
    // A call of a tool that does not exist, or not for this agent.
    ("invalid", "", &[]),
];

/// Splits a name like `calc_add` into the server and its tool.
fn mcp(name: &str) -> Option<String> {
    let (server, tool) = name.split_once('_')?;
    (name != "apply_patch").then(|| format!("mcp__{server}__{tool}"))
}
