//! `roz intent list` and `show`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{cell, find, open, said, say};
use crate::{
    core::{
        bounded,
        intent::{
            catalogue::{Intent, Status},
            scope::Scope,
            selection::Elsewhere,
        },
    },
    sidecar::intent_store::IntentStore,
    world::World,
};

/// List the intents that are not finished, and which sessions work on them
#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// The finished ones as well
    #[arg(short, long)]
    all: bool,
}

/// Show an intent: its scope, its criteria, and what was done
///
/// Example:
///   roz intent show INT-001
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Show {
    /// The intent's id
    id: String,
}

pub(super) fn list(args: &List, world: &World) -> super::super::Result {
    let (roz, store) = open(world)?;
    super::is_sound(&store, "roz intent")?;
    let others = roz.elsewhere(None, store.root(), world.now);
    let is_shown = |intent: &&Intent| args.all || !is_finished(intent);
    let shown: Vec<&Intent> = store.catalogue.intents.iter().filter(is_shown).collect();
    let hidden = store.catalogue.intents.len() - shown.len();
    let intent = |intent: &&Intent| {
        let mut told = intent_json(intent, &store);
        told["sessions"] = json!(sessions_at(intent, &others));
        told
    };
    let intents: Vec<Value> = shown.iter().map(intent).collect();
    let row = |intent: &&Intent| {
        let closed = if closed(&store, intent).is_some() { ", closed" } else { "" };
        let sessions = sessions_at(intent, &others).len();
        vec![
            cell(&intent.id, 40),
            cell(intent.status.word(), 20) + closed,
            if sessions == 0 { String::new() } else { sessions.to_string() },
            cell(&intent.name, 32),
            intent.owned_scope.iter().map(|text| cell(text, 60)).collect::<Vec<_>>().join(", "),
        ]
    };
    let heading = ["INTENT", "STATUS", "SESSIONS", "NAME", "SCOPE"];
    let mut text = if shown.is_empty() {
        "No intent is open. `roz intent new \"NAME\" --scope 'PATTERN'` declares one.\n".to_owned()
    } else {
        say::Out::new(world).table(&heading, shown.iter().map(row))
    };
    if hidden > 0 {
        let _ = writeln!(text, "{hidden} finished: `roz intent list --all`");
    }
    crate::cli::said(json!({ "intents": intents, "finished_not_shown": hidden }), text)
}

pub(super) fn show(args: &Show, world: &World) -> super::super::Result {
    let (roz, store) = open(world)?;
    let intent = find(&store, &args.id)?;
    let sessions = sessions_at(intent, &roz.elsewhere(None, store.root(), world.now));
    let mut value = intent_json(intent, &store);
    value["sessions"] = json!(sessions);
    let mut text = format!("{} ({}): {}\n", intent.id, intent.status, intent.name);
    if let Some(line) = closed(&store, intent) {
        let _ = writeln!(text, "Cannot be selected: .intentignore, line {line}");
    }
    for (what, at) in [("created", &intent.created_at), ("changed", &intent.updated_at)] {
        let _ = at.iter().try_for_each(|at| writeln!(text, "{what} {at}"));
    }
    let with_status = |id: &String| match store.catalogue.find(id) {
        Ok(intent) => format!("{id} ({}): {}", intent.status, bounded::line(&intent.name, 60)),
        Err(_) => format!("{id} (nobody declares it)"),
    };
    let numbered = intent.acceptance_criteria.iter().enumerate();
    let numbered = numbered.map(|(at, text)| format!("{}. {text}", at + 1)).collect();
    for (heading, items) in [
        ("Scope", intent.owned_scope.clone()),
        ("Constraints", intent.constraints.clone()),
        ("Done when", numbered),
        ("Depends on", intent.depends_on.iter().map(with_status).collect()),
        ("Blocks", intent.blocks.iter().map(with_status).collect()),
        ("Problems of the scope", scope_problems(intent)),
        ("Sessions working on it", sessions),
        ("Last changes", store.recent(&intent.id)),
        ("Lessons", store.lessons(intent)),
    ] {
        if !items.is_empty() {
            let _ = writeln!(text, "\n{heading}");
        }
        for item in items {
            let _ = writeln!(text, "  {}", item.replace('\n', "\n  "));
        }
    }
    said(value, &text)
}

fn is_finished(intent: &Intent) -> bool {
    matches!(intent.status, Status::Completed | Status::Done | Status::Archived | Status::Cancelled)
}

fn sessions_at(intent: &Intent, others: &[Elsewhere]) -> Vec<String> {
    let at = others.iter().filter(|other| other.intent_id == intent.id);
    at.map(|elsewhere| elsewhere.session_id.clone()).collect()
}

fn closed(store: &IntentStore, intent: &Intent) -> Option<usize> {
    store.ignore.as_ref().ok()?.closes(&intent.id)
}

fn scope_problems(intent: &Intent) -> Vec<String> {
    Scope::new(&intent.owned_scope).problems().iter().map(ToString::to_string).collect()
}

pub(in crate::cli) fn can_be_selected(intent: &Intent, store: &IntentStore) -> bool {
    intent.status.can_be_selected() && closed(store, intent).is_none()
}

pub(in crate::cli) fn intent_json(intent: &Intent, store: &IntentStore) -> Value {
    let mut told = json!(intent);
    told["closed_by_line"] = json!(closed(store, intent));
    told["can_be_selected"] = json!(can_be_selected(intent, store));
    told["scope_problems"] = json!(scope_problems(intent));
    told
}
