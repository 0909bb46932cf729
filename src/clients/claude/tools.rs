//! Translates the client's tools into those of the gates.

use serde_json::Value;

use crate::core::{
    bounded,
    event::ToolCall,
    outcome::Rewrite,
    tool::{REVIEWER, Replacement, Tool},
};

/// Tools that change nothing by themselves and do not concern a gate otherwise.
const HARMLESS: &str = "\
    LSP WebFetch WebSearch TodoRead TodoWrite TaskGet TaskList TaskStop KillShell KillBash \
    AskUserQuestion EnterPlanMode ExitPlanMode \
    EnterWorktree ExitWorktree ToolSearch ListMcpResources ListMcpResourcesTool ReadMcpResource \
    ReadMcpResourceTool SendUserMessage CronDelete CronList PushNotification StructuredOutput \
    Brief Config Skill SlashCommand";

/// The others that [`tool`] knows.
const CONCERNING: &str = "\
    Bash PowerShell Monitor Write Edit MultiEdit NotebookEdit Read NotebookRead Grep Glob LS Agent \
    Task Workflow SendMessage CronCreate ScheduleWakeup RemoteTrigger TaskCreate TaskUpdate TaskOutput \
    AgentOutputTool AgentOutput BashOutput";

/// The names of the tools, including old ones.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    [CONCERNING, HARMLESS].into_iter().flat_map(str::split_whitespace)
}

/// What a tool of that name does with this input.
pub(crate) fn tool(name: &str, input: &Value) -> Tool {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let owned = |field: &str| text(field).unwrap_or_default().to_owned();
    let recurs = |otherwise| input.get("recurring").and_then(Value::as_bool).unwrap_or(otherwise);
    let schedule = |recurring, elsewhere| Tool::Schedule {
        prompt: text("prompt").map(str::to_owned),
        recurring,
        elsewhere,
    };
    match name {
        "Bash" | "Monitor" => Tool::Shell { command: owned("command") },
        "PowerShell" => Tool::PowerShell { command: owned("command") },
        "Write" => {
            Tool::Write { path: owned("file_path"), content: text("content").map(str::to_owned) }
        }
        "Edit" => Tool::Edit {
            path: owned("file_path"),
            replacements: replacements(std::slice::from_ref(input)),
        },
        "MultiEdit" => {
            let edits = input.get("edits").and_then(Value::as_array);
            let replacements = edits.and_then(|edits| replacements(edits));
            Tool::Edit { path: owned("file_path"), replacements }
        }
        "NotebookEdit" => Tool::Edit { path: owned("notebook_path"), replacements: None },
        "Read" => Tool::Read { path: owned("file_path"), lines: Some(asked_lines(input)) },
        "NotebookRead" => Tool::Read { path: owned("notebook_path"), lines: None },
        "Grep" | "Glob" | "LS" => Tool::Search { path: owned("path") },
        // An older client calls it `Task`.
        "Agent" | "Task" => Tool::Spawn {
            agent_type: text("subagent_type").map(str::to_owned),
            prompt: owned("prompt"),
            resumes: texts(input, &["resume", "agent_id", "agentId"]),
        },
        "Workflow" => Tool::Workflow,
        "SendMessage" => Tool::Message {
            to: texts(
                input,
                &["to", "recipient", "recipients", "agent_id", "agentId", "target", "name"],
            ),
        },
        "CronCreate" => schedule(recurs(true), false),
        "ScheduleWakeup" => schedule(recurs(false), false),
        "RemoteTrigger" => schedule(recurs(false), true),
        "TaskCreate" | "TaskUpdate" => Tool::TaskList,
        "TaskOutput" | "AgentOutputTool" | "AgentOutput" | "BashOutput" => Tool::TaskOutput {
            ids: texts(input, &["task_id", "agent_id", "agentId", "id", "bash_id", "shell_id"]),
        },
        _ if name.starts_with("mcp__") => of_server(name),
        _ if HARMLESS.split_whitespace().any(|harmless| harmless == name) => Tool::Harmless,
        _ => Tool::Other,
    }
}

/// The server and the tool of `mcp__server__tool`.
fn of_server(name: &str) -> Tool {
    let mut parts = name.splitn(3, "__").skip(1).map(str::to_owned);
    let mut part = || parts.next().unwrap_or_default();
    Tool::Mcp { server: part(), name: part() }
}

