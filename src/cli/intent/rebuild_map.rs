//! `roz intent map`: rebuilds the map of intents from the ledger.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{open, said, say};
use crate::{
    core::intent::{SIDECAR, map::NAME},
    world::World,
};

const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn run(world: &World) -> super::super::Result {
    let (roz, store) = open(world)?;
    let working = say::working("reading the ledger");
    let until = Instant::now() + PATIENCE;
    let ledger = roz.ledger(store.root()).gathered(until);
    let (is_changed, records) = ledger.write_map(&store.catalogue, until)?;
    drop(working);
    let what = if is_changed { "Written" } else { "It says so already" };
    let counted = say::counted(records, "record");
    said(
        json!({ "file": ledger.map_path(), "records": records, "changed": is_changed }),
        &format!("{what}: {SIDECAR}/{NAME}, from {counted} of the ledger.\n"),
    )
}
