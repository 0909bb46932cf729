//! What retrieval is compared with: what one would write in ten minutes.

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

/// How many distinct words of the query, of three letters or more, are in the
/// learning; the best five that have any.
pub(super) fn keywords(query: &Query, project: &Project) -> Vec<Chosen> {
    let text = [
        &query.text,
        &query.ticket_title,
        &query.ticket_description,
        &query.branch,
        &query.tags.join(" "),
        &query.paths.join(" "),
    ];
    let mut asked: Vec<String> = text.iter().flat_map(|it| words(it, 3)).collect();
    asked.sort_unstable();
    asked.dedup();
    let score = |it: &Learning| {
        let own: Vec<String> = words(&text_of(it), 3).collect();
        let common = asked.iter().filter(|word| own.contains(word)).count();
        #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
        let common = common as f64;
        common
    };
    let scored =
        project.learnings.iter().map(|it| (score(it), it)).filter(|(score, _)| *score > 0.0);
    best(scored.collect(), 5)
}

fn text_of(it: &Learning) -> String {
    let relevance = it.relevance.as_deref().unwrap_or_default();
    format!("{} {} {} {relevance}", it.summary, it.detail, it.tags.join(" "))
}

fn words(text: &str, least: usize) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(move |it| it.chars().count() >= least)
        .map(str::to_lowercase)
        .filter(|it| !STOP.contains(&it.as_str()))
}

fn best(mut scored: Vec<(f64, &Learning)>, count: usize) -> Vec<Chosen> {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    let chosen =
        |(score, it): (f64, &Learning)| Chosen { id: it.id.clone(), score, is_strong: false };
    scored.into_iter().take(count).map(chosen).collect()
}
