//! What a hook costs, as a whole process: beside the minimal hook (`benches/minimal.rs`), the two in
//! turn, as the median of the ratios pair by pair. Retrieval is measured beside an ungated
//! PreToolUse instead, which its bars are multiples of.
//!
//! `benches/README.md` says how to start it. `PAIRS=1000` measures more pairs; `-- learnings` only the
//! parts whose headings contain the word. Both programs are copies, as an installed one is.

#![expect(clippy::disallowed_methods, reason = "a bench starts processes")]
#![expect(clippy::print_stdout, reason = "and prints what it found")]

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use self::learnings::{learnings, word};

#[path = "hook/learnings.rs"]
mod learnings;

static ROZ: LazyLock<(TempDir, PathBuf)> =
    LazyLock::new(|| copied(env!("CARGO_BIN_EXE_roz").as_ref()));

static MINIMAL: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let built = Path::new(env!("CARGO_BIN_EXE_roz")).with_file_name("minimal");
    assert!(built.exists(), "build it first: see benches/README.md");
    copied(&built)
});

fn copied(binary: &Path) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::copy(binary, folder.path().join("roz")).expect("a copy of the binary");
    let copy = folder.path().join("roz");
    (folder, copy)
}

struct Case {
    name: &'static str,
    bar: Option<f64>,
    event: &'static str,
    payload: Value,
    /// Put the session back before each run.
    resets: bool,
}

fn main() {
    let pairs = std::env::var("PAIRS").ok().and_then(|it| it.parse().ok()).unwrap_or(300);
    let word = std::env::args().skip(1).find(|it| !it.starts_with("--"));
    let starts = |heading: &str| {
        let starts = word.as_ref().is_none_or(|it| heading.contains(it.as_str()));
        if starts {
            println!("-- {heading}");
        }
        starts
    };
    println!("{pairs} pairs a row, a copy of {}\n", env!("CARGO_BIN_EXE_roz"));
    println!("{:<46} {:>7} {:>7} {:>9} {:>9}", "hook", "ratio", "bar", "roz µs", "minimal");
    for (world, prepare) in [
        ("a fresh session", fresh as fn(&Path)),
        ("a session with 10,000 trace events", old),
        ("beside 10,000 other sessions", crowded),
    ] {
        if !starts(world) {
            continue;
        }
        let dir = tempfile::tempdir().expect("a temporary folder");
        let home = roz_home(&dir);
        let project = dir.path().join("project");
        fs::create_dir_all(project.join(".git")).expect("a project");
        fs::write(home.join("config.toml"), CONFIG).expect("a configuration");
        // A hook tidies up once a day; not in this run.
        fs::write(home.join("last-clean"), "").expect("a mark");
        hook(&home, "user-prompt", &event(&project, json!({ "prompt": "#roz fix it" })));
        prepare(&home);
        for case in cases(&project) {
            measure(&case, &home, pairs);
        }
    }
    if starts("a project that declares its work, 2,000 files") {
        for (name, bar, calls) in declared_calls() {
            declared(name, bar, &calls, pairs);
        }
    }
    println!("\n{:<46} {:>7} {:>7} {:>9} {:>9}", "retrieval", "ratio", "bar", "roz µs", "ungated");
    for (count, bar) in [(200, 5.0), (10_000, 50.0)] {
        if starts(&format!("{count} learnings")) {
            Retrieval::over(count).measure(bar, pairs);
        }
    }
}

/// What a hook of the intent gate is measured at: the calls before it, and its
/// own.
struct Calls {
    event: &'static str,
    payload: fn(&Path) -> Value,
    /// What is done to the project between PreToolUse and what is measured.
    deed: fn(&Path),
}

/// A write may cost twice what an ungated hook does.
fn declared_calls() -> Vec<(&'static str, Option<f64>, Calls)> {
    let edit = |event, payload, deed| Calls { event, payload, deed };
    vec![
        ("PreToolUse, Write in scope", Some(8.0), edit("pre-tool-use", small, |_| ())),
        ("PreToolUse, Bash that writes in scope", None, edit("pre-tool-use", line, |_| ())),
        ("PostToolUse, Edit, 250 lines", None, edit("post-tool-use", small, |it| touch(it, SMALL))),
        (
            "PostToolUse, Edit, 5,000 lines",
            None,
            edit("post-tool-use", large, |it| touch(it, LARGE)),
        ),
        ("PostToolUse, Bash, nothing changed", None, edit("post-tool-use", make, |_| ())),
        (
            "PostToolUse, Bash, one file changed",
            None,
            edit("post-tool-use", make, |it| touch(it, SMALL)),
        ),
    ]
}

const SMALL: &str = "src/auth/small.rs";
const LARGE: &str = "src/auth/large.rs";

