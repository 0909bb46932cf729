//! `roz clean`: forgets old sessions.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use serde_json::json;

use super::{Done, say};
use crate::{
    open::{Cleaning, Roz},
    world::World,
};

/// Forget old sessions, and what belongs to none
///
/// Sessions with an open review are kept, unless `--all`. It also runs by
/// itself at a session's start, at most once a day, by `cleanup.retention_days`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Sessions last active longer ago than this: 7d, 12h, 30m (default: the
    /// configuration's `cleanup.retention_days`)
    #[arg(long, value_name = "AGE", value_parser = age)]
    before: Option<TimeDelta>,
    /// Also sessions with an open review; without `--before`, every session
    #[arg(long)]
    all: bool,
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    #[arg(long)]
    json: bool,
}

fn age(text: &str) -> Result<TimeDelta, String> {
    let wrong = || format!("`{text}` is no age: a number with d, h or m behind it, as in 7d");
    let (number, unit) = text.split_at(text.len() - text.chars().last().map_or(0, char::len_utf8));
    let number: i64 = number.parse().ok().filter(|it| *it >= 0).ok_or_else(wrong)?;
    let delta = match unit {
        "d" => TimeDelta::try_days(number),
        "h" => TimeDelta::try_hours(number),
        "m" => TimeDelta::try_minutes(number),
        _ => return Err(wrong()),
    };
    delta.ok_or_else(|| format!("`{text}` is longer than time itself"))
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let days = i64::try_from(roz.policy.cleanup.retention_days).unwrap_or(i64::MAX);
    let age = match args.before {
        Some(age) => Some(age),
        None if args.all => Some(TimeDelta::zero()),
        None => TimeDelta::try_days(days),
    };
    // Longer ago than time reaches: nothing is that old.
    let before = age.and_then(|it| world.now.checked_sub_signed(it));
    let before = before.unwrap_or(chrono::DateTime::<chrono::Utc>::MIN_UTC);
    let before = if args.all && args.before.is_none() { chrono::DateTime::<chrono::Utc>::MAX_UTC } else { before };
    let until = Instant::now() + Duration::from_secs(600);
    let cleaned = roz.clean(&Cleaning { before, all: args.all, dry_run: args.dry_run }, until)?;
    if args.json {
        say::print_json(&json!({
            "dry_run": args.dry_run,
            "sessions": cleaned.sessions,
            "kept_open": cleaned.kept,
            "leftovers": cleaned.leftovers,
        }))?;
        return Ok(Done::Well);
    }
    let verb = if args.dry_run { "Would forget" } else { "Forgot" };
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut text = format!("{verb} {}", plural(cleaned.sessions.len(), "session"));
    if !cleaned.leftovers.is_empty() {
        text += &format!(" and {}", plural(cleaned.leftovers.len(), "leftover file"));
    }
    text += ".\n";
    if !cleaned.kept.is_empty() {
        let kept = plural(cleaned.kept.len(), "old session");
        text += &format!("Kept {kept} with an open review (`--all` forgets those too).\n");
    }
    say::print(&text)?;
    Ok(Done::Well)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        assert_eq!(age("7d"), Ok(TimeDelta::days(7)));
        assert_eq!(age("12h"), Ok(TimeDelta::hours(12)));
        assert_eq!(age("0m"), Ok(TimeDelta::zero()));
        for text in ["", "7", "d", "-1d", "7w", "7 d", "7é", "99999999999999999999d", "9e9d"] {
            assert!(age(text).is_err(), "{text}");
        }
        assert!(age("9223372036854775807d").is_err());
    }
}
