//! The events and answers of all clients, independent of their JSON.

use std::path::{Path, PathBuf};

use serde_json::{Value, value::RawValue};

use super::{Client, Hook};
use crate::core::{
    event::{Event, ToolCall},
    session::{BadSessionId, SessionId},
    tool::ToolResult,
};

/// One event from a client.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    pub client: &'static dyn Client,
    pub hook: Hook,
    /// The JSON that it was read from.
    pub payload: &'a str,
    pub session_id: SessionId,
    pub cwd: Option<PathBuf>,
    pub transcript_path: Option<PathBuf>,
    pub event: Event<'a>,
    /// The other events, one for each call, if a tool call contains several calls.
    pub more: Vec<Event<'a>>,
    /// The answer of a tool that ran, or its error.
    pub answer: Option<&'a RawValue>,
    /// The exit code of a command that ran, if it is in the client's transcript.
    pub exit_code: Option<i32>,
    /// The folder that the client gives agents for files outside the work.
    pub scratchpad: Option<PathBuf>,
    pub warnings: Vec<String>,
}

impl<'a> Input<'a> {
    /// The result of one of its calls.
    pub fn result(&self, call: &ToolCall) -> ToolResult {
        let result = self.client.result(call, self.answer);
        ToolResult { exit_code: result.exit_code.or(self.exit_code), ..result }
    }

    /// A call that does not come from a client, such as one to explain, or a program that starts.
    pub fn of_call(event: Event<'a>, payload: &'a str, session_id: SessionId, cwd: &Path) -> Self {
        Self {
            client: super::ALL[0],
            hook: Hook::PreToolUse,
            payload,
            session_id,
            cwd: Some(cwd.to_owned()),
            transcript_path: None,
            event,
            more: Vec::new(),
            answer: None,
            exit_code: None,
            scratchpad: None,
            warnings: Vec::new(),
        }
    }
}

/// Why a payload is not passed to the gates.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("standard input is not a JSON object")]
    Malformed(#[source] serde_json::Error),
    #[error("the payload names no session")]
    NoSession,
    #[error(transparent)]
    BadSession(#[from] BadSessionId),
    #[error("`{0}` is not an event that this roz knows")]
    UnknownEvent(String),
    /// No gate needs this event.
    #[error("not for us")]
    NotForUs,
}

/// The answer to a client.
#[derive(Debug, Default, Clone)]
pub struct Reply {
    pub decision: Decision,
    pub context: String,
    pub message: String,
    /// New input for the call.
    pub updated_input: Option<Value>,
}

/// The longest text in a reply, in characters. Claude Code does not accept more.
pub const MAX_TEXT: usize = 10_000;

impl Reply {
    /// Combines the replies to two calls that the client sent as one: the stricter decision, and
    /// the messages of both. New input for one of them is dropped.
    #[must_use]
    pub fn and(mut self, next: Reply) -> Self {
        if next.decision.weight() > self.decision.weight() {
            self.decision = next.decision;
        }
        for (text, more) in [(&mut self.context, next.context), (&mut self.message, next.message)] {
            if !text.is_empty() && !more.is_empty() {
                text.push('\n');
            }
            text.push_str(&more);
        }
        self.updated_input = None;
        self
    }
}

/// From mildest to sternest.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum Decision {
    #[default]
    None,
    Ask(String),
    Object(String),
}

impl Decision {
    fn weight(&self) -> u8 {
        match self {
            Decision::None => 0,
            Decision::Ask(_) => 1,
            Decision::Object(_) => 2,
        }
    }
}

/// What the hook process prints.
#[derive(Debug, PartialEq)]
pub struct Printed {
    pub stdout: Value,
    /// For stderr, as it is, with exit code 2.
    pub refusal: Option<String>,
}
