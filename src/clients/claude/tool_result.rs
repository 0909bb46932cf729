//! Reads the answers of the client's tools.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::{
    clients::fields,
    core::{
        event::ToolCall,
        tool::{FilePart, ToolResult},
    },
};

/// Its fields, not parsed yet, so that one of an unexpected type does not affect the others.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Answer<'a> {
    #[serde(borrow)]
    stdout: Option<&'a RawValue>,
    #[serde(borrow)]
    persisted_output_path: Option<&'a RawValue>,
    #[serde(borrow)]
    background_task_id: Option<&'a RawValue>,
    #[serde(borrow)]
    file: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AnswerFile {
    file_path: String,
    content: String,
    start_line: Option<u64>,
    num_lines: Option<u64>,
}

/// Reads the answer to a call, or its error. Unreadable parts are ignored.
pub(super) fn result(call: &ToolCall, answer: Option<&RawValue>) -> ToolResult {
    let json = answer.map_or("", |answer| answer.get());
    let answer: Answer = serde_json::from_str(json).unwrap_or_default();
    let is_sent_there = call.input.get("run_in_background").and_then(Value::as_bool) == Some(true);
    let file = answer.file.and_then(|file| serde_json::from_str(file.get()).ok());
    ToolResult {
        output: fields::text(answer.stdout).unwrap_or_default(),
        kept_output: fields::text(answer.persisted_output_path).map(PathBuf::from),
        file: file.map(file_part),
        exit_code: exit_code(json),
        runs_on: is_sent_there || fields::text(answer.background_task_id).is_some(),
    }
}

fn file_part(file: AnswerFile) -> FilePart {
    let AnswerFile { file_path: path, content, start_line, num_lines } = file;
    let lines = start_line.zip(num_lines).map(|(first, count)| (first.max(1), count));
    FilePart { path, content, lines }
}

/// The exit code of a command, from the first line of its error: `Exit code 1`.
fn exit_code(json: &str) -> Option<i32> {
    let error: String = serde_json::from_str(json).ok()?;
    error.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clients::testing::call;

    fn of(answer: &str) -> ToolResult {
        result(&call("Read", json!({}), "{}", None), Some(serde_json::from_str(answer).unwrap()))
    }

    #[test]
    fn the_part_of_a_file_that_was_shown_is_known_only_where_the_answer_says_it() {
        let text = of(r#"{"file":{"filePath":"a","content":"x\n","startLine":3,"numLines":1}}"#);
        assert_eq!(text.file.unwrap().lines, Some((3, 1)));
        let notebook = of(r#"{"type":"notebook","file":{"filePath":"a.ipynb","cells":[]}}"#);
        assert_eq!(notebook.file.unwrap().lines, None);
    }

    #[test]
    fn a_field_of_an_odd_type_takes_nothing_from_the_others() {
        let answer = of(r#"{"stdout":null,"file":{"filePath":5},"backgroundTaskId":"b1"}"#);
        assert!(answer.runs_on && answer.file.is_none() && answer.output.is_empty());
    }

    #[test]
    fn an_error_says_with_which_code_a_command_ended() {
        assert_eq!(of(r#""Exit code 101\nthread panicked""#).exit_code, Some(101));
        assert_eq!(of(r#""no such tool""#).exit_code, None);
    }
}
