//! `roz intent map`: the map of intents, made anew from the ledger.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Done, open, say};
use crate::{
    core::intent::{
        SIDECAR,
        ledger::Record,
        map::{Map, NAME},
    },
    ledger::Ledger,
    sidecar::map,
    world::World,
};

const PATIENCE: Duration = Duration::from_secs(10);

/// Write `.orchestration/intent_map.md` anew from the ledger
///
/// Per intent the files that it gave something new, with the definitions, and
/// when. What stands outside the marks in it stays.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    let (roz, desk) = open(world)?;
    let working = say::working("reading the ledger");
    let mut rebuilt = Map::default();
    let mut records = 0_u64;
    Ledger::new(desk.root(), &roz.home).each_line(|_, line| {
        if let Some(record) = Record::read(line) {
            records += 1;
            rebuilt.add(&record);
        }
    })?;
    let until = Instant::now() + PATIENCE;
    let is_new = map::update(desk.root(), &roz.home, &desk.catalogue, until, |_| Some(rebuilt))?;
    drop(working);
    if args.json {
        say::print_json(
            &json!({ "file": map::path(desk.root()), "records": records, "changed": is_new }),
        )?;
        return Ok(Done::Well);
    }
    let what = if is_new { "Written" } else { "It says so already" };
    say::print(&format!("{what}: {SIDECAR}/{NAME}, from {records} records of the ledger.\n"))?;
    Ok(Done::Well)
}