fn small(project: &Path) -> Value {
    edited(project, SMALL)
}

fn large(project: &Path) -> Value {
    edited(project, LARGE)
}

fn line(_: &Path) -> Value {
    bash_call(&format!("sed -i s/a/b/ {SMALL}"))
}

fn make(_: &Path) -> Value {
    bash_call("make")
}

fn bash_call(command: &str) -> Value {
    json!({
        "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": command },
        "tool_response": { "stdout": "", "stderr": "", "interrupted": false },
    })
}

/// An edit of the tenth line, as the client tells of it.
fn edited(project: &Path, path: &str) -> Value {
    let (old, new) = ("let x9 = 9;", "let x9 = changed();");
    let hunk = json!({
        "oldStart": 10, "oldLines": 1, "newStart": 10, "newLines": 1,
        "lines": [format!("-{old}"), format!("+{new}")],
    });
    json!({
        "tool_name": "Edit", "tool_use_id": "t1",
        "tool_input": { "file_path": project.join(path), "old_string": old, "new_string": new },
        "tool_response": { "filePath": project.join(path), "structuredPatch": [hunk],
            "originalFile": fs::read_to_string(project.join(path)).unwrap_or_default() },
    })
}

fn lines(count: usize) -> String {
    (0..count).map(|n| format!("let x{n} = {n};\n")).collect::<Vec<_>>().concat()
}

fn touch(project: &Path, path: &str) {
    let path = project.join(path);
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, text.replace("let x9 = 9;", "let x9 = changed();")).expect("a change");
}

fn declared(name: &'static str, bar: Option<f64>, calls: &Calls, pairs: usize) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let home = roz_home(&dir);
    let project = dir.path().join("project");
    for n in 0..100 {
        let folder = project.join(format!("src/part{n}"));
        fs::create_dir_all(&folder).expect("a folder");
        for file in 0..20 {
            fs::write(folder.join(format!("file{file}.rs")), lines(20)).expect("a file");
        }
    }
    for folder in [project.join("src/auth"), project.join(".orchestration")] {
        fs::create_dir_all(folder).expect("a folder");
    }
    fs::write(home.join("last-clean"), "").expect("a mark");
    fs::write(project.join(SMALL), lines(250)).expect("a file");
    fs::write(project.join(LARGE), lines(5000)).expect("a file");
    let intents = "active_intents:\n  - id: INT-1\n    name: x\n    status: IN_PROGRESS\n    \
                   owned_scope: [\"src/auth/**\"]\n";
    fs::write(project.join(".orchestration/active_intents.yaml"), intents).expect("intents");
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com"];
        let mut git = Command::new("git");
        git.current_dir(&project).args(who).args(args);
        assert!(git.status().expect("git starts").success(), "git {args:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    let select = json!({
        "tool_name": "mcp__roz__select_active_intent", "tool_use_id": "t0",
        "tool_input": { "intent_id": "INT-1" }, "tool_response": {},
    });
    for path in [SMALL, LARGE] {
        let read = json!({
            "tool_name": "Read", "tool_use_id": "r", "tool_input": { "file_path": project.join(path) },
            "tool_response": {},
        });
        hook(&home, "post-tool-use", &event(&project, read));
    }
    hook(&home, "pre-tool-use", &event(&project, select.clone()));
    hook(&home, "post-tool-use", &event(&project, select));
    let payload = event(&project, (calls.payload)(&project));
    if calls.event == "post-tool-use" {
        hook(&home, "pre-tool-use", &payload);
        (calls.deed)(&project);
    }
    let case = Case { name, bar, event: calls.event, payload, resets: true };
    measure(&case, &home, pairs);
}

const CONFIG: &str = "\
[review.gates]
tools = ['mcp__tissue__close*', 'Bash:gh issue close*', 'Bash:git push*', 'Bash:cargo publish*']
[circuit_breaker]
max_blocks = 6
";

fn event(project: &Path, more: Value) -> Value {
    let mut payload = json!({
        "session_id": "bench",
        "transcript_path": "/home/dev/.claude/projects/-home-dev-project/bench.jsonl",
        "cwd": project,
        "permission_mode": "default",
        "effort": { "level": "medium" },
    });
    if let (Some(fields), Value::Object(more)) = (payload.as_object_mut(), more) {
        fields.extend(more);
    }
    payload
}

