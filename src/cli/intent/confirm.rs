//! `roz intent confirm`: a person confirms what a call made of the declared work.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Decided, Done, cell, needs_a_person, open, say};
use crate::{
    core::{
        bounded,
        intent::selection::{FILE, Unreliable},
    },
    open::Roz,
    sidecar::{self, provenance},
    world::World,
};

/// What waiting for other writers may cost.
const PATIENCE: Duration = Duration::from_secs(10);

/// Confirm a change of the declared intents (a person decides)
///
/// Every write is refused after a call of an agent has changed
/// `.orchestration/active_intents.yaml` or `.intentignore` outside of roz's own
/// verbs, until someone has looked at it and confirms it. Prints what the open
/// intents may change now. Where the intents are gone, it says that this is
/// meant, and the gate is off.
///
/// Example:
///   git diff .orchestration && roz intent confirm
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    decided: Decided,
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    let Decided { yes, json } = args.decided;
    needs_a_person("confirm", yes, world)?;
    let roz = Roz::open(world, &world.cwd)?;
    let until = Instant::now() + PATIENCE;
    let (project, home) = (&roz.sidecar, &roz.home);
    let is_there = sidecar::governing(project, &world.cwd).is_some();
    if !is_there && provenance::missing(project, home, true, until).is_some() {
        if !provenance::confirm(project, home, &provenance::hashes(project), until)? {
            return Err(Box::new(sidecar::store::Error::Moved));
        }
        let words = "Confirmed: the intents are gone, and nothing is asked for any more.\n";
        return say::answer(json, &json!({ "confirmed": [FILE], "open": [] }), words);
    }
    let (_, store) = open(world)?;
    let doubts: Vec<String> = store.doubts().into_iter().map(|doubt| doubt.file).collect();
    store.confirm()?;
    let open: Vec<_> = store.catalogue.open().collect();
    let broken = Unreliable::find(&store.catalogue, store.ignore.as_ref());
    let done = if broken.is_some() { Done::Badly } else { Done::Well };
    if json {
        let open: Vec<_> = open
            .iter()
            .map(|intent| json!({ "intent_id": intent.id, "owned_scope": intent.owned_scope }))
            .collect();
        let problem = broken.map(|broken| broken.to_string());
        say::print_json(&json!({ "confirmed": doubts, "open": open, "problem": problem }))?;
        return Ok(done);
    }
    let mut text = match &*doubts {
        [] => "Nothing was in doubt.".to_owned(),
        doubts => format!("Confirmed {}.", doubts.join(" and ")),
    };
    if let Some(broken) = broken {
        let what = bounded::line(&broken.to_string(), 300);
        let what = what.trim_end_matches('.');
        let _ = writeln!(
            text,
            " But {what}.\nAll writes are refused until that is fixed: `roz intent check` shows \
             what is wrong."
        );
        say::print_plain(&text)?;
        return Ok(done);
    }
    text.push_str(if open.is_empty() { " No intent is open.\n" } else { " It says:\n" });
    for intent in open {
        let scope = intent.owned_scope.join(", ");
        let _ = writeln!(text, "  {}: {}", cell(&intent.id, 60), cell(&scope, 300));
    }
    say::print_plain(&text)?;
    Ok(done)
}
