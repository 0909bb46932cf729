//! Sorts the files of a work tree, as `git status` lists them, into those that are part of the work
//! and those that are not.

use std::{collections::BTreeSet, ffi::OsStr, path::Path};

use super::{repository::Repository, work::Scene};
use crate::{
    core::review::work,
    world::{
        git::{Error, git_with},
        git_changes,
    },
};

/// The largest total size of untracked files in the work.
const MAX_UNTRACKED: u64 = 64 << 20;
const MAX_LEFT_OUT: usize = 50;

/// The output of `git status`, sorted.
#[derive(Debug, Default)]
pub(super) struct Status {
    pub(super) head: Option<String>,
    pub(super) branch: Option<String>,
    /// Whether something is staged, so that the index differs from the commit.
    is_staged: bool,
    /// Input for `git update-index --index-info`: files that are not part of the work, as they were
    /// committed.
    pub(super) as_committed: String,
    /// Input for `git update-index --stdin`: files that are taken as they are now.
    pub(super) as_present: String,
    pub(super) left_out: Vec<String>,
}

impl Status {
    pub(super) fn of(repository: &Repository, scene: &Scene) -> Result<Self, Error> {
        const STATUS: &str = "status --porcelain=v2 --branch -z --untracked-files=all --no-renames \
                              --ignore-submodules=dirty";
        let root = &repository.root;
        let text = git_with(root, &STATUS.split(' ').collect::<Vec<_>>(), &[], scene.until)?;
        let mut status = Self::default();
        let mut untracked = Vec::new();
        for line in text.split('\0') {
            match line.split_once(' ') {
                Some(("#", header)) => status.header(header),
                Some(("1", entry)) => status.tracked(entry, root, scene),
                Some(("u", _)) => return Err(Error::Unmerged),
                // A path with a slash at the end is a nested repository or a linked work tree.
                Some(("?", path)) if !path.ends_with('/') => untracked.push(path),
                _ => (),
            }
        }
        status.untracked(&untracked, repository, scene)?;
        Ok(status)
    }

    pub(super) fn is_clean(&self) -> bool {
        !self.is_staged && self.as_committed.is_empty() && self.as_present.is_empty()
    }

    fn header(&mut self, header: &str) {
        match header.split_once(' ') {
            Some(("branch.oid", id)) if id != "(initial)" => self.head = Some(id.to_owned()),
            Some(("branch.head", name)) if name != "(detached)" => {
                self.branch = Some(name.to_owned());
            }
            _ => (),
        }
    }

    /// `XY sub mH mI mW hH hI path`
    fn tracked(&mut self, entry: &str, root: &Path, scene: &Scene) {
        let fields: Vec<&str> = entry.splitn(8, ' ').collect();
        let [state, _, mode, _, _, id, _, path] = fields[..] else { return };
        self.is_staged |= !state.starts_with('.');
        if was_dirty(path, root, scene) {
            self.as_committed.extend([mode, " ", id, "\t", path, "\0"]);
        } else if !state.ends_with('.') {
            self.as_present.extend([path, "\0"]);
        }
    }

    /// Untracked files are part of the work if a session is known to have written them, or if an
    /// approval contains them. Files that a test run leaves behind are not.
    fn untracked(
        &mut self,
        paths: &[&str],
        repository: &Repository,
        scene: &Scene,
    ) -> Result<(), Error> {
        let root = &repository.root;
        let is_candidate = |path: &&str| {
            !work::is_record(path, scene.ticket_folders) && !was_dirty(path, root, scene)
        };
        let candidates: Vec<&str> = paths.iter().copied().filter(is_candidate).collect();
        let approved = approved_of(&candidates, repository, scene);
        let is_of_work =
            |path: &&str| (scene.is_written)(&root.join(path)) || approved.contains(*path);
        let (of_work, others): (Vec<&str>, Vec<&str>) =
            candidates.into_iter().partition(is_of_work);
        let size = |path: &&str| root.join(path).symlink_metadata().map_or(0, |meta| meta.len());
        let total: u64 = of_work.iter().map(size).sum();
        if total > MAX_UNTRACKED {
            let largest = of_work.iter().max_by_key(|path| size(path)).copied().unwrap_or_default();
            let folder = largest.rsplit_once('/').map_or(largest, |(folder, _)| folder);
            return Err(Error::TooLarge { mib: total >> 20, path: folder.to_owned() });
        }
        self.as_present.extend(of_work.into_iter().flat_map(|path| [path, "\0"]));
        self.left_out = others.iter().take(MAX_LEFT_OUT).map(|&path| path.to_owned()).collect();
        Ok(())
    }
}

/// Whether a file was dirty when the session began and has not changed since.
fn was_dirty(path: &str, root: &Path, scene: &Scene) -> bool {
    let file = root.join(path);
    scene.dirty_before.get(path).is_some_and(|then| *then == git_changes::content(&file))
        && !(scene.is_written)(&file)
}

/// The untracked files that the newest approval contains.
fn approved_of(paths: &[&str], repository: &Repository, scene: &Scene) -> BTreeSet<String> {
    let mut approvals = scene.table.approvals.iter().rev();
    let newest = approvals.find(|approved| approved.key.is_none());
    let Some(approved) = newest.filter(|_| !paths.is_empty()) else { return BTreeSet::new() };
    let (store, objects) = (repository.store(scene.home), repository.common.join("objects"));
    let mut args = vec!["ls-tree", "-r", "-z", "--name-only", "--full-tree", &approved.tree, "--"];
    args.extend(paths.iter().take(1_000));
    let listed = git_with(&repository.root, &args, &objects_env(&store, &objects), scene.until);
    let listed = listed.unwrap_or_default();
    listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

/// Variables that make git write objects into `store`, and read them from there and from the
/// repository.
pub(super) fn objects_env<'a>(
    store: &'a Path,
    objects: &'a Path,
) -> [(&'static str, &'a OsStr); 2] {
    [
        ("GIT_OBJECT_DIRECTORY", store.as_os_str()),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects.as_os_str()),
    ]
}
