//! Near duplicates: does another learning say this already?
//!
//! Two texts say the same if nothing is left to tell them apart once case,
//! blanks and punctuation are folded. Else their word shingles are compared:
//! words (without those of any text, endings off) and, against another order,
//! pairs of words.
//!
//! ```text
//! both, a, b   weight of the words of both, of the one alone, of the other alone
//! not          1 for each of the two that has a negation which the other lacks
//! likeness   = both / (both + 2·min(a, b) + ¼·(max(a, b) − min(a, b)) + 2·not)
//! duplicate: likeness ≥ 0.8, and of the pairs of the shorter ≥ 0.4 are pairs of the longer
//! ```
//!
//! So words that one text has more (an inserted word, a prefix, an explanation)
//! cost little, and a word in the place of another one costs much: that is how
//! two lessons about one thing differ. A number weighs three words, and a
//! negation costs as if it stood in the place of another word: what differs in
//! those is another lesson however much it has in common. The pairs tell `migrate before deploy` from `deploy before migrate`,
//! and leave `before a commit, run fmt` what it was.
//!
//! Summaries are compared, and details with details where both have ten words
//! or more. The thresholds were tuned on the labelled pairs in the tests.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    candidate::Candidate,
    learning::{Learning, Scope},
};
use crate::core::bounded;

/// At this likeness two texts say the same.
pub const LIKE: f64 = 0.8;
/// The share of the shorter one's pairs that the longer one has at least.
pub const PAIRS: f64 = 0.4;
/// Details with fewer words are not compared.
const LONG: usize = 10;
/// What a number weighs.
const HEAVY: f64 = 3.0;

/// The texts that a candidate is compared with.
#[derive(Debug, Default)]
pub struct Known(Vec<One>);

#[derive(Debug)]
struct One {
    id: String,
    is_personal: bool,
    shown: String,
    summary: Shingles,
    detail: Shingles,
}

/// A text as what is compared of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shingles {
    /// All words, folded.
    folded: String,
    /// Those that carry meaning, with their weight.
    words: BTreeMap<String, f64>,
    pairs: BTreeSet<(String, String)>,
}

impl Known {
    pub fn of<'a>(learnings: impl Iterator<Item = &'a Learning>) -> Self {
        let mut known = Self::default();
        learnings.for_each(|it| known.add(it));
        known
    }

    pub fn add(&mut self, it: &Learning) {
        self.0.push(One {
            id: it.id.clone(),
            is_personal: it.scope == Scope::Personal,
            shown: bounded::plain_line(&bounded::line(&it.summary, 120)),
            summary: Shingles::of(&it.summary),
            detail: Shingles::of(&it.detail),
        });
    }

    /// Names the learning that says the same. One that is to be replaced does not count, nor does its
    /// twin; and what the project is to know, others do not find among the user's own.
    pub fn objection(&self, it: &Candidate, replaced: Option<&str>) -> Option<String> {
        let (summary, detail) = (Shingles::of(&it.summary), Shingles::of(&it.detail));
        let is_personal = it.scope == Scope::Personal;
        let replaced = self.0.iter().find(|it| Some(it.id.as_str()) == replaced);
        let counts = |other: &&One| {
            let is_replaced = replaced.is_some_and(|it| it.id == other.id || it.is_twin(other));
            !is_replaced && (is_personal || !other.is_personal)
        };
        let others = || self.0.iter().filter(counts);
        let mut why = "says the same";
        let is_exact = |other: &&One| is_same(&other.summary, &summary);
        let is_near = |other: &&One| {
            let are_long = other.detail.words.len().min(detail.words.len()) >= LONG;
            is_like(&other.summary, &summary) || are_long && is_like(&other.detail, &detail)
        };
        let found = others().find(is_exact).or_else(|| {
            why = "says nearly the same";
            others().find(is_near)
        })?;
        let id = &found.id;
        let better = if found.is_personal == is_personal {
            format!("If this one says it better, add `\"supersedes\": \"{id}\"`; if")
        } else {
            "The project knows it; if".to_owned()
        };
        Some(format!(
            "`{id}` {why}: \"{}\". {better} it is another lesson, say in the summary what differs",
            found.shown,
        ))
    }

    /// Those that say the same as the learning of that id: two branches learned it.
    pub fn twins<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a str> {
        let own = self.0.iter().find(|it| it.id == id);
        let is_twin = move |it: &&One| own.is_some_and(|own| own.id != it.id && own.is_twin(it));
        self.0.iter().filter(is_twin).map(|it| it.id.as_str())
    }
}

