//! Which learnings are relevant now.

use chrono::{DateTime, Utc};

use crate::core::reflection::learning::{Category, Learning, Scope, Status};

/// What is known of the work for which learnings are wanted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Words of a person: a prompt, or what `roz search` was asked.
    pub text: String,
    pub ticket_title: String,
    pub ticket_description: String,
    pub branch: String,
    pub tags: Vec<String>,
    /// Paths of the current changes, as the project names them.
    pub paths: Vec<String>,
}

/// Which learnings come into question; an empty list: all.
#[derive(Debug, Clone, PartialEq)]
pub struct Filters {
    pub statuses: Vec<Status>,
    pub scopes: Vec<Scope>,
    pub categories: Vec<Category>,
    pub tags: Vec<String>,
    pub created_after: Option<DateTime<Utc>>,
    pub max_results: usize,
}

/// A learning that fits a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub id: String,
    /// Relevance alone; more is better.
    pub score: f64,
    /// The words and paths that it was found by.
    pub why: Vec<String>,
}

impl Default for Filters {
    fn default() -> Self {
        Self {
            statuses: vec![Status::Active],
            scopes: Vec::new(),
            categories: Vec::new(),
            tags: Vec::new(),
            created_after: None,
            max_results: 10,
        }
    }
}

impl Filters {
    pub fn admit(&self, it: &Learning) -> bool {
        let holds = |tag: &String| it.tags.iter().any(|own| own.eq_ignore_ascii_case(tag));
        (self.statuses.is_empty() || self.statuses.contains(&it.status))
            && (self.scopes.is_empty() || self.scopes.contains(&it.scope))
            && (self.categories.is_empty() || self.categories.contains(&it.category))
            && (self.tags.is_empty() || self.tags.iter().any(holds))
            && self.created_after.is_none_or(|after| it.created_at > after)
    }
}

/// Those of `learnings` that the filters admit and that fit the query, best
/// first.
pub fn search(query: &Query, filters: &Filters, learnings: &[Learning]) -> Vec<Found> {
    let words: Vec<String> = query.text.split_whitespace().map(str::to_lowercase).collect();
    let mut found: Vec<Found> = learnings
        .iter()
        .filter(|it| filters.admit(it))
        .filter_map(|it| {
            let text = format!("{} {}", it.summary, it.detail).to_lowercase();
            let why: Vec<String> = words.iter().filter(|it| text.contains(*it)).cloned().collect();
            #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
            let score = why.len() as f64;
            (!why.is_empty()).then(|| Found { id: it.id.clone(), score, why })
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    found.truncate(filters.max_results);
    found
}
