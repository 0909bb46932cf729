//! The work in a repository: its base, its present state, and how both compare with what was
//! approved. This module asks git; `core::review::work` interprets the answers.
//!
//! The present state is written as a git tree, with a copy of the index and into a folder of roz's
//! own, so that the repository does not change.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

pub use super::repository::Repository;
use super::status::{Status, objects_env};
use crate::{
    core::review::{
        approval::{Approved, Table},
        diff::{self, FileDiff},
        work::{self, Push},
    },
    world::{
        files,
        git::{self, Error, feed_git, git_with},
        read_text,
    },
};

const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// How many files are compared with the approved ones hunk by hunk.
const MAX_HUNKS: usize = 200;

/// What is needed besides the repository.
pub struct Scene<'a> {
    pub home: &'a Path,
    pub table: &'a Table,
    /// The files that were dirty when the session began, by path, with a hash of their content.
    pub dirty_before: &'a BTreeMap<String, String>,
    /// Whether a session is known to have written the file.
    pub is_written: &'a dyn Fn(&Path) -> bool,
    /// Folders in which enabled ticket systems keep their data.
    pub ticket_folders: &'a [String],
    pub until: Instant,
}

#[derive(Debug, Clone, Default)]
pub struct Question {
    /// What it pushes, if it is a push. This is judged instead of the work tree.
    pub push: Option<Push>,
    /// Its gate key. An approval of an empty work is for one key.
    pub key: Option<String>,
}

#[derive(Debug)]
pub struct State {
    pub repository: Repository,
    store: PathBuf,
    objects: PathBuf,
    pub head: Option<String>,
    pub branch: Option<String>,
    pub(super) head_tree: String,
    pub tree: String,
    /// The tree at which the branch left the default branch.
    pub fork: String,
    pub(super) default_tree: Option<String>,
    pub(super) default_commit: Option<String>,
    fork_commit: Option<String>,
    pub left_out: Vec<String>,
    ticket_folders: Vec<String>,
    until: Instant,
}

impl State {
    /// Looks at a work tree. Fails if the index has unmerged files, untracked files are too large,
    /// or no time is left.
    pub fn of(repository: &Repository, scene: &Scene) -> Result<Self, Error> {
        let store = repository.store(scene.home);
        let at = |source| Error::Io { path: store.clone(), source };
        files::make_private_folder(&store).map_err(at)?;
        let root = &repository.root;
        let status = Status::of(repository, scene)?;
        let dirs = git::git_dirs(root);
        let (git_dir, _) = dirs.ok_or_else(|| Error::NoRepository(root.clone()))?;
        let mut state = Self {
            repository: repository.clone(),
            objects: repository.common.join("objects"),
            store,
            branch: status.branch.clone(),
            head: status.head.clone(),
            head_tree: String::new(),
            tree: String::new(),
            fork: String::new(),
            default_tree: None,
            default_commit: repository.default_branch(scene.until)?,
            fork_commit: None,
            left_out: status.left_out.clone(),
            ticket_folders: scene.ticket_folders.to_vec(),
            until: scene.until,
        };
        state.head_tree = match &state.head {
            Some(head) => state.tree_of(head)?,
            None => EMPTY_TREE.to_owned(),
        };
        if let Some(commit) = &state.default_commit {
            state.default_tree = Some(state.tree_of(commit)?);
        }
        let fork = match (&state.head, &state.default_commit, &scene.table.first) {
            (Some(head), Some(default), _) => state.merge_base(head, default)?,
            (_, None, Some(first)) => first.clone(),
            (None, _, _) => None,
            (Some(head), None, None) => Some(head.clone()),
        };
        let fork_tree = fork.as_ref().and_then(|commit| state.tree_of(commit).ok());
        state.fork = fork_tree.unwrap_or_else(|| EMPTY_TREE.to_owned());
        state.fork_commit = fork;
        state.tree = state.written(&status, &git_dir.join("index"))?;
        Ok(state)
    }

