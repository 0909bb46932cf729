//! Insights from how learnings are used, each with a recommended setting.
//!
//! Each is a row of [`TABLE`]. `roz stats --help` prints the triggers.

use chrono::TimeDelta;
use serde::Serialize;

use super::usage::{Report, Tally};
use crate::core::bounded::{self, counted};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Insight {
    pub kind: &'static str,
    pub message: String,
    pub recommendation: &'static str,
}

#[derive(Debug)]
pub struct Row {
    pub kind: &'static str,
    pub trigger: &'static str,
    messages: fn(&Report) -> Vec<String>,
    pub recommendation: &'static str,
}

/// Fewer cases give no rate.
const ENOUGH: u32 = 10;
const NAMED: usize = 3;

pub static TABLE: &[Row] = &[
    Row {
        kind: "LowHitCategory",
        trigger: "a category was shown 10 times or more, and helped less than 30 % of them",
        messages: low_hit_category,
        recommendation: "show less of it: `retrieval.strategy = \"conservative\"`, or ask more of \
                         what is written down: `gate.write_gate.mode = \"strict\"`",
    },
    Row {
        kind: "HighValueRare",
        trigger: "a category has fewer than 5 learnings that were shown, 3 times or more, and \
                  helped more than 70 % of them",
        messages: high_value_rare,
        recommendation: "write down more of these, and leave them room: raise \
                         `retrieval.max_injections`",
    },
    Row {
        kind: "SkipMiss",
        trigger: "something was learned later from a ticket that had been skipped",
        messages: skip_miss,
        recommendation: "let fewer reflections be skipped: lower `gate.auto_skip.line_threshold`, or \
                         set `gate.auto_skip.decider = \"never\"`",
    },
    Row {
        kind: "WriteGateTooStrict",
        trigger: "of 10 candidates or more, the write gate took less than 50 %; or 2 topics or \
                  more that it rejected were accepted in another session",
        messages: write_gate_too_strict,
        recommendation: "look at what was rejected; if it was worth keeping, set \
                         `gate.write_gate.mode = \"warn\"`",
    },
    Row {
        kind: "WriteGateTooLoose",
        trigger: "of 10 candidates or more, the write gate took more than 95 %, and learnings \
                  were shown 10 times or more and helped less than 30 % of them",
        messages: write_gate_too_loose,
        recommendation: "set `gate.write_gate.mode = \"strict\"`; if it is, archive what does not \
                         help sooner: lower `decay.passive_duration_days`",
    },
    Row {
        kind: "RubberStamping",
        trigger: "of 10 accepted learnings or more, more than 90 % claim the same criterion",
        messages: rubber_stamping,
        recommendation: "the claim says nothing then: tell whoever reflects what each criterion \
                         means, and leave `gate.write_gate.mode` at \"strict\", so that it has to be \
                         plausible",
    },
    Row {
        kind: "HighCrossPollination",
        trigger: "a learning helped in 3 tickets or more that are not its own",
        messages: |report| {
            let wide = report.cross_uses.iter().filter(|learning| learning.tickets.len() >= 3);
            let ids: Vec<&str> = wide.map(|learning| learning.learning_id.as_str()).collect();
            learnings_that(report, &ids, "helped in 3 other tickets or more")
        },
        recommendation: "it is worth more than a place among learnings: write it into the project's \
                         own instructions, or raise `retrieval.max_injections`",
    },
    Row {
        kind: "DecayWarning",
        trigger: "a learning is due to be archived, or will be within 7 days",
        messages: |report| {
            let ids: Vec<&str> = report.decaying.iter().map(|due| due.id.as_str()).collect();
            learnings_that(report, &ids, "due to be archived within 7 days")
        },
        recommendation: "`roz ref` keeps one that is still true; more time for all: raise \
                         `decay.passive_duration_days`",
    },
    Row {
        kind: "StaleTopLearning",
        trigger: "a learning with a hit rate of 50 % or more was not used in 60 days",
        messages: stale_top_learning,
        recommendation: "see whether it still holds, with `roz learn rate`; if it does and is \
                         not shown any more, raise `retrieval.recency_half_life_days`",
    },
    Row {
        kind: "OverSurfaced",
        trigger: "a learning was shown 5 times or more, and helped 10 % of them or less",
        messages: |report| {
            let is_over = |tally: &Tally| {
                tally.surfaced >= 5 && tally.hit_rate().is_some_and(|rate| rate <= 0.1)
            };
            let ids = active_where(report, is_over);
            learnings_that(report, &ids, "kept being shown, and hardly ever helped")
        },
        recommendation: "make it specific or put it away, with `roz learn archive`; sooner for \
                         all: lower `decay.min_dismissals`, or set \
                         `retrieval.strategy = \"conservative\"`",
    },
    Row {
        kind: "RecurringPitfall",
        trigger: "a pitfall was learned again after it had been shown",
        messages: |report| {
            let ids: Vec<&str> =
                report.recurrences.iter().map(|again| again.learning_id.as_str()).collect();
            learnings_that(report, &ids, "learned again after it had been shown")
        },
        recommendation: "a note is not enough against it: make it a check that fails, or say when it \
                         matters in its `relevance`, so that `retrieval.on_prompt` brings it in time",
    },
];

pub fn draw(report: &Report) -> Vec<Insight> {
    let of_row = |row: &'static Row| {
        let Row { kind, recommendation, .. } = *row;
        let messages = (row.messages)(report).into_iter();
        messages.map(move |message| Insight { kind, message, recommendation })
    };
    TABLE.iter().flat_map(of_row).collect()
}

