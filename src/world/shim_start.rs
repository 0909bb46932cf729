//! Shims are links to roz in a folder `…/shims/<16 hex digits>/`, each under the name of a program.
//! This module finds out whether the process was started through one, and starts the real program.

#![expect(clippy::disallowed_methods, reason = "this is where programs are started")]

use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    os::unix::{ffi::OsStrExt as _, process::CommandExt as _, process::ExitStatusExt as _},
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use super::is_executable;

/// The folder that contains a folder of links for each set of names.
pub const FOLDER: &str = "shims";
/// How many hex digits name a set.
pub const DIGITS: usize = 16;

/// A gated program that was started through a shim.
#[derive(Debug)]
pub struct Started {
    /// The program's name.
    pub name: OsString,
    /// How it was called: a name or a path.
    called: OsString,
    pub args: Vec<OsString>,
    /// `<ROZ_HOME>` of the folder that the shim is in.
    pub home: PathBuf,
}

impl Started {
    /// The program, if this process was started through a shim. A shell that looks up a bare name
    /// on PATH passes only the name, so the shim is the first file of that name on PATH.
    pub fn now() -> Option<Self> {
        let mut args = env::args_os();
        let called = args.next()?;
        let name = Path::new(&called).file_name().filter(|name| *name != "roz")?.to_owned();
        let file = if called.as_bytes().contains(&b'/') {
            PathBuf::from(&called)
        } else {
            let path = env::var_os("PATH")?;
            env::split_paths(&path)
                .map(|split_path| split_path.join(&name))
                .find(|split_path| is_executable(split_path))?
        };
        let file = std::path::absolute(file).ok().filter(|absolute| is_shim(absolute))?;
        let (target, own) = (file.canonicalize().ok()?, env::current_exe().ok()?);
        if target != own && target != own.canonicalize().ok()? {
            return None;
        }
        let home = file.ancestors().nth(3)?.to_owned();
        Some(Self { name, called, args: args.collect(), home })
    }

    /// The program and its arguments as text.
    pub fn argv(&self) -> Vec<String> {
        let words = std::iter::once(&self.name).chain(&self.args);
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// The real program: the first of that name on PATH that is not a shim of any roz.
    pub fn program(&self) -> Option<PathBuf> {
        let path = env::var_os("PATH")?;
        let mut files = env::split_paths(&path).map(|split_path| split_path.join(&self.name));
        files.find(|file| is_executable(file) && !is_shim(file))
    }

    /// Replaces this process by the program, so that it gets signals and the terminal and sets the
    /// exit code. Returns only if that fails.
    pub fn become_program(&self, program: &Path) -> io::Error {
        let err = self.command(program).exec();
        match err.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
            // A script without a `#!` line is run by a shell.
            Some(rustix::io::Errno::NOEXEC) => {
                Command::new("/bin/sh").arg(program).args(&self.args).exec()
            }
            _ => err,
        }
    }

    /// Runs the program to its end. Returns its exit code.
    pub fn run_program(&self, program: &Path) -> io::Result<u8> {
        let status = self.command(program).status()?;
        let code = status.code().or_else(|| Some(128 + status.signal()?));
        Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if !self.called.as_bytes().contains(&b'/') {
            command.arg0(&self.called);
        }
        command.args(&self.args);
        command
    }
}

/// Replaces this process by a program, with the given variables.
pub fn become_agent(words: &[OsString], variables: &[(&str, OsString)]) -> io::Error {
    let Some((program, args)) = words.split_first() else {
        return io::Error::from(io::ErrorKind::InvalidInput);
    };
    let mut command = Command::new(program);
    command.args(args).envs(variables.iter().cloned());
    if variables.iter().any(|(name, _)| *name == "ROZ_SESSION_ID") {
        // It names the session of the client from which `roz run` was started.
        command.env_remove("CLAUDE_CODE_SESSION_ID");
    }
    command.exec()
}

/// Whether a file is a shim, by its path, so that shims of another roz count too.
fn is_shim(file: &Path) -> bool {
    file.parent().is_some_and(is_folder) && file.is_symlink()
}

/// Whether a folder is a folder of shims, by its name.
pub(crate) fn is_folder(folder: &Path) -> bool {
    let is_hash =
        |name: &OsStr| name.len() == DIGITS && name.as_bytes().iter().all(u8::is_ascii_hexdigit);
    folder.file_name().is_some_and(is_hash)
        && folder.parent().and_then(Path::file_name).is_some_and(|name| name == FOLDER)
}

/// PATH without the folders of shims; `None` if it contains none.
pub(super) fn without_folders(path: &str) -> Option<String> {
    // The usual case.
    if !path.contains("/shims/") {
        return None;
    }
    let kept = path.split(':').filter(|part| !is_folder(Path::new(part.trim_end_matches('/'))));
    let kept = kept.collect::<Vec<_>>().join(":");
    (kept != path).then_some(kept)
}

/// The PATH for the programs that roz starts, if it differs from ours.
pub(super) fn own_path() -> Option<&'static str> {
    static PATH: OnceLock<Option<String>> = OnceLock::new();
    PATH.get_or_init(|| without_folders(env::var_os("PATH")?.to_str()?)).as_deref()
}

/// The session that this process belongs to according to its environment: the client's, else that
/// of `roz run`.
pub fn session_id() -> Option<String> {
    let mut known = ["CLAUDE_CODE_SESSION_ID", "ROZ_SESSION_ID"].into_iter().filter_map(variable);
    known.find_map(|id| id.into_string().ok())
}

/// A variable of this process, including `PATH` with its folders of shims. An empty one counts as
/// not set.
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests;
