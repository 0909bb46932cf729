//! Everything outside this process: clock, random numbers, environment, other programs (in [`git`]
//! and [`process`]) and regular files (in `files`). The rest of roz reaches them only through this
//! module.

#![expect(clippy::disallowed_methods, reason = "this is where they come in")]

pub mod blame;
pub(crate) mod cached;
pub mod changed_since;
pub(crate) mod file_identity;
pub(crate) mod files;
pub mod git;
pub mod git_changes;
pub(crate) mod links;
mod lock;
pub(crate) mod log;
pub mod objects;
pub mod parent_processes;
pub mod process;
pub mod shim_start;

use std::{
    env,
    ffi::OsString,
    io::Write as _,
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use file_identity::open_regular;
use rustix::{
    buffer::spare_capacity,
    event::{PollFd, PollFlags, poll},
};

/// The environment as it was when the process started.
#[derive(Debug)]
pub struct World {
    pub now: DateTime<Utc>,
    pub started: Instant,
    /// The user's home directory, if there is one.
    pub user_home: Option<PathBuf>,
    /// The current folder.
    pub cwd: PathBuf,
    /// Whether the current folder has been removed.
    pub is_nowhere: bool,
    /// The environment, `PATH` without folders of shims.
    pub env: Vec<(String, String)>,
}

impl World {
    pub fn from_env() -> Self {
        let text = |(name, value): (OsString, OsString)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            let unshimmed = if name == "PATH" { shim_start::without_folders(&value) } else { None };
            Some((name, unshimmed.unwrap_or(value)))
        };
        let env = env::vars_os().filter_map(text).collect();
        let here = env::current_dir();
        Self {
            is_nowhere: here.is_err(),
            now: stopped_clock().unwrap_or_else(Utc::now),
            started: Instant::now(),
            user_home: dirs::home_dir(),
            cwd: here.unwrap_or_else(|_| removed_cwd()),
            env,
        }
    }

    /// A variable's value; an empty one counts as not set.
    pub fn var(&self, name: &str) -> Option<&str> {
        let found = self.env.iter().find(|(known, _)| known == name)?;
        Some(found.1.as_str()).filter(|text| !text.is_empty())
    }

    /// All `ROZ_*` variables.
    pub fn roz_vars(&self) -> Vec<(String, String)> {
        self.env.iter().filter(|(name, _)| name.starts_with("ROZ_")).cloned().collect()
    }

    /// Replaces `ROZ_HOME` and, if they are known, roz's other variables.
    #[must_use]
    pub fn with_roz_vars(mut self, home: &Path, known: Option<Vec<(String, String)>>) -> Self {
        const OF_PROCESS: [&str; 2] = ["ROZ_SESSION_ID", "ROZ_AGENT_PID"];
        let is_kept = |name: &str| !name.starts_with("ROZ_") || OF_PROCESS.contains(&name);
        self.env.retain(|(name, _)| is_kept(name) || known.is_none() && name != "ROZ_HOME");
        self.env.extend(
            known.into_iter().flatten().filter(|(name, _)| !is_kept(name) && name != "ROZ_HOME"),
        );
        self.env.push(("ROZ_HOME".to_owned(), home.to_string_lossy().into_owned()));
        self
    }

    /// How an agent's shell can call this binary: `roz` if that is the one on PATH, else its path.
    pub fn own_command(&self) -> String {
        let first = self.on_path("roz").into_iter().next();
        match self.binary() {
            Ok(own) if first.as_ref() != Some(&own) => shell_word(&own.to_string_lossy()),
            _ => "roz".to_owned(),
        }
    }

    /// Where programs keep data of the user: `~/.local/share` or its like.
    pub fn data_dir(&self) -> Option<PathBuf> {
        dirs::data_dir()
    }

    /// This program's file, if the system can tell.
    pub fn own_file(&self) -> Option<PathBuf> {
        env::current_exe().ok()
    }

    /// This program's file, by the path under which PATH finds it if it does: if that is a link, it
    /// survives an update.
    pub fn binary(&self) -> std::io::Result<PathBuf> {
        let file = env::current_exe()?.canonicalize()?;
        let is_it = |path: &PathBuf| {
            path.is_absolute() && path.canonicalize().is_ok_and(|path| path == file)
        };
        Ok(self.on_path("roz").into_iter().find(is_it).unwrap_or(file))
    }

    /// The executable files of that name on PATH, in order.
    pub fn on_path(&self, program: &str) -> Vec<PathBuf> {
        find_on(self.var("PATH").unwrap_or_default(), program)
    }
}

/// The path of the current folder before it was removed, if the system can tell; never `/`, which
/// is a project like any other.
fn removed_cwd() -> PathBuf {
    let link = std::fs::read_link("/proc/self/cwd");
    let found = link.unwrap_or_else(|_| PathBuf::from("/nonexistent"));
    let text = found.to_string_lossy();
    text.strip_suffix(" (deleted)").map_or_else(|| found.clone(), PathBuf::from)
}

