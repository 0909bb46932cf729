//! The client's part: its payloads, in its own words and order, and the
//! reviewer that it starts.

use std::{fmt::Write as _, fs, path::Path, sync::atomic::Ordering, time::Instant};

use chrono::DateTime;
use roz::{
    hooks::{self, Answer, Hook},
    world::World,
};
use serde_json::{Value, json};

use crate::{
    contract,
    support::{MORNING, Ran, Reply, Roz, feed},
};

/// The session that all events belong to which do not say otherwise.
pub(crate) const SESSION: &str = "s1";
pub(crate) const REVIEWER: &str = "roz:roz";

impl Roz {
    /// Sends an event as the client does; `more` is laid over the fields that
    /// all events have.
    #[track_caller]
    pub(crate) fn hook(&self, word: &str, more: Value) -> Reply {
        self.later(1);
        let payload = self.payload(word, more);
        self.raw(&["hook", word], payload.to_string().as_bytes())
    }

    /// Sends whatever it is.
    #[track_caller]
    pub(crate) fn raw(&self, args: &[&str], stdin: &[u8]) -> Reply {
        Reply::of(
            args.get(1).copied().unwrap_or_default(),
            stdin,
            feed(&mut self.command(args), stdin),
        )
    }

    /// The same, through another program.
    #[track_caller]
    pub(crate) fn hook_through(&self, starter: &[&str], word: &str, more: Value) -> Reply {
        self.later(1);
        let payload = self.payload(word, more).to_string();
        let mut command = self.through(starter, &["hook", word]);
        Reply::of(word, payload.as_bytes(), feed(&mut command, payload.as_bytes()))
    }

    pub(crate) fn payload(&self, word: &str, more: Value) -> Value {
        let mut payload = json!({
            "session_id": SESSION,
            "transcript_path": self.user_home().join(".claude/projects/p/s1.jsonl"),
            "cwd": self.project(),
            "prompt_id": format!("p{}", self.prompts.load(Ordering::SeqCst)),
            "permission_mode": "default",
        });
        if let Some(hook) = Hook::find(word) {
            payload["hook_event_name"] = hook.name().into();
        }
        let Value::Object(more) = more else { panic!("not an object: {more}") };
        payload.as_object_mut().unwrap().extend(more);
        payload
    }

    #[track_caller]
    pub(crate) fn prompt(&self, text: &str) -> Reply {
        self.prompts.fetch_add(1, Ordering::SeqCst);
        self.hook("user-prompt", json!({ "prompt": text }))
    }

    /// The user asks for a review.
    #[track_caller]
    pub(crate) fn requests(&self, text: &str) {
        let reply = self.prompt(text);
        assert_eq!(reply.objects_to_nothing().tells_user(), "roz: review requested");
    }

    #[track_caller]
    pub(crate) fn stop(&self) -> Reply {
        self.stop_beside(&json!([]))
    }

    /// A stop while `background` goes on.
    #[track_caller]
    pub(crate) fn stop_beside(&self, background: &Value) -> Reply {
        let more = json!({
            "stop_hook_active": false,
            "last_assistant_message": format!("Done at {}.", self.now()),
            "background_tasks": background,
            "session_crons": [],
        });
        self.hook("stop", more)
    }

    /// A tool call of the main agent, about to be made.
    #[track_caller]
    pub(crate) fn tool(&self, name: &str, input: &Value) -> Reply {
        self.hook("pre-tool-use", self.call(name, input))
    }

    /// The fields of a call that was not made before.
    pub(crate) fn call(&self, name: &str, input: &Value) -> Value {
        let id = self.calls.fetch_add(1, Ordering::SeqCst);
        json!({ "tool_name": name, "tool_input": input, "tool_use_id": format!("toolu_{id:04}") })
    }

    #[track_caller]
    pub(crate) fn bash(&self, command: &str) -> Reply {
        self.tool("Bash", &json!({ "command": command, "description": "x" }))
    }

    #[track_caller]
    pub(crate) fn push(&self) -> Reply {
        self.bash("git push origin main")
    }

    /// The agent writes a file of the project with the Write tool.
    #[track_caller]
    pub(crate) fn agent_writes(&self, path: &str, text: &str) {
        self.session_writes(SESSION, path, text);
    }

