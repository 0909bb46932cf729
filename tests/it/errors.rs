//! Invalid input: what cannot be read passes with a warning, and what can be read is governed,
//! whatever surrounds it.

use roz::hooks::{Hook, MAX_INPUT};
use serde_json::{Value, json};

use crate::{
    client::Inside,
    support::{Roz, start},
};

/// Gates that go on denying, however often they are asked.
const GATE: &str = "
    review.gates.tools = ['Bash:git push*', 'Write', 'Deep']
    review.gates.max_denials = 1000
    circuit_breaker.max_blocks = 1000
";

fn gated_call(inside: &Inside) -> Value {
    let call = inside.roz.call("Bash", &json!({ "command": "git push origin main" }));
    inside.roz.payload("pre-tool-use", call)
}

fn is_denied(reply: &Value) -> bool {
    reply["hookSpecificOutput"]["permissionDecision"] == "deny"
}

#[test]
fn what_is_no_object_passes_with_a_warning() {
    let inside = Inside::new(GATE);
    let before = inside.roz.all_files();
    for stdin in [
        "",
        " \n\t ",
        "{",
        "{\"session_id\":\"s1\"",
        "{\"session_id\":\"s1\",}",
        "{'session_id':'s1'}",
        "[]",
        "[\"Stop\",\"s1\"]",
        "null",
        "true",
        "42",
        "\"Stop\"",
        "plain text",
        "{} {}",
        "{\"session_id\":\"s1\"} and more",
        "\u{feff}",
        "\0",
    ] {
        for hook in Hook::ALL {
            let answer = inside.hook(hook.word(), stdin.as_bytes());
            assert_eq!(answer.stdout, json!({}), "{stdin:?}");
            assert_eq!(answer.warnings.len(), 1, "{stdin:?}: {:?}", answer.warnings);
        }
    }
    assert_eq!(inside.roz.all_files(), before);
}

#[test]
fn unreadable_input_is_answered_by_exit_code_0_and_an_empty_object() {
    let roz = Roz::gated("");
    for stdin in [&b""[..], b"{", b"[1]", b"plain text", b"\xff\xfe{\x00}\x00", b"{}"] {
        roz.raw(&["hook", "pre-tool-use"], stdin).passes_with_a_warning("");
    }
    assert_eq!(roz.session_files(), [""; 0]);
}

#[test]
fn an_array_of_the_right_values_is_no_payload() {
    let inside = Inside::new("");
    let fields =
        json!(["UserPromptSubmit", "s1", null, null, null, null, null, null, null, null, "#roz"]);
    let answer = inside.hook("user-prompt", fields.to_string().as_bytes());
    assert_eq!((answer.stdout, answer.warnings.len()), (json!({}), 1));
    assert_eq!(inside.roz.session_files(), [""; 0]);
}

#[test]
fn a_byte_order_mark_and_white_space_around_the_object_do_not_matter() {
    let roz = Roz::gated("");
    let call = roz.payload("pre-tool-use", roz.call("Bash", &json!({ "command": "git push" })));
    for (before, after) in [("\u{feff}", ""), (" \n\t\r\n", "\n\n"), ("\u{feff} \n", " \r\n")] {
        let reply = roz.raw(&["hook", "pre-tool-use"], format!("{before}{call}{after}").as_bytes());
        reply.denies();
        assert_eq!(reply.stderr, "");
    }
}

#[test]
fn a_gated_command_with_bytes_that_are_no_text_is_still_denied() {
    let roz = Roz::gated("");
    let call = roz.call("Bash", &json!({ "command": "git push @@ main" }));
    let call = roz.payload("pre-tool-use", call).to_string();
    let (before, after) = call.split_once("@@").unwrap();
    let bytes = [before.as_bytes(), b"\xff\xc3\x28", after.as_bytes()].concat();
    let reply = roz.raw(&["hook", "pre-tool-use"], &bytes);
    reply.denies();
    assert!(reply.stderr.contains("UTF-8"), "{}", reply.stderr);
}

