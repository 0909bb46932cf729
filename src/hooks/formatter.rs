//! `[intent.format]`: formats written files before anything else reads them, so that the
//! formatter's change is part of the record and not reported as foreign. Other changes that it
//! makes are found as after a command: see [`super::post_call_changes`].
//!
//! The configuration ensures that only the user or a trusted project names the programs.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    core::{
        bounded,
        event::{Event, ToolCall, What},
        outcome::Notice,
        session::Session,
    },
    observe::file_content,
    open::Roz,
    shell,
    world::{changed_since, in_a_line, process},
};

/// For all formatters of one call.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct Formatted {
    /// Which formatter failed, and why.
    pub(super) told: Vec<Notice>,
    /// When the first formatter began.
    pub(super) since: Option<changed_since::Time>,
}

pub(super) fn run(event: &Event, session: Option<&Session>, roz: &Roz) -> Formatted {
    let rules = &roz.policy.intent.format;
    let mut formatted = Formatted::default();
    let What::PostToolUse { call, succeeded: true } = &event.what else { return formatted };
    if rules.is_empty() {
        return formatted;
    }
    let flight = || session?.intent.in_flight(call.tool_use_id.as_deref()?);
    let Some(flight) = flight() else { return formatted };
    let until = Instant::now() + PATIENCE;
    for (path, before) in &flight.before {
        let Some(program) = program(rules, path) else { continue };
        let file = roz.project.join(path);
        // A link could make the program write elsewhere.
        let is_file = file.symlink_metadata().is_ok_and(|meta| meta.is_file());
        let written = file_content::hash(&file);
        if !is_file || written == *before {
            continue;
        }
        formatted.since.get_or_insert_with(changed_since::now);
        let Err(why) = start(program, &file, &roz.project, until) else { continue };
        let left = if file_content::hash(&file) == written {
            "The file is as you wrote it"
        } else {
            "It has changed the file all the same: read it again"
        };
        formatted.told.push(
            Notice::new("format-failed")
                .with("program", bounded::line(program, 100))
                .with("file", path.clone())
                .with("why", bounded::plain(&format!("{why}. {left}"))),
        );
    }
    formatted
}

/// Whether a formatter would run after the call and change more than the call says.
pub(super) fn concerns(call: &ToolCall, roz: &Roz) -> bool {
    let rules = &roz.policy.intent.format;
    let written = call.tool.written();
    !rules.is_empty()
        && written.is_some_and(|written| {
            let path = Path::new(written).strip_prefix(&roz.project).unwrap_or(Path::new(written));
            program(rules, &path.to_string_lossy()).is_some()
        })
}

/// The formatter for a file. A pattern with a `/` matches the path relative to the project's root.
fn program<'p>(
    rules: &'p std::collections::BTreeMap<String, String>,
    path: &str,
) -> Option<&'p str> {
    let name = shell::last_part(path);
    let fits = |pattern: &str| {
        let subject = if pattern.contains('/') { path } else { name };
        glob::Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(subject))
    };
    rules.iter().find(|(text, _)| fits(text)).map(|(_, program)| program.trim())
}

fn start(program: &str, file: &Path, project: &Path, until: Instant) -> Result<(), String> {
    let mut words = program.split_whitespace();
    let name = words.next().ok_or("no program is named")?;
    let mut command = process::command(name);
    command.args(words).arg(file).current_dir(project);
    let ran = process::run(command, until).map_err(|err| in_a_line(&err))?;
    if ran.ok {
        return Ok(());
    }
    let ended = match ran.code {
        Some(code) => format!("exit code {code}"),
        None => "a signal ended it".to_owned(),
    };
    let said = if ran.stderr.is_empty() { &ran.stdout } else { &ran.stderr };
    let said = bounded::chars(bounded::plain(&String::from_utf8_lossy(said)).trim(), 600);
    let said = said.trim_end_matches('.');
    Err(if said.is_empty() {
        format!("{ended}, and no output")
    } else {
        format!("{ended}: {said}")
    })
}
