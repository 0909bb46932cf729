//! A word after expansion, with what is unknown about it.

use super::{Certainty, HOLE};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) text: String,
    /// It has an unquoted hole, so it may be several words, or none.
    pub(super) loose: bool,
    /// It has unquoted wildcards.
    pub(super) glob: bool,
    /// It has text that the line does not contain literally.
    pub(super) resolved: bool,
}

impl Field {
    pub(super) fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(super) fn is_unknown(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|character| character == HOLE)
    }

    pub(super) fn has_hole(&self) -> bool {
        self.text.contains(HOLE)
    }

    pub(super) fn certainty(&self) -> Certainty {
        if self.has_hole() {
            Certainty::Opaque
        } else if self.resolved {
            Certainty::Resolved
        } else {
            Certainty::Literal
        }
    }

    pub(super) fn with_text(&self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self.clone() }
    }
}

/// The words as one line, as `eval` and `ssh` read them.
pub(super) fn joined(fields: &[Field]) -> String {
    let texts: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
    texts.join(" ")
}

pub(super) fn texts(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.text.clone()).collect()
}
