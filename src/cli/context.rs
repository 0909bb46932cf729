//! `roz context`: what a reviewer needs to know.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Done, say};
use crate::{
    core::{bounded, review::earlier_findings, session::Session},
    hooks::gather::second_opinions,
    open::Roz,
    world::{World, git},
};

/// Show what a reviewer needs: what was asked, what waits, what changed
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A session's id or a unique beginning of it; without one, the newest
    /// session of this project
    session: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const PATIENCE: Duration = Duration::from_secs(20);
/// What is shown of the changes, in bytes.
const MAX_STAT: usize = 16 * 1024;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.session_or_newest(args.session.as_deref())?;
    let session = roz.load(&id)?.session;
    let changes = Changes::of(&session, world);
    let mut opinions = session.review.second_opinions().to_vec();
    if opinions.is_empty() {
        opinions = second_opinions(&roz.policy, world);
    }
    if args.json {
        say::print_json(&as_json(&session, &changes, &opinions))?;
    } else {
        say::print_plain(&as_text(&session, &changes, &opinions, world))?;
    }
    Ok(Done::Well)
}

/// What git says of the work.
struct Changes {
    base: Option<String>,
    stat: Result<String, String>,
    commits: String,
}

impl Changes {
    /// Since the cycle began; where nothing changed since then, since the
    /// session did: a gated push comes after the commits that it is about.
    fn of(session: &Session, world: &World) -> Self {
        let until = Instant::now() + PATIENCE;
        let root = session.project.as_deref().unwrap_or(&world.cwd);
        let bases = [session.review.base(), session.head.as_deref()];
        let mut changes = Self {
            base: None,
            stat: Err("the commit at which the session began is not known".to_owned()),
            commits: String::new(),
        };
        for base in bases.into_iter().flatten() {
            changes.base = Some(base.to_owned());
            let stat = git::diff_stat(root, base, until).map_err(|err| err.to_string());
            changes.stat = stat.map(|it| bounded::cut(&it, MAX_STAT).to_owned());
            changes.commits = git::log(root, base, until).unwrap_or_default();
            if changes.stat.as_ref().is_ok_and(|it| !it.is_empty()) {
                break;
            }
        }
        changes
    }
}

fn as_json(session: &Session, changes: &Changes, opinions: &[String]) -> Value {
    let review = &session.review;
    json!({
        "session_id": session.session_id,
        "project": session.project,
        "state": review.phase().word(),
        "decision": review.decision(),
        "user_prompts": review.prompts(),
        "gate_trigger": review.trigger(),
        "findings": earlier_findings(review),
        "block_count": review.block_count(),
        "changes": {
            "since": changes.base,
            "stat": changes.stat.as_ref().ok(),
            "commits": changes.commits,
        },
        "second_opinions": opinions,
        "reflection": {
            "state": session.reflection.status().word(),
            "ticket": session.reflection.ticket(),
            "observations": session.reflection.observations(),
        },
    })
}

fn as_text(session: &Session, changes: &Changes, opinions: &[String], world: &World) -> String {
    let review = &session.review;
    let mut text = String::new();
    let _ =
        writeln!(text, "Session {}, the review is {}.", session.session_id, review.phase().word());
    if let Some(project) = &session.project {
        let _ = writeln!(text, "Project: {}", project.display());
    }
    if let Some(at) = review.started_at() {
        let _ = writeln!(text, "Asked for: {}", say::when(at, world.now));
    }
    let _ = writeln!(text, "\nWhat the user asked for, oldest first:");
    for prompt in review.prompts() {
        let _ = writeln!(text, "{}", indented(prompt.as_str()));
    }
    if review.prompts().is_empty() {
        let _ = writeln!(text, "  (no prompt was seen)");
    }
    if let Some(trigger) = review.trigger() {
        let input = serde_json::to_string_pretty(&trigger.tool_input.value).unwrap_or_default();
        let _ = writeln!(
            text,
            "\nWhat waits for the decision: {} (gate `{}`), with the input\n{}",
            trigger.tool_name,
            trigger.pattern_matched,
            indented(bounded::cut(&input, 4000)),
        );
        if let Some(size) = trigger.tool_input.original_size {
            let _ = writeln!(text, "  (cut: the whole input has {size} bytes)");
        }
    }
    let findings = earlier_findings(review);
    if !findings.is_empty() {
        let _ =
            writeln!(text, "\nWhat earlier reviews of this work found:\n{}", indented(&findings));
    }
    let notes = session.reflection.observations();
    if !notes.is_empty() {
        let notes: Vec<String> = notes.iter().map(|it| format!("- {}", it.note)).collect();
        let _ = writeln!(text, "\nNoted on the way:\n{}", indented(&notes.join("\n")));
    }
    let since = changes.base.as_deref().map_or("?", |it| bounded::cut(it, 12));
    let _ = writeln!(text, "\nWhat changed since {since}:");
    let _ = match &changes.stat {
        Ok(stat) if stat.trim().is_empty() => writeln!(text, "  (nothing)"),
        Ok(stat) => writeln!(text, "{}", stat.trim_end()),
        Err(why) => writeln!(text, "  ({why})"),
    };
    if !changes.commits.is_empty() {
        let _ = writeln!(text, "\nCommits since then:\n{}", indented(&changes.commits));
    }
    let opinions = if opinions.is_empty() { "none".to_owned() } else { opinions.join(", ") };
    let _ = writeln!(text, "\nSecond opinions to be had: {opinions}");
    text
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(|it| format!("  {it}")).collect();
    lines.join("\n")
}
