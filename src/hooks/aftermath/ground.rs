//! What is left out of a look at the work tree: what the intents leave alone,
//! and what git does, unless somebody is to be kept from it.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use crate::{
    core::intent::{
        ignore::Ignore,
        state::InFlight,
        target::{Case, Kind, Place, Target, guarded},
    },
    hooks::aims::Look,
    shell, sidecar,
    world::{
        git,
        mtime_scan::{self, Skips},
        read_text,
    },
};

pub(super) struct Ground<'a> {
    look: Look<'a>,
    intent: &'a str,
    since: mtime_scan::Time,
    /// Of each folder that one is in, from the root on: its `.gitignore`.
    git: Vec<(String, Option<Ignore>)>,
    /// `.git/info/exclude`
    excluded: Option<Ignore>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(look: Look<'a>, flight: &'a InFlight, since: mtime_scan::Time) -> Self {
        let mut ground =
            Self { look, intent: &flight.intent_id, since, git: Vec::new(), excluded: None };
        let common = git::git_dirs(&look.roz.project).map(|(_, common)| common);
        ground.excluded = common.and_then(|it| ground.read(&it.join("info/exclude")));
        ground
    }

    /// One that the call itself may have written says nothing.
    fn read(&self, path: &Path) -> Option<Ignore> {
        Some(Ignore::of_git(&self.old_text(path)?))
    }

    /// A file's text, unless the call may have written it.
    fn old_text(&self, path: &Path) -> Option<String> {
        const LONGEST: u64 = 1 << 20;
        let meta = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
        if (meta.ctime(), meta.ctime_nsec()) >= self.since {
            return None;
        }
        read_text(path, LONGEST)
    }

    /// Whether it is another checkout of the repository: that is a project of
    /// its own, where other agents work.
    fn is_worktree(&self, path: &str) -> bool {
        let text = self.old_text(&self.look.roz.project.join(path).join(".git"));
        text.is_some_and(|it| it.starts_with("gitdir:") && it.contains("/worktrees/"))
    }

    fn git_ignores(&self, path: &str, is_folder: bool) -> bool {
        for (folder, ignore) in self.git.iter().rev() {
            let inside = if folder.is_empty() {
                Some(path)
            } else {
                path.strip_prefix(folder.as_str()).and_then(|it| it.strip_prefix('/'))
            };
            if let (Some(ignore), Some(inside)) = (ignore, inside)
                && let Some(says) = ignore.ignores(inside, is_folder)
            {
                return says;
            }
        }
        self.excluded.as_ref().and_then(|it| it.ignores(path, is_folder)).unwrap_or(false)
    }

    fn skips(&self, path: &str, is_folder: bool) -> bool {
        let kind = if is_folder { Kind::Folder } else { Kind::File };
        let treatment = self.look.ignore.treats(&plain_target(path, kind), Some(self.intent));
        if treatment.deny.is_some() || treatment.ask.is_some() {
            return false;
        }
        treatment.untracked.is_some()
            || guarded(path).is_none() && self.git_ignores(path, is_folder)
    }
}

impl Skips for Ground<'_> {
    fn enters(&mut self, folder: &str) {
        let ignore = self.read(&self.look.roz.project.join(folder).join(".gitignore"));
        self.git.push((folder.to_owned(), ignore));
    }

    fn leaves(&mut self) {
        self.git.pop();
    }

    fn folder(&self, path: &str) -> bool {
        let name = shell::last_part(path);
        name == ".git"
            || name == sidecar::FOLDER
            || self.skips(path, true)
            || self.is_worktree(path)
    }

    fn file(&self, path: &str) -> bool {
        // Roz itself writes there, from any hook.
        let is_own = [".roz/", ".grove/"].iter().any(|it| path.starts_with(it));
        if is_own {
            return path != ".roz/config.toml";
        }
        self.skips(path, false)
    }
}

fn plain_target(path: &str, kind: Kind) -> Target {
    let place = Place::Inside(path.to_owned());
    Target {
        written: place.clone(),
        real: place,
        kind,
        case: Case::Unknown,
        links: 1,
        guarded: None,
    }
}
