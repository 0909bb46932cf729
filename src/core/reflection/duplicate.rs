//! Detects learnings that say the same as an existing one.
//!
//! Summaries that are equal after folding case, blanks and punctuation are duplicates. Otherwise
//! they differ if they differ in a number, an identifier or a negation. Otherwise their words
//! (stems without common words) and word pairs are compared:
//!
//! ```text
//! both, a, b   words of both, of the one alone, of the other alone
//! likeness   = both / (both + 2·min(a, b) + ¼·(max(a, b) − min(a, b)))
//! duplicate: likeness ≥ 0.8, and of the pairs of the shorter ≥ 0.4 are pairs of the longer
//! ```
//!
//! So an inserted word costs little, and a replaced word much. The pairs distinguish
//! `migrate before deploy` from `deploy before migrate`. The thresholds were tuned on the labelled
//! pairs in the tests.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};

use super::learning::{Learning, Scope};
use crate::core::bounded;

pub const LIKE: f64 = 0.8;
pub const PAIRS: f64 = 0.4;

#[derive(Debug, Default)]
pub struct Known(Vec<One>);

#[derive(Debug)]
struct One {
    id: String,
    is_personal: bool,
    shown: String,
    summary: Shingles,
}

/// The parts of a text that are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Shingles {
    /// All words, normalised.
    folded: String,
    words: BTreeSet<String>,
    /// Numbers, identifiers and negations.
    marks: BTreeSet<String>,
    pairs: BTreeSet<(String, String)>,
}

impl Known {
    pub fn of<'a>(learnings: impl Iterator<Item = &'a Learning>) -> Self {
        let mut known = Self::default();
        learnings.for_each(|learning| known.add(learning));
        known
    }

    pub fn add(&mut self, learning: &Learning) {
        self.0.push(One {
            id: learning.id.clone(),
            is_personal: learning.scope == Scope::Personal,
            shown: bounded::plain_line(&bounded::line(&learning.summary, 120)),
            summary: Shingles::of(&learning.summary),
        });
    }

    /// Returns an objection with the duplicate's id. It is not compared with the learning that it
    /// replaces, with duplicates of that one, or, for a project's learning, with the user's own.
    pub fn objection(&self, learning: &Learning) -> Option<String> {
        let summary = Shingles::of(&learning.summary);
        let is_personal = learning.scope == Scope::Personal;
        let replaced = self.0.iter().find(|known| Some(&known.id) == learning.supersedes.as_ref());
        let is_replaced = |other: &One| {
            replaced.is_some_and(|replaced| {
                replaced.id == other.id
                    || replaced.is_personal == other.is_personal
                        && is_like(&replaced.summary, &other.summary)
            })
        };
        let counts = |other: &&One| !is_replaced(other) && (is_personal || !other.is_personal);
        let found = self.0.iter().filter(counts).find(|other| is_like(&other.summary, &summary))?;
        let id = &found.id;
        let better = if found.is_personal == is_personal {
            format!("If this one says it better, add `\"supersedes\": \"{id}\"`; if")
        } else {
            "The project knows it; if".to_owned()
        };
        Some(format!(
            "`{id}` says the same: \"{}\". {better} it is another lesson, say in the summary what differs",
            found.shown,
        ))
    }
}

impl Shingles {
    pub fn of(text: &str) -> Self {
        let words = bounded::words(text);
        let stems = stems(words.iter());
        let pairs = stems.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        let is_negation = |word: &String| NEGATIONS.split(' ').any(|part| part == word);
        let mut marks: BTreeSet<String> = text
            .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '(' | ')' | ','))
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
            .filter(|word| is_mark(word))
            .map(str::to_lowercase)
            .collect();
        marks.extend(words.iter().any(is_negation).then(|| "not".to_owned()));
        Self { folded: words.join(" "), words: stems.into_iter().collect(), marks, pairs }
    }
}

pub(super) fn stems<'a>(words: impl Iterator<Item = &'a String>) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let telling = words.filter(|word| !COMMON.split(' ').any(|common| common == *word));
    telling.map(|word| stemmer.stem(word).into_owned()).collect()
}

/// A number or a name in code: `30`, `spawn_blocking`, `http.Transport`.
fn is_mark(word: &str) -> bool {
    let chars = || word.chars().zip(word.chars().skip(1));
    let has_hump = chars().any(|(before, next)| before.is_lowercase() && next.is_uppercase());
    let is_joined = |c: char| matches!(c, '_' | ':' | '.' | '/' | '=');
    word.contains(|c: char| c.is_ascii_digit() || is_joined(c)) || has_hump
}

/// From 0 (nothing in common) to 1 (the same words).
#[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
pub fn likeness(a: &Shingles, b: &Shingles) -> f64 {
    let both = a.words.intersection(&b.words).count();
    if both == 0 {
        return 0.0;
    }
    let [a, b] = [a, b].map(|shingles| (shingles.words.len() - both) as f64);
    let both = both as f64;
    both / (both + 2.0 * a.min(b) + 0.25 * (a.max(b) - a.min(b)))
}

fn is_like(a: &Shingles, b: &Shingles) -> bool {
    let is_near = || likeness(a, b) >= LIKE && shared_pairs(a, b) >= PAIRS;
    let is_same = !a.folded.is_empty() && a.folded == b.folded;
    is_same || a.marks == b.marks && is_near()
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
fn shared_pairs(a: &Shingles, b: &Shingles) -> f64 {
    let fewest = a.pairs.len().min(b.pairs.len());
    if fewest == 0 {
        return 1.0;
    }
    a.pairs.intersection(&b.pairs).count() as f64 / fewest as f64
}

/// Words of order (`before`, `after`) are not common words.
const COMMON: &str = "\
    a an the and or of in on at to for from by with into as is are was were be been being it its \
    this that these those there i we you they them their our your so too very can could will \
    would should must may might do does did has have had which who also then than always please \
    note remember just make sure ensure important need needs lets when if because since while \
    where here but any all every each really";

const NEGATIONS: &str = "\
    not never no dont cannot cant without doesnt isnt wont avoid except unless";

#[cfg(test)]
mod tests;
