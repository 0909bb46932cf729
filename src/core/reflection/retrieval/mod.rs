//! Which learnings are relevant now.
//!
//! | | |
//! |---|---|
//! | [`Index::choose`] | for an agent that did not ask: what is clearly relevant, or nothing |
//! | [`Index::look`] | for whoever asks: what fits, best first |
//! | [`Index::search`], [`search`] | the same by relevance alone |
//!
//! Text is compared as stems of words and of the parts of identifiers
//! (`words`), and what is to be done as activities (`activities`); what speaks for a
//! learning are BM25F with a prior, and the files and tags that it names (`rank`); that makes a likelihood (`likelihood`), and
//! how recent and how useful it has been the order (`choose`).

mod activities;
mod build;
mod chatter;
mod choose;
mod clauses;
mod cues;
mod index;
mod languages;
mod likelihood;
mod lists;
mod paths;
mod places;
mod rank;
mod related;
mod said;
#[cfg(test)]
mod tests;
mod wishes;
mod words;

use chrono::{DateTime, Utc};

pub use self::{
    choose::{Chosen, Evidence, Occasion},
    index::{Built, Index, Place, checksum},
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
    /// How likely it helps, from 0 to 1: its relevance; of [`Index::look`] times recency and use.
    pub score: f64,
    /// The words (as they were typed) and paths that it was found by, the
    /// strongest first.
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
/// first, by relevance alone. Whoever has an [`Index`] asks that.
pub fn search(query: &Query, filters: &Filters, learnings: &[Learning]) -> Vec<Found> {
    Index::build(learnings).index.search(query, filters)
}
