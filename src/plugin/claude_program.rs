//! The client as a program: its version, and its commands to install and uninstall plugins.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::Deserialize;

use super::ID;
use crate::world::{World, git, in_a_line, process, shell_word};

/// A command of the client takes half a second, or longer on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// A shorter limit for commands that change nothing.
const ANSWERS: Duration = Duration::from_secs(10);
/// The oldest version that roz is tested with.
pub const OLDEST: Version = Version([2, 1, 196]);
/// The first version that knows all our events, according to the client's changelog.
pub const KNOWS_ALL: Version = Version([2, 1, 33]);
/// The first version that refuses a tool call if its hook fails and asks for that.
pub const STRICT_SINCE: Version = Version([2, 1, 295]);

#[derive(Debug, Clone)]
pub struct Client {
    pub program: PathBuf,
    /// The folder in which its commands run, and which determines the project.
    dir: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u32; 3]);

/// An installed plugin.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Install {
    pub id: String,
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub scope: String,
    #[serde(default)]
    pub enabled: bool,
    /// Set if it is installed for a single project.
    pub project_path: Option<PathBuf>,
}

/// Why a command of the client failed.
#[derive(Debug, thiserror::Error)]
#[error("`{command}` failed: {said}")]
pub struct Error {
    command: String,
    said: String,
}

impl Error {
    fn new(args: &[&str], said: &impl ToString) -> Self {
        Self { command: line(args), said: said.to_string() }
    }

    /// Whether it says that the thing to remove does not exist.
    pub fn is_not_found(&self) -> bool {
        let said = self.said.to_lowercase();
        ["not found", "not installed", "no such"].iter().any(|text| said.contains(text))
    }
}

impl Client {
    pub fn find(world: &World) -> Option<Self> {
        let program = world.on_path("claude").into_iter().next()?;
        Some(Self { program, dir: git::root(&world.cwd) })
    }

    pub fn version(&self) -> Result<Version, Error> {
        const ARGS: [&str; 1] = ["--version"];
        let said = self.run_for(&self.dir, &ARGS, ANSWERS)?;
        said.parse().map_err(|()| Error::new(&ARGS, &format!("it printed `{said}`")))
    }

    /// Each installation of our plugin, in whatever scope.
    pub fn installs(&self) -> Result<Vec<Install>, Error> {
        const ARGS: [&str; 3] = ["plugin", "list", "--json"];
        let said = self.run_for(&self.dir, &ARGS, ANSWERS)?;
        // The client may print a notice first.
        let json = said.find('[').map_or("", |at| &said[at..]);
        let all: Vec<Install> =
            serde_json::from_str(json).map_err(|err| Error::new(&ARGS, &err))?;
        Ok(all.into_iter().filter(|install| install.id == ID).collect())
    }

    pub fn run(&self, args: &[&str]) -> Result<String, Error> {
        self.run_in(&self.dir, args)
    }

    pub fn run_in(&self, dir: &Path, args: &[&str]) -> Result<String, Error> {
        self.run_for(dir, args, PATIENCE)
    }

    fn run_for(&self, dir: &Path, args: &[&str], patience: Duration) -> Result<String, Error> {
        let mut command = process::command(&self.program);
        // Run it as the user would, even if an agent runs us.
        command
            .args(args)
            .current_dir(dir)
            .env_remove("CLAUDECODE")
            .env("DISABLE_AUTOUPDATER", "1");
        let ran = process::run(command, Instant::now() + patience)
            .map_err(|err| Error::new(args, &in_a_line(&err)))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let (out, err) = (text(&ran.stdout), text(&ran.stderr));
        if ran.ok { Ok(out) } else { Err(Error::new(args, &format!("{out} {err}").trim())) }
    }
}

/// A command of the client as a user would type it.
pub fn line(args: &[&str]) -> String {
    let words = ["claude"].iter().chain(args).map(|word| shell_word(word));
    words.collect::<Vec<_>>().join(" ")
}

impl std::str::FromStr for Version {
    type Err = ();

    /// `2.1.197 (Claude Code)`, with any text after the numbers.
    fn from_str(text: &str) -> Result<Self, ()> {
        let word = text.split_whitespace().next().ok_or(())?;
        let mut numbers =
            word.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().map_err(|_| ()));
        let mut next = || numbers.next().ok_or(())?;
        Ok(Version([next()?, next()?, next()?]))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests;
