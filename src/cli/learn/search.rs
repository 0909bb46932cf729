//! `roz learn search`, or `roz search`: what was learned about something.

use std::{collections::BTreeSet, fmt::Write as _};

use serde_json::{Value, json};

use super::{
    Done,
    say::{self, Out, Tone},
    stock::{self, Narrow, Stock},
};
use crate::{
    core::{
        bounded,
        reflection::{
            learning::{Learning, Status},
            retrieval::{self, Found, Occasion, Query},
        },
    },
    open::Roz,
    world::World,
};

/// Find what was learned about something
///
/// Words are compared by their stems and names by their parts, so `panic` finds
/// "panics" and `kebab` finds "kebab-case". Paths count as well. What is newer,
/// or was used before, comes before what fits as well and was not. Say what helped
/// with `roz ref`, so that it keeps coming.
///
/// Examples:
///   roz search "lexer panics on carriage return"
///   roz search src/lexer.rs --category pitfall --limit 3
///   roz search postgres --include-archived --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Args {
    /// Words, names, paths
    #[arg(required = true)]
    query: Vec<String>,
    #[command(flatten)]
    narrow: Narrow,
    /// Also what was put away
    #[arg(long)]
    include_archived: bool,
    /// How many at the most
    #[arg(short, long, default_value_t = 10, value_parser = crate::cli::at_least_one)]
    limit: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("the query is empty: say what it is about")]
struct Empty;

/// Of a query so much is looked at, in bytes.
const MAX_QUERY: usize = 8 * 1024;
pub(in crate::cli) fn run(args: &Args, world: &World) -> super::Result {
    let query = args.query.join(" ");
    if query.trim().is_empty() {
        return Err(Empty.into());
    }
    let roz = Roz::here(world)?;
    let stock = Stock::open(&roz, world);
    let mut statuses = vec![Status::Active];
    statuses.extend(args.include_archived.then_some(Status::Archived));
    let filters = args.narrow.filters(statuses, args.limit);
    let query = Query { text: bounded::cut(&query, MAX_QUERY).to_owned(), ..Query::default() };
    // As the library would, of what it has read already: a memory server is
    // started once.
    let found = retrieval::build(&stock.learnings).index.look(
        &Occasion {
            query: &query,
            tallies: &stock.tallies,
            shown: &BTreeSet::new(),
            policy: &roz.policy.retrieval,
            now: world.now,
        },
        &filters,
    );
    if args.json {
        let results: Vec<Value> = found.iter().map(|it| as_json(it, &stock)).collect();
        let problems = stock::problems_as_json(&stock.problems);
        say::print_json(&json!({ "results": results, "problems": problems }))?;
        return Ok(Done::Well);
    }
    let out = Out::new(world);
    let mut text = String::new();
    for it in &found {
        text += &in_words(it, stock.find(&it.id), &out, world);
        text.push('\n');
    }
    if found.is_empty() {
        text += &stock.nothing(if stock.learnings.is_empty() {
            "Nothing was learned here yet."
        } else {
            "Nothing fits. Try fewer or other words, or `--include-archived`."
        });
        for it in stock.unknown_tags(&args.narrow.tag) {
            let _ = writeln!(text, "Note: {it}");
        }
    } else {
        text += &out.paint(Tone::Dim, "Say what helped: roz ref ID…");
        text.push('\n');
    }
    text += &stock.problems_in_words(&out);
    say::print(&text)?;
    Ok(Done::Well)
}

fn as_json(it: &Found, stock: &Stock) -> Value {
    let learning = stock.find(&it.id);
    json!({
        "id": it.id,
        "summary": learning.map(|it| &it.summary),
        "score": it.score,
        "why": it.why,
        "detail": learning.map(|it| &it.detail),
        "category": learning.map(|it| it.category),
        "status": learning.map(|it| it.status),
    })
}

/// The summary, then id and reasons, then the detail. What somebody wrote
/// down is quoted, so that it is told apart from what roz says.
fn in_words(it: &Found, learning: Option<&Learning>, out: &Out, world: &World) -> String {
    let why: Vec<String> =
        it.why.iter().take(8).map(|it| bounded::plain_line(&bounded::line(it, 60))).collect();
    let why = if why.is_empty() { String::new() } else { format!("; for: {}", why.join(", ")) };
    let id = bounded::plain_line(&it.id);
    let Some(learning) = learning else {
        return format!("{id}{why}\n");
    };
    let known = stock::known_of(learning, world);
    stock::in_words(learning, &format!("{known}{why}"), out)
}
