//! A temporary home and project in which real `roz hook` processes run as the client would start
//! them.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    core::bounded,
    hooks::Hook,
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

/// What a process answered.
pub(in crate::cli) struct Said {
    /// Of a hook: its JSON. Else what it printed, as text.
    pub(in crate::cli) answer: Result<Value, String>,
    pub(in crate::cli) ms: f64,
}

impl Cage {
    /// With the user's configuration in it.
    pub(in crate::cli) fn new(
        binary: &Path,
        name: &str,
        config: &str,
        world: &World,
    ) -> io::Result<Self> {
        let dir = tempfile::tempdir()?;
        let session = format!("{name}-{}", bounded::hex(&world::dice()[..8]));
        let path = world.var("PATH").unwrap_or_default().to_owned();
        let cage = Self { dir, binary: binary.to_owned(), path, session };
        // As much of a repository as git asks for: it need not be there itself.
        for folder in ["home", "project/.git/objects", "project/.git/refs/heads"] {
            fs::create_dir_all(cage.dir.path().join(folder))?;
        }
        fs::write(cage.project().join(".git/HEAD"), "ref: refs/heads/main\n")?;
        fs::write(cage.home().join("config.toml"), config)?;
        Ok(cage)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(in crate::cli) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    /// A file of the project.
    pub(in crate::cli) fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.project().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)
    }

    /// A hook as the client would run it.
    pub(super) fn hook(&self, hook: Hook, fields: &Value) -> Said {
        let mut payload = json!({
            "session_id": self.session,
            "transcript_path": self.dir.path().join("transcript.jsonl"),
            "cwd": self.project(),
            "permission_mode": "default",
            "hook_event_name": hook.name(),
            "prompt_id": "p1",
        });
        merge(&mut payload, fields);
        self.answer(&["hook", hook.word()], &payload)
    }

    /// A hook as another client runs it, with a payload of its own.
    pub(in crate::cli) fn hook_of(&self, client: &str, hook: Hook, payload: &Value) -> Said {
        self.answer(&["hook", hook.word(), "--client", client], payload)
    }

    fn answer(&self, args: &[&str], payload: &Value) -> Said {
        let mut command = self.command();
        command.args(args);
        let began = Instant::now();
        let ran = Self::run(command, payload.to_string().as_bytes());
        let ms = began.elapsed().as_secs_f64() * 1000.0;
        let answer = ran.and_then(|ran| {
            let text = String::from_utf8_lossy(&ran.stdout).into_owned();
            let err = String::from_utf8_lossy(&ran.stderr).into_owned();
            match serde_json::from_str(&text) {
                Ok(value) if ran.ok && err.is_empty() => Ok(value),
                _ => Err(format!("{}{}", text.trim(), err.trim())),
            }
        });
        Said { answer, ms }
    }

    /// A verb of roz. One that fails has said why.
    pub(super) fn verb(&self, args: &[&str], stdin: &str) -> Said {
        let mut command = self.command();
        command.args(args);
        let began = Instant::now();
        let ran = Self::run(command, stdin.as_bytes());
        let ms = began.elapsed().as_secs_f64() * 1000.0;
        let answer = ran.and_then(|ran| {
            let (out, err) =
                (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
            if ran.ok {
                Ok(out.trim().into())
            } else {
                Err(format!("{}\n{}", out.trim(), err.trim()).trim().to_owned())
            }
        });
        Said { answer, ms }
    }

    /// Runs a program of [`Cage::command_of`] to its end.
    pub(in crate::cli) fn run(command: Command, stdin: &[u8]) -> Result<Ran, String> {
        process::feed(command, stdin, Instant::now() + PATIENCE).map_err(|err| err.to_string())
    }

    fn command(&self) -> Command {
        self.command_of(&self.binary)
    }

    /// A program in an environment in which nothing but the cage is to be seen.
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

/// Adds the fields of one object to those of another.
pub(super) fn merge(payload: &mut Value, fields: &Value) {
    let more = fields.as_object().cloned().unwrap_or_default();
    if let Some(payload) = payload.as_object_mut() {
        payload.extend(more);
    }
}

/// The token in a reviewer's context.
pub(super) fn token(answer: &Value) -> Option<String> {
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str()?;
    let (_, rest) = context.split_once("--token ")?;
    let token: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
    (token.len() >= 16).then_some(token)
}