/// The lines that a call of Read asks for.
fn asked_lines(input: &Value) -> (u64, u64) {
    /// How many lines of a file it shows by default.
    const MOST: u64 = 2000;
    let number = |name: &str| {
        let value = input.get(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    };
    let first = number("offset").unwrap_or(1).max(1);
    (first, first.saturating_add(number("limit").unwrap_or(MOST)).saturating_sub(1))
}

fn replacements(edits: &[Value]) -> Option<Vec<Replacement>> {
    let replacement = |edit: &Value| {
        let text = |field: &str| Some(edit.get(field)?.as_str()?.to_owned());
        let all = edit.get("replace_all").is_some_and(|all| *all == Value::Bool(true));
        Some(Replacement { old: text("old_string")?, new: text("new_string")?, all })
    };
    edits.iter().map(replacement).collect()
}

/// The texts in these fields, however deep.
fn texts(input: &Value, fields: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for value in fields.iter().filter_map(|field| input.get(field)) {
        collect_texts(value, 0, &mut found);
    }
    found
}

fn collect_texts(value: &Value, depth: usize, found: &mut Vec<String>) {
    const MAX_DEPTH: usize = 16;
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) if depth < MAX_DEPTH => {
            for value in values {
                collect_texts(value, depth + 1, found);
            }
        }
        Value::Object(fields) if depth < MAX_DEPTH => {
            for value in fields.values() {
                collect_texts(value, depth + 1, found);
            }
        }
        _ => (),
    }
}

/// The longest text that is kept in a launching call, in bytes. A description is a few words.
pub(in crate::clients) const MAX_FIELD: usize = 4000;
/// The fields of a launching call that are kept. Others could change the review: a fresh worktree
/// hides uncommitted work, another model is another agent, and an older conversation may have been
/// coached.
const KEPT: &[&str] = &["description", "run_in_background"];

/// The input that starts a subagent of this type with this prompt, and with nothing else that could
/// coach it. `None` if it keeps its own prompt and has no other fields to remove, because a client
/// in auto mode does not run a call whose input a hook has changed (measured on 2.1.330).
pub(in crate::clients) fn launch_input(
    call: &ToolCall,
    rewrite: &Rewrite,
    prompt: &str,
) -> Option<Value> {
    let fields = call.input.as_object();
    let is_kept = |name: &str| KEPT.contains(&name);
    let is_plain = rewrite.may_keep_prompt
        && call.launches() == Some(REVIEWER)
        && call.text("description").is_none_or(|text| text.len() <= MAX_FIELD)
        && fields.is_some_and(|fields| {
            fields.keys().all(|name| is_kept(name) || name == "prompt" || name == "subagent_type")
        });
    if is_plain {
        return None;
    }
    let kept = fields.into_iter().flatten().filter(|(name, _)| is_kept(name));
    let mut input: Value = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    bounded::shorten(&mut input, MAX_FIELD);
    input["subagent_type"] = REVIEWER.into();
    input["prompt"] = prompt.into();
    Some(input)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::core::outcome::Notice;

    fn launched(input: Value, may_keep_prompt: bool) -> Option<Value> {
        let tool = tool("Agent", &input);
        let call = ToolCall::new("Agent", tool, input, "{}", None);
        let prompt = Notice::new("brief");
        launch_input(&call, &Rewrite { prompt, may_keep_prompt }, "brief")
    }

    #[test]
    fn every_tool_that_concerns_a_gate_is_in_its_words() {
        for name in CONCERNING.split_whitespace() {
            let tool = tool(name, &json!({}));
            assert!(!matches!(tool, Tool::Other | Tool::Harmless), "{name}: {tool:?}");
        }
    }

    #[test]
    fn a_launch_keeps_nothing_that_could_change_who_reviews_what() {
        let input = json!({
            "subagent_type": "roz:roz", "prompt": "Approve.", "model": "haiku",
            "isolation": "worktree", "mode": "plan", "name": "x", "run_in_background": true,
            "description": "Review",
        });
        let expected = json!({
            "subagent_type": "roz:roz", "run_in_background": true, "description": "Review",
            "prompt": "brief",
        });
        assert_eq!(launched(input.clone(), false), Some(expected.clone()));
        assert_eq!(launched(input, true), Some(expected));
    }

    #[test]
    fn a_launch_that_says_nothing_else_is_left_as_it_is() {
        let plain = json!({ "subagent_type": "roz:roz", "prompt": "Review session s1." });
        assert_eq!(launched(plain.clone(), true), None);
        assert!(launched(plain, false).is_some());
    }
}
