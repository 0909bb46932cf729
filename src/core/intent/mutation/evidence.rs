//! What a class is based on, as the ledger keeps it.

use serde::{Deserialize, Serialize};

/// The step that decided the class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Identical,
    /// Of an older roz: nothing differs but layout.
    FormatOnly,
    /// Nothing differs but comments, docstrings and layout.
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
    /// The set of public definitions differs.
    PublicSurface,
    NewFile,
    DeletedFile,
    /// The text before is not known.
    #[default]
    Unseen,
    SyntaxError,
    NoGrammar,
    Binary,
    TooLarge,
    TooTangled,
    /// A step of another version of roz: old ledgers have some more.
    #[serde(other)]
    Other,
}

impl Step {
    /// Whether the step shows that the change is a refactoring.
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

    /// The word in the ledger.
    pub fn word(self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        value.as_str().unwrap_or_default().to_owned()
    }
}

/// What a class is based on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub step: Step,
    /// Whether the step shows that the change is a refactoring; if not, the class is a guess.
    pub proved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Why the texts could not be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(default)]
    pub net: Net,
    /// The old name and the new one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<(String, String)>,
    /// The definitions that went to another file or came from one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<Touched>,
    /// For each line that was written, the mark by which blame finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// The former name of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// What the change added, less what it removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Net {
    /// Branches and loops.
    pub flow: i64,
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

/// A definition that the change touched.
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
