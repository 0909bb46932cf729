//! `roz doctor`: proves that the gates are alive, or says what is in the way.

mod agent;
mod canary;
mod client;
mod fired;
mod house;
mod intent;
mod learning;
mod shims;
mod table;

use std::{fmt::Write as _, sync::LazyLock};

use clap::builder::{PossibleValue, PossibleValuesParser};
use serde::Serialize;
use serde_json::{Value, json};

use self::table::{CHECKS, Looks};

use super::{Done, install, say};
use crate::{core::bounded, world::World};

/// Prove that the gates are alive, or say what is in the way
///
/// Looks at the binary, the client, the home and the configuration, and plays a
/// session through real `roz hook` processes in a temporary home. Exit code 1
/// if the gates are not alive: also where no client starts roz. `--no-client`
/// looks at what is roz's own alone.
///
/// Examples:
///   roz doctor
///   roz doctor --list                 what it looks at
///   roz doctor --only home --only hooks
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Leave the client out
    #[arg(long)]
    no_client: bool,
    /// Look at another agent instead: its files, and recorded payloads of its through real hooks
    #[arg(long, value_name = "NAME", conflicts_with_all = ["no_client", "only", "list"])]
    client: Option<String>,
    /// Only this check (may be given more than once)
    #[arg(long, value_name = "CHECK", value_parser = PossibleValuesParser::new(words()), hide_possible_values = true)]
    only: Vec<String>,
    /// Say what is looked at, and look at nothing
    #[arg(long)]
    list: bool,
    /// Print one JSON object
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

fn names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|(name, ..)| *name)
}

/// As a shell completes them: in one word. The name is taken too.
fn words() -> impl Iterator<Item = PossibleValue> {
    static WORDS: LazyLock<Vec<String>> =
        LazyLock::new(|| names().map(|it| it.replace(' ', "-")).collect());
    WORDS.iter().zip(names()).map(|(word, name)| PossibleValue::new(word.as_str()).alias(name))
}

impl Args {
    fn wants(&self, name: &str) -> bool {
        let is_it = |it: &String| it == name || *it == name.replace(' ', "-");
        self.only.is_empty() || self.only.iter().any(is_it)
    }

    fn looks(&self, who: Looks) -> bool {
        CHECKS.iter().any(|(name, it, _)| *it == who && self.wants(name))
    }
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if args.list {
        return list(args, world);
    }
    let binary = world.binary()?;
    if let Some(name) = args.client.as_deref().filter(|name| *name != "claude") {
        let client = install::agents::find(name)?;
        let checks = agent::checks(client, &binary, world);
        let is_alive = checks.iter().all(|check| check.status != Status::Fail);
        if args.json {
            say::print_json(&as_json(is_alive, &checks, None))?;
        } else {
            say::print(&as_text(is_alive, &checks, None, (true, &say::Out::new(world))))?;
        }
        return Ok(if is_alive { Done::Well } else { Done::Badly });
    }
    let working = say::working("looking");
    let mut checks = Vec::new();
    if args.looks(Looks::House) {
        checks.extend(house::checks(&binary, world));
    }
    if args.looks(Looks::Learning) {
        checks.extend(learning::checks(world));
    }
    if args.looks(Looks::Intent) {
        checks.extend(intent::checks(world));
    }
    if args.looks(Looks::Client) && !args.no_client {
        checks.extend(client::checks(&binary, world));
    }
    if args.looks(Looks::Fired) && !args.no_client {
        checks.extend(fired::check(world));
    }
    if args.looks(Looks::Shims) {
        checks.push(shims::check(&binary, world));
    }
    let canary = args.looks(Looks::Canary).then(|| canary::sing(&binary, world));
    checks.extend(canary.as_ref().map(canary::Song::check));
    checks.retain(|it| args.wants(it.name));
    // Settings that the client cannot read are one problem, not two.
    let fails = |name: &str| checks.iter().any(|it| it.name == name && it.status == Status::Fail);
    if fails("client settings") && fails("hooks") {
        checks.retain(|it| it.name != "hooks");
    }
    drop(working);
    let is_alive = checks.iter().all(|it| it.status != Status::Fail);
    if args.json {
        say::print_json(&as_json(is_alive, &checks, canary.as_ref()))?;
    } else {
        say::print(&as_text(
            is_alive,
            &checks,
            canary.as_ref(),
            (args.only.is_empty(), &say::Out::new(world)),
        ))?;
    }
    Ok(if is_alive { Done::Well } else { Done::Badly })
}

fn list(args: &Args, world: &World) -> super::Result {
    let wanted = CHECKS.iter().filter(|(name, ..)| args.wants(name));
    if args.json {
        let checks: Vec<Value> =
            wanted.map(|(name, _, about)| json!({ "name": name, "about": about })).collect();
        say::print_json(&json!({ "checks": checks }))?;
        return Ok(Done::Well);
    }
    let rows: Vec<Vec<String>> =
        wanted.map(|(name, _, about)| vec![(*name).to_owned(), (*about).to_owned()]).collect();
    say::print(&say::Out::new(world).table(&["CHECK", "WHAT IT IS ABOUT"], &rows))?;
    Ok(Done::Well)
}

fn as_json(is_alive: bool, checks: &[Check], canary: Option<&canary::Song>) -> Value {
    let canary = canary
        .map(|it| json!({ "steps": it.steps, "median_ms": it.median(), "worst_ms": it.worst() }));
    json!({ "ok": is_alive, "checks": checks, "canary": canary })
}

fn as_text(
    is_alive: bool,
    checks: &[Check],
    canary: Option<&canary::Song>,
    (is_all, out): (bool, &say::Out),
) -> String {
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
    let steps = canary.map(|it| it.steps.as_slice()).unwrap_or_default();
    if !steps.is_empty() {
        text.push('\n');
    }
    for step in steps {
        let (mark, tone) = if step.ok { ("✓", say::Tone::Good) } else { ("✗", say::Tone::Bad) };
        let mark = out.paint(tone, mark);
        let column = out.width.saturating_sub(15).clamp(12, 52);
        let name = bounded::chars(&step.name, column);
        let _ = writeln!(text, "  {mark} {name:<column$} {:>7.1} ms", step.ms);
    }
    let fails = checks.iter().filter(|it| it.status == Status::Fail).count();
    let warnings = checks.iter().filter(|it| it.status == Status::Warn).count();
    let (verdict, tone) = match (is_alive, warnings) {
        // Of the gates that says nothing.
        (true, 0) if !is_all => {
            let told = format!("{} passed.", say::counted(checks.len(), "check"));
            (told, say::Tone::Good)
        }
        (true, n) if !is_all => {
            (format!("Nothing is broken ({}).", say::counted(n, "warning")), say::Tone::Good)
        }
        (false, _) if !is_all => (say::counted(fails, "problem") + ".", say::Tone::Bad),
        (true, 0) => ("The gates are alive.".to_owned(), say::Tone::Good),
        (true, n) => {
            (format!("The gates are alive ({}).", say::counted(n, "warning")), say::Tone::Good)
        }
        (false, _) => (
            format!("The gates are NOT alive: {}.", say::counted(fails, "problem")),
            say::Tone::Bad,
        ),
    };
    let _ = writeln!(text, "\n{}", out.paint(tone, &verdict));
    text
}
