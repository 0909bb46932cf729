//! Sidecar files that a call changed without being judged first. Only a person may widen a scope,
//! so the change does not count until a person confirms it or it is undone.
//!
//! Only what the call left behind is unconfirmed, byte for byte: changes between calls are a
//! person's, and the content of a commit is trusted.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::selection::{self, Refused};
use crate::core::{
    bounded,
    refusal::{Code, Refusal},
};

/// The files that decide what an agent may do, relative to the project's root.
pub const FILES: [&str; 2] = [selection::FILE, selection::IGNORE];

/// Content hashes of the [`FILES`] that exist.
pub type FileHashes = BTreeMap<String, String>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnconfirmedChange {
    pub file: String,
    /// The last trusted content; `None` if the file did not exist.
    pub before: Option<String>,
    pub left: Option<String>,
    pub session_id: String,
    pub tool_name: String,
    pub at: DateTime<Utc>,
    /// The command that session was given for undoing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way_back: Option<String>,
}

impl UnconfirmedChange {
    pub fn refuses(&self, tool: &str, session_id: &str) -> Refused {
        let Self { file, tool_name, at, .. } = self;
        let file = bounded::plain_line(&bounded::line(file, 60));
        let whose = if self.session_id == session_id {
            "of this session".to_owned()
        } else {
            format!("of session {}", bounded::session_shown(&self.session_id))
        };
        let by_tool =
            if tool_name.is_empty() { String::new() } else { bounded::line(tool_name, 60) + " " };
        let how = format!("a {by_tool}call {whose} changed it at {} UTC", at.format("%H:%M"));
        let message = format!(
            "`{file}` cannot be relied on: {how}, and what an agent may do is a person's to say."
        );
        let way_back = self.way_back.as_ref().filter(|_| self.session_id == session_id);
        let mut refusal = Refusal::new(Code::SidecarInvalid, tool, message).about(file);
        if let Some(command) = way_back {
            refusal = refusal.recovery(format!("To take it back: `{command}`"));
        }
        let who = if way_back.is_some() { "Or the user" } else { "The user" };
        let refusal = refusal.recovery(format!(
            "{who} looks at it (`git diff .orchestration`), and confirms it with `roz intent \
             confirm` (which asks them if you run it)."
        ));
        Box::new(refusal)
    }
}
