//! What the client's tools answer.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::core::{
    event::ToolCall,
    tool::{FilePart, ToolResult},
};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Answer {
    stdout: String,
    persisted_output_path: Option<PathBuf>,
    background_task_id: Option<String>,
    file: Option<AnswerFile>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AnswerFile {
    file_path: String,
    content: String,
    start_line: u64,
    num_lines: Option<u64>,
}

/// Reads the answer to a call, or the error with which it failed. What cannot be read says nothing.
pub(super) fn result(call: &ToolCall, answer: Option<&RawValue>) -> ToolResult {
    let json = answer.map_or("", |answer| answer.get());
    let answer: Answer = serde_json::from_str(json).unwrap_or_default();
    let is_sent_there = call.input.get("run_in_background").and_then(Value::as_bool) == Some(true);
    ToolResult {
        output: answer.stdout,
        kept_output: answer.persisted_output_path,
        file: answer.file.map(file_part),
        exit_code: exit_code(json),
        runs_on: is_sent_there || answer.background_task_id.is_some(),
    }
}

fn file_part(file: AnswerFile) -> FilePart {
    let lines = file.num_lines.unwrap_or_else(|| file.content.lines().count() as u64);
    let first_line = file.start_line.max(1);
    FilePart { path: file.file_path, content: file.content, first_line, lines }
}

/// An error of a command begins with a line of its own: `Exit code 1`.
fn exit_code(json: &str) -> Option<i32> {
    let error: String = serde_json::from_str(json).ok()?;
    error.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}
