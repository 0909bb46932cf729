//! The id of a session.

use serde::{Deserialize, Serialize};

use super::bounded;

/// An identifier that is safe as a file name: `[A-Za-z0-9_-]{1,128}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct SessionId(String);

pub const RUN: &str = "run-";

#[derive(Debug, thiserror::Error)]
#[error("`{}` is not a session id: use up to 128 letters, digits, `-` and `_`", bounded::line(.0, 60))]
pub struct BadSessionId(String);

impl SessionId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the session of `roz run` itself, and not the one that its agent's hooks
    /// report.
    pub fn is_of_run(&self) -> bool {
        self.0.starts_with(RUN)
    }
}

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SessionId {
    type Error = BadSessionId;

    fn try_from(id: String) -> Result<Self, BadSessionId> {
        let safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if id.is_empty() || id.len() > 128 || !id.chars().all(safe) {
            return Err(BadSessionId(id));
        }
        Ok(Self(id))
    }
}

impl std::str::FromStr for SessionId {
    type Err = BadSessionId;

    fn from_str(id: &str) -> Result<Self, BadSessionId> {
        Self::try_from(id.to_owned())
    }
}
