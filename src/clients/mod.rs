//! How each supported agent sends events and is answered. Pure: turns bytes into an event of the
//! core, and an answer into bytes. The files of an agent that are protected are in `core::agents`.

pub(crate) mod claude;
mod codex;
mod copilot;
mod dialect;
mod envelope;
pub(crate) mod fields;
mod from_documents;
mod gemini;
mod hook_event;
pub mod message;
mod opencode;
mod qwen;
pub mod setup;
#[cfg(test)]
pub(crate) mod testing;
mod tool_result;

use std::{collections::BTreeMap, fmt::Debug};

use serde_json::{Value, value::RawValue};

pub use self::hook_event::Hook;
use self::{
    message::{Error, Input, Printed, Reply},
    setup::{File, Setup},
};
use crate::core::{event::ToolCall, outcome::Rewrite, tool::ToolResult};

/// An agent client: how it tells its events, and how it is answered.
pub trait Client: Debug + Sync {
    /// What `--client` calls it.
    fn name(&self) -> &'static str;

    /// What its makers call it.
    fn title(&self) -> &'static str {
        self.name()
    }

    fn capabilities(&self) -> &'static [Capability];

    /// So many holds in a row are obeyed; `None`: all of them.
    fn stop_brake(&self) -> Option<u32>;

    fn can(&self, capability: Capability) -> bool {
        self.capabilities().contains(&capability)
    }

    /// How it is installed; none where roz does not.
    fn setup(&self) -> Option<&Setup> {
        None
    }

    /// The files that an installation writes into the client's folder, for the binary at this path.
    fn files(&self, _binary: &str) -> Vec<File> {
        Vec::new()
    }

    /// Payloads that it sent when it was recorded: a prompt, a shell command, a stop.
    fn recorded(&self) -> &'static [(Hook, &'static str)] {
        &[]
    }

    /// Reads an event. `word` is the command line's, for payloads that do not name their event.
    ///
    /// # Errors
    /// If there is nothing for the gates: the payload is not an event that they know.
    fn parse<'a>(&'static self, word: &str, payload: &'a str) -> Result<Input<'a>, Error>;

    /// The calls that a call of a tool with this input (JSON) holds: itself, unless it holds others.
    fn calls<'a>(&self, tool: &str, json: &'a str) -> Vec<ToolCall<'a>>;

    /// The names of its tools, old ones among them.
    fn tools(&self) -> Vec<&'static str>;

    /// What a tool that ran answered.
    fn result(&self, call: &ToolCall, answer: Option<&RawValue>) -> ToolResult;

    /// The input with which a call starts a subagent as a gate wants it, with this prompt; `None`
    /// where it may stay as it is.
    fn launch_input(&self, call: &ToolCall, rewrite: &Rewrite, prompt: &str) -> Option<Value>;

    /// The files and folders of a project in which an agent may take the reviewer's place, if this
    /// client lets one.
    fn project_reviewers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The exit code of a call, if this line of the client's transcript tells it.
    fn recorded_exit_code(&self, _line: &str, _tool_use_id: &str) -> Option<i32> {
        None
    }

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
    /// A call has an id, the same before and after it.
    NameCalls,
    /// A subagent can be told something at its start.
    BriefReviewer,
    /// A hook can change the input of a call.
    ReplaceInput,
    /// A failed command's exit code is told to the hook.
    ExitCodes,
    /// A stop lists what still runs in the background.
    ListBackgroundTasks,
    /// Lines in a file set up the environment of the client's shells, so that they find shims.
    EnvironmentFile,
    /// A hook's message is shown to the user.
    TellUser,
}

impl Capability {
    pub const ALL: [Capability; 11] = [
        Capability::Ask,
        Capability::HoldStop,
        Capability::HoldSubagentStop,
        Capability::NameSubagents,
        Capability::NameCalls,
        Capability::BriefReviewer,
        Capability::ReplaceInput,
        Capability::ExitCodes,
        Capability::ListBackgroundTasks,
        Capability::EnvironmentFile,
        Capability::TellUser,
    ];

    /// What the user has of it, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Capability::Ask => "asks the user about a call",
            Capability::HoldStop => "goes on when a stop is held",
            Capability::HoldSubagentStop => "goes on when a subagent's stop is held",
            Capability::NameSubagents => "tells which subagent acts",
            Capability::NameCalls => "gives each call an id",
            Capability::BriefReviewer => "tells a reviewer its brief and token",
            Capability::ReplaceInput => "starts the reviewer with roz's own prompt",
            Capability::ExitCodes => "tells a hook the exit code",
            Capability::ListBackgroundTasks => "lists background tasks at a stop",
            Capability::EnvironmentFile => "sets up its shells for shims by itself",
            Capability::TellUser => "shows the user what roz says",
        }
    }
}

/// The clients that roz serves; the first one is meant where nothing says which.
pub const ALL: &[&dyn Client] = &[
    &claude::CLAUDE,
    &codex::CODEX,
    &copilot::COPILOT,
    &qwen::QWEN,
    &opencode::OPENCODE,
    &gemini::GEMINI,
    &from_documents::CURSOR,
    &from_documents::DROID,
    &from_documents::VSCODE,
    &from_documents::DEVIN,
    &from_documents::CLINE,
    &from_documents::WINDSURF,
];

/// So many of them were run, and are installed by `roz install`; of the others there are documents.
const RUN: usize = 6;

pub fn run() -> &'static [&'static dyn Client] {
    &ALL[..RUN]
}

/// The client of that name.
pub fn find(name: &str) -> Option<&'static dyn Client> {
    ALL.iter().copied().find(|client| client.name() == name)
}

/// The client that sends such a payload, where the command line does not say: another agent may have
/// loaded the hooks of the first one.
pub fn detect(payload: &str) -> &'static dyn Client {
    let keys: BTreeMap<&str, &RawValue> = serde_json::from_str(payload).unwrap_or_default();
    let has = |key: &str| keys.contains_key(key);
    let says = |key: &str, part: &str| keys.get(key).is_some_and(|json| json.get().contains(part));
    let found: &'static dyn Client = if has("cursor_version") {
        &from_documents::CURSOR
    } else if has("clineVersion") {
        &from_documents::CLINE
    } else if has("agent_action_name") {
        &from_documents::WINDSURF
    } else if has("prompt_id") && !has("timestamp") {
        &claude::CLAUDE
    } else if has("turn_id") {
        &codex::CODEX
    } else if says("transcript_path", "/.qwen/") {
        &qwen::QWEN
    } else if says("transcript_path", "/.gemini/") {
        &gemini::GEMINI
    } else if has("sessionId") || has("session_id") && has("timestamp") && !has("prompt_id") {
        &copilot::COPILOT
    } else {
        ALL[0]
    };
    found
}
