//! Clients that are known only from their documentation and were never run. roz recognises them,
//! and only judges calls before a tool runs.

use serde_json::json;

use super::{
    Hook,
    dialect::Dialect,
    envelope::{INNER, Payload},
    message::{Decision, Printed, Reply},
};

const DOCUMENTED: Dialect = Dialect { is_for_us, context: &[], ..Dialect::LIKE_CLAUDE };

pub(super) static CURSOR: Dialect = Dialect {
    name: "cursor",
    title: "Cursor",
    events: &[("preToolUse", Hook::PreToolUse, "")],
    fields: &[("conversation_id", "session_id"), ("generation_id", "prompt_id")],
    tools: &[
        ("Shell", "Bash", &[("working_directory", "workdir")]),
        ("Write", "Write", FILE),
        ("Delete", "apply_patch", &[]),
        ("Read", "Read", FILE),
        ("Task", "Agent", &[]),
    ],
    render: |said, hook| match object(said, hook) {
        Some(reason) => printed(json!({
            "permission": "deny", "user_message": reason, "agent_message": reason,
        })),
        None => printed(json!({})),
    },
    ..DOCUMENTED
};

pub(super) static DROID: Dialect = Dialect {
    name: "droid",
    title: "Factory Droid",
    tools: &[
        ("Execute", "Bash", &[]),
        ("Create", "Write", FILE),
        ("ApplyPatch", "apply_patch", &[]),
    ],
    ..DOCUMENTED
};

pub(super) static VSCODE: Dialect = Dialect {
    name: "vscode",
    title: "VS Code",
    fields: &[("sessionId", "session_id")],
    tools: &[
        ("runInTerminal", "Bash", &[]),
        ("run_in_terminal", "Bash", &[]),
        ("createFile", "Write", FILE),
        ("create_file", "Write", FILE),
        ("replaceStringInFile", "Edit", FILE),
        ("replace_string_in_file", "Edit", FILE),
        ("readFile", "Read", FILE),
        ("read_file", "Read", FILE),
    ],
    ..DOCUMENTED
};

pub(super) static DEVIN: Dialect = Dialect {
    name: "devin",
    title: "Devin",
    tools: &[("exec", "Bash", &[]), ("write", "Write", FILE), ("edit", "Edit", FILE)],
    render: |said, hook| match object(said, hook) {
        Some(reason) => printed(json!({ "decision": "block", "reason": reason })),
        None => printed(json!({})),
    },
    ..DOCUMENTED
};

pub(super) static CLINE: Dialect = Dialect {
    name: "cline",
    title: "Cline",
    fields: &[
        ("hookName", "hook_event_name"),
        ("taskId", "session_id"),
        ("preToolUse", INNER),
        ("toolName", "tool_name"),
        ("parameters", "tool_input"),
    ],
    tools: &[
        ("execute_command", "Bash", &[]),
        ("write_to_file", "Write", FILE),
        ("replace_in_file", "Edit", FILE),
        ("read_file", "Read", FILE),
    ],
    render: |said, hook| match object(said, hook) {
        Some(reason) => printed(json!({ "cancel": true, "errorMessage": reason })),
        None => printed(json!({ "cancel": false })),
    },
    ..DOCUMENTED
};

pub(super) static WINDSURF: Dialect = Dialect {
    name: "windsurf",
    title: "Windsurf",
    events: &[
        ("pre_run_command", Hook::PreToolUse, "run_command"),
        ("pre_write_code", Hook::PreToolUse, "write_code"),
        ("pre_mcp_tool_use", Hook::PreToolUse, "mcp_tool"),
    ],
    fields: &[
        ("agent_action_name", "hook_event_name"),
        ("trajectory_id", "session_id"),
        ("tool_info", "tool_input"),
    ],
    tools: &[
        ("run_command", "Bash", &[("command_line", "command"), ("cwd", "workdir")]),
        ("write_code", "Edit", &[]),
    ],
    render: |said, hook| Printed { stdout: json!({}), refusal: object(said, hook) },
    ..DOCUMENTED
};

const FILE: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("filePath", "file_path"),
    ("contents", "content"),
    ("oldString", "old_string"),
    ("newString", "new_string"),
];

fn is_for_us(_: &Payload, hook: Hook) -> bool {
    hook == Hook::PreToolUse
}

fn object(said: Reply, hook: Hook) -> Option<String> {
    match said.decision {
        Decision::Object(reason) | Decision::Ask(reason) if hook == Hook::PreToolUse => {
            Some(reason)
        }
        _ => None,
    }
}

fn printed(stdout: serde_json::Value) -> Printed {
    Printed { stdout, refusal: None }
}
