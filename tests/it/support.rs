//! A roz of one's own: a home that nobody shares, a clock that moves one
//! second an event, dice that fall as they are told; what it answered, and
//! how to ask for more.

#![expect(clippy::disallowed_methods, reason = "tests start the binary")]

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicI64, AtomicU32, Ordering},
};

use chrono::{DateTime, TimeDelta};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::{SESSION, event_of},
    contract,
};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_roz");
pub(crate) const MORNING: &str = "2026-01-02T03:04:05Z";

pub(crate) struct Roz {
    dir: TempDir,
    vars: Vec<(String, String)>,
    has_real_clock: bool,
    /// Seconds since [`MORNING`].
    seconds: AtomicI64,
    throws: AtomicU32,
    /// The client numbers the prompts.
    pub(crate) prompts: AtomicU32,
    pub(crate) calls: AtomicU32,
}

/// What a hook answered. Whoever has one knows that it is what the client
/// takes: see [`contract`].
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) json: Value,
    pub(crate) stderr: String,
}

/// How a verb ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Roz {
    pub(crate) fn new() -> Self {
        let roz = Self {
            dir: tempfile::tempdir().unwrap(),
            vars: Vec::new(),
            has_real_clock: false,
            seconds: AtomicI64::new(0),
            throws: AtomicU32::new(0),
            prompts: AtomicU32::new(1),
            calls: AtomicU32::new(0),
        };
        for folder in [roz.user_home(), roz.project()] {
            fs::create_dir(folder).unwrap();
        }
        roz
    }

    /// With a gate on `git push`, and whatever else the user's file says.
    pub(crate) fn gated(config: &str) -> Self {
        Self::with_config(&format!("review.gates.tools = [\"Bash:git push*\"]\n{config}"))
    }

    pub(crate) fn with_config(text: &str) -> Self {
        let roz = Self::new();
        roz.configure(text);
        roz
    }

    pub(crate) fn with_var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Time that passes as it does, and dice that nobody has loaded.
    pub(crate) fn in_real_time(mut self) -> Self {
        self.has_real_clock = true;
        self
    }

    pub(crate) fn configure(&self, text: &str) {
        fs::create_dir_all(self.home()).unwrap();
        fs::write(self.home().join("config.toml"), text).unwrap();
    }

    /// Makes the project a git work tree with one commit.
    pub(crate) fn in_git(self) -> Self {
        self.write("README.md", "hello\n");
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "first"]] {
            self.git(args);
        }
        self
    }

    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(args).current_dir(self.project());
        let output = self.with_environment(&mut git).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.project().join(path), text).unwrap();
    }

    // Places.

    /// Everything that this roz may touch is in here.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn user_home(&self) -> PathBuf {
        self.dir().join("user")
    }

    /// `ROZ_HOME`.
    pub(crate) fn home(&self) -> PathBuf {
        self.user_home().join(".roz")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.dir().join("project")
    }

    /// What `ROZ_HOME` has of the project: the usage log, the ledger's copy.
    pub(crate) fn kept_of_project(&self) -> PathBuf {
        roz::ledger::folder_of(&self.project().canonicalize().unwrap(), &self.home())
    }

    pub(crate) fn sessions(&self) -> PathBuf {
        self.home().join("sessions")
    }

    /// The names of the files that lie with the sessions.
    pub(crate) fn session_files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.sessions()) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Everything below [`Self::dir`], by its path from there.
    pub(crate) fn all_files(&self) -> Vec<PathBuf> {
        let mut todo = vec![self.dir().to_owned()];
        let mut found = Vec::new();
        while let Some(path) = todo.pop() {
            if fs::symlink_metadata(&path).unwrap().is_dir() {
                todo.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
            }
            found.push(path.strip_prefix(self.dir()).unwrap().to_owned());
        }
        found.sort();
        found
    }

    // Time.

    pub(crate) fn later(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> String {
        let now = DateTime::parse_from_rfc3339(MORNING).unwrap().to_utc()
            + TimeDelta::seconds(self.seconds.load(Ordering::SeqCst));
        now.to_rfc3339()
    }

    // Processes.

    /// The binary in a clean environment, not started yet.
    pub(crate) fn command<S: AsRef<str>>(&self, args: &[S]) -> Command {
        self.through(&[], args)
    }

    /// The same, started by another program: a shell that sets a limit, say.
    pub(crate) fn through<S: AsRef<str>>(&self, starter: &[&str], args: &[S]) -> Command {
        let words = starter.iter().copied().chain([BINARY]).chain(args.iter().map(AsRef::as_ref));
        self.program(&words.collect::<Vec<_>>())
    }

    /// Another program, in the same environment.
    pub(crate) fn program(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.project());
        self.with_environment(&mut command);
        command
    }

    fn with_environment<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let throw = self.throws.fetch_add(1, Ordering::SeqCst);
        command
            .env_clear()
            .env("HOME", self.user_home())
            .env("ROZ_HOME", self.home())
            .env("TZ", "UTC")
            .env("PATH", std::env::var("PATH").unwrap_or_default())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Dev");
            command.env(format!("GIT_{who}_EMAIL"), "dev@example.com");
        }
        if !self.has_real_clock {
            command.env("ROZ_NOW", self.now()).env("ROZ_DICE", format!("{throw:016}"));
        }
        command.envs(self.vars.iter().map(|(name, value)| (name, value)))
    }

    #[track_caller]
    pub(crate) fn run<S: AsRef<str> + std::fmt::Debug>(&self, args: &[S]) -> Ran {
        Ran::of(feed(&mut self.command(args), b""))
    }

    /// A verb that has to do its work, with `--json`.
    #[track_caller]
    pub(crate) fn json<S: AsRef<str>>(&self, args: &[S]) -> Value {
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).chain(["--json"]).collect();
        let ran = self.run(&args).succeeds();
        assert_eq!(ran.stderr, "", "roz {args:?}");
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// A session, whole.
    #[track_caller]
    pub(crate) fn debug(&self, session: &str) -> Value {
        self.json(&["debug", session])
    }

    #[track_caller]
    pub(crate) fn state(&self) -> String {
        self.debug(SESSION)["state"]["review"].as_str().unwrap().to_owned()
    }

    /// The status of the reflection gate.
    #[track_caller]
    pub(crate) fn reflection(&self) -> String {
        self.debug(SESSION)["state"]["reflection"].as_str().unwrap().to_owned()
    }

    /// A verb with something on its standard input.
    #[track_caller]
    pub(crate) fn fed<S: AsRef<str>>(&self, args: &[S], stdin: &str) -> Ran {
        Ran::of(feed(&mut self.command(args), stdin.as_bytes()))
    }

    #[track_caller]
    pub(crate) fn trace(&self, event_type: &str) -> Vec<Value> {
        let trace = self.json(&["trace", SESSION, "--type", event_type]);
        trace["events"].as_array().unwrap().clone()
    }
}

