//! The baselines for retrieval: what anyone would write in ten minutes.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::set::Project;
use crate::core::reflection::{
    learning::Learning,
    retrieval::{Chosen, Query},
};

const STOP: &[&str] = &[
    "the", "and", "for", "with", "from", "that", "this", "are", "was", "were", "not", "but", "can",
    "you", "our", "all", "when", "what", "how", "why", "has", "have", "had", "into", "its", "will",
    "should", "they", "them", "there", "then", "than", "which", "who", "does", "out", "use", "get",
];

/// Relevance alone: up to five learnings with at least three tenths of the best score.
pub(super) fn plain(query: &Query, project: &Project, _: DateTime<Utc>) -> Vec<Chosen> {
    let found = project.index.search(query, 5, |_| true);
    let least = found.first().map_or(0.0, |best| best.score * 0.3);
    let chosen = found.into_iter().filter(|found| found.score >= least);
    chosen.map(|found| Chosen { id: found.id, score: found.score, is_strong: false }).collect()
}

/// Counts the distinct words of the query, of three letters or more, that are in the learning; the
/// best five with any.
pub(super) fn keywords(query: &Query, project: &Project, _: DateTime<Utc>) -> Vec<Chosen> {
    let ticket = format!("{} {}", query.ticket_title, query.ticket_description);
    let lists = format!("{} {}", query.tags.join(" "), query.paths.join(" "));
    let asked = words(&format!("{} {ticket} {} {lists}", query.text, query.branch));
    let chosen = |learning: &Learning| {
        let (summary, detail) = (&learning.summary, &learning.detail);
        let relevance = learning.relevance.as_deref().unwrap_or_default();
        let own = words(&format!("{summary} {detail} {} {relevance}", learning.tags.join(" ")));
        #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
        let score = asked.intersection(&own).count() as f64;
        Chosen { id: learning.id.clone(), score, is_strong: false }
    };
    let mut best: Vec<Chosen> = project.learnings.iter().map(chosen).collect();
    best.retain(|chosen| chosen.score > 0.0);
    best.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    best.truncate(5);
    best
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let is_word = |word: &String| word.chars().count() >= 3 && !STOP.contains(&word.as_str());
    words.filter(is_word).collect()
}
