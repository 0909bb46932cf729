//! What a client tells, and what it is answered, whatever its JSON looks like.

use std::path::{Path, PathBuf};

use serde_json::{Value, value::RawValue};

use super::{Client, Hook};
use crate::core::{
    event::{Event, ToolCall},
    session::{BadSessionId, SessionId},
    tool::ToolResult,
};

/// One event, as a client told it.
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
    /// The other events, where a tool call holds several calls: one for each.
    pub more: Vec<Event<'a>>,
    /// What a tool that ran answered, or the error with which it failed.
    pub answer: Option<&'a RawValue>,
    /// The exit code of a command that ran, where the client's transcript tells it.
    pub exit_code: Option<i32>,
    /// The folder that the client gives agents for files outside the work.
    pub scratchpad: Option<PathBuf>,
    pub warnings: Vec<String>,
}

impl<'a> Input<'a> {
    /// What a call of it answered.
    pub fn result(&self, call: &ToolCall) -> ToolResult {
        let result = self.client.result(call, self.answer);
        ToolResult { exit_code: result.exit_code.or(self.exit_code), ..result }
    }

    /// A call that did not come from a client: one that is explained, or a program that starts.
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

/// Why there is nothing for the gates.
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
    /// The client sends this event, and no gate needs it.
    #[error("not for us")]
    NotForUs,
}

/// What is to be said to the client.
#[derive(Debug, Default, Clone)]
pub struct Reply {
    pub decision: Decision,
    pub context: String,
    pub message: String,
    /// New input for the call.
    pub updated_input: Option<Value>,
}

/// No text in a reply is longer, in characters: Claude Code takes no more.
pub const MAX_TEXT: usize = 10_000;

impl Reply {
    /// The reply to two calls that the client made as one: the decision that weighs more, and what is
    /// said beside both. New input for one of them is none for the whole.
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
