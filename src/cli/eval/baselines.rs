//! What retrieval is compared with.
//!
//! `keywords` is what one would write in ten minutes. `usual` is the formula of
//! a published tool of this kind, built from its documentation: additive
//! signals over tags, files and whole words, times exponential recency, then
//! cut-offs relative to the best and to the median. Where the description leaves
//! something open, the reading that scores better was taken.

use chrono::{DateTime, Utc};

use super::set::Project;
use crate::core::reflection::{learning::Learning, retrieval::Query};

const STOP: &[&str] = &[
    "the", "and", "for", "with", "from", "that", "this", "are", "was", "were", "not", "but", "can",
    "you", "our", "all", "when", "what", "how", "why", "has", "have", "had", "into", "its", "will",
    "should", "they", "them", "there", "then", "than", "which", "who", "does", "out", "use", "get",
];

/// How many distinct words of the query, of three letters or more, are in the
/// learning; the best five that have any.
pub(super) fn keywords(query: &Query, project: &Project, _: DateTime<Utc>) -> Vec<String> {
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

pub(super) fn usual(query: &Query, project: &Project, now: DateTime<Utc>) -> Vec<String> {
    let mut asked: Vec<String> = words(&query.text, 4).take(15).collect();
    asked.extend(words(&query.ticket_title, 3));
    asked.extend(words(&query.branch, 2));
    asked.extend(query.tags.iter().map(|it| it.to_lowercase()));
    asked.sort_unstable();
    asked.dedup();
    let relevance = |it: &Learning| {
        let tags: Vec<String> = it.tags.iter().map(|tag| tag.to_lowercase()).collect();
        let own: Vec<String> = words(&text_of(it), 2).collect();
        let mut sum = 0.0;
        for tag in query.tags.iter().map(|it| it.to_lowercase()) {
            if tags.contains(&tag) {
                sum += 1.0;
            } else if tags.iter().any(|it| it.contains(&tag) || tag.contains(it.as_str())) {
                sum += 0.5;
            }
        }
        let is_same = |path: &String, file: &String| path.ends_with(file) || file.ends_with(path);
        if query.paths.iter().any(|path| it.context_files.iter().any(|file| is_same(path, file))) {
            sum += 0.8;
        }
        for word in &asked {
            if own.contains(word) {
                sum += 0.3;
            }
        }
        f64::min(sum, 1.0)
    };
    // λ = -ln 0.3 / 90, floor 0.1; what was never shown has a reference boost of 1.
    #[expect(clippy::cast_precision_loss, reason = "days")]
    let recency = |it: &Learning| {
        let days = (now - it.created_at).num_days() as f64;
        (days * 0.3_f64.ln() / 90.0).exp().clamp(0.1, 1.0)
    };
    let scored = project.learnings.iter().map(|it| (relevance(it) * recency(it), it));
    let mut scored: Vec<(f64, &Learning)> = scored.filter(|(score, _)| *score > 0.0).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some((top, _)) = scored.first().copied() else { return Vec::new() };
    let median = scored.get(scored.len() / 2).map_or(0.0, |(score, _)| *score);
    if top < 0.1 || scored.len() >= 3 && top - median < 0.05 {
        return Vec::new();
    }
    scored.retain(|(score, _)| *score >= 0.3 * top);
    best(scored, 5)
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

fn best(mut scored: Vec<(f64, &Learning)>, count: usize) -> Vec<String> {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    scored.into_iter().take(count).map(|(_, it)| it.id.clone()).collect()
}
