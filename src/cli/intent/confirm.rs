//! `roz intent confirm`: a person looks at what a call made of the declared
//! work, and says that it is right.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Done, cell, is_in_client, needs_a_person, open, say};
use crate::{
    core::{
        bounded,
        intent::selection::{FILE, Unreliable},
    },
    open::Roz,
    sidecar::{self, word},
    world::World,
};

/// What waiting for other writers may cost.
const PATIENCE: Duration = Duration::from_secs(10);

/// Say that what is declared is right as it stands (a person's word)
///
/// What a call of an agent has changed in `.orchestration/active_intents.yaml`
/// or `.intentignore` where nobody could see it counts for nothing, and every
/// write is refused, until a person has looked at it and says so. Prints what
/// the open intents may change now. Where the intents are gone, it says that
/// this is meant, and the gate is off.
///
/// Example:
///   git diff .orchestration && roz intent confirm
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// A person has decided so already: for scripts
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    needs_a_person("confirm", args.yes, world)?;
    let roz = Roz::open(world, &world.cwd)?;
    let is_there = sidecar::governing(&roz.sidecar, &world.cwd).is_some();
    if !is_there && word::is_known(&roz.sidecar, &roz.home) {
        let (project, home, until) = (&roz.sidecar, &roz.home, Instant::now() + PATIENCE);
        let stand = word::stand(project);
        if stand.contains_key(FILE)
            || !word::confirm(project, home, &stand, is_in_client(world), world.now, until)?
        {
            return Err(Box::new(sidecar::desk::Error::Moved));
        }
        if args.json {
            say::print_json(&json!({ "confirmed": [FILE], "open": [] }))?;
        } else {
            say::print_plain(
                "Confirmed: the intents are gone, and nothing is asked for any more.\n",
            )?;
        }
        return Ok(Done::Well);
    }
    let (_, desk) = open(world)?;
    let doubts: Vec<String> = desk.doubts().into_iter().map(|it| it.file).collect();
    desk.confirm(world.now)?;
    let open: Vec<_> = desk.catalogue.open().collect();
    let broken = Unreliable::find(&desk.catalogue, desk.ignore.as_ref());
    let done = if broken.is_some() { Done::Badly } else { Done::Well };
    if args.json {
        let open: Vec<_> = open
            .iter()
            .map(|it| json!({ "intent_id": it.id, "owned_scope": it.owned_scope }))
            .collect();
        let problem = broken.map(|it| it.to_string());
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
            " But {what}.\nAll writes are refused until that is mended: `roz intent check` shows \
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
