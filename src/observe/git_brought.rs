//! What git itself wrote while a call ran, with `git switch`, `pull`, `merge`, `rebase`, `restore`
//! or `stash pop`. Such changes are nobody's.
//!
//! The content decides, not the command line. Git wrote a path if its content (or its absence) is
//! now that of one of these commits:
//!
//! - the commit that was checked out when the call began, and the stashes at that time;
//! - each commit that HEAD reached without being committed here: another branch, a fetched commit,
//!   the result of a merge or a rebase. HEAD's reflog lists them.
//!
//! A commit that the call itself made does not count, and excludes what it changed: after `echo x >
//! f; git commit -am x; git switch -`, `f` is still changed by the agent.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    time::Instant,
};

use crate::{
    core::intent::state::GitStart,
    world::{
        changed_since::{self, Time},
        git::{self, Error, feed_git},
        lossy, read_ending, read_text,
    },
};

/// How many stashes are remembered.
const MAX_STASHES: usize = 5;
/// How many of the last commits are looked up.
const MAX_COMMITS: usize = 12;
/// How much of the reflog is read, in bytes.
const MAX_LOG: u64 = 64 << 10;

/// The state of git when a call begins. Reads two small files.
pub fn start(project: &Path) -> GitStart {
    let Some((own, common)) = git::git_dirs(project) else { return GitStart::default() };
    let head_log = fs::metadata(own.join("logs/HEAD")).map_or(0, |log| log.len());
    let stashes = read_ending(&common.join("logs/refs/stash"), 4096).unwrap_or_default();
    let stashes = git::reflog(&stashes).rev().map(|moved| moved.new.to_owned());
    GitStart { head: git::head(project), head_log, stashes: stashes.take(MAX_STASHES).collect() }
}

/// The commits that distinguish git's changes from those of a call.
#[derive(Debug)]
pub struct Brought<'a> {
    project: &'a Path,
    /// Commits and stashes from before the call.
    before: Vec<String>,
    /// Commits that HEAD reached and that the call did not make.
    moved_to: Vec<String>,
    /// Commits that the call made.
    made: Vec<String>,
    until: Instant,
}

impl<'a> Brought<'a> {
    /// `None` if git has not changed the work tree since then.
    pub fn since(project: &'a Path, start: &GitStart, since: Time, until: Instant) -> Option<Self> {
        let (own, _) = git::git_dirs(project)?;
        let log = own.join("logs/HEAD");
        let added =
            fs::metadata(&log).map_or(0, |metadata| metadata.len()).saturating_sub(start.head_log);
        let log = read_ending(&log, added.min(MAX_LOG)).unwrap_or_default();
        let index = own.join("index").symlink_metadata();
        if log.is_empty() && !index.is_ok_and(|meta| changed_since::changed_at(&meta) >= since) {
            return None;
        }
        let makes = |moved: &git::Moved| {
            let verbs =
                ["commit:", "commit (amend", "commit (initial", "cherry-pick", "revert", "am"];
            verbs.iter().any(|verb| moved.action.starts_with(verb))
        };
        let (made, moved_to): (Vec<_>, Vec<_>) =
            git::reflog(&log).rev().take(MAX_COMMITS).partition(makes);
        let made: Vec<String> = made.into_iter().map(|moved| moved.new.to_owned()).collect();
        // A merge with unresolved conflicts counts, too.
        let merged = read_text(&own.join("MERGE_HEAD"), 4096).unwrap_or_default();
        let came_to = |git::Moved { new, action, .. }| {
            let parent = if action.starts_with("commit (merge)") { "^2" } else { "" };
            format!("{new}{parent}")
        };
        let moved_to = moved_to.into_iter().map(came_to).filter(|id| !made.contains(id));
        let moved_to = moved_to.chain(merged.lines().map(str::to_owned)).collect();
        let before = start.head.iter().chain(&start.stashes).cloned().collect();
        Some(Self { project, before, moved_to, made, until })
    }

