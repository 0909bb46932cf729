//! A temporary home and project in which real `roz hook` processes run as the client would start
//! them.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    core::bounded,
    world::{
        self, World,
        process::{self, Ran},
    },
};

const PATIENCE: Duration = Duration::from_secs(10);

pub(in crate::cli) struct Cage {
    dir: tempfile::TempDir,
    binary: PathBuf,
    path: String,
    pub(in crate::cli) session: String,
}

/// The answer or the error of a process, and how long it took in milliseconds.
pub(in crate::cli) type Said<T> = (Result<T, String>, f64);

impl Cage {
    /// Creates one with this configuration of the user.
    pub(in crate::cli) fn new(binary: &Path, config: &str, world: &World) -> io::Result<Self> {
        let dir = tempfile::tempdir()?;
        let session = format!("demo-{}", bounded::hex(&world::dice()[..8]));
        let path = world.var("PATH").unwrap_or_default().to_owned();
        let cage = Self { dir, binary: binary.to_owned(), path, session };
        // The minimum that git accepts as a repository, so that git is not needed to create it.
        for folder in ["home", "project/.git/objects", "project/.git/refs/heads"] {
            fs::create_dir_all(cage.dir.path().join(folder))?;
        }
        fs::write(cage.project().join(".git/HEAD"), "ref: refs/heads/main\n")?;
        fs::write(cage.home().join("config.toml"), config)?;
        Ok(cage)
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(in crate::cli) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(in crate::cli) fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.project().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)
    }

    /// Runs a hook with the arguments with which a client registers it.
    pub(in crate::cli) fn hook(&self, args: &[&str], payload: &Value) -> Said<Value> {
        let (said, ms) = self.verb(args, &payload.to_string());
        (said.and_then(|said| serde_json::from_str(&said).map_err(|_| said)), ms)
    }

    pub(super) fn verb(&self, args: &[&str], stdin: &str) -> Said<String> {
        let mut command = self.command_of(&self.binary);
        command.args(args);
        let began = Instant::now();
        let ran = Self::run(command, stdin.as_bytes());
        let ms = began.elapsed().as_secs_f64() * 1000.0;
        let said = ran.and_then(|ran| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            let (out, err) = (text(&ran.stdout), text(&ran.stderr));
            if ran.ok && err.is_empty() { Ok(out) } else { Err(format!("{out}\n{err}")) }
        });
        (said, ms)
    }

    /// Runs a program of [`Cage::command_of`] to its end.
    pub(in crate::cli) fn run(command: Command, stdin: &[u8]) -> Result<Ran, String> {
        process::feed(command, stdin, Instant::now() + PATIENCE).map_err(|err| err.to_string())
    }

    /// A command whose environment contains nothing outside the cage.
    pub(in crate::cli) fn command_of(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = process::command(program);
        command
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", self.dir.path())
            .env("ROZ_HOME", self.home())
            .current_dir(self.project());
        command
    }
}
