//! Shell patterns over known text, for `case` and for `${x#…}`.

use crate::shell::HOLE;
use crate::shell::glob::{self, Token};

/// The most steps of matching for one `${x#…}` or `${x%…}`.
const MAX_STEPS: usize = 1 << 22;

/// A pattern's tokens, with quoted characters literal.
#[derive(Debug, Clone, Default)]
pub(super) struct Pattern {
    tokens: Vec<Token>,
    /// Whether something in it is not modelled: a hole, an extended glob.
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
        let begins = text.starts_with('(') && !self.tokens.is_empty();
        self.unknown |=
            begins || ["?(", "*(", "+(", "@(", "!("].iter().any(|open| text.contains(open));
        // Neither are brackets with quoted text in them.
        self.unknown |= text.rfind('[') > text.rfind(']');
        self.tokens.extend(glob::tokens(text));
    }

    /// `None` if the remaining steps do not suffice.
    pub(super) fn matches(&self, text: &[char], left: &mut usize) -> Option<bool> {
        glob::all_match(&self.tokens, text, left)
    }

    /// The length of the prefix of `text` to cut off: the longest or the shortest that matches; 0
    /// if none does. `None` if finding out would take too long.
    pub(super) fn prefix(&self, text: &[char], longest: bool) -> Option<usize> {
        self.first_match((0..=text.len()).map(|end| (end, &text[..end])), longest, 0)
    }

    /// Where the suffix of `text` to cut off begins; the end of `text` if none matches.
    pub(super) fn suffix(&self, text: &[char], longest: bool) -> Option<usize> {
        let parts = (0..=text.len()).map(|at| (at, &text[at..]));
        self.first_match(parts, !longest, text.len())
    }

    /// The first position whose part of a text matches, or `none`.
    fn first_match<'t>(
        &self,
        mut parts: impl DoubleEndedIterator<Item = (usize, &'t [char])>,
        from_the_end: bool,
        none: usize,
    ) -> Option<usize> {
        let mut left = MAX_STEPS;
        while let Some((place, part)) = if from_the_end { parts.next_back() } else { parts.next() }
        {
            if glob::all_match(&self.tokens, part, &mut left)? {
                return Some(place);
            }
        }
        Some(none)
    }
}
