//! Reads the answers of tools from clients that report them as text for the model, with the exit
//! code in the text or next to it.

use serde_json::{Value, value::RawValue};

use super::fields;
use crate::core::{
    event::ToolCall,
    tool::{FilePart, Tool, ToolResult},
};

/// The fields that may contain the text.
const TEXT: &[&str] = &["llmContent", "text_result_for_llm", "output", "stdout", "content"];
/// Only this much of an answer is read, in bytes.
const MOST: usize = 4 << 20;

pub(super) fn result(call: &ToolCall, answer: Option<&RawValue>) -> ToolResult {
    let value = answer.map_or(Value::Null, value_of);
    let text = text(&value);
    let file = match &call.tool {
        Tool::Read { path, lines } => shown(&value).or_else(|| {
            let first = lines.map_or(1, |(first, _)| first);
            let count = text.lines().count() as u64;
            let path = path.clone();
            Some(FilePart { path, content: text.clone(), lines: Some((first, count)) })
        }),
        _ => None,
    };
    ToolResult {
        output: output(&text).to_owned(),
        kept_output: None,
        file,
        exit_code: exit_code(&value, &text),
        runs_on: call.input.get("run_in_background") == Some(&Value::Bool(true))
            || matches!(call.text("mode"), Some("async" | "background")),
    }
}

pub(super) fn failed(answer: &RawValue) -> bool {
    let value = value_of(answer);
    let has_error = value.get("error").is_some_and(|error| !error.is_null());
    let kind = value.get("result_type").and_then(Value::as_str);
    fields::says_it_failed(answer)
        || has_error
        || kind.is_some_and(|kind| kind != "success")
        || exit_code(&value, &text(&value)).is_some_and(|code| code != 0)
}

fn value_of(answer: &RawValue) -> Value {
    if answer.get().len() > MOST { Value::Null } else { fields::value(answer.get()) }
}

fn text(value: &Value) -> String {
    let joined = |parts: &Vec<Value>| {
        let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
        texts.collect::<Vec<_>>().join("\n")
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => joined(parts),
        _ => TEXT.iter().find_map(|field| value.get(field)).map(text).unwrap_or_default(),
    }
}

/// The part of a file that is in an answer.
fn shown(value: &Value) -> Option<FilePart> {
    let display = value.get("metadata")?.get("display")?;
    let number = |field: &str| display.get(field)?.as_u64();
    let text = |field: &str| Some(display.get(field)?.as_str()?.to_owned());
    let (first, last) = (number("lineStart")?, number("lineEnd")?);
    let lines = Some((first, last.saturating_add(1).saturating_sub(first)));
    Some(FilePart { path: text("path")?, content: text("text")?, lines })
}

/// The command's own output. Some clients write a report around it.
fn output(text: &str) -> &str {
    let Some((begin, rest)) = text.split_once("Output: ") else { return text };
    if !(begin.is_empty() || begin.starts_with("Command: ") || begin.starts_with('<')) {
        return text;
    }
    let ends = ["\nError: ", "\nExit Code: ", "\nSignal: ", "\nProcess Group PGID: "]
        .iter()
        .filter_map(|end| rest.rfind(end));
    &rest[..ends.min().unwrap_or(rest.len())]
}

/// The last line of its kind comes from the client, because the command's output is before it.
fn exit_code(value: &Value, text: &str) -> Option<i32> {
    let beside = || value.get("metadata")?.get("exit")?.as_i64();
    if let Some(code) = beside() {
        return i32::try_from(code).ok();
    }
    let in_line = |line: &str| {
        let after = line.strip_prefix("Exit Code: ").or_else(|| {
            line.strip_prefix("<shellId: ")?
                .split_once(" completed with exit code ")
                .map(|parts| parts.1)
        });
        after?.trim_end_matches('>').trim().parse().ok()
    };
    text.lines().rev().take(8).find_map(in_line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clients::testing::call;

    fn of(answer: &Value) -> ToolResult {
        let raw: Box<RawValue> = serde_json::value::to_raw_value(answer).unwrap();
        result(&call("Bash", json!({ "command": "x" }), "{}", None), Some(&raw))
    }

    #[test]
    fn the_exit_code_and_the_output_are_found_in_every_form_that_a_client_gives_them() {
        for (answer, output, code) in [
            (json!("one\n"), "one\n", None),
            (json!({ "output": "a\n", "metadata": { "exit": 2 } }), "a\n", Some(2)),
            (
                json!({ "text_result_for_llm": "a\n<shellId: 1 completed with exit code 3>" }),
                "a\n<shellId: 1 completed with exit code 3>",
                Some(3),
            ),
            (
                json!({ "llmContent": "Command: x\nDirectory: (root)\nOutput: a\nError: b\nc\n\
                    Error: (none)\nExit Code: 1\nSignal: (none)" }),
                "a\nError: b\nc",
                Some(1),
            ),
            (
                json!({ "llmContent": "<untrusted_context>\nOutput: a\nExit Code: 2\n</untrusted_context>" }),
                "a",
                Some(2),
            ),
            (json!({ "content": [{ "type": "text", "text": "a" }] }), "a", None),
            (json!(null), "", None),
        ] {
            let result = of(&answer);
            assert_eq!((&*result.output, result.exit_code), (output, code), "{answer}");
        }
    }

    #[test]
    fn what_a_command_prints_is_not_taken_for_its_exit_code() {
        let printed = json!({ "llmContent": "Command: x\nOutput: Exit Code: 7\nError: (none)\n\
            Exit Code: 0\nSignal: (none)" });
        assert_eq!(of(&printed).exit_code, Some(0));
    }
}