    /// Another session does.
    #[track_caller]
    pub(crate) fn session_writes(&self, session: &str, path: &str, text: &str) {
        let file = self.project().join(path);
        let mut call = self.call("Write", &json!({ "file_path": file, "content": text }));
        call["session_id"] = session.into();
        self.hook("pre-tool-use", call.clone()).objects_to_nothing();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        self.hook("post-tool-use", call).objects_to_nothing();
    }

    // The reviewer.

    #[track_caller]
    pub(crate) fn launch(&self) -> Reply {
        self.tool(
            "Agent",
            &json!({
                "description": "Review",
                "prompt": format!("Review session {SESSION}, please."),
                "subagent_type": REVIEWER,
                "run_in_background": false,
            }),
        )
    }

    #[track_caller]
    pub(crate) fn subagent_start(&self, agent: &str) -> Reply {
        self.hook("subagent-start", json!({ "agent_id": agent, "agent_type": REVIEWER }))
    }

    /// A launch, and the reviewer that it starts.
    #[track_caller]
    pub(crate) fn reviewer(&self, agent: &str) -> Reviewer<'_> {
        assert!(self.launch().json["hookSpecificOutput"]["updatedInput"].is_object());
        let told = self.subagent_start(agent).context();
        let token = token_in(&told).unwrap_or_else(|| panic!("no token in: {told}"));
        Reviewer { roz: self, agent: agent.to_owned(), token }
    }

    /// A whole review: a reviewer starts, looks, decides and ends.
    #[track_caller]
    pub(crate) fn reviewed(&self, verdict: &str, summary: &str) {
        let agent = format!("a{}", self.calls.load(Ordering::SeqCst));
        let reviewer = self.reviewer(&agent);
        reviewer.looks();
        // For a work that is empty this is a look at what the call names.
        reviewer.runs("git log -p -1");
        reviewer.decides(verdict, summary).succeeds();
        reviewer.ends().passes();
    }
}

/// A reviewer at work, with its token.
pub(crate) struct Reviewer<'a> {
    roz: &'a Roz,
    pub(crate) agent: String,
    pub(crate) token: String,
}

impl Reviewer<'_> {
    /// Its own Bash call of `roz decide`: PreToolUse, the process,
    /// PostToolUse.
    #[track_caller]
    pub(crate) fn decides(&self, verdict: &str, summary: &str) -> Ran {
        self.decides_with(verdict, summary, &[])
    }

    #[track_caller]
    pub(crate) fn decides_with(&self, verdict: &str, summary: &str, more: &[&str]) -> Ran {
        self.decides_aloud(verdict, summary, more).0
    }

    /// The same, with what is said at the main agent's next event: there the person hears of it.
    #[track_caller]
    pub(crate) fn decides_aloud(
        &self,
        verdict: &str,
        summary: &str,
        more: &[&str],
    ) -> (Ran, Reply) {
        let mut args = vec!["decide", SESSION, verdict, summary];
        args.extend(more);
        args.extend(["--token", &self.token]);
        let call = self.call(&line(&args));
        self.roz.hook("pre-tool-use", call.clone()).passes();
        let ran = self.roz.run(&args);
        self.roz.hook("post-tool-use", call).passes();
        let reply = self.roz.bash("git status");
        reply.objects_to_nothing();
        (ran, reply)
    }

    /// Looks at the work with `roz context`. Answers what it was shown.
    #[track_caller]
    pub(crate) fn looks(&self) -> String {
        self.looks_with(&[])
    }

    #[track_caller]
    pub(crate) fn looks_with(&self, more: &[&str]) -> String {
        let args = [&["context", SESSION], more].concat();
        let shown = self.roz.run(&args).succeeds().stdout;
        self.is_shown(&line(&args), &json!({ "stdout": shown, "stderr": "" }));
        shown
    }

    /// A command that this reviewer runs for real, in the project. Answers its output.
    #[track_caller]
    pub(crate) fn runs(&self, command: &str) -> String {
        let output = self.roz.program(&["sh", "-c", command]).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        self.is_shown(command, &json!({ "stdout": stdout, "stderr": "" }));
        stdout
    }

    /// A Bash call of this reviewer, and what the client says that came of it.
    #[track_caller]
    pub(crate) fn is_shown(&self, command: &str, response: &Value) {
        let mut call = self.call(command);
        self.roz.hook("pre-tool-use", call.clone()).passes();
        call["tool_response"] = response.clone();
        self.roz.hook("post-tool-use", call).passes();
    }

    /// Reads lines of a file with the client's own tool.
    #[track_caller]
    pub(crate) fn reads(&self, path: &Path, first: usize, lines: &[&str]) {
        let mut call = self.uses("Read", &json!({ "file_path": path }));
        self.roz.hook("pre-tool-use", call.clone()).passes();
        call["tool_response"] = json!({ "type": "text", "file": {
            "filePath": path, "content": lines.join("\n"), "startLine": first,
            "numLines": lines.len(), "totalLines": lines.len() + first - 1,
        } });
        self.roz.hook("post-tool-use", call).passes();
    }

    /// A Bash call of this reviewer.
    pub(crate) fn call(&self, command: &str) -> Value {
        self.uses("Bash", &json!({ "command": command }))
    }

    /// A call of this reviewer.
    pub(crate) fn uses(&self, tool: &str, input: &Value) -> Value {
        let mut call = self.roz.call(tool, input);
        call["agent_id"] = self.agent.as_str().into();
        call["agent_type"] = REVIEWER.into();
        call
    }

    #[track_caller]
    pub(crate) fn bash(&self, command: &str) -> Reply {
        self.roz.hook("pre-tool-use", self.call(command))
    }

    #[track_caller]
    pub(crate) fn ends(&self) -> Reply {
        let more = json!({
            "agent_id": self.agent,
            "agent_type": REVIEWER,
            "stop_hook_active": false,
            "last_assistant_message": "I have decided.",
            "background_tasks": [],
        });
        self.roz.hook("subagent-stop", more)
    }

    /// As in a stop's `background_tasks`.
    pub(crate) fn in_background(&self) -> Value {
        running(&self.agent, REVIEWER)
    }
}