fn cases(project: &Path) -> Vec<Case> {
    let bash = |command: &str| json!({ "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": command } });
    let compound = "cd services/api && RUST_LOG=debug cargo test --workspace --all-features -- \
                    --nocapture 2>&1 | tee /tmp/test.log | grep -E '^(test result|error|warning)' \
                    || { echo \"tests failed: $(tail -n 1 /tmp/test.log)\"; exit 1; }; for f in \
                    src/*.rs; do rustfmt --check \"$f\" >/dev/null || echo \"$f\"; done; git status";
    assert!(compound.len() >= 300, "{}", compound.len());
    let done = json!({
        "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": "ls -la" },
        "tool_response": { "stdout": "x".repeat(1000), "stderr": "", "interrupted": false },
    });
    let stop = json!({ "stop_hook_active": false, "background_tasks": [], "session_crons": [] });
    let case = |name, bar, event_name, more, resets| Case {
        name,
        bar,
        event: event_name,
        payload: event(project, more),
        resets,
    };
    vec![
        case("PreToolUse, ungated", Some(4.0), "pre-tool-use", bash("ls -la src"), false),
        case(
            "PreToolUse, ungated, 300 characters",
            Some(4.5),
            "pre-tool-use",
            bash(compound),
            false,
        ),
        case("PostToolUse, ungated", Some(4.0), "post-tool-use", done, false),
        case("Stop that blocks and saves", Some(6.0), "stop", stop, true),
        case("UserPromptSubmit", Some(6.0), "user-prompt", json!({ "prompt": "and now?" }), true),
        case("SessionStart", None, "session-start", json!({ "source": "startup" }), true),
    ]
}

fn measure(case: &Case, home: &Path, pairs: usize) {
    let input = case.payload.to_string();
    let session = home.join("sessions/bench.json");
    let trace = home.join("sessions/bench.trace.jsonl");
    let kept = (fs::read(&session).expect("a session"), fs::read(&trace).expect("a trace"));
    let mut ratios = Vec::new();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..pairs + 10 {
        let roz = time(&mut command(case.event, home, &case.payload), &input);
        let yardstick = time(&mut Command::new(&MINIMAL.1), &input);
        if case.resets {
            fs::write(&session, &kept.0).expect("the session, put back");
            fs::write(&trace, &kept.1).expect("the trace, put back");
        }
        if round >= 10 {
            ratios.push(roz.as_secs_f64() / yardstick.as_secs_f64());
            ours.push(roz.as_secs_f64() * 1e6);
            theirs.push(yardstick.as_secs_f64() * 1e6);
        }
    }
    row(case.name, case.bar, &mut ratios, &mut ours, &mut theirs);
}

/// A project with learnings, on a branch that some of them are about, and a
/// session that has seen none of them.
struct Retrieval {
    home: PathBuf,
    project: PathBuf,
    session: Vec<(PathBuf, Vec<u8>)>,
    _dir: tempfile::TempDir,
}

