//! `roz doctor`: shows that the gates work, or what stops them.

mod agent;
mod canary;
mod client;
mod configuration;
mod gates;
mod home;
mod hooks;
mod incidents;
mod intents;
mod reflection;
mod reviewer;
mod shims;

use std::{
    cell::{OnceCell, RefCell},
    fmt::Write as _,
    path::PathBuf,
};

use clap::builder::PossibleValuesParser;
use serde::Serialize;
use serde_json::json;

use super::{Done, demo::Step, install, say};
use crate::{
    config,
    open::{self, Roz},
    world::World,
};

/// Check that the gates work
///
/// Looks at the binary, roz's home, the configuration and the client, and plays
/// a session through real `roz hook` processes in a temporary home. Exit code 1
/// if the gates do not work, which includes that no client starts roz.
///
/// Examples:
///   roz doctor
///   roz doctor -v                     also each step of the played session
///   roz doctor --no-client            without the client, as in CI
///   roz doctor --only home --only hooks
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Show each step of the played session
    #[arg(short, long)]
    verbose: bool,
    /// Leave out the client
    #[arg(long)]
    no_client: bool,
    /// Look at another agent instead: its files, and recorded payloads of its through real hooks
    #[arg(long, value_name = "NAME", conflicts_with_all = ["no_client", "only"])]
    client: Option<String>,
    /// Only this check (can be given again)
    #[arg(long, value_name = "CHECK", value_parser = PossibleValuesParser::new(CHECKS.iter().map(|row| row.name)))]
    only: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A check, in the order in which they are shown.
struct Row {
    name: &'static str,
    /// It is about the client.
    of_client: bool,
    /// None where there is nothing to say.
    check: fn(&Subject) -> Option<Finding>,
}

const fn row(name: &'static str, check: fn(&Subject) -> Option<Finding>) -> Row {
    Row { name, of_client: false, check }
}

const fn client_row(name: &'static str, check: fn(&Subject) -> Option<Finding>) -> Row {
    Row { name, of_client: true, check }
}

const CHECKS: &[Row] = &[
    row("binary", |subject| Some(home::binary(subject))),
    row("home", home::home),
    row("incidents", incidents::check),
    row("configuration", |subject| Some(configuration::check(subject))),
    row("gates", gates::check),
    row("reflection", reflection::check),
    row("intents", intents::check),
    client_row("client", |subject| Some(client::check(subject))),
    client_row("hooks", |subject| Some(hooks::check(subject))),
    client_row("reviewer", |subject| Some(reviewer::check(subject))),
    row("shims", |subject| Some(shims::check(subject))),
    row("canary", |subject| Some(canary::check(subject))),
];

/// What is checked.
struct Subject<'a> {
    world: &'a World,
    binary: PathBuf,
    sources: config::Sources,
    config: config::Full,
    roz: Result<Roz, open::Error>,
    client: OnceCell<client::Look>,
    /// What the canary played.
    steps: RefCell<Vec<Step>>,
}

impl Subject<'_> {
    fn client(&self) -> &client::Look {
        self.client.get_or_init(|| client::Look::new(self.world))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    /// The gates work, but something is not as it should be.
    Warn,
    /// The gates do not work.
    Fail,
}

#[derive(Debug, Serialize)]
struct Finding {
    status: Status,
    seen: String,
    /// What to do about it; none where all is well.
    remedy: Option<String>,
}

impl Finding {
    fn ok(seen: impl Into<String>) -> Self {
        Self { status: Status::Ok, seen: seen.into(), remedy: None }
    }

    fn warn(seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { status: Status::Warn, seen: seen.into(), remedy: Some(remedy.into()) }
    }

    fn fail(seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { status: Status::Fail, seen: seen.into(), remedy: Some(remedy.into()) }
    }
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    #[serde(flatten)]
    finding: Finding,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if let Some(name) = args.client.as_deref().filter(|name| *name != "claude") {
        let checks = agent::checks(install::agents::find(name)?, &world.binary()?, world);
        return report(&checks, &[], args, world);
    }
    let sources = open::sources(world, &world.cwd);
    let subject = Subject {
        world,
        binary: world.binary()?,
        config: config::load_fresh(&sources),
        sources,
        roz: Roz::open(world, &world.cwd),
        client: OnceCell::new(),
        steps: RefCell::default(),
    };
    let working = say::working("looking");
    let is_wanted = |row: &&Row| {
        (args.only.is_empty() || args.only.iter().any(|name| name == row.name))
            && !(args.no_client && row.of_client)
    };
    let checks: Vec<Check> = CHECKS
        .iter()
        .filter(is_wanted)
        .filter_map(|row| Some(Check { name: row.name, finding: (row.check)(&subject)? }))
        .collect();
    drop(working);
    report(&checks, &subject.steps.take(), args, world)
}

fn report(checks: &[Check], steps: &[Step], args: &Args, world: &World) -> super::Result {
    let works = checks.iter().all(|check| check.finding.status != Status::Fail);
    if args.json {
        let (median, worst) = canary::times(steps);
        let canary = json!({ "steps": steps, "median_ms": median, "worst_ms": worst });
        say::print_json(&json!({ "ok": works, "checks": checks, "canary": canary }))?;
    } else {
        let out = say::Out::new(world);
        let mut text = shown(checks, &out);
        if args.verbose {
            text += &canary::shown(steps, &out);
        }
        text += &verdict(checks, args.only.is_empty(), &out);
        say::print(&text)?;
    }
    Ok(if works { Done::Well } else { Done::Badly })
}

fn shown(checks: &[Check], out: &say::Out) -> String {
    let column = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let indent = " ".repeat(column + 4);
    let mut text = String::new();
    for Check { name, finding } in checks {
        let (mark, tone) = match finding.status {
            Status::Ok => ("✓", say::Tone::Good),
            Status::Warn => ("!", say::Tone::Warn),
            Status::Fail => ("✗", say::Tone::Bad),
        };
        let mark = out.paint(tone, mark);
        let seen = match finding.status {
            // Where all is well, a line has to do.
            Status::Ok => say::fitted(&finding.seen, out.edge().saturating_sub(indent.len())),
            Status::Warn | Status::Fail => say::folded(&finding.seen, out.width, &indent),
        };
        let _ = writeln!(text, "{mark} {name:<column$}  {seen}");
        if let Some(remedy) = &finding.remedy {
            let remedy = say::folded(&format!("→ {remedy}"), out.width, &format!("{indent}  "));
            let _ = writeln!(text, "{indent}{remedy}");
        }
    }
    text
}

fn verdict(checks: &[Check], are_all: bool, out: &say::Out) -> String {
    let count = |status| checks.iter().filter(|check| check.finding.status == status).count();
    let (fails, warnings) = (count(Status::Fail), count(Status::Warn));
    let warned = match warnings {
        0 => String::new(),
        n => format!(" ({})", say::counted(n, "warning")),
    };
    let (tone, text) = match (fails, are_all) {
        (0, true) => (say::Tone::Good, format!("The gates work{warned}.")),
        // That says nothing about the gates.
        (0, false) => (say::Tone::Good, format!("No problems found{warned}.")),
        (n, true) => {
            (say::Tone::Bad, format!("The gates do NOT work: {}.", say::counted(n, "problem")))
        }
        (n, false) => (say::Tone::Bad, format!("{}.", say::counted(n, "problem"))),
    };
    out.paint(tone, &text) + "\n"
}
