//! `roz doctor`: shows that the gates work, or why they do not.

#![expect(clippy::unnecessary_wraps, reason = "all checks are of one type")]

mod canary;
mod client;
mod configuration;
mod gates;
mod home;
mod hooks;
mod incidents;
mod intents;
mod other_client;
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

use super::{
    demo::{self, Step},
    install, say,
};
use crate::{
    clients, config,
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
    /// Check another agent instead: its files, and its recorded payloads through real hooks
    #[arg(long, value_name = "NAME", value_parser = install::other_clients::named(), conflicts_with_all = ["no_client", "only"])]
    client: Option<&'static dyn clients::Client>,
    /// Only this check (can be given again)
    #[arg(long, value_name = "CHECK", value_parser = PossibleValuesParser::new(CHECKS.iter().map(|(name, _)| *name)))]
    only: Vec<String>,
    /// The names of the checks, for older scripts.
    #[arg(long, hide = true)]
    list: bool,
}

/// A check with its name. It returns `None` if there is nothing to say.
type Row = (&'static str, fn(&Subject) -> Option<Finding>);

const CHECKS: &[Row] = &[
    ("binary", home::binary),
    ("home", home::home),
    ("incidents", incidents::check),
    ("configuration", configuration::check),
    ("gates", gates::check),
    ("reflection", reflection::check),
    ("intents", intents::check),
    ("client", client::check),
    ("hooks", hooks::check),
    ("reviewer", reviewer::check),
    ("shims", shims::check),
    ("canary", canary::check),
];
/// The checks that `--no-client` leaves out.
const OF_CLIENT: [&str; 3] = ["client", "hooks", "reviewer"];

struct Subject<'a> {
    world: &'a World,
    binary: PathBuf,
    sources: config::Sources,
    config: config::Full,
    roz: Result<Roz, open::Error>,
    client: OnceCell<client::Look>,
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
    Fail,
}

#[derive(Debug, Serialize)]
struct Finding {
    status: Status,
    seen: String,
    /// What to do about it; `None` if all is well.
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
    if args.list {
        let names: Vec<&str> = CHECKS.iter().map(|(name, _)| *name).collect();
        return super::said(json!({ "checks": names }), names.join("\n") + "\n");
    }
    if let Some(client) = args.client.filter(|client| !install::other_clients::is_claude(*client)) {
        let checks = other_client::checks(client, &world.binary()?, world);
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
    let is_wanted = |name: &str| {
        (args.only.is_empty() || args.only.iter().any(|only| only == name))
            && !(args.no_client && OF_CLIENT.contains(&name))
    };
    let wanted = CHECKS.iter().filter(|(name, _)| is_wanted(name));
    let checks = wanted.filter_map(|(name, check)| Some(Check { name, finding: check(&subject)? }));
    let checks: Vec<Check> = checks.collect();
    drop(working);
    report(&checks, &subject.steps.take(), args, world)
}

fn report(checks: &[Check], steps: &[Step], args: &Args, world: &World) -> super::Result {
    let works = checks.iter().all(|check| check.finding.status != Status::Fail);
    let (median, worst) = demo::times(steps);
    let canary = json!({ "steps": steps, "median_ms": median, "worst_ms": worst });
    let out = say::Out::new(world);
    let mut text = shown(checks, &out);
    if args.verbose {
        text += &canary::shown(steps, &out);
    }
    text += &verdict(checks, args.only.is_empty(), &out);
    super::judged(works, json!({ "ok": works, "checks": checks, "canary": canary }), text)
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
            // If all is well, one line is enough.
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

/// The conclusion. If only some checks ran, it says nothing about the gates.
fn verdict(checks: &[Check], are_all: bool, out: &say::Out) -> String {
    let count = |status| checks.iter().filter(|check| check.finding.status == status).count();
    let (fails, warnings) = (count(Status::Fail), count(Status::Warn));
    let (tone, said) = match (fails, are_all) {
        (0, true) => (say::Tone::Good, "The gates work"),
        (0, false) => (say::Tone::Good, "No problems found"),
        (_, true) => (say::Tone::Bad, "The gates do NOT work"),
        (_, false) => (say::Tone::Bad, "Not in order"),
    };
    let counts = [(fails, "problem"), (warnings, "warning")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counted: Vec<String> = counts.map(|(count, noun)| say::counted(count, noun)).collect();
    let counted =
        if counted.is_empty() { String::new() } else { format!(" ({})", counted.join(", ")) };
    out.paint(tone, &format!("{said}{counted}.")) + "\n"
}
