//! The ledger's records: which lines of which files a call changed, for which intent, in which
//! session; and which calls were refused.
//!
//! A record is an [Agent Trace](https://agent-trace.dev) 0.1.0 record. In addition to its names it
//! has those of the design documents for the same things (`relative_path`, `entity_type`,
//! `model_identifier`, `value`, `revision_id`); the rest is in `metadata["dev.roz"]`. [`shape`]
//! validates records, [`chain`] checks how they are linked, and [`who_changed`] says who changed a
//! file last.

pub mod chain;
pub mod record_schema;
pub mod who_changed;

use chrono::{DateTime, SubsecRound as _, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::changed_lines::{Changed, LineRange};
use crate::core::{bounded, refusal, session_id::SessionId};

pub const VERSION: &str = "0.1.0";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub version: String,
    /// A UUID, version 7, so ids sort by time.
    pub id: String,
    pub timestamp: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vcs: Option<Vcs>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    #[serde(default)]
    pub session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_id: Option<String>,
    /// The strongest class of its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation_class: Option<MutationClass>,
    /// Empty if the call was refused.
    pub files: Vec<FileTrace>,
    #[serde(default)]
    pub metadata: Metadata,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vcs {
    pub r#type: String,
    pub revision: String,
    #[serde(default)]
    pub revision_id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    #[serde(default)]
    pub version: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTrace {
    /// Relative to the repository, with `/`.
    pub path: String,
    #[serde(default)]
    pub relative_path: String,
    pub conversations: Vec<Conversation>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// `urn:claude:session:<id>`.
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub contributor: Contributor,
    pub ranges: Vec<LineRange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contributor {
    pub r#type: String,
    #[serde(default)]
    pub entity_type: String,
    /// As on models.dev: `anthropic/claude-opus-4-5-20251101`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// As the client names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_identifier: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    pub r#type: String,
    /// `urn:intent:INT-001`.
    pub url: String,
    #[serde(default)]
    pub value: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    #[serde(rename = "dev.roz", default)]
    pub roz: Details,
}

/// Fields that Agent Trace does not have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Details {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileDetails>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_class: Option<MutationClass>,
    /// Whether the declared class is the one that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
    /// Why the work tree was not searched for other changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_looked: Option<String>,
    /// Why the call did not run; with `files`, why the change breaks the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// Counts the records of the session, from 1.
    #[serde(default)]
    pub seq: u64,
    /// The SHA-256 of the line of the session's previous record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileDetails {
    pub path: String,
    /// Without the ranges, which Agent Trace has a field for.
    #[serde(flatten)]
    pub changed: Changed,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation_class: Option<MutationClass>,
    /// What the class is based on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Value>,
}

/// From weakest to strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MutationClass {
    AstRefactor,
    IntentEvolution,
}

/// `code` is the word of a [`refusal::Code`], perhaps of a newer roz.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Call<'a> {
    pub now: DateTime<Utc>,
    /// Random bytes that no other record uses.
    pub dice: &'a [u8; 32],
    pub session_id: &'a SessionId,
    pub agent_id: Option<&'a str>,
    pub model: Option<&'a str>,
    pub intent_id: Option<&'a str>,
    /// The commit that is checked out; `None` before the first one.
    pub revision: Option<&'a str>,
    pub tool_name: &'a str,
    pub tool_use_id: Option<&'a str>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    pub files: Vec<FileDetails>,
    pub declared_class: Option<MutationClass>,
    pub not_looked: Option<String>,
    /// Which rule it breaks, if any.
    pub violation: Option<Refusal>,
}

/// Bytes that are kept of a text.
const MAX_TEXT: usize = 2000;

