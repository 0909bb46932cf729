//! Text into terms: what is compared is the stem of a word, of each part of an
//! identifier, and of an identifier as a whole however it is spelt.
//!
//! `kebab-case`, `kebab_case`, `kebabCase` and `KebabCase` are the parts
//! `kebab` and `case` and the whole `kebabcas`; so `kebab` finds each of them,
//! and one of them finds the others better than `kebab` does.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use super::lists;

/// Longer ones are hashes, keys or noise.
const LONGEST_PART: usize = 40;
/// A whole of more parts is a sentence or a path.
const MOST_PARTS: usize = 4;

/// One thing to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) key: String,
    pub(super) is: Is,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    /// A word that stands by itself.
    Word,
    /// A piece of an identifier or a path.
    Part,
    /// All pieces of an identifier in one.
    Whole,
}

/// Stems, and takes text apart.
pub(super) struct Words {
    stemmer: Stemmer,
}

impl Words {
    pub(super) fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English) }
    }

    /// What is looked up for a chunk of text; nothing for a stop word.
    pub(super) fn terms(&self, chunk: &str) -> Vec<Term> {
        let parts = parts(chunk);
        if let [single] = parts[..] {
            return self.simple(single, Is::Word);
        }
        // A version or a date means nothing in pieces.
        if parts.iter().all(|it| is_number(it)) {
            let is_known = !parts.is_empty() && chunk.len() <= LONGEST_PART;
            let whole = Term { key: chunk.to_lowercase(), is: Is::Whole };
            return if is_known { vec![whole] } else { Vec::new() };
        }
        let mut terms: Vec<Term> = Vec::new();
        for part in &parts {
            for term in self.simple(part, Is::Part) {
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
        }
        let length: usize = parts.iter().map(|it| it.len()).sum();
        if parts.len() <= MOST_PARTS && length <= LONGEST_PART {
            let joined: String = parts.concat().to_lowercase();
            let key = self.stem(&joined).into_owned();
            terms.push(Term { key, is: Is::Whole });
        }
        terms
    }

    fn simple(&self, word: &str, is: Is) -> Vec<Term> {
        if word.chars().any(is_ideograph) {
            return pairs(word).map(|key| Term { key, is }).collect();
        }
        let word = word.to_lowercase();
        // `429s` are several of `429`; `12` is twelve of anything.
        let word = match word.strip_suffix('s') {
            Some(number) if is_number(number) => number.to_owned(),
            _ => word,
        };
        let is_single = word.chars().nth(1).is_none() || is_number(&word) && word.len() < 3;
        if is_single || word.len() > LONGEST_PART || lists::is_stop(&word) {
            return Vec::new();
        }
        vec![Term { key: self.stem(&word).into_owned(), is }]
    }

    /// The stem of a word in lower case; one of another script than ours is its
    /// own stem.
    pub(super) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        let is_english = word.len() > 2 && word.bytes().all(|it| it.is_ascii_lowercase());
        if !is_english {
            return lists::canonical(word).map_or(Cow::Borrowed(word), Cow::Borrowed);
        }
        let spelt = american(word);
        let stem = self.stemmer.stem(&spelt);
        if let Some(one) = lists::canonical(&stem) {
            return Cow::Borrowed(one);
        }
        if stem == word { Cow::Borrowed(word) } else { Cow::Owned(stem.into_owned()) }
    }
}

/// Runs of letters and digits, and of what joins them: identifiers and paths
/// stay in one piece.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !is_joint(c))
        .map(|it| it.trim_matches(is_joint))
        .filter(|it| !it.is_empty())
}

fn is_joint(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | '/' | ':' | '\\')
}

/// Whether a chunk of prose is the name of a file.
pub(super) fn is_path(chunk: &str) -> bool {
    let Some((stem, extension)) = chunk.rsplit_once('.') else { return false };
    let is_extension = (1..=5).contains(&extension.len())
        && extension.bytes().all(|it| it.is_ascii_alphanumeric())
        && extension.bytes().any(|it| it.is_ascii_alphabetic());
    is_extension && stem.chars().any(char::is_alphabetic) && !chunk.contains("://")
}

