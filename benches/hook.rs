//! What a hook costs, as a whole process: each beside `/bin/true`, the two in
//! turn, as the median of the ratios pair by pair.
//!
//! `cargo bench --bench hook --target x86_64-unknown-linux-musl`; `PAIRS=1000`
//! for more of them. The bars are those of the static build.

#![expect(clippy::disallowed_methods, reason = "a bench starts processes")]
#![expect(clippy::print_stdout, reason = "and prints what it found")]

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const ROZ: &str = env!("CARGO_BIN_EXE_roz");

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
    println!("{pairs} pairs a row, {ROZ}\n");
    println!("{:<46} {:>7} {:>7} {:>9} {:>9}", "hook", "ratio", "bar", "roz µs", "true µs");
    for (world, prepare) in [
        ("a fresh session", fresh as fn(&Path)),
        ("a session with 10,000 trace events", old),
        ("beside 10,000 other sessions", crowded),
    ] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let home = dir.path().join("home");
        let project = dir.path().join("project");
        fs::create_dir_all(project.join(".git")).expect("a project");
        fs::create_dir_all(&home).expect("a home");
        fs::write(home.join("config.toml"), CONFIG).expect("a configuration");
        // A hook tidies up once a day; not in this run.
        fs::write(home.join("last-clean"), "").expect("a mark");
        hook(&home, "user-prompt", &event(&project, json!({ "prompt": "#roz fix it" })));
        prepare(&home);
        println!("-- {world}");
        for case in cases(&project) {
            measure(&case, &home, pairs);
        }
    }
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
        case("PreToolUse, ungated", Some(0.7), "pre-tool-use", bash("ls -la src"), false),
        case(
            "PreToolUse, ungated, 300 characters",
            Some(0.8),
            "pre-tool-use",
            bash(compound),
            false,
        ),
        case("PostToolUse, ungated", Some(0.7), "post-tool-use", done, false),
        case("Stop that blocks and saves", Some(1.5), "stop", stop, true),
        case("UserPromptSubmit", Some(1.5), "user-prompt", json!({ "prompt": "and now?" }), true),
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
        let roz = time(Command::new(ROZ).args(["hook", case.event]).env("ROZ_HOME", home), &input);
        let yardstick = time(&mut Command::new("/bin/true"), &input);
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
    let bar = case.bar.map_or("-".to_owned(), |it| format!("{it:.1}"));
    println!(
        "{:<46} {:>7.2} {:>7} {:>9.0} {:>9.0}",
        case.name,
        median(&mut ratios),
        bar,
        median(&mut ours),
        median(&mut theirs),
    );
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
    time(Command::new(ROZ).args(["hook", event]).env("ROZ_HOME", home), &payload.to_string());
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
