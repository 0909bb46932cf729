//! What git puts back to what it keeps (`git restore .`, `git stash push -- src`):
//! of a folder that is named, the files that are not so.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    path::{Path, PathBuf},
    time::Instant,
};

use super::stashed;
use crate::{
    core::event::ToolCall,
    shell::{HOLE, Run},
    sidecar,
    world::{git, links::normal},
};

pub(super) struct PutBack<'a> {
    call: &'a ToolCall<'a>,
    cwd: &'a Path,
    until: Instant,
    /// Of each work tree the files that are not as they were committed; none where
    /// git did not say.
    known: BTreeMap<PathBuf, Option<Vec<PathBuf>>>,
}

/// A path that is put back.
pub(super) enum Back {
    /// As the line names it.
    Named(String),
    /// A file below what it names.
    Found(PathBuf),
}

impl<'a> PutBack<'a> {
    pub(super) fn new(call: &'a ToolCall, cwd: &'a Path, until: Instant) -> Self {
        Self { call, cwd, until, known: BTreeMap::new() }
    }

    /// The files that it comes to for a path; the path itself where that cannot be
    /// said, or is a file's.
    pub(super) fn files(&mut self, path: String) -> Vec<Back> {
        if let Some((known, rest)) = path.split_once(HOLE) {
            let below = if rest.is_empty() && (known.is_empty() || known.ends_with('/')) {
                self.below(&self.cwd.join(known))
            } else {
                None
            };
            // The sidecar is not what any path is likely to be, and looked at after the call.
            let is_sidecars = |it: &PathBuf| it.iter().any(|it| it == sidecar::FOLDER);
            let below = below.unwrap_or_default().into_iter().filter(|it| !is_sidecars(it));
            return below.map(Back::Found).chain([Back::Named(path)]).collect();
        }
        // A link is meant itself.
        let folder = normal(&self.cwd.join(&path));
        let mut runs = self.call.runs();
        let is_folder = folder.symlink_metadata().is_ok_and(|it| it.is_dir());
        let is_known = is_folder && runs.all(keeps_index);
        match self.below(&folder).filter(|_| is_known) {
            Some(below) => below.into_iter().map(Back::Found).collect(),
            None => vec![Back::Named(path)],
        }
    }

    /// Those that lie in a folder.
    fn below(&mut self, folder: &Path) -> Option<Vec<PathBuf>> {
        let real = folder.canonicalize().ok()?;
        let root = git::find_root(&real)?;
        // A hidden folder that is named is meant as it is.
        let is_hidden = |it: &OsStr| it.as_encoded_bytes().starts_with(b".");
        if real.strip_prefix(&root).ok()?.iter().any(is_hidden) {
            return None;
        }
        // Git may be told to go into submodules as well.
        if root.join(".gitmodules").symlink_metadata().is_ok() {
            return None;
        }
        let untracked = stashed::takes_untracked(self.call);
        let until = self.until;
        let all = self.known.entry(root.clone()).or_insert_with(|| {
            let mut files = git::uncommitted(&root, untracked, until).ok()?;
            // The index may hold something else than either.
            files.extend(git::unlike_index(&root, until).ok()?);
            let files: BTreeSet<String> = files.into_iter().collect();
            Some(files.into_iter().map(|it| root.join(it)).collect())
        });
        let below = all.as_ref()?.iter().filter(|it| it.starts_with(&real));
        Some(below.cloned().collect())
    }
}

/// Whether the index differs from the work tree after it in no file that it does
/// not differ in before.
pub(super) fn keeps_index(run: &Run) -> bool {
    const KEEP: &[&str] = &[
        "blame",
        "branch",
        "commit",
        "describe",
        "diff",
        "fetch",
        "grep",
        "log",
        "ls-files",
        "push",
        "remote",
        "rev-parse",
        "show",
        "status",
        "tag",
    ];
    let is_of_commit = |it: &&str| {
        it.starts_with(HOLE)
            || it.starts_with("--so")
            || !it.starts_with("--") && it.starts_with('-') && it.contains(['s', HOLE])
    };
    let sets_more = |it: &&str| it.starts_with("--c") || it.starts_with("--r");
    match &run.words()[..] {
        ["git", "stash", rest @ ..] => rest.first() != Some(&"branch"),
        ["git", "restore", rest @ ..] => !rest.iter().any(is_of_commit),
        // Behind what a commit's name could stand in, there are paths.
        ["git", "checkout", rest @ ..] => {
            let is_option =
                |it: &&&str| matches!(**it, "-q" | "--quiet") || it.starts_with(stashed::LIST);
            rest.iter().find(|it| !is_option(it)).is_none_or(|it| matches!(*it, "--" | "."))
        }
        ["git", "add", rest @ ..] => !rest.iter().any(sets_more),
        ["git", verb, ..] => KEEP.contains(verb),
        _ => !run.program.contains(HOLE),
    }
}
