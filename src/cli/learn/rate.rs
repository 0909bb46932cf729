//! `roz learn rate`: rates whether learnings are worth showing.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    input,
    learnings::{self, Stock},
    say::Out,
};
use crate::{
    core::{
        bounded,
        reflection::{
            learning::Learning,
            usage::{Event, Tally},
        },
    },
    world::World,
};

/// Rate learnings: a sample of those that are shown and not used
///
/// Without ratings it shows the sample: first those that nobody has rated yet,
/// then the others; among both, those shown most often without being used first.
///
/// For the order in which learnings come back, a rating counts as being shown
/// once more, and a useful one also as a use. It changes neither the figures of
/// `roz learn list` nor what decays: these depend on what happened in sessions.
/// `roz ref` keeps a learning from decay.
///
/// Examples:
///   roz learn rate --count 3
///   roz learn rate --useful cl_20260102_abcdef --useless cl_20260103_ghijkl
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// How many to show
    #[arg(short, long, default_value = "5", value_parser = crate::cli::at_least_one::<usize>)]
    count: usize,
    /// This one is worth showing; can be given again
    #[arg(long, value_name = "ID")]
    useful: Vec<String>,
    /// This one is not; can be given again
    #[arg(long, value_name = "ID")]
    useless: Vec<String>,
    /// The ratings are on standard input, as JSON: for older scripts.
    #[arg(long, hide = true, conflicts_with_all = ["useful", "useless"])]
    rate: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if !args.rate {
        return rate(&args.useful, &args.useless, args.count, world);
    }
    let bytes = input::read("give the ratings on standard input, or with `--useful ID`")?;
    let failed = |why: &str| format!("the ratings on standard input cannot be read: {why}");
    // `{"ratings": [{"id": "…", "useful": true}]}`
    let read: Value = serde_json::from_slice(&bytes).map_err(|err| failed(&err.to_string()))?;
    let ratings = read["ratings"].as_array().ok_or_else(|| failed("no list `ratings`"))?;
    let mut rated: [Vec<String>; 2] = Default::default();
    for rating in ratings {
        let (Some(id), Some(useful)) = (rating["id"].as_str(), rating["useful"].as_bool()) else {
            return Err(failed("each needs an `id`, and whether it was `useful`").into());
        };
        rated[usize::from(useful)].push(id.to_owned());
    }
    rate(&rated[1], &rated[0], args.count, world)
}

fn rate(useful: &[String], useless: &[String], count: usize, world: &World) -> super::Result {
    if let Some(both) = useful.iter().find(|id| useless.contains(id)) {
        let both = bounded::plain_line(&bounded::line(both, 60));
        return Err(format!("`{both}` is rated useful and useless").into());
    }
    let stock = Stock::here(world)?;
    if useful.is_empty() && useless.is_empty() {
        return show(count, &stock, world);
    }
    let (known, unknown) = stock.find_all(useful.iter().chain(useless).map(|id| &**id));
    let is_useful = |learning: &Learning| useful.contains(&learning.id);
    let event = |learning: &&Learning| Event::Rated {
        learning_id: learning.id.clone(),
        useful: is_useful(learning),
    };
    stock.note(known.iter().map(event), world)?;
    let rated =
        known.iter().map(|learning| json!({ "id": learning.id, "useful": is_useful(learning) }));
    let value = json!({ "rated": rated.collect::<Vec<Value>>(), "unknown": unknown });
    let mut text = String::new();
    for learning in &known {
        let rating = if is_useful(learning) { "useful" } else { "useless" };
        let _ = writeln!(text, "Rated {rating}: {}", learnings::in_a_line(learning));
    }
    stock.said(value, text, &stock.unknown(&unknown), &Out::new(world))
}

fn show(count: usize, stock: &Stock, world: &World) -> super::Result {
    let sample = sample(stock, count);
    let as_json: Vec<Value> = sample.iter().map(|(learning, _)| stock.as_json(learning)).collect();
    let out = Out::new(world);
    let row = |(learning, tally): &(&Learning, Tally)| {
        let rated = if is_rated(tally) { "yes" } else { "no" };
        let (shown, used) = (tally.surfaced.to_string(), tally.hits.to_string());
        vec![learning.id.clone(), shown, used, rated.to_owned(), learning.summary.clone()]
    };
    let text = if sample.is_empty() {
        stock.nothing("No learning was shown yet, so there is nothing to rate.")
    } else {
        out.table(&["ID", "SHOWN", "USED", "RATED", "SUMMARY"], sample.iter().map(row))
            + "Rate them: roz learn rate --useful ID --useless ID\n"
    };
    stock.said(json!({ "sample": as_json }), text, &[], &out)
}

/// Active learnings that were shown: first those that nobody has rated, and among equals those
/// shown most often without being used.
fn sample(stock: &Stock, count: usize) -> Vec<(&Learning, Tally)> {
    let active = stock.learnings.iter().filter(|learning| learning.is_active());
    let tallied = active.map(|learning| (learning, stock.tally(&learning.id)));
    let mut shown: Vec<_> = tallied.filter(|(_, tally)| tally.surfaced > 0).collect();
    shown.sort_by_key(|(learning, tally)| {
        let in_vain = tally.surfaced.saturating_sub(tally.hits);
        (is_rated(tally), std::cmp::Reverse((in_vain, tally.surfaced)), learning.id.clone())
    });
    shown.truncate(count);
    shown
}

fn is_rated(tally: &Tally) -> bool {
    tally.rated_useful > 0 || tally.rated_useless > 0
}