#[test]
fn fifty_megabytes_are_governed_like_fifty_bytes() {
    let roz = Roz::with_config(GATE);
    let huge = "é".repeat(25_000_000);
    let send = |word: &str, more: Value| {
        let payload = roz.payload(word, more).to_string();
        let (before, after) = payload.split_once("HUGE").unwrap();
        roz.raw(&["hook", word], [before, &huge, after].concat().as_bytes())
    };
    let write = json!({ "file_path": "/x", "content": "HUGE" });
    send("pre-tool-use", roz.call("Write", &write)).denies();
    send("user-prompt", json!({ "prompt": "#roz HUGE" })).tells_user();
    let session = roz.debug("s1");
    assert_eq!(session["state"]["review"], "pending");
    let kept = &session["review"]["user_prompts"][0];
    assert_eq!(kept["original_size"], huge.len() + "#roz ".len());
    assert_eq!(kept["original_hash"].as_str().map(str::len), Some(64));
    let size = roz.sessions().join("s1.json").metadata().unwrap().len();
    assert!(size < 64 * 1024, "{size} bytes are kept");
}

#[test]
fn more_than_the_most_that_is_read_passes_with_a_warning() {
    let roz = Roz::gated("");
    let mut call = roz.payload("user-prompt", json!({ "prompt": "#roz" })).to_string();
    call.push_str(&" ".repeat(MAX_INPUT + 1 - call.len()));
    roz.raw(&["hook", "user-prompt"], call.as_bytes()).passes_with_a_warning("larger than");
    assert_eq!(roz.session_files(), [""; 0]);
}

#[test]
fn a_client_that_never_finishes_is_not_waited_for_for_ever() {
    let roz = Roz::new();
    let mut child = start(&mut roz.command(&["hook", "stop"]));
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"{}\n");
    assert!(output.stderr.starts_with(b"roz: warning: "), "{output:?}");
}

#[test]
fn fields_of_the_wrong_type_count_as_absent() {
    let odd =
        [json!(null), json!(true), json!(-1.5e300), json!("?"), json!([[]]), json!({ "a": 1 })];
    let inside = Inside::new(GATE);
    let optional = [
        "hook_event_name",
        "cwd",
        "transcript_path",
        "permission_mode",
        "prompt_id",
        "agent_id",
        "agent_type",
        "subagent_type",
        "subagent_prompt",
        "subagent_started_at",
        "source",
        "prompt",
        "tool_use_id",
        "tool_response",
        "stop_hook_active",
        "background_tasks",
        "session_crons",
        "reason",
        "task_id",
        "task_subject",
        "effort",
        "model",
        "no_such_field",
    ];
    for field in optional {
        for value in &odd {
            if field == "hook_event_name" && value.is_string() {
                continue;
            }
            let mut call = gated_call(&inside);
            call[field] = value.clone();
            let answer = inside.hook("pre-tool-use", call.to_string().as_bytes());
            assert!(is_denied(&answer.stdout), "{field} = {value}: {answer:?}");

            let mut stop = inside.roz.payload("stop", json!({}));
            stop[field] = value.clone();
            let answer = inside.hook("stop", stop.to_string().as_bytes());
            assert_eq!(answer.warnings, [""; 0], "{field} = {value}");
        }
    }
}

