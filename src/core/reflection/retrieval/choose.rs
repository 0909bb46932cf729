//! Which of the relevant learnings are put before an agent, and which of those that were asked for
//! come first.
//!
//! An agent reads titles, and picks by itself what concerns it. So what is left to decide is which
//! titles are worth their line: those that have a share of what the best one has.

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

/// The prior of [`use_boost`]: before anything is known, a learning is taken to be of use once in
/// four times that its title is shown.
const PRIOR_USED: f64 = 1.0;
const PRIOR_SHOWN: f64 = 4.0;
const MOST_BOOST: f64 = 2.0;
const LEAST_BOOST: f64 = 0.2;

/// How much of a score is recency's: of two that are as relevant the newer comes first, and what is
/// old is found all the same. As a factor by itself it would cost a fifth of the recall: what is
/// wanted is as old as it is.
const RECENCY: f64 = 0.3;
const LEAST_RECENCY: f64 = 0.1;

/// What is known when learnings are wanted for a session.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    pub query: &'a Query,
    /// By learning; one that is not there was never shown.
    pub tallies: &'a BTreeMap<String, Tally>,
    /// Learnings that are not to be shown again.
    pub shown: &'a BTreeSet<String>,
    pub policy: &'a RetrievalPolicy,
    pub now: DateTime<Utc>,
}

/// A learning to be put before an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    pub id: String,
    /// `relevance × recency × use`.
    pub score: f64,
    /// It is among the first, and names a file of the query or has an identifier of it.
    pub is_strong: bool,
}

/// A learning that has something in common with the query.
struct Ranked<'a> {
    document: &'a Document,
    number: usize,
    sum: Sum,
    score: f64,
}

impl Index {
    /// The learnings whose titles are put before an agent now, best first: active, relevant, not
    /// yet shown, at most as many as the policy says. None, where the query has no word that is
    /// rare in the store.
    pub fn choose(&self, on: &Occasion) -> Vec<Chosen> {
        let asked = Asked::new(self, on.query);
        if !asked.is_telling() {
            return Vec::new();
        }
        self.titles(&asked, on, usize::MAX, |_| true)
    }

    /// Those for a call that failed: a few, and each has an identifier, a path, or a word of the
    /// failure that hardly any other learning has.
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
        // Equal ones take turns.
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
        // What ranks behind a weak match is none of the first.
        let strong = chosen.iter().take_while(|chosen| chosen.is_strong).count();
        chosen.iter_mut().skip(strong).for_each(|chosen| chosen.is_strong = false);
        chosen
    }

    /// At most so many that fit the query, best first, by relevance alone: of those learnings that
    /// are admitted, by their places in what the index was built of.
    pub fn search(&self, query: &Query, most: usize, admits: impl Fn(usize) -> bool) -> Vec<Found> {
        self.find_by(query, most, |number, _| f64::from(u8::from(admits(number))))
    }

    /// Those, by relevance, recency and use: for whoever asks, who is shown all that fits. What the
    /// session was shown is shown again.
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

    /// Those that have anything in common with the query and a weight above zero, in the order of
    /// the index.
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

/// What a learning's relevance is multiplied by: recency and use. What was of use is as fresh as
/// that.
fn standing(document: &Document, tally: &Tally, on: &Occasion) -> f64 {
    let fresh = tally.last_used.map_or(document.created_at, |used| used.max(document.created_at));
    let age = on.now.signed_duration_since(fresh);
    let recency = recency(age, on.policy.recency_half_life_days);
    (1.0 - RECENCY + RECENCY * recency) * use_boost(tally)
}

/// 1 for what is new, half after each half-life, never below a tenth.
fn recency(age: TimeDelta, half_life_days: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "seconds and days of years")]
    let half_lives = age.num_seconds() as f64 / 86_400.0 / half_life_days.max(1) as f64;
    0.5_f64.powf(half_lives.max(0.0)).max(LEAST_RECENCY)
}

/// The mean of a Beta posterior over how often a learning is of use when its title is shown, beside
/// that of its prior: `((used + 1) / (shown + 4)) / (1 / 4)`, from 0.2 to 2. So 1 for what was
/// never shown, 0.8 after one time in vain, 0.29 after ten. A rating counts as a time shown, and a
/// useful one as a use.
fn use_boost(tally: &Tally) -> f64 {
    let used = f64::from(tally.used) + f64::from(tally.rated_useful);
    let rated = f64::from(tally.rated_useful) + f64::from(tally.rated_useless);
    // What was found by a search was never shown.
    let shown = (f64::from(tally.surfaced) + rated).max(used);
    let posterior = (used + PRIOR_USED) / (shown + PRIOR_SHOWN);
    (posterior / (PRIOR_USED / PRIOR_SHOWN)).clamp(LEAST_BOOST, MOST_BOOST)
}
