//! Why a call is refused, as one line of JSON at the end of what the agent reads; the same for
//! every gate.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{core::bounded, shell::HOLE};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    #[default]
    MissingIntent,
    InvalidIntent,
    IntentNotActive,
    IntentIgnored,
    ScopeViolation,
    ProtectedPath,
    ProtectedCommand,
    StaleFile,
    HitlRequired,
    CircuitOpen,
    SidecarInvalid,
    LedgerUnwritable,
}

/// Serialised in this order, without empty fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Refusal {
    pub code: Code,
    #[serde(skip)]
    pub message: String,
    pub tool_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owned_scope: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<String>,
    /// What to do, one sentence each.
    #[serde(skip)]
    pub recovery: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.serialize(f)
    }
}

impl Refusal {
    pub fn new(code: Code, tool_name: &str, message: impl Into<String>) -> Self {
        let (message, tool_name) = (message.into(), tool_name.to_owned());
        Self { code, message, tool_name, ..Self::default() }
    }

    #[must_use]
    pub fn about(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    #[must_use]
    pub fn of_intent(mut self, id: &str) -> Self {
        self.intent_id = Some(id.to_owned());
        self
    }

    #[must_use]
    pub fn recovery(mut self, step: impl Into<String>) -> Self {
        self.recovery.push(step.into());
        self
    }

    /// One line that repeats neither the message nor the recovery above it.
    pub fn json(&self) -> String {
        // Holes are internal characters.
        serde_json::to_string(self).unwrap_or_default().replace(HOLE, "…")
    }
}

/// For people: the message and the recovery.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&bounded::plain_line(&self.message))?;
        self.recovery.iter().try_for_each(|step| write!(f, " {}", bounded::plain_line(step)))
    }
}

impl std::error::Error for Refusal {}
