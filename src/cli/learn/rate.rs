//! `roz learn rate`: somebody says whether learnings are worth showing.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    Done, input,
    say::{self, Out},
    stock::{self, Stock},
};
use crate::{
    core::{
        bounded,
        reflection::{
            candidate::{self, Rating},
            learning::Learning,
            usage::{Entry, Event, Tally},
        },
    },
    open::Roz,
    world::World,
};

/// Rate learnings: a sample of those that are shown and not used
///
/// Without ratings it shows the sample: first those that nobody has rated yet,
/// then the others; the ones first that were shown most often in vain.
///
/// A rating counts for the order in which learnings come back: as a time
/// shown, and a useful one as a use. It changes neither the
/// figures of `roz learn list` nor what decays: these go by what happened in
/// sessions. `roz ref` keeps a learning from decay.
///
/// Examples:
///   roz learn rate --count 3
///   roz learn rate --useful cl_20260102_abcdef --useless cl_20260103_ghijkl
///   roz learn rate --rate < ratings.json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help shows JSON")]
pub(in crate::cli) struct Args {
    /// How many to show
    #[arg(short, long, default_value = "5", value_parser = crate::cli::at_least_one)]
    count: usize,
    /// Read ratings from standard input: {"ratings": [{"id", "useful"}]}; what is
    /// none is passed over and named
    #[arg(long)]
    rate: bool,
    /// This one is worth showing; can be given again
    #[arg(long, value_name = "ID")]
    useful: Vec<String>,
    /// This one is not; can be given again
    #[arg(long, value_name = "ID")]
    useless: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const WANTED: &str = r#"{"ratings": [{"id": "…", "useful": true}]}"#;
const MAX_INPUT: u64 = 1 << 20;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("standard input holds no ratings: it is no JSON. Give {WANTED}")]
    NotJson(#[source] serde_json::Error),
    #[error("standard input holds no ratings: {0}. Give {WANTED}")]
    NotRatings(String),
    #[error("`{0}` is rated useful and useless")]
    Both(String),
}

/// What was given.
#[derive(Debug, Default)]
struct Given {
    ratings: Vec<Rating>,
    /// What was passed over, a sentence each.
    warnings: Vec<String>,
}

pub(in crate::cli) fn run(args: &Args, world: &World) -> super::Result {
    let mut ratings: BTreeMap<String, bool> = BTreeMap::new();
    let given = args.useful.iter().map(|it| (it, true));
    let given = given.chain(args.useless.iter().map(|it| (it, false)));
    let given = given.map(|(id, useful)| Rating { id: id.clone(), useful });
    let read = if args.rate { read()? } else { Given::default() };
    let warnings = read.warnings;
    for it in given.chain(read.ratings) {
        let before = ratings.insert(it.id.clone(), it.useful);
        if before.is_some_and(|before| before != it.useful) {
            return Err(Error::Both(bounded::plain_line(&bounded::line(&it.id, 60))).into());
        }
    }
    let roz = Roz::here(world)?;
    let stock = Stock::open(&roz, world);
    if args.rate || !ratings.is_empty() {
        rate(&ratings, &warnings, &stock, args.json, world)
    } else {
        show(args, &stock, world)
    }
}

fn read() -> super::Result<Given> {
    let instead = format!("standard input is a terminal. Give JSON: {WANTED}");
    let bytes = input::read(MAX_INPUT, &instead)?;
    let value: Value = serde_json::from_slice(&bytes).map_err(Error::NotJson)?;
    let items = value.as_array().or_else(|| value["ratings"].as_array());
    let Some(items) = items else {
        return Err(Error::NotRatings("it has no list `ratings`".to_owned()).into());
    };
    let mut given = Given::default();
    for (at, item) in items.iter().enumerate() {
        match candidate::rating(item, at) {
            Ok(rating) => given.ratings.push(rating),
            Err(why) => given.warnings.push(why),
        }
    }
    if given.ratings.is_empty() && !given.warnings.is_empty() {
        return Err(Error::NotRatings(given.warnings.join("; ")).into());
    }
    Ok(given)
}

