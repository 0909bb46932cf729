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
    /// The common git directory: work trees that share it share their approvals.
    pub(super) common: PathBuf,
}

impl Repository {
    /// The work tree that holds `dir`.
    pub fn of(dir: &Path) -> Option<Self> {
        let root = git::find_root(dir)?;
        let (_, common) = git::git_dirs(&root)?;
        let common = common.canonicalize().unwrap_or(common);
        Some(Self { root, common })
    }

    /// A name for the repository's files in `<ROZ_HOME>`.
    pub fn key(&self) -> String {
        use std::os::unix::ffi::OsStrExt as _;
        format!("{:032x}", crate::world::cached::hash(&[self.common.as_os_str().as_bytes()]))
    }

    /// Where the objects of approved trees are that the repository lacks.
    pub fn store(&self, home: &Path) -> PathBuf {
        home.join("trees").join(self.key())
    }

    /// Whether a remote's default branch is known here.
    pub fn has_default_branch(&self, until: Instant) -> bool {
        matches!(self.default_branch(until), Ok(Some(_)))
    }

    /// The commit of the remote's default branch, as fetches brought it: an entry of its reflog
    /// that a push made does not count, or an ungated push would empty the work.
    pub(super) fn default_branch(&self, until: Instant) -> Result<Option<String>, Error> {
        const FORMAT: &str = "--format=%(refname)%00%(objectname)%00%(symref)";
        let patterns = ["HEAD", "main", "master"].map(|name| format!("refs/remotes/*/{name}"));
        let args: Vec<&str> = ["for-each-ref", FORMAT]
            .into_iter()
            .chain(patterns.iter().map(String::as_str))
            .collect();
        let listed = git_with(&self.root, &args, &[], until)?;
        let refs: Vec<[&str; 3]> = listed
            .lines()
            .filter_map(|line| {
                let mut fields = line.split('\0');
                Some([fields.next()?, fields.next()?, fields.next()?])
            })
            .collect();
        let ranked = |[name, ..]: &&[&str; 3]| {
            let kind = ["/HEAD", "/main", "/master"].iter().position(|end| name.ends_with(end));
            (!name.starts_with("refs/remotes/origin/"), kind)
        };
        let Some([name, commit, target]) = refs.iter().min_by_key(ranked) else { return Ok(None) };
        let name = if target.is_empty() { name } else { target };
        Ok(match self.fetched(name) {
            Fetched::Commit(commit) => Some(commit),
            Fetched::Nothing => None,
            Fetched::Unknown => Some((*commit).to_owned()),
        })
    }

    /// What a reflog says was fetched last.
    fn fetched(&self, name: &str) -> Fetched {
        let path = self.common.join("logs").join(name);
        let Some(log) = read_ending(&path, 1 << 20) else { return Fetched::Unknown };
        // `old new Name <mail> time zone\tmessage`
        let entries = log.lines().filter_map(|line| {
            let (who, message) = line.split_once('\t').unwrap_or((line, ""));
            let mut ids = who.split(' ');
            Some((ids.next()?, ids.next()?, message))
        });
        let entries: Vec<_> = entries.collect();
        let is_fetched = |entry: &&(&str, &str, &str)| !entry.2.starts_with("update by push");
        if let Some((_, new, _)) = entries.iter().rev().find(is_fetched) {
            return Fetched::Commit((*new).to_owned());
        }
        match entries.first() {
            None => Fetched::Unknown,
            Some((oldest, ..)) if oldest.bytes().all(|digit| digit == b'0') => Fetched::Nothing,
            Some((oldest, ..)) => Fetched::Commit((*oldest).to_owned()),
        }
    }
}

/// What the reflog of a remote's branch says.
enum Fetched {
    Commit(String),
    /// All of the branch was pushed from here.
    Nothing,
    /// There is no reflog.
    Unknown,
}