    fn git(&self, args: &[&str]) -> Result<String, Error> {
        git_with(&self.repository.root, args, &self.env(), self.until)
    }

    fn env(&self) -> [(&'static str, &OsStr); 2] {
        objects_env(&self.store, &self.objects)
    }

    pub(super) fn tree_of(&self, commit: &str) -> Result<String, Error> {
        let name = format!("{commit}^{{tree}}");
        let tree = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?;
        Ok(tree.trim().to_owned())
    }

    pub(super) fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, Error> {
        match self.git(&["merge-base", one, other]) {
            Ok(commit) => Ok(Some(commit.trim().to_owned())),
            // The histories have no commit in common.
            Err(Error::Git { said, .. }) if said.is_empty() => Ok(None),
            Err(err) => Err(err),
        }
    }

    /// The tree of the present state. For a clean work tree it is the tree of the commit.
    fn written(&self, status: &Status, own_index: &Path) -> Result<String, Error> {
        if status.is_clean() {
            return Ok(self.head_tree.clone());
        }
        let root = &self.repository.root;
        let index = self.store.join(format!("index-{}", std::process::id()));
        // The copy keeps git's stat data, so that unchanged files are not read again. It needs the
        // age of the original, because git reads files again that are as new as the index.
        let is_copied = git::copy_with_age(own_index, &index).is_ok();
        let [store, objects] = self.env();
        let env = [store, objects, ("GIT_INDEX_FILE", index.as_os_str())];
        let run = |args: &[&str]| git_with(root, args, &env, self.until);
        let feed = |args: &[&str], input: &str| {
            if input.is_empty() {
                return Ok(());
            }
            feed_git(root, args, &env, input.as_bytes(), self.until).map(drop)
        };
        let written = (|| {
            if !is_copied {
                run(&["read-tree", &self.head_tree])?;
            }
            feed(&["update-index", "-z", "--index-info"], &status.as_committed)?;
            let add = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
            feed(&add, &status.as_present)?;
            // The objects of unchanged files exist, and checking each would take longer than all
            // the rest.
            run(&["write-tree", "--missing-ok"])
        })();
        let _ = fs::remove_file(&index);
        let _ = fs::remove_file(index.with_extension("lock"));
        if written.is_err() {
            git::sweep(&self.store);
        }
        Ok(written?.trim().to_owned())
    }

    /// The paths in which two trees differ, each with whether it is in the new one. Paths that are
    /// not part of the work are left out.
    pub(super) fn differ(&self, old: &str, new: &str) -> Result<BTreeMap<String, bool>, Error> {
        if old == new {
            return Ok(BTreeMap::new());
        }
        let raw =
            self.git(&["diff-tree", "-r", "-z", "--name-status", "--no-renames", old, new])?;
        let mut found = BTreeMap::new();
        let mut fields = raw.split('\0');
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            if !work::is_record(path, &self.ticket_folders) {
                found.insert(path.to_owned(), status != "D");
            }
        }
        Ok(found)
    }

    pub fn paths(&self, old: &str, new: &str) -> Result<BTreeSet<String>, Error> {
        Ok(self.differ(old, new)?.into_keys().collect())
    }

    /// Whether an approval was given on this branch, or on an ancestor of the checked out commit.
    pub(super) fn is_here(&self, approved: &Approved) -> bool {
        let (Some(then), Some(now)) = (&approved.head, &self.head) else {
            return approved.branch == self.branch;
        };
        self.branch.is_some() && approved.branch == self.branch
            || then == now
            || self.git(&["merge-base", "--is-ancestor", then, now]).is_ok()
    }

