//! What a class rests on, as it stands in the ledger.

use serde::{Deserialize, Serialize};

use crate::outline::Kind;

/// What a class rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Identical,
    CommentOnly,
    FormatOnly,
    ImportOrder,
    Reorder,
    Rename,
    ExtractOrInline,
    Move,
    ImportsOnly,
    BodyOnly,
    ModuleLevel,
    PrivateSignature,
    PrivateDefinitions,
    PublicSurface,
    NewFile,
    DeletedFile,
    /// The text before is not known.
    Unseen,
    SyntaxError,
    NoGrammar,
    Binary,
    TooLarge,
    TooTangled,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub step: Step,
    /// The file does what it did.
    pub proved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Why nobody can say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(default)]
    pub public_surface: Surface,
    #[serde(default)]
    pub net: Net,
    /// Old and new names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<(String, String)>,
    /// Definitions that went to another file or came from one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<Touched>,
    /// Of each line that was written, the mark that blame finds it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// The file that this one was, where it has another name now and else is
    /// what it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Definitions beyond those.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_definitions: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(it: &usize) -> bool {
    *it == 0
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    #[default]
    Unchanged,
    Changed,
}

/// What the change added, less what it took away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Net {
    /// Branches and loops.
    pub flow: i64,
    /// Different names.
    pub identifiers: i64,
    /// Different names that are called.
    pub calls: i64,
    /// Names that are visible outside.
    pub public_names: i64,
    pub definitions: i64,
}

/// A definition that is in another file now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    pub name: String,
    pub from: String,
    pub to: String,
}

/// A definition that the change concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    pub name: String,
    pub kind: Kind,
    pub change: How,
    /// In the text after; of one that is gone, in the text before.
    pub lines: (usize, usize),
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub public: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    Added,
    Modified,
    Removed,
}

impl Step {
    pub fn is_proof(self) -> bool {
        matches!(
            self,
            Self::Identical
                | Self::CommentOnly
                | Self::FormatOnly
                | Self::ImportOrder
                | Self::Reorder
                | Self::Rename
                | Self::ExtractOrInline
                | Self::Move
        )
    }

    /// As it stands in the ledger.
    pub fn word(self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        value.as_str().unwrap_or_default().to_owned()
    }
}