impl Record {
    pub fn of_change(call: &Call, change: Change) -> Self {
        let Change { mut files, declared_class, not_looked, violation } = change;
        let mut record = Self::new(call);
        record.mutation_class = files.iter().filter_map(|file| file.mutation_class).max();
        for file in &mut files {
            let ranges = std::mem::take(&mut file.changed.ranges);
            record.files.push(FileTrace {
                path: file.path.clone(),
                relative_path: file.path.clone(),
                conversations: vec![call.conversation(ranges)],
            });
        }
        let roz = &mut record.metadata.roz;
        roz.files = files;
        roz.declared_class = declared_class;
        roz.agrees = declared_class.zip(record.mutation_class).map(|(one, other)| one == other);
        roz.not_looked = not_looked;
        roz.refusal = violation.map(Refusal::kept);
        record
    }

    fn new(call: &Call) -> Self {
        let own = |text: Option<&str>| text.map(|text| bounded::cut(text, MAX_TEXT).to_owned());
        let vcs = |revision: &str| Vcs {
            r#type: "git".to_owned(),
            revision: revision.to_owned(),
            revision_id: revision.to_owned(),
        };
        let tool = Tool { name: "roz".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
        let roz = Details {
            agent_id: own(call.agent_id),
            tool_name: own(Some(call.tool_name)),
            tool_use_id: own(call.tool_use_id),
            ..Details::default()
        };
        Self {
            version: VERSION.to_owned(),
            id: uuid(call.now, call.dice),
            timestamp: call.now.trunc_subsecs(3),
            vcs: call.revision.map(vcs),
            tool: Some(tool),
            session_id: call.session_id.to_string(),
            intent_id: own(call.intent_id),
            mutation_class: None,
            files: Vec::new(),
            metadata: Metadata { roz },
        }
    }

    /// Reads a line of any version of roz; `None` if another program wrote it.
    pub fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// Appends it to its session: `prev` is the hash of the previous record's line.
    pub fn follow(&mut self, seq: u64, prev: Option<String>) {
        (self.metadata.roz.seq, self.metadata.roz.prev) = (seq, prev);
    }

    pub fn is_refusal(&self) -> bool {
        self.files.is_empty() && self.metadata.roz.refusal.is_some()
    }

    pub fn touches(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.iter().any(|file| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl From<&refusal::Refusal> for Refusal {
    fn from(refusal: &refusal::Refusal) -> Self {
        Self {
            code: refusal.code.to_string(),
            message: Some(refusal.message.clone()),
            file: refusal.file.clone(),
            command: None,
        }
    }
}

impl Refusal {
    fn kept(mut self) -> Self {
        for text in [&mut self.message, &mut self.file, &mut self.command].into_iter().flatten() {
            text.truncate(text.floor_char_boundary(MAX_TEXT));
        }
        self
    }
}

impl Call<'_> {
    fn conversation(&self, ranges: Vec<LineRange>) -> Conversation {
        let related = |id: &str| Related {
            r#type: "specification".to_owned(),
            url: format!("urn:intent:{}", escaped(id)),
            value: bounded::cut(id, MAX_TEXT).to_owned(),
        };
        Conversation {
            url: format!("urn:claude:session:{}", escaped(self.session_id.as_str())),
            contributor: Contributor {
                r#type: "ai".to_owned(),
                entity_type: "AI".to_owned(),
                model_id: self.model.map(str::to_owned),
                model_identifier: self.model.map(str::to_owned),
            },
            ranges,
            related: self.intent_id.map(related).into_iter().collect(),
        }
    }
}

fn escaped(text: &str) -> String {
    let text = bounded::cut(text, MAX_TEXT);
    let mut res = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            res.push(char::from(byte));
        } else {
            res.push('%');
            res.push_str(&bounded::hex(&[byte]).to_uppercase());
        }
    }
    res
}

/// Version 7 (RFC 9562): milliseconds, then random bits.
fn uuid(now: DateTime<Utc>, dice: &[u8; 32]) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&dice[..16]);
    bytes[..6].copy_from_slice(&now.timestamp_millis().to_be_bytes()[2..]);
    bytes[6] = 0x70 | bytes[6] & 0x0f;
    bytes[8] = 0x80 | bytes[8] & 0x3f;
    let hex = bounded::hex(&bytes);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests;
