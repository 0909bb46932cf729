//! `roz intent`: the declared pieces of work, shown, selected and changed.

mod check;
mod confirm;
mod criteria;
mod declare;
pub(super) mod lesson;
mod map;
mod select;
pub(super) mod show;
mod status;

use std::{
    fmt,
    io::IsTerminal as _,
    path::{Path, PathBuf},
};

use super::{Done, say};
use crate::{
    core::{
        bounded,
        intent::{
            catalogue::Intent,
            scope::Complaint,
            selection::{self, Refused},
        },
    },
    open::Roz,
    sidecar::{self, store::IntentStore},
    world::{World, ancestors},
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
    List(show::List),
    Show(show::Show),
    Select(select::Args),
    New(declare::New),
    Start(status::Start),
    Complete(status::Complete),
    Archive(status::Archive),
    Expand(declare::Expand),
    Check(check::Args),
    Confirm(confirm::Args),
    Lesson(lesson::Args),
    Map(map::Args),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let done = match &args.verb {
        Verb::List(args) => show::list(args, world),
        Verb::Show(args) => show::show(args, world),
        Verb::Select(args) => select::run(args, world),
        Verb::New(args) => declare::new(args, world),
        Verb::Start(args) => status::start(args, world),
        Verb::Complete(args) => status::complete(args, world),
        Verb::Archive(args) => status::archive(args, world),
        Verb::Expand(args) => declare::expand(args, world),
        Verb::Check(args) => check::run(args, world),
        Verb::Confirm(args) => confirm::run(args, world),
        Verb::Lesson(args) => lesson::run(args, world),
        Verb::Map(args) => map::run(args, world),
    };
    let Err(err) = done else { return done };
    match err.downcast_ref::<Told>() {
        Some(told) if told.json => {
            say::print_json(&told.refusal)?;
            Ok(Done::Badly)
        }
        _ => Err(err),
    }
}

/// The options of a verb that a person decides about.
#[derive(Debug, clap::Args)]
struct Decided {
    /// A person has decided so already: for scripts
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
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

/// What the project of this folder declares, and what else is open.
fn open(world: &World) -> super::Result<(Roz, IntentStore)> {
    let roz = Roz::open(world, &world.cwd)?;
    let mut store = store(&roz, &world.cwd)?;
    store.is_agents = is_in_client(world);
    Ok((roz, store))
}

/// What the project declares, or else the nearest folder above `cwd`.
pub(super) fn store(roz: &Roz, cwd: &Path) -> Result<IntentStore, Error> {
    let store = sidecar::governing(&roz.sidecar, cwd)
        .and_then(|governing| IntentStore::open(&governing, &roz.home));
    store.ok_or_else(|| {
        // Sessions that had it go on being refused; to begin anew is no cure.
        let had_one = roz.own_ledger().has_begun();
        let of = if had_one { Error::SidecarGone } else { Error::NoSidecar };
        of(roz.sidecar.clone())
    })
}

/// The intent of that id, whatever its status.
fn find<'a>(store: &'a IntentStore, id: &str, json: bool) -> Result<&'a Intent, Told> {
    selection::find(&store.catalogue, id, "roz intent").map_err(|refusal| told(refusal, json))
}

/// Inside the client, the intent gate has asked the user before the command ran; elsewhere it takes
/// a terminal, or a script that says so.
fn needs_a_person(verb: &'static str, yes: bool, world: &World) -> Result<(), Error> {
    if yes || is_at_terminal() || is_in_client(world) {
        return Ok(());
    }
    Err(Error::NotAPerson(verb))
}

pub(super) fn is_in_client(world: &World) -> bool {
    world.var("CLAUDECODE").is_some() || ancestors::descends_from_agent()
}

fn is_at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn told(refusal: Refused, json: bool) -> Told {
    Told { refusal, json }
}

/// A refusal as the end of a verb: an object where that is wanted, else words, and what to do.
#[derive(Debug)]
struct Told {
    refusal: Refused,
    json: bool,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&bounded::plain_line(&self.refusal.message))?;
        for step in &self.refusal.recovery {
            write!(f, " {}", bounded::plain_line(step))?;
        }
        Ok(())
    }
}

impl std::error::Error for Told {}

/// What is odd about a scope, as lines.
pub(super) fn doubts(complaints: &[Complaint]) -> Vec<String> {
    complaints.iter().map(|complaint| format!("scope {complaint}")).collect()
}

/// What other open intents own of the same.
pub(super) fn shared(store: &IntentStore, intent: &Intent) -> Vec<String> {
    const TOLD: usize = 10;
    let shared = selection::shared(&store.catalogue, intent, store.case);
    let told = shared.iter().take(TOLD);
    told.map(|(id, path)| format!("{id} owns `{path}` too")).collect()
}

/// Words of the sidecar, in one line of a table.
fn cell(text: &str, max: usize) -> String {
    bounded::plain_line(&bounded::line(text, max))
}
