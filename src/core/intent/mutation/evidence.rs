//! What a class is based on, as the ledger keeps it.

use serde::{Deserialize, Serialize};

use crate::outline::Kind;

/// The step that decided the class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Identical,
    /// Nothing differs but white space and other layout.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub step: Step,
    /// Whether the step shows that the change is a refactoring; if not, the
    /// class is a guess.
    pub proved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Why the texts could not be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(default)]
    pub public_surface: Surface,
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
    /// How many more definitions were touched than are listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_definitions: usize,
    /// For each line that was written, the mark by which blame finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// The former name of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Whether code outside knows the definitions by the same names: public ones,
/// methods of a trait, and those that the language calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    #[default]
    Unchanged,
    Changed,
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
    pub kind: Kind,
    pub change: How,
    /// In the text after; of a removed definition, in the text before.
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
