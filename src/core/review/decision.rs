//! The decisions on a review, and who made them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Decision {
    #[default]
    Pending,
    Complete {
        summary: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        second_opinions: Option<String>,
    },
    Issues {
        summary: String,
        message_to_agent: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Posted {
    pub decision: Decision,
    pub posted_at: DateTime<Utc>,
    pub by: By,
    pub cycle: u64,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub proof: Value,
    /// The git tree that was reviewed.
    pub tree: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// With its `agent_id`.
    Reviewer(String),
    Human,
}

impl Decision {
    pub fn verdict(&self) -> &'static str {
        match self {
            Decision::Pending => "PENDING",
            Decision::Complete { .. } => "COMPLETE",
            Decision::Issues { .. } => "ISSUES",
        }
    }

    pub fn summary(&self) -> &str {
        match self {
            Decision::Pending => "",
            Decision::Complete { summary, .. } | Decision::Issues { summary, .. } => summary,
        }
    }
}

impl std::fmt::Display for By {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            By::Reviewer(agent) => write!(f, "reviewer {agent}"),
            By::Human => f.write_str("human"),
        }
    }
}
