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
    shell::{HOLE, Run},
    world::{
        World,
        git::{self, Untracked},
    },
};

/// The newest stash.
const LAST: &str = "stash@{0}";

/// What a `git stash` without paths does.
#[derive(Debug, PartialEq, Eq)]
enum Stash<'a> {
    Push(Untracked),
    /// Of some files, which are named.
    PushSome,
    /// The stash by its name, as git takes it; `apply` leaves it where it is.
    Pop {
        name: &'a str,
        is_kept: bool,
    },
    Drop,
    Unknown,
}

/// A file that a stash writes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stashed {
    /// Absolute.
    pub(super) path: String,
    /// The commit that says what it holds then.
    pub(super) becomes: String,
}

/// The files that stashes of a call write.
pub(super) fn written(call: &ToolCall, cwd: &Path, world: &World, until: Instant) -> Vec<Stashed> {
    let mut found = BTreeSet::new();
    for reading in &call.readings {
        let stashes: Vec<(&Run, Stash)> =
            reading.runs.iter().filter_map(|run| Some((run, stash(run)?))).collect();
        if stashes.is_empty() {
            continue;
        }
        let places = Places::of(reading, cwd, world);
        // Which stash has which name by now is known no more.
        let (mut is_one_gone, mut is_one_new) = (false, false);
        for (run, stash) in stashes {
            let (folders, _) = places.of_run(run, world);
            let roots: BTreeSet<PathBuf> = folders.iter().map(|it| git::root(it)).collect();
            for root in &roots {
                let named = match stash {
                    Stash::Push(untracked) => git::uncommitted(root, untracked, until).ok(),
                    Stash::PushSome | Stash::Drop => Some(Vec::new()),
                    Stash::Pop { name, .. }
                        if is_one_gone || is_one_new && name != LAST || name.contains(HOLE) =>
                    {
                        None
                    }
                    Stash::Pop { name, .. } => git::stashed(root, name, until).ok(),
                    Stash::Unknown => None,
                };
                // Nobody knows: whatever it is, it lies there.
                let named: Vec<String> = named.unwrap_or_else(|| vec![String::new()]);
                let becomes = match stash {
                    Stash::Pop { name, .. } if name.bytes().all(|it| it.is_ascii_digit()) => {
                        format!("stash@{{{name}}}")
                    }
                    Stash::Pop { name, .. } => name.to_owned(),
                    Stash::Push(_) | Stash::PushSome | Stash::Drop | Stash::Unknown => {
                        "HEAD".to_owned()
                    }
                };
                found.extend(named.iter().map(|it| Stashed {
                    path: root.join(it).to_string_lossy().into_owned(),
                    becomes: becomes.clone(),
                }));
            }
            match stash {
                Stash::Push(_) | Stash::PushSome => is_one_new = true,
                Stash::Drop | Stash::Pop { is_kept: false, .. } => is_one_gone = true,
                Stash::Pop { .. } | Stash::Unknown => (),
            }
        }
    }
    found.into_iter().collect()
}

fn stash(run: &Run) -> Option<Stash<'_>> {
    let words = run.words();
    let ["git", "stash", rest @ ..] = &words[..] else { return None };
    let verb = rest.first().copied().filter(|it| !it.starts_with('-'));
    let options = if verb.is_some() { &rest[1..] } else { rest };
    let operand = || options.iter().rev().copied().find(|it| !it.starts_with('-'));
    match verb {
        Some("push") if names_paths(options) => Some(Stash::PushSome),
        None | Some("save" | "push") => Some(Stash::Push(untracked(options))),
        Some(verb @ ("pop" | "apply")) => {
            Some(Stash::Pop { name: operand().unwrap_or(LAST), is_kept: verb == "apply" })
        }
        Some("branch") => {
            let named = options.iter().filter(|it| !it.starts_with('-')).nth(1);
            Some(Stash::Pop { name: named.copied().unwrap_or(LAST), is_kept: false })
        }
        Some("drop") => Some(Stash::Drop),
        Some(it) if it.contains(HOLE) => Some(Stash::Unknown),
        Some(_) => None,
    }
}

/// Git takes an option by its beginning, too.
fn untracked(options: &[&str]) -> Untracked {
    let has = |short: char, long: &str, least: usize| {
        options.iter().any(|it| match it.strip_prefix("--") {
            Some(name) => name.len() >= least && long.starts_with(name),
            // Behind an `m` stands what the stash is called.
            None => it.strip_prefix('-').is_some_and(|it| {
                let letters = it.split('m').next().unwrap_or_default();
                letters.contains(short)
            }),
        })
    };
    if has('a', "all", 1) {
        Untracked::All
    } else if has('u', "include-untracked", 1) {
        Untracked::Some
    } else {
        Untracked::None
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
