//! How much of a work tree was changed: lines, and files by what they hold.

use std::{collections::BTreeMap, io::Read as _, path::Path, time::Instant};

use sha2::{Digest as _, Sha256};

use super::{
    git::{self, Error, git},
    open_regular,
};

/// Files that are looked at one by one; whoever has more has a large change.
const MAX_FILES: usize = 2_000;
/// A larger file is as good as a large change.
const MAX_FILE: u64 = 4 << 20;

/// A file that differs from a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    /// Lines added and removed; of a binary file 1.
    pub lines: u64,
}

/// The files that differ from the checked out commit, tracked or not, with a
/// hash of what they hold. One process.
pub fn dirty(root: &Path, until: Instant) -> Result<BTreeMap<String, String>, Error> {
    let status = git(
        root,
        [
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=dirty",
        ],
        &[],
        until,
    )?;
    let paths = status.split('\0').filter_map(|it| it.get(3..)).take(MAX_FILES);
    Ok(paths.map(|it| (it.to_owned(), content(&root.join(it)))).collect())
}

/// A hash of what a file holds; of one that cannot be read, a word for it.
pub fn content(path: &Path) -> String {
    let Ok(meta) = path.symlink_metadata() else { return "absent".to_owned() };
    if meta.is_symlink() {
        let target = path.read_link().unwrap_or_default();
        return hash(target.as_os_str().as_encoded_bytes());
    }
    // What is too large to be read is known by its size and age.
    if meta.len() > MAX_FILE {
        use std::os::unix::fs::MetadataExt as _;
        return format!("{}-{}-{}", meta.len(), meta.mtime(), meta.mtime_nsec());
    }
    match read(path) {
        Some(bytes) => hash(&bytes),
        None => "unreadable".to_owned(),
    }
}

fn hash(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    u64::from_be_bytes(std::array::from_fn(|at| hash[at])).to_string()
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let (file, length) = open_regular(path).ok()?;
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(MAX_FILE)).unwrap_or(0));
    file.take(MAX_FILE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What differs from `base`, untracked files included. Two processes.
pub fn since(root: &Path, base: &str, until: Instant) -> Result<Vec<Changed>, Error> {
    let diff = git(
        root,
        [
            "diff",
            "--numstat",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=dirty",
            base,
            "--",
        ],
        &[],
        until,
    )?;
    let new = git(root, ["ls-files", "--others", "--exclude-standard", "-z"], &[], until)?;
    let mut found: Vec<Changed> = diff.split('\0').filter_map(numstat).collect();
    for path in new.split('\0').filter(|it| !it.is_empty()) {
        let lines = if found.len() > MAX_FILES { 1 } else { lines_of(&root.join(path)) };
        found.push(Changed { path: path.to_owned(), lines });
    }
    Ok(found)
}

/// `added \t removed \t path`; a binary file has `-` for both.
fn numstat(line: &str) -> Option<Changed> {
    let mut fields = line.splitn(3, '\t');
    let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
    let lines = match (added.parse::<u64>(), removed.parse::<u64>()) {
        (Ok(added), Ok(removed)) => added.saturating_add(removed),
        _ => 1,
    };
    Some(Changed { path: path.to_owned(), lines })
}

fn lines_of(path: &Path) -> u64 {
    let Some(bytes) = read(path) else { return 1 };
    if bytes.contains(&0) {
        return 1;
    }
    let ends = bytes.split(|it| *it == b'\n').count() - 1;
    let rest = usize::from(bytes.last().is_some_and(|it| *it != b'\n'));
    u64::try_from(ends + rest).unwrap_or(u64::MAX)
}

/// The branch that is checked out, read from git's files.
pub fn branch(root: &Path) -> Option<String> {
    git::head_name(root)?.strip_prefix("refs/heads/").map(str::to_owned)
}