#[test]
fn a_stop_without_any_optional_field_is_still_held() {
    let inside = Inside::new("");
    inside.send(
        &json!({ "hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "#roz" }),
    );
    let stop = inside.send(&json!({ "hook_event_name": "Stop", "session_id": "s1" }));
    assert_eq!(stop["decision"], "block");
}

#[test]
fn a_call_without_an_input_is_gated_by_its_name() {
    let inside = Inside::new(GATE);
    for input in [json!(null), json!("text"), json!([1]), json!(7)] {
        let call = json!({
            "hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Write",
            "tool_input": input,
        });
        assert!(is_denied(&inside.send(&call)), "{input}");
    }
    let call = json!({ "hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Write" });
    assert!(is_denied(&inside.send(&call)));
}

#[test]
fn without_a_cwd_the_hooks_own_place_counts() {
    let roz = Roz::gated("").in_git();
    let mut call = roz.payload("pre-tool-use", roz.call("Bash", &json!({ "command": "git push" })));
    call.as_object_mut().unwrap().remove("cwd");
    roz.raw(&["hook", "pre-tool-use"], call.to_string().as_bytes()).denies();
}

#[test]
fn of_a_field_that_is_there_twice_the_last_one_counts() {
    let inside = Inside::new(GATE);
    let call = gated_call(&inside).to_string();
    let inner = call.replace(r#""command":"#, r#""command":"ls","command":"#);
    assert_ne!(inner, call);
    assert!(is_denied(&inside.hook("pre-tool-use", inner.as_bytes()).stdout));
    for field in [r#""prompt_id":"x""#, r#""tool_name":"Read""#, r#""no_such_field":1"#] {
        let doubled = call.replacen('{', &format!("{{{field},"), 1);
        let answer = inside.hook("pre-tool-use", doubled.as_bytes());
        assert!(is_denied(&answer.stdout), "{field}: {answer:?}");
    }
}

#[test]
fn fields_and_words_that_only_a_newer_client_knows_do_not_matter() {
    let inside = Inside::new("review.gates.tools = ['Bash:git push*']");
    let mut call = gated_call(&inside);
    call["permission_mode"] = "telepathy".into();
    call["effort"] = json!({ "level": [1, 2, { "deeper": null }] });
    assert!(is_denied(&inside.send(&call)));
    let start = json!({ "source": "resurrection", "model": { "name": "x" } });
    let start = inside.roz.payload("session-start", start);
    assert_eq!(inside.send(&start), json!({}));
}

#[test]
fn half_a_surrogate_hides_nothing() {
    let inside = Inside::new(GATE);
    let call = gated_call(&inside).to_string();
    for half in [r"\ud83d", r"\udc00", r"\ud83d\ud83d", r"\ud83dx"] {
        for place in ["git push origin main", "toolu_", "default"] {
            let broken = call.replace(place, &format!("{place}{half}"));
            assert_ne!(broken, call);
            let answer = inside.hook("pre-tool-use", broken.as_bytes());
            assert!(is_denied(&answer.stdout), "{broken}: {answer:?}");
        }
    }
    let inside = Inside::new("");
    let prompt = inside.roz.payload("user-prompt", json!({ "prompt": "#roz @" }));
    let prompt = prompt.to_string().replace('@', r"\udfff");
    inside.hook("user-prompt", prompt.as_bytes());
    assert_eq!(inside.roz.state(), "pending");
}

#[test]
fn nesting_hides_nothing() {
    let roz = Roz::with_config(GATE);
    for depth in [200, 100_000] {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            for (tool, input) in [
                ("Deep", deep.clone()),
                ("Deep", format!(r#"{{"a":{deep}}}"#)),
                ("Bash", format!(r#"{{"a":{deep},"command":"git push"}}"#)),
                ("Bash", format!(r#"{{"command":"git push","a":{deep}}}"#)),
            ] {
                let call = format!(
                    r#"{{"x":{deep},"hook_event_name":"PreToolUse","session_id":"s1","tool_name":"{tool}","tool_input":{input}}}"#
                );
                roz.raw(&["hook", "pre-tool-use"], call.as_bytes()).denies();
            }
        }
    }
    roz.debug("s1");
}

#[test]
fn a_hostile_session_id_passes_with_a_warning_and_leaves_no_file() {
    let roz = Roz::with_config(GATE);
    let before = roz.all_files();
    let long = "a".repeat(129);
    for id in [
        "",
        ".",
        "..",
        "../x",
        "../../x",
        "/etc/passwd",
        "a/b",
        "a\\b",
        "a.b",
        "a b",
        " s1",
        "s1\n",
        "a\0b",
        "séance",
        "ｓ１",
        "٣",
        "a\u{202e}b",
        "-\u{0}",
        &long,
        "{{session_id}}",
        "$(touch x)",
        "%2e%2e",
    ] {
        for word in ["session-start", "user-prompt", "pre-tool-use", "subagent-start", "stop"] {
            let mut call = roz.call("Write", &json!({ "file_path": "x", "prompt": "#roz" }));
            call["session_id"] = id.into();
            call["prompt"] = "#roz".into();
            let payload = roz.payload(word, call).to_string();
            let inside = Inside::new(GATE);
            let files = inside.roz.all_files();
            let answer = inside.hook(word, payload.as_bytes());
            assert_eq!(answer.stdout, json!({}), "{id:?}");
            assert_eq!(answer.warnings.len(), 1, "{id:?}: {:?}", answer.warnings);
            assert!(!answer.warnings[0].contains('\n'), "{:?}", answer.warnings[0]);
            assert_eq!(inside.roz.all_files(), files, "{id:?}");
        }
        let payload = roz.payload("user-prompt", json!({ "session_id": id, "prompt": "#roz" }));
        roz.raw(&["hook", "user-prompt"], payload.to_string().as_bytes()).passes_with_a_warning("");
    }
    for id in [json!(null), json!(5), json!(["s1"]), json!({ "a": "s1" })] {
        roz.hook("user-prompt", json!({ "session_id": id, "prompt": "#roz" }))
            .passes_with_a_warning("session");
    }
    assert_eq!(roz.all_files(), before);
}

#[test]
fn the_longest_session_id_that_is_allowed_works() {
    let roz = Roz::new();
    let id = "Az09_-".repeat(22)[..128].to_owned();
    roz.hook("user-prompt", json!({ "session_id": id, "prompt": "#roz" })).tells_user();
    roz.hook("stop", json!({ "session_id": id })).blocks();
    assert_eq!(roz.debug(&id)["session_id"], *id);
}

#[test]
fn an_unknown_event_passes_with_a_warning() {
    let roz = Roz::gated("");
    let nameless = br#"{"session_id":"s1"}"#;
    roz.raw(&["hook", "before-breakfast"], nameless).passes_with_a_warning("before-breakfast");
    roz.raw(&["hook"], nameless).passes_with_a_warning("");
    roz.raw(&["hook", ""], nameless).passes_with_a_warning("");
    let named = br#"{"session_id":"s1","hook_event_name":"FutureEvent"}"#;
    roz.raw(&["hook", "stop"], named).passes_with_a_warning("FutureEvent");
    assert_eq!(roz.session_files(), [""; 0]);
}

#[test]
fn on_a_disagreement_the_payload_is_believed() {
    let roz = Roz::gated("");
    let call = roz.payload("pre-tool-use", roz.call("Bash", &json!({ "command": "git push" })));
    for word in ["stop", "Stop", "no-such-event"] {
        let reply = roz.raw(&["hook", word], call.to_string().as_bytes());
        reply.denies();
        assert!(
            reply.stderr.contains(word) && reply.stderr.contains("PreToolUse"),
            "{}",
            reply.stderr
        );
    }
}

#[test]
fn the_clients_spelling_of_an_event_is_accepted() {
    let roz = Roz::gated("");
    let mut call = roz.payload("pre-tool-use", roz.call("Bash", &json!({ "command": "git push" })));
    for name in [json!("PreToolUse"), json!(null)] {
        call["hook_event_name"] = name;
        let reply = roz.raw(&["hook", "PreToolUse"], call.to_string().as_bytes());
        reply.denies();
        assert_eq!(reply.stderr, "");
    }
}

#[test]
fn older_names_of_fields_are_accepted() {
    let inside = Inside::new("");
    let prompt = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "subagent_prompt": "#roz",
    });
    inside.send(&prompt);
    assert_eq!(inside.roz.state(), "pending");
    inside.roz.launch();
    let start = json!({ "hook_event_name": "SubagentStart", "session_id": "s1", "agent_id": "a1", "subagent_type": "roz:roz" });
    assert!(inside.send(&start)["hookSpecificOutput"]["additionalContext"].is_string());
}
