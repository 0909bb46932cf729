//! What the log says together with the learnings that it is about.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Tally, View, topic::Topics};
use crate::core::{
    policy::DecayPolicy,
    reflection::{
        decay::{self, Soon},
        learning::{Category, Learning},
    },
};

/// What decays within so many days is said beforehand.
pub(crate) const WARNED_DAYS: u64 = 7;

/// All that insights are drawn from.
#[derive(Debug)]
pub struct Report<'a> {
    pub view: &'a View,
    pub learnings: &'a [Learning],
    pub now: DateTime<Utc>,
    /// By learning; those that the log names.
    pub tallies: BTreeMap<String, Tally>,
    pub totals: Totals,
    pub categories: BTreeMap<Category, CategoryUse>,
    /// Learnings used in other tickets than their own, most tickets first.
    pub cross_uses: Vec<CrossUse>,
    /// Skipped tickets from which something was learned later.
    pub skip_misses: Vec<String>,
    /// What the write gate rejected, and took in another session.
    pub gate_misses: Vec<GateMiss>,
    /// Pitfalls that were learned again after they had been shown.
    pub recurrences: Vec<Recurrence>,
    /// What is due, and what will be soon.
    pub decaying: Vec<Soon>,
}

/// Counted in sessions, as in a [`Tally`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Learnings that the log names.
    pub learnings: u32,
    pub surfaced: u32,
    pub referenced: u32,
    pub opened: u32,
    /// Sessions that opened it or referred to it.
    pub used: u32,
    /// Of `used`, those that had been shown its title.
    pub hits: u32,
    pub dismissed: u32,
    pub rated_useful: u32,
    pub rated_useless: u32,
    /// None: nothing was shown yet.
    pub hit_rate: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CategoryUse {
    /// Those that were shown.
    pub learnings: u32,
    pub surfaced: u32,
    pub referenced: u32,
    pub opened: u32,
    pub hits: u32,
    pub dismissed: u32,
    pub hit_rate: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CrossUse {
    pub learning_id: String,
    /// None: it is not known.
    pub origin: Option<String>,
    /// The other tickets.
    pub tickets: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateMiss {
    pub rejected: String,
    pub rejected_at: DateTime<Utc>,
    /// The first one about the same thing that was accepted later.
    pub learning_id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recurrence {
    pub learning_id: String,
    pub summary: String,
    pub times: u32,
}

impl<'a> Report<'a> {
    pub fn new(
        view: &'a View,
        learnings: &'a [Learning],
        policy: &DecayPolicy,
        now: DateTime<Utc>,
    ) -> Self {
        let tallies = view.tallies();
        let topics = Topics::of(learnings.iter().map(|it| (it.summary.as_str(), &*it.tags)));
        let by_id = learnings.iter().map(|it| (it.id.as_str(), it)).collect();
        Self {
            totals: totals(&tallies),
            categories: categories(view, &tallies, &by_id),
            cross_uses: cross_uses(view, &by_id),
            skip_misses: view.skip_misses().into_iter().map(str::to_owned).collect(),
            gate_misses: gate_misses(view, learnings, &topics),
            recurrences: recurrences(view, learnings, &topics, &by_id),
            decaying: decay::until(learnings, &tallies, policy, now, WARNED_DAYS),
            view,
            learnings,
            now,
            tallies,
        }
    }
}

type ById<'a> = BTreeMap<&'a str, &'a Learning>;

fn totals(tallies: &BTreeMap<String, Tally>) -> Totals {
    let mut totals = Totals::default();
    for tally in tallies.values() {
        totals.learnings += 1;
        totals.surfaced += tally.surfaced;
        totals.referenced += tally.referenced;
        totals.opened += tally.opened;
        totals.used += tally.used;
        totals.hits += tally.hits;
        totals.dismissed += tally.dismissed;
        totals.rated_useful += tally.rated_useful;
        totals.rated_useless += tally.rated_useless;
    }
    totals.hit_rate = rate(totals.hits, totals.surfaced);
    totals
}

fn categories(
    view: &View,
    tallies: &BTreeMap<String, Tally>,
    by_id: &ById,
) -> BTreeMap<Category, CategoryUse> {
    let mut uses: BTreeMap<Category, CategoryUse> = BTreeMap::new();
    for (id, tally) in tallies.iter().filter(|(_, it)| it.surfaced > 0) {
        let own = by_id.get(id.as_str()).map(|it| it.category);
        let Some(category) = own.or_else(|| Category::find(view.category(id)?)) else { continue };
        let sum = uses.entry(category).or_default();
        sum.learnings += 1;
        sum.surfaced += tally.surfaced;
        sum.referenced += tally.referenced;
        sum.opened += tally.opened;
        sum.hits += tally.hits;
        sum.dismissed += tally.dismissed;
    }
    for sum in uses.values_mut() {
        sum.hit_rate = rate(sum.hits, sum.surfaced);
    }
    uses
}

fn rate(hits: u32, of: u32) -> Option<f64> {
    (of > 0).then(|| f64::from(hits) / f64::from(of))
}

/// Of a learning whose own ticket nobody knows, a use in one ticket says
/// nothing: the first one may be its own.
fn cross_uses(view: &View, by_id: &ById) -> Vec<CrossUse> {
    let mut found = Vec::new();
    for (id, tickets) in view.uses_by_ticket() {
        let own = by_id.get(id).and_then(|it| it.ticket_id.as_deref());
        let origin = own.or_else(|| view.origin(id));
        let others: Vec<String> =
            tickets.iter().filter(|it| Some(it.as_str()) != origin).cloned().collect();
        if others.len() > usize::from(origin.is_none()) {
            let origin = origin.map(str::to_owned);
            found.push(CrossUse { learning_id: id.to_owned(), origin, tickets: others });
        }
    }
    found.sort_by_key(|it| std::cmp::Reverse(it.tickets.len()));
    found
}

/// In the same session it is no miss: the agent was told to be specific, and
/// then was.
fn gate_misses(view: &View, learnings: &[Learning], topics: &Topics) -> Vec<GateMiss> {
    let mut found: Vec<GateMiss> = Vec::new();
    for rejected in view.rejected.iter().filter(|it| it.stage == "write_gate") {
        let later = topics.like(&rejected.summary, &rejected.tags).into_iter().filter(|at| {
            let session = learnings[*at].session_id.as_deref().unwrap_or_default();
            learnings[*at].created_at > rejected.ts
                && (session.is_empty() || session != rejected.session_id)
        });
        let Some(at) = later.min_by_key(|at| learnings[*at].created_at) else { continue };
        found.push(GateMiss {
            rejected: rejected.summary.clone(),
            rejected_at: rejected.ts,
            learning_id: learnings[at].id.clone(),
        });
    }
    found
}

/// Learned again: another pitfall about the same thing was written down (but
/// not as its correction), or a candidate was turned down as its duplicate.
fn recurrences(
    view: &View,
    learnings: &[Learning],
    topics: &Topics,
    by_id: &ById,
) -> Vec<Recurrence> {
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    let was_shown = |it: &Learning, at: DateTime<Utc>| {
        it.category == Category::Pitfall
            && it.created_at < at
            && view.first_shown(&it.id).is_some_and(|shown| shown < at)
    };
    let like = |summary: &str, tags: &[String], at| {
        let alike = topics.like(summary, tags).into_iter().map(|it| &learnings[it]);
        let mut shown = alike.filter(move |it| was_shown(it, at));
        shown.next()
    };
    for again in learnings.iter().filter(|it| it.category == Category::Pitfall) {
        let first = like(&again.summary, &again.tags, again.created_at);
        if let Some(first) = first
            && again.supersedes.as_deref() != Some(&first.id)
        {
            *times.entry(&first.id).or_default() += 1;
        }
    }
    for rejected in view.rejected.iter().filter(|it| it.stage == "duplicate") {
        let is_of_id = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let mut words = rejected.reason.split(|c| !is_of_id(c));
        let named = words.find_map(|it| by_id.get(it)).copied();
        let first = match named {
            Some(named) => Some(named).filter(|it| was_shown(it, rejected.ts)),
            None => like(&rejected.summary, &rejected.tags, rejected.ts),
        };
        if let Some(first) = first {
            *times.entry(&first.id).or_default() += 1;
        }
    }
    let recurrence = |(id, times): (&str, u32)| {
        let summary = by_id.get(id).map(|it| it.summary.clone()).unwrap_or_default();
        Recurrence { learning_id: id.to_owned(), summary, times }
    };
    let mut found: Vec<Recurrence> = times.into_iter().map(recurrence).collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.times));
    found
}
