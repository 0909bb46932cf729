//! The calls that a tool call holds: an event for each.

use super::tool_shapes::{self, Kind, Shape};
use crate::{
    core::event::{Beyond, ToolCall, What},
    shell::Reading,
};

/// One event for each call that a tool call holds.
pub(crate) fn each_call(what: What) -> Vec<What> {
    match what {
        What::PreToolUse(call) => calls_of(call).into_iter().map(What::PreToolUse).collect(),
        What::PostToolUse { call, succeeded } => {
            let calls = calls_of(call).into_iter();
            calls.map(|call| What::PostToolUse { call, succeeded }).collect()
        }
        other => vec![other],
    }
}

pub(crate) fn calls_of(call: ToolCall) -> Vec<ToolCall> {
    let ToolCall { name, input, json, tool_use_id, .. } = call;
    let shapes = tool_shapes::calls(&name, input);
    let holds_several = shapes.len() > 1;
    let call = |(at, shape): (usize, Shape)| {
        // What is kept of a call until it has run is kept by its id.
        let of_part = |id: &String| if holds_several { format!("{id}#{at}") } else { id.clone() };
        let id = tool_use_id.as_ref().map(of_part);
        let mut call = ToolCall::new(&shape.tool, shape.input, json, id);
        call.other_names = shape.other_names;
        call.is_unknown = shape.kind == Kind::Unknown;
        if !shape.writes.is_empty() {
            call.readings.push(Reading { writes: shape.writes, ..Reading::default() });
        }
        if shape.kind == Kind::TooMany {
            call.read_in_part(Beyond::Line);
        }
        call
    };
    shapes.into_iter().enumerate().map(call).collect()
}
