//! Files of the sidecar that a call has changed where nobody could see it: who widens a scope is a
//! person, so what they say now counts for nothing until a person has said so, or they are what
//! they were.
//!
//! In doubt is what the call left behind, byte for byte. What is changed between two calls is a
//! person's, and what a commit of the project holds is nobody's change.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::selection::{self, Refused};
use crate::core::{
    bounded,
    refusal::{Code, Refusal},
};

/// The files that say what an agent may do, from the project's root.
pub const FILES: [&str; 2] = [selection::FILE, selection::IGNORE];

/// The hash of what each of [`FILES`] holds, of those that are there.
pub type Stand = BTreeMap<String, String>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    pub file: String,
    /// What it held when that was last somebody's word; none: it was not there.
    pub before: Option<String>,
    /// What the call left there.
    pub left: Option<String>,
    pub session_id: String,
    pub tool_name: String,
    pub at: DateTime<Utc>,
    /// What that session was told to take it back by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way_back: Option<String>,
}

impl Doubt {
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
