//! Whether two short texts are about the same thing.
//!
//! Coarser than the question whether they say the same: a rejected "be careful
//! with the config loader" and the lesson that was written down a week later
//! share a topic and little else. The measure is the share of the smaller
//! text's weight that the other one has too, where a word weighs the more the
//! fewer texts have it; see [`ALIKE`].

use std::collections::{BTreeMap, BTreeSet};

/// From this share on, and with [`FEWEST`] words in common, two texts are about
/// one thing.
const ALIKE: f64 = 0.6;
const FEWEST: usize = 2;

/// Words that say nothing of a topic.
const EMPTY: &[&str] = &[
    "the",
    "and",
    "for",
    "that",
    "this",
    "with",
    "from",
    "into",
    "not",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "its",
    "when",
    "then",
    "than",
    "you",
    "your",
    "our",
    "but",
    "can",
    "could",
    "should",
    "must",
    "need",
    "will",
    "would",
    "use",
    "always",
    "never",
    "make",
    "sure",
    "because",
    "before",
    "after",
    "about",
    "which",
    "while",
    "there",
    "their",
    "them",
    "they",
    "only",
    "also",
    "more",
    "most",
    "some",
    "any",
    "all",
    "does",
    "did",
    "done",
    "being",
    "been",
    "very",
    "just",
    "careful",
    "important",
    "remember",
    "learned",
    "code",
    "codebase",
    "project",
];

/// Texts that others are compared with.
#[derive(Debug)]
pub(super) struct Topics {
    texts: Vec<BTreeSet<String>>,
    /// The texts that have a word.
    having: BTreeMap<String, Vec<usize>>,
}

impl Topics {
    /// Each is a summary and its tags.
    pub(super) fn of<'a>(texts: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Self {
        let texts: Vec<BTreeSet<String>> =
            texts.into_iter().map(|(summary, tags)| words(summary, tags)).collect();
        let mut having: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, text) in texts.iter().enumerate() {
            for word in text {
                having.entry(word.clone()).or_default().push(at);
            }
        }
        Self { texts, having }
    }

    /// The texts about the same thing, in their order.
    pub(super) fn like(&self, summary: &str, tags: &[String]) -> Vec<usize> {
        let own = words(summary, tags);
        let mut shared: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
        for word in &own {
            for at in self.having.get(word).into_iter().flatten() {
                let (count, weight) = shared.entry(*at).or_default();
                *count += 1;
                *weight += self.weight(word);
            }
        }
        let total = |of: &BTreeSet<String>| of.iter().map(|it| self.weight(it)).sum::<f64>();
        let own_total = total(&own);
        let is_like = |(at, (count, weight)): &(usize, (usize, f64))| {
            *count >= FEWEST && *weight >= ALIKE * own_total.min(total(&self.texts[*at]))
        };
        shared.into_iter().filter(is_like).map(|(at, _)| at).collect()
    }

    /// As in any search: the logarithm of how rare the word is.
    fn weight(&self, word: &str) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "numbers of learnings")]
        let (all, having) =
            (self.texts.len() as f64, self.having.get(word).map_or(0, Vec::len) as f64);
        (1.0 + (all + 1.0) / (having + 1.0)).ln()
    }
}

fn words(summary: &str, tags: &[String]) -> BTreeSet<String> {
    let texts = [summary].into_iter().chain(tags.iter().map(String::as_str));
    texts
        .flat_map(|it| it.split(|c: char| !c.is_alphanumeric()))
        .map(str::to_lowercase)
        .filter(|it| it.chars().count() > 2 && !EMPTY.contains(&it.as_str()))
        .map(stem)
        .collect()
}

/// `panics`, `panicked` and `panicking` are one word. Crude, and the same for
/// both sides.
fn stem(word: String) -> String {
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() > 3
        {
            return stem.to_owned();
        }
    }
    word
}
