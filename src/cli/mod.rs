//! The command line: one file per verb.

mod advice;
mod approve;
mod blame;
mod clean;
mod completions;
mod config;
mod confirm;
mod context;
mod debug;
mod decide;
mod demo;
mod doctor;
mod explain;
mod help;
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
mod trial;
mod undo;
mod uninstall;
mod upgrade;
mod why;

use std::{error::Error, ffi::OsString, io, io::Write as _, process::ExitCode};

use clap::{FromArgMatches as _, Parser, Subcommand};
use serde_json::json;

use crate::{hooks::own_files, world::World};

/// roz plugs into the hooks of coding agents and does not let an agent finish, push or stray until
/// your rules are met
#[derive(Debug, Parser)]
#[command(
    name = "roz",
    version,
    max_term_width = 100,
    subcommand_required = true,
    disable_help_subcommand = true
)]
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
    Completions(completions::Args),
    Run(run::Args),
    Hook(hook::Args),
    Upgrade(upgrade::Args),
    Help(help::Args),
}

/// Older names, which stay for a release: what is typed, and what it is now; the longer ones first.
const OLD_NAMES: &[(&[&str], &[&str])] = &[
    (&["learnings", "--stale"], &["learn", "list", "--sort", "used", "--asc"]),
    (&["learnings"], &["learn", "list"]),
    (&["review-learnings"], &["learn", "rate"]),
    (&["backends"], &["learn", "backends"]),
    (&["eval"], &["learn", "eval"]),
    (&["tickets"], &["explain", "--tickets"]),
    (&["maintain", "archive"], &["learn", "archive"]),
    (&["maintain", "restore"], &["learn", "restore"]),
    (&["maintain", "rebuild"], &["learn", "rebuild"]),
    (&["maintain", "list"], &["learn", "due"]),
    (&["maintain", "decay"], &["learn", "archive", "--due"]),
    (&["maintain", "stale-files"], &["learn", "stale"]),
    (&["maintain"], &["learn", "due"]),
];

/// The command line with today's names.
fn renamed(mut args: Vec<OsString>) -> Vec<OsString> {
    let words = args.get(1..).unwrap_or_default();
    let begins_with = |old: &[&str]| {
        words.len() >= old.len() && old.iter().zip(words).all(|(old, word)| word == old)
    };
    if let Some((old, new)) = OLD_NAMES.iter().find(|(old, _)| begins_with(old)) {
        args.splice(1..=old.len(), new.iter().map(OsString::from));
    }
    args
}

#[derive(Debug, thiserror::Error)]
#[error("the current folder (`{}`) no longer exists. `cd` to another one", .0.display())]
struct Nowhere(std::path::PathBuf);

impl Command {
    /// Whether it is about the current project, or may be.
    fn needs_a_folder(&self) -> bool {
        !matches!(
            self,
            Self::Completions(_)
                | Self::Demo(_)
                | Self::Help(_)
                | Self::Hook(_)
                | Self::Statusline(_)
                | Self::Upgrade(_)
        )
    }

    /// Whether it may write the files that are watched during a call: that is no agent's change.
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
    let args = renamed(std::env::args_os().collect());
    let as_json = args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    let is_hook = args.get(1).is_some_and(|arg| arg == "hook");
    let matches = help::command().try_get_matches_from(args);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(err) if as_json && err.use_stderr() => {
            let text = err.to_string();
            let (message, remedy) = text.split_once('\n').unwrap_or((&text, ""));
            print_error(message.trim_start_matches("error: "), remedy.trim());
            return ExitCode::from(2);
        }
        // A client takes exit code 2 of a hook for a refusal.
        Err(err) if err.use_stderr() && is_hook => {
            say::warn(&err.to_string());
            return ExitCode::SUCCESS;
        }
        Err(err) => err.exit(),
    };
    let world = World::from_env();
    if world.is_nowhere && cli.command.needs_a_folder() {
        complain(&Nowhere(world.cwd), as_json);
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
        Command::Completions(args) => completions::run(&args),
        Command::Upgrade(args) => upgrade::run(&args, &world),
        Command::Help(args) => help::run(&args),
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
            complain(&*err, as_json);
            ExitCode::FAILURE
        }
    }
}

/// `| head` has seen enough: no error.
fn is_closed_pipe(err: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(err), |&err| err.source());
    causes.any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|err| err.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Prints what went wrong and why: on standard error, or as JSON on standard output.
fn complain(err: &dyn Error, as_json: bool) {
    let causes = std::iter::successors(err.source(), |&err| err.source());
    if as_json {
        let chain: Vec<String> =
            [err.to_string()].into_iter().chain(causes.map(ToString::to_string)).collect();
        let (message, remedy) = chain[0].split_once(". ").unwrap_or((&chain[0], ""));
        let message = [&[message.to_owned()], &chain[1..]].concat().join(": ");
        return print_error(&message, remedy);
    }
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "roz: {err}");
    for cause in causes {
        let _ = writeln!(stderr, "  caused by: {cause}");
    }
}

fn print_error(message: &str, remedy: &str) {
    let remedy = Some(remedy).filter(|text| !text.is_empty());
    let _ = say::print_json(&json!({ "error": { "message": message, "remedy": remedy } }));
}

/// A number of things to show.
fn at_least_one(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(err) => Err(err.to_string()),
    }
}

#[cfg(test)]
mod tests;