/// Notes the ratings of those that are there, then names the others.
fn rate(
    ratings: &BTreeMap<String, bool>,
    warnings: &[String],
    stock: &Stock,
    as_json: bool,
    world: &World,
) -> super::Result {
    let (known, unknown): (Vec<_>, Vec<_>) =
        ratings.iter().partition(|(id, _)| stock.find(id).is_some());
    let entry = |(id, useful): &(&String, &bool)| {
        let event = Event::Rated { learning_id: (*id).clone(), useful: **useful };
        Entry::new(world.now, event)
    };
    let entries: Vec<Entry> = known.iter().map(entry).collect();
    stock.log.append(&entries, Instant::now() + Duration::from_secs(5))?;
    if as_json {
        let rated = known.iter().map(|(id, useful)| json!({ "id": id, "useful": useful }));
        let unknown: Vec<&String> = unknown.iter().map(|(id, _)| *id).collect();
        let rated: Vec<Value> = rated.collect();
        say::print_json(&json!({ "rated": rated, "unknown": unknown, "warnings": warnings }))?;
        return Ok(if unknown.is_empty() { Done::Well } else { Done::Badly });
    }
    let mut text = String::new();
    for (id, useful) in &known {
        let summary = bounded::plain_line(&bounded::line(stock.summary(id), 200));
        let rating = if **useful { "useful" } else { "useless" };
        let _ = writeln!(text, "Rated {rating}: {id}  {summary}");
    }
    if ratings.is_empty() {
        text += "There were no ratings.\n";
    }
    say::print(&text)?;
    for warning in warnings {
        say::warn(warning);
    }
    if unknown.is_empty() {
        return Ok(Done::Well);
    }
    Err(stock::Failed(unknown.iter().map(|(id, _)| stock.no_such(id)).collect()).into())
}

fn show(args: &Args, stock: &Stock, world: &World) -> super::Result {
    let sample = sample(stock, args.count);
    if args.json {
        let sample: Vec<Value> = sample.iter().map(|(it, _)| stock.as_json(it)).collect();
        let problems = stock::problems_as_json(&stock.problems);
        say::print_json(&json!({ "sample": sample, "problems": problems }))?;
        return Ok(Done::Well);
    }
    let out = Out::new(world);
    let mut text = String::new();
    for (it, tally) in &sample {
        let used = match tally.hits {
            0 => "never used".to_owned(),
            n => format!("used {}", times(n)),
        };
        let rated = if is_rated(tally) { ", rated already" } else { "" };
        let use_of_it = format!("shown {}, {used}{rated}", times(tally.surfaced));
        text += &stock::in_words(it, &format!("{}, {use_of_it}", it.category), &out);
        text.push('\n');
    }
    text += &if sample.is_empty() {
        stock.nothing("No learning was shown yet, so there is nothing to rate.")
    } else if sample.iter().all(|(_, it)| is_rated(it)) {
        "All that were shown are rated. Anew: roz learn rate --useful ID --useless ID\n".into()
    } else {
        "Rate them: roz learn rate --useful ID --useless ID\n".into()
    };
    text += &stock.problems_in_words(&out);
    say::print(&text)?;
    Ok(Done::Well)
}

/// Active learnings that were shown: those first that nobody has rated, then
/// the ones that were shown most often in vain.
fn sample(stock: &Stock, count: usize) -> Vec<(&Learning, Tally)> {
    let active = stock.learnings.iter().filter(|it| it.is_active());
    let tallied = active.map(|it| (it, stock.tally(&it.id)));
    let mut shown: Vec<(&Learning, Tally)> = tallied.filter(|(_, it)| it.surfaced > 0).collect();
    let vain = |it: &Tally| it.surfaced.saturating_sub(it.hits);
    shown.sort_by(|(a, one), (b, other)| {
        is_rated(one)
            .cmp(&is_rated(other))
            .then(vain(other).cmp(&vain(one)))
            .then(other.surfaced.cmp(&one.surfaced))
            .then_with(|| a.id.cmp(&b.id))
    });
    shown.truncate(count);
    shown
}

fn is_rated(it: &Tally) -> bool {
    it.rated_useful > 0 || it.rated_useless > 0
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
