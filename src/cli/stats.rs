//! `roz stats`: which texts get work reviewed, and how learnings are used; as text, JSON or a page.

mod page;
mod reflection;

use std::{collections::BTreeMap, path::PathBuf};

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{Done, say};
use crate::{
    core::review::attempt::{Attempt, Outcome},
    open::Roz,
    world::World,
};

/// Compare the texts of held stops, and show how learnings are used
///
/// A text succeeds if the reviewer that it asks for starts and decides. The
/// success rate comes with its 95 % Wilson score interval.
///
/// A learning is used if an agent opens it, or says that it helped. A session
/// counts once, however often it was shown the learning.
#[derive(Debug, clap::Args)]
#[command(after_long_help = reflection::triggers())]
pub(super) struct Args {
    /// Only the last so many days
    #[arg(long, default_value_t = 30)]
    days: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write one page with pictures to a file: sessions, reviews, calls, learnings, intents
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    html: Option<PathBuf>,
}

/// What became of a template's attempts.
#[derive(Debug, Default, Clone, PartialEq)]
struct Tally {
    shown: u32,
    success: u32,
    blocks: u32,
    pending: u32,
    not_spawned: u32,
    no_decision: u32,
    bad_session_id: u32,
}

impl Tally {
    fn count(&mut self, attempt: &Attempt) {
        self.shown += 1;
        match &attempt.outcome {
            Outcome::Pending => self.pending += 1,
            Outcome::Success { blocks_needed, .. } => {
                self.success += 1;
                self.blocks += blocks_needed;
            }
            Outcome::NotSpawned => self.not_spawned += 1,
            Outcome::NoDecision | Outcome::TimedOut => self.no_decision += 1,
            Outcome::BadSessionId => self.bad_session_id += 1,
        }
    }

    /// Those that have come to an end.
    fn ended(&self) -> u32 {
        self.shown - self.pending
    }

    fn rate(&self) -> Option<f64> {
        (self.ended() > 0).then(|| f64::from(self.success) / f64::from(self.ended()))
    }

    fn blocks_needed(&self) -> Option<f64> {
        (self.success > 0).then(|| f64::from(self.blocks) / f64::from(self.success))
    }
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let since = world.now.checked_sub_signed(TimeDelta::days(args.days.into()));
    let since = since.unwrap_or(chrono::DateTime::<chrono::Utc>::MIN_UTC);
    if let Some(file) = &args.html {
        page::write(file, args.days, since, world)?;
        return Ok(Done::Well);
    }
    let roz = Roz::here(world)?;
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut sessions = 0;
    for activity in roz.store.activity()?.into_iter().take_while(|activity| activity.at >= since) {
        let Ok(Some(stored)) = roz.store.look_at(&activity.id) else { continue };
        sessions += 1;
        for attempt in
            stored.session.review.attempts().iter().filter(|attempt| attempt.timestamp >= since)
        {
            tallies.entry(attempt.template_id.clone()).or_default().count(attempt);
        }
    }
    let verdict = compare(&tallies);
    let log = reflection::Log::read(&roz, world);
    if args.json {
        let templates: BTreeMap<&String, Value> =
            tallies.iter().map(|(id, tally)| (id, as_json(tally))).collect();
        say::print_json(&json!({
            "days": args.days, "sessions": sessions, "templates": templates,
            "significant": verdict.as_ref().is_some_and(|verdict| verdict.significant),
            "reflection": log.as_ref().ok().map(|log| log.as_json(&roz, world)),
        }))?;
    } else {
        let out = say::Out::new(world);
        if tallies.is_empty() {
            let (days, sessions) =
                (say::counted(args.days, "day"), say::counted(sessions, "session"));
            let told = format!("No reviews in the last {days} ({sessions}).");
            say::print(&(say::folded(&told, out.width, "") + "\n"))?;
        } else {
            print_templates(&out, &tallies, verdict.as_ref())?;
        }
        if let Ok(log) = &log {
            log.print(&out, &roz, world)?;
        }
    }
    // What there was to say besides has been said.
    log?;
    Ok(Done::Well)
}