impl Reply {
    #[track_caller]
    pub(crate) fn of(word: &str, stdin: &[u8], output: Output) -> Self {
        let json = contract::check(event_of(word, stdin), &output);
        let stderr = String::from_utf8(output.stderr).unwrap();
        Self { json, stderr }
    }

    /// A pass, and not a word to anybody.
    #[track_caller]
    pub(crate) fn passes(&self) {
        assert_eq!(self.json, json!({}), "stderr: {}", self.stderr);
        assert_eq!(self.stderr, "");
    }

    /// A pass, and a warning on stderr.
    #[track_caller]
    pub(crate) fn passes_with_a_warning(&self, word: &str) {
        assert_eq!(self.json, json!({}), "stderr: {}", self.stderr);
        assert!(self.stderr.starts_with("roz: warning: "), "{:?}", self.stderr);
        assert!(self.stderr.contains(word), "`{word}` not in {:?}", self.stderr);
    }

    /// No objection, whatever else is said.
    #[track_caller]
    pub(crate) fn objects_to_nothing(&self) -> &Self {
        assert!(!self.is_objection(), "{}", self.json);
        self
    }

    pub(crate) fn is_objection(&self) -> bool {
        self.json.get("decision").is_some()
            || self.json["hookSpecificOutput"].get("permissionDecision").is_some()
    }

    /// A blocked stop or prompt: the reason.
    #[track_caller]
    pub(crate) fn blocks(&self) -> String {
        assert_eq!(self.json["decision"], "block", "{} {}", self.json, self.stderr);
        self.json["reason"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn denies(&self) -> String {
        self.decides_permission("deny")
    }

    #[track_caller]
    pub(crate) fn asks(&self) -> String {
        self.decides_permission("ask")
    }

    #[track_caller]
    fn decides_permission(&self, decision: &str) -> String {
        let specific = &self.json["hookSpecificOutput"];
        assert_eq!(specific["permissionDecision"], decision, "{} {}", self.json, self.stderr);
        specific["permissionDecisionReason"].as_str().unwrap().to_owned()
    }

    /// The word to the user.
    #[track_caller]
    pub(crate) fn tells_user(&self) -> String {
        let told = self.json["systemMessage"].as_str();
        told.unwrap_or_else(|| panic!("no word to the user: {}", self.json)).to_owned()
    }

    /// What the agent is told beside the decision.
    #[track_caller]
    pub(crate) fn context(&self) -> String {
        let told = self.json["hookSpecificOutput"]["additionalContext"].as_str();
        told.unwrap_or_else(|| panic!("no context: {} {}", self.json, self.stderr)).to_owned()
    }
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Exit code 1, and one chain of causes on stderr: it is answered.
    #[track_caller]
    pub(crate) fn fails(self) -> String {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert!(self.stderr.starts_with("roz: "), "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        self.stderr
    }

    #[track_caller]
    pub(crate) fn misuses(self) -> String {
        assert_eq!(self.code, Some(2), "{self:?}");
        self.stderr
    }
}

/// Runs a program to its end with `stdin`, which it need not read.
pub(crate) fn feed(command: &mut Command, stdin: &[u8]) -> Output {
    let mut child = start(command);
    give(&mut child, stdin);
    child.wait_with_output().unwrap()
}

pub(crate) fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap_or_else(|err| panic!("{command:?}: {err}"))
}

pub(crate) fn give(child: &mut Child, stdin: &[u8]) {
    match child.stdin.take().unwrap().write_all(stdin) {
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => (),
        other => other.unwrap(),
    }
}

/// Says that a test could not be made here; the harness hides what goes
/// through `eprintln!`, and this must be seen. With `ROZ_TEST_NO_SKIP` set it
/// is a failure.
#[track_caller]
pub(crate) fn skip(test: &str, why: &str) {
    assert!(std::env::var_os("ROZ_TEST_NO_SKIP").is_none(), "{test} is skipped: {why}");
    // In one piece: other tests write there too.
    let _ = io::stderr().write_all(format!("\nSKIPPED: {test}: {why}\n").as_bytes());
}

/// Whether pages and pictures are written anew, not only compared.
pub(crate) fn writes_docs() -> bool {
    std::env::var_os("ROZ_WRITE_DOCS").is_some()
}

/// Whether the tests run under the client themselves.
pub(crate) fn is_run_by_an_agent() -> bool {
    std::env::var_os("CLAUDECODE").is_some() || std::env::var_os("CLAUDE_PID").is_some()
}

/// Whether a program can be started that way and ends well.
pub(crate) fn works(words: &[&str]) -> bool {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|it| it.success())
}