impl Retrieval {
    fn over(count: u64) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (home, project) = (roz_home(&dir), dir.path().join("project"));
        fs::create_dir_all(project.join(".git")).expect("a project");
        fs::create_dir_all(project.join(".roz")).expect("a project that learns");
        fs::write(home.join("config.toml"), CONFIG).expect("a configuration");
        fs::write(home.join("last-clean"), "").expect("a mark");
        fs::write(project.join(".roz/learnings.md"), learnings(count)).expect("learnings");
        let mut it = Self { home, project, session: Vec::new(), _dir: dir };
        it.on_branch("main");
        hook(&it.home, "session-start", &it.payload("session-start"));
        let sessions = fs::read_dir(it.home.join("sessions")).expect("sessions");
        for path in sessions.map(|it| it.expect("a file").path()).filter(|it| it.is_file()) {
            it.session.push((path.clone(), fs::read(path).expect("a session")));
        }
        it.on_branch(&format!("fix/{}-{}", word(3 * 7), word(3 * 7 + 1)));
        for event in ["session-start", "user-prompt"] {
            let shown = it.says(event);
            assert!(shown.contains("cl_20260102_"), "{event} brings a learning: {shown}");
        }
        it
    }

    fn on_branch(&self, name: &str) {
        fs::write(self.project.join(".git/HEAD"), format!("ref: refs/heads/{name}\n"))
            .expect("a branch");
    }

    fn payload(&self, name: &str) -> Value {
        // With as many clauses as are asked by themselves.
        let clause = |it: u64| format!(" And {} is {}.", word(it * 7), word(it * 7 + 1));
        let more: String = (20..27).map(clause).collect();
        let prompt =
            format!("why does {} fail when {} is there?{more}", word(4 * 7), word(4 * 7 + 1));
        let more = match name {
            "session-start" => json!({ "source": "startup" }),
            "user-prompt" => json!({ "prompt": prompt }),
            _ => {
                json!({ "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": "ls -la src" } })
            }
        };
        event(&self.project, more)
    }

    fn command(&self, name: &str) -> Command {
        command(name, &self.home, &self.payload(name))
    }

    fn says(&self, name: &str) -> String {
        let mut child = self
            .command(name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = self.payload(name).to_string();
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        self.forget();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What was shown has not been shown.
    fn forget(&self) {
        for (path, text) in &self.session {
            fs::write(path, text).expect("the session, put back");
        }
        // It is there only if something was shown.
        let _ = fs::remove_file(self.project.join(".roz/stats.log"));
    }

    fn measure(&self, bar: f64, pairs: usize) {
        let cache = self.home.join("cache");
        // To make the index takes longer, and happens when the learnings change.
        let rows = [
            ("SessionStart", "session-start", Some(bar), pairs, false),
            ("UserPromptSubmit", "user-prompt", Some(bar), pairs, false),
            ("SessionStart that makes the index", "session-start", None, pairs.div_ceil(10), true),
        ];
        for (name, event, bar, pairs, is_cold) in rows {
            let input = self.payload(event).to_string();
            let ungated = self.payload("pre-tool-use").to_string();
            let (mut ratios, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
            for round in 0..pairs + 3 {
                if is_cold {
                    fs::remove_dir_all(&cache).expect("a cache");
                }
                let took = time(&mut self.command(event), &input);
                self.forget();
                let yardstick = time(&mut self.command("pre-tool-use"), &ungated);
                if round >= 3 {
                    ratios.push(took.as_secs_f64() / yardstick.as_secs_f64());
                    ours.push(took.as_secs_f64() * 1e6);
                    theirs.push(yardstick.as_secs_f64() * 1e6);
                }
            }
            row(name, bar, &mut ratios, &mut ours, &mut theirs);
        }
    }
}

fn row(name: &str, bar: Option<f64>, ratios: &mut [f64], ours: &mut [f64], theirs: &mut [f64]) {
    let bar = bar.map_or("-".to_owned(), |it| format!("{it:.1}"));
    let (ratio, ours, theirs) = (median(ratios), median(ours), median(theirs));
    println!("{name:<46} {ratio:>7.2} {bar:>7} {ours:>9.0} {theirs:>9.0}");
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// From the start of a process to its end, with `input` waiting for it.
fn time(command: &mut Command, input: &str) -> Duration {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(input.as_bytes()).expect("it fits into the pipe");
    drop(writer);
    command.stdin(reader).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().expect("it starts");
    let took = start.elapsed();
    assert!(status.success(), "{command:?}");
    took
}

fn hook(home: &Path, event: &str, payload: &Value) {
    time(&mut command(event, home, payload), &payload.to_string());
}

/// A user's home, as one has it who works with git; the answer is roz's own in it.
fn roz_home(dir: &TempDir) -> PathBuf {
    let user = dir.path().join("user");
    let home = user.join(".roz");
    fs::create_dir_all(&home).expect("a home");
    let git = "[user]\n\tname = Dev\n\temail = dev@example.com\n[pull]\n\trebase = true\n";
    fs::write(user.join(".gitconfig"), git).expect("a configuration of git");
    home
}

/// A hook as the client starts it: in the folder that the payload names, in the user's home.
fn command(event: &str, home: &Path, payload: &Value) -> Command {
    let mut command = Command::new(&ROZ.1);
    let place = payload["cwd"].as_str().expect("a folder");
    command.args(["hook", event]).env_remove("ROZ_HOME").current_dir(place);
    command.env("HOME", home.parent().expect("a user's"));
    command
}

fn fresh(_: &Path) {}

/// A long life: the trace is at its bound's double, as long as it ever gets.
fn old(home: &Path) {
    fs::write(home.join("config.toml"), format!("{CONFIG}[trace]\nmax_events = 10000\n"))
        .expect("a configuration");
    let path = home.join("sessions/bench.trace.jsonl");
    let first = fs::read_to_string(&path).expect("a trace");
    let line = first.lines().next().expect("an event");
    let event: Value = serde_json::from_str(line).expect("JSON");
    let mut lines = String::new();
    for seq in 1..=10_000 {
        let mut event = event.clone();
        event["seq"] = json!(seq);
        lines.push_str(&event.to_string());
        lines.push('\n');
    }
    fs::write(&path, &lines).expect("a long trace");
    let session = home.join("sessions/bench.json");
    let text = fs::read_to_string(&session).expect("a session");
    let mut state: Value = serde_json::from_str(&text).expect("JSON");
    state["trace"] = json!({ "seq": 10_000, "events": 10_000, "bytes": lines.len(), "dropped": 0 });
    fs::write(&session, state.to_string()).expect("a session");
}

fn crowded(home: &Path) {
    let text = fs::read_to_string(home.join("sessions/bench.json")).expect("a session");
    for n in 0..10_000 {
        let id = format!("other-{n}");
        let path = home.join("sessions").join(&id).with_extension("json");
        fs::write(path, text.replace("bench", &id)).expect("another session");
    }
}
