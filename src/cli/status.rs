//! `roz status` and `roz statusline`: how the gates stand here, now.

use std::{
    fmt::Write as _,
    path::PathBuf,
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::json;

use super::{
    Done, input,
    say::{self, Out, Tone},
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
    open::{self, Roz, agent_session, work::Asker},
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
    /// One line, and none where there is nothing to say
    #[arg(long)]
    short: bool,
    /// Say whether the work of this folder is approved: exit code 0 where it is or nothing has
    /// changed, 1 where it is not, 2 where nobody can tell
    #[arg(long, conflicts_with = "short")]
    check: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Print a line for the client's status line (the client runs it)
///
/// Reads the client's JSON on standard input. `roz install --status-line` sets it up.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct LineArgs {
    /// Print one JSON object: the line as a text
    #[arg(long)]
    json: bool,
}

/// The largest input that is read, in bytes.
const MAX_INPUT: u64 = 4 << 20;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let mut roz = Roz::here(world)?;
    let session = match session(&roz, args.session.as_deref(), world) {
        Err(err) if args.session.is_some() => return Err(err.into()),
        found => found.ok(),
    };
    if let Some(other) = session.as_ref().filter(|_| args.session.is_some()) {
        roz = roz.of_session(other, world).unwrap_or(Ok(roz))?;
    }
    if args.check {
        return check(&roz, session.as_ref(), args.json, world);
    }
    let project = project(&roz, world);
    let gates = statuses(GATES, session.as_ref(), &project, &roz.policy);
    if args.short {
        let out = if args.json { Out::of_line(80, false) } else { Out::new(world) };
        let line = short(&gates, &roz, &out);
        if args.json {
            say::print_json(&json!({ "line": line }))?;
        } else if let Some(line) = line {
            say::print(&format!("{line}\n"))?;
        }
        return Ok(Done::Well);
    }
    if args.json {
        let waiting = gates.iter().find(|gate| gate.waits_for.is_some());
        say::print_json(&json!({
            "project": roz.project,
            "session_id": session.as_ref().map(|session| &session.session_id),
            "updated_at": session.as_ref().map(|session| session.updated_at),
            "trial": roz.policy.trial,
            "gates": gates,
            "unconfirmed": own_files::unconfirmed(&roz.home),
            "waits_for": waiting.and_then(|waiting| waiting.waits_for.as_ref()),
            "next": waiting.and_then(|waiting| waiting.next.as_ref()),
        }))?;
        return Ok(Done::Well);
    }
    let out = Out::new(world);
    say::print(&in_words(&roz, session.as_ref(), &gates, &out, world))?;
    Ok(Done::Well)
}

/// Whether an approval covers the work of the current folder, whatever gates there are.
fn check(roz: &Roz, session: Option<&Session>, as_json: bool, world: &World) -> super::Result {
    const PATIENCE: Duration = Duration::from_secs(20);
    let until = Instant::now() + PATIENCE;
    let work = match session {
        Some(session) => {
            let asker = Asker { session, now: world.now, until };
            roz.work(asker, &world.cwd, &Question::default())
        }
        None => roz.work_without_session(&world.cwd, world.now, until),
    };
    let (answer, done, said) = match &work {
        Work::Known(known) if known.is_empty => {
            ("empty", Done::Well, "nothing has changed here".to_owned())
        }
        Work::Known(known) => match &known.approval {
            Some(serving) => {
                let summary = bounded::plain_line(&serving.summary);
                ("approved", Done::Well, format!("the work is approved: {summary}"))
            }
            None => {
                ("not_approved", Done::Badly, format!("not approved: {}", review::why_new(known)))
            }
        },
        Work::Unknown(why) => ("unknown", Done::Unknown, format!("unknown: {why}")),
        Work::NoRepository | Work::NotAsked => {
            ("unknown", Done::Unknown, "unknown: this is not a git repository".to_owned())
        }
    };
    if as_json {
        let known = work.known();
        let changed = known
            .filter(|known| known.approval.is_none())
            .map(|known| known.changed.iter().map(|file| file.path.as_str()).collect::<Vec<_>>());
        say::print_json(&json!({
            "work": answer,
            "tree": known.map(|known| &known.tree),
            "approval": known.and_then(|known| Some(&known.approval.as_ref()?.id)),
            "changed": changed,
            "why": said,
        }))?;
    } else {
        say::print(&format!("{said}\n"))?;
    }
    Ok(done)
}

