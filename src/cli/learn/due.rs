//! `roz learn due`, and `roz learn archive --due`: what nobody uses any more, shown and put away.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{
    Done,
    say::{self, Out},
    stock::{self, Stock},
};
use crate::{
    core::reflection::{
        decay::{self, Due},
        usage::WARNED_DAYS,
    },
    open::Roz,
    world::{World, in_a_line},
};

/// Show which learnings nobody uses: what is due to be put away, and soon
///
/// A learning is due when nobody opened it or referred to it in
/// `decay.passive_duration_days`, and its title was shown in
/// `decay.min_dismissals` sessions; any other after twice that time. What is
/// due is put away by the next day's first session, or by `roz learn archive
/// --due`; `roz ref` keeps it.
///
/// Examples:
///   roz learn due
///   roz learn due --days 30
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// How many days ahead to look
    #[arg(long, default_value_t = WARNED_DAYS)]
    days: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Long enough for thousands.
const PATIENCE: Duration = Duration::from_mins(10);

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::here(world)?;
    let stock = Stock::open(&roz, world);
    let by = decay::days_after(world.now, args.days).unwrap_or(DateTime::<Utc>::MAX_UTC);
    let all = decay::due(&stock.own(), &stock.tallies, &roz.policy.decay, by);
    let (due, soon): (Vec<Due>, Vec<Due>) = all.into_iter().partition(|due| due.at <= world.now);
    if args.json {
        return stock.print_json(json!({
            "due": as_json(&due, &stock),
            "soon": as_json(&soon, &stock),
        }));
    }
    let out = Out::new(world);
    let text = if due.is_empty() && soon.is_empty() {
        stock.nothing(&format!("Nothing is put away within {} days.", args.days))
    } else {
        let all = [due, soon].concat();
        table(&all, &stock, &out)
            + "`roz learn archive --due` puts away what is due; `roz ref ID` keeps one.\n"
    };
    stock.print(&text, &out)?;
    Ok(Done::Well)
}

/// Puts away what is due, or says what that would be.
pub(super) fn put_away(dry_run: bool, json: bool, world: &World) -> super::Result {
    let roz = Roz::here(world)?;
    let stock = Stock::open(&roz, world);
    let due = roz.due(&stock.own(), &stock.view, world);
    let until = Instant::now() + PATIENCE;
    let decayed = if dry_run {
        crate::open::Decayed { archived: due, ..Default::default() }
    } else {
        Roz::put_away(due, |id| stock.library.archive(id), &stock.log, world, until)
    };
    let failed = || decayed.failed.iter().map(|(due, err)| (&due.id, in_a_line(err)));
    if json {
        let errors: Vec<Value> =
            failed().map(|(id, error)| json!({ "id": id, "error": error })).collect();
        stock.print_json(json!({
            "dry_run": dry_run,
            "archived": as_json(&decayed.archived, &stock),
            "failed": errors,
            "warnings": decayed.warnings,
        }))?;
        return Ok(if decayed.failed.is_empty() { Done::Well } else { Done::Badly });
    }
    let out = Out::new(world);
    let text = match (decayed.archived.as_slice(), dry_run) {
        ([], _) if decayed.failed.is_empty() => stock.nothing("Nothing is due."),
        ([], _) => String::new(),
        (due, true) => format!("Would be put away:\n{}", table(due, &stock, &out)),
        (due, false) => {
            let table = table(due, &stock, &out);
            format!("Put away (`roz learn restore` brings them back):\n{table}")
        }
    };
    stock.print(&text, &out)?;
    for warning in &decayed.warnings {
        say::warn(warning);
    }
    stock::fail(failed().map(|(id, error)| format!("`{id}` was not put away: {error}")).collect())
}

fn as_json(due: &[Due], stock: &Stock) -> Vec<Value> {
    let row = |due: &Due| {
        let summary = stock.find(&due.id).map(|learning| &learning.summary);
        json!({ "id": due.id, "summary": summary, "at": due.at, "reason": due.reason })
    };
    due.iter().map(row).collect()
}

fn table(due: &[Due], stock: &Stock, out: &Out) -> String {
    let row = |due: &Due| {
        let because = due.reason.clone();
        let summary = stock.find(&due.id).map_or("", |learning| &learning.summary);
        vec![due.id.clone(), due.at.format("%Y-%m-%d").to_string(), because, summary.to_owned()]
    };
    let rows: Vec<Vec<String>> = due.iter().map(row).collect();
    out.table(&["ID", "DUE", "BECAUSE", "SUMMARY"], &rows)
}
