//! `roz status` and `roz statusline`: show the present status of the gates.

use std::{fmt::Write as _, path::Path, time::Instant};

use serde_json::{Value, json};

use super::{
    Done, input,
    say::{self, Out, Tone},
    target_session,
};
use crate::{
    core::{
        GATES, bounded,
        gate::{Project, Status, statuses},
        policy::Auto,
        review::{self, work::Work},
        session::Session,
    },
    hooks::reflection_facts,
    observe::{own_files, work::Question},
    open::{Roz, session_work::Asker},
    sidecar,
    world::World,
};

/// Show what the gates wait for, and what comes next
///
/// Without a session, the one in which the client runs this, else the newest
/// of this project.
///
/// Examples:
///   roz status
///   roz status --short        for a shell prompt: one line, or none
///   roz status --check        for a script: is the work here approved?
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// A session's id or a unique beginning of it
    session: Option<String>,
    /// One line, or none if there is nothing to say
    #[arg(long)]
    short: bool,
    /// Say whether the work of this folder is approved: exit code 0 if it is or nothing has
    /// changed, 1 if it is not, 2 if that is unknown
    #[arg(long, conflicts_with = "short")]
    check: bool,
}

/// Print a line for the client's status line (the client runs it)
///
/// Reads the client's JSON on standard input. `roz install --status-line` sets it up.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct LineArgs {}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let (roz, session) = match target_session::existing(args.session.as_deref(), world) {
        Ok((roz, session)) => (roz, Some(session)),
        Err(err) if args.session.is_some() => return Err(err),
        Err(_) => (Roz::here(world)?, None),
    };
    if args.check {
        return Ok(check(&roz, session.as_ref(), world));
    }
    let project = project(&roz, world);
    let gates = statuses(GATES, session.as_ref(), &project, &roz.policy);
    let out = Out::new(world);
    if args.short {
        return short(&gates, &roz, out.colour, "");
    }
    let waiting = gates.iter().find(|gate| gate.waits_for.is_some());
    let mut value = json!({
        "project": roz.project,
        "session_id": session.as_ref().map(|session| &session.session_id),
        "updated_at": session.as_ref().map(|session| session.updated_at),
        "trial": roz.policy.trial,
        "errors": roz.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "gates": gates,
        "unconfirmed": own_files::unconfirmed(&roz.home),
        "waits_for": waiting.and_then(|waiting| waiting.waits_for.as_ref()),
        "next": waiting.and_then(|waiting| waiting.next.as_ref()),
    });
    if let Some(at) = gates.iter().position(|gate| gate.gate == "review") {
        value["gates"][at]["gates"] = json!(roz.policy.review.gates.tools);
    }
    super::said(value, in_words(&roz, session.as_ref(), &gates, &out, world))
}

/// Whether an approval covers the work of the current folder, even without gates.
fn check(roz: &Roz, session: Option<&Session>, world: &World) -> Done {
    let until = Instant::now() + target_session::GIT_PATIENCE;
    let work = match session {
        Some(session) => {
            let asker = Asker { session, now: world.now, until };
            roz.work(asker, &world.cwd, &Question::default())
        }
        None => roz.work_without_session(&world.cwd, world.now, until),
    };
    let (answer, code, why) = match &work {
        Work::Known(known) if known.is_empty => ("empty", 0, "nothing has changed here".to_owned()),
        Work::Known(known) => match &known.approval {
            Some(serving) => {
                let summary = bounded::plain_line(&serving.summary);
                ("approved", 0, format!("the work is approved: {summary}"))
            }
            None => ("not_approved", 1, format!("not approved: {}", review::why_new(known))),
        },
        Work::Unknown(why) => ("unknown", 2, format!("unknown: {why}")),
        Work::NoRepository | Work::NotAsked => {
            ("unknown", 2, "unknown: this is not a git repository".to_owned())
        }
    };
    let known = work.known();
    let changed = known
        .filter(|known| known.approval.is_none())
        .map(|known| known.changed.iter().map(|file| file.path.as_str()).collect::<Vec<_>>());
    let value = json!({
        "work": answer,
        "tree": known.map(|known| &known.tree),
        "approval": known.and_then(|known| Some(&known.approval.as_ref()?.id)),
        "changed": changed,
        "why": why,
    });
    Done::Said(value, why + "\n", Ok(code))
}

