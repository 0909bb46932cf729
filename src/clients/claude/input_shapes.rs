//! Recognises what a call does from the shape of its input, if the tool's name is unknown: a
//! payload without a tool name, a tool of another agent, a tool that contains several calls, a
//! patch.
//!
//! ```text
//! {"command": "git push"}                                  a shell line
//! {"file_path": "a.rs", "content": "…"}                    a write
//! {"file_path": "a.rs", "old_string": "…"}                 an edit
//! {"tool_calls": [{"tool": "bash", "parameters": {…}}]}    each of its calls
//! {"input": "*** Begin Patch\n*** Update File: a.rs …"}    a write for each file of the patch
//! ```
//!
//! The tools of MCP servers are recognised by their prefix, so they are not handled here.

use serde_json::{Value, json};

use super::tools;
use crate::shell::{Certainty, How, Write};

/// One call of a payload.
#[derive(Debug, PartialEq)]
pub(crate) struct Shape {
    /// The tool's name for the gates.
    pub(crate) tool: String,
    /// Other names that a gate's pattern may use for it: the client's, and those of the calls that
    /// contain it.
    pub(crate) other_names: Vec<String>,
    pub(crate) input: Value,
    /// The files of a patch.
    pub(crate) writes: Vec<Write>,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Known,
    /// Neither the name nor the input tells what the call does.
    Unknown,
    /// The call contains too many calls.
    TooMany,
}

/// How many contained calls are read, and how deep.
const MAX_CALLS: usize = 100;
const MAX_DEPTH: usize = 4;

/// The fields of a contained call, which differ between clients.
const NAME_FIELDS: &[&str] = &["tool", "tool_name", "name", "recipient_name"];
const INPUT_FIELDS: &[&str] = &["parameters", "tool_input", "arguments", "input"];

/// The calls in a call: itself, unless it contains others.
pub(crate) fn calls(name: &str, input: Value) -> Vec<Shape> {
    let mut found = Vec::new();
    take_apart(name, input, &[], &mut found);
    found
}

fn take_apart(name: &str, input: Value, holders: &[&str], found: &mut Vec<Shape>) {
    let shape = |tool: &str, input, kind| Shape {
        tool: tool.to_owned(),
        other_names: holders.iter().map(|&holder| holder.to_owned()).collect(),
        input,
        writes: Vec::new(),
        kind,
    };
    if name.starts_with("mcp__") || tools::known().any(|known| known == name) {
        return found.push(shape(name, input, Kind::Known));
    }
    let held = nested_calls(&input);
    if holders.len() >= MAX_DEPTH || found.len() + held.len() > MAX_CALLS {
        return found.push(shape(name, input, Kind::TooMany));
    }
    if !held.is_empty() {
        let holders = [holders, &[name]].concat();
        for (name, input) in held {
            take_apart(name, input.clone(), &holders, found);
        }
        return;
    }
    let mut shape = shape(name, input, Kind::Known);
    by_input(&mut shape);
    if !name.is_empty() && shape.tool != name {
        shape.other_names.push(name.to_owned());
    }
    found.push(shape);
}

/// The calls in an input that is a list or contains lists.
fn nested_calls(input: &Value) -> Vec<(&str, &Value)> {
    let fields = input.as_object().into_iter().flat_map(|fields| fields.values());
    let lists = fields.chain([input]).filter_map(Value::as_array);
    let held = lists.flatten().filter_map(|item| {
        let name = NAME_FIELDS.iter().find_map(|field| item.get(field)?.as_str())?;
        let mut inputs = INPUT_FIELDS.iter().filter_map(|field| item.get(field));
        Some((name, inputs.find(|input| input.is_object())?))
    });
    held.collect()
}

fn by_input(shape: &mut Shape) {
    let is_text = |field: &str| shape.input.get(field).is_some_and(Value::is_string);
    if is_text("file_path") && is_text("content") {
        shape.tool = String::from("Write");
    } else if is_text("file_path") && is_text("old_string") {
        shape.tool = String::from("Edit");
    } else if let Some(path) = edited_by_verb(&shape.input) {
        shape.writes = vec![write(How::Edit, path)];
    } else {
        shape.writes = patch_in(&shape.input).map(files_of_patch).unwrap_or_default();
        let line = shape.input.get("command").and_then(command_line);
        // A shell line may contain a patch: then it is both.
        let line = line.filter(|line| !is_whole_patch(line));
        if let Some(line) = line {
            shape.tool = String::from("Bash");
            shape.input["command"] = json!(line);
        } else if !shape.writes.is_empty() {
            if shape.tool.is_empty() {
                shape.tool = String::from("apply_patch");
            }
        } else {
            shape.kind = Kind::Unknown;
        }
    }
}

/// The path in a call of a text editor: `{"command": "create", "path": "a.rs", "file_text": "x"}`.
fn edited_by_verb(input: &Value) -> Option<&str> {
    let verb = input.get("command")?.as_str()?;
    ["create", "insert", "str_replace"].contains(&verb).then(|| input.get("path")?.as_str())?
}

/// A command as a line. The input may have it as a list of words.
fn command_line(command: &Value) -> Option<String> {
    if let Some(line) = command.as_str() {
        return Some(line.to_owned());
    }
    let words = command.as_array()?.iter().filter_map(Value::as_str);
    let quoted = words.map(|word| format!("'{}'", word.replace('\'', r"'\''")));
    Some(quoted.collect::<Vec<_>>().join(" "))
}

fn is_whole_patch(text: &str) -> bool {
    text.trim_start().starts_with("*** Begin Patch")
}

