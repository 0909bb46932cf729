//! The work of a repository: its base, its present state, and how the two compare with what was
//! approved. Git answers; `core::review::work` says what the answers mean.
//!
//! The present state is written as a git tree with a copy of the index, into a folder of roz's
//! own: the repository stays as it is.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs,
    os::unix::fs::DirBuilderExt as _,
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
        git::{self, Error, feed_git, git_with},
        read_text,
    },
};

/// Files whose hunks are compared with the approved ones.
const MAX_HUNKS: usize = 200;

/// What a look needs to know beside the repository.
pub struct Scene<'a> {
    /// `<ROZ_HOME>`.
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

/// What a gated call is about.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// What it pushes, where it is a push: judged instead of the work tree.
    pub push: Option<Push>,
    /// Its gate key: an empty work is approved for one.
    pub key: Option<String>,
}

/// The present state of a work tree.
#[derive(Debug)]
pub struct State {
    pub repository: Repository,
    store: PathBuf,
    objects: PathBuf,
    pub head: Option<String>,
    pub branch: Option<String>,
    pub(super) head_tree: String,
    pub tree: String,
    /// The tree in which the branch left the default branch.
    pub fork: String,
    pub(super) default_tree: Option<String>,
    pub(super) default_commit: Option<String>,
    fork_commit: Option<String>,
    pub left_out: Vec<String>,
    ticket_folders: Vec<String>,
    until: Instant,
}

/// One line of `git diff-tree --raw`: the entries of a path in two trees.
pub(super) struct Raw {
    pub(super) path: String,
    pub(super) was_there: bool,
    pub(super) is_there: bool,
}

