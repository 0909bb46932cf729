//! Which learnings are relevant now: plain BM25F, fitted to nothing.
//!
//! | | |
//! |---|---|
//! | [`Index::choose`] | for an agent that did not ask: the titles worth a line, or nothing |
//! | [`Index::choose_at_failure`] | the same for a call that failed |
//! | [`Index::look`] | for an explicit search: the matches, best first |
//! | [`Index::search`], [`search`] | the same by relevance alone |
//!
//! Text is compared as stems of words and of the parts of identifiers (`words`), and files by their
//! paths (`paths`). `rank` computes the relevance of a learning, and `choose` adds how recent and
//! how useful it has been.

mod build;
mod choose;
mod index;
mod path_terms;
mod rank;
#[cfg(test)]
mod tests;
mod words;

pub use self::{
    build::build,
    choose::{Chosen, Occasion},
    index::{Built, Index, Place},
};
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
    /// Of a call that failed: what it started. Their names say nothing of what went wrong.
    pub programs: Vec<String>,
}

/// Which learnings come into question; an empty list: all.
#[derive(Debug, Clone, PartialEq)]
pub struct Filters {
    pub statuses: Vec<Status>,
    pub scopes: Vec<Scope>,
    pub categories: Vec<Category>,
    pub tags: Vec<String>,
    pub max_results: usize,
}

/// A learning that fits a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub id: String,
    /// In words that no other learning has: its relevance; of [`Index::look`] times recency and
    /// use.
    pub score: f64,
    /// The words (as they were typed) and paths that it was found by, the strongest first.
    pub why: Vec<String>,
}

impl Default for Filters {
    fn default() -> Self {
        Self {
            statuses: vec![Status::Active],
            scopes: Vec::new(),
            categories: Vec::new(),
            tags: Vec::new(),
            max_results: 10,
        }
    }
}

impl Filters {
    pub fn admit(&self, learning: &Learning) -> bool {
        let holds = |tag: &String| learning.tags.iter().any(|own| own.eq_ignore_ascii_case(tag));
        (self.statuses.is_empty() || self.statuses.contains(&learning.status))
            && (self.scopes.is_empty() || self.scopes.contains(&learning.scope))
            && (self.categories.is_empty() || self.categories.contains(&learning.category))
            && (self.tags.is_empty() || self.tags.iter().any(holds))
    }
}

/// Those of `learnings` that the filters admit and that fit the query, best first, by relevance
/// alone.
pub fn search(query: &Query, filters: &Filters, learnings: &[Learning]) -> Vec<Found> {
    let admits = |number: usize| filters.admit(&learnings[number]);
    build(learnings).index.search(query, filters.max_results, admits)
}
