//! `roz learn archive|restore|due|stale|rebuild`: what is put away, and what should be.

mod decay;
mod stale_files;

use std::{
    convert::Infallible,
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    Done,
    say::{self, Out},
    stock::{self, Stock},
};
use crate::{
    core::{
        bounded,
        reflection::{
            learning::{Learning, Status},
            usage::{self, Entry, Event},
        },
    },
    memory::{
        self,
        index::{self, Loaded},
    },
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
    #[command(flatten)]
    why: Why,
    /// All that are due, as `roz learn due` shows them
    #[arg(long, conflicts_with = "ids")]
    due: bool,
    /// Show what would be put away, and put nothing away
    #[arg(long, requires = "due")]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Why {
    /// Why, in a sentence
    #[arg(long, default_value = "by hand", hide_default_value = true)]
    reason: String,
}

/// Bring learnings back that were put away
///
/// Example:
///   roz learn restore cl_20260102_abcdef
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help shows ids")]
pub(super) struct Restore {
    #[command(flatten)]
    of: RestoreOf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct RestoreOf {
    /// The learnings' ids
    #[arg(required = true)]
    ids: Vec<String>,
}

/// Show which learnings nobody uses: what is due to be put away, and soon
///
/// A learning is due when nobody opened it or referred to it in
/// `decay.passive_duration_days`, and its title was shown in
/// `decay.min_dismissals` sessions; any other after twice that time.
///
/// Examples:
///   roz learn due
///   roz learn due --days 30
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Due {
    #[command(flatten)]
    of: DueOf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

type DueOf = decay::List;

/// Show learnings that name files which are gone
///
/// Example:
///   roz learn stale
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Stale {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Make the caches anew: the index, and what the log adds up to
///
/// Example:
///   roz learn rebuild
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Rebuild {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What waiting for other writers may cost.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn archive(args: &Archive, world: &World) -> super::Result {
    with_stock(world, args.json, |show| {
        if args.due {
            decay::run(&decay::Decay { dry_run: args.dry_run }, show)
        } else {
            put_away(&args.ids, &args.why, show)
        }
    })
}

pub(super) fn restore(args: &Restore, world: &World) -> super::Result {
    with_stock(world, args.json, |show| bring_back(&args.of, show))
}

pub(super) fn due(args: &Due, world: &World) -> super::Result {
    with_stock(world, args.json, |show| decay::list(&args.of, show))
}

pub(super) fn stale(args: &Stale, world: &World) -> super::Result {
    with_stock(world, args.json, stale_files::run)
}

pub(super) fn rebuild(args: &Rebuild, world: &World) -> super::Result {
    with_stock(world, args.json, make_anew)
}

fn with_stock(
    world: &World,
    json: bool,
    act: impl FnOnce(&Show) -> super::Result,
) -> super::Result {
    let roz = Roz::here(world)?;
    let stock = Stock::open(&roz, world);
    act(&Show { roz: &roz, stock: &stock, world, json })
}

fn put_away(ids: &[String], why: &Why, show: &Show) -> super::Result {
    mark(ids, &Move { to: Status::Archived, reason: &why.reason }, show)
}

fn bring_back(args: &RestoreOf, show: &Show) -> super::Result {
    mark(&args.ids, &Move { to: Status::Active, reason: "" }, show)
}

/// What every part of this verb works on.
struct Show<'a> {
    roz: &'a Roz,
    stock: &'a Stock,
    world: &'a World,
    json: bool,
}

impl Show<'_> {
    /// Prints one JSON object, with what could not be read in it.
    fn json(&self, mut value: Value) -> super::Result {
        value["problems"] = stock::problems_as_json(&self.stock.problems);
        say::print_json(&value)?;
        Ok(Done::Well)
    }

    /// Prints text, and what could not be read.
    fn text(&self, text: &str, out: &Out) -> super::Result {
        say::print(&(text.to_owned() + &self.stock.problems_in_words(out)))?;
        Ok(Done::Well)
    }

    fn line(&self, id: &str) -> String {
        let summary = bounded::line(self.stock.summary(id), 200);
        format!("{id}  {}", bounded::plain_line(&summary))
    }
}

/// Another status for learnings, by a person's or an agent's word.
struct Move<'a> {
    to: Status,
    reason: &'a str,
}

/// Does what can be done, and then says what cannot.
fn mark(ids: &[String], how: &Move, show: &Show) -> super::Result {
    let stock = show.stock;
    let mut wanted: Vec<&String> = Vec::new();
    for id in ids {
        if !wanted.contains(&id) {
            wanted.push(id);
        }
    }
    let (mut done, mut unchanged, mut failed, mut warnings) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for id in wanted {
        let Some(learning) = stock.find(id) else {
            failed.push((id, stock.no_such(id)));
            continue;
        };
        if learning.status == how.to {
            unchanged.push(id);
            continue;
        }
        match change(id, learning.status, how, show, &mut warnings) {
            Ok(()) => done.push(id),
            Err(err) => failed.push((id, refusal(&err, learning, how, stock))),
        }
    }
    let verb = if how.to == Status::Archived { "archived" } else { "restored" };
    if show.json {
        let errors: Vec<Value> =
            failed.iter().map(|(id, error)| json!({ "id": id, "error": error })).collect();
        let mut value = json!({ "unchanged": unchanged, "failed": errors, "warnings": warnings });
        value[verb] = json!(done);
        show.json(value)?;
        return Ok(if failed.is_empty() { Done::Well } else { Done::Badly });
    }
    let mut text = String::new();
    for id in &done {
        let verb = if how.to == Status::Archived { "Put away" } else { "Brought back" };
        let _ = writeln!(text, "{verb}: {}", show.line(id));
    }
    for id in &unchanged {
        let _ = writeln!(text, "It is {} already: {}", how.to, show.line(id));
    }
    say::print(&text)?;
    for warning in warnings {
        say::warn(&warning);
    }
    if failed.is_empty() {
        return Ok(Done::Well);
    }
    Err(stock::Failed(failed.into_iter().map(|(_, error)| error).collect()).into())
}

fn change(
    id: &str,
    from: Status,
    how: &Move,
    show: &Show,
    warnings: &mut Vec<String>,
) -> memory::Result<()> {
    let library = &show.stock.library;
    let learning_id = id.to_owned();
    let event = match (from, how.to) {
        (Status::Superseded, _) => return Err(memory::Error::Superseded { id: learning_id }),
        (_, Status::Archived) => {
            library.archive(id)?;
            Event::Archived { learning_id, reason: bounded::chars(how.reason.trim(), 500) }
        }
        (_, Status::Active | Status::Superseded) => {
            library.restore(id)?;
            Event::Restored { learning_id }
        }
    };
    let entry = Entry::new(show.world.now, event);
    // It is done, whether or not it could be noted.
    let noted = show.stock.log.append(&[entry], Instant::now() + PATIENCE);
    warnings.extend(noted.err().map(|err| in_a_line(&err)));
    warnings.dedup();
    Ok(())
}

/// Why it was not done, and what can be.
fn refusal(err: &memory::Error, it: &Learning, how: &Move, stock: &Stock) -> String {
    match err {
        memory::Error::Superseded { id } => {
            let Some(by) = successor(id, stock) else { return in_a_line(err) };
            let by = bounded::plain_line(&bounded::line(&by, 60));
            let remedy = if how.to == Status::Archived {
                format!("It is not shown any more; `roz learn archive {by}` puts that one away")
            } else {
                format!(
                    "Where it holds after all, write it down anew: `roz reflect`, with \
                     `\"supersedes\": \"{by}\"`"
                )
            };
            format!("`{id}` is superseded by `{by}`, and stays so. {remedy}")
        }
        memory::Error::ReadOnly { path } if it.is_note() => format!(
            "`{}` is somebody's own note in Total Recall (`{}`): there roz changes only what it \
             wrote itself. Change or remove it by hand",
            it.id,
            path.display()
        ),
        memory::Error::ReadOnly { .. } => {
            format!("{}. Change it there by hand", in_a_line(err))
        }
        _ => in_a_line(err),
    }
}

/// What has taken a learning's place.
fn successor(id: &str, stock: &Stock) -> Option<String> {
    let newer = stock.learnings.iter().find(|it| it.supersedes.as_deref() == Some(id));
    let logged = || {
        let moves = stock.view.history(id).into_iter().rev();
        moves.filter_map(|(_, it)| match it {
            usage::Move::Superseded { by } => Some(by),
            usage::Move::Archived { .. } | usage::Move::Restored => None,
        })
    };
    newer.map(|it| it.id.clone()).or_else(|| logged().find(|it| !it.is_empty()))
}

fn make_anew(show: &Show) -> super::Result {
    let library = &show.stock.library;
    let load = || Ok::<Loaded, Infallible>(library.at_hand().into());
    let working = say::working("making the index");
    let Ok(indexed) = index::rebuild(&show.roz.home, &library.files(), load);
    let view = show.stock.log.rebuild()?;
    drop(working);
    let learnings = indexed.index.len();
    if show.json {
        return show.json(json!({
            "index": { "learnings": learnings },
            "stats": { "entries": view.entries, "broken": view.broken, "unknown": view.unknown },
        }));
    }
    let mut text = format!(
        "Made anew: the index of {}, and what {} of `{}` add up to.\n",
        say::counted(learnings as u64, "learning"),
        say::counted(view.entries, "line"),
        show.stock.log.path().display()
    );
    if view.broken > 0 {
        let _ = writeln!(text, "Lines of it that cannot be read: {}.", view.broken);
    }
    show.text(&text, &Out::new(show.world))
}
