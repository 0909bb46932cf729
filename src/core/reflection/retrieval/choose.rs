//! Chooses the learnings to show, and the order of those that were asked for.
//!
//! An agent reads titles and picks what concerns it, so only the titles are chosen here: those with
//! a sufficient share of the best one's relevance.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Found, Query,
    index::{Document, Index},
    rank::{Asked, Sum},
};
use crate::core::{
    policy::{RetrievalPolicy, Strategy},
    reflection::usage::Tally,
};

const MOST_AT_FAILURE: usize = 2;

/// The prior of [`use_boost`]: a learning is assumed to be useful once in four times that its title
/// is shown.
const PRIOR_USED: f64 = 1.0;
const PRIOR_SHOWN: f64 = 4.0;
const MOST_BOOST: f64 = 2.0;
const LEAST_BOOST: f64 = 0.2;

/// The share of the score that depends on age: newer learnings win ties, and old ones are still
/// found. Multiplying by age alone would cost a fifth of the recall.
const RECENCY: f64 = 0.3;
const LEAST_RECENCY: f64 = 0.1;

#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    pub query: &'a Query,
    pub tallies: &'a BTreeMap<String, Tally>,
    /// Not shown again.
    pub shown: &'a BTreeSet<String>,
    pub policy: &'a RetrievalPolicy,
    pub now: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    pub id: String,
    /// `relevance × recency × use`.
    pub score: f64,
    /// Ranked first, and names a file or has an identifier of the query.
    pub is_strong: bool,
}

struct Ranked<'a> {
    document: &'a Document,
    number: usize,
    sum: Sum,
    score: f64,
}

impl Index {
    /// Titles to show now, best first: active, relevant, not yet shown, up to the policy's limit.
    /// None if no word of the query is rare in the store.
    pub fn choose(&self, on: &Occasion) -> Vec<Chosen> {
        let asked = Asked::new(self, on.query);
        if !asked.is_telling() {
            return Vec::new();
        }
        self.titles(&asked, on, usize::MAX, |_| true)
    }

    /// For a failed call: a few, each with an identifier, a path, or a very rare word of the
    /// failure.
    pub fn choose_at_failure(&self, on: &Occasion) -> Vec<Chosen> {
        let asked = Asked::new(self, on.query);
        self.titles(&asked, on, MOST_AT_FAILURE, |sum| sum.is_named || sum.has_rarer)
    }

    fn titles(
        &self,
        asked: &Asked,
        on: &Occasion,
        most: usize,
        is_met: impl Fn(&Sum) -> bool,
    ) -> Vec<Chosen> {
        let unknown = Tally::default();
        let tally = |id: &str| on.tallies.get(id).unwrap_or(&unknown);
        let mut ranked = self.ranked(asked, |_, document| {
            if document.is_active { standing(document, tally(&document.id), on) } else { 0.0 }
        });
        ranked.retain(|ranked| is_met(&ranked.sum));
        // Among equals, learnings take turns.
        ranked.sort_by(|a, b| {
            let shown = |ranked: &Ranked| tally(&ranked.document.id).surfaced;
            b.score.total_cmp(&a.score).then_with(|| shown(a).cmp(&shown(b)))
        });
        let limit = usize::try_from(on.policy.max_injections).unwrap_or(usize::MAX);
        let least = ranked.first().map_or(0.0, |best| best.score) * cut_off(on.policy.strategy);
        let mut chosen: Vec<Chosen> = ranked
            .iter()
            .filter(|ranked| ranked.score >= least && !on.shown.contains(&ranked.document.id))
            .take(limit.min(most))
            .map(|ranked| Chosen {
                id: ranked.document.id.clone(),
                score: ranked.score,
                is_strong: ranked.sum.is_named,
            })
            .collect();
        // Matches ranked after a weak one are not strong.
        let strong = chosen.iter().take_while(|chosen| chosen.is_strong).count();
        chosen.iter_mut().skip(strong).for_each(|chosen| chosen.is_strong = false);
        chosen
    }

