//! `roz stats`: what was refused in a trial, which templates get work reviewed, and how learnings
//! are used.

mod page;
mod reflection;
mod trial;

use std::{collections::BTreeMap, path::PathBuf};

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{Done, say};
use crate::{
    core::review::attempt::{Attempt, Outcome},
    open::Roz,
    world::World,
};

/// Show how often gates held, and how learnings are used
///
/// In a trial (`trial = true`) it lists what would have been held or denied. A
/// template of a held stop succeeds when the reviewer that it asks for decides.
/// A learning helped when an agent said so, with `roz ref` or in its reflection;
/// a session counts once.
#[derive(Debug, clap::Args)]
#[command(after_long_help = reflection::triggers())]
pub(super) struct Args {
    /// How many days to look back
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
    let mut trial = trial::Trial::default();
    let mut sessions = 0;
    for activity in roz.store.activity()?.into_iter().take_while(|activity| activity.at >= since) {
        let Ok(Some(stored)) = roz.store.look_at(&activity.id) else { continue };
        sessions += 1;
        for attempt in
            stored.session.review.attempts().iter().filter(|attempt| attempt.timestamp >= since)
        {
            tallies.entry(attempt.template_id.clone()).or_default().count(attempt);
        }
        if stored.session.trace.would_refuse > 0 {
            trial.count(&roz.store.read_trace(&activity.id)?, since);
        }
    }
    let log = reflection::Log::read(&roz, world);
    if args.json {
        let templates: BTreeMap<&String, Value> =
            tallies.iter().map(|(id, tally)| (id, as_json(tally))).collect();
        say::print_json(&json!({
            "days": args.days, "sessions": sessions, "templates": templates,
            "trial": { "on": roz.policy.trial, "would_refuse": trial.as_json() },
            "reflection": log.as_ref().ok().map(|log| log.as_json(&roz, world)),
        }))?;
    } else {
        let out = say::Out::new(world);
        trial.print(roz.policy.trial, &out)?;
        if tallies.is_empty() {
            let days = say::counted(args.days, "day");
            let told = format!("No reviews in the last {days}.");
            say::print(&(say::folded(&told, out.width, "") + "\n"))?;
        } else {
            let heading = ["TEMPLATE", "SHOWN", "SUCCESS", "RATE", "BLOCKS", "FAILED", "OPEN"];
            let rows: Vec<Vec<String>> = tallies.iter().map(|(id, tally)| row(id, tally)).collect();
            say::print(&out.table(&heading, &rows))?;
        }
        if let Ok(log) = &log {
            log.print(&out, &roz, world)?;
        }
    }
    // What there was to say besides has been said.
    log?;
    Ok(Done::Well)
}

fn row(id: &str, tally: &Tally) -> Vec<String> {
    let rate = tally.rate().map_or("-".to_owned(), |rate| format!("{:.0} %", rate * 100.0));
    let blocks =
        tally.blocks_needed().map_or("-".to_owned(), |blocks_needed| format!("{blocks_needed:.1}"));
    let failed = tally.ended() - tally.success;
    let [shown, success, failed, pending] =
        [tally.shown, tally.success, failed, tally.pending].map(|count| count.to_string());
    vec![id.to_owned(), shown, success, rate, blocks, failed, pending]
}

fn as_json(tally: &Tally) -> Value {
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
    })
}
