//! How much of a work tree was changed: lines, and files by what they hold.

use std::{collections::BTreeMap, path::Path, time::Instant};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use super::{
    git::{self, Error, git_with},
    read_head,
};

/// Files that are looked at one by one; whoever has more has a large change.
const MAX_FILES: usize = 2_000;
/// A larger file is as good as a large change.
const MAX_FILE: usize = 4 << 20;

/// A file that differs from a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    /// Lines added and removed; of a binary file 1.
    pub lines: u64,
    /// It is a repository of its own, a submodule say: how many lines nobody knows.
    pub is_repository: bool,
}

/// The files that differ from the checked out commit, tracked or not, with a hash of what they
/// hold. One process.
pub fn dirty(root: &Path, until: Instant) -> Result<BTreeMap<String, String>, Error> {
    let text = status(root, &["--untracked-files=all"], until)?;
    let paths = entries(&text).map(|(_, path)| path).take(MAX_FILES);
    Ok(paths.map(|path| (path.to_owned(), content(&root.join(path)))).collect())
}

/// What `git status` says of each file that is not as committed, the ignored ones among them: two
/// letters, and the path. A folder of which nothing is tracked is one of them.
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

/// A hash of what a file holds; of a repository its commit, of what cannot be read a word for it.
pub fn content(path: &Path) -> String {
    let Ok(meta) = path.symlink_metadata() else { return "absent".to_owned() };
    if is_repository(path) {
        return git::head(path).unwrap_or_else(|| "empty".to_owned());
    }
    if meta.is_symlink() {
        let target = path.read_link().unwrap_or_default();
        return hash(target.as_os_str().as_encoded_bytes());
    }
    // What is too large to be read is known by its size and age.
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

/// What differs from `base`, untracked files included, without what is as it was pulled meanwhile:
/// a pull is not the agent's work. Two processes, a third where something was fetched since `began`.
pub fn since(
    root: &Path,
    base: &str,
    began: DateTime<Utc>,
    until: Instant,
) -> Result<Vec<Changed>, Error> {
    let mut found = tracked(root, base, until)?;
    // Of a commit that is gone nothing can be told.
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

/// What differs from `base` of the files that git knows. One process.
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

/// Of the changes since one commit those that are changes since another as well, by the fewer
/// lines.
fn common(since: Vec<Changed>, other: &[Changed]) -> Vec<Changed> {
    let lines: BTreeMap<&str, u64> =
        other.iter().map(|changed| (changed.path.as_str(), changed.lines)).collect();
    let own = since.into_iter().filter_map(|file| {
        let lines = *lines.get(file.path.as_str())?;
        Some(Changed { lines: file.lines.min(lines), ..file })
    });
    own.collect()
}

/// The newest commit of a remote's default branch that was fetched since then; none: nothing was.
/// Read from git's own records: what was pushed is no news.
fn pulled(root: &Path, since: DateTime<Utc>) -> Option<String> {
    let (_, common) = git::git_dirs(root)?;
    let head = std::fs::read_to_string(common.join("refs/remotes/origin/HEAD")).ok();
    let named = head.as_deref().and_then(|head| head.trim().strip_prefix("ref: "));
    let usual = ["refs/remotes/origin/main", "refs/remotes/origin/master"];
    let mut logs = named
        .into_iter()
        .chain(usual)
        .filter(|name| name.starts_with("refs/remotes/") && !name.contains(".."))
        .filter_map(|name| read_head(&common.join("logs").join(name), MAX_FILE));
    let text = String::from_utf8_lossy(&logs.next()?).into_owned();
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

/// git tells of a repository within a work tree by one line.
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
