//! `roz clean`: deletes old sessions.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::say;
use crate::{
    open::{Cleaning, Roz},
    world::World,
};

/// Delete old sessions and orphaned files
///
/// Keeps sessions that wait for a review or a reflection, or have an intent selected, unless
/// `--all`. This also happens at a session's start, at most once a day, with
/// `cleanup.retention_days` (7). A session's decisions are deleted with it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Sessions last active longer ago than this: 7d, 12h, 30m (default:
    /// `cleanup.retention_days`)
    #[arg(long, value_name = "AGE", value_parser = age)]
    before: Option<TimeDelta>,
    /// Also sessions with something open; without `--before`, every session
    #[arg(long)]
    all: bool,
    /// Only say what would be deleted
    #[arg(long)]
    dry_run: bool,
}

fn age(text: &str) -> Result<TimeDelta, String> {
    let wrong = || format!("`{text}` is not a duration such as 7d, 12h or 30m");
    let (number, unit) = text.split_at(text.len() - text.chars().last().map_or(0, char::len_utf8));
    let number: i64 = number.parse().ok().filter(|number| *number >= 0).ok_or_else(wrong)?;
    let delta = match unit {
        "d" => TimeDelta::try_days(number),
        "h" => TimeDelta::try_hours(number),
        "m" => TimeDelta::try_minutes(number),
        _ => return Err(wrong()),
    };
    delta.ok_or_else(|| format!("`{text}` is too long"))
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let days = i64::try_from(roz.policy.cleanup.retention_days).unwrap_or(i64::MAX);
    let before = if args.all && args.before.is_none() {
        DateTime::<Utc>::MAX_UTC
    } else {
        let age = args.before.or_else(|| TimeDelta::try_days(days));
        // The time is out of range: nothing is that old.
        let before = age.and_then(|age| world.now.checked_sub_signed(age));
        before.unwrap_or(DateTime::<Utc>::MIN_UTC)
    };
    let until = Instant::now() + Duration::from_mins(10);
    let cleaned = roz.clean(&Cleaning { before, all: args.all, dry_run: args.dry_run }, until)?;
    let value = json!({
        "dry_run": args.dry_run,
        "sessions": cleaned.sessions,
        "kept_open": cleaned.kept,
        "leftovers": cleaned.leftovers,
    });
    let verb = if args.dry_run { "Would delete" } else { "Deleted" };
    let leftovers = match cleaned.leftovers.len() {
        0 => String::new(),
        n => format!(" and {}", say::counted(n, "leftover file")),
    };
    let kept = match cleaned.kept.len() {
        0 => String::new(),
        n => {
            let kept = say::counted(n, "old session");
            format!(
                "Kept {kept} with something open or an intent selected (`--all` deletes those too).\n"
            )
        }
    };
    let sessions = say::counted(cleaned.sessions.len(), "session");
    super::said(value, format!("{verb} {sessions}{leftovers}.\n{kept}"))
}

#[cfg(test)]
mod tests;
