//! `roz doctor`: proves that the gates are alive, or says what is in the way.

mod canary;
mod client;
mod house;
mod intent;
mod learning;

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use super::{Done, say};
use crate::{core::bounded, world::World};

/// Prove that the gates are alive, or say what is in the way
///
/// Looks at the binary, the client, the home and the configuration, and plays a
/// session through real `roz hook` processes in a temporary home. Exit code 1
/// if the gates are not alive.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Leave the client out
    #[arg(long)]
    no_client: bool,
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    /// The gates are alive, but …
    Warn,
    /// They are not.
    Fail,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    seen: String,
    /// What to do about it; none where all is well.
    remedy: Option<String>,
}

impl Check {
    fn ok(name: &'static str, seen: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, seen: seen.into(), remedy: None }
    }

    fn warn(name: &'static str, seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, status: Status::Warn, seen: seen.into(), remedy: Some(remedy.into()) }
    }

    fn fail(name: &'static str, seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, status: Status::Fail, seen: seen.into(), remedy: Some(remedy.into()) }
    }
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let binary = world.binary()?;
    let mut checks = house::checks(&binary, world);
    checks.extend(learning::checks(world));
    checks.push(intent::check(world));
    if !args.no_client {
        checks.extend(client::checks(&binary, world));
    }
    let canary = canary::sing(&binary, world);
    checks.push(canary.check());
    let is_alive = checks.iter().all(|it| it.status != Status::Fail);
    if args.json {
        say::print_json(&as_json(is_alive, &checks, &canary))?;
    } else {
        say::print(&as_text(is_alive, &checks, &canary, &say::Out::new(world)))?;
    }
    Ok(if is_alive { Done::Well } else { Done::Badly })
}

fn as_json(is_alive: bool, checks: &[Check], canary: &canary::Song) -> Value {
    json!({
        "ok": is_alive,
        "checks": checks,
        "canary": {
            "steps": canary.steps,
            "median_ms": canary.median(),
            "worst_ms": canary.worst(),
        },
    })
}

fn as_text(is_alive: bool, checks: &[Check], canary: &canary::Song, out: &say::Out) -> String {
    let column = checks.iter().map(|it| it.name.chars().count()).max().unwrap_or(0);
    let indent = " ".repeat(column + 4);
    let mut text = String::new();
    for check in checks {
        let (mark, tone) = match check.status {
            Status::Ok => ("✓", say::Tone::Good),
            Status::Warn => ("!", say::Tone::Warn),
            Status::Fail => ("✗", say::Tone::Bad),
        };
        let seen = say::folded(&check.seen, out.width, &indent);
        let _ = writeln!(text, "{} {:<column$}  {seen}", out.paint(tone, mark), check.name);
        if let Some(remedy) = &check.remedy {
            let deeper = format!("{indent}  ");
            let remedy = say::folded(&format!("→ {remedy}"), out.width, &deeper);
            let _ = writeln!(text, "{indent}{remedy}");
        }
    }
    text.push('\n');
    for step in &canary.steps {
        let (mark, tone) = if step.ok { ("✓", say::Tone::Good) } else { ("✗", say::Tone::Bad) };
        let mark = out.paint(tone, mark);
        let _ =
            writeln!(text, "  {mark} {:<52} {:>7.1} ms", bounded::chars(&step.name, 52), step.ms);
    }
    let fails = checks.iter().filter(|it| it.status == Status::Fail).count();
    let warnings = checks.iter().filter(|it| it.status == Status::Warn).count();
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (verdict, tone) = match (is_alive, warnings) {
        (true, 0) => ("The gates are alive.".to_owned(), say::Tone::Good),
        (true, n) => (format!("The gates are alive ({}).", plural(n, "warning")), say::Tone::Good),
        (false, _) => {
            (format!("The gates are NOT alive: {}.", plural(fails, "problem")), say::Tone::Bad)
        }
    };
    let _ = writeln!(text, "\n{}", out.paint(tone, &verdict));
    text
}
