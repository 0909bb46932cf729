//! Whether two short texts are about the same topic: the share of the shorter text's words that the
//! other one contains.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::{bounded, reflection::duplicate::stems};

/// At this share, with [`FEWEST`] common words, two texts have the same topic.
const ALIKE: f64 = 0.6;
const FEWEST: usize = 2;

/// Words without a topic, besides common ones.
const EMPTY: &str = "careful learned code codebase project not never only more most some";

#[derive(Debug)]
pub(super) struct Topics {
    having: BTreeMap<String, Vec<usize>>,
    lengths: Vec<usize>,
}

impl Topics {
    /// (summary, tags) of each text.
    pub(super) fn of<'a>(texts: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Self {
        let mut topics = Self { having: BTreeMap::new(), lengths: Vec::new() };
        for (at, (summary, tags)) in texts.into_iter().enumerate() {
            let words = words(summary, tags);
            topics.lengths.push(words.len());
            for word in words {
                topics.having.entry(word).or_default().push(at);
            }
        }
        topics
    }

    /// Indexes of texts about the same topic.
    pub(super) fn like(&self, summary: &str, tags: &[String]) -> Vec<usize> {
        let own = words(summary, tags);
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for at in own.iter().filter_map(|word| self.having.get(word)).flatten() {
            *shared.entry(*at).or_default() += 1;
        }
        #[expect(clippy::cast_precision_loss, reason = "numbers of words")]
        let is_like = |(at, count): &(usize, usize)| {
            let least = ALIKE * own.len().min(self.lengths[*at]) as f64;
            *count >= FEWEST && *count as f64 >= least
        };
        shared.into_iter().filter(is_like).map(|(at, _)| at).collect()
    }
}

fn words(summary: &str, tags: &[String]) -> BTreeSet<String> {
    let words = bounded::words(&format!("{summary} {}", tags.join(" ")));
    let is_telling =
        |word: &&String| word.chars().count() >= 3 && !EMPTY.split(' ').any(|empty| empty == *word);
    stems(words.iter().filter(is_telling)).into_iter().collect()
}
