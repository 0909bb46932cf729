//! Calls for the tests of other modules.

use serde_json::Value;

use super::claude::tools;
use crate::core::event::ToolCall;

pub(crate) fn call<'a>(
    name: &str,
    input: Value,
    json: &'a str,
    tool_use_id: Option<String>,
) -> ToolCall<'a> {
    ToolCall::new(name, tools::tool(name, &input), input, json, tool_use_id)
}
