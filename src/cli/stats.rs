//! `roz stats`: what was refused in a trial, which templates get work reviewed, and how learnings
//! are used.

mod page;
mod reflection;
mod trial;

use std::{collections::BTreeMap, path::PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{Done, say};
use crate::{
    core::{
        review::blocked_stops::{Attempt, Outcome},
        session::{Session, SessionId},
    },
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
    /// Write one page with pictures to a file: sessions, reviews, calls, learnings, intents
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// The outcomes of a template's attempts.
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

    /// How many have ended.
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
    let since = since.unwrap_or(DateTime::<Utc>::MIN_UTC);
    if let Some(file) = &args.html {
        return page::write(file, args.days, since, world);
    }
    let roz = Roz::here(world)?;
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut trial = trial::Trial::default();
    let sessions = sessions(&roz, since)?;
    for session in &sessions {
        let attempts = session.review.attempts.iter();
        for attempt in attempts.filter(|attempt| attempt.timestamp >= since) {
            tallies.entry(attempt.template_id.clone()).or_default().count(attempt);
        }
        if session.trace.would_refuse > 0 {
            trial.count(&roz.store.read_trace(&session.session_id)?, since);
        }
    }
    let log = reflection::Log::read(&roz, world);
    let templates: BTreeMap<&String, Value> =
        tallies.iter().map(|(id, tally)| (id, as_json(tally))).collect();
    let value = json!({
        "days": args.days, "sessions": sessions.len(), "templates": templates,
        "trial": { "on": roz.policy.trial, "would_refuse": trial.as_json() },
        "reflection": log.as_ref().ok().map(|log| log.as_json(&roz, world)),
    });
    let out = say::Out::new(world);
    let mut words = trial.in_words(roz.policy.trial, &out);
    if tallies.is_empty() {
        let told = format!("No reviews in the last {}.", say::counted(args.days, "day"));
        words += &(say::folded(&told, out.width, "") + "\n");
    } else {
        let heading = ["TEMPLATE", "SHOWN", "SUCCESS", "RATE", "BLOCKS", "FAILED", "OPEN"];
        let rows: Vec<Vec<String>> = tallies.iter().map(|(id, tally)| row(id, tally)).collect();
        words += &out.table(&heading, &rows);
    }
    if let Ok(log) = &log {
        words += &log.in_words(&out, &roz, world);
    }
    Ok(Done::Said(value, words, log.map(|_| 0)))
}

/// The sessions that were active since then, newest first.
fn sessions(roz: &Roz, since: DateTime<Utc>) -> super::Result<Vec<Session>> {
    let active = roz.store.activity()?.into_iter().take_while(|activity| activity.at >= since);
    let read = |id: &SessionId| Some(roz.store.look_at(id).ok()??.session);
    Ok(active.filter_map(|activity| read(&activity.id)).collect())
}

fn row(id: &str, tally: &Tally) -> Vec<String> {
    let blocks = tally.blocks_needed().map_or("-".to_owned(), |blocks| format!("{blocks:.1}"));
    let rate = reflection::rate(tally.rate());
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
