//! `roz learn archive` and `roz learn restore`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    due_for_archive,
    learnings::{self, Stock},
    say::{self, Out},
};
use crate::{
    core::{
        bounded,
        reflection::{
            learning::{Learning, Status},
            usage::Event,
        },
    },
    memory,
    world::{World, in_a_line},
};

/// Archive learnings: those named, or all that are due
///
/// Archived learnings are not shown any more; they can still be searched, and
/// restored. Those that are due are archived at a session's start, at most once
/// a day.
///
/// Examples:
///   roz learn archive cl_20260102_abcdef --reason "the lexer is gone"
///   roz learn archive --due --dry-run
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Archive {
    /// The learnings' ids
    #[arg(required_unless_present = "due")]
    ids: Vec<String>,
    /// Why, in a sentence
    #[arg(long, default_value = "by hand", hide_default_value = true)]
    reason: String,
    /// All that are due, as `roz learn due` shows them
    #[arg(long, conflicts_with = "ids")]
    due: bool,
    /// With `--due`: put nothing away, and show what would be
    #[arg(long, conflicts_with = "ids")]
    dry_run: bool,
}

/// Restore archived learnings
///
/// Example:
///   roz learn restore cl_20260102_abcdef
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Restore {
    /// The learnings' ids
    #[arg(required = true)]
    pub(super) ids: Vec<String>,
}

pub(super) fn archive(args: &Archive, world: &World) -> super::Result {
    let stock = Stock::here(world)?;
    if !args.due {
        let reason = bounded::chars(args.reason.trim(), 500);
        let event = |learning_id| Event::Archived { learning_id, reason: reason.clone() };
        return change(&args.ids, Status::Archived, event, &stock, world);
    }
    let due = stock.roz.due(&stock.own(), &stock.view, world);
    let ids: Vec<String> = due.iter().map(|due| due.id.clone()).collect();
    if args.dry_run {
        let out = Out::new(world);
        let text = match &due[..] {
            [] => stock.nothing("Nothing is due."),
            due => format!("Would be archived:\n{}", due_for_archive::table(due, &stock, &out)),
        };
        let due: Vec<Value> = due.iter().map(|due| due_for_archive::as_json(due, &stock)).collect();
        let value = json!({ "dry_run": true, "archived": ids, "due": due });
        return stock.said(value, text, &[], &out);
    }
    let event = |learning_id| {
        let due = due.iter().find(|due| due.id == learning_id);
        let reason = due.map(|due| due.reason.clone()).unwrap_or_default();
        Event::Archived { learning_id, reason }
    };
    change(&ids, Status::Archived, event, &stock, world)
}

pub(super) fn restore(ids: &[String], world: &World) -> super::Result {
    let stock = Stock::here(world)?;
    let event = |learning_id| Event::Restored { learning_id };
    change(ids, Status::Active, event, &stock, world)
}

fn change(
    ids: &[String],
    to: Status,
    event: impl Fn(String) -> Event,
    stock: &Stock,
    world: &World,
) -> super::Result {
    let (found, unknown) = stock.find_all(ids.iter().map(String::as_str));
    let mut failed: Vec<(&str, String)> =
        unknown.into_iter().map(|id| (id, stock.no_such(id))).collect();
    let (mut done, mut unchanged) = (Vec::new(), Vec::new());
    for learning in found {
        let id = learning.id.as_str();
        let changed = match (learning.status, to) {
            (status, to) if status == to => {
                unchanged.push(learning);
                continue;
            }
            (Status::Superseded, _) => Err(memory::Error::Superseded { id: id.to_owned() }),
            (_, Status::Archived) => stock.library.archive(id),
            (_, Status::Active | Status::Superseded) => stock.library.restore(id),
        };
        match changed {
            Ok(()) => done.push(learning),
            Err(err) => failed.push((id, refusal(&err, id, stock))),
        }
    }
    // The change is made, even if it could not be recorded in the log.
    if let Err(err) = stock.note(done.iter().map(|learning| event(learning.id.clone())), world) {
        say::warn(&format!("it could not be recorded: {err}"));
    }
    let [key, verb] = match to {
        Status::Archived => ["archived", "Put away"],
        Status::Active | Status::Superseded => ["restored", "Brought back"],
    };
    let ids_of =
        |of: &[&Learning]| of.iter().map(|learning| json!(learning.id)).collect::<Vec<Value>>();
    let errors: Vec<Value> =
        failed.iter().map(|(id, error)| json!({ "id": id, "error": error })).collect();
    let value = json!({
        key: ids_of(&done), "unchanged": ids_of(&unchanged), "failed": errors,
    });
    let mut text = if ids.is_empty() { stock.nothing("Nothing is due.") } else { String::new() };
    for learning in done {
        let _ = writeln!(text, "{verb}: {}", learnings::in_a_line(learning));
    }
    for learning in unchanged {
        let _ = writeln!(text, "It is {to} already: {}", learnings::in_a_line(learning));
    }
    let errors: Vec<String> = failed.into_iter().map(|(_, error)| error).collect();
    stock.said(value, text, &errors, &Out::new(world))
}

fn refusal(err: &memory::Error, id: &str, stock: &Stock) -> String {
    let said = in_a_line(err);
    match err {
        memory::Error::ReadOnly { .. } => format!("{said}. Change it there by hand"),
        memory::Error::Superseded { .. } => {
            let by = stock.learnings.iter().find(|newer| newer.supersedes.as_deref() == Some(id));
            by.map_or(said.clone(), |newer| format!("{said}: by `{}`", newer.id))
        }
        _ => said,
    }
}
