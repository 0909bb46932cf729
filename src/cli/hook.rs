//! `roz hook`: answers the client's events.

use std::{
    io::{self, Write as _},
    panic::{self, PanicHookInfo},
    process::{self, ExitCode},
    time::Duration,
};

use crate::{
    clients,
    hooks::{self, Answer, Hook, MAX_INPUT, Setup},
    open,
    world::{StdinError, World, open_own, read_stdin, write_stdout},
};

/// Answer an event of the client: JSON in, JSON out
///
/// The client calls this; it is of no use to a person or an agent. The events:
/// session-start, user-prompt, pre-tool-use, post-tool-use,
/// post-tool-use-failure, subagent-start, subagent-stop, stop, task-completed,
/// session-end. The payload on standard input says which one it is.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The event, in our spelling or the client's
    #[arg(default_value = "", hide_default_value = true)]
    event: String,

    /// The agent that calls; where none is named, the payload tells
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
}

pub(super) fn run(args: &Args, _: &World) -> super::Result {
    // `main` has answered all other hooks already, so this is only for `--help`.
    answer(&args.event, args.client.as_deref())
}

/// How long the client may take to send the payload. It gives SessionEnd a second and a half in
/// total.
fn patience(event: &str) -> Duration {
    match Hook::find(event) {
        Some(Hook::SessionEnd) => Duration::from_millis(600),
        _ => Duration::from_millis(2500),
    }
}

/// Answers a hook of a client that starts the bare program, if there is a payload to answer.
pub fn answer_or_help(client: Option<&str>) -> ExitCode {
    match read_stdin(MAX_INPUT, patience("")) {
        Ok(bytes) if bytes.trim_ascii_start().starts_with(b"{") => answer_to("", client, Ok(bytes)),
        _ => super::main(),
    }
}

/// Answers one hook. A panic is answered in the panic hook without unwinding, because a binary that
/// can unwind is larger and slower to start. Afterwards everything is written, so the process exits
/// at once: the cleanup of the runtime would cost about 3 % of a hook's time.
pub fn answer(event: &str, client: Option<&str>) -> ! {
    answer_to(event, client, read_stdin(MAX_INPUT, patience(event)))
}

fn answer_to(event: &str, client: Option<&str>, stdin: Result<Vec<u8>, StdinError>) -> ! {
    let name = event.to_owned();
    panic::set_hook(Box::new(move |info| end(&name, info)));
    let told = || std::str::from_utf8(stdin.as_deref().unwrap_or_default()).unwrap_or_default();
    let client = client.map_or_else(|| Some(clients::detect(told())), clients::find);
    let answer = client.map_or_else(
        || Answer::pass_with("`--client` names no client that this roz knows".to_owned()),
        |client| hooks::run(Setup::of(client), event, stdin, &World::from_env()),
    );
    let code = say(&answer);
    signal_hook::low_level::exit(code.into());
}

/// Lets pass where the command line of a hook cannot be read: a client takes exit code 2 of a hook
/// for a refusal.
pub(super) fn pass_misused(err: &clap::Error) -> ExitCode {
    let text = err.to_string();
    let what = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    say(&Answer::pass_with(what.to_owned()));
    ExitCode::SUCCESS
}

/// Writes a panic's message to the crash log, and sends it to the client as a warning.
#[expect(clippy::exit, reason = "there is nothing behind a panic")]
fn end(event: &str, info: &PanicHookInfo) {
    let said = info.payload_as_str().unwrap_or("no words");
    log_crash(&format!("hook {event:?}"), said);
    say(&Answer::pass_with(format!("roz crashed, and lets this pass: {said}")));
    process::exit(0);
}

/// Prints the answer. Returns the exit code.
fn say(answer: &Answer) -> u8 {
    let mut stderr = io::stderr().lock();
    for warning in &answer.warnings {
        let _ = writeln!(stderr, "roz: warning: {warning}");
    }
    if let Some(refusal) = &answer.refusal {
        let _ = writeln!(stderr, "{refusal}");
    }
    let mut line = answer.stdout.to_string();
    line.push('\n');
    let _ = write_stdout(line.as_bytes());
    if answer.refusal.is_some() { 2 } else { 0 }
}

/// Stores a panic's message for `roz doctor`.
pub(super) fn log_crash(whose: &str, said: &str) {
    let world = World::from_env();
    let path = open::home(&world).join("crash.log");
    let line = format!("{} {whose}: {said}\n", world.now.to_rfc3339());
    let _ = open_own(&path).and_then(|mut file| file.write_all(line.as_bytes()));
}
