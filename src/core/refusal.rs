//! Why a call is refused, for programs: one line of JSON at the end of what the agent reads, the
//! same for every gate.

use serde::Serialize;

use crate::shell::HOLE;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
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

/// The keys that have a value, in this order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refusal {
    pub code: Code,
    /// A sentence for the agent.
    #[serde(skip_serializing_if = "String::is_empty")]
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
    /// What to do about it, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recovery: Vec<String>,
    /// The rule of self-protection, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
}

impl Code {
    pub fn word(self) -> &'static str {
        match self {
            Code::MissingIntent => "MISSING_INTENT",
            Code::InvalidIntent => "INVALID_INTENT",
            Code::IntentNotActive => "INTENT_NOT_ACTIVE",
            Code::IntentIgnored => "INTENT_IGNORED",
            Code::ScopeViolation => "SCOPE_VIOLATION",
            Code::ProtectedPath => "PROTECTED_PATH",
            Code::ProtectedCommand => "PROTECTED_COMMAND",
            Code::StaleFile => "STALE_FILE",
            Code::HitlRequired => "HITL_REQUIRED",
            Code::CircuitOpen => "CIRCUIT_OPEN",
            Code::SidecarInvalid => "SIDECAR_INVALID",
            Code::LedgerUnwritable => "LEDGER_UNWRITABLE",
        }
    }
}

impl Refusal {
    pub fn new(code: Code, tool_name: &str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            tool_name: tool_name.to_owned(),
            intent_id: None,
            file: None,
            owned_scope: None,
            expected_hash: None,
            actual_hash: None,
            changed_by: None,
            recovery: Vec::new(),
            rule: None,
        }
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

    /// One line, below the sentence and what to do about it, neither of which it repeats.
    pub fn json(&self) -> String {
        let line = Self { message: String::new(), recovery: Vec::new(), ..self.clone() };
        // Holes are ours; nobody else knows them.
        serde_json::to_string(&line).unwrap_or_default().replace(HOLE, "…")
    }
}