impl State {
    /// Looks at a work tree.
    ///
    /// # Errors
    ///
    /// If git cannot tell: an unmerged index, untracked files that are too large, no time left.
    pub fn of(repository: &Repository, scene: &Scene) -> Result<Self, Error> {
        let store = repository.store(scene.home);
        let at = |source| Error::Io { path: store.clone(), source };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&store).map_err(at)?;
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
        let empty = empty_tree(state.head.as_deref());
        state.head_tree = match &state.head {
            Some(head) => state.tree_of(head)?,
            None => empty.clone(),
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
        state.fork = match &fork {
            Some(commit) => state.tree_of(commit).unwrap_or(empty),
            None => empty,
        };
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
            // Histories that have nothing in common.
            Err(Error::Git { said, .. }) if said.is_empty() => Ok(None),
            Err(err) => Err(err),
        }
    }

    /// The tree of the present state. A clean work tree's is that of its commit.
    fn written(&self, status: &Status, own_index: &Path) -> Result<String, Error> {
        if status.is_clean() {
            return Ok(self.head_tree.clone());
        }
        let root = &self.repository.root;
        let index = self.store.join(format!("index-{}", std::process::id()));
        // The copy keeps what git knows of unchanged files, so they are not read again. It has to
        // be as old as the original: git looks closer at files that are as young as its index.
        let is_copied = git::copy_with_age(own_index, &index).is_ok();
        let [store, objects] = self.env();
        let env = [store, objects, ("GIT_INDEX_FILE", index.as_os_str())];
        let run = |args: &[&str]| git_with(root, args, &env, self.until);
        let feed = |args: &[&str], input: &str| {
            if input.is_empty() {
                return Ok(String::new());
            }
            feed_git(root, args, &env, input.as_bytes(), self.until)
        };
        let written = (|| {
            if !is_copied {
                run(&["read-tree", &self.head_tree])?;
            }
            feed(&["update-index", "-z", "--index-info"], &status.as_committed)?;
            let add = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
            feed(&add, &status.as_present)?;
            // The objects of unchanged files are there; to look for each takes longer than all else.
            run(&["write-tree", "--missing-ok"])
        })();
        let _ = fs::remove_file(&index);
        let _ = fs::remove_file(index.with_extension("lock"));
        if written.is_err() {
            git::sweep(&self.store);
        }
        Ok(written?.trim().to_owned())
    }

    /// The paths in which two trees differ, without those that are no part of the work.
    pub(super) fn differing(&self, old: &str, new: &str) -> Result<Vec<Raw>, Error> {
        if old == new {
            return Ok(Vec::new());
        }
        let raw = self.git(&["diff-tree", "-r", "-z", "--raw", "--no-renames", old, new])?;
        git::refuse_cut(&raw)?;
        let mut found = Vec::new();
        let mut fields = raw.split('\0');
        while let (Some(entry), Some(path)) = (fields.next(), fields.next()) {
            // `:100644 100644 <id> <id> M`; the mode of what is not there is 000000.
            let mut modes = entry.trim_start_matches(':').split(' ').map(|mode| mode != "000000");
            let (was_there, is_there) = (modes.next() == Some(true), modes.next() == Some(true));
            if !work::is_record(path, &self.ticket_folders) {
                found.push(Raw { path: path.to_owned(), was_there, is_there });
            }
        }
        Ok(found)
    }

    pub(super) fn paths(&self, old: &str, new: &str) -> Result<BTreeSet<String>, Error> {
        Ok(self.differing(old, new)?.into_iter().map(|raw| raw.path).collect())
    }

    /// Whether an approval was made on this branch, or on an ancestor of what is checked out.
    pub(super) fn is_here(&self, approved: &Approved) -> bool {
        let (Some(then), Some(now)) = (&approved.head, &self.head) else {
            return approved.branch == self.branch;
        };
        self.branch.is_some() && approved.branch == self.branch
            || then == now
            || self.git(&["merge-base", "--is-ancestor", then, now]).is_ok()
    }

    /// The files whose hunks against the fork are the approved ones, of `paths`.
    pub(super) fn with_same_hunks(
        &self,
        approved: &Approved,
        (fork, tree): (&str, &str),
        paths: &[&str],
    ) -> Result<BTreeSet<String>, Error> {
        if paths.is_empty() || paths.len() > MAX_HUNKS || fork == approved.fork {
            return Ok(BTreeSet::new());
        }
        let [then, now] = [(approved.fork.as_str(), approved.tree.as_str()), (fork, tree)]
            .map(|(old, new)| self.diff(old, new, paths, &["-U0", "--no-renames"]));
        let (then, now) = (then?, now?);
        let lines = |file: &FileDiff| -> Option<Vec<Vec<String>>> {
            let is_whole = |hunk: &diff::Hunk| hunk.extent == diff::Extent::Whole;
            let is_text = !file.is_binary && file.hunks.iter().all(is_whole);
            let hunks = file.hunks.iter().map(|hunk| hunk.lines.clone()).collect();
            (is_text && !file.hunks.is_empty()).then_some(hunks)
        };
        let then: BTreeMap<&str, _> =
            then.iter().filter_map(|file| Some((file.path.as_str(), lines(file)?))).collect();
        let is_same = |file: &&FileDiff| {
            lines(file).as_ref() == then.get(file.path.as_str()) && lines(file).is_some()
        };
        Ok(now.iter().filter(is_same).map(|file| file.path.clone()).collect())
    }

    /// The change between two trees, of some paths or of all.
    pub fn diff(
        &self,
        old: &str,
        new: &str,
        paths: &[&str],
        options: &[&str],
    ) -> Result<Vec<FileDiff>, Error> {
        const PLAIN: &[&str] = &[
            "diff-tree",
            "-r",
            "-p",
            "--full-index",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
        ];
        let text = self.git_of_paths(&[PLAIN, options, &[old, new]].concat(), paths)?;
        git::refuse_cut(&text)?;
        Ok(diff::parse(&text))
    }

    fn git_of_paths(&self, args: &[&str], paths: &[&str]) -> Result<String, Error> {
        let literal: Vec<String> =
            paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        let literal = literal.iter().map(String::as_str);
        let args: Vec<&str> = args.iter().copied().chain(["--"]).chain(literal).collect();
        self.git(&args)
    }

    /// Git's summary of the change between a base and the present state, of some paths.
    pub fn stat(&self, base: &str, paths: &[&str]) -> Result<String, Error> {
        let args = ["diff-tree", "-r", "-M", "--stat=100", "--no-ext-diff", base, &self.tree];
        self.git_of_paths(&args, paths)
    }

    /// The commits that the default branch does not have, newest first, a line each.
    pub fn commits(&self) -> Result<String, Error> {
        let (Some(head), Some(from)) = (&self.head, &self.fork_commit) else {
            return Ok(String::new());
        };
        let range = format!("{from}..{head}");
        self.git(&["log", "--oneline", "--no-decorate", "-n", "50", &range, "--"])
    }

    /// The files in which the work differs from an earlier tree of it.
    pub fn changed_since(&self, tree: &str) -> Result<Vec<String>, Error> {
        Ok(self.paths(tree, &self.tree)?.into_iter().collect())
    }

    /// The files of the work: those that a reviewer of `base` has to look at.
    pub fn files(&self, base: &str) -> Result<Vec<String>, Error> {
        let mut paths = self.paths(base, &self.tree)?;
        if base != self.fork
            && let Some(default) = &self.default_tree
        {
            // What a pull brought was reviewed where it came from.
            let not_default = self.paths(default, &self.tree)?;
            paths.retain(|path| not_default.contains(path));
        }
        Ok(paths.into_iter().collect())
    }
}

/// The tree without any file, in the repository's own hash.
fn empty_tree(id: Option<&str>) -> String {
    match id.map(str::len) {
        Some(64) => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        _ => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    }
    .to_owned()
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
    const MAX: u64 = 8 << 20;
    let content = read_text(file, MAX)?;
    let folder = file.parent()?;
    let name = file.to_string_lossy();
    let id = git_with(folder, &["hash-object", "--", &name], &[], until).ok()?;
    Some((id.trim().to_owned(), content))
}