fn low_hit_category(report: &Report) -> Vec<String> {
    let categories = report.categories.iter().filter_map(|(category, shown)| {
        let rate = shown.hit_rate.filter(|rate| shown.surfaced >= ENOUGH && *rate < 0.3)?;
        let (times, rate) = (shown.surfaced, percent(rate));
        Some(format!("`{category}` was shown {times} times, and helped {rate}"))
    });
    categories.collect()
}

fn high_value_rare(report: &Report) -> Vec<String> {
    let categories = report.categories.iter().filter_map(|(category, shown)| {
        let is_rare = shown.learnings < 5 && shown.surfaced >= 3;
        let rate = shown.hit_rate.filter(|rate| is_rare && *rate > 0.7)?;
        let learnings = counted(shown.learnings, "learning");
        Some(format!(
            "`{category}` has {learnings} with a title shown, and helped {}",
            percent(rate)
        ))
    });
    categories.collect()
}

fn skip_miss(report: &Report) -> Vec<String> {
    if report.skip_misses.is_empty() {
        return Vec::new();
    }
    let tickets = counted(report.skip_misses.len(), "skipped ticket");
    let named = listed(report.skip_misses.iter().map(String::as_str));
    vec![format!("{tickets} taught something later: {named}")]
}

fn write_gate_too_strict(report: &Report) -> Vec<String> {
    let mut messages = Vec::new();
    let (accepted, judged) = judged(report);
    if let Some(rate) = share(accepted, judged).filter(|rate| *rate < 0.5) {
        messages.push(format!("the write gate took {} of {judged} candidates", percent(rate)));
    }
    let misses = &report.gate_misses;
    if misses.len() >= 2 {
        let named = listed(misses.iter().map(|miss| miss.rejected.as_str()));
        let count = misses.len();
        messages.push(format!("{count} topics were rejected at first and accepted later: {named}"));
    }
    messages
}

fn write_gate_too_loose(report: &Report) -> Vec<String> {
    let (accepted, judged) = judged(report);
    let shown = report.totals.surfaced;
    let taken = share(accepted, judged).filter(|rate| *rate > 0.95);
    let hits = report.totals.hit_rate.filter(|rate| shown >= ENOUGH && *rate < 0.3);
    let (Some(taken), Some(hits)) = (taken, hits) else { return Vec::new() };
    let (taken, hits) = (percent(taken), percent(hits));
    vec![format!(
        "the write gate took {taken} of {judged} candidates, and learnings helped {hits} of the \
         {shown} times that they were shown"
    )]
}

/// (accepted, all judged), without malformed and duplicate candidates.
fn judged(report: &Report) -> (u32, u32) {
    let rejected = report.view.rejections_by_stage.get("write_gate").copied().unwrap_or(0);
    (report.view.accepted, report.view.accepted.saturating_add(rejected))
}

fn rubber_stamping(report: &Report) -> Vec<String> {
    let accepted = report.view.accepted;
    let criteria = report.view.criteria.iter().filter_map(|(criterion, count)| {
        let rate = percent(share(*count, accepted).filter(|rate| *rate > 0.9)?);
        let criterion = bounded::line(criterion, 40);
        Some(format!("{rate} of {accepted} accepted learnings claim `{criterion}`"))
    });
    criteria.collect()
}

fn stale_top_learning(report: &Report) -> Vec<String> {
    let since = report.now.checked_sub_signed(TimeDelta::days(60));
    let is_stale = |tally: &Tally| {
        let is_top = tally.hit_rate().is_some_and(|rate| rate >= 0.5);
        is_top && tally.last_used.is_some_and(|used| Some(used) <= since)
    };
    let ids = active_where(report, is_stale);
    learnings_that(report, &ids, "used to help, but not in the last 60 days")
}

/// Learnings that can still be shown, including ones known only from the log: their backend may not
/// have answered.
fn active_where<'a>(report: &'a Report, fits: impl Fn(&Tally) -> bool) -> Vec<&'a str> {
    let gone = report.learnings.iter().filter(|learning| !learning.is_active());
    let gone: std::collections::BTreeSet<&str> = gone.map(|learning| &*learning.id).collect();
    let fitting =
        report.tallies.iter().filter(|(id, tally)| !gone.contains(id.as_str()) && fits(tally));
    fitting.map(|(id, _)| id.as_str()).collect()
}

/// One message about several learnings with the first summaries; empty without learnings.
fn learnings_that(report: &Report, ids: &[&str], what: &str) -> Vec<String> {
    if ids.is_empty() {
        return Vec::new();
    }
    let named = ids.iter().take(NAMED).map(|id| {
        let known = report.learnings.iter().find(|learning| learning.id == **id);
        known.map_or((*id).to_owned(), |learning| {
            format!("{id} ({})", bounded::line(&learning.summary, 60))
        })
    });
    let named: Vec<String> = named.collect();
    let rest = if ids.len() > NAMED { " …" } else { "" };
    vec![format!("{} {what}: {}{rest}", counted(ids.len(), "learning"), named.join(", "))]
}

fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let rest = if names.len() > NAMED { " …" } else { "" };
    let shown = names.take(NAMED).map(|name| format!("`{}`", bounded::line(name, 60)));
    shown.collect::<Vec<String>>().join(", ") + rest
}

/// `None` if there are too few cases.
fn share(part: u32, whole: u32) -> Option<f64> {
    (whole >= ENOUGH).then(|| f64::from(part) / f64::from(whole))
}

fn percent(rate: f64) -> String {
    format!("{:.0} %", rate * 100.0)
}

#[cfg(test)]
mod tests;
