//! `roz intent map`: the map of intents, made anew from the ledger.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Done, open, say};
use crate::{
    core::intent::{SIDECAR, map::NAME},
    sidecar::map::{self, From, Written},
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
    let until = Instant::now() + PATIENCE;
    let (root, home) = (desk.root(), &roz.home);
    let Written { is_changed: is_new, records } =
        map::update(root, home, &desk.catalogue, until, From::Beginning)?;
    drop(working);
    if args.json {
        say::print_json(
            &json!({ "file": map::path(desk.root()), "records": records, "changed": is_new }),
        )?;
        return Ok(Done::Well);
    }
    let what = if is_new { "Written" } else { "It says so already" };
    say::print(&format!(
        "{what}: {SIDECAR}/{NAME}, from {} of the ledger.\n",
        say::counted(records, "record")
    ))?;
    Ok(Done::Well)
}
