//! `roz learn search`, or `roz search`: finds learnings about something.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    learnings::{self, Narrow, Stock},
    say::{Out, Tone},
};
use crate::{
    core::{
        bounded,
        reflection::{
            learning::{Learning, Status},
            retrieval::{self, Found, Occasion, Query},
        },
    },
    world::World,
};

/// Find what was learned about something
///
/// Words are compared by their stems and names by their parts, so `panic` finds
/// "panics" and `kebab` finds "kebab-case". Paths count as well. Among equal
/// matches, newer and used learnings come first. Say what helped with `roz ref`,
/// so that it keeps coming.
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
    /// Also archived learnings
    #[arg(long)]
    include_archived: bool,
    /// How many at most
    #[arg(short, long, default_value_t = 10, value_parser = crate::cli::at_least_one::<usize>)]
    limit: usize,
}

/// How much of a query is used, in bytes.
const MAX_QUERY: usize = 8 * 1024;

pub(in crate::cli) fn run(args: &Args, world: &World) -> super::Result {
    let query = args.query.join(" ");
    if query.trim().is_empty() {
        return Err("the query is empty: say what it is about".into());
    }
    let stock = Stock::here(world)?;
    let mut statuses = vec![Status::Active];
    statuses.extend(args.include_archived.then_some(Status::Archived));
    let query = Query { text: bounded::cut(&query, MAX_QUERY).to_owned(), ..Query::default() };
    let on = Occasion {
        query: &query,
        tallies: &stock.tallies,
        shown: &BTreeSet::new(),
        policy: &stock.roz.policy.retrieval,
        now: world.now,
    };
    let index = retrieval::build(&stock.learnings).index;
    let filters = args.narrow.filters(statuses, args.limit);
    let found = index.look(&on, args.limit, |number| filters.admit(&stock.learnings[number]));
    let found = found.iter().filter_map(|found| Some((found, stock.find(&found.id)?)));
    let found: Vec<(&Found, &Learning)> = found.collect();
    let result = |(found, learning): &(&Found, &Learning)| {
        json!({
            "id": found.id,
            "summary": learning.summary,
            "score": found.score,
            "why": found.why,
            "detail": learning.detail,
            "category": learning.category,
            "status": learning.status,
        })
    };
    let results: Vec<Value> = found.iter().map(result).collect();
    let out = Out::new(world);
    let mut text = String::new();
    for (found, learning) in &found {
        let why = found.why.iter().map(|word| bounded::line(word, 60)).collect::<Vec<_>>();
        let known = learnings::known_of(learning, world);
        text += &learnings::in_words(learning, &format!("{known}; for: {}", why.join(", ")), &out);
        text.push('\n');
    }
    text += &if found.is_empty() {
        let fewer = "Nothing fits. Try fewer or other words, or `--include-archived`.";
        let is_empty = stock.learnings.is_empty();
        stock.nothing(if is_empty { "Nothing was learned here yet." } else { fewer })
    } else {
        out.paint(Tone::Dim, "Say what helped: roz ref ID…") + "\n"
    };
    stock.said(json!({ "results": results }), text, &[], &out)
}
