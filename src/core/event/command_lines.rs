//! Finds the command lines in a call's input.

use std::borrow::Cow;

use serde_json::Value;

use crate::core::{name_words::is_one, tool::Tool};

/// A server may name its fields freely. Fields whose names say that they are run count, at any
/// depth: `{"steps": [{"cmd": "git push"}]}`, `{"command": "git", "args": ["push"]}`.
pub(super) fn command_lines<'a>(tool: &'a Tool, input: &'a Value) -> Vec<Cow<'a, str>> {
    let mut lines: Vec<Cow<str>> = tool.command().map(Cow::from).into_iter().collect();
    if tool.is_mcp() {
        collect(input, 0, &mut lines);
    }
    lines
}

fn collect<'a>(value: &'a Value, depth: usize, lines: &mut Vec<Cow<'a, str>>) {
    const MAX_DEPTH: usize = 16;
    const MAX_LINES: usize = 128;
    const COMMANDS: &str =
        "command cmd script program executable commandLine command_line run shell";
    const ARGUMENTS: [&str; 4] = ["args", "arguments", "argv", "params"];
    if depth > MAX_DEPTH || lines.len() >= MAX_LINES {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth + 1, lines)),
        Value::Object(fields) => {
            let arguments = ARGUMENTS.iter().find_map(|name| fields.get(*name));
            for (name, value) in fields {
                match value {
                    Value::Array(items) if is_one("commands cmds", name) => {
                        lines.extend(items.iter().filter_map(Value::as_str).map(Cow::from));
                    }
                    Value::String(_) | Value::Array(_) if is_one(COMMANDS, name) => {
                        let words = [Some(value), arguments].into_iter().flatten().map(joined);
                        lines.push(words.collect::<Vec<_>>().join(" ").into());
                    }
                    value => collect(value, depth + 1, lines),
                }
            }
        }
        _ => (),
    }
}

fn joined(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(line) => line.into(),
        value => {
            let words = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            words.map(quoted).collect::<Vec<_>>().join(" ").into()
        }
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
