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
        review::blocked_stops::Outcome,
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
    #[arg(long, default_value_t = 30, value_parser = super::at_least_one::<u32>)]
    days: u32,
    /// Write one page with pictures to a file: sessions, reviews, calls, learnings, intents
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let since = world.now.checked_sub_signed(TimeDelta::days(args.days.into()));
    let since = since.unwrap_or(DateTime::<Utc>::MIN_UTC);
    if let Some(file) = &args.html {
        return page::write(file, args.days, since, world);
    }
    let roz = Roz::here(world)?;
    let mut outcomes: BTreeMap<&String, Vec<&Outcome>> = BTreeMap::new();
    let mut trial = trial::Trial::default();
    let sessions = sessions(&roz, since)?;
    for session in &sessions {
        let attempts = session.review.attempts.iter();
        for attempt in attempts.filter(|attempt| attempt.timestamp >= since) {
            outcomes.entry(&attempt.template_id).or_default().push(&attempt.outcome);
        }
        if session.trace.would_refuse > 0 {
            trial.count(&roz.store.read_trace(&session.session_id)?, since);
        }
    }
    let log = reflection::Log::read(&roz, world);
    let templates: BTreeMap<&String, Value> =
        outcomes.into_iter().map(|(id, outcomes)| (id, figures(&outcomes))).collect();
    let value = json!({
        "days": args.days, "sessions": sessions.len(), "templates": templates,
        "trial": { "on": roz.policy.trial, "would_refuse": trial.as_json() },
        "reflection": log.as_ref().ok().map(|log| log.as_json(&roz, world)),
    });
    let out = say::Out::new(world);
    let mut words = trial.in_words(roz.policy.trial, &out);
    if templates.is_empty() {
        let told = format!("No reviews in the last {}.", say::counted(args.days, "day"));
        words += &(say::folded(&told, out.width, "") + "\n");
    } else {
        let heading = ["TEMPLATE", "SHOWN", "SUCCESS", "RATE", "BLOCKS", "FAILED", "OPEN"];
        words += &out.table(&heading, templates.iter().map(|(id, figures)| row(id, figures)));
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

fn row(id: &str, figures: &Value) -> Vec<String> {
    let count = |name: &str| figures[name].to_string();
    let blocks = figures["blocks_needed"].as_f64();
    let blocks = blocks.map_or("-".to_owned(), |blocks| format!("{blocks:.1}"));
    let rate = reflection::rate(figures["success_rate"].as_f64());
    let failures = figures["failures"].as_object().into_iter().flatten();
    let failed: u64 = failures.filter_map(|(_, count)| count.as_u64()).sum();
    let [shown, success, pending] = ["shown", "success", "pending"].map(count);
    vec![id.to_owned(), shown, success, rate, blocks, failed.to_string(), pending]
}

/// The outcomes of a template's attempts.
fn figures(outcomes: &[&Outcome]) -> Value {
    let [mut success, mut blocks, mut pending] = [0_u32; 3];
    let [mut not_spawned, mut no_decision, mut bad_session_id] = [0_u32; 3];
    for outcome in outcomes {
        match outcome {
            Outcome::Pending => pending += 1,
            Outcome::Success { blocks_needed, .. } => {
                success += 1;
                blocks += blocks_needed;
            }
            Outcome::NotSpawned => not_spawned += 1,
            Outcome::NoDecision | Outcome::TimedOut => no_decision += 1,
            Outcome::BadSessionId => bad_session_id += 1,
        }
    }
    let share = |part: u32, whole: u32| (whole > 0).then(|| f64::from(part) / f64::from(whole));
    let ended = success + not_spawned + no_decision + bad_session_id;
    json!({
        "shown": outcomes.len(),
        "success": success,
        "blocks_needed": share(blocks, success),
        "failures": {
            "not_spawned": not_spawned,
            "no_decision": no_decision,
            "bad_session_id": bad_session_id,
        },
        "pending": pending,
        "success_rate": share(success, ended),
    })
}
