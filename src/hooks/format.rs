//! `[intent.format]`: formats what a write left, before anybody looks at it,
//! so that its change is part of the record and no news to the agent.
//!
//! Which programs there are to run only the user says, or a project that the
//! user trusts: the configuration sees to that.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use super::aims;
use crate::{
    core::{
        bounded,
        event::{Event, What},
        outcome::Notice,
        session::Session,
    },
    open::Roz,
    world::{in_a_line, process},
};

/// What the formatters of a call may take in all.
const PATIENCE: Duration = Duration::from_secs(5);

/// Formats the files that the call wrote. Answers what the agent is to be told:
/// which formatter failed, and why.
pub(super) fn run(event: &Event, session: Option<&Session>, roz: &Roz) -> Vec<Notice> {
    let rules = &roz.policy.intent.format;
    let What::PostToolUse { call, succeeded: true } = &event.what else { return Vec::new() };
    if rules.is_empty() {
        return Vec::new();
    }
    let flight = || session?.intent.in_flight(call.tool_use_id.as_deref()?);
    let Some(flight) = flight() else { return Vec::new() };
    let until = Instant::now() + PATIENCE;
    let mut told = Vec::new();
    for (path, before) in &flight.before {
        let Some(program) = program(rules, path) else { continue };
        let file = roz.project.join(path);
        // A link would lead the program elsewhere.
        let is_file = file.symlink_metadata().is_ok_and(|it| it.is_file());
        if !is_file || aims::hash(&file) == *before {
            continue;
        }
        if let Err(why) = formatted(program, &file, &roz.project, until) {
            told.push(
                Notice::new("format-failed")
                    .with("program", bounded::line(program, 100))
                    .with("file", path.clone())
                    .with("why", why),
            );
        }
    }
    told
}

/// What formats a file of that name. A pattern with a `/` in it is one of
/// paths from the project's root.
fn program<'p>(
    rules: &'p std::collections::BTreeMap<String, String>,
    path: &str,
) -> Option<&'p str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let fits = |pattern: &str| {
        let subject = if pattern.contains('/') { path } else { name };
        glob::Pattern::new(pattern).is_ok_and(|it| it.matches(subject))
    };
    rules.iter().find(|(it, _)| fits(it)).map(|(_, program)| program.trim())
}

fn formatted(program: &str, file: &Path, project: &Path, until: Instant) -> Result<(), String> {
    let mut words = program.split_whitespace();
    let name = words.next().ok_or("no program is named")?;
    let mut command = process::command(name);
    command.args(words).arg(file).current_dir(project);
    let ran = process::run(command, until).map_err(|err| in_a_line(&err))?;
    if ran.ok {
        return Ok(());
    }
    let said = if ran.stderr.is_empty() { &ran.stdout } else { &ran.stderr };
    Err(bounded::chars(bounded::plain(&String::from_utf8_lossy(said)).trim(), 600))
}
