//! What `git stash` takes away and brings back, where the line names no file:
//! every file that is not as it was committed, and what the stash holds.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Instant,
};

use super::{
    git_code::Places,
    stash_stack::{Meant, Stack, number},
};
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
    PushSome(Untracked, Vec<&'a str>),
    /// The stash by its name, as git takes it; `apply` leaves it where it is.
    Pop {
        name: &'a str,
        is_kept: bool,
    },
    Drop(&'a str),
    /// Of a commit that is there.
    Store,
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
        if !reading.runs.iter().any(|run| stash(run).is_some()) {
            continue;
        }
        let places = Places::of(reading, None, cwd, world);
        let mut stacks: BTreeMap<PathBuf, Stack> = BTreeMap::new();
        // What the line does before may leave nothing to be put away.
        let mut is_as_it_stands = true;
        for (at, run) in reading.runs.iter().enumerate() {
            let Some(stash) = stash(run) else {
                is_as_it_stands &= !changes_the_tree(run);
                continue;
            };
            let (folders, _) = places.of_run(at, world);
            let roots: BTreeSet<PathBuf> = folders.iter().map(|it| git::root(it)).collect();
            for root in roots {
                let stack = stacks.entry(root.clone()).or_default();
                let is_sure = is_as_it_stands && !run.conditional;
                let named = files(&stash, is_sure, &root, stack, until);
                // Nobody knows: whatever it is, it lies there.
                let named = named.unwrap_or_else(|| vec![(String::new(), "HEAD".to_owned())]);
                found.extend(named.into_iter().map(|(inside, becomes)| Stashed {
                    path: root.join(inside).to_string_lossy().into_owned(),
                    becomes,
                }));
            }
        }
    }
    found.into_iter().collect()
}

/// What one stash writes, from the root, each file with the commit that says
/// what it holds then; `stack` learns of it. None: nobody knows.
fn files(
    stash: &Stash,
    is_sure: bool,
    root: &Path,
    stack: &mut Stack,
    until: Instant,
) -> Option<Vec<(String, String)>> {
    let all = |files: Vec<String>, becomes: &str| -> Vec<(String, String)> {
        files.into_iter().map(|it| (it, becomes.to_owned())).collect()
    };
    match *stash {
        Stash::Push(untracked) => {
            let files = git::uncommitted(root, untracked, until).ok()?;
            stack.makes(is_sure && !files.is_empty());
            Some(all(files, "HEAD"))
        }
        Stash::PushSome(untracked, ref paths) => {
            let files = git::uncommitted(root, untracked, until).ok()?;
            let is_among = |it: &String| paths.iter().any(|path| it.ends_with(path));
            stack.makes(is_sure && files.iter().any(is_among));
            Some(Vec::new())
        }
        Stash::Store => {
            stack.stores();
            Some(Vec::new())
        }
        Stash::Drop(name) => {
            // One that is named by nothing that counts may be any.
            stack.takes(number(name).unwrap_or_default());
            Some(Vec::new())
        }
        Stash::Pop { name, .. } if name.contains(HOLE) => None,
        Stash::Pop { name, is_kept } => {
            let Some(number) = number(name) else {
                let is_moved = name.contains('@') && !stack.is_as_it_was();
                return if is_moved {
                    None
                } else {
                    Some(all(git::stashed(root, name, until).ok()?, name))
                };
            };
            let Meant::Old(meant) = stack.meant(number) else { return None };
            let there = git::stashes(root, until).ok()?;
            let mut found = Vec::new();
            for id in meant.into_iter().filter_map(|it| there.get(it)) {
                found.extend(all(git::stashed(root, id, until).ok()?, id));
            }
            if !is_kept {
                stack.takes(number);
            }
            Some(found)
        }
        Stash::Unknown => None,
    }
}

/// Whether it may leave less to be put away than there was.
fn changes_the_tree(run: &Run) -> bool {
    const LOOKS: &[&str] = &["status", "diff", "log", "show", "fetch", "rev-parse", "branch"];
    let words = run.words();
    words.first() == Some(&"git") && !words.get(1).is_some_and(|it| LOOKS.contains(it))
}

fn stash(run: &Run) -> Option<Stash<'_>> {
    let words = run.words();
    let ["git", "stash", rest @ ..] = &words[..] else { return None };
    let verb = rest.first().copied().filter(|it| !it.starts_with('-'));
    let options = if verb.is_some() { &rest[1..] } else { rest };
    let operand = || options.iter().rev().copied().find(|it| !it.starts_with('-'));
    match verb {
        Some("push") if names_paths(options) => {
            let paths = options.iter().copied().filter(|it| !it.starts_with('-'));
            Some(Stash::PushSome(untracked(options), paths.collect()))
        }
        None | Some("save" | "push") => Some(Stash::Push(untracked(options))),
        Some(verb @ ("pop" | "apply")) => {
            Some(Stash::Pop { name: operand().unwrap_or(LAST), is_kept: verb == "apply" })
        }
        Some("branch") => {
            let named = options.iter().filter(|it| !it.starts_with('-')).nth(1);
            Some(Stash::Pop { name: named.copied().unwrap_or(LAST), is_kept: false })
        }
        Some("drop") => Some(Stash::Drop(operand().unwrap_or(LAST))),
        Some("store") => Some(Stash::Store),
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
