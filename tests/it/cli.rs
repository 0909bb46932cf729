//! The verbs: what they print for people and for programs, and how they end.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::{
    client::SESSION,
    support::{Ran, Roz, start},
};

/// A pending session with a blocked stop and a denied call.
fn busy() -> Roz {
    let roz = Roz::gated("").in_git();
    roz.hook("session-start", json!({ "source": "startup" })).passes();
    roz.requests("#roz fix the bug");
    roz.push().denies();
    roz.stop().blocks();
    roz
}

fn prompted(roz: &Roz, session: &str, text: &str) {
    roz.hook("user-prompt", json!({ "session_id": session, "prompt": text })).objects_to_nothing();
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[track_caller]
fn has_keys(value: &Value, wanted: &[&str]) {
    for key in wanted {
        assert!(value.get(key).is_some(), "no `{key}` in {value}");
    }
}

// For programs.

#[test]
fn list_names_the_sessions_newest_first() {
    let roz = busy();
    roz.later(60);
    prompted(&roz, "s2", "hello");
    let list = roz.json(&["list"]);
    let sessions = list["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    for it in sessions {
        has_keys(
            it,
            &["session_id", "created_at", "updated_at", "cwd", "review", "reflection", "intent"],
        );
        assert!(
            it["review"].is_string() && it["reflection"].is_string() && it["intent"].is_string()
        );
    }
    let told = |at: usize| {
        (sessions[at]["session_id"].as_str().unwrap(), sessions[at]["review"].as_str().unwrap())
    };
    assert_eq!((told(0), told(1)), (("s2", "idle"), (SESSION, "pending")));
    assert_eq!(roz.json(&["list", "--limit", "1"])["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn debug_is_the_whole_session_with_its_trace() {
    let roz = busy();
    let session = roz.debug(SESSION);
    has_keys(&session, &["session_id", "created_at", "updated_at", "review", "trace"]);
    has_keys(
        &session["review"],
        &[
            "enabled",
            "decision",
            "user_prompts",
            "gate_trigger",
            "last_prompt_at",
            "review_started_at",
            "block_count",
            "circuit_breaker_tripped",
            "attempts",
        ],
    );
    assert_eq!(session["review"]["decision"], json!({ "type": "pending" }));
    let trigger = &session["review"]["gate_trigger"];
    has_keys(trigger, &["tool_name", "tool_input", "triggered_at", "pattern_matched"]);
    has_keys(&trigger["tool_input"], &["value", "truncated"]);
    has_keys(&session["review"]["attempts"][0], &["template_id", "timestamp", "outcome"]);
    assert_eq!(session["trace"].as_array().unwrap().len(), 4);
    // It is JSON with and without the flag.
    let plain = roz.run(&["debug", SESSION]).succeeds().stdout;
    assert_eq!(serde_json::from_str::<Value>(&plain).unwrap(), session);
}

#[test]
fn trace_tells_what_happened_in_order() {
    let roz = busy();
    let trace = roz.json(&["trace", SESSION]);
    let events = trace["events"].as_array().unwrap();
    for (at, event) in events.iter().enumerate() {
        assert_eq!(keys(event), ["event_type", "payload", "seq", "timestamp"]);
        assert_eq!(event["seq"], at + 1);
    }
    let types: Vec<&str> = events.iter().map(|it| it["event_type"].as_str().unwrap()).collect();
    assert_eq!(types, ["session_start", "prompt_received", "gate_blocked", "stop_hook_called"]);

    assert_eq!(roz.trace("gate_blocked"), [events[2].clone()]);
    assert_eq!(roz.trace("breaker_tripped"), [json!(null); 0]);
    let text = roz.run(&["trace", SESSION, "--type", "gate_blocked"]).succeeds().stdout;
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("gate_blocked") && text.contains("git push"), "{text}");
    let verbose = roz.run(&["trace", SESSION, "--verbose"]).succeeds().stdout;
    assert!(verbose.contains("\"tool_use_id\""), "{verbose}");
}

#[test]
fn a_trace_that_is_followed_goes_on() {
    let roz = busy();
    let mut child = start(&mut roz.command(&["trace", SESSION, "--follow", "--json"]));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    for seq in 1..=4 {
        assert_eq!(next()["seq"], seq);
    }
    roz.stop().blocks();
    let event = next();
    assert_eq!((&event["seq"], &event["event_type"]), (&json!(5), &json!("stop_hook_called")));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn context_is_what_a_reviewer_needs() {
    let roz = busy();
    let context = roz.json(&["context", SESSION]);
    has_keys(
        &context,
        &[
            "session_id",
            "user_prompts",
            "decision",
            "gate_trigger",
            "findings",
            "changes",
            "second_opinions",
        ],
    );
    assert_eq!(context["user_prompts"], json!(["#roz fix the bug"]));
    let text = roz.run(&["context", SESSION]).succeeds().stdout;
    for word in ["#roz fix the bug", "git push origin main", "Bash:git push*", "pending"] {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

#[test]
fn stats_count_how_blocks_went() {
    let roz = busy();
    roz.reviewed("COMPLETE", "fine");
    prompted(&roz, "s2", "#roz");
    roz.hook("stop", json!({ "session_id": "s2" })).blocks();
    roz.hook("stop", json!({ "session_id": "s2", "stop_hook_active": true })).blocks();
    let stats = roz.json(&["stats"]);
    let default = &stats["templates"]["default"];
    assert_eq!(
        (&default["shown"], &default["success"], &default["pending"]),
        (&json!(3), &json!(1), &json!(1))
    );
    assert_eq!(default["failures"]["not_spawned"], 1);
    assert_eq!(default["blocks_needed"], 1.0);
    assert!(roz.run(&["stats"]).succeeds().stdout.contains("default"));
}

#[test]
fn decide_says_what_became_of_it() {
    let roz = busy();
    let reviewer = roz.reviewer("a1");
    reviewer.looks();
    reviewer.runs("git log -p -1");
    let ran = reviewer.decides_with("COMPLETE", "fine", &["--json"]).succeeds();
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&said["session_id"], &said["decision"], &said["stands"]),
        (&json!(SESSION), &json!("COMPLETE"), &json!(true))
    );
}

// For people.

#[test]
fn every_verb_prints_plain_text_where_nobody_sees_colour() {
    let roz = busy();
    for args in
        [&["list"][..], &["trace"], &["context"], &["stats"], &["clean"], &["trace", "--verbose"]]
    {
        let ran = roz.run(args).succeeds();
        assert!(!ran.stdout.contains('\x1b') && !ran.stdout.is_empty(), "{args:?}: {}", ran.stdout);
        assert_eq!(ran.stderr, "", "{args:?}");
    }
    let roz = roz.with_var("CLICOLOR_FORCE", "1").with_var("TERM", "xterm-256color");
    assert!(!roz.run(&["list"]).succeeds().stdout.contains('\x1b'));
}

#[test]
fn times_are_told_both_ways() {
    let roz = busy();
    roz.later(3 * 3600);
    let list = roz.run(&["list"]).succeeds().stdout;
    assert!(list.contains("2026-01-02 03:04:09 (3h ago)"), "{list}");
}

#[test]
fn a_home_without_sessions_is_no_error() {
    let roz = Roz::new();
    assert_eq!(roz.json(&["list"])["sessions"], json!([]));
    for args in [&["list"][..], &["stats"], &["clean"]] {
        assert!(!roz.run(args).succeeds().stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let roz = busy();
    for at in 0..40 {
        prompted(&roz, &format!("s2{at:02}"), &"word ".repeat(2000));
    }
    for args in [
        &["list", "--limit", "100"][..],
        &["debug", "s200"],
        &["trace", SESSION],
        &["context", "s200"],
        &["list", "--json"],
    ] {
        let mut child = start(&mut roz.command(args));
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {output:?}");
    }
    // Someone who reads a little of it first.
    let mut child = roz
        .command(&["debug", "s200"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 1]).unwrap();
    drop(stdout);
    let ran = Ran::of(child.wait_with_output().unwrap()).succeeds();
    assert_eq!(ran.stderr, "");
}

// Which session.

#[test]
fn a_session_is_named_by_any_beginning_that_only_it_has() {
    let roz = Roz::new();
    for id in ["6f0c-a", "6f0c-b", "77", "770"] {
        prompted(&roz, id, "#roz");
    }
    assert_eq!(roz.debug("6f0c-b")["session_id"], "6f0c-b");
    assert_eq!(roz.debug("77")["session_id"], "77", "a whole id is not just a beginning");
    roz.run(&["debug", "770"]).succeeds();
    for verb in ["debug", "trace", "context"] {
        let complaint = roz.run(&[verb, "6f"]).fails();
        assert!(complaint.contains("6f0c-a") && complaint.contains("6f0c-b"), "{complaint}");
    }
}

#[test]
fn an_unknown_session_is_told_with_a_remedy() {
    let roz = busy();
    for id in ["nope", "../s1", "", "s1.json", "é"] {
        for args in [
            &["debug", id][..],
            &["trace", id],
            &["context", id],
            &["decide", id, "COMPLETE", "x", "--token", "y"],
        ] {
            let complaint = roz.run(args).fails();
            assert!(complaint.contains("roz list"), "{args:?}: {complaint}");
            assert_eq!(complaint.lines().count(), 1, "{complaint}");
        }
    }
}

#[test]
fn without_an_id_the_newest_session_of_this_project_is_meant() {
    let roz = busy();
    roz.later(60);
    prompted(&roz, "s2", "#roz");
    roz.later(60);
    let elsewhere = roz.dir().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    roz.hook("user-prompt", json!({ "session_id": "s3", "prompt": "#roz", "cwd": elsewhere }))
        .tells_user();
    assert_eq!(roz.json(&["debug"])["session_id"], "s2");
    assert_eq!(roz.json(&["context"])["session_id"], "s2");
    let mut command = roz.command(&["debug"]);
    command.current_dir(&elsewhere);
    assert!(Ran::of(command.output().unwrap()).succeeds().stdout.contains("\"s3\""));
    command.current_dir(roz.dir());
    Ran::of(command.output().unwrap()).fails();
}

// Clean.

fn cleaned(roz: &Roz, args: &[&str]) -> (Vec<String>, Vec<String>) {
    let clean = roz.json(&[&["clean"], args].concat());
    let list = |key: &str| {
        let mut list: Vec<String> = serde_json::from_value(clean[key].clone()).unwrap();
        list.sort();
        list
    };
    (list("sessions"), list("kept_open"))
}

/// An old idle session, an old one with an open review, and a young one.
fn three_sessions() -> Roz {
    let roz = Roz::new();
    prompted(&roz, "old-idle", "hello");
    prompted(&roz, "old-open", "#roz");
    roz.later(8 * 24 * 3600);
    prompted(&roz, "young", "hello");
    roz
}

#[test]
fn clean_forgets_what_is_old_and_not_open() {
    let roz = three_sessions();
    let expected = (vec!["old-idle".to_owned()], vec!["old-open".to_owned()]);
    assert_eq!(cleaned(&roz, &["--dry-run"]), expected);
    assert_eq!(roz.json(&["list"])["sessions"].as_array().unwrap().len(), 3);
    assert_eq!(cleaned(&roz, &[]), expected);
    assert_eq!(roz.json(&["list"])["sessions"].as_array().unwrap().len(), 2);
    assert!(!roz.session_files().iter().any(|it| it.starts_with("old-idle")));
}

#[test]
fn clean_forgets_as_much_as_it_is_told() {
    assert_eq!(cleaned(&three_sessions(), &["--before", "9d"]).0, [""; 0]);
    assert_eq!(cleaned(&three_sessions(), &["--before", "190h"]).0, ["old-idle"]);
    assert_eq!(cleaned(&three_sessions(), &["--before", "0m"]).0, ["old-idle"]);
    assert_eq!(
        cleaned(&three_sessions(), &["--before", "7d", "--all"]).0,
        ["old-idle", "old-open"]
    );
    assert_eq!(cleaned(&three_sessions(), &["--all"]).0, ["old-idle", "old-open", "young"]);
    for age in ["7", "x", "7w"] {
        assert!(Roz::new().run(&["clean", "--before", age]).misuses().contains("not a duration"));
    }
    Roz::new().run(&["clean", "--before", "-1d"]).misuses();
}

#[test]
fn clean_takes_leftovers_and_leaves_what_is_not_ours() {
    let roz = three_sessions();
    for name in ["gone.lock", "gone.tmp", "young.tmp", "notes.txt", "young.json.bak"] {
        fs::write(roz.sessions().join(name), "").unwrap();
    }
    roz.run(&["clean", "--all", "--before", "7d"]).succeeds();
    assert_eq!(
        roz.session_files(),
        ["notes.txt", "young.json", "young.json.bak", "young.lock", "young.trace.jsonl"]
    );
}

#[test]
fn cleaning_comes_by_itself_at_a_session_start_once_a_day() {
    let roz = three_sessions();
    roz.hook("session-start", json!({ "source": "startup", "session_id": "new" })).passes();
    let files = roz.session_files();
    assert!(!files.iter().any(|it| it.starts_with("old-idle")), "{files:?}");
    assert!(files.contains(&"old-open.json".to_owned()), "{files:?}");
}

// Exit codes.

#[test]
fn misuse_ends_with_2_and_what_cannot_be_done_with_1() {
    let roz = busy();
    for args in [
        &["no-such-verb"][..],
        &[],
        &["list", "--no-such-flag"],
        &["decide"],
        &["decide", SESSION],
        &["decide", SESSION, "MAYBE", "x"],
        &["decide", SESSION, "COMPLETE", "x", "--human", "--token", "y"],
        &["list", "--limit", "many"],
    ] {
        let ran = roz.run(args);
        assert!(ran.stdout.is_empty(), "{ran:?}");
        assert!(!ran.misuses().contains("panicked"), "{args:?}");
    }
    roz.run(&["debug", "nope"]).fails();
    roz.run(&["decide", SESSION, "COMPLETE", "x"]).fails();
    for args in [
        &["--help"][..],
        &["--version"],
        &["list", "--help"],
        &["hook", "--help"],
        &["decide", "-h"],
    ] {
        assert!(!roz.run(args).succeeds().stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn whatever_goes_wrong_is_one_object_with_an_error_for_programs() {
    let roz = busy();
    for (args, code) in [
        (&["no-such-verb"][..], 2),
        (&["help", "no-such-verb"], 2),
        (&["list", "--no-such-flag"], 2),
        (&["eval", "--split", "x"], 2),
        (&["debug", "nope"], 1),
        (&["ref", "cl_20260101_aaaaaa"], 1),
    ] {
        let ran = roz.run(&[args, &["--json"]].concat());
        assert_eq!((ran.code, &*ran.stderr), (Some(code), ""), "{args:?}");
        let said: Value = serde_json::from_str(&ran.stdout).unwrap();
        has_keys(&said["error"], &["message", "remedy"]);
    }
}

#[test]
fn help_is_one_page_however_it_is_asked_for_and_suggests_a_verb_for_a_typo() {
    let roz = Roz::new();
    let page = roz.run(&["intent", "select", "--help"]).succeeds().stdout;
    for args in [&["help", "intent", "select"][..], &["intent", "help", "select"]] {
        assert_eq!(roz.run(args).succeeds().stdout, page, "{args:?}");
    }
    assert!(roz.run(&["intent", "help"]).succeeds().stdout.contains("roz intent select INT-001"));
    for args in [&["help", "itent"][..], &["help", "intent", "selct"]] {
        assert!(roz.run(args).misuses().contains("tip: "), "{args:?}");
    }
}

#[test]
fn a_hook_whose_command_line_cannot_be_read_lets_pass() {
    let roz = Roz::gated("");
    for args in [
        &["hook", "stop", "--json", "--bogus"][..],
        &["hook", "--bogus"],
        &["--json", "hook", "stop", "and", "more"],
    ] {
        let ran = roz.run(args);
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "{}\n"), "{args:?}");
        assert!(ran.stderr.starts_with("roz: warning: unexpected argument"), "{ran:?}");
    }
}

#[test]
fn a_client_that_starts_the_bare_program_may_name_itself() {
    let roz = Roz::gated("");
    let call = roz.payload("pre-tool-use", roz.call("Bash", &json!({ "command": "git push" })));
    roz.raw(&["--client", "claude"], call.to_string().as_bytes()).denies();
    roz.run(&["--client", "claude"]).misuses();
}

#[test]
fn one_session_that_cannot_be_read_hides_no_other() {
    let roz = three_sessions();
    fs::write(roz.sessions().join("broken.json"), "{").unwrap();
    let list = roz.run(&["list"]).succeeds().stdout;
    assert!(list.contains("young") && list.contains("broken"), "{list}");
    roz.run(&["stats"]).succeeds();
    roz.run(&["clean"]).succeeds();
}

#[test]
fn the_trace_is_bounded_and_says_what_it_dropped() {
    let roz = Roz::with_config("trace.max_events = 20");
    for at in 0..50 {
        roz.prompt(&format!("prompt {at}")).passes();
    }
    let trace = roz.json(&["trace", SESSION]);
    let events = trace["events"].as_array().unwrap();
    let told = |at: usize| events[at]["payload"]["prompt"].as_str().unwrap_or_default();
    assert_eq!(
        (events.len(), told(0), told(9), told(20)),
        (21, "prompt 0", "prompt 9", "prompt 49")
    );
    assert_eq!(events[10]["event_type"], "trace_compacted");
    assert_eq!(events[10]["payload"]["dropped"], 30);
}
