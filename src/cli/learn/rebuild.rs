//! `roz learn rebuild`: rebuilds the caches from their sources.

use std::{convert::Infallible, fmt::Write as _};

use serde_json::json;

use super::{
    learnings::Stock,
    say::{self, Out},
};
use crate::{
    memory::index::{self, Loaded},
    world::World,
};

pub(super) fn run(world: &World) -> super::Result {
    let stock = Stock::here(world)?;
    let load = || Ok::<Loaded, Infallible>(stock.library.at_hand().into());
    let working = say::working("making the index");
    let Ok(indexed) = index::rebuild(&stock.roz.home, &stock.library.files(), load);
    let view = stock.log.rebuild()?;
    drop(working);
    let learnings = indexed.index.len();
    let value = json!({
        "index": { "learnings": learnings },
        "stats": { "entries": view.entries, "broken": view.broken, "unknown": view.unknown },
    });
    let mut text = format!(
        "Rebuilt the index of {} and the statistics from {} of `{}`.\n",
        say::counted(learnings, "learning"),
        say::counted(view.entries, "line"),
        stock.log.path().display()
    );
    if view.broken > 0 {
        let _ = writeln!(text, "Lines of it that cannot be read: {}.", view.broken);
    }
    stock.said(value, text, &[], &Out::new(world))
}
