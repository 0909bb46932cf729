//! `roz learn archive` and `roz learn restore`: what is shown no more, and again.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    Done, due, say,
    stock::{self, Stock},
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
    open::Roz,
    world::{World, in_a_line},
};

/// Put learnings away: those named, or all that are due
///
/// What is put away is not shown any more; it can still be searched, and
/// brought back. What is due is put away by itself at a session's start, at
/// most once a day.
///
/// Examples:
///   roz learn archive cl_20260102_abcdef --reason "the lexer is gone"
///   roz learn archive --due --dry-run
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help shows ids")]
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
    /// With `--due`: show what would be put away, and put nothing away
    #[arg(long, conflicts_with = "ids")]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Bring learnings back that were put away
///
/// Example:
///   roz learn restore cl_20260102_abcdef
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help shows ids")]
pub(super) struct Restore {
    /// The learnings' ids
    #[arg(required = true)]
    ids: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn archive(args: &Archive, world: &World) -> super::Result {
    if args.due {
        return due::put_away(args.dry_run, args.json, world);
    }
    let reason = bounded::chars(args.reason.trim(), 500);
    let event = |learning_id| Event::Archived { learning_id, reason: reason.clone() };
    change(&args.ids, Status::Archived, event, args.json, world)
}

pub(super) fn restore(args: &Restore, world: &World) -> super::Result {
    let event = |learning_id| Event::Restored { learning_id };
    change(&args.ids, Status::Active, event, args.json, world)
}

/// Does what can be done, and then says what cannot.
fn change(
    ids: &[String],
    to: Status,
    event: impl Fn(String) -> Event,
    json: bool,
    world: &World,
) -> super::Result {
    let roz = Roz::here(world)?;
    let stock = Stock::open(&roz, world);
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
            Err(err) => failed.push((id, refusal(&err, id, &stock))),
        }
    }
    // It is done, whether or not it could be noted.
    let noted = stock.note(done.iter().map(|learning| event(learning.id.clone())), world);
    let warnings: Vec<String> = noted.err().map(|err| err.to_string()).into_iter().collect();
    let [key, verb] = match to {
        Status::Archived => ["archived", "Put away"],
        Status::Active | Status::Superseded => ["restored", "Brought back"],
    };
    if json {
        let ids =
            |of: &[&Learning]| of.iter().map(|learning| json!(learning.id)).collect::<Vec<Value>>();
        let errors: Vec<Value> =
            failed.iter().map(|(id, error)| json!({ "id": id, "error": error })).collect();
        stock.print_json(json!({
            key: ids(&done),
            "unchanged": ids(&unchanged),
            "failed": errors,
            "warnings": warnings,
        }))?;
        return Ok(if failed.is_empty() { Done::Well } else { Done::Badly });
    }
    let mut text = String::new();
    for learning in done {
        let _ = writeln!(text, "{verb}: {}", stock::in_a_line(learning));
    }
    for learning in unchanged {
        let _ = writeln!(text, "It is {to} already: {}", stock::in_a_line(learning));
    }
    say::print(&text)?;
    for warning in warnings {
        say::warn(&warning);
    }
    stock::fail(failed.into_iter().map(|(_, error)| error).collect())
}

/// Why it was not done, and what can be.
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
