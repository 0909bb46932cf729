//! What the use of learnings says about how they are gathered and shown.
//!
//! A new insight is a row of [`TABLE`] and a variant of [`Kind`]. `roz stats`
//! prints the triggers in its help as they stand there.

use std::fmt;

use chrono::TimeDelta;
use serde::Serialize;

use super::{
    decay::Soon,
    usage::{Report, Tally, WARNED_DAYS},
};
use crate::core::bounded;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Insight {
    pub kind: Kind,
    pub message: String,
    pub recommendation: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Kind {
    LowHitCategory,
    HighValueRare,
    SkipMiss,
    WriteGateTooStrict,
    WriteGateTooLoose,
    RubberStamping,
    HighCrossPollination,
    DecayWarning,
    StaleTopLearning,
    OverSurfaced,
    RecurringPitfall,
}

pub struct Row {
    pub kind: Kind,
    /// When it is drawn, for the help.
    pub trigger: fn() -> String,
    /// What there is to say; nothing, if the trigger is not met.
    messages: fn(&Report) -> Vec<String>,
    /// Names the setting.
    pub recommendation: &'static str,
}

/// A rate is told from so many times on.
const ENOUGH: u32 = 10;
const LOW: f64 = 0.3;
const HIGH: f64 = 0.7;
/// A category with fewer learnings is rare.
const RARE: u32 = 5;
/// And has to have been shown so often for its rate to mean something.
const RARE_SHOWN: u32 = 3;
const STRICT: f64 = 0.5;
const LOOSE: f64 = 0.95;
const STAMPED: f64 = 0.9;
const TICKETS: usize = 3;
const TOP: f64 = 0.5;
const STALE_DAYS: i64 = 60;
const OVER_SHOWN: u32 = 5;
const OVER_RATE: f64 = 0.1;
const GATE_MISSES: usize = 2;

pub static TABLE: &[Row] = &[
    Row {
        kind: Kind::LowHitCategory,
        trigger: || {
            let low = percent(LOW);
            format!(
                "a category was shown {ENOUGH} times or more, and helped less than {low} of them"
            )
        },
        messages: low_hit_category,
        recommendation: "show less of it: `retrieval.strategy = \"conservative\"`, or ask more of \
                         what is written down: `gate.write_gate.mode = \"strict\"`",
    },
    Row {
        kind: Kind::HighValueRare,
        trigger: || {
            let high = percent(HIGH);
            format!(
                "a category has fewer than {RARE} learnings that were shown, {RARE_SHOWN} times or \
                 more, and helped more than {high} of them"
            )
        },
        messages: high_value_rare,
        recommendation: "write down more of these, and leave them room: raise \
                         `retrieval.max_injections`",
    },
    Row {
        kind: Kind::SkipMiss,
        trigger: || "something was learned later from a ticket that had been skipped".to_owned(),
        messages: skip_miss,
        recommendation: "let fewer reflections be skipped: lower `gate.auto_skip.line_threshold`, or \
                         set `gate.auto_skip.decider = \"never\"`",
    },
    Row {
        kind: Kind::WriteGateTooStrict,
        trigger: || {
            let strict = percent(STRICT);
            format!(
                "of {ENOUGH} candidates or more, the write gate took less than {strict}; or \
                 {GATE_MISSES} topics or more that it rejected were accepted in another session"
            )
        },
        messages: write_gate_too_strict,
        recommendation: "look at what was rejected; if it was worth keeping, set \
                         `gate.write_gate.mode = \"warn\"`",
    },
    Row {
        kind: Kind::WriteGateTooLoose,
        trigger: || {
            let (loose, low) = (percent(LOOSE), percent(LOW));
            format!(
                "of {ENOUGH} candidates or more, the write gate took more than {loose}, and \
                 learnings were shown {ENOUGH} times or more and helped less than {low} of them"
            )
        },
        messages: write_gate_too_loose,
        recommendation: "set `gate.write_gate.mode = \"strict\"`; if it is, put away what does not \
                         help sooner: lower `decay.passive_duration_days`",
    },
    Row {
        kind: Kind::RubberStamping,
        trigger: || {
            let stamped = percent(STAMPED);
            format!(
                "of {ENOUGH} accepted learnings or more, more than {stamped} claim the same criterion"
            )
        },
        messages: rubber_stamping,
        recommendation: "the claim says nothing then: tell whoever reflects what each criterion \
                         means, and leave `gate.write_gate.mode` at \"strict\", so that it has to be \
                         plausible",
    },
    Row {
        kind: Kind::HighCrossPollination,
        trigger: || format!("a learning helped in {TICKETS} tickets or more that are not its own"),
        messages: high_cross_pollination,
        recommendation: "it is worth more than a place among learnings: write it into the project's \
                         own instructions, or raise `retrieval.max_injections`",
    },
    Row {
        kind: Kind::DecayWarning,
        trigger: || {
            format!("a learning is due to be put away, or will be within {WARNED_DAYS} days")
        },
        messages: decay_warning,
        recommendation: "`roz ref` keeps one that is still true; more time for all: raise \
                         `decay.passive_duration_days`",
    },
    Row {
        kind: Kind::StaleTopLearning,
        trigger: || {
            let top = percent(TOP);
            format!("a learning with a hit rate of {top} or more was not used in {STALE_DAYS} days")
        },
        messages: stale_top_learning,
        recommendation: "see whether it still holds, with `roz learn rate`; if it does and is \
                         not shown any more, raise `retrieval.recency_half_life_days`",
    },
    Row {
        kind: Kind::OverSurfaced,
        trigger: || {
            let rate = percent(OVER_RATE);
            format!(
                "a learning was shown {OVER_SHOWN} times or more, and helped {rate} of them or less"
            )
        },
        messages: over_surfaced,
        recommendation: "make it specific or put it away, with `roz learn archive`; sooner for \
                         all: lower `decay.min_dismissals`, or set \
                         `retrieval.strategy = \"conservative\"`",
    },
    Row {
        kind: Kind::RecurringPitfall,
        trigger: || "a pitfall was learned again after it had been shown".to_owned(),
        messages: recurring_pitfall,
        recommendation: "a note is not enough against it: make it a check that fails, or say when it \
                         matters in its `relevance`, so that `retrieval.on_prompt` brings it in time",
    },
];

/// Every insight whose trigger is met, in the table's order.
pub fn draw(report: &Report) -> Vec<Insight> {
    let of_row = |row: &'static Row| {
        (row.messages)(report).into_iter().map(|message| Insight {
            kind: row.kind,
            message,
            recommendation: row.recommendation.to_owned(),
        })
    };
    TABLE.iter().flat_map(of_row).collect()
}

