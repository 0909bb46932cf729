//! `roz learn due`: shows the learnings that nobody uses any more.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{learnings::Stock, say::Out};
use crate::{
    core::reflection::{
        decay::{self, Due},
        usage::WARNED_DAYS,
    },
    world::World,
};

/// Show which learnings nobody uses and will be archived
///
/// A learning is due when nobody has opened it or referred to it for
/// `decay.passive_duration_days`, and its title was shown in
/// `decay.min_dismissals` sessions; otherwise after twice that time. The next
/// day's first session archives those that are due, or `roz learn archive --due`;
/// `roz ref` keeps a learning.
///
/// Examples:
///   roz learn due
///   roz learn due --days 30
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// How many days ahead to look
    #[arg(long, default_value_t = WARNED_DAYS)]
    pub(super) days: u64,
}

pub(super) fn run(days: u64, world: &World) -> super::Result {
    let stock = Stock::here(world)?;
    let by = decay::days_after(world.now, days).unwrap_or(DateTime::<Utc>::MAX_UTC);
    let all = decay::due(&stock.own(), &stock.tallies, &stock.roz.policy.decay, by);
    let (due, soon): (Vec<&Due>, Vec<&Due>) = all.iter().partition(|due| due.at <= world.now);
    let all_of = |of: &[&Due]| of.iter().map(|due| as_json(due, &stock)).collect::<Vec<Value>>();
    let value = json!({ "due": all_of(&due), "soon": all_of(&soon) });
    let out = Out::new(world);
    let text = if all.is_empty() {
        stock.nothing(&format!("Nothing will be archived within {days} days."))
    } else {
        table(&all, &stock, &out)
            + "`roz learn archive --due` archives those that are due; `roz ref ID` keeps one.\n"
    };
    stock.said(value, text, &[], &out)
}

fn summary<'a>(due: &Due, stock: &'a Stock) -> &'a str {
    stock.find(&due.id).map_or("", |learning| &learning.summary)
}

pub(super) fn as_json(due: &Due, stock: &Stock) -> Value {
    json!({ "id": due.id, "summary": summary(due, stock), "at": due.at, "reason": due.reason })
}

pub(super) fn table(all: &[Due], stock: &Stock, out: &Out) -> String {
    let row = |due: &Due| {
        let at = due.at.format("%Y-%m-%d").to_string();
        vec![due.id.clone(), at, due.reason.clone(), summary(due, stock).to_owned()]
    };
    out.table(&["ID", "DUE", "BECAUSE", "SUMMARY"], all.iter().map(row))
}
