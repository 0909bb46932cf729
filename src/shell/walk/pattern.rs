//! Shell patterns over known text, for `case` and for `${x#…}`.

use super::{Io, Walker, start_folder};
use crate::shell::glob::{self, Token};
use crate::shell::syntax::{Arm, Word};
use crate::shell::{HOLE, glob::STEPS, limit};

/// Steps of all matches that find where to cut.
const CUTS: usize = 1 << 22;

/// The longest text, in characters, in which what matches is replaced.
const REPLACED: usize = 256;

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
        let begins = text.starts_with('(') && !self.tokens.is_empty();
        self.unknown |= begins || ["?(", "*(", "+(", "@(", "!("].iter().any(|it| text.contains(it));
        // Nor is a bracket with something quoted in it.
        self.unknown |= text.rfind('[') > text.rfind(']');
        self.tokens.extend(glob::tokens(text));
    }

    /// The only text that it matches, where there is but one.
    pub(super) fn literal(&self) -> Option<String> {
        let character = |token: &Token| match token {
            Token::Character(own) => Some(*own),
            Token::One | Token::Many | Token::Set { .. } => None,
        };
        self.tokens.iter().map(character).collect()
    }

    /// `None` where it would take too long to know: more than is left of the steps.
    pub(super) fn matches(&self, text: &[char], left: &mut usize) -> Option<bool> {
        glob::all_match(&self.tokens, text, left)
    }

    /// The length of the prefix of `text` to cut off: the longest or the shortest that matches; 0
    /// where none does.
    pub(super) fn prefix(&self, text: &[char], longest: bool) -> Option<usize> {
        let lengths = 0..=text.len();
        let mut left = CUTS;
        let fits = |length: usize| glob::all_match(&self.tokens, &text[..length], &mut left);
        if longest { first(lengths.rev(), fits, 0) } else { first(lengths, fits, 0) }
    }

    /// Where the suffix of `text` to cut off begins; its end where none matches.
    pub(super) fn suffix(&self, text: &[char], longest: bool) -> Option<usize> {
        let starts = 0..=text.len();
        let mut left = CUTS;
        let fits = |start: usize| glob::all_match(&self.tokens, &text[start..], &mut left);
        if longest {
            first(starts, fits, text.len())
        } else {
            first(starts.rev(), fits, text.len())
        }
    }
}

impl Pattern {
    /// `text` with what matches replaced, for `${x/…}`: the first, the one at its beginning or its end,
    /// or each. `None` where that would take too long to know.
    pub(super) fn replaced(&self, text: &str, operator: &str, to: &str) -> Option<String> {
        let text: Vec<char> = text.chars().collect();
        let longest = text.len().saturating_mul(to.len());
        if self.unknown || text.is_empty() || text.len() > REPLACED || longest > limit::TEXT {
            return None;
        }
        let mut left = REPLACED * REPLACED;
        let mut made = String::new();
        let mut at = 0;
        while at < text.len() {
            let ends = if operator == "/%" { text.len()..=text.len() } else { at + 1..=text.len() };
            let mut found = None;
            for end in ends.rev() {
                if glob::all_match(&self.tokens, &text[at..end], &mut left)? {
                    found = Some(end);
                    break;
                }
            }
            if let Some(end) = found {
                made.push_str(to);
                at = end;
            } else {
                made.push(text[at]);
                at += 1;
            }
            if operator == "/#" || operator == "/" && found.is_some() {
                break;
            }
        }
        made.extend(&text[at..]);
        Some(made)
    }
}

/// The first place that fits, or `none`; `None` where one before it takes too long to know.
fn first(
    places: impl Iterator<Item = usize>,
    mut fits: impl FnMut(usize) -> Option<bool>,
    none: usize,
) -> Option<usize> {
    for place in places {
        if fits(place)? {
            return Some(place);
        }
    }
    Some(none)
}

impl Walker<'_> {
    pub(super) fn case(&mut self, subject: &Word, arms: &[Arm], io: &Io) -> String {
        let outer = std::mem::take(&mut self.choices);
        let subject = self.text(subject);
        let sure = self.choices.is_empty()
            && !subject.contains([HOLE, start_folder::START])
            && !subject.starts_with('~');
        self.choices = outer;
        let characters: Vec<char> = subject.chars().collect();
        let falls_through = arms.iter().any(|arm| arm.falls_through);
        let mut output = String::new();
        let mut changes = Vec::new();
        let mut exhaustive = false;
        for arm in arms {
            let patterns: Vec<_> = arm.patterns.iter().map(|word| self.pattern(word)).collect();
            let mut left = STEPS;
            let mut fits = |text: &[char]| {
                patterns.iter().try_fold(false, |fits, pattern| {
                    Some(fits || pattern.matches(text, &mut left)?)
                })
            };
            // `None` where it would take too long to know.
            let matches = if self.spend(characters.len() / 8) { fits(&characters) } else { None };
            exhaustive |= fits(&['\0', '*', '\n']).unwrap_or(false);
            let known = sure
                && !falls_through
                && matches.is_some()
                && patterns.iter().all(|pattern| !pattern.unknown);
            if known && matches == Some(false) {
                continue;
            }
            if known && changes.is_empty() {
                // The first arm that matches, and no other.
                return self.list(&arm.body, io);
            }
            output.push_str(&self.branch(&arm.body, io, &mut changes));
        }
        self.env.merge(&changes, exhaustive);
        output
    }
}
