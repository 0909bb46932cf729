//! How the project's learnings are used.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};

use crate::{
    cli::{
        self,
        say::{self, Out, Tone},
    },
    core::{
        bounded,
        reflection::{
            insight,
            learning::Learning,
            usage::{Report, View},
        },
    },
    open::Roz,
    storage,
    world::World,
};

/// The project's log, and the learnings that it is about.
#[derive(Debug)]
pub(super) struct Log {
    view: View,
    learnings: Vec<Learning>,
}

#[derive(Debug, thiserror::Error)]
#[error("failed to read the log of learnings")]
pub(super) struct Error(#[from] storage::Error);

/// When each insight is drawn, for the help.
pub(super) fn triggers() -> String {
    let mut text = "Insights, and when they are drawn:\n".to_owned();
    for row in insight::TABLE {
        let _ = writeln!(text, "  {:<22}{}", row.kind, row.trigger);
    }
    text
}

impl Log {
    pub(super) fn read(roz: &Roz, world: &World) -> Result<Self, Error> {
        let library = roz.library(world);
        let view = roz.usage_log(&library).read()?;
        let learnings = library.all().learnings.into_iter().map(|found| found.learning).collect();
        Ok(Self { view, learnings })
    }

    fn report(&self, roz: &Roz, world: &World) -> Report<'_> {
        Report::new(&self.view, &self.learnings, &roz.policy.decay, world.now)
    }

    pub(super) fn as_json(&self, roz: &Roz, world: &World) -> Value {
        let report = self.report(roz, world);
        let view = &self.view;
        let decaying = report.decaying.iter().map(
            |decay| json!({ "learning_id": decay.id, "at": decay.at, "reason": decay.reason.to_string() }),
        );
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
            "insights": insight::draw(&report),
        })
    }

    /// Prints nothing if nothing was ever recorded.
    pub(super) fn print(&self, out: &Out, roz: &Roz, world: &World) -> cli::Result<()> {
        let view = &self.view;
        if view.entries + view.broken == 0 {
            return Ok(());
        }
        let report = self.report(roz, world);
        let mut text = String::new();
        let totals = &report.totals;
        text.push('\n');
        if totals.surfaced == 0 {
            text += "No learning was shown yet.\n";
        } else {
            let used = match totals.hits {
                0 => "never used".to_owned(),
                n => format!("used {}", say::times(n)),
            };
            let in_vain = match totals.dismissed {
                0 => "none was dismissed".to_owned(),
                n => format!("nobody used them {}", say::times(n)),
            };
            let (shown, rate) = (say::times(totals.surfaced), rate(totals.hit_rate));
            let _ = writeln!(text, "Titles were shown {shown}, and {used} ({rate}); {in_vain}.");
        }
        let found = totals.used.saturating_sub(totals.hits);
        if found > 0 {
            let (also, found) = (if totals.hits > 0 { "also " } else { "" }, say::times(found));
            let _ =
                writeln!(text, "Learnings were {also}used {found} where they had not been shown.");
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
            let count = view
                .skips_by_decider
                .values()
                .fold(0, |sum: u32, count| sum.saturating_add(*count));
            let by = listed("by", &view.skips_by_decider);
            let _ = writeln!(text, "Reflections skipped: {count} ({by}).");
        }
        if view.broken > 0 {
            let _ = writeln!(text, "Lines of the log that cannot be read: {}.", view.broken);
        }
        if !report.categories.is_empty() {
            let heading = ["CATEGORY", "LEARNINGS", "SHOWN", "USED", "DISMISSED", "HIT RATE"];
            let rows = report.categories.iter().map(|(category, used)| {
                let counts = [used.learnings, used.surfaced, used.hits, used.dismissed];
                let counts = counts.iter().map(u32::to_string);
                [category.to_string()]
                    .into_iter()
                    .chain(counts)
                    .chain([rate(used.hit_rate)])
                    .collect()
            });
            text.push('\n');
            text += &out.table(&heading, &rows.collect::<Vec<_>>());
        }
        let insights = insight::draw(&report);
        if !insights.is_empty() {
            text.push('\n');
            text += &out.paint(Tone::Bold, "INSIGHTS");
            text.push('\n');
        }
        for insight in insights {
            let kind = out.paint(Tone::Warn, insight.kind);
            let message = bounded::plain_line(&insight.message);
            let _ = writeln!(text, "{kind}: {message}\n    → {}", insight.recommendation);
        }
        say::print(&text)?;
        Ok(())
    }
}

/// `, agent 3, auto 5`, behind a beginning.
fn listed(begin: &str, counts: &BTreeMap<String, u32>) -> String {
    let named: Vec<String> = counts
        .iter()
        .map(|(name, count)| format!("{} {count}", bounded::plain_line(&bounded::line(name, 40))))
        .collect();
    if named.is_empty() { String::new() } else { format!("{begin} {}", named.join(", ")) }
}

fn rate(rate: Option<f64>) -> String {
    rate.map_or("-".to_owned(), |rate| format!("{:.0} %", rate * 100.0))
}