fn low_hit_category(report: &Report) -> Vec<String> {
    let categories = report.categories.iter().filter_map(|(category, it)| {
        let rate = it.hit_rate.filter(|rate| it.surfaced >= ENOUGH && *rate < LOW)?;
        Some(format!("`{category}` was shown {} times, and helped {}", it.surfaced, percent(rate)))
    });
    categories.collect()
}

fn high_value_rare(report: &Report) -> Vec<String> {
    let categories = report.categories.iter().filter_map(|(category, it)| {
        let is_rare = it.learnings < RARE && it.surfaced >= RARE_SHOWN;
        let rate = it.hit_rate.filter(|rate| is_rare && *rate > HIGH)?;
        let learnings = bounded::counted(u64::from(it.learnings), "learning");
        let were = if it.learnings == 1 { "was" } else { "were" };
        Some(format!(
            "`{category}` has {learnings} that {were} shown, and helped {}",
            percent(rate)
        ))
    });
    categories.collect()
}

fn skip_miss(report: &Report) -> Vec<String> {
    let named = listed(report.skip_misses.iter().map(String::as_str));
    let said = |count| {
        let tickets = bounded::counted(count, "skipped ticket");
        format!("{tickets} taught something later: {named}")
    };
    some(report.skip_misses.len()).map(said).into_iter().collect()
}

fn write_gate_too_strict(report: &Report) -> Vec<String> {
    let mut said = Vec::new();
    let (taken, judged) = judged(report);
    if let Some(rate) = share(taken, judged).filter(|it| judged >= ENOUGH && *it < STRICT) {
        said.push(format!("the write gate took {} of {judged} candidates", percent(rate)));
    }
    if report.gate_misses.len() >= GATE_MISSES {
        let named = listed(report.gate_misses.iter().map(|it| it.rejected.as_str()));
        let count = report.gate_misses.len();
        said.push(format!("{count} topics were rejected at first and accepted later: {named}"));
    }
    said
}

fn write_gate_too_loose(report: &Report) -> Vec<String> {
    let (taken, judged) = judged(report);
    let Some(rate) = share(taken, judged).filter(|it| judged >= ENOUGH && *it > LOOSE) else {
        return Vec::new();
    };
    let shown = report.totals.surfaced;
    let Some(hits) = report.totals.hit_rate.filter(|it| shown >= ENOUGH && *it < LOW) else {
        return Vec::new();
    };
    vec![format!(
        "the write gate took {} of {judged} candidates, and learnings helped {} of the {shown} \
         times that they were shown",
        percent(rate),
        percent(hits)
    )]
}

/// What the write gate took, of all that came before it: neither what was
/// malformed nor what was there already.
fn judged(report: &Report) -> (u32, u32) {
    let view = report.view;
    let rejected = view.rejections_by_stage.get("write_gate").copied().unwrap_or(0);
    (view.accepted, view.accepted.saturating_add(rejected))
}

