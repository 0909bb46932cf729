//! The client as a program: its version, and its own means to take a plugin in
//! and to let it go.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::Deserialize;

use super::ID;
use crate::{
    hooks::Hook,
    world::{World, git, process},
};

/// A command of the client takes half a second; a busy machine, longer.
const PATIENCE: Duration = Duration::from_mins(1);
/// A question that changes nothing: one that hangs is not waited for so long.
const ANSWERS: Duration = Duration::from_secs(10);
/// The first version that knows every event of ours.
pub const OLDEST: Version = Version([2, 1, 196]);

/// The first version that refuses a tool call where its hook fails, if the hook
/// asks for that.
pub const STRICT_SINCE: Version = Version([2, 1, 295]);

/// The first version that knows an event, where the client's changelog says so.
pub const SINCE: &[(Hook, Version)] = &[
    (Hook::PreToolUse, Version([1, 0, 38])),
    (Hook::PostToolUse, Version([1, 0, 38])),
    (Hook::Stop, Version([1, 0, 38])),
    (Hook::SubagentStop, Version([1, 0, 41])),
    (Hook::UserPrompt, Version([1, 0, 54])),
    (Hook::SessionStart, Version([1, 0, 62])),
    (Hook::SessionEnd, Version([1, 0, 85])),
    (Hook::SubagentStart, Version([2, 0, 43])),
    (Hook::TaskCompleted, Version([2, 1, 33])),
];

#[derive(Debug, Clone)]
pub struct Client {
    pub program: PathBuf,
    /// Where its commands run: it looks for a project there.
    dir: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u32; 3]);

/// A plugin that the client has taken in.
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
    /// Of an installation for one project.
    pub project_path: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Process(#[from] process::Error),
    #[error("`{command}` failed: {said}")]
    Failed { command: String, said: String },
    #[error("`{command}` did not answer within {seconds} s")]
    Silent { command: String, seconds: u64 },
    #[error("`{0}` said something that is not understood: {1}")]
    Odd(String, String),
}

impl Error {
    /// Whether it says that what was to be removed is not there.
    pub fn is_not_found(&self) -> bool {
        let Self::Failed { said, .. } = self else { return false };
        let said = said.to_lowercase();
        ["not found", "not installed", "no such"].iter().any(|text| said.contains(text))
    }
}

impl Client {
    pub fn find(world: &World) -> Option<Self> {
        let program = world.on_path("claude").into_iter().next()?;
        Some(Self { program, dir: git::root(&world.cwd) })
    }

    pub fn version(&self) -> Result<Version, Error> {
        let said = self.run_for(&self.dir, &["--version"], ANSWERS)?;
        let quoted = if said.is_empty() { "nothing" } else { said.trim() };
        said.parse().map_err(|()| Error::Odd("claude --version".into(), quoted.to_owned()))
    }

    /// Each installation of our plugin, in whatever scope.
    pub fn installs(&self) -> Result<Vec<Install>, Error> {
        let said = self.run_for(&self.dir, &["plugin", "list", "--json"], ANSWERS)?;
        // A notice of the client's may stand before it.
        let json = said.find('[').map_or("", |at| &said[at..]);
        let all: Vec<Install> = serde_json::from_str(json)
            .map_err(|err| Error::Odd("claude plugin list --json".into(), err.to_string()))?;
        Ok(all.into_iter().filter(|install| install.id == ID).collect())
    }

    pub fn run(&self, args: &[&str]) -> Result<String, Error> {
        self.run_in(&self.dir, args)
    }

    /// What the command printed.
    ///
    /// # Errors
    ///
    /// If it cannot be started, does not end in time, or fails.
    pub fn run_in(&self, dir: &Path, args: &[&str]) -> Result<String, Error> {
        self.run_for(dir, args, PATIENCE)
    }

    fn run_for(&self, dir: &Path, args: &[&str], patience: Duration) -> Result<String, Error> {
        let mut command = process::command(&self.program);
        // As the user would run it, also where an agent runs us.
        command
            .args(args)
            .current_dir(dir)
            .env_remove("CLAUDECODE")
            .env("DISABLE_AUTOUPDATER", "1");
        let ran = match process::run(command, Instant::now() + patience) {
            Err(process::Error::TimedOut(_)) => {
                return Err(Error::Silent { command: line(args), seconds: patience.as_secs() });
            }
            ran => ran?,
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if ran.ok {
            return Ok(text(&ran.stdout));
        }
        let said = [text(&ran.stdout), text(&ran.stderr)].join(" ");
        Err(Error::Failed { command: line(args), said: said.trim().to_owned() })
    }
}

/// A command of the client as one would type it.
pub fn line(args: &[&str]) -> String {
    let is_plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "/._-@=".contains(c));
    let quoted = args.iter().map(|arg| {
        if is_plain(arg) { (*arg).to_owned() } else { format!("'{}'", arg.replace('\'', r"'\''")) }
    });
    ["claude".to_owned()].into_iter().chain(quoted).collect::<Vec<_>>().join(" ")
}

impl std::str::FromStr for Version {
    type Err = ();

    /// `2.1.197 (Claude Code)`, with more or less behind the numbers.
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
