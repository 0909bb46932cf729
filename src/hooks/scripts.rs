//! The scripts that a line runs: their text is read as code nested in it, so
//! that a script written by one call and run by the next opens nothing.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use super::gather;
use crate::{
    core::{
        event::{Spared, ToolCall},
        pattern,
        session::Session,
    },
    open::Roz,
    shell::{Certainty, HOLE, Interpreter, Options, Reading, Script},
    world::{World, git, process, read_head},
};

/// Of a script so much is read, in bytes.
const MAX_TEXT: usize = 64 * 1024;
const MAX_SCRIPTS: usize = 16;
/// A script that runs a script that runs a script.
const MAX_DEPTH: usize = 3;

/// Reads the scripts that a call would run, and those that they run.
pub(super) fn read(
    call: &mut ToolCall,
    cwd: &Path,
    session: Option<&Session>,
    options: &Options,
    roz: &Roz,
    world: &World,
) {
    let mut seen = BTreeSet::new();
    let mut from = 0;
    for _ in 0..MAX_DEPTH {
        let found: Vec<Script> = call.readings[from..].iter().flat_map(scripts).collect();
        from = call.readings.len();
        for script in found {
            let path = absolute(&script.path, cwd, world);
            let known = (path.clone(), script.interpreter, script.arguments.clone());
            if seen.len() >= MAX_SCRIPTS || !seen.insert(known) {
                continue;
            }
            let Some(text) = read_head(&path, MAX_TEXT) else { continue };
            let asks = || {
                let base = session.and_then(|it| it.head.as_deref());
                is_kept(&path, &text, base, gather::deadline(&roz.policy, world))
            };
            // A compiled program is nobody's text; a patch is one all the same.
            if text.contains(&0) && script.interpreter != Interpreter::Patch {
                continue;
            }
            let read = String::from_utf8_lossy(&text);
            one(call, &script, &read, asks, options, roz);
        }
    }
}

fn one(
    call: &mut ToolCall,
    script: &Script,
    text: &str,
    is_kept: impl Fn() -> bool,
    options: &Options,
    roz: &Roz,
) {
    let reading = crate::shell::read_script(text, script.interpreter, &script.arguments, options);
    // git is asked only where its answer could matter.
    let is_conditional = reading.runs.iter().any(|it| it.conditional)
        || reading.writes.iter().any(|it| it.conditional)
        || !reading.code.is_empty();
    let matters = is_conditional && may_matter(&reading, text, roz);
    let kept = matters && is_kept();
    let spared = call.read_script(script, text, kept, options);
    let patterns = &roz.policy.review.gates.tools;
    for pattern in patterns {
        if spared.iter().any(|key| pattern::matches(pattern, key)) {
            call.spared.push(Spared { script: script.path.clone(), by: pattern.clone() });
        }
    }
}

/// Whether a gate or a rule could have something against a script.
fn may_matter(reading: &Reading, text: &str, roz: &Roz) -> bool {
    let keys = reading.keys();
    let patterns = &roz.policy.review.gates.tools;
    patterns.iter().any(|it| keys.iter().any(|key| pattern::matches(it, key)))
        || ["roz", "claude", ".orchestration", "plugins"].iter().any(|it| text.contains(it))
}

/// The scripts that a reading names; and where a shell runs something that
/// cannot be known, the files that the line reads may be it.
fn scripts(reading: &Reading) -> Vec<Script> {
    let mut found = reading.scripts.clone();
    let interpreter = reading.runs.iter().find_map(|run| {
        let name = run.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let takes_input = run.argv.len() == 1 || run.argv.get(1).is_some_and(|it| it == "-");
        match name {
            "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash" | "eval" | "source" | "." => {
                (run.certainty == Certainty::Opaque).then_some(Interpreter::Shell)
            }
            "python" if takes_input => Some(Interpreter::Python),
            "node" if takes_input => Some(Interpreter::JavaScript),
            "perl" if takes_input => Some(Interpreter::Perl),
            "ruby" if takes_input => Some(Interpreter::Ruby),
            _ => None,
        }
    });
    if let Some(interpreter) = interpreter {
        found.extend(reading.reads.iter().map(|it| Script {
            path: it.path.clone(),
            interpreter,
            arguments: Vec::new(),
            conditional: false,
        }));
    }
    // The patch that comes through a pipe.
    let unknown =
        found.iter().find(|it| it.interpreter == Interpreter::Patch && it.path.starts_with(HOLE));
    if let Some(patch) = unknown.cloned() {
        found.extend(
            reading.reads.iter().map(|it| Script { path: it.path.clone(), ..patch.clone() }),
        );
    }
    found.retain(|it| !it.path.contains(HOLE));
    found
}

fn absolute(path: &str, cwd: &Path, world: &World) -> PathBuf {
    match (path.strip_prefix("~/"), &world.user_home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => cwd.join(path),
    }
}

/// Whether the project has a script so since the session began: what an agent
/// commits on its way is as new as what it writes.
fn is_kept(path: &Path, text: &[u8], base: Option<&str>, until: Instant) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|it| it.to_str()))
    else {
        return false;
    };
    let base = base.unwrap_or("HEAD");
    let mut git: Command = process::command("git");
    git.current_dir(folder)
        .args(["-c", "core.fsmonitor=false", "cat-file", "blob", &format!("{base}:./{name}")])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1");
    for name in git::PLACES {
        git.env_remove(name);
    }
    let ran = process::run(git, until);
    ran.is_ok_and(|it| it.ok && it.stdout.starts_with(text) && has_length(&path, it.stdout.len()))
}

fn has_length(path: &Path, length: usize) -> bool {
    path.metadata().is_ok_and(|it| it.len() == length as u64)
}
