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
    /// The texts that have a word.
    having: BTreeMap<String, Vec<usize>>,
    /// What each text weighs.
    totals: Vec<f64>,
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
        let mut topics = Self { having, totals: vec![0.0; texts.len()] };
        topics.totals = texts.iter().map(|it| topics.total(it)).collect();
        topics
    }

    /// The texts about the same thing, in their order.
    pub(super) fn like(&self, summary: &str, tags: &[String]) -> Vec<usize> {
        let own = words(summary, tags);
        let mut shared = vec![(0, 0.0); self.totals.len()];
        let mut met = Vec::new();
        for word in &own {
            let Some(having) = self.having.get(word) else { continue };
            let weight = self.weight(having.len());
            for at in having {
                if shared[*at].0 == 0 {
                    met.push(*at);
                }
                shared[*at].0 += 1;
                shared[*at].1 += weight;
            }
        }
        let own_total = self.total(&own);
        met.retain(|at| {
            let (count, weight) = shared[*at];
            count >= FEWEST && weight >= ALIKE * own_total.min(self.totals[*at])
        });
        met.sort_unstable();
        met
    }

    fn total(&self, words: &BTreeSet<String>) -> f64 {
        words.iter().map(|it| self.weight(self.having.get(it).map_or(0, Vec::len))).sum()
    }

    /// As in any search: the logarithm of how rare a word is that so many texts
    /// have.
    fn weight(&self, having: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "numbers of learnings")]
        let (all, having) = (self.totals.len() as f64, having as f64);
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
