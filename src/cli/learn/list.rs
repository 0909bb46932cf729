//! `roz learn list`: lists the learnings, and how they are used.

use std::{cmp::Ordering, fmt::Write as _};

use serde_json::{Value, json};

use super::{
    learnings::{Narrow, Stock, word},
    say::{self, Out},
};
use crate::{
    core::reflection::learning::{Learning, Status},
    world::World,
};

/// List what was learned, and how it is used
///
/// A learning is used when a session opens it (`roz learn show`) or says that it
/// helped (`roz ref`, or in its reflection); a session counts once. The hit rate
/// is the share of the sessions that were shown its title that used it. After a
/// `+`: sessions that used it without being shown its title, for example after a
/// search. They keep it from decay, but do not count for the rate.
///
/// Examples:
///   roz learn list
///   roz learn list --sort hit-rate --asc --limit 10
///   roz learn list --category pitfall --tag postgres --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Sort by: the newest, last used, most useful, most shown first
    #[arg(long, value_enum, default_value = "created")]
    sort: By,
    /// Sort in the reverse order
    #[arg(long)]
    asc: bool,
    /// Those that nobody used for the longest time first, as older versions said it.
    #[arg(long, hide = true)]
    stale: bool,
    #[command(flatten)]
    narrow: Narrow,
    /// Only of this status; can be given again
    #[arg(long, value_parser = word(Status::ALL, Status::word), ignore_case = true)]
    status: Vec<Status>,
    /// How many at most (default: all)
    #[arg(short, long, value_parser = crate::cli::at_least_one::<usize>)]
    limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum By {
    Created,
    Used,
    HitRate,
    Surfaced,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let stock = Stock::here(world)?;
    let limit = args.limit.unwrap_or(usize::MAX);
    let filters = args.narrow.filters(args.status.clone(), limit);
    let mut chosen: Vec<&Learning> =
        stock.learnings.iter().filter(|learning| filters.admit(learning)).collect();
    sort(&mut chosen, if args.stale { By::Used } else { args.sort }, &stock);
    if args.asc || args.stale {
        chosen.reverse();
    }
    let of = chosen.len();
    chosen.truncate(limit);
    let learnings: Vec<Value> = chosen.iter().map(|learning| stock.as_json(learning)).collect();
    let out = Out::new(world);
    let mut text = if stock.learnings.is_empty() {
        let begin = "Nothing was learned here yet: `roz reflect --help` shows how to begin.";
        stock.nothing(&say::folded(begin, out.width, ""))
    } else if chosen.is_empty() {
        "No learning matches.\n".to_owned()
    } else {
        table(&chosen, &stock, &out)
    };
    if chosen.len() < of {
        let _ = writeln!(text, "{} of {of}.", chosen.len());
    }
    stock.said(json!({ "learnings": learnings }), text, &[], &out)
}

/// Sorts the newest, the last used, the most useful or the most shown first; those that were never
/// used or shown last.
fn sort(learnings: &mut [&Learning], by: By, stock: &Stock) {
    let order = |a: &Learning, b: &Learning| {
        let (one, other) = (stock.tally(&a.id), stock.tally(&b.id));
        let rate = |rate: Option<f64>| rate.unwrap_or(-1.0);
        let shown = other.surfaced.cmp(&one.surfaced);
        match by {
            By::Created => Ordering::Equal,
            By::Used => other.last_used.cmp(&one.last_used),
            By::HitRate => rate(other.hit_rate()).total_cmp(&rate(one.hit_rate())).then(shown),
            By::Surfaced => shown,
        }
        .then_with(|| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)))
    };
    learnings.sort_by(|a, b| order(a, b));
}

fn table(learnings: &[&Learning], stock: &Stock, out: &Out) -> String {
    let row = |learning: &&Learning| {
        let tally = stock.tally(&learning.id);
        let found = match tally.found() {
            0 => String::new(),
            found => format!(" +{found}"),
        };
        let status = match learning.status {
            Status::Active => String::new(),
            other => format!(", {other}"),
        };
        vec![
            learning.id.clone(),
            learning.category.to_string() + &status,
            tally.surfaced.to_string(),
            tally.hits.to_string() + &found,
            learning.summary.clone(),
        ]
    };
    out.table(&["ID", "CATEGORY", "SHOWN", "USED", "SUMMARY"], learnings.iter().map(row))
}
