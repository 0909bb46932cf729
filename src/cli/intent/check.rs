//! `roz intent check`: how everything was read, and what is wrong with it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Done, open, say};
use crate::{
    core::intent::{
        catalogue::{Intent, Problem},
        overlap::overlap,
        scope::Scope,
    },
    sidecar::store::IntentStore,
    world::World,
};

/// Check the declared intents, their scopes and `.intentignore`
///
/// Says how each line of `.intentignore` was read, what is wrong with the YAML
/// and where, which patterns of scopes are refused or too broad, and which
/// open intents own the same files. Exit code 1 if something cannot be relied
/// on.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug)]
struct Found<'a> {
    intents: Vec<&'a Problem>,
    ignore: Vec<Problem>,
    /// The intent, the complaint, and whether the pattern was left out.
    scopes: Vec<(&'a str, String, bool)>,
    /// What an intent depends on or blocks, and nobody declares.
    unknown: Vec<(&'a str, &'a str)>,
    overlaps: Vec<(&'a str, &'a str, String)>,
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    let (_, store) = open(world)?;
    let found = look(&store);
    if args.json {
        say::print_json(&as_json(&store, &found))?;
    } else {
        let width = say::Out::new(world).width;
        let text = spoken(&store, &found);
        let lines: Vec<String> =
            text.lines().map(|line| say::folded(line, width, "    ") + "\n").collect();
        say::print_plain(&lines.concat())?;
    }
    Ok(if found.breaks() { Done::Badly } else { Done::Well })
}

impl Found<'_> {
    fn breaks(&self) -> bool {
        self.intents.iter().any(|intent| intent.breaks)
            || self.ignore.iter().any(|problem| problem.breaks)
            || self.scopes.iter().any(|(.., refused)| *refused)
    }
}

fn look(store: &IntentStore) -> Found<'_> {
    let ignore = match &store.ignore {
        Ok(ignore) => ignore.problems().collect(),
        Err(problem) => vec![problem.clone()],
    };
    let mut scopes = Vec::new();
    for intent in &store.catalogue.intents {
        let scope = Scope::new(&intent.owned_scope);
        let problems = scope.problems().iter();
        scopes.extend(problems.map(|problem| (&*intent.id, problem.to_string(), problem.refused)));
        if intent.owned_scope.is_empty() && intent.status.can_be_selected() {
            scopes.push((&intent.id, "it owns nothing, so it may change nothing".into(), false));
        }
    }
    let mut unknown = Vec::new();
    for intent in &store.catalogue.intents {
        let named = intent.depends_on.iter().chain(&intent.blocks);
        let is_declared = |id: &str| store.catalogue.intents.iter().any(|intent| intent.id == id);
        unknown
            .extend(named.filter(|named| !is_declared(named)).map(|named| (&*intent.id, &**named)));
    }
    let open: Vec<(&Intent, Scope)> =
        store.catalogue.open().map(|intent| (intent, Scope::new(&intent.owned_scope))).collect();
    let mut overlaps = Vec::new();
    for (at, (one, own)) in open.iter().enumerate() {
        for (other, theirs) in &open[at + 1..] {
            if let Some(path) = overlap(own, theirs, store.case) {
                overlaps.push((&*one.id, &*other.id, path));
            }
        }
    }
    Found { intents: store.catalogue.problems.iter().collect(), ignore, scopes, unknown, overlaps }
}

fn spoken(store: &IntentStore, found: &Found) -> String {
    let mut text = String::new();
    let open = store.catalogue.open().count();
    let _ = writeln!(
        text,
        "active_intents.yaml: {} declared, {open} open",
        store.catalogue.intents.len()
    );
    for problem in &found.intents {
        let _ = writeln!(text, "  {}{problem}", weight(problem.breaks));
    }
    for (id, what, refused) in &found.scopes {
        let _ = writeln!(text, "  {}{id}, scope {what}", weight(*refused));
    }
    for (id, other) in &found.unknown {
        let _ = writeln!(text, "  {}{id} names {other}, which nobody declares", weight(false));
    }
    let _ = writeln!(text, ".intentignore:");
    match &store.ignore {
        Ok(ignore) if ignore.lines().is_empty() => text.push_str("  nothing\n"),
        Ok(ignore) => {
            for line in ignore.lines() {
                let breaks =
                    found.ignore.iter().any(|problem| problem.breaks && problem.line == line.line);
                let heavy = if breaks { weight(true) } else { "" };
                let _ = writeln!(text, "  {heavy}{line}");
            }
        }
        Err(problem) => {
            let _ = writeln!(text, "  {}{problem}", weight(true));
        }
    }
    if !found.overlaps.is_empty() {
        text.push_str("Open intents that own the same:\n");
    }
    for (one, other, path) in &found.overlaps {
        let _ = writeln!(text, "  {one} and {other}: `{path}`");
    }
    text.push_str(if found.breaks() {
        "Something of it cannot be relied on: fix what is an error.\n"
    } else {
        "All of it can be relied on.\n"
    });
    text
}

fn weight(breaks: bool) -> &'static str {
    if breaks { "error: " } else { "warning: " }
}

fn as_json(store: &IntentStore, found: &Found) -> Value {
    let problem = |found: &Problem| json!({ "line": found.line, "column": found.column, "what": found.what, "breaks": found.breaks });
    let lines =
        store.ignore.as_ref().map(crate::core::intent::ignore::Ignore::lines).unwrap_or_default();
    json!({
        "ok": !found.breaks(),
        "declared": store.catalogue.intents.len(),
        "open": store.catalogue.open().map(|intent| &intent.id).collect::<Vec<_>>(),
        "problems": found.intents.iter().map(|intent| problem(intent)).collect::<Vec<_>>(),
        "scopes": found.scopes.iter().map(|(id, what, refused)| {
            json!({ "intent_id": id, "what": what, "refused": refused })
        }).collect::<Vec<_>>(),
        "unknown": found.unknown.iter().map(|(id, other)| {
            json!({ "intent_id": id, "names": other })
        }).collect::<Vec<_>>(),
        "ignore": {
            "lines": lines.iter().map(|line| {
                json!({ "line": line.line, "text": line.text, "read": line.to_string() })
            }).collect::<Vec<_>>(),
            "problems": found.ignore.iter().map(problem).collect::<Vec<_>>(),
        },
        "overlaps": found.overlaps.iter().map(|(one, other, path)| {
            json!({ "intents": [one, other], "path": path })
        }).collect::<Vec<_>>(),
    })
}