pub(super) fn project(roz: &Roz, world: &World) -> Project {
    let intent = match roz.policy.intent.enabled {
        Auto::Off => None,
        Auto::On | Auto::Auto => sidecar::load(&roz.sidecar, &roz.home),
    };
    Project {
        reflection: reflection_facts::is_wanted(roz, &world.cwd),
        intent: intent.map(|intent| match intent.broken() {
            Some(problem) => Err(problem.to_string()),
            None => Ok(intent.open().map(|intent| intent.id.clone()).collect()),
        }),
    }
}

fn in_words(
    roz: &Roz,
    session: Option<&Session>,
    statuses: &[Status],
    out: &Out,
    world: &World,
) -> String {
    let mut text = format!("Project  {}\n", roz.project.display());
    let told = session.map_or("none yet: start the client here".to_owned(), |session| {
        format!("{}, last active {}", session.session_id, say::ago(session.updated_at, world.now))
    });
    text += &(out.field("Session", 9, &told) + "\n");
    if roz.policy.trial {
        let told = "nothing is held or denied; `roz stats` lists what would have been";
        let _ = writeln!(text, "{}      {told}", out.paint(Tone::Warn, "Trial"));
    }
    for status in statuses {
        let (tone, state) = match (status.on, &status.waits_for) {
            (false, _) => (Tone::Dim, "off"),
            (true, Some(_)) => (Tone::Warn, status.state),
            (true, None) => (Tone::Good, status.state),
        };
        let about = status.about.iter().filter(|_| status.on).map(|about| format!(" {about}"));
        let state = state.replace('_', " ") + &about.collect::<String>();
        let _ = writeln!(text, "{:<11}{}", status.gate, out.paint(tone, &state));
        let patterns = roz.policy.review.gates.tools.join(", ");
        let gates = Some(patterns).filter(|text| status.gate == "review" && !text.is_empty());
        let rows = [("gates", &gates), ("waits for", &status.waits_for), ("next", &status.next)];
        for (what, words) in rows {
            for words in words.iter().filter(|_| status.on) {
                text += &out.field(&format!("{:<11}{what}", ""), 22, words);
            }
        }
    }
    for complaint in roz.complaints() {
        text += &(out.paint(Tone::Bad, &say::folded(&complaint, out.width, "  ")) + "\n");
    }
    for weakened in own_files::unconfirmed(&roz.home) {
        let told = say::folded(&weakened.shown(), out.width, "             ");
        let _ = writeln!(text, "{}  {told}", out.paint(Tone::Warn, "unconfirmed"));
        let _ = writeln!(text, "{:13}next: put it back, or `roz confirm`", "");
    }
    if statuses.iter().all(|status| status.waits_for.is_none() || !status.on) {
        text += "\nNo gate waits for anything.\n";
    }
    text
}

/// A line about the gates, or else another one.
fn short(statuses: &[Status], roz: &Roz, colour: bool, otherwise: &str) -> super::Result {
    let name = if roz.policy.trial { "roz (trial)" } else { "roz" };
    let line = |colour| {
        let out = Out::of_line(80, colour);
        let in_short = statuses.iter().filter_map(|status| {
            let tone = if status.waits_for.is_some() { Tone::Warn } else { Tone::Good };
            Some(out.paint(tone, status.in_short.as_ref()?))
        });
        let words: Vec<String> = in_short.collect();
        (!words.is_empty()).then(|| format!("{name}: {}\n", words.join(" · ")))
    };
    let plain = line(false).map(|line| line.trim_end().to_owned());
    super::said(json!({ "line": plain }), line(colour).unwrap_or_else(|| otherwise.to_owned()))
}

pub(super) fn line(_: &LineArgs, world: &World) -> super::Result {
    let instead = "`roz statusline` reads what the client sends it; `roz status` is for people";
    let bytes = input::read(instead)?;
    let input: Value = serde_json::from_slice(&bytes)
        .map_err(|err| format!("the client runs this, with JSON on standard input: {err}"))?;
    let cwd = input["workspace"]["current_dir"].as_str().or(input["cwd"].as_str());
    let mut roz = Roz::open(world, cwd.map_or(&world.cwd, Path::new))?;
    let id = input["session_id"].as_str().and_then(|session_id| session_id.parse().ok());
    let session = id.and_then(|id| roz.load(&id).ok()).map(|stored| stored.session);
    if let Some(other) = session.as_ref().and_then(|session| roz.of_session(session, world)) {
        roz = other?;
    }
    let gates = statuses(GATES, session.as_ref(), &project(&roz, world), &roz.policy);
    let colour = world.var("NO_COLOR").is_none();
    let otherwise = Out::of_line(80, colour).paint(Tone::Dim, "roz") + "\n";
    short(&gates, &roz, colour, &otherwise)
}