/// A subagent as in `background_tasks`.
pub(crate) fn running(agent: &str, agent_type: &str) -> Value {
    json!({
        "id": agent,
        "type": "subagent",
        "status": "running",
        "description": "Review",
        "agent_type": agent_type,
    })
}

/// The first word of 128 bits, in hexadecimal.
pub(crate) fn token_in(text: &str) -> Option<String> {
    let is_token = |it: &&str| it.len() == 32 && it.bytes().all(|it| it.is_ascii_hexdigit());
    text.split(|c: char| !c.is_ascii_alphanumeric()).find(is_token).map(str::to_owned)
}

/// A `roz …` command line for a shell.
pub(crate) fn line(args: &[&str]) -> String {
    let mut line = "roz".to_owned();
    for arg in args {
        let is_plain = arg.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
        if is_plain && !arg.is_empty() {
            let _ = write!(line, " {arg}");
        } else {
            let _ = write!(line, " '{}'", arg.replace('\'', r"'\''"));
        }
    }
    line
}

/// The library's own entry, in a home of its own: what a process does, without
/// starting one.
pub(crate) struct Inside {
    pub(crate) roz: Roz,
}

impl Inside {
    pub(crate) fn new(config: &str) -> Self {
        Self { roz: Roz::with_config(config) }
    }

    pub(crate) fn world(&self) -> World {
        World {
            is_nowhere: false,
            now: DateTime::parse_from_rfc3339(MORNING).unwrap().to_utc(),
            started: Instant::now(),
            user_home: Some(self.roz.user_home()),
            cwd: self.roz.project(),
            env: vec![("ROZ_HOME".into(), self.roz.home().to_str().unwrap().into())],
        }
    }

    #[track_caller]
    pub(crate) fn hook(&self, word: &str, stdin: &[u8]) -> Answer {
        let answer = hooks::run(
            hooks::Setup::of(roz::clients::ALL[0]),
            word,
            Ok(stdin.to_vec()),
            &self.world(),
        );
        contract::check_json(event_of(word, stdin), &answer.stdout);
        answer
    }

    /// Sends an event that names itself.
    #[track_caller]
    pub(crate) fn send(&self, payload: &Value) -> Value {
        self.hook("", payload.to_string().as_bytes()).stdout
    }
}

/// The event that a payload is, as far as a gate would hear of it.
pub(crate) fn event_of(word: &str, stdin: &[u8]) -> Option<Hook> {
    // To look into a huge one would take longer than the hook itself.
    const LARGE: usize = 4 * 1024 * 1024;
    if stdin.len() > LARGE {
        return Hook::find(word);
    }
    let payload: Value = serde_json::from_slice(stdin).unwrap_or_default();
    Hook::find(payload["hook_event_name"].as_str().unwrap_or(word))
}
