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
        work::{self, Changed, Difference, Known, Push, Serving},
    },
    world::{
        git::{self, Error, feed_git, git_with},
        read_text,
    },
};

/// Older approvals are not compared file by file.
const MAX_COMPARED: usize = 8;
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
    head_tree: String,
    pub tree: String,
    /// The tree in which the branch left the default branch.
    pub fork: String,
    default_tree: Option<String>,
    default_commit: Option<String>,
    fork_commit: Option<String>,
    pub left_out: Vec<String>,
    ticket_folders: Vec<String>,
    until: Instant,
}

/// One line of `git diff-tree --raw`: the entries of a path in two trees.
struct Raw {
    path: String,
    is_there: bool,
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

    fn tree_of(&self, commit: &str) -> Result<String, Error> {
        let name = format!("{commit}^{{tree}}");
        let tree = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?;
        Ok(tree.trim().to_owned())
    }

    fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, Error> {
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
            run(&["write-tree"])
        })();
        let _ = fs::remove_file(&index);
        let _ = fs::remove_file(index.with_extension("lock"));
        if written.is_err() {
            git::sweep(&self.store);
        }
        Ok(written?.trim().to_owned())
    }

    /// The paths in which two trees differ, without those that are no part of the work.
    fn differing(&self, old: &str, new: &str) -> Result<Vec<Raw>, Error> {
        if old == new {
            return Ok(Vec::new());
        }
        let raw = self.git(&["diff-tree", "-r", "-z", "--raw", "--no-renames", old, new])?;
        git::refuse_cut(&raw)?;
        let mut found = Vec::new();
        let mut fields = raw.split('\0');
        while let (Some(entry), Some(path)) = (fields.next(), fields.next()) {
            // `:100644 100644 <id> <id> M`; the mode of what is not there is 000000.
            let is_there = entry.split(' ').nth(1).is_some_and(|mode| mode != "000000");
            if !work::is_record(path, &self.ticket_folders) {
                found.push(Raw { path: path.to_owned(), is_there });
            }
        }
        Ok(found)
    }

    fn paths(&self, old: &str, new: &str) -> Result<BTreeSet<String>, Error> {
        Ok(self.differing(old, new)?.into_iter().map(|raw| raw.path).collect())
    }

    /// Whether an approval was made on this branch, or on an ancestor of what is checked out.
    fn is_here(&self, approved: &Approved) -> bool {
        let (Some(then), Some(now)) = (&approved.head, &self.head) else {
            return approved.branch == self.branch;
        };
        self.branch.is_some() && approved.branch == self.branch
            || then == now
            || self.git(&["merge-base", "--is-ancestor", then, now]).is_ok()
    }

    /// The files whose hunks against the fork are the approved ones, of `paths`.
    fn with_same_hunks(
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
        Ok(diff::parse(&self.diff_text(old, new, paths, options)?))
    }

    /// As [`Self::diff`], as git prints it.
    pub fn diff_text(
        &self,
        old: &str,
        new: &str,
        paths: &[&str],
        options: &[&str],
    ) -> Result<String, Error> {
        const PLAIN: &[&str] = &[
            "diff-tree",
            "-r",
            "-p",
            "--full-index",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
        ];
        let literal: Vec<String> =
            paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        let mut args = PLAIN.to_vec();
        args.extend(options);
        args.extend([old, new, "--"]);
        args.extend(literal.iter().map(String::as_str));
        let text = self.git(&args)?;
        git::refuse_cut(&text)?;
        Ok(text)
    }

    /// Git's summary of the change between a base and the present state, of some paths.
    pub fn stat(&self, base: &str, paths: &[&str]) -> Result<String, Error> {
        let mut args =
            vec!["diff-tree", "-r", "-M", "--stat=100", "--no-ext-diff", base, &self.tree];
        let literal: Vec<String> =
            paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        args.push("--");
        args.extend(literal.iter().map(String::as_str));
        self.git(&args)
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

    /// The present state beside what is approved. Who changed a file is not known here.
    ///
    /// # Errors
    ///
    /// If git cannot tell.
    pub fn compare(&self, table: &Table, question: &Question) -> Result<Known, Error> {
        let whole = self.differing(&self.fork, &self.tree)?;
        let mut known = Known {
            root: self.repository.root.clone(),
            tree: self.tree.clone(),
            base: self.fork.clone(),
            fork: self.fork.clone(),
            head: self.head.clone(),
            branch: self.branch.clone(),
            is_empty: whole.is_empty(),
            left_out: self.left_out.clone(),
            ..Known::default()
        };
        let pushed = question.push.as_ref().map(|push| self.pushed(push));
        let mut newest_here = None;
        for approved in table.approvals.iter().rev().take(MAX_COMPARED) {
            if let Some(key) = &approved.key {
                if question.key.as_ref() == Some(key) && approved.tree == self.tree {
                    known.approval = Some(serving(approved));
                    break;
                }
                continue;
            }
            let verdict = match self.verdict(approved, pushed.as_deref()) {
                Ok(verdict) => verdict,
                // The objects of an old approval may be gone with their store.
                Err(Error::Git { .. }) => continue,
                Err(err) => return Err(err),
            };
            if verdict.is_here && newest_here.is_none() {
                newest_here = Some(approved);
                known.compared_with = Some(approved.id.clone());
                known.changed = verdict.changed.iter().map(|path| named(path)).collect();
                known.uncommitted.clone_from(&verdict.uncommitted);
            }
            if verdict.changed.is_empty() && verdict.uncommitted.is_empty() {
                known.approval = Some(serving(approved));
                break;
            }
        }
        match newest_here {
            Some(approved) => known.base.clone_from(&approved.tree),
            None => known.changed = whole.iter().map(|raw| named(&raw.path)).collect(),
        }
        // Asked for once more, though nothing has changed: the whole work is shown.
        if known.base == self.tree {
            known.base.clone_from(&self.fork);
        }
        Ok(known)
    }

    /// What keeps an approval from serving the present state, or what is pushed.
    fn verdict(&self, approved: &Approved, pushed: Option<&[Pushed]>) -> Result<Verdict, Error> {
        let is_here = self.is_here(approved);
        let mut verdict = Verdict { is_here, changed: Vec::new(), uncommitted: Vec::new() };
        let Some(pushed) = pushed else {
            let target = Pushed { tree: self.tree.clone(), fork: self.fork.clone() };
            for (path, difference) in self.compared(approved, &target, is_here)? {
                if !difference.is_same_work() {
                    verdict.changed.push(path);
                }
            }
            return Ok(verdict);
        };
        for target in pushed {
            let refused: Vec<String> = self
                .compared(approved, target, is_here)?
                .into_iter()
                .filter(|(_, difference)| !difference.may_be_pushed())
                .map(|(path, _)| path)
                .collect();
            if refused.is_empty() {
                continue;
            }
            let unlike_approved = self.paths(&approved.tree, &self.tree)?;
            for path in refused {
                let is_changed = unlike_approved.contains(&path);
                let list = if is_changed { &mut verdict.changed } else { &mut verdict.uncommitted };
                if !list.contains(&path) {
                    list.push(path);
                }
            }
        }
        Ok(verdict)
    }

    /// The paths in which a tree differs from the approved one, each with what it is otherwise.
    fn compared(
        &self,
        approved: &Approved,
        target: &Pushed,
        is_here: bool,
    ) -> Result<Vec<(String, Difference)>, Error> {
        let differing = self.differing(&approved.tree, &target.tree)?;
        if differing.is_empty() {
            return Ok(Vec::new());
        }
        // The paths that are not as the default branch, and as an earlier base, has them.
        let not_default = match &self.default_tree {
            Some(default) => {
                let fork = self.paths(&target.fork, &target.tree)?;
                let default = self.paths(default, &target.tree)?;
                Some(&fork & &default)
            }
            None => None,
        };
        let mut not_base = self.paths(&target.fork, &target.tree)?;
        for base in [&approved.base, &approved.fork] {
            not_base = &not_base & &self.paths(base, &target.tree)?;
        }
        let is_default =
            |path: &String| not_default.as_ref().is_some_and(|paths| !paths.contains(path));
        let open: Vec<&str> = differing
            .iter()
            .filter(|raw| raw.is_there && !is_default(&raw.path))
            .map(|raw| raw.path.as_str())
            .collect();
        let same_hunks = self.with_same_hunks(approved, (&target.fork, &target.tree), &open)?;
        let difference = |raw: &Raw| Difference {
            is_there: raw.is_there,
            is_default: is_default(&raw.path),
            is_base: !not_base.contains(&raw.path),
            has_same_hunks: same_hunks.contains(&raw.path),
            is_here,
        };
        Ok(differing.iter().map(|raw| (raw.path.clone(), difference(raw))).collect())
    }

    /// The trees that a push takes along.
    fn pushed(&self, push: &Push) -> Vec<Pushed> {
        let refs = match push {
            Push::Head => {
                let head = Pushed { tree: self.head_tree.clone(), fork: self.fork.clone() };
                return vec![head];
            }
            Push::Refs(refs) => refs,
        };
        let pushed = |name: &String| {
            // A name that git does not know pushes nothing; git says so itself.
            let tree = self.tree_of(name).unwrap_or_else(|_| self.head_tree.clone());
            let fork = match &self.default_commit {
                Some(default) => self.merge_base(name, default).ok().flatten(),
                None => None,
            };
            let fork = fork.and_then(|commit| self.tree_of(&commit).ok());
            Pushed { tree, fork: fork.unwrap_or_else(|| self.fork.clone()) }
        };
        refs.iter().map(pushed).collect()
    }
}

/// A tree that is pushed, and the one in which it left the default branch.
struct Pushed {
    tree: String,
    fork: String,
}

struct Verdict {
    is_here: bool,
    changed: Vec<String>,
    uncommitted: Vec<String>,
}

fn serving(approved: &Approved) -> Serving {
    Serving { id: approved.id.clone(), summary: approved.summary.clone() }
}

fn named(path: &str) -> Changed {
    Changed { path: path.to_owned(), by: work::Author::default() }
}

/// The tree without any file, in the repository's own hash.
fn empty_tree(id: Option<&str>) -> String {
    match id.map(str::len) {
        Some(64) => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        _ => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    }
    .to_owned()
}

/// A repository's own copy of its approvals' objects is not needed any more.
pub fn forget(home: &Path, key: &str) {
    let _ = fs::remove_dir_all(home.join("trees").join(key));
}

/// Whether a file has the folder's `.git` above it, for paths of other work trees.
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