/// The pieces of an identifier: at what is no letter or digit, and at humps.
fn parts(chunk: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in chunk.split(|c: char| !c.is_alphanumeric()) {
        let mut begin = 0;
        let mut before: Option<char> = None;
        let mut chars = piece.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, c)| *c);
            let is_hump = before.is_some_and(|it| {
                c.is_uppercase()
                    && (it.is_lowercase()
                        || it.is_ascii_digit() && next.is_some_and(char::is_lowercase)
                        || it.is_uppercase() && next.is_some_and(char::is_lowercase))
            });
            if is_hump && at > begin {
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

/// Scripts that put no blanks between words.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|it| it.is_ascii_digit())
}

/// Each character with the next: what stands for words where nothing tells
/// where one ends.
fn pairs(text: &str) -> impl Iterator<Item = String> {
    let chars: Vec<char> = text.to_lowercase().chars().take(200).collect();
    let width = chars.len().clamp(1, 2);
    let pairs: Vec<String> = chars.windows(width).map(|it| it.iter().collect()).collect();
    pairs.into_iter()
}

/// `serialise` is `serialize`: one spelling, so that there is one stem.
fn american(word: &str) -> Cow<'_, str> {
    for (british, american) in [
        ("isation", "ization"),
        ("ising", "izing"),
        ("ised", "ized"),
        ("ises", "izes"),
        ("ise", "ize"),
    ] {
        if let Some(root) = word.strip_suffix(british)
            && root.len() >= 5
        {
            return Cow::Owned(format!("{root}{american}"));
        }
    }
    Cow::Borrowed(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(text: &str) -> Vec<String> {
        let words = Words::new();
        chunks(text).flat_map(|it| words.terms(it)).map(|it| it.key).collect()
    }

    #[test]
    fn every_spelling_of_an_identifier_is_the_same() {
        for spelling in ["kebab-case", "kebab_case", "kebabCase", "KebabCase", "KEBAB_CASE"] {
            assert_eq!(keys(spelling), ["kebab", "case", "kebabcas"], "{spelling}");
        }
        assert_eq!(keys("HTTPServer"), ["http", "server", "httpserver"]);
        assert_eq!(keys("base64Encode"), ["base64", "encod", "base64encode"]);
    }

    #[test]
    fn forms_of_a_word_are_the_same() {
        for (one, other) in [
            ("panic", "panics"),
            ("panic", "panicked"),
            ("serialise", "serialization"),
            ("db", "databases"),
            ("colours", "color"),
            ("config", "configuration"),
        ] {
            assert_eq!(keys(one), keys(other), "{one} {other}");
        }
    }

    #[test]
    fn a_path_is_its_parts() {
        assert_eq!(keys("src/cli/mod.rs:12"), ["src", "cli", "mod", "rs"]);
        assert!(is_path("src/cli/mod.rs") && is_path("Cargo.toml"));
        assert!(!is_path("e.g") || !is_path("1.95") && !is_path("https://a.example/b.html"));
    }

    #[test]
    fn versions_stay_whole_and_stop_words_go() {
        assert_eq!(keys("It doesn't work with 1.95.0"), ["work", "1.95.0"]);
    }

    #[test]
    fn a_number_is_found_in_its_plural_and_a_small_one_says_nothing() {
        assert_eq!(keys("429s in 12 s"), keys("a 429"));
    }

    #[test]
    fn text_without_blanks_is_found_by_pairs() {
        assert_eq!(keys("検索機能"), ["検索", "索機", "機能"]);
        assert_eq!(keys("Größe"), ["größe"]);
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in any::<String>()) {
            keys(&text);
        }

        #[test]
        fn no_text_of_words_is_too_strange(text in "[a-z'\u{300}é_./A-Z0-9 -]{0,60}") {
            keys(&text);
        }
    }
}
