//! `roz learn list`: all that was learned, and how it is used.

use std::{cmp::Ordering, fmt::Write as _};

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{
    Done,
    say::{self, Out},
    stock::{self, Narrow, Stock, word},
};
use crate::{
    core::{
        bounded,
        reflection::learning::{Learning, Status},
    },
    open::Roz,
    world::World,
};

/// List what was learned, and how it is used
///
/// A title is shown; a learning is used when a session opens it (`roz learn
/// show`) or says that it helped (`roz ref`, or in its reflection); a session
/// counts once. The hit rate is how many of the sessions that were shown its
/// title used it. Behind a `+`: the sessions that used it without having been
/// shown it, as a search finds it; they keep it from decay, and are not in the
/// rate.
///
/// Examples:
///   roz learn list
///   roz learn list --sort hit-rate --asc --limit 10
///   roz learn list --category pitfall --tag postgres --json
///   roz learn list --unused
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Args {
    /// Only active ones that nobody used in `decay.passive_duration_days`, and
    /// that are at least that old
    #[arg(long, alias = "stale")]
    unused: bool,
    /// By what: the newest, last used, most useful, most shown first
    #[arg(long, value_enum, default_value = "created")]
    sort: By,
    /// The other way round
    #[arg(long)]
    asc: bool,
    #[command(flatten)]
    narrow: Narrow,
    /// Only of this status; can be given again
    #[arg(long, value_parser = word(Status::ALL, Status::word), ignore_case = true)]
    status: Vec<Status>,
    /// How many at the most (default: all)
    #[arg(short, long, value_parser = crate::cli::at_least_one)]
    limit: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum By {
    Created,
    Used,
    HitRate,
    Surfaced,
}

pub(in crate::cli) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::here(world)?;
    let stock = Stock::open(&roz, world);
    let limit = args.limit.unwrap_or(usize::MAX);
    let filters = args.narrow.filters(args.status.clone(), limit);
    let days = i64::try_from(roz.policy.decay.passive_duration_days).unwrap_or(i64::MAX);
    let since = TimeDelta::try_days(days).and_then(|it| world.now.checked_sub_signed(it));
    let is_stale = |it: &Learning| {
        let used = stock.tally(&it.id).last_used.unwrap_or(it.created_at);
        it.is_active() && since.is_some_and(|since| used.max(it.created_at) <= since)
    };
    let mut chosen: Vec<&Learning> = stock
        .learnings
        .iter()
        .filter(|it| filters.admit(it) && (!args.unused || is_stale(it)))
        .collect();
    sort(&mut chosen, args.sort, &stock);
    if args.asc {
        chosen.reverse();
    }
    let of = chosen.len();
    chosen.truncate(limit);
    if args.json {
        let learnings: Vec<Value> = chosen.iter().map(|it| stock.as_json(it)).collect();
        let problems = stock::problems_as_json(&stock.problems);
        say::print_json(&json!({ "learnings": learnings, "problems": problems }))?;
        return Ok(Done::Well);
    }
    let out = Out::new(world);
    let mut text = if chosen.is_empty() {
        in_vain(args, &stock, &out)
    } else {
        table(&chosen, &stock, &out, world)
    };
    if chosen.len() < of {
        let _ = writeln!(text, "{} of {of}.", chosen.len());
    }
    text += &stock.problems_in_words(&out);
    say::print(&text)?;
    Ok(Done::Well)
}

fn in_vain(args: &Args, stock: &Stock, out: &Out) -> String {
    if stock.learnings.is_empty() {
        let said = "Nothing was learned here yet: `roz reflect --help` shows how it begins.";
        return stock.nothing(&say::folded(said, out.width, ""));
    }
    let mut text = "None of the learnings is such.\n".to_owned();
    for it in stock.unknown_tags(&args.narrow.tag) {
        let _ = writeln!(text, "Note: {it}");
    }
    text
}

/// The newest, the last used, the most useful, the most shown first; what was
/// never used or shown last.
fn sort(learnings: &mut [&Learning], by: By, stock: &Stock) {
    let order = |a: &Learning, b: &Learning| {
        let (one, other) = (stock.tally(&a.id), stock.tally(&b.id));
        match by {
            By::Created => Ordering::Equal,
            By::Used => other.last_used.cmp(&one.last_used),
            By::HitRate => {
                let rate = |it: Option<f64>| it.unwrap_or(-1.0);
                rate(other.hit_rate())
                    .total_cmp(&rate(one.hit_rate()))
                    .then(other.surfaced.cmp(&one.surfaced))
            }
            By::Surfaced => other.surfaced.cmp(&one.surfaced),
        }
        .then_with(|| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)))
    };
    learnings.sort_by(|a, b| order(a, b));
}

/// Columns that say nothing here are left out, so that something of the
/// summary can be read in 80 columns.
fn table(learnings: &[&Learning], stock: &Stock, out: &Out, world: &World) -> String {
    let is_wide = out.width >= 100;
    let has_other_status = learnings.iter().any(|it| !it.is_active());
    let mut heading = vec!["ID", "CATEGORY"];
    heading.extend(has_other_status.then_some("STATUS"));
    heading.extend(is_wide.then_some("WRITTEN"));
    heading.extend(["SHOWN", "USED"]);
    heading.extend(is_wide.then_some("HIT RATE"));
    heading.push("SUMMARY");
    let row = |it: &&Learning| {
        let tally = stock.tally(&it.id);
        let rate = tally.hit_rate().map_or("-".to_owned(), |it| format!("{:.0} %", it * 100.0));
        let mut row = vec![bounded::plain_line(&it.id), it.category.to_string()];
        row.extend(has_other_status.then(|| it.status.to_string()));
        row.extend(is_wide.then(|| say::ago(it.created_at, world.now)));
        let found = tally.found();
        let found = if found > 0 { format!(" +{found}") } else { String::new() };
        row.extend([tally.surfaced.to_string(), tally.hits.to_string() + &found]);
        row.extend(is_wide.then_some(rate));
        row.push(it.summary.clone());
        row
    };
    let rows: Vec<Vec<String>> = learnings.iter().map(row).collect();
    out.table(&heading, &rows)
}
