//! `roz intent list` and `show`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Done, cell, find, open, say, told};
use crate::{
    core::{
        bounded,
        intent::{
            catalogue::Intent,
            scope::Scope,
            selection::{self, Elsewhere},
        },
    },
    sidecar::store::IntentStore,
    world::World,
};

/// List the intents that are not finished, and who is at them
#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// The finished ones as well
    #[arg(short, long)]
    all: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Show an intent: its scope, what it is done by, and what was done
///
/// Example:
///   roz intent show INT-001
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Show {
    /// The intent's id
    id: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn list(args: &List, world: &World) -> super::super::Result {
    let (roz, store) = open(world)?;
    if let Some(problem) = store.catalogue.broken() {
        return Err(told(selection::unreliable(problem, "roz intent"), args.json).into());
    }
    let others = roz.elsewhere(None, store.root(), world.now);
    let is_shown = |intent: &&Intent| args.all || !is_finished(intent);
    let shown: Vec<&Intent> = store.catalogue.intents.iter().filter(is_shown).collect();
    let hidden = store.catalogue.intents.len() - shown.len();
    if args.json {
        let intents: Vec<Value> = shown
            .iter()
            .map(|intent| as_json(intent, &sessions_at(intent, &others), &store))
            .collect();
        say::print_json(&json!({ "intents": intents, "finished_not_shown": hidden }))?;
        return Ok(Done::Well);
    }
    let rows: Vec<Vec<String>> = shown
        .iter()
        .map(|intent| {
            vec![
                cell(&intent.id, 40),
                match closed(&store, intent) {
                    Some(_) => format!("{}, closed", cell(intent.status.word(), 20)),
                    None => cell(intent.status.word(), 20),
                },
                match sessions_at(intent, &others).len() {
                    0 => String::new(),
                    some => some.to_string(),
                },
                cell(&intent.name, 32),
                intent.owned_scope.iter().map(|text| cell(text, 60)).collect::<Vec<_>>().join(", "),
            ]
        })
        .collect();
    let mut text = if rows.is_empty() {
        "No intent is open. `roz intent new \"NAME\" --scope 'PATTERN'` declares one.\n".to_owned()
    } else {
        say::Out::new(world).table(&["INTENT", "STATUS", "SESSIONS", "NAME", "SCOPE"], &rows)
    };
    if hidden > 0 {
        let _ = writeln!(text, "{hidden} finished: `roz intent list --all`");
    }
    say::print(&text)?;
    Ok(Done::Well)
}

pub(super) fn show(args: &Show, world: &World) -> super::super::Result {
    let (roz, store) = open(world)?;
    let intent = find(&store, &args.id, args.json)?;
    let sessions = sessions_at(intent, &roz.elsewhere(None, store.root(), world.now));
    if args.json {
        say::print_json(&as_json(intent, &sessions, &store))?;
        return Ok(Done::Well);
    }
    let mut text = format!("{} ({}): {}\n", intent.id, intent.status, intent.name);
    if let Some(line) = closed(&store, intent) {
        let _ = writeln!(text, "Cannot be selected: .intentignore, line {line}");
    }
    let created = intent.created_at.as_deref().map(|created_at| format!("created {created_at}"));
    let updated = intent.updated_at.as_deref().map(|updated_at| format!("changed {updated_at}"));
    let times: Vec<String> = created.into_iter().chain(updated).collect();
    if !times.is_empty() {
        let _ = writeln!(text, "{}", times.join(", "));
    }
    let mut list = |heading: &str, items: &[String]| {
        if items.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{heading}");
        for item in items {
            let _ = writeln!(text, "  {}", item.replace('\n', "\n  "));
        }
    };
    list("Scope", &intent.owned_scope);
    list("Constraints", &intent.constraints);
    let numbered = intent.acceptance_criteria.iter().enumerate();
    let numbered: Vec<String> = numbered.map(|(at, text)| format!("{}. {text}", at + 1)).collect();
    list("Done when", &numbered);
    let stands = |id: &String| match store.catalogue.find(id) {
        Ok(intent) => format!("{id} ({}): {}", intent.status, bounded::line(&intent.name, 60)),
        Err(_) => format!("{id} (nobody declares it)"),
    };
    list("Depends on", &intent.depends_on.iter().map(stands).collect::<Vec<_>>());
    list("Blocks", &intent.blocks.iter().map(stands).collect::<Vec<_>>());
    let problems = Scope::new(&intent.owned_scope);
    let problems: Vec<String> = problems.problems().iter().map(ToString::to_string).collect();
    list("Wrong with the scope", &problems);
    if intent.status.can_be_selected() {
        list("Mind", &super::shared(&store, intent));
    }
    list("Sessions at it", &sessions);
    list("Last changes", &store.recent(&intent.id));
    list("Lessons", &store.lessons(intent));
    say::print_plain(&text)?;
    Ok(Done::Well)
}

fn is_finished(intent: &Intent) -> bool {
    use crate::core::intent::catalogue::Status;
    matches!(intent.status, Status::Completed | Status::Done | Status::Archived | Status::Cancelled)
}

fn sessions_at(intent: &Intent, others: &[Elsewhere]) -> Vec<String> {
    let at = others.iter().filter(|other| other.intent_id == intent.id);
    at.map(|elsewhere| elsewhere.session_id.clone()).collect()
}

fn closed(store: &IntentStore, intent: &Intent) -> Option<usize> {
    store.ignore.as_ref().ok()?.closes(&intent.id)
}

fn as_json(intent: &Intent, sessions: &[String], store: &IntentStore) -> Value {
    let mut told = intent_json(intent, store);
    told["sessions"] = json!(sessions);
    told
}

/// An intent with what is known of it besides.
pub(in crate::cli) fn intent_json(intent: &Intent, store: &IntentStore) -> Value {
    let scope = Scope::new(&intent.owned_scope);
    let problems: Vec<String> = scope.problems().iter().map(ToString::to_string).collect();
    json!({
        "id": intent.id,
        "name": intent.name,
        "status": intent.status.word(),
        "owned_scope": intent.owned_scope,
        "constraints": intent.constraints,
        "acceptance_criteria": intent.acceptance_criteria,
        "depends_on": intent.depends_on,
        "blocks": intent.blocks,
        "created_at": intent.created_at,
        "updated_at": intent.updated_at,
        "line": intent.line,
        "closed_by_line": closed(store, intent),
        "can_be_selected": intent.status.can_be_selected() && closed(store, intent).is_none(),
        "scope_problems": problems,
    })
}
