//! `roz intent confirm`: a person confirms a call's change to the declared intents.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Decided, cell, judged, needs_a_person, open, said};
use crate::{
    core::{
        bounded,
        intent::{
            catalogue::Intent,
            selection::{FILE, Unreliable},
        },
    },
    open::Roz,
    sidecar::{self, unconfirmed},
    world::World,
};

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
    needs_a_person("confirm", &args.decided, world)?;
    let roz = Roz::open(world, &world.cwd)?;
    let until = Instant::now() + PATIENCE;
    let (project, home) = (&roz.sidecar, &roz.home);
    let is_there = sidecar::governing(project, &world.cwd).is_some();
    if !is_there && unconfirmed::missing(project, home, true, until).is_some() {
        if !unconfirmed::confirm(project, home, &unconfirmed::hashes(project), until)? {
            return Err(Box::new(sidecar::intent_store::Error::Moved));
        }
        let words = "Confirmed: the intents were removed on purpose, so the gate is off.\n";
        return said(json!({ "confirmed": [FILE], "open": [] }), words);
    }
    let (_, store) = open(world)?;
    let doubts: Vec<String> = store.doubts().into_iter().map(|doubt| doubt.file).collect();
    store.confirm()?;
    let open: Vec<_> = store.catalogue.open().collect();
    let problem = Unreliable::find(&store.catalogue, store.ignore.as_ref());
    let problem = problem.map(|problem| problem.to_string());
    let scopes =
        |intent: &&Intent| json!({ "intent_id": intent.id, "owned_scope": intent.owned_scope });
    let value = json!({
        "confirmed": doubts,
        "open": open.iter().map(scopes).collect::<Vec<_>>(),
        "problem": problem,
    });
    let mut text = match &*doubts {
        [] => "There was nothing to confirm.\n".to_owned(),
        doubts => format!("Confirmed {}.\n", doubts.join(" and ")),
    };
    if let Some(problem) = &problem {
        let _ = writeln!(
            text,
            "All writes are refused until this is fixed (`roz intent check`): {}",
            bounded::line(problem, 300)
        );
    } else {
        text.push_str(if open.is_empty() { "No intent is open.\n" } else { "It says:\n" });
        for intent in open {
            let scope = intent.owned_scope.join(", ");
            let _ = writeln!(text, "  {}: {}", cell(&intent.id, 60), cell(&scope, 300));
        }
    }
    judged(problem.is_none(), value, bounded::plain(&text))
}