fn rubber_stamping(report: &Report) -> Vec<String> {
    let accepted = report.view.accepted;
    let criteria = report.view.criteria.iter().filter_map(|(criterion, count)| {
        let rate = share(*count, accepted).filter(|it| accepted >= ENOUGH && *it > STAMPED)?;
        let criterion = bounded::line(criterion, 40);
        Some(format!("{} of {accepted} accepted learnings claim `{criterion}`", percent(rate)))
    });
    criteria.collect()
}

fn high_cross_pollination(report: &Report) -> Vec<String> {
    let wide = report.cross_uses.iter().filter(|it| it.tickets.len() >= TICKETS);
    let ids: Vec<&str> = wide.map(|it| it.learning_id.as_str()).collect();
    learnings_that(report, &ids, &format!("helped in {TICKETS} other tickets or more"))
}

fn decay_warning(report: &Report) -> Vec<String> {
    let (due, soon): (Vec<&Soon>, Vec<&Soon>) =
        report.decaying.iter().partition(|it| it.at <= report.now);
    let said = |of: &[&Soon], what: &str| {
        let ids: Vec<&str> = of.iter().map(|it| it.id.as_str()).collect();
        learnings_that(report, &ids, what)
    };
    let are = if due.len() == 1 { "is" } else { "are" };
    let mut messages = said(&due, &format!("{are} due to be put away"));
    messages.extend(said(&soon, &format!("will be put away within {WARNED_DAYS} days")));
    messages
}

fn stale_top_learning(report: &Report) -> Vec<String> {
    let since = report.now.checked_sub_signed(TimeDelta::days(STALE_DAYS));
    let is_stale = |it: &Tally| {
        it.hit_rate().is_some_and(|it| it >= TOP)
            && it.last_used.is_some_and(|it| Some(it) <= since)
    };
    let ids = active_where(report, is_stale);
    learnings_that(report, &ids, &format!("used to help, but not in the last {STALE_DAYS} days"))
}

fn over_surfaced(report: &Report) -> Vec<String> {
    let is_over = |it: &Tally| {
        it.surfaced >= OVER_SHOWN && it.hit_rate().is_some_and(|rate| rate <= OVER_RATE)
    };
    let ids = active_where(report, is_over);
    learnings_that(report, &ids, "kept being shown, and hardly ever helped")
}

fn recurring_pitfall(report: &Report) -> Vec<String> {
    let again = report.recurrences.iter().map(|it| {
        format!(
            "`{}` was learned {} again after it had been shown: {}",
            it.learning_id,
            if it.times == 1 { "once".to_owned() } else { format!("{} times", it.times) },
            bounded::line(&it.summary, 80)
        )
    });
    again.take(NAMED).collect()
}

/// Those that can still be shown. One that only the log knows counts too: its
/// backend may not have answered.
fn active_where<'a>(report: &'a Report, fits: impl Fn(&Tally) -> bool) -> Vec<&'a str> {
    let gone: std::collections::BTreeSet<&str> =
        report.learnings.iter().filter(|it| !it.is_active()).map(|it| it.id.as_str()).collect();
    let ids = report.tallies.iter().filter(|(id, it)| !gone.contains(id.as_str()) && fits(it));
    ids.map(|(id, _)| id.as_str()).collect()
}

fn learnings_that(report: &Report, ids: &[&str], what: &str) -> Vec<String> {
    let Some(count) = some(ids.len()) else { return Vec::new() };
    let named = ids.iter().take(NAMED).map(|id| {
        let summary = report.learnings.iter().find(|it| it.id == **id);
        match summary {
            Some(it) => format!("{id} ({})", bounded::line(&it.summary, 60)),
            None => (*id).to_owned(),
        }
    });
    let named: Vec<String> = named.collect();
    let rest = if ids.len() > NAMED { " …" } else { "" };
    vec![format!("{} {what}: {}{rest}", bounded::counted(count, "learning"), named.join(", "))]
}

/// More are not named, only counted.
const NAMED: usize = 3;

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.take(NAMED + 1).collect();
    let shown = names.iter().take(NAMED).map(|it| format!("`{}`", bounded::line(it, 60)));
    let shown: Vec<String> = shown.collect();
    shown.join(", ") + if names.len() > NAMED { " …" } else { "" }
}

fn some(count: usize) -> Option<u64> {
    Some(count as u64).filter(|it| *it > 0)
}

fn share(part: u32, of: u32) -> Option<f64> {
    (of > 0).then(|| f64::from(part) / f64::from(of))
}

fn percent(rate: f64) -> String {
    format!("{:.0} %", rate * 100.0)
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Row").field("kind", &self.kind).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
