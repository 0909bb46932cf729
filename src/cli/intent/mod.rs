//! `roz intent`: shows, selects and changes the declared pieces of work.

mod change_status;
pub(super) mod check_declarations;
mod confirm;
pub(super) mod lesson;
pub(super) mod list_and_show;
pub(super) mod new_and_expand;
mod rebuild_map;
mod select;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Done, input, judged, say};
use crate::{
    core::{
        bounded,
        intent::{
            catalogue::Intent,
            selection::{self, Refused},
        },
    },
    open::Roz,
    sidecar::{self, intent_store::IntentStore},
    world::{World, parent_processes},
};

/// Show, select and change the declared pieces of work
///
/// A project declares them in `.orchestration/active_intents.yaml` (`roz init
/// --intent` begins it). An agent selects the one it works on before it
/// changes anything, and stays inside its scope.
///
/// Examples:
///   roz intent list
///   roz intent select INT-001
///   roz intent new "Login by link" --scope 'src/auth/**' --criterion "a link works once"
///   roz intent expand INT-001 'src/mail/**'
///   roz intent complete INT-001 --met "a link works once"
///   roz intent check
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(list_and_show::List),
    Show(list_and_show::Show),
    Select(select::Args),
    New(new_and_expand::New),
    Start(change_status::Start),
    Complete(change_status::Complete),
    Archive(change_status::Archive),
    Expand(new_and_expand::Expand),
    /// Check the declared intents, their scopes and `.intentignore`
    ///
    /// Says how each line of `.intentignore` was read, what is wrong with the YAML
    /// and where, which patterns of scopes are refused or too broad, and which
    /// open intents own the same files. Exit code 1 if something cannot be relied
    /// on.
    #[command(verbatim_doc_comment)]
    Check,
    Confirm(confirm::Args),
    Lesson(lesson::Args),
    /// Rebuild `.orchestration/intent_map.md` from the ledger
    ///
    /// It lists the files that each intent has added something to, with the
    /// definitions and the time. Text outside the markers stays.
    #[command(verbatim_doc_comment)]
    Map,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let done = match &args.verb {
        Verb::List(args) => list_and_show::list(args, world),
        Verb::Show(args) => list_and_show::show(args, world),
        Verb::Select(args) => select::run(args, world),
        Verb::New(args) => new_and_expand::new(args, world),
        Verb::Start(args) => change_status::start(args, world),
        Verb::Complete(args) => change_status::complete(args, world),
        Verb::Archive(args) => change_status::archive(args, world),
        Verb::Expand(args) => new_and_expand::expand(args, world),
        Verb::Check => check_declarations::check(&open(world)?.1, world),
        Verb::Confirm(args) => confirm::run(args, world),
        Verb::Lesson(args) => lesson::run(args, world),
        Verb::Map => rebuild_map::run(world),
    };
    match done {
        Err(err) => match err.downcast::<Refused>() {
            Ok(refused) => {
                let why = as_error_text(&refused.to_string());
                Ok(Done::Said(json!(refused), String::new(), Err(why)))
            }
            Err(err) => Err(err),
        },
        done => done,
    }
}

/// A refusal as errors are written: it begins lowercase, and has no full stop at its end. An id
/// stays as it is.
fn as_error_text(refusal: &str) -> String {
    let text = refusal.strip_suffix('.').unwrap_or(refusal);
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

fn said(value: Value, words: &str) -> super::Result {
    judged(true, value, bounded::plain(words))
}

/// The option of commands that a person has to decide about.
#[derive(Debug, clap::Args)]
struct Decided {
    /// A person has already decided this: for scripts
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("`{}` declares no intents. `roz init --intent` begins with them", .0.display())]
    NoSidecar(PathBuf),
    #[error(
        "`{}` had intents, and `.orchestration/active_intents.yaml` is not there. On a branch that \
         declares none that is as it should be, and the gate is off. Else put it back, from git \
         perhaps, or say that it is meant: `roz intent confirm`",
        .0.display()
    )]
    SidecarGone(PathBuf),
    #[error(
        "a person decides about `roz intent {0}`: run it at a terminal, or add `--yes` in a script of \
         your own"
    )]
    NotAPerson(&'static str),
}

/// Opens roz and the declared intents of this folder's project.
fn open(world: &World) -> super::Result<(Roz, IntentStore)> {
    let roz = Roz::open(world, &world.cwd)?;
    let mut store = store(&roz, &world.cwd)?;
    store.is_agents = is_in_client(world);
    Ok((roz, store))
}

/// The intents of the project, or else of the nearest folder above `cwd`.
pub(super) fn store(roz: &Roz, cwd: &Path) -> Result<IntentStore, Error> {
    let store = sidecar::governing(&roz.sidecar, cwd)
        .and_then(|governing| IntentStore::open(&governing, &roz.home));
    store.ok_or_else(|| {
        // Sessions that used it are still refused, so creating a new one would not help.
        let had_one = roz.own_ledger().has_begun();
        let of = if had_one { Error::SidecarGone } else { Error::NoSidecar };
        of(roz.sidecar.clone())
    })
}

/// Refuses where nothing can be told of the declared work.
pub(super) fn is_sound(store: &IntentStore, tool: &'static str) -> Result<(), Refused> {
    store.catalogue.broken().map_or(Ok(()), |problem| Err(selection::unreliable(problem, tool)))
}

fn find<'a>(store: &'a IntentStore, id: &str) -> Result<&'a Intent, Refused> {
    selection::find(&store.catalogue, id, "roz intent")
}

/// Inside the client, the intent gate has asked the user before the command ran. Elsewhere a
/// terminal or the option for scripts is required.
fn needs_a_person(verb: &'static str, decided: &Decided, world: &World) -> Result<(), Error> {
    if decided.yes || input::can_ask() || is_in_client(world) {
        return Ok(());
    }
    Err(Error::NotAPerson(verb))
}

pub(super) fn is_in_client(world: &World) -> bool {
    world.var("CLAUDECODE").is_some() || parent_processes::descends_from_agent()
}

fn cell(text: &str, max: usize) -> String {
    bounded::plain_line(&bounded::line(text, max))
}