/// The patch in an input that is a patch or contains one.
fn patch_in(input: &Value) -> Option<&str> {
    let fields = input.as_object().into_iter().flat_map(|fields| fields.values());
    let mut texts = fields.chain([input]).filter_map(Value::as_str);
    texts.find(|text| is_whole_patch(text) || text.lines().any(|line| file_of(line).is_some()))
}

/// What the patch does to the file in this line, if the line names one.
fn file_of(line: &str) -> Option<(How, &str)> {
    const HEADS: &[(&str, How)] = &[
        ("Add File: ", How::Write),
        ("Update File: ", How::Edit),
        ("Delete File: ", How::Remove),
        ("Move to: ", How::Move),
    ];
    let line = line.trim().strip_prefix("*** ")?;
    let head = |(head, how): &(&str, How)| Some((*how, line.strip_prefix(head)?.trim()));
    HEADS.iter().find_map(head)
}

/// The files that a patch changes. The line before a move names the file that is moved.
fn files_of_patch(patch: &str) -> Vec<Write> {
    let mut writes: Vec<Write> = Vec::new();
    for (how, path) in patch.lines().filter_map(file_of) {
        if how == How::Move
            && let Some(moved) = writes.last_mut()
        {
            moved.how = How::Move;
        }
        writes.push(write(how, path));
    }
    writes
}

fn write(how: How, path: &str) -> Write {
    Write { path: path.to_owned(), how, certainty: Certainty::Literal, conditional: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn tools(name: &str, input: &Value) -> Vec<(String, Kind)> {
        calls(name, input.clone()).into_iter().map(|shape| (shape.tool, shape.kind)).collect()
    }

    #[test]
    fn an_input_says_what_a_tool_without_a_known_name_does() {
        for (name, input, tool, kind) in [
            ("", json!({ "command": "git push" }), "Bash", Kind::Known),
            ("Shell", json!({ "command": ["git", "push"] }), "Bash", Kind::Known),
            ("", json!({ "file_path": "a", "content": "" }), "Write", Kind::Known),
            ("", json!({ "file_path": "a", "old_string": "" }), "Edit", Kind::Known),
            ("SlashCommand", json!({ "command": "/review" }), "SlashCommand", Kind::Known),
            ("mcp__x__y", json!({ "command": "git push" }), "mcp__x__y", Kind::Known),
            ("mcp__x__y", json!({ "text": "*** Begin Patch" }), "mcp__x__y", Kind::Known),
            ("think", json!({ "thought": "git push" }), "think", Kind::Unknown),
            ("", json!({ "file_path": "a" }), "", Kind::Unknown),
            ("", json!({ "people": [{ "name": "a", "age": 5 }] }), "", Kind::Unknown),
            ("", Value::Null, "", Kind::Unknown),
        ] {
            assert_eq!(tools(name, &input), [(tool.to_owned(), kind)], "{name} {input}");
        }
    }

    #[test]
    fn a_list_of_words_is_a_line() {
        let [shape] = &calls("", json!({ "command": ["bash", "-lc", "echo 'a b'"] }))[..] else {
            panic!("one call")
        };
        assert_eq!(shape.input["command"], r"'bash' '-lc' 'echo '\''a b'\'''");
    }

    #[test]
    fn the_calls_that_a_call_holds_are_found_with_the_names_on_the_way() {
        let inner = json!([{ "recipient_name": "functions.sh", "arguments": { "command": "ls" } }]);
        let input = json!({ "tool_calls": [
            { "tool": "Read", "parameters": { "file_path": "a" } },
            { "tool": "batch", "parameters": { "calls": inner } },
        ] });
        let found = calls("multi", input);
        let found: Vec<_> =
            found.iter().map(|shape| (&*shape.tool, shape.other_names.join(" "))).collect();
        assert_eq!(
            found,
            [("Read", "multi".to_owned()), ("Bash", "multi batch functions.sh".to_owned())]
        );
    }

    #[test]
    fn more_calls_than_are_looked_at_are_not_passed_over() {
        let call = json!({ "tool": "bash", "parameters": { "command": "ls" } });
        let input = json!({ "tool_calls": vec![call.clone(); MAX_CALLS + 1] });
        assert_eq!(tools("batch", &input), [("batch".to_owned(), Kind::TooMany)]);
        let mut deep = call;
        for _ in 0..10 {
            deep = json!({ "tool": "batch", "parameters": { "calls": [deep] } });
        }
        assert_eq!(tools("batch", &json!([deep])), [("batch".to_owned(), Kind::TooMany)]);
    }

    #[test]
    fn a_patch_says_which_files_it_changes() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: ../other/a.rs\n@@\n-a\n\
            +*** Add File: no\n*** Delete File: src/b.rs\r\n*** Add File: c d.rs\n+x\n*** End Patch\n";
        for (name, input, tool) in [
            ("", json!(patch), "apply_patch"),
            ("apply_patch", json!({ "command": patch }), "apply_patch"),
            ("patch", json!({ "patchText": patch }), "patch"),
            ("", json!({ "command": format!("apply_patch <<'E'\n{patch}\nE") }), "Bash"),
        ] {
            let [shape] = &calls(name, input)[..] else { panic!("one call") };
            assert_eq!((&*shape.tool, shape.kind), (tool, Kind::Known));
            let writes: Vec<_> =
                shape.writes.iter().map(|write| (write.how, &*write.path)).collect();
            let expected = [
                (How::Move, "src/a.rs"),
                (How::Move, "../other/a.rs"),
                (How::Remove, "src/b.rs"),
                (How::Write, "c d.rs"),
            ];
            assert_eq!(writes, expected);
        }
    }
}