impl One {
    fn is_twin(&self, other: &Self) -> bool {
        self.is_personal == other.is_personal && is_like(&self.summary, &other.summary)
    }
}

impl Shingles {
    pub fn of(text: &str) -> Self {
        let words = bounded::words(text);
        let folded = words.join(" ");
        let stems: Vec<String> = words
            .iter()
            .filter(|it| !COMMON.split(' ').any(|common| common == *it))
            .map(|it| stem(it))
            .collect();
        let pairs = stems.windows(2).map(|it| (it[0].clone(), it[1].clone())).collect();
        let has_digit = |it: &str| it.bytes().any(|it| it.is_ascii_digit());
        let weight = |it: &str| if has_digit(it) { HEAVY } else { 1.0 };
        let words = stems.into_iter().map(|it| (weight(&it), it)).map(|(w, it)| (it, w)).collect();
        Self { folded, words, pairs }
    }
}

/// From 0, nothing in common, to 1, the same words.
pub fn likeness(a: &Shingles, b: &Shingles) -> f64 {
    let alone = |a: &Shingles, b: &Shingles| {
        let rest = a.words.iter().filter(|(it, _)| !b.words.contains_key(*it));
        rest.map(|(_, weight)| weight).sum::<f64>()
    };
    let both: f64 =
        a.words.iter().filter(|(it, _)| b.words.contains_key(*it)).map(|(_, weight)| weight).sum();
    if both == 0.0 {
        return 0.0;
    }
    let negations = |a: &Shingles, b: &Shingles| {
        let is_alone = |it: &str| a.words.contains_key(it) && !b.words.contains_key(it);
        if NEGATIONS.split(' ').any(is_alone) { 2.0 } else { 0.0 }
    };
    let negations = negations(a, b) + negations(b, a);
    let (a, b) = (alone(a, b), alone(b, a));
    both / (both + 2.0 * a.min(b) + 0.25 * (a.max(b) - a.min(b)) + negations)
}

fn is_like(a: &Shingles, b: &Shingles) -> bool {
    is_same(a, b) || likeness(a, b) >= LIKE && shared_pairs(a, b) >= PAIRS
}

fn is_same(a: &Shingles, b: &Shingles) -> bool {
    !a.folded.is_empty() && a.folded == b.folded
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
fn shared_pairs(a: &Shingles, b: &Shingles) -> f64 {
    let fewest = a.pairs.len().min(b.pairs.len());
    if fewest == 0 {
        return 1.0;
    }
    a.pairs.intersection(&b.pairs).count() as f64 / fewest as f64
}

/// Without the endings that one word takes in two sentences: `committing`,
/// `commits` and `commit` are one.
fn stem(word: &str) -> String {
    if !word.is_ascii() {
        return word.to_owned();
    }
    let off = |word: &'_ str, ending: &str, least: usize| {
        word.strip_suffix(ending).filter(|it| it.len() >= least).map(str::len)
    };
    let mut end = word.len();
    if !word.ends_with("ss") {
        end = off(word, "s", 3).unwrap_or(end);
    }
    let verb = off(&word[..end], "ing", 3).or_else(|| off(&word[..end], "ed", 3));
    if let Some(stem) = verb {
        let last = word.as_bytes()[stem - 1];
        let is_doubled = stem > 3 && word.as_bytes()[stem - 2] == last && last != b's';
        return word[..stem - usize::from(is_doubled)].to_owned();
    }
    end = off(&word[..end], "e", 3).unwrap_or(end);
    word[..end].to_owned()
}

/// Words of any text. Those of order (`before`, `after`) are none.
const COMMON: &str = "\
    a an the and or of in on at to for from by with into as is are was were be been being it its \
    this that these those there i we you they them their our your so too very can could will \
    would should must may might do does did has have had which who also then than always please \
    note remember just make sure ensure important need needs lets when if because since while \
    where here but any all every each really";

/// As stems.
const NEGATIONS: &str = "\
    not never no dont cannot cant without doesnt isnt wont avoid except unles";

#[cfg(test)]
mod tests;
