//! What `git stash` takes away and brings back, where the line names no file:
//! every file that is not as it was committed, and what the stash holds.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Instant,
};

use super::git_code::Places;
use crate::{
    core::event::ToolCall,
    shell::Run,
    world::{World, git},
};

/// What a `git stash` without paths does.
#[derive(Debug, PartialEq, Eq)]
enum Stash<'a> {
    /// Also what git does not track.
    Push { all: bool },
    /// The stash by its name, as git takes it.
    Pop(&'a str),
}

/// The files, absolute, that stashes of a call write.
pub(super) fn written(call: &ToolCall, cwd: &Path, world: &World, until: Instant) -> Vec<String> {
    let mut found = BTreeSet::new();
    for reading in &call.readings {
        let stashes: Vec<(&Run, Stash)> =
            reading.runs.iter().filter_map(|run| Some((run, stash(run)?))).collect();
        if stashes.is_empty() {
            continue;
        }
        let places = Places::of(reading, cwd, world);
        for (run, stash) in stashes {
            let (folders, _) = places.of_run(run, world);
            let roots: BTreeSet<PathBuf> = folders.iter().map(|it| git::root(it)).collect();
            for root in &roots {
                let named = match stash {
                    Stash::Push { all } => git::uncommitted(root, all, until),
                    Stash::Pop(name) => git::stashed(root, name, until),
                };
                // Nobody knows: whatever it is, it lies there.
                let named: Vec<String> = named.unwrap_or_else(|_| vec![String::new()]);
                found.extend(named.iter().map(|it| root.join(it).to_string_lossy().into_owned()));
            }
        }
    }
    found.into_iter().collect()
}

fn stash(run: &Run) -> Option<Stash<'_>> {
    const LAST: &str = "stash@{0}";
    let words = run.words();
    let ["git", "stash", rest @ ..] = &words[..] else { return None };
    let verb = rest.first().copied().filter(|it| !it.starts_with('-'));
    let options = if verb.is_some() { &rest[1..] } else { rest };
    let all = options.iter().any(|it| {
        let is_short = it.starts_with('-') && !it.starts_with("--");
        matches!(*it, "--all" | "--include-untracked") || is_short && it.contains(['a', 'u'])
    });
    let operand = || options.iter().rev().copied().find(|it| !it.starts_with('-'));
    match verb {
        None | Some("save") => Some(Stash::Push { all }),
        Some("push") => (!names_paths(options)).then_some(Stash::Push { all }),
        Some("pop" | "apply") => Some(Stash::Pop(operand().unwrap_or(LAST))),
        Some("branch") => {
            let named = options.iter().filter(|it| !it.starts_with('-')).nth(1);
            Some(Stash::Pop(named.copied().unwrap_or(LAST)))
        }
        Some(_) => None,
    }
}

/// Whether `git stash push` is told what to take away.
fn names_paths(options: &[&str]) -> bool {
    let mut words = options.iter();
    while let Some(word) = words.next() {
        match *word {
            "-m" | "--message" => drop(words.next()),
            "--" => return words.next().is_some(),
            it if it.starts_with("--pathspec-from-file") => return true,
            it if it.starts_with('-') => (),
            _ => return true,
        }
    }
    false
}