/// As [`World::on_path`], for another PATH.
pub fn find_on(path: &str, program: &str) -> Vec<PathBuf> {
    let folders = path.split(':').filter(|part| !part.is_empty());
    folders
        .map(|folder| Path::new(folder).join(program))
        .filter(|file| is_executable(file))
        .collect()
}

/// The time at which a test has stopped the clock; in debug builds only.
fn stopped_clock() -> Option<DateTime<Utc>> {
    #[cfg(debug_assertions)]
    if let Ok(text) = env::var("ROZ_NOW") {
        return DateTime::parse_from_rfc3339(&text).ok().map(|at| at.to_utc());
    }
    None
}

/// The text quoted for a shell, if needed.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// 256 unpredictable bits.
///
/// # Panics
///
/// If the system provides no randomness, because a token must not be guessable.
pub fn dice() -> [u8; 32] {
    #[cfg(debug_assertions)]
    if let Ok(seed) = env::var("ROZ_DICE") {
        let mut dice = [0; 32];
        for (to, from) in dice.iter_mut().zip(seed.bytes().cycle()) {
            *to = from;
        }
        let roll: u64 = seed.parse().unwrap_or(0);
        dice[..8].copy_from_slice(&roll.to_le_bytes());
        return dice;
    }
    let mut dice = [0; 32];
    rand::TryRng::try_fill_bytes(&mut rand::rngs::SysRng, &mut dice)
        .expect("the system gives random bytes");
    dice
}

/// The text of a regular file of at most `max` bytes.
pub fn read_text(path: &Path, max: u64) -> Option<String> {
    let (bytes, length) = head(path, max).ok()?;
    String::from_utf8(bytes).ok().filter(|_| length <= max)
}

/// Bytes as text, with invalid UTF-8 replaced.
pub(crate) fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|err| String::from_utf8_lossy(err.as_bytes()).into_owned())
}

/// The last `max` bytes of a regular file as text, with invalid UTF-8 replaced.
pub fn read_ending(path: &Path, max: u64) -> Option<String> {
    let (file, _) = open_regular(path).ok()?;
    log::tail(&file, max).ok().map(lossy)
}

/// The first `max` bytes of a regular file.
pub fn read_head(path: &Path, max: usize) -> Option<Vec<u8>> {
    head(path, max as u64).ok().map(|head| head.0)
}

/// The first `max` bytes of a regular file, and its length.
fn head(path: &Path, max: u64) -> std::io::Result<(Vec<u8>, u64)> {
    let (file, length) = open_regular(path)?;
    let mut bytes = file_identity::read_beyond(&file, length, max)?;
    let length = length.max(bytes.len() as u64);
    bytes.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    Ok((bytes, length))
}

/// Opens one of our files to append to it, and creates it if needed. Anything but a regular file is
/// an error: links are not followed, and FIFOs not waited for.
pub fn open_own(path: &Path) -> std::io::Result<std::fs::File> {
    let log = log::Log::open(path, files::Access::Private).map_err(std::io::Error::other)?;
    Ok(log.file)
}

/// An error and its causes, in one line.
pub fn in_a_line(err: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(err.source(), |&err| err.source());
    causes.fold(err.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[derive(Debug, thiserror::Error)]
pub enum StdinError {
    #[error("failed to read standard input")]
    Io(#[from] std::io::Error),
    #[error("standard input is larger than {0} bytes")]
    TooLarge(usize),
    #[error("standard input did not end within {} ms", .0.as_millis())]
    TimedOut(Duration),
}

/// Writes to standard output without the standard library's buffer, because it is a single answer.
pub fn write_stdout(bytes: &[u8]) -> std::io::Result<()> {
    let stdout = std::io::stdout().as_fd().try_clone_to_owned()?;
    std::fs::File::from(stdout).write_all(bytes)
}

/// Reads standard input to its end, for at most `patience`.
pub fn read_stdin(max: usize, patience: Duration) -> Result<Vec<u8>, StdinError> {
    let until = Instant::now() + patience;
    let stdin = rustix::stdio::stdin();
    let mut bytes = Vec::with_capacity(16 * 1024);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = process::timespec(left);
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Err(StdinError::TimedOut(patience)),
            Ok(_) => (),
            Err(rustix::io::Errno::INTR) => continue,
            Err(err) => return Err(StdinError::Io(err.into())),
        }
        if bytes.capacity() == bytes.len() {
            bytes.reserve(64 * 1024);
        }
        match rustix::io::read(stdin, spare_capacity(&mut bytes)) {
            Ok(0) => return Ok(bytes),
            Ok(_) | Err(rustix::io::Errno::INTR) => (),
            Err(err) => return Err(StdinError::Io(err.into())),
        }
        if bytes.len() > max {
            return Err(StdinError::TooLarge(max));
        }
    }
}