    /// Best first by relevance alone, at most `most`; `admits` takes positions in the list that the
    /// index was built from.
    pub fn search(&self, query: &Query, most: usize, admits: impl Fn(usize) -> bool) -> Vec<Found> {
        self.find_by(query, most, |number, _| f64::from(u8::from(admits(number))))
    }

    /// The same by relevance, recency and use, for someone who asks: learnings that the session has
    /// seen are included.
    pub fn look(&self, on: &Occasion, most: usize, admits: impl Fn(usize) -> bool) -> Vec<Found> {
        let unknown = Tally::default();
        self.find_by(on.query, most, |number, document| {
            let tally = on.tallies.get(&document.id).unwrap_or(&unknown);
            if admits(number) { standing(document, tally, on) } else { 0.0 }
        })
    }

    fn find_by(
        &self,
        query: &Query,
        most: usize,
        weigh: impl Fn(usize, &Document) -> f64,
    ) -> Vec<Found> {
        let asked = Asked::new(self, query);
        let mut ranked = self.ranked(&asked, weigh);
        ranked.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| a.document.id.cmp(&b.document.id))
        });
        ranked.truncate(most);
        let found = |ranked: &Ranked| Found {
            id: ranked.document.id.clone(),
            score: ranked.score,
            why: asked.reasons(ranked.number),
        };
        ranked.iter().map(found).collect()
    }

    /// Learnings that match and have a weight above zero, in the order of the index.
    fn ranked(&self, asked: &Asked, weigh: impl Fn(usize, &Document) -> f64) -> Vec<Ranked<'_>> {
        let mut ranked = Vec::new();
        for (number, (document, sum)) in self.documents.iter().zip(asked.sums()).enumerate() {
            let score = f64::from(sum.score) * weigh(number, document);
            if score > 0.0 {
                ranked.push(Ranked { document, number, sum, score });
            }
        }
        ranked
    }
}

fn cut_off(strategy: Strategy) -> f64 {
    match strategy {
        Strategy::Conservative => 0.5,
        Strategy::Moderate => 0.3,
        Strategy::Aggressive => 0.15,
    }
}

/// The factor for recency and use. A use makes a learning as fresh as a new one.
fn standing(document: &Document, tally: &Tally, on: &Occasion) -> f64 {
    let fresh = tally.last_used.map_or(document.created_at, |used| used.max(document.created_at));
    let age = on.now.signed_duration_since(fresh);
    let recency = recency(age, on.policy.recency_half_life_days);
    (1.0 - RECENCY + RECENCY * recency) * use_boost(tally)
}

/// 1 for a new learning, halved after each half-life, never below 0.1.
fn recency(age: TimeDelta, half_life_days: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "seconds and days of years")]
    let half_lives = age.num_seconds() as f64 / 86_400.0 / half_life_days.max(1) as f64;
    0.5_f64.powf(half_lives.max(0.0)).max(LEAST_RECENCY)
}

/// The mean of a Beta posterior for the share of showings with a use, relative to the prior:
/// `((used + 1) / (shown + 4)) / (1 / 4)`, between 0.2 and 2. Never shown gives 1, once in vain
/// 0.8, ten times in vain 0.29. A rating counts as a showing, a useful one as a use.
fn use_boost(tally: &Tally) -> f64 {
    let used = f64::from(tally.used) + f64::from(tally.rated_useful);
    let rated = f64::from(tally.rated_useful) + f64::from(tally.rated_useless);
    // Learnings found by a search were not shown.
    let shown = (f64::from(tally.surfaced) + rated).max(used);
    let posterior = (used + PRIOR_USED) / (shown + PRIOR_SHOWN);
    (posterior / (PRIOR_USED / PRIOR_SHOWN)).clamp(LEAST_BOOST, MOST_BOOST)
}
