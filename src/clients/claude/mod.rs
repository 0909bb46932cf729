//! Claude Code: its events, its tools and the JSON in and out.

mod held_calls;
mod input_shapes;
mod tool_result;
pub(crate) mod tools;
mod wire;

use serde_json::{Value, value::RawValue};

use super::{
    Capability, Client, Hook,
    message::{Error, Input, Printed, Reply},
};
use crate::core::{event::ToolCall, outcome::Rewrite, tool::ToolResult};

#[derive(Debug)]
pub struct ClaudeCode;

impl Client for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[
            Capability::Ask,
            Capability::HoldStop,
            Capability::HoldSubagentStop,
            Capability::NameSubagents,
            Capability::ReplaceInput,
            Capability::ExitCodes,
            Capability::ListBackgroundTasks,
            Capability::EnvironmentFile,
        ]
    }

    fn stop_brake(&self) -> Option<u32> {
        Some(8)
    }

    fn parse<'a>(&self, word: &str, payload: &'a str) -> Result<Input<'a>, Error> {
        wire::parse(word, payload)
    }

    fn calls<'a>(&self, tool: &str, json: &'a str) -> Vec<ToolCall<'a>> {
        held_calls::calls_of(tool, json, None)
    }

    fn tools(&self) -> Vec<&'static str> {
        tools::known().collect()
    }

    fn result(&self, call: &ToolCall, answer: Option<&RawValue>) -> ToolResult {
        tool_result::result(call, answer)
    }

    fn launch_input(&self, call: &ToolCall, rewrite: &Rewrite, prompt: &str) -> Option<Value> {
        tools::launch_input(call, rewrite, prompt)
    }

    fn render(&self, reply: Reply, hook: Hook) -> Printed {
        wire::render(reply, hook)
    }
}
