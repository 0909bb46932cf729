//! How much of a work tree has changed: line counts and content hashes.

use std::{collections::BTreeMap, path::Path, time::Instant};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use super::{
    git::{self, Error, git_with},
    read_ending, read_head,
};

/// How many files are looked at one by one. More than that is a large change anyway.
const MAX_FILES: usize = 2_000;
/// A larger file counts as a large change.
const MAX_FILE: usize = 4 << 20;
/// Of a reflog only the end is read.
const MAX_LOG: u64 = 1 << 20;

/// A file that differs from a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    /// Lines added and removed; 1 for a binary file.
    pub lines: u64,
    /// Whether it is a repository of its own, such as a submodule, whose lines are not counted.
    pub is_repository: bool,
}

/// The files that differ from the checked out commit, tracked or not, with a hash of their content.
/// Starts one process.
pub fn dirty(root: &Path, until: Instant) -> Result<BTreeMap<String, String>, Error> {
    let text = status(root, &["--untracked-files=all"], until)?;
    let paths = entries(&text).map(|(_, path)| path).take(MAX_FILES);
    Ok(paths.map(|path| (path.to_owned(), content(&root.join(path)))).collect())
}

/// What `git status` prints for each file that differs from the commit, including ignored ones: two
/// letters and the path. A folder without tracked files is one entry.
pub fn states(root: &Path, until: Instant) -> Result<Vec<(String, String)>, Error> {
    let text = status(root, &["--untracked-files=normal", "--ignored=traditional"], until)?;
    Ok(entries(&text).map(|(state, path)| (state.to_owned(), path.to_owned())).collect())
}

fn status(root: &Path, which: &[&str], until: Instant) -> Result<String, Error> {
    const STATUS: [&str; 5] =
        ["status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=dirty"];
    git_with(root, &[&STATUS[..], which].concat(), &[], until)
}

fn entries(status: &str) -> impl Iterator<Item = (&str, &str)> {
    let entries = status.split('\0').filter(|entry| entry.len() > 3 && entry.is_char_boundary(3));
    entries.map(|entry| (&entry[..2], &entry[3..]))
}

/// A hash of a file's content; the commit of a repository; a word for what cannot be read.
pub fn content(path: &Path) -> String {
    let Ok(meta) = path.symlink_metadata() else { return "absent".to_owned() };
    if is_repository(path) {
        return git::head(path).unwrap_or_else(|| "empty".to_owned());
    }
    if meta.is_symlink() {
        let target = path.read_link().unwrap_or_default();
        return hash(target.as_os_str().as_encoded_bytes());
    }
    // A file that is too large to be read is identified by its size and age.
    if meta.len() > MAX_FILE as u64 {
        use std::os::unix::fs::MetadataExt as _;
        return format!("{}-{}-{}", meta.len(), meta.mtime(), meta.mtime_nsec());
    }
    match read_head(path, MAX_FILE) {
        Some(bytes) => hash(&bytes),
        None => "unreadable".to_owned(),
    }
}

fn hash(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    u64::from_be_bytes(std::array::from_fn(|at| hash[at])).to_string()
}

/// What differs from `base`, including untracked files but not what was pulled since `began` and is
/// unchanged: a pull is not the agent's work. Starts two processes, and a third if something was
/// fetched.
pub fn since(
    root: &Path,
    base: &str,
    began: DateTime<Utc>,
    until: Instant,
) -> Result<Vec<Changed>, Error> {
    let mut found = tracked(root, base, until)?;
    // If the commit is gone, nothing is known about it.
    if let Some(Ok(own)) = pulled(root, began).map(|tip| tracked(root, &tip, until)) {
        found = common(found, &own);
    }
    let new = git_with(root, &["ls-files", "--others", "--exclude-standard", "-z"], &[], until)?;
    for path in new.split('\0').filter(|part| !part.is_empty()) {
        let lines = if found.len() > MAX_FILES { 1 } else { lines_of(&root.join(path)) };
        let is_repository = path.ends_with('/');
        found.push(Changed { path: path.to_owned(), lines, is_repository });
    }
    Ok(found)
}

/// The tracked files that differ from `base`. Starts one process.
fn tracked(root: &Path, base: &str, until: Instant) -> Result<Vec<Changed>, Error> {
    let args = [
        "diff",
        "--numstat",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        base,
        "--",
    ];
    let diff = git_with(root, &args, &[], until)?;
    let mut found: Vec<Changed> = diff.split('\0').filter_map(numstat).collect();
    for file in found.iter_mut().filter(|file| file.lines <= 2) {
        file.is_repository = is_repository(&root.join(&file.path));
    }
    Ok(found)
}

/// The changes since one commit that are also changes since the other, each with the lower line
/// count.
fn common(since: Vec<Changed>, other: &[Changed]) -> Vec<Changed> {
    let lines: BTreeMap<&str, u64> =
        other.iter().map(|changed| (changed.path.as_str(), changed.lines)).collect();
    let own = since.into_iter().filter_map(|file| {
        let lines = *lines.get(file.path.as_str())?;
        Some(Changed { lines: file.lines.min(lines), ..file })
    });
    own.collect()
}

/// The newest commit of the remote's default branch that was fetched since then, according to git's
/// reflogs. Commits that were pushed from here do not count.
fn pulled(root: &Path, since: DateTime<Utc>) -> Option<String> {
    let (_, common) = git::git_dirs(root)?;
    let head = std::fs::read_to_string(common.join("refs/remotes/origin/HEAD")).ok();
    let named = head.as_deref().and_then(|head| head.trim().strip_prefix("ref: "));
    let usual = ["refs/remotes/origin/main", "refs/remotes/origin/master"];
    let mut logs = named
        .into_iter()
        .chain(usual)
        .filter(|name| name.starts_with("refs/remotes/") && !name.contains(".."))
        .filter_map(|name| read_ending(&common.join("logs").join(name), MAX_LOG));
    let text = logs.next()?;
    let is_fetched = |moved: &git::Moved| !moved.action.starts_with("update by push");
    let newest = git::reflog(&text).rfind(is_fetched)?;
    (newest.at >= since.timestamp()).then(|| newest.new.to_owned())
}

/// `added \t removed \t path`; a binary file has `-` for both.
fn numstat(line: &str) -> Option<Changed> {
    let mut fields = line.splitn(3, '\t');
    let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
    let lines = match (added.parse::<u64>(), removed.parse::<u64>()) {
        (Ok(added), Ok(removed)) => added.saturating_add(removed),
        _ => 1,
    };
    Some(Changed { path: path.to_owned(), lines, is_repository: false })
}

/// Git shows a repository within a work tree as a single line.
fn is_repository(path: &Path) -> bool {
    path.join(".git").exists()
}

fn lines_of(path: &Path) -> u64 {
    if path.is_symlink() {
        return 1;
    }
    let Some(bytes) = read_head(path, MAX_FILE) else { return 1 };
    if bytes.contains(&0) {
        return 1;
    }
    let ends = bytes.split(|byte| *byte == b'\n').count() - 1;
    let rest = usize::from(bytes.last().is_some_and(|byte| *byte != b'\n'));
    u64::try_from(ends + rest).unwrap_or(u64::MAX)
}