    /// The `paths` (relative to the project's root) that git wrote; empty if git does not answer.
    pub fn of<'p>(&self, paths: impl IntoIterator<Item = &'p str>) -> BTreeSet<String> {
        // Git reads one path per line.
        let paths: Vec<&str> = paths.into_iter().filter(|path| !path.contains('\n')).collect();
        if paths.is_empty() {
            return BTreeSet::new();
        }
        self.compared(&paths).unwrap_or_default()
    }

    fn compared(&self, paths: &[&str]) -> Result<BTreeSet<String>, Error> {
        let now = self.ids_now(paths)?;
        // Git wrote both sides of a conflict into the file.
        let unmerged = self.git(&["ls-files", "--unmerged", "-z"], b"")?;
        let is_unmerged = |path: &str| {
            unmerged
                .split('\0')
                .any(|part| part.split_once('\t').is_some_and(|parts| parts.1 == path))
        };
        let made = self.made.iter().flat_map(|id| [id.clone(), format!("{id}^1")]);
        let commits: Vec<String> =
            self.before.iter().chain(&self.moved_to).cloned().chain(made).collect();
        let of_commits = self.ids_at(&commits, paths)?;
        let (before, others) = of_commits.split_at(self.before.len().min(of_commits.len()));
        let (moved_to, made) = others.split_at(self.moved_to.len().min(others.len()));
        let is_brought = |(index, path): &(usize, &&str)| {
            let Some(now) = now.get(**path) else { return false };
            if is_unmerged(path) {
                return true;
            }
            let has = |ids: &Vec<Option<String>>| ids.get(*index) == Some(now);
            // If a stash or the earlier commit lacks a file, that does not tell who removed it.
            let was_before = now.is_some() && before.iter().any(has);
            let is_made = |pair: &[_]| matches!(pair, [own, parent] if has(own) && !has(parent));
            (was_before || moved_to.iter().any(has)) && !made.chunks(2).any(is_made)
        };
        let brought = paths.iter().enumerate().filter(is_brought);
        Ok(brought.map(|(_, path)| (*path).to_owned()).collect())
    }

    /// The blob id of each path in the work tree as git would store it, `None` for a path where
    /// there is nothing. Anything but files and links is left out.
    fn ids_now<'p>(&self, paths: &[&'p str]) -> Result<BTreeMap<&'p str, Option<String>>, Error> {
        let mut ids = BTreeMap::new();
        let mut files = Vec::new();
        let mut links = Vec::new();
        for path in paths {
            match self.project.join(path).symlink_metadata() {
                Ok(meta) if meta.is_file() => files.push(*path),
                Ok(meta) if meta.is_symlink() => links.push(*path),
                Ok(_) => (),
                Err(_) => _ = ids.insert(*path, None),
            }
        }
        if !files.is_empty() {
            let said = self.git(&["hash-object", "--stdin-paths"], files.join("\n").as_bytes())?;
            ids.extend(files.into_iter().zip(said.lines().map(|id| Some(id.to_owned()))));
        }
        // Each link takes a process.
        for path in links.into_iter().take(20) {
            let Ok(target) = self.project.join(path).read_link() else { continue };
            let said =
                self.git(&["hash-object", "--stdin"], target.as_os_str().as_encoded_bytes())?;
            ids.insert(path, Some(said.trim().to_owned()));
        }
        Ok(ids)
    }

    /// For each commit the blob ids of the paths, in the same order. Starts one process.
    fn ids_at(
        &self,
        commits: &[String],
        paths: &[&str],
    ) -> Result<Vec<Vec<Option<String>>>, Error> {
        let names = commits.iter().flat_map(|commit| paths.iter().map(move |path| (commit, path)));
        let lines: Vec<String> =
            names.map(|(commit, path)| format!("{commit}:./{path}\n")).collect();
        let input = lines.concat();
        let said = self.git(&["cat-file", "--batch-check=%(objectname)"], input.as_bytes())?;
        let id = |line: &str| (!line.contains(' ')).then(|| line.to_owned());
        let ids: Vec<Option<String>> = said.lines().map(id).collect();
        Ok(ids.chunks(paths.len()).map(<[_]>::to_vec).collect())
    }

    fn git(&self, args: &[&str], input: &[u8]) -> Result<String, Error> {
        feed_git(self.project, args, &[], input, self.until).map(lossy)
    }
}
