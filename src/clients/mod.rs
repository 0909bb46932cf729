//! How each agent that roz serves tells its events and is answered. Pure: bytes become an event of the
//! core, an answer becomes bytes. What is protected of an agent is in `core::agents`.

pub mod claude;
pub(crate) mod fields;
mod hook;
pub mod message;
#[cfg(test)]
pub(crate) mod testing;

use std::fmt::Debug;

use serde_json::{Value, value::RawValue};

pub use self::hook::Hook;
use self::message::{Error, Input, Printed, Reply};
use crate::core::{event::ToolCall, outcome::Rewrite, tool::ToolResult};

/// An agent client: how it tells its events, and how it is answered.
pub trait Client: Debug + Sync {
    /// What `--client` calls it.
    fn name(&self) -> &'static str;

    fn capabilities(&self) -> &'static [Capability];

    /// So many holds in a row are obeyed; `None`: all of them.
    fn stop_brake(&self) -> Option<u32>;

    fn can(&self, capability: Capability) -> bool {
        self.capabilities().contains(&capability)
    }

    /// Reads an event. `word` is the command line's, for payloads that do not name their event.
    ///
    /// # Errors
    /// Where there is nothing for the gates: the payload is no event that they know.
    fn parse<'a>(&self, word: &str, payload: &'a str) -> Result<Input<'a>, Error>;

    /// The calls that a call of a tool with this input (JSON) holds: itself, unless it holds others.
    fn calls<'a>(&self, tool: &str, json: &'a str) -> Vec<ToolCall<'a>>;

    /// The names of its tools, old ones among them.
    fn tools(&self) -> Vec<&'static str>;

    /// What a tool that ran answered.
    fn result(&self, call: &ToolCall, answer: Option<&RawValue>) -> ToolResult;

    /// The input with which a call starts a subagent as a gate wants it, with this prompt; `None`
    /// where it may stay as it is.
    fn launch_input(&self, call: &ToolCall, rewrite: &Rewrite, prompt: &str) -> Option<Value>;

    /// An answer as the client reads it.
    fn render(&self, reply: Reply, hook: Hook) -> Printed;
}

/// What a client may be able to do. Rules ask for these, and never which client it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// A hook can have the client ask the user about a call.
    Ask,
    /// A hook can hold the end of a turn.
    HoldStop,
    /// A hook can hold the end of a subagent.
    HoldSubagentStop,
    /// Events inside a subagent say which one it is.
    NameSubagents,
    /// A hook can change the input of a call.
    ReplaceInput,
    /// A failed command's exit code is told.
    ExitCodes,
    /// A stop lists what still runs in the background.
    ListBackgroundTasks,
    /// Lines in a file set up the environment of the client's shells, so that they find shims.
    EnvironmentFile,
}

/// The clients that roz serves; the first one is meant where nothing says which.
pub const ALL: &[&dyn Client] = &[&claude::ClaudeCode];

/// The client of that name.
pub fn find(name: &str) -> Option<&'static dyn Client> {
    ALL.iter().copied().find(|client| client.name() == name)
}
