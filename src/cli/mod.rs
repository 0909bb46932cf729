//! The command line: a verb a file.

mod advice;
mod approve;
mod blame;
mod cage;
mod clean;
mod completions;
mod config;
mod confirm;
mod context;
mod debug;
mod decide;
mod demo;
mod doctor;
mod examples;
mod explain;
pub mod hook;
mod init;
mod input;
mod install;
mod intent;
mod learn;
mod ledger;
mod list;
mod mcp;
mod observe;
mod reference;
mod reflect;
mod run;
mod say;
mod skip;
mod stats;
mod status;
mod stock;
mod target;
mod tickets;
mod trace;
mod undo;
mod uninstall;
mod why;

use std::{error::Error, io, io::Write as _, process::ExitCode};

use clap::{FromArgMatches as _, Parser, Subcommand};

use crate::{hooks::own_files, world::World};

/// Governs coding agents through their hooks: work is not done until an
/// independent reviewer has approved it.
#[derive(Debug, Parser)]
#[command(name = "roz", version, max_term_width = 100, subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Args),
    Install(install::Args),
    Uninstall(uninstall::Args),
    Doctor(doctor::Args),
    Demo(demo::Args),
    Status(status::Args),
    Statusline(status::LineArgs),
    List(list::Args),
    Debug(debug::Args),
    Trace(trace::Args),
    Context(context::Args),
    Explain(explain::Args),
    Stats(stats::Args),
    Ledger(ledger::Args),
    Blame(blame::Args),
    Undo(undo::Args),
    Why(why::Args),
    Clean(clean::Args),
    Config(config::Args),
    Intent(intent::Args),
    Mcp(mcp::Args),
    Approve(approve::Args),
    Allow(approve::AllowArgs),
    Confirm(confirm::Args),
    Decide(decide::Args),
    Reflect(reflect::Args),
    Skip(skip::Args),
    Observe(observe::Args),
    Ref(reference::Args),
    Search(learn::search::Args),
    Learn(learn::Args),
    Tickets(tickets::Args),
    Completions(completions::Args),
    Run(run::Args),
    Hook(hook::Args),
}

#[derive(Debug, thiserror::Error)]
#[error(
    "the working directory is gone (`{}`), so nothing can be said of its project. `cd` to where \
     you want to be",
    .0.display()
)]
struct Nowhere(std::path::PathBuf);

impl Command {
    /// Whether it is about the project that it stands in, or may be.
    fn needs_a_place(&self) -> bool {
        !matches!(self, Self::Completions(_) | Self::Demo(_) | Self::Hook(_) | Self::Statusline(_))
    }

    /// Whether it may write what is watched over a call: that is nobody's change.
    fn writes_own_files(&self) -> bool {
        matches!(self, Self::Install(_) | Self::Uninstall(_) | Self::Init(_) | Self::Config(_))
    }
}

/// How a verb that could do its work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    Well,
    /// The verb has said why itself: exit code 1.
    Badly,
    /// The question has no answer, and the verb has said why: exit code 2.
    Unknown,
}

type Result<T = Done> = std::result::Result<T, Box<dyn Error>>;

/// Does what the command line says.
pub fn main() -> ExitCode {
    let words = learn::renamed(std::env::args_os().collect());
    let cli = match Cli::from_arg_matches(&examples::command().get_matches_from(words)) {
        Ok(cli) => cli,
        Err(err) => err.exit(),
    };
    let world = World::from_env();
    if world.is_nowhere && cli.command.needs_a_place() {
        complain(&Nowhere(world.cwd));
        return ExitCode::FAILURE;
    }
    let written = cli.command.writes_own_files().then(|| own_files::before_verb(&world)).flatten();
    let done = match cli.command {
        Command::Init(args) => init::run(&args, &world),
        Command::Install(args) => install::run(&args, &world),
        Command::Uninstall(args) => uninstall::run(&args, &world),
        Command::Doctor(args) => doctor::run(&args, &world),
        Command::Demo(args) => demo::run(&args, &world),
        Command::Status(args) => status::run(&args, &world),
        Command::Statusline(args) => status::line(&args, &world),
        Command::List(args) => list::run(&args, &world),
        Command::Debug(args) => debug::run(&args, &world),
        Command::Trace(args) => trace::run(&args, &world),
        Command::Context(args) => context::run(&args, &world),
        Command::Explain(args) => explain::run(&args, &world),
        Command::Stats(args) => stats::run(&args, &world),
        Command::Ledger(args) => ledger::run(&args, &world),
        Command::Blame(args) => blame::run(&args, &world),
        Command::Undo(args) => undo::run(&args, &world),
        Command::Why(args) => why::run(&args, &world),
        Command::Learn(args) => learn::run(&args, &world),
        Command::Clean(args) => clean::run(&args, &world),
        Command::Config(args) => config::run(&args, &world),
        Command::Intent(args) => intent::run(&args, &world),
        Command::Mcp(args) => mcp::run(&args, &world),
        Command::Approve(args) => approve::run(&args, &world),
        Command::Allow(args) => approve::allow(&args, &world),
        Command::Confirm(args) => confirm::run(&args, &world),
        Command::Decide(args) => decide::run(&args, &world),
        Command::Reflect(args) => reflect::run(&args, &world),
        Command::Skip(args) => skip::run(&args, &world),
        Command::Observe(args) => observe::run(&args, &world),
        Command::Ref(args) => reference::run(&args, &world),
        Command::Search(args) => learn::search::run(&args, &world),
        Command::Tickets(args) => tickets::run(&args, &world),
        Command::Completions(args) => completions::run(&args),
        Command::Run(args) => run::run(&args, &world),
        // `main` has answered it already, but for `--help`.
        Command::Hook(args) => hook::answer(&args.event, args.client.as_deref()),
    };
    if let Some(before) = &written {
        own_files::after_verb(before, &world);
    }
    match done {
        Ok(Done::Well) => ExitCode::SUCCESS,
        Ok(Done::Badly) => ExitCode::FAILURE,
        Ok(Done::Unknown) => ExitCode::from(2),
        Err(err) if is_closed_pipe(&*err) => ExitCode::SUCCESS,
        Err(err) => {
            complain(&*err);
            ExitCode::FAILURE
        }
    }
}

/// `| head` has seen enough: no error.
fn is_closed_pipe(err: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(err), |&it| it.source());
    causes.any(|it| {
        it.downcast_ref::<io::Error>().is_some_and(|it| it.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Says what went wrong, and why, a line for each cause.
fn complain(err: &dyn Error) {
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "roz: {err}");
    for cause in std::iter::successors(err.source(), |&it| it.source()) {
        let _ = writeln!(stderr, "  caused by: {cause}");
    }
}

/// How many are shown.
fn at_least_one(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("that is none: 1 at the least".to_owned()),
        Ok(number) => Ok(number),
        Err(err) => Err(err.to_string()),
    }
}

#[cfg(test)]
mod tests;
