//! `roz intent check`: shows how the declarations were parsed, and their problems.

use std::fmt::Write as _;

use serde_json::json;

use super::{judged, say};
use crate::{
    core::{
        bounded,
        intent::{
            catalogue::{Catalogue, Intent},
            ignore::Ignore,
            overlap::overlap,
            scope::Scope,
        },
    },
    sidecar::intent_store::IntentStore,
    world::World,
};

/// A problem, and whether it makes something unreliable.
type Problem = (bool, String);

pub(in crate::cli) fn check(store: &IntentStore, world: &World) -> super::super::Result {
    let problems = problems(&store.catalogue);
    let overlaps = overlaps(store);
    let (ignored, is_read): (Vec<Problem>, bool) = match &store.ignore {
        Ok(ignore) => {
            (ignore.lines().iter().map(|line| (line.breaks, line.to_string())).collect(), true)
        }
        Err(problem) => (vec![(true, problem.to_string())], false),
    };
    let is_sound = !problems.iter().chain(&ignored).any(|(breaks, _)| *breaks);
    let (declared, open) = (store.catalogue.intents.len(), store.catalogue.open().count());
    let broken = ignored.iter().filter(|(breaks, _)| *breaks);
    let problem = |(breaks, what): &Problem| json!({ "what": what, "breaks": breaks });
    let lines = store.ignore.as_ref().map(Ignore::lines).unwrap_or_default().iter();
    let value = json!({
        "ok": is_sound,
        "declared": declared,
        "open": store.catalogue.open().map(|intent| &intent.id).collect::<Vec<_>>(),
        "problems": problems.iter().chain(broken).map(problem).collect::<Vec<_>>(),
        "ignore": { "lines": lines.map(|line| {
            json!({ "line": line.line, "text": line.text, "read": line.to_string() })
        }).collect::<Vec<_>>() },
        "overlaps": overlaps.iter().map(|(one, other, path)| {
            json!({ "intents": [one, other], "path": path })
        }).collect::<Vec<_>>(),
    });
    let mut text = format!("active_intents.yaml: {declared} declared, {open} open\n");
    for (breaks, what) in &problems {
        let _ = writeln!(text, "  {}: {what}", if *breaks { "error" } else { "warning" });
    }
    let none = if is_read && ignored.is_empty() { "  nothing\n" } else { "" };
    let _ = write!(text, ".intentignore:\n{none}");
    for (breaks, line) in &ignored {
        let _ = writeln!(text, "  {}{line}", if *breaks { "error: " } else { "" });
    }
    text.push_str(if overlaps.is_empty() { "" } else { "Open intents that own the same files:\n" });
    for (one, other, path) in &overlaps {
        let _ = writeln!(text, "  {one} and {other}: `{path}`");
    }
    text.push_str(if is_sound {
        "Everything is valid.\n"
    } else {
        "Some of it is unusable: fix the errors.\n"
    });
    let width = say::Out::new(world).width;
    let lines: Vec<String> =
        text.lines().map(|line| say::folded(line, width, "    ") + "\n").collect();
    judged(is_sound, value, bounded::plain(&lines.concat()))
}

fn problems(catalogue: &Catalogue) -> Vec<Problem> {
    let of_file = catalogue.problems.iter().map(|problem| (problem.breaks, problem.to_string()));
    let mut found: Vec<Problem> = of_file.collect();
    for intent in &catalogue.intents {
        let id = &intent.id;
        let scope = Scope::new(&intent.owned_scope);
        let complaints = scope.problems().iter();
        found.extend(complaints.map(|what| (what.refused, format!("{id}, scope {what}"))));
        if intent.owned_scope.is_empty() && intent.status.can_be_selected() {
            found.push((false, format!("{id} owns nothing, so it may change nothing")));
        }
        for named in intent.depends_on.iter().chain(&intent.blocks) {
            if !catalogue.intents.iter().any(|other| other.id == *named) {
                found.push((false, format!("{id} names {named}, which nobody declares")));
            }
        }
    }
    found
}

/// Pairs of open intents that own the same files, each with an example.
fn overlaps(store: &IntentStore) -> Vec<(&str, &str, String)> {
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
    overlaps
}
