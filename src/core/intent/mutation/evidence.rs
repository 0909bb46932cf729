//! Why a change has its class, as the ledger records it.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Identical,
    /// Written by an older roz: only layout differs.
    FormatOnly,
    /// Only comments, docstrings and layout differ.
    CommentOnly,
    /// The same definitions and imports in another order.
    Reorder,
    /// The same definitions in another file of the call.
    Move,
    /// One consistent renaming of identifiers makes both texts equal.
    Rename,
    /// The same public definitions, and no more control flow.
    SameSurface,
    /// Control flow was added.
    ControlFlow,
    PublicSurface,
    NewFile,
    DeletedFile,
    #[default]
    Unseen,
    SyntaxError,
    NoGrammar,
    Binary,
    TooLarge,
    TooTangled,
    /// A step of another version of roz.
    #[serde(other)]
    Other,
}

impl Step {
    /// Whether the step proves a refactoring.
    pub fn is_proof(self) -> bool {
        matches!(
            self,
            Self::Identical
                | Self::FormatOnly
                | Self::CommentOnly
                | Self::Reorder
                | Self::Move
                | Self::Rename
        )
    }

    pub fn word(self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        value.as_str().unwrap_or_default().to_owned()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub step: Step,
    /// Otherwise the class is a guess.
    pub proved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(default)]
    pub net: Net,
    /// (old name, new name)
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<Touched>,
    /// For each written line, the mark by which blame finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// Added minus removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Net {
    pub flow: i64,
    pub public_names: i64,
    pub definitions: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    pub name: String,
    pub from: String,
    pub to: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    pub name: String,
    pub change: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    Added,
    Modified,
    Removed,
}
