//! Which learnings nobody uses any more.
//!
//! | a learning | is put away |
//! |---|---|
//! | whose title was shown in `min_dismissals` sessions or more | after `passive_duration_days` without a use |
//! | any other | after twice that time |
//! | with a hit rate above `immunity_hit_rate` | never |
//!
//! A use is that somebody opened it or referred to it.
//! The time runs from the last use, or from when it was written or
//! brought back, whichever came last; it is over at the end of the last day,
//! not a moment before. What was shown before it was brought back is
//! forgiven. Only active learnings decay. Personal ones do not: their use in
//! other projects stands in other logs. What others wrote into Total Recall does
//! not: roz reads it, and never writes it.

use std::{collections::BTreeMap, fmt};

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    learning::{Learning, Scope},
    usage::Tally,
};
use crate::core::policy::DecayPolicy;

/// A learning whose time is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub id: String,
    pub reason: Reason,
}

/// A learning whose time will be over at a moment, if nobody uses it until
/// then; or is over since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Soon {
    pub id: String,
    pub at: DateTime<Utc>,
    pub reason: Reason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Shown { times: u32, days: u64 },
    Unused { days: u64 },
}

/// What is to be put away now, in the order of `learnings`.
pub fn due(
    learnings: &[Learning],
    tallies: &BTreeMap<String, Tally>,
    policy: &DecayPolicy,
    now: DateTime<Utc>,
) -> Vec<Due> {
    ends(learnings, tallies, policy)
        .filter(|it| it.at <= now)
        .map(|it| Due { id: it.id, reason: it.reason })
        .collect()
}

/// What will be due within so many days from `now`, the soonest first. What is
/// due already is not in it.
pub fn soon(
    learnings: &[Learning],
    tallies: &BTreeMap<String, Tally>,
    policy: &DecayPolicy,
    now: DateTime<Utc>,
    days: u64,
) -> Vec<Soon> {
    let mut soon = until(learnings, tallies, policy, now, days);
    soon.retain(|it| now < it.at);
    soon
}

/// The same, with what is due already and was not put away yet, which comes
/// first.
pub fn until(
    learnings: &[Learning],
    tallies: &BTreeMap<String, Tally>,
    policy: &DecayPolicy,
    now: DateTime<Utc>,
    days: u64,
) -> Vec<Soon> {
    let last = later(now, days).unwrap_or(DateTime::<Utc>::MAX_UTC);
    let mut all: Vec<Soon> = ends(learnings, tallies, policy).filter(|it| it.at <= last).collect();
    all.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.id.cmp(&b.id)));
    all
}

fn ends<'a>(
    learnings: &'a [Learning],
    tallies: &'a BTreeMap<String, Tally>,
    policy: &'a DecayPolicy,
) -> impl Iterator<Item = Soon> + 'a {
    let unused = Tally::default();
    learnings.iter().filter_map(move |learning| {
        let tally = tallies.get(&learning.id).unwrap_or(&unused);
        let (at, reason) = end(learning, tally, policy)?;
        Some(Soon { id: learning.id.clone(), at, reason })
    })
}

/// When a learning's time is over as things are, and why; none: never.
pub fn end(
    learning: &Learning,
    tally: &Tally,
    policy: &DecayPolicy,
) -> Option<(DateTime<Utc>, Reason)> {
    let is_immune = tally.hit_rate().is_some_and(|it| it > policy.immunity_hit_rate);
    let is_kept = learning.scope == Scope::Personal || learning.is_note();
    if !learning.is_active() || is_kept || is_immune {
        return None;
    }
    let since = [tally.last_used, tally.restored];
    let since = since.into_iter().flatten().fold(learning.created_at, DateTime::max);
    let times = tally.surfaced.saturating_sub(tally.forgiven);
    let days = policy.passive_duration_days;
    let (days, reason) = if times >= policy.min_dismissals {
        (days, Reason::Shown { times, days })
    } else {
        let days = days.saturating_mul(2);
        (days, Reason::Unused { days })
    };
    Some((later(since, days)?, reason))
}

/// None: after the end of time.
fn later(at: DateTime<Utc>, days: u64) -> Option<DateTime<Utc>> {
    at.checked_add_signed(TimeDelta::try_days(i64::try_from(days).ok()?)?)
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Shown { times, days } => {
                write!(f, "shown in {times} sessions and not used in {days} days")
            }
            Self::Unused { days } => write!(f, "not used in {days} days"),
        }
    }
}

#[cfg(test)]
mod tests;
