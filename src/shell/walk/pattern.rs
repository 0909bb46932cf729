//! Shell patterns over known text, for `case` and for `${x#…}`.

use super::super::HOLE;
use super::super::glob::{self, Token};

/// A pattern's tokens, with quoted characters literal.
#[derive(Debug, Clone, Default)]
pub(super) struct Pattern {
    tokens: Vec<Token>,
    /// Something in it that is not modelled: holes, extended globs.
    pub(super) unknown: bool,
}

impl Pattern {
    pub(super) fn push(&mut self, text: &str, quoted: bool) {
        self.unknown |= text.contains(HOLE);
        if quoted {
            self.tokens.extend(text.chars().map(Token::Character));
            return;
        }
        // Extended globs are not modelled.
        self.unknown |= text.contains('(');
        self.tokens.extend(glob::tokens(text));
    }

    pub(super) fn matches(&self, text: &[char]) -> bool {
        glob::all_match(&self.tokens, text)
    }

    /// The length of the prefix of `text` to cut off: the longest or the shortest that matches.
    pub(super) fn prefix(&self, text: &[char], longest: bool) -> Option<usize> {
        let mut lengths = 0..=text.len();
        let fits = |length: &usize| self.matches(&text[..*length]);
        if longest { lengths.rfind(fits) } else { lengths.find(fits) }
    }

    /// Where the suffix of `text` to cut off begins.
    pub(super) fn suffix(&self, text: &[char], longest: bool) -> Option<usize> {
        let mut starts = 0..=text.len();
        let fits = |start: &usize| self.matches(&text[*start..]);
        if longest { starts.find(fits) } else { starts.rfind(fits) }
    }
}
