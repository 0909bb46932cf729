//! A word after expansion.

use super::super::{Certainty, HOLE};

/// A word after expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Field {
    pub(in super::super) text: String,
    /// An unquoted hole stands in it: it may be several words, or none.
    pub(in super::super) loose: bool,
    /// Unquoted pattern characters stand in it.
    pub(in super::super) glob: bool,
    /// Something other than the line's own text is in it.
    pub(in super::super) resolved: bool,
}

impl Field {
    pub(in super::super) fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(in super::super) fn is_unknown(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|character| character == HOLE)
    }

    pub(in super::super) fn has_hole(&self) -> bool {
        self.text.contains(HOLE)
    }

    pub(in super::super) fn certainty(&self) -> Certainty {
        if self.has_hole() {
            Certainty::Opaque
        } else if self.resolved {
            Certainty::Resolved
        } else {
            Certainty::Literal
        }
    }

    /// The same properties with other text.
    pub(in super::super) fn with_text(&self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self.clone() }
    }
}

/// The words as one line, as `eval` and `ssh` read them.
pub(in super::super) fn joined(fields: &[Field]) -> String {
    let texts: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
    texts.join(" ")
}

pub(in super::super) fn texts(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.text.clone()).collect()
}
