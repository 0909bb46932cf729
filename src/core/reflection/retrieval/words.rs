//! Splits text into terms: the stem of each word, the stem of each part of an identifier, and the
//! whole identifier in a normal form.
//!
//! `kebab-case`, `kebab_case`, `kebabCase` and `KebabCase` have the parts `kebab` and `cas` and the
//! whole `=kebabcase`; so `kebab` finds each of them, and one of them finds the others better than
//! `kebab` does.

use rust_stemmers::{Algorithm, Stemmer};

use crate::core::bounded::is_ideograph;

/// In characters. Longer ones are hashes, keys or noise.
const LONGEST_PART: usize = 40;
/// An identifier of more parts is a sentence or a path.
const MOST_PARTS: usize = 4;
/// The prefix of whole identifiers. No word starts with it.
const WHOLE: char = '=';

pub(super) struct Words {
    stemmer: Stemmer,
}

impl Words {
    pub(super) fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English) }
    }

    /// The terms of a [chunk](chunks): its words, and the whole if it has several parts.
    pub(super) fn terms(&self, chunk: &str) -> Vec<String> {
        let parts = parts(chunk);
        let mut terms: Vec<String> = Vec::new();
        // Parts of a version or a date have no meaning.
        let is_version = parts.len() > 1 && parts.iter().all(|part| is_number(part));
        if !is_version {
            terms.extend(parts.iter().flat_map(|part| self.word(part)));
        }
        if parts.len() > 1 && parts.len() <= MOST_PARTS && !chunk.contains('/') {
            let whole = if is_version { chunk.to_owned() } else { parts.concat().to_lowercase() };
            if whole.chars().count() <= LONGEST_PART {
                terms.push(format!("{WHOLE}{whole}"));
            }
        }
        terms
    }

    fn word(&self, part: &str) -> Vec<String> {
        if part.chars().any(is_ideograph) {
            return pairs(part);
        }
        let word = part.to_lowercase();
        let length = word.chars().count();
        let is_short = length < 2 || length < 3 && is_number(&word);
        if is_short || length > LONGEST_PART || STOP.binary_search(&word.as_str()).is_ok() {
            return Vec::new();
        }
        // The stemmer only knows English; other words stay as they are.
        if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return vec![word];
        }
        vec![self.stemmer.stem(&word).into_owned()]
    }
}

/// Identifiers and paths stay whole.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let is_joint = |c: char| matches!(c, '_' | '-' | '.' | '/' | ':' | '\\');
    text.split(move |c: char| !c.is_alphanumeric() && !is_joint(c))
        .map(move |chunk| chunk.trim_matches(is_joint))
        .filter(|chunk| !chunk.is_empty())
}

/// A name in code: `max_len`, `Lexer::next`, `parseInt`, `E0502`. Not `follow-up` and `3rd`, which
/// may be prose.
pub(super) fn is_identifier(chunk: &str) -> bool {
    let has_letter = chunk.chars().any(char::is_alphabetic);
    let has_long_number =
        chunk.split(|c: char| !c.is_ascii_digit()).any(|number| number.len() >= 2);
    let has_hump = chunk
        .chars()
        .zip(chunk.chars().skip(1))
        .any(|(before, next)| before.is_lowercase() && next.is_uppercase());
    has_letter && (chunk.contains('_') || chunk.contains("::") || has_hump || has_long_number)
}

/// Removes the position from `file.rs:12` and `file.rs:12:5`.
pub(super) fn without_place(path: &str) -> &str {
    let is_place = |text: &str| {
        let mut numbers = text.split(':');
        numbers.next().is_some_and(is_number)
            && numbers.all(|number| number.is_empty() || is_number(number))
    };
    let place = path.match_indices(':').find(|(at, _)| is_place(&path[at + 1..]));
    place.map_or(path, |(at, _)| &path[..at])
}

pub(super) fn is_path(chunk: &str) -> bool {
    let chunk = without_place(chunk);
    let Some((stem, extension)) = chunk.rsplit_once('.') else { return false };
    let is_extension = (1..=5).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && extension.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_extension && stem.chars().any(char::is_alphabetic) && !chunk.contains("://")
}

/// Splits at characters that are not letters or digits, and at case changes.
fn parts(chunk: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in chunk.split(|c: char| !c.is_alphanumeric()) {
        let mut begin = 0;
        let mut before: Option<char> = None;
        let mut chars = piece.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, c)| *c);
            // `parserが` is two words.
            let is_border = before.is_some_and(|before| is_ideograph(before) != is_ideograph(c));
            let is_hump = before.is_some_and(|before| {
                c.is_uppercase()
                    && (before.is_lowercase()
                        || before.is_ascii_digit() && next.is_some_and(char::is_lowercase)
                        || before.is_uppercase() && next.is_some_and(char::is_lowercase))
            });
            if (is_hump || is_border) && at > begin {
                parts.push(&piece[begin..at]);
                begin = at;
            }
            before = Some(c);
        }
        if begin < piece.len() {
            parts.push(&piece[begin..]);
        }
    }
    parts
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Pairs of neighbouring characters, for scripts without blanks between words.
fn pairs(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.to_lowercase().chars().take(200).collect();
    let width = chars.len().clamp(1, 2);
    chars.windows(width).map(|window| window.iter().collect()).collect()
}

/// English words without a topic. Sorted.
#[rustfmt::skip]
static STOP: &[&str] = &[
    "about", "add", "after", "again", "all", "also", "an", "and", "any", "are", "as", "at", "back",
    "be", "been", "before", "both", "but", "by", "can", "could", "did", "do", "does", "down", "each",
    "else", "few", "for", "from", "get", "got", "had", "has", "have", "having", "he", "here", "how",
    "if", "in", "into", "is", "it", "its", "just", "let", "ll", "made", "make", "may", "me", "might",
    "more", "most", "my", "need", "new", "no", "not", "of", "on", "one", "only", "onto", "or", "our",
    "out", "over", "own", "please", "re", "same", "she", "should", "so", "some", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "two",
    "under", "up", "us", "use", "used", "using", "ve", "very", "want", "was", "we", "were", "what",
    "when", "where", "which", "while", "who", "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests;
