//! What the scan of the work tree after a call skips: files that are untracked according to
//! `.intentignore`, and files that git ignores, unless `.intentignore` protects them.

use std::{fs, path::Path};

use crate::{
    core::intent::{
        SIDECAR,
        ignore::Ignore,
        target::{Case, Kind, Place, Target, guarded},
    },
    world::{
        changed_since::{self, Skips},
        git, read_text,
    },
};

pub struct ScanFilter<'a> {
    project: &'a Path,
    /// The project's `.intentignore`.
    ignore: &'a Ignore,
    intent: &'a str,
    since: changed_since::Time,
    /// Of each folder that the scan is in, from the root on, what its `.gitignore` says; before them,
    /// what `.git/info/exclude` says.
    git: Vec<(String, Option<Ignore>)>,
}

impl<'a> ScanFilter<'a> {
    pub fn new(
        project: &'a Path,
        ignore: &'a Ignore,
        intent: &'a str,
        since: changed_since::Time,
    ) -> Self {
        let mut filter = Self { project, ignore, intent, since, git: Vec::new() };
        let exclude = git::git_dirs(project).map(|(_, common)| common.join("info/exclude"));
        filter.git.push((String::new(), exclude.and_then(|file| filter.read(&file))));
        filter
    }

    fn read(&self, path: &Path) -> Option<Ignore> {
        Some(Ignore::of_git(&self.old_text(path)?))
    }

    /// A file's text; `None` if the call may have written the file.
    fn old_text(&self, path: &Path) -> Option<String> {
        const LONGEST: u64 = 1 << 20;
        let meta = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
        if changed_since::changed_at(&meta) >= self.since {
            return None;
        }
        read_text(path, LONGEST)
    }

    /// Whether it is another checkout of the repository, which is a separate project in which other
    /// agents may work.
    fn is_worktree(&self, path: &str) -> bool {
        let text = self.old_text(&self.project.join(path).join(".git"));
        text.is_some_and(|text| text.starts_with("gitdir:") && text.contains("/worktrees/"))
    }

    fn git_ignores(&self, path: &str, is_folder: bool) -> bool {
        let said = self.git.iter().rev().find_map(|(folder, ignore)| {
            let inside = Path::new(path).strip_prefix(folder).ok()?;
            ignore.as_ref()?.ignores(inside.to_str()?, is_folder)
        });
        said.unwrap_or(false)
    }

    fn skips(&self, path: &str, is_folder: bool) -> bool {
        let kind = if is_folder { Kind::Folder } else { Kind::File };
        let target = Target::as_written(Place::Inside(path.to_owned()), kind, Case::Unknown);
        let treatment = self.ignore.treats(&target, Some(self.intent));
        if treatment.deny.is_some() || treatment.ask.is_some() {
            return false;
        }
        treatment.untracked.is_some()
            || guarded(path).is_none() && self.git_ignores(path, is_folder)
    }
}

impl Skips for ScanFilter<'_> {
    fn enters(&mut self, folder: &str) {
        let ignore = self.read(&self.project.join(folder).join(".gitignore"));
        self.git.push((folder.to_owned(), ignore));
    }

    fn leaves(&mut self) {
        self.git.pop();
    }

    fn folder(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        name == ".git" || name == SIDECAR || self.skips(path, true) || self.is_worktree(path)
    }

    fn file(&self, path: &str) -> bool {
        // Roz itself writes there, from any hook.
        let is_own = [".roz/", ".grove/"].iter().any(|folder| path.starts_with(folder));
        if is_own {
            return path != ".roz/config.toml";
        }
        self.skips(path, false)
    }
}