    /// The `paths` whose hunks against the fork are the same as the approved ones.
    pub(super) fn with_same_hunks(
        &self,
        approved: &Approved,
        (fork, tree): (&str, &str),
        paths: &[&str],
    ) -> Result<BTreeSet<String>, Error> {
        if paths.is_empty() || paths.len() > MAX_HUNKS || fork == approved.fork {
            return Ok(BTreeSet::new());
        }
        let lines = |file: FileDiff| {
            let is_whole = |hunk: &diff::Hunk| hunk.extent == diff::Extent::Whole;
            let is_text = !file.is_binary && file.hunks.iter().all(is_whole);
            let hunks: Vec<Vec<String>> = file.hunks.into_iter().map(|hunk| hunk.lines).collect();
            (is_text && !hunks.is_empty()).then_some((file.path, hunks))
        };
        let changes = |old: &str, new: &str| -> Result<BTreeSet<_>, Error> {
            let files = self.diff(old, new, paths, &["-U0", "--no-renames"])?;
            Ok(files.into_iter().filter_map(lines).collect())
        };
        let same = &changes(&approved.fork, &approved.tree)? & &changes(fork, tree)?;
        Ok(same.into_iter().map(|(path, _)| path).collect())
    }

    pub fn diff(
        &self,
        old: &str,
        new: &str,
        paths: &[&str],
        options: &[&str],
    ) -> Result<Vec<FileDiff>, Error> {
        const PLAIN: &str = "diff-tree -r -p --full-index --no-ext-diff --no-textconv --no-color";
        let plain: Vec<&str> = PLAIN.split(' ').collect();
        let text = self.git_of_paths(&[&plain, options, &[old, new]].concat(), paths)?;
        Ok(diff::parse(&text))
    }

    fn git_of_paths(&self, args: &[&str], paths: &[&str]) -> Result<String, Error> {
        let literal: Vec<String> =
            paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        let literal = literal.iter().map(String::as_str);
        let args: Vec<&str> = args.iter().copied().chain(["--"]).chain(literal).collect();
        self.git(&args)
    }

    /// Git's summary of the changes to some paths between a base and the present state.
    pub fn stat(&self, base: &str, paths: &[&str]) -> Result<String, Error> {
        let args = ["diff-tree", "-r", "-M", "--stat=100", "--no-ext-diff", base, &self.tree];
        self.git_of_paths(&args, paths)
    }

    /// The commits that are not on the default branch, newest first, one line each.
    pub fn commits(&self) -> Result<String, Error> {
        let (Some(head), Some(from)) = (&self.head, &self.fork_commit) else {
            return Ok(String::new());
        };
        let range = format!("{from}..{head}");
        self.git(&["log", "--oneline", "--no-decorate", "-n", "50", &range, "--"])
    }

    /// The files of the work: those that a reviewer of `base` has to look at.
    pub fn files(&self, base: &str) -> Result<Vec<String>, Error> {
        let mut paths = self.paths(base, &self.tree)?;
        if base != self.fork
            && let Some(default) = &self.default_tree
        {
            // Pulled changes were reviewed elsewhere.
            let not_default = self.paths(default, &self.tree)?;
            paths.retain(|path| not_default.contains(path));
        }
        Ok(paths.into_iter().collect())
    }
}

/// Deletes the git objects that roz kept for a repository's approvals.
pub fn forget(home: &Path, key: &str) {
    let _ = fs::remove_dir_all(home.join("trees").join(key));
}

/// Whether git ignores the file.
pub fn is_ignored(root: &Path, path: &Path, until: Instant) -> bool {
    let path = path.to_string_lossy();
    git_with(root, &["check-ignore", "-q", "--", &path], &[], until).is_ok()
}

/// Whether git tracks the file.
pub fn is_tracked(root: &Path, path: &Path, until: Instant) -> bool {
    let path = format!(":(literal){}", path.display());
    git_with(root, &["ls-files", "--error-unmatch", "--", &path], &[], until).is_ok()
}

/// The blob id that git gives a file's present content, and the content.
pub fn blob(file: &Path, until: Instant) -> Option<(String, String)> {
    let content = read_text(file, 8 << 20)?;
    let folder = file.parent()?;
    let name = file.to_string_lossy();
    let id = git_with(folder, &["hash-object", "--", &name], &[], until).ok()?;
    Some((id.trim().to_owned(), content))
}
