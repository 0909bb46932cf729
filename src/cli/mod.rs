//! The command line: one file per command.

mod advice;
mod approve;
mod blame;
mod clean;
mod completions;
mod config;
mod confirm;
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
mod learnings;
mod ledger;
mod list;
mod mcp;
mod observe;
mod reference;
mod reflect;
mod review_context;
mod run;
mod say;
mod skip;
mod stats;
mod status;
mod target_session;
mod tickets;
mod trace;
mod trial;
mod undo;
mod uninstall;
mod upgrade;
mod why;

use std::{error::Error, ffi::OsString, io, io::Write as _, process::ExitCode, str::FromStr};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use serde_json::{Value, json};

use crate::{hooks::own_files, world::World};

/// roz plugs into the hooks of coding agents and does not let an agent finish, push or stray until
/// your rules are met
#[derive(Debug, Parser)]
#[command(
    name = "roz",
    version,
    max_term_width = 100,
    subcommand_required = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  roz demo           see what it does, in a few seconds
  roz install        connect it to the client, once
  roz init           choose the gates of a project
  roz doctor         check that the gates work
  roz status         see what an agent waits for"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

/// The commands: their arguments, and the function that runs each.
macro_rules! verbs {
    ($($verb:ident: $args:ty => $run:path,)*) => {
        #[derive(Debug, Subcommand)]
        enum Command { $($verb($args),)* }

        impl Command {
            fn run(&self, world: &World) -> Result {
                match self { $(Self::$verb(args) => $run(args, world),)* }
            }
        }
    };
}

verbs! {
    Init: init::Args => init::run,
    Install: install::Args => install::run,
    Uninstall: uninstall::Args => uninstall::run,
    Doctor: doctor::Args => doctor::run,
    Demo: demo::Args => demo::run,
    Status: status::Args => status::run,
    Statusline: status::LineArgs => status::line,
    List: list::Args => list::run,
    Debug: debug::Args => debug::run,
    Trace: trace::Args => trace::run,
    Context: review_context::Args => review_context::run,
    Explain: explain::Args => explain::run,
    Stats: stats::Args => stats::run,
    Ledger: ledger::Args => ledger::run,
    Blame: blame::Args => blame::run,
    Undo: undo::Args => undo::run,
    Why: why::Args => why::run,
    Clean: clean::Args => clean::run,
    Config: config::Args => config::run,
    Intent: intent::Args => intent::run,
    Mcp: mcp::Args => mcp::run,
    Approve: approve::Args => approve::run,
    Allow: approve::AllowArgs => approve::allow,
    Confirm: confirm::Args => confirm::run,
    Decide: decide::Args => decide::run,
    Reflect: reflect::Args => reflect::run,
    Skip: skip::Args => skip::run,
    Observe: observe::Args => observe::run,
    Ref: reference::Args => reference::run,
    Search: learn::search::Args => learn::search::run,
    Learn: learn::Args => learn::run,
    Completions: completions::Args => completions::run,
    Run: run::Args => run::run,
    Hook: hook::Args => hook::run,
    Upgrade: upgrade::Args => upgrade::run,
    Help: help::Args => help::run,
}

/// Older names, kept for one release, and guesses: those words and the new ones, longer ones first.
const OLD_NAMES: &[(&[&str], &[&str])] = &[
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
    (&["help", "all"], &["help", "--all"]),
    (&["version"], &["--version"]),
];

fn renamed(mut args: Vec<OsString>) -> Vec<OsString> {
    let at = verb_at(&args);
    let words = args.get(at..).unwrap_or_default();
    // `roz intent help select` shows the page of `roz help intent select`.
    if let [group, help, ..] = words
        && help == "help"
        && Cli::command().find_subcommand(group).is_some_and(clap::Command::has_subcommands)
    {
        args.swap(at, at + 1);
        return args;
    }
    let begins_with = |old: &[&str]| {
        words.len() >= old.len() && old.iter().zip(words).all(|(old, word)| word == old)
    };
    if let Some((old, new)) = OLD_NAMES.iter().find(|(old, _)| begins_with(old)) {
        args.splice(at..at + old.len(), new.iter().map(OsString::from));
    }
    args
}

/// Where the verb is: after `roz` and `--json`.
fn verb_at(args: &[OsString]) -> usize {
    1 + args.iter().skip(1).take_while(|arg| *arg == "--json").count()
}

/// The result of a command that succeeded.
#[derive(Debug, PartialEq)]
enum Done {
    Well,
    /// An object for programs, words for people, and the exit code or a warning for people.
    Said(Value, String, std::result::Result<u8, String>),
}

type Result<T = Done> = std::result::Result<T, Box<dyn Error>>;

/// A result with an object for programs, and the same in words for people.
#[expect(clippy::unnecessary_wraps, reason = "nearly every verb ends with it")]
fn said(value: Value, words: impl Into<String>) -> Result {
    Ok(Done::Said(value, words.into(), Ok(0)))
}

/// The same, with exit code 1 unless all is well.
#[expect(clippy::unnecessary_wraps, reason = "verbs end with it")]
fn judged(is_well: bool, value: Value, words: impl Into<String>) -> Result {
    Ok(Done::Said(value, words.into(), Ok(u8::from(!is_well))))
}

