//! Statistics about the use of the project's learnings.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};

use crate::{
    cli::say::{Out, Tone},
    core::{
        bounded,
        reflection::{
            learning::Learning,
            usage::{Report, View},
            usage_insights,
        },
    },
    open::Roz,
    world::{World, in_a_line},
};

#[derive(Debug)]
pub(super) struct Log {
    view: View,
    learnings: Vec<Learning>,
}

pub(super) fn triggers() -> String {
    let mut text = "Insights, and when they appear:\n".to_owned();
    for row in usage_insights::TABLE {
        let _ = writeln!(text, "  {:<22}{}", row.kind, row.trigger);
    }
    text
}

impl Log {
    pub(super) fn read(roz: &Roz, world: &World) -> Result<Self, String> {
        let library = roz.library(world);
        let view = roz.usage_log(&library).read();
        let view = view
            .map_err(|err| format!("failed to read the log of learnings: {}", in_a_line(&err)))?;
        let learnings =
            library.all().learnings.into_iter().map(|learning| learning.learning).collect();
        Ok(Self { view, learnings })
    }

    fn report(&self, roz: &Roz, world: &World) -> Report<'_> {
        Report::new(&self.view, &self.learnings, &roz.policy.decay, world.now)
    }

    pub(super) fn as_json(&self, roz: &Roz, world: &World) -> Value {
        let report = self.report(roz, world);
        let view = &self.view;
        let decaying = report
            .decaying
            .iter()
            .map(|due| json!({ "learning_id": due.id, "at": due.at, "reason": due.reason }));
        json!({
            "log": { "entries": view.entries, "broken": view.broken, "unknown": view.unknown },
            "totals": report.totals,
            "by_category": report.categories,
            "reflections": {
                "count": view.reflections,
                "candidates": view.candidates,
                "accepted": view.accepted,
                "by_criterion": view.criteria,
                "rejected_by_stage": view.rejections_by_stage,
            },
            "skips_by_decider": view.skips_by_decider,
            "cross_pollination": report.cross_uses,
            "skip_misses": report.skip_misses,
            "write_gate_misses": report.gate_misses,
            "recurrences": report.recurrences,
            "decaying": decaying.collect::<Vec<_>>(),
            "insights": usage_insights::draw(&report),
        })
    }

    /// Empty if nothing was ever recorded.
    pub(super) fn in_words(&self, out: &Out, roz: &Roz, world: &World) -> String {
        let view = &self.view;
        if view.entries + view.broken == 0 {
            return String::new();
        }
        let report = self.report(roz, world);
        let totals = &report.totals;
        let mut text = String::from("\n");
        let _ = match totals.surfaced {
            0 => writeln!(text, "No learning was shown yet."),
            shown => writeln!(
                text,
                "Learnings: shown {shown}, used {} ({}), dismissed {}.",
                totals.hits,
                rate(totals.hit_rate),
                totals.dismissed
            ),
        };
        let elsewhere = totals.used.saturating_sub(totals.hits);
        if elsewhere > 0 {
            let _ = writeln!(text, "Used without having been shown: {elsewhere}.");
        }
        if view.reflections > 0 || !view.rejections_by_stage.is_empty() {
            let _ = writeln!(
                text,
                "Reflections: {}; candidates: {}; accepted: {}{}.",
                view.reflections,
                view.candidates,
                view.accepted,
                listed("; rejected by", &view.rejections_by_stage)
            );
        }
        if !view.skips_by_decider.is_empty() {
            let _ = writeln!(text, "Reflections skipped{}.", listed(" by", &view.skips_by_decider));
        }
        if view.broken > 0 {
            let _ = writeln!(text, "Lines of the log that cannot be read: {}.", view.broken);
        }
        for insight in usage_insights::draw(&report) {
            let kind = out.paint(Tone::Warn, insight.kind);
            let message = bounded::plain_line(&insight.message);
            let _ = writeln!(text, "\n{kind}: {message}\n  → {}", insight.recommendation);
        }
        text
    }
}

/// ` by agent 3, auto 5`.
fn listed(begin: &str, counts: &BTreeMap<String, u32>) -> String {
    let named: Vec<String> = counts
        .iter()
        .map(|(name, count)| format!("{} {count}", bounded::plain_line(&bounded::line(name, 40))))
        .collect();
    if named.is_empty() { String::new() } else { format!("{begin} {}", named.join(", ")) }
}

pub(super) fn rate(rate: Option<f64>) -> String {
    rate.map_or("-".to_owned(), |rate| format!("{:.0} %", rate * 100.0))
}
