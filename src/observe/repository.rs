//! A work tree, the repository that it belongs to, and the remote's default branch.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use crate::world::{
    git::{self, Error, git_with},
    read_ending,
};

/// A work tree, and the repository that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    pub root: PathBuf,
    /// The common git directory. Work trees with the same one share their approvals.
    pub(super) common: PathBuf,
}

impl Repository {
    pub fn of(dir: &Path) -> Option<Self> {
        let root = git::find_root(dir)?;
        let (_, common) = git::git_dirs(&root)?;
        let common = common.canonicalize().unwrap_or(common);
        Some(Self { root, common })
    }

    pub fn key(&self) -> String {
        use std::os::unix::ffi::OsStrExt as _;
        format!("{:032x}", crate::world::cached::hash(&[self.common.as_os_str().as_bytes()]))
    }

    /// The folder for objects of approved trees that the repository lacks.
    pub fn store(&self, home: &Path) -> PathBuf {
        home.join("trees").join(self.key())
    }

    /// The commit of the remote's default branch that was fetched last. Reflog entries of pushes do
    /// not count, or an ungated push would empty the work.
    pub fn default_branch(&self, until: Instant) -> Result<Option<String>, Error> {
        const FORMAT: &str = "--format=%(refname)%00%(objectname)%00%(symref)";
        let heads = ["refs/remotes/*/HEAD", "refs/remotes/*/main", "refs/remotes/*/master"];
        let args = [&["for-each-ref", FORMAT][..], &heads].concat();
        let listed = git_with(&self.root, &args, &[], until)?;
        let refs: Vec<Vec<&str>> = listed.lines().map(|line| line.split('\0').collect()).collect();
        let ranked = |fields: &&[&str]| {
            let name = fields.first().copied().unwrap_or_default();
            let kind = ["/HEAD", "/main", "/master"].iter().position(|end| name.ends_with(end));
            (!name.starts_with("refs/remotes/origin/"), kind)
        };
        let best = refs.iter().map(Vec::as_slice).min_by_key(ranked);
        let Some([name, commit, target]) = best else { return Ok(None) };
        let name = if target.is_empty() { name } else { target };
        Ok(self.fetched(name, commit))
    }

    /// The last fetched commit of a branch that is at `commit`, according to its reflog; `None` if
    /// all commits were pushed from here.
    fn fetched(&self, name: &str, commit: &str) -> Option<String> {
        let path = self.common.join("logs").join(name);
        let log = read_ending(&path, 1 << 20).unwrap_or_default();
        let is_fetched = |moved: &git::Moved| !moved.action.starts_with("update by push");
        let fetched = git::reflog(&log).rfind(is_fetched).map(|moved| moved.new);
        let oldest = || git::reflog(&log).next().map_or(commit, |moved| moved.old);
        let id = fetched.unwrap_or_else(oldest);
        id.bytes().any(|digit| digit != b'0').then(|| id.to_owned())
    }
}
