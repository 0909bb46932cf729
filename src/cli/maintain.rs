//! `roz maintain`: what is put away, and what should be.

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

/// See what decays, put learnings away, bring them back
///
/// A learning that nobody refers to is put away when its time is over: by
/// itself at a session's start, at most once a day, and by `decay`. What is put
/// away is not shown any more; it can still be searched, and brought back.
///
/// Examples:
///   roz maintain
///   roz maintain archive cl_20260102_abcdef --reason "the lexer is gone"
///   roz maintain restore cl_20260102_abcdef
///   roz maintain decay --dry-run
///   roz maintain stale-files
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help shows ids")]
pub(super) struct Args {
    #[command(subcommand)]
    act: Option<Act>,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// What is due, and what will be soon (the default)
    List(decay::List),
    /// Put learnings away
    Archive(Archive),
    /// Bring learnings back
    Restore(Restore),
    /// Put away all that is due, now
    Decay(decay::Decay),
    /// Make the caches anew: the index, and what the log adds up to
    Rebuild,
    /// Learnings that name files which are gone
    StaleFiles,
}

#[derive(Debug, clap::Args)]
struct Archive {
    /// The learnings' ids
    #[arg(required = true)]
    ids: Vec<String>,
    /// Why, in a sentence
    #[arg(long, default_value = "by hand", hide_default_value = true)]
    reason: String,
}

#[derive(Debug, clap::Args)]
struct Restore {
    /// The learnings' ids
    #[arg(required = true)]
    ids: Vec<String>,
}

/// What waiting for other writers may cost.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\nroz: "))]
struct Refused(Vec<String>);

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let stock = Stock::open(&roz, world);
    let show = Show { roz: &roz, stock: &stock, world, json: args.json };
    match &args.act {
        None => decay::list(&decay::List::default(), &show),
        Some(Act::List(list)) => decay::list(list, &show),
        Some(Act::Decay(decay)) => decay::run(decay, &show),
        Some(Act::Archive(archive)) => {
            let to = Move { to: Status::Archived, reason: &archive.reason };
            mark(&archive.ids, &to, &show)
        }
        Some(Act::Restore(restore)) => {
            mark(&restore.ids, &Move { to: Status::Active, reason: "" }, &show)
        }
        Some(Act::Rebuild) => rebuild(&show),
        Some(Act::StaleFiles) => stale_files::run(&show),
    }
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
    Err(Refused(failed.into_iter().map(|(_, error)| error).collect()).into())
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
                format!("It is not shown any more; `roz maintain archive {by}` puts that one away")
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

fn rebuild(show: &Show) -> super::Result {
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
