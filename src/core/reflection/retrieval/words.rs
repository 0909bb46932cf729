//! Text into terms: what is compared is the stem of a word, of each part of an
//! identifier, and of an identifier as a whole however it is spelt.
//!
//! `kebab-case`, `kebab_case`, `kebabCase` and `KebabCase` are the parts
//! `kebab` and `case` and the whole `kebabcas`; so `kebab` finds each of them,
//! and one of them finds the others better than `kebab` does.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use super::lists;
use crate::core::bounded::is_ideograph;

/// Longer ones, in characters, are hashes, keys or noise.
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

    /// Whether anything would be looked up for a text, but for numbers.
    pub(super) fn says_anything(&self, text: &str) -> bool {
        let is_some = |it: &Term| it.key.bytes().any(|it| !it.is_ascii_digit() && it != b'.');
        chunks(text).any(|it| self.terms(it).iter().any(is_some))
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
        if is_single || word.chars().nth(LONGEST_PART).is_some() || lists::is_stop(&word) {
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

/// The first and the last of too many: a wish stands before what is pasted, or behind it.
pub(super) fn ends<T: Copy>(all: &[T], most: usize) -> Vec<T> {
    let Some(behind) = all.len().checked_sub(most) else { return all.to_vec() };
    let first = most.div_ceil(2);
    all.iter().take(first).chain(all.iter().skip(behind + first)).copied().collect()
}

/// A path without the place in the file that stands behind it: `file.rs:12`, `file.rs:12:5`.
pub(super) fn without_place(path: &str) -> &str {
    let is_place = |it: &str| {
        let mut numbers = it.split(':');
        numbers.next().is_some_and(is_number) && numbers.all(|it| it.is_empty() || is_number(it))
    };
    let place = path.match_indices(':').find(|(at, _)| is_place(&path[at + 1..]));
    place.map_or(path, |(at, _)| &path[..at])
}

/// Whether a chunk of prose is the name of a file.
pub(super) fn is_path(chunk: &str) -> bool {
    let chunk = without_place(chunk);
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
            // `parserが` is two words.
            let is_border = before.is_some_and(|it| is_ideograph(it) != is_ideograph(c));
            let is_hump = before.is_some_and(|it| {
                c.is_uppercase()
                    && (it.is_lowercase()
                        || it.is_ascii_digit() && next.is_some_and(char::is_lowercase)
                        || it.is_uppercase() && next.is_some_and(char::is_lowercase))
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

pub(super) fn is_number(word: &str) -> bool {
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
        for path in
            ["src/cli/mod.rs", "Cargo.toml", "mod.rs:12", "a/b.py:12:5", "C:/x/y.c:3", "a.ts:1:"]
        {
            assert!(is_path(path), "{path}");
        }
        for other in ["1.95", "https://a.example/b.html", "localhost:8080", "12:30", "a:b", ""] {
            assert!(!is_path(other), "{other}");
        }
    }

    #[test]
    fn a_path_is_told_from_the_place_in_the_file() {
        for (path, file) in [
            ("a.rs:12", "a.rs"),
            ("a.rs:12:5", "a.rs"),
            ("C:/a.rs:12:", "C:/a.rs"),
            ("host:80/a.rs", "host:80/a.rs"),
            ("a.rs", "a.rs"),
            (":1", ""),
        ] {
            assert_eq!(without_place(path), file, "{path}");
        }
    }

    #[test]
    fn of_too_many_the_first_and_the_last_are_kept() {
        assert_eq!(ends(&[1, 2, 3, 4, 5], 3), [1, 2, 5]);
        assert_eq!(ends(&[1, 2, 3, 4, 5], 4), [1, 2, 4, 5]);
        assert_eq!(ends(&[1, 2], 2), [1, 2]);
        assert_eq!(ends(&[1, 2], 0), [0; 0]);
    }

    #[test]
    fn a_word_of_another_script_is_no_part_of_the_one_beside_it() {
        assert_eq!(
            keys("parserがheredocで"),
            ["parser", "が", "heredoc", "で", "parserがheredocで"]
        );
        assert_eq!(keys("파서가 heredoc에서"), ["파서", "서가", "heredoc", "에서", "heredoc에서"]);
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
