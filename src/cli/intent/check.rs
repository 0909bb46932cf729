//! `roz intent check`: how everything was read, and what is wrong with it.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Done, open, say};
use crate::{
    core::{
        bounded,
        intent::{
            catalogue::{Intent, Problem},
            overlap::overlap,
            scope::Scope,
        },
    },
    sidecar::desk::Desk,
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

/// What comparing every open intent with every other may take.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
struct Found<'a> {
    intents: Vec<&'a Problem>,
    ignore: Vec<Problem>,
    /// The intent, the complaint, and whether the pattern was left out.
    scopes: Vec<(&'a str, String, bool)>,
    /// What an intent depends on or blocks, and nobody declares.
    unknown: Vec<(&'a str, &'a str)>,
    overlaps: Vec<(&'a str, &'a str, String)>,
    /// There was no time to compare all.
    is_cut: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::super::Result {
    let (_, desk) = open(world)?;
    let found = look(&desk);
    if args.json {
        say::print_json(&as_json(&desk, &found))?;
    } else {
        let width = say::Out::new(world).edge();
        let told = spoken(&desk, &found);
        let lines = told.lines().map(|it| folded(it, width) + "\n");
        say::print(&lines.collect::<String>())?;
    }
    Ok(if found.breaks() { Done::Badly } else { Done::Well })
}

impl Found<'_> {
    fn breaks(&self) -> bool {
        self.intents.iter().any(|it| it.breaks)
            || self.ignore.iter().any(|it| it.breaks)
            || self.scopes.iter().any(|(.., refused)| *refused)
    }
}

fn look(desk: &Desk) -> Found<'_> {
    let ignore = match &desk.ignore {
        Ok(ignore) => ignore.problems().collect(),
        Err(problem) => vec![problem.clone()],
    };
    let mut scopes = Vec::new();
    for intent in &desk.catalogue.intents {
        let scope = Scope::new(&intent.owned_scope);
        let problems = scope.problems().iter();
        scopes.extend(problems.map(|it| (&*intent.id, it.to_string(), it.refused)));
        if intent.owned_scope.is_empty() && intent.status.can_be_selected() {
            scopes.push((&intent.id, "it owns nothing, so it may change nothing".into(), false));
        }
    }
    let mut unknown = Vec::new();
    for intent in &desk.catalogue.intents {
        let named = intent.depends_on.iter().chain(&intent.blocks);
        let is_declared = |id: &str| desk.catalogue.intents.iter().any(|it| it.id == id);
        unknown.extend(named.filter(|it| !is_declared(it)).map(|it| (&*intent.id, &**it)));
    }
    let open: Vec<(&Intent, Scope)> =
        desk.catalogue.open().map(|it| (it, Scope::new(&it.owned_scope))).collect();
    let until = Instant::now() + PATIENCE;
    let mut overlaps = Vec::new();
    let mut is_cut = false;
    'all: for (at, (one, own)) in open.iter().enumerate() {
        for (other, theirs) in &open[at + 1..] {
            if Instant::now() >= until {
                is_cut = true;
                break 'all;
            }
            if let Some(path) = overlap(own, theirs, desk.case) {
                overlaps.push((&*one.id, &*other.id, path));
            }
        }
    }
    Found {
        intents: desk.catalogue.problems.iter().collect(),
        ignore,
        scopes,
        unknown,
        overlaps,
        is_cut,
    }
}

fn spoken(desk: &Desk, found: &Found) -> String {
    let mut text = String::new();
    let open = desk.catalogue.open().count();
    let _ = writeln!(
        text,
        "active_intents.yaml: {} declared, {open} open",
        desk.catalogue.intents.len()
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
    match &desk.ignore {
        Ok(ignore) if ignore.lines().is_empty() => text.push_str("  nothing\n"),
        Ok(ignore) => {
            for line in ignore.lines() {
                let breaks = found.ignore.iter().any(|it| it.breaks && it.line == line.line);
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
    if found.is_cut {
        text.push_str("  (there was no time to compare all of them)\n");
    }
    text.push_str(if found.breaks() {
        "Something of it cannot be relied on: mend what is an error.\n"
    } else {
        "All of it can be relied on.\n"
    });
    bounded::plain(&text)
}

/// A line with what it is indented by, and what goes on a little deeper.
fn folded(line: &str, width: usize) -> String {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    let deeper = format!("{indent}    ");
    format!("{indent}{}", say::folded(text, width, &deeper))
}

fn weight(breaks: bool) -> &'static str {
    if breaks { "error: " } else { "warning: " }
}

fn as_json(desk: &Desk, found: &Found) -> Value {
    let problem = |it: &Problem| json!({ "line": it.line, "column": it.column, "what": it.what, "breaks": it.breaks });
    let lines =
        desk.ignore.as_ref().map(crate::core::intent::ignore::Ignore::lines).unwrap_or_default();
    json!({
        "ok": !found.breaks(),
        "declared": desk.catalogue.intents.len(),
        "open": desk.catalogue.open().map(|it| &it.id).collect::<Vec<_>>(),
        "problems": found.intents.iter().map(|it| problem(it)).collect::<Vec<_>>(),
        "scopes": found.scopes.iter().map(|(id, what, refused)| {
            json!({ "intent_id": id, "what": what, "refused": refused })
        }).collect::<Vec<_>>(),
        "unknown": found.unknown.iter().map(|(id, other)| {
            json!({ "intent_id": id, "names": other })
        }).collect::<Vec<_>>(),
        "ignore": {
            "lines": lines.iter().map(|it| {
                json!({ "line": it.line, "text": it.text, "read": it.to_string() })
            }).collect::<Vec<_>>(),
            "problems": found.ignore.iter().map(problem).collect::<Vec<_>>(),
        },
        "overlaps": found.overlaps.iter().map(|(one, other, path)| {
            json!({ "intents": [one, other], "path": path })
        }).collect::<Vec<_>>(),
        "overlaps_cut": found.is_cut,
    })
}