fn print_templates(
    out: &say::Out,
    tallies: &BTreeMap<String, Tally>,
    verdict: Option<&Comparison>,
) -> super::Result<()> {
    let heading = [
        "TEMPLATE",
        "SHOWN",
        "SUCCESS",
        "RATE (95 %)",
        "BLOCKS",
        "NOT SPAWNED",
        "NO DECISION",
        "BAD SESSION",
        "OPEN",
    ];
    let rows: Vec<Vec<String>> = tallies.iter().map(|(id, tally)| row(id, tally)).collect();
    say::print(&out.table(&heading, &rows))?;
    if let Some(verdict) = verdict {
        say::print(&format!("\n{}\n", verdict.words))?;
    }
    Ok(())
}

fn row(id: &str, tally: &Tally) -> Vec<String> {
    let rate = tally.rate().map_or("-".to_owned(), |rate| {
        let (low, high) = wilson(tally.success, tally.ended());
        format!("{:.0} % ({:.0}–{:.0})", rate * 100.0, low * 100.0, high * 100.0)
    });
    let blocks = tally.blocks_needed().map_or("-".to_owned(), |blocks| format!("{blocks:.1}"));
    let counts = [tally.not_spawned, tally.no_decision, tally.bad_session_id, tally.pending];
    let mut row =
        vec![id.to_owned(), tally.shown.to_string(), tally.success.to_string(), rate, blocks];
    row.extend(counts.map(|count| count.to_string()));
    row
}

fn as_json(tally: &Tally) -> Value {
    let (low, high) = wilson(tally.success, tally.ended());
    json!({
        "shown": tally.shown,
        "success": tally.success,
        "blocks_needed": tally.blocks_needed(),
        "failures": {
            "not_spawned": tally.not_spawned,
            "no_decision": tally.no_decision,
            "bad_session_id": tally.bad_session_id,
        },
        "pending": tally.pending,
        "success_rate": tally.rate(),
        "interval": tally.rate().map(|_| [low, high]),
    })
}

/// The 95 % score interval of `successes` in `n` (Wilson 1927); 0 to 1 if
/// there is nothing to tell from.
fn wilson(successes: u32, n: u32) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    if n == 0 {
        return (0.0, 1.0);
    }
    let n = f64::from(n);
    let p = f64::from(successes) / n;
    let centre = p + Z * Z / (2.0 * n);
    let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0))
}

struct Comparison {
    significant: bool,
    words: String,
}

/// Best against worst. They differ when the interval of their difference
/// leaves out zero (Newcombe 1998, method 10: from the two Wilson intervals).
fn compare(tallies: &BTreeMap<String, Tally>) -> Option<Comparison> {
    let mut rated: Vec<(&String, &Tally, f64)> =
        tallies.iter().filter_map(|(id, tally)| Some((id, tally, tally.rate()?))).collect();
    rated.sort_by(|a, b| b.2.total_cmp(&a.2));
    let [(best, best_tally, best_rate), .., (worst, worst_tally, worst_rate)] = rated[..] else {
        return None;
    };
    let (low, _) = wilson(best_tally.success, best_tally.ended());
    let (_, high) = wilson(worst_tally.success, worst_tally.ended());
    let difference = best_rate - worst_rate;
    let margin = ((best_rate - low).powi(2) + (high - worst_rate).powi(2)).sqrt();
    let significant = difference > margin;
    let words = if significant {
        format!("`{best}` does better than `{worst}`, and by more than chance explains.")
    } else {
        format!(
            "The difference between `{best}` and `{worst}` is not significant: more attempts are \
             needed to tell."
        )
    };
    Some(Comparison { significant, words })
}

#[cfg(test)]
mod tests;
