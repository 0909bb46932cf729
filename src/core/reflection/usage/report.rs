//! Combines the usage log with the learnings that it is about.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Tally, View, same_topic::Topics};
use crate::core::{
    policy::DecayPolicy,
    reflection::{
        decay::{self, Due},
        learning::{Category, Learning},
    },
};

/// Learnings that decay within this many days are announced.
pub(crate) const WARNED_DAYS: u64 = 7;

#[derive(Debug)]
pub struct Report<'a> {
    pub view: &'a View,
    pub learnings: &'a [Learning],
    pub now: DateTime<Utc>,
    /// By learning, for those in the log.
    pub tallies: BTreeMap<String, Tally>,
    pub totals: Totals,
    pub categories: BTreeMap<Category, Totals>,
    /// Learnings used in other tickets than their own, by number of tickets.
    pub cross_uses: Vec<CrossUse>,
    pub skip_misses: Vec<String>,
    pub gate_misses: Vec<GateMiss>,
    pub recurrences: Vec<Recurrence>,
    pub decaying: Vec<Due>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Totals {
    pub learnings: u32,
    pub surfaced: u32,
    pub referenced: u32,
    pub opened: u32,
    pub used: u32,
    pub hits: u32,
    pub dismissed: u32,
    pub rated_useful: u32,
    pub rated_useless: u32,
    /// `None` if nothing was shown yet.
    pub hit_rate: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CrossUse {
    pub learning_id: String,
    /// `None` if unknown.
    pub origin: Option<String>,
    pub tickets: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateMiss {
    pub rejected: String,
    /// The first one about the same topic that was accepted later.
    pub learning_id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recurrence {
    pub learning_id: String,
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
        let soon = decay::days_after(now, WARNED_DAYS).unwrap_or(now);
        let topics = Topics::of(
            learnings.iter().map(|learning| (learning.summary.as_str(), &*learning.tags)),
        );
        let by_id = learnings.iter().map(|learning| (learning.id.as_str(), learning)).collect();
        let mut totals = Totals::default();
        for tally in tallies.values() {
            totals.add(tally);
        }
        Self {
            totals,
            categories: categories(&tallies, &by_id),
            cross_uses: cross_uses(view, &by_id),
            skip_misses: view.skip_misses().into_iter().map(str::to_owned).collect(),
            gate_misses: gate_misses(view, learnings, &topics),
            recurrences: recurrences(view, learnings, &topics, &by_id),
            decaying: decay::due(learnings, &tallies, policy, soon),
            view,
            learnings,
            now,
            tallies,
        }
    }
}

type ById<'a> = BTreeMap<&'a str, &'a Learning>;

impl Totals {
    fn add(&mut self, tally: &Tally) {
        self.learnings += 1;
        self.surfaced += tally.surfaced;
        self.referenced += tally.referenced;
        self.opened += tally.opened;
        self.used += tally.used;
        self.hits += tally.hits;
        self.dismissed += tally.dismissed;
        self.rated_useful += tally.rated_useful;
        self.rated_useless += tally.rated_useless;
        let has_rate = self.surfaced > 0;
        self.hit_rate = has_rate.then(|| f64::from(self.hits) / f64::from(self.surfaced));
    }
}

fn categories(tallies: &BTreeMap<String, Tally>, by_id: &ById) -> BTreeMap<Category, Totals> {
    let mut categories: BTreeMap<Category, Totals> = BTreeMap::new();
    for (id, tally) in tallies.iter().filter(|(_, tally)| tally.surfaced > 0) {
        if let Some(learning) = by_id.get(id.as_str()) {
            categories.entry(learning.category).or_default().add(tally);
        }
    }
    categories
}

/// Without a known origin, a use in one ticket proves nothing: it may be the learning's own.
fn cross_uses(view: &View, by_id: &ById) -> Vec<CrossUse> {
    let mut found = Vec::new();
    for (id, tickets) in view.uses_by_ticket() {
        let origin = by_id.get(id).and_then(|learning| learning.ticket_id.as_deref());
        let others: Vec<String> =
            tickets.iter().filter(|ticket| Some(ticket.as_str()) != origin).cloned().collect();
        if others.len() > usize::from(origin.is_none()) {
            let origin = origin.map(str::to_owned);
            found.push(CrossUse { learning_id: id.to_owned(), origin, tickets: others });
        }
    }
    found.sort_by_key(|cross_use| std::cmp::Reverse(cross_use.tickets.len()));
    found
}

/// A later acceptance in the same session is not a miss: the agent followed the advice to be
/// specific.
fn gate_misses(view: &View, learnings: &[Learning], topics: &Topics) -> Vec<GateMiss> {
    let mut found: Vec<GateMiss> = Vec::new();
    for rejected in view.rejected.iter().filter(|rejected| rejected.stage == "write_gate") {
        let later = topics.like(&rejected.summary, &rejected.tags).into_iter().filter(|at| {
            let session = learnings[*at].session_id.as_deref().unwrap_or_default();
            learnings[*at].created_at > rejected.ts
                && (session.is_empty() || session != rejected.session_id)
        });
        let Some(at) = later.min_by_key(|at| learnings[*at].created_at) else { continue };
        found.push(GateMiss {
            rejected: rejected.summary.clone(),
            learning_id: learnings[at].id.clone(),
        });
    }
    found
}

/// Lessons that were learned again: another pitfall about the same topic was stored (not as a
/// correction), or a candidate was rejected as a duplicate.
fn recurrences(
    view: &View,
    learnings: &[Learning],
    topics: &Topics,
    by_id: &ById,
) -> Vec<Recurrence> {
    let was_shown = |learning: &Learning, at: DateTime<Utc>| {
        learning.category == Category::Pitfall
            && learning.created_at < at
            && view.first_shown(&learning.id).is_some_and(|shown| shown < at)
    };
    let pitfalls = learnings.iter().filter(|again| again.category == Category::Pitfall);
    let written = pitfalls.filter_map(|again| {
        let alike = topics.like(&again.summary, &again.tags).into_iter().map(|at| &learnings[at]);
        let mut first = alike.filter(|first| was_shown(first, again.created_at));
        first.find(|first| again.supersedes.as_deref() != Some(&first.id))
    });
    let rejected = view.rejected.iter().filter(|rejected| rejected.stage == "duplicate");
    let rejected = rejected.filter_map(|rejected| {
        // The reason contains the learning's id in backticks.
        let first = by_id.get(rejected.reason.split('`').nth(1)?)?;
        was_shown(first, rejected.ts).then_some(*first)
    });
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for first in written.chain(rejected) {
        *times.entry(&first.id).or_default() += 1;
    }
    let recurrence = |(id, times): (&str, u32)| Recurrence { learning_id: id.to_owned(), times };
    let mut found: Vec<Recurrence> = times.into_iter().map(recurrence).collect();
    found.sort_by_key(|again| std::cmp::Reverse(again.times));
    found
}