impl Done {
    fn tell(self, as_json: bool) -> Result<u8> {
        match self {
            Self::Well => Ok(0),
            Self::Said(mut value, _, end) if as_json => {
                let code = end.unwrap_or_else(|why| {
                    value["error"] = as_error(&why, &[]);
                    1
                });
                say::print_json(&value)?;
                Ok(code)
            }
            Self::Said(_, words, end) => {
                say::print(&words)?;
                Ok(end?)
            }
        }
    }
}

pub fn main() -> ExitCode {
    let args = renamed(std::env::args_os().collect());
    let as_json = args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    let is_hook = args.get(verb_at(&args)).is_some_and(|arg| arg == "hook");
    let matches = help::command().try_get_matches_from(args);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(err) if err.use_stderr() && is_hook => return hook::pass_misused(&err),
        Err(err) => return misuse(err, as_json),
    };
    let world = World::from_env();
    // For a hook and a status line, the client names the folder.
    let is_clients = matches!(cli.command, Command::Hook(_) | Command::Statusline(_));
    if world.is_nowhere && !is_clients {
        let gone = world.cwd.display();
        let why = format!("the current folder (`{gone}`) no longer exists. `cd` to another one");
        complain(&*Box::<dyn Error>::from(why), cli.json);
        return ExitCode::FAILURE;
    }
    // These may write files that are watched during a call; that must not count as a change by an
    // agent.
    let writes_own_files = matches!(
        cli.command,
        Command::Install(_) | Command::Uninstall(_) | Command::Init(_) | Command::Config(_)
    );
    let written = writes_own_files.then(|| own_files::before_verb(&world)).flatten();
    let done = cli.command.run(&world);
    if let Some(before) = &written {
        own_files::after_verb(before, &world);
    }
    match done.and_then(|done| done.tell(cli.json)) {
        Ok(code) => ExitCode::from(code),
        Err(err) if is_closed_pipe(&*err) => ExitCode::SUCCESS,
        Err(err) => match err.downcast::<clap::Error>() {
            Ok(err) => misuse(*err, cli.json),
            Err(err) => {
                complain(&*err, cli.json);
                ExitCode::FAILURE
            }
        },
    }
}

/// Says what is wrong with the command line, or shows the help that it asks for.
fn misuse(mut err: clap::Error, as_json: bool) -> ExitCode {
    suggest_near(&mut err);
    if !(as_json && err.use_stderr()) {
        err.exit();
    }
    let text = err.to_string();
    print_error(&as_error(text.trim_start_matches("error: "), &[]));
    ExitCode::from(2)
}

/// Leaves the suggestions that are near what was typed: two at most, the nearest first.
fn suggest_near(err: &mut clap::Error) {
    use clap::error::{ContextKind as Kind, ContextValue};
    let of_arg = (Kind::InvalidArg, Kind::SuggestedArg);
    for (typed, tips) in [of_arg, (Kind::InvalidSubcommand, Kind::SuggestedSubcommand)] {
        let Some(names) = err.remove(tips).map(|names| names.to_string()) else { continue };
        let typed = err.get(typed).map(ToString::to_string).unwrap_or_default();
        let far = |name: &&str| strsim::osa_distance(&typed, name);
        let mut names: Vec<&str> = names.split(", ").collect();
        names.sort_by_key(|name| (far(name), name.len().abs_diff(typed.len())));
        let near = names.into_iter().filter(|name| far(name) <= name.len().div_ceil(3));
        let near: Vec<String> = near.take(2).map(str::to_owned).collect();
        match near[..] {
            [] => err.remove(Kind::Usage), // It shows the suggestion.
            _ => err.insert(tips, ContextValue::Strings(near)),
        };
    }
}

/// Whether the reader of the output has closed it, as `| head` does. This is not an error.
fn is_closed_pipe(err: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(err), |&err| err.source());
    causes.any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|err| err.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Prints an error with its causes on standard error, or as JSON on standard output.
fn complain(err: &dyn Error, as_json: bool) {
    let causes = std::iter::successors(err.source(), |&err| err.source());
    if as_json {
        return print_error(&as_error(
            &err.to_string(),
            &causes.map(ToString::to_string).collect::<Vec<_>>(),
        ));
    }
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "roz: {err}");
    for cause in causes {
        let _ = writeln!(stderr, "  caused by: {cause}");
    }
}

/// An error for programs. The remedy is what follows the first paragraph, or else the first
/// sentence.
fn as_error(text: &str, causes: &[String]) -> Value {
    let parts = text.split_once("\n\n").or_else(|| text.split_once(". "));
    let (message, remedy) = parts.unwrap_or((text, ""));
    let lines: Vec<&str> = message.lines().map(str::trim).collect();
    let message = [&[lines.join(" ")], causes].concat().join(": ");
    let remedy = Some(remedy.trim()).filter(|remedy| !remedy.is_empty());
    json!({ "message": message, "remedy": remedy })
}

fn print_error(error: &Value) {
    let _ = say::print_json(&json!({ "error": error }));
}

fn at_least_one<T: FromStr + Default + PartialEq>(
    text: &str,
) -> std::result::Result<T, &'static str> {
    text.parse().ok().filter(|n| *n != T::default()).ok_or("it takes a number, at least 1")
}

#[cfg(test)]
mod tests;
