//! The calls that a tool call holds.

use super::{
    input_shapes::{self, Kind, Shape},
    tools,
};
use crate::{clients::fields, core::event::ToolCall, shell::Reading};

/// Each call that a call of the tool `name` holds: itself, unless it holds others.
pub(crate) fn calls_of<'a>(
    name: &str,
    json: &'a str,
    tool_use_id: Option<&str>,
) -> Vec<ToolCall<'a>> {
    let shapes = input_shapes::calls(name, fields::value(json));
    let holds_several = shapes.len() > 1;
    let call = |(at, shape): (usize, Shape)| {
        // What is kept of a call until it has run is kept by its id.
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
            call.read_in_part();
        }
        call
    };
    shapes.into_iter().enumerate().map(call).collect()
}