pub(super) fn session(
    roz: &Roz,
    given: Option<&str>,
    world: &World,
) -> Result<Session, open::Error> {
    let named = given.or_else(|| agent_session(world));
    let id = roz.session_or_newest(named)?;
    Ok(roz.load(&id)?.session)
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
    let _ = match session {
        Some(session) => {
            let ago = say::ago(session.updated_at, world.now);
            let told = format!("{}, last active {ago}", session.session_id);
            writeln!(text, "Session  {}\n", say::folded(&told, out.width, "         "))
        }
        None => writeln!(text, "Session  none yet: start the client here\n"),
    };
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
        let details = [("waits for", &status.waits_for), ("next", &status.next)];
        for (what, words) in details {
            if let Some(words) = words.as_ref().filter(|_| status.on) {
                let words = say::folded(words, out.width, &" ".repeat(22));
                let _ = writeln!(text, "{:<11}{what:<11}{words}", "");
            }
        }
    }
    for weakened in own_files::unconfirmed(&roz.home) {
        let told = say::folded(&weakened.shown(), out.width, "             ");
        let _ = writeln!(text, "{}  {told}", out.paint(Tone::Warn, "unconfirmed"));
        let _ = writeln!(text, "{:13}next: put it back, or `roz confirm`", "");
    }
    if statuses.iter().all(|status| status.waits_for.is_none() || !status.on) {
        text += "\nNothing is waited for.\n";
    }
    text
}

fn short(statuses: &[Status], roz: &Roz, out: &Out) -> Option<String> {
    let in_short = statuses.iter().filter_map(|status| {
        let tone = if status.waits_for.is_some() { Tone::Warn } else { Tone::Good };
        Some(out.paint(tone, status.in_short.as_ref()?))
    });
    let words: Vec<String> = in_short.collect();
    let name = if roz.policy.trial { "roz (trial)" } else { "roz" };
    (!words.is_empty()).then(|| format!("{name}: {}", words.join(" · ")))
}

/// What the client sends to its status line, as far as it is wanted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Input {
    session_id: Option<String>,
    cwd: Option<PathBuf>,
    workspace: Workspace,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Workspace {
    current_dir: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("what stands on standard input is not the client's JSON")]
    Json(#[source] serde_json::Error),
}

pub(super) fn line(args: &LineArgs, world: &World) -> super::Result {
    let instead = "`roz statusline` reads what the client sends it; `roz status` is for people";
    let bytes = input::read(MAX_INPUT, instead)?;
    let input: Input = serde_json::from_slice(&bytes).map_err(Error::Json)?;
    let cwd = input.workspace.current_dir.or(input.cwd).unwrap_or_else(|| world.cwd.clone());
    let mut roz = Roz::open(world, &cwd)?;
    let id = input.session_id.and_then(|session_id| session_id.parse().ok());
    let session = id.and_then(|id| roz.load(&id).ok()).map(|id| id.session);
    if let Some(other) = session.as_ref().and_then(|session| roz.of_session(session, world)) {
        roz = other?;
    }
    let gates = statuses(GATES, session.as_ref(), &project(&roz, world), &roz.policy);
    let out = Out::of_line(80, world.var("NO_COLOR").is_none() && !args.json);
    if args.json {
        say::print_json(&json!({ "line": short(&gates, &roz, &out) }))?;
        return Ok(Done::Well);
    }
    let text = short(&gates, &roz, &out).unwrap_or_else(|| out.paint(Tone::Dim, "roz"));
    say::print(&format!("{text}\n"))?;
    Ok(Done::Well)
}
