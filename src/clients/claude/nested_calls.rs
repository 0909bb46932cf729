//! The calls that a tool call contains.

use serde_json::Value;

use super::{
    input_shapes::{self, Kind, Shape},
    tools,
};
use crate::{core::event::ToolCall, shell::Reading};

/// The calls in a call of the tool `name` with this input: itself, unless it contains others.
pub(in crate::clients) fn calls_in<'a>(
    name: &str,
    input: Value,
    json: &'a str,
    tool_use_id: Option<&str>,
) -> Vec<ToolCall<'a>> {
    let shapes = input_shapes::calls(name, input);
    let holds_several = shapes.len() > 1;
    let call = |(at, shape): (usize, Shape)| {
        // The state of a running call is stored under its id.
        let of_part = |id: &str| if holds_several { format!("{id}#{at}") } else { id.to_owned() };
        let id = tool_use_id.map(of_part);
        let tool = tools::tool(&shape.tool, &shape.input);
        let mut call = ToolCall::new(&shape.tool, tool, shape.input, json, id);
        call.other_names = shape.other_names;
        call.is_unknown = shape.kind == Kind::Unknown;
        if !shape.writes.is_empty() {
            call.readings.push(Reading { writes: shape.writes, ..Reading::default() });
        }
        if shape.kind == Kind::TooMany {
            call.may_run_anything = true;
        }
        call
    };
    shapes.into_iter().enumerate().map(call).collect()
}
