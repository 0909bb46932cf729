//! Decides which unused learnings are archived.
//!
//! | a learning | is archived |
//! |---|---|
//! | whose title was shown in `min_dismissals` sessions or more | after `passive_duration_days` without a use |
//! | any other | after twice that time |
//! | with a hit rate above `immunity_hit_rate` | never |
//!
//! A learning is used when a session opens it or refers to it. The time runs from the last use, or
//! from when the learning was written or restored, whichever came last. Titles shown before a
//! restore
//! do not count. Only active learnings decay. Personal ones do not, because other projects log
//! their
//! use elsewhere; notes in Total Recall do not, because roz never writes them.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    learning::{Learning, Scope, is_note_id},
    usage::Tally,
};
use crate::core::policy::DecayPolicy;

/// A learning, and when it will be archived if nobody uses it until then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub id: String,
    pub at: DateTime<Utc>,
    pub reason: String,
}

/// Soonest first.
pub fn due(
    learnings: &[Learning],
    tallies: &BTreeMap<String, Tally>,
    policy: &DecayPolicy,
    by: DateTime<Utc>,
) -> Vec<Due> {
    let unused = Tally::default();
    let due = |learning: &Learning| {
        let (at, reason) = end(learning, tallies.get(&learning.id).unwrap_or(&unused), policy)?;
        (at <= by).then(|| Due { id: learning.id.clone(), at, reason })
    };
    let mut all: Vec<Due> = learnings.iter().filter_map(due).collect();
    all.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    all
}

/// When and why a learning is archived; `None`: never.
fn end(
    learning: &Learning,
    tally: &Tally,
    policy: &DecayPolicy,
) -> Option<(DateTime<Utc>, String)> {
    let is_immune = tally.hit_rate().is_some_and(|rate| rate > policy.immunity_hit_rate);
    let is_kept = learning.scope == Scope::Personal || is_note_id(&learning.id);
    if !learning.is_active() || is_kept || is_immune {
        return None;
    }
    let since = [tally.last_used, tally.restored];
    let since = since.into_iter().flatten().fold(learning.created_at, DateTime::max);
    let times = tally.surfaced.saturating_sub(tally.forgiven);
    let days = policy.passive_duration_days;
    let (days, reason) = if times >= policy.min_dismissals {
        (days, format!("shown in {times} sessions and not used in {days} days"))
    } else {
        let days = days.saturating_mul(2);
        (days, format!("not used in {days} days"))
    };
    Some((days_after(since, days)?, reason))
}

/// `None` if the date is out of range.
pub fn days_after(at: DateTime<Utc>, days: u64) -> Option<DateTime<Utc>> {
    at.checked_add_signed(TimeDelta::try_days(i64::try_from(days).ok()?)?)
}

#[cfg(test)]
mod tests;
