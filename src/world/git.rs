//! What git knows about a work tree. Whatever files tell is read from them: a child process costs
//! more than the whole hook.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use super::{
    lossy,
    process::{self, command},
    read_text,
};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{0}` is in no git work tree")]
    NoRepository(PathBuf),
    #[error(
        "untracked files weigh {mib} MiB. Have git ignore `{path}` if it is not part of the work"
    )]
    TooLarge { mib: u64, path: String },
    #[error("the index has unmerged files. Resolve the conflicts first")]
    Unmerged,
    #[error(transparent)]
    Process(#[from] process::Error),
    #[error("`git {verb}` failed: {said}")]
    Git { verb: String, said: String },
    #[error("failed to access `{}`", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

/// The root of the work tree that holds `dir`, else `dir` itself.
pub fn root(dir: &Path) -> PathBuf {
    find_root(dir).unwrap_or_else(|| dir.to_owned())
}

/// The root of the work tree that holds `dir`, else `dir` itself; and if that is a linked one (`git
/// worktree add`), the main work tree of its repository.
pub fn work_trees(dir: &Path) -> (PathBuf, Option<PathBuf>) {
    let root = root(dir);
    let main = if root.join(".git").is_dir() { None } else { main_work_tree(&root) };
    (root, main)
}

/// `None` if the repository has no main work tree, or if `root` is not a linked work tree: the
/// `.git` of a submodule is a file as well, but a submodule has no work trees in common with
/// others.
fn main_work_tree(root: &Path) -> Option<PathBuf> {
    let (own, common) = git_dirs(root)?;
    let common = common.canonicalize().ok()?;
    let is_linked = own.canonicalize().is_ok_and(|own| own != common);
    (is_linked && common.ends_with(".git")).then(|| common.parent().map(Path::to_owned))?
}

pub(crate) fn find_root(dir: &Path) -> Option<PathBuf> {
    dir.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

/// The folders in which git keeps the files of the work tree and those of the repository.
pub(crate) fn git_dirs(root: &Path) -> Option<(PathBuf, PathBuf)> {
    let dot_git = root.join(".git");
    // In a worktree or a submodule it is a file that says where the folder is.
    let git_dir = match read_text(&dot_git, 4096) {
        Some(text) => root.join(text.trim().strip_prefix("gitdir:")?.trim()),
        None => dot_git,
    };
    let common = read_text(&git_dir.join("commondir"), 4096);
    let common = common.map_or_else(|| git_dir.clone(), |text| git_dir.join(text.trim()));
    Some((git_dir, common))
}

/// The roots of the linked work trees of a repository that exist.
pub(crate) fn linked_work_trees(common: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let root = |entry: std::fs::DirEntry| {
        let dot_git = read_text(&entry.path().join("gitdir"), 4096)?;
        Path::new(dot_git.trim()).parent()?.canonicalize().ok()
    };
    entries.filter_map(root).collect()
}

/// The `paths`, relative to `root`, that git ignores. The path of a folder ends with a slash.
pub fn ignored(root: &Path, paths: &[String], until: Instant) -> Vec<String> {
    let input = paths.join("\0");
    let args = ["check-ignore", "-z", "--stdin"];
    let said = feed_git(root, &args, &[], input.as_bytes(), until).map(lossy).unwrap_or_default();
    said.split_terminator('\0').map(str::to_owned).collect()
}

/// The branch that is checked out, read from git's files.
pub fn branch(root: &Path) -> Option<String> {
    let (git_dir, _) = git_dirs(root)?;
    let head = read_text(&git_dir.join("HEAD"), 4096)?;
    head.trim().strip_prefix("ref:")?.trim().strip_prefix("refs/heads/").map(str::to_owned)
}

/// A line of a reflog: `old new Name <mail> 1700000000 +0000\tcheckout: moving from a to b`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved<'a> {
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    /// In seconds.
    pub(crate) at: i64,
    pub(crate) action: &'a str,
}

/// The lines of a reflog, oldest first.
pub(crate) fn reflog(text: &str) -> impl DoubleEndedIterator<Item = Moved<'_>> {
    text.lines().filter_map(|line| {
        let (who, action) = line.split_once('\t').unwrap_or((line, ""));
        let at = who.rsplit(' ').nth(1)?.parse().ok()?;
        let mut ids = who.split(' ');
        Some(Moved { old: ids.next()?, new: ids.next()?, at, action })
    })
}

/// The commit that is checked out, read from git's files.
pub fn head(root: &Path) -> Option<String> {
    const MAX: u64 = 1024 * 1024;
    let (git_dir, common) = git_dirs(root)?;
    let head = read_text(&git_dir.join("HEAD"), 4096)?;
    let Some(name) = head.trim().strip_prefix("ref:").map(str::trim) else {
        return commit(head.trim());
    };
    if name.split('/').any(|part| part == "..") || name.starts_with('/') {
        return None;
    }
    if let Some(text) = read_text(&common.join(name), 4096) {
        return commit(text.trim());
    }
    let packed = read_text(&common.join("packed-refs"), MAX)?;
    packed.lines().find_map(|line| {
        let (id, text) = line.split_once(' ')?;
        (text == name).then(|| commit(id))?
    })
}

fn commit(text: &str) -> Option<String> {
    let is_id =
        (40..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| text.to_owned())
}

/// Removes the temporary files of a git that was killed.
pub(crate) fn sweep(store: &Path) {
    for folder in [store.to_owned(), store.join("pack")] {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("tmp_") {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

pub(crate) fn copy_with_age(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::copy(from, to)?;
    let age = from.metadata()?.modified()?;
    std::fs::File::options().write(true).open(to)?.set_modified(age)
}

pub(crate) fn git_with(
    root: &Path,
    args: &[&str],
    env: &[(&str, &OsStr)],
    until: Instant,
) -> Result<String, Error> {
    feed_git(root, args, env, b"", until).map(lossy)
}

/// As [`git_with`], with `input` on standard input, and what git prints in bytes.
pub(crate) fn feed_git(
    root: &Path,
    args: &[&str],
    env: &[(&str, &OsStr)],
    input: &[u8],
    until: Instant,
) -> Result<Vec<u8>, Error> {
    checked(args, process::feed_for_all(prepared(root, args, env), input, until))
}

/// What git printed, if all went well.
pub(super) fn checked(
    args: &[&str],
    ran: Result<process::Ran, process::Error>,
) -> Result<Vec<u8>, Error> {
    let ran = ran?;
    if ran.ok {
        return Ok(ran.stdout);
    }
    let verb = args.iter().find(|arg| !arg.starts_with('-') && !arg.contains('=')).copied();
    let said = String::from_utf8_lossy(&ran.stderr);
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines.collect::<Vec<_>>().join("; ");
    Err(Error::Git { verb: verb.unwrap_or("git").to_owned(), said })
}

/// A git command that is ready to be started.
pub(super) fn prepared(root: &Path, args: &[&str], env: &[(&str, &OsStr)]) -> Command {
    let mut git: Command = command("git");
    // Variables that name another repository or another git.
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") {
            git.env_remove(&name);
        }
    }
    // Git must not prompt, and must not start a file system monitor that the repository configures.
    git.current_dir(root)
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(["-c", "core.quotePath=false"])
        .args(args)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .envs(env.iter().copied());
    git
}
