//! Sessions and configurations that make no sense: nothing is overwritten,
//! no gate is switched off, and the user hears of it.

use std::fs;

use serde_json::{Value, json};

use crate::support::Roz;

const NONSENSE: &[&[u8]] = &[
    b"",
    b"{",
    b"not json",
    b"\xff\xfe\x00\x01",
    b"[]",
    b"{}",
    br#"{"version":1,"session_id":"another"}"#,
    br#"{"version":1,"session_id":"s1","created_at":"yesterday"}"#,
];

/// A roz whose pending session became `nonsense`.
fn corrupt(nonsense: &[u8]) -> Roz {
    let roz = Roz::gated("");
    roz.requests("#roz");
    fs::write(roz.sessions().join("s1.json"), nonsense).unwrap();
    roz
}

#[track_caller]
fn is_kept_aside(roz: &Roz, nonsense: &[u8]) {
    let files = roz.session_files();
    let kept: Vec<&String> = files.iter().filter(|it| it.starts_with("s1.corrupt-")).collect();
    let [kept] = kept[..] else { panic!("{files:?}") };
    assert_eq!(fs::read(roz.sessions().join(kept)).unwrap(), nonsense);
}

#[test]
fn a_corrupt_session_is_kept_aside_and_its_gates_ask() {
    for nonsense in NONSENSE {
        let roz = corrupt(nonsense);
        let reply = roz.push();
        reply.asks();
        assert!(reply.tells_user().contains("s1.corrupt-"), "{}", reply.json);
        is_kept_aside(&roz, nonsense);
        // From now on it is a session like any other.
        roz.push().denies();
        assert_eq!(roz.state(), "pending");
        is_kept_aside(&roz, nonsense);
    }
}

#[test]
fn whichever_hook_finds_a_corrupt_session_tells_the_user() {
    for (word, more) in [
        ("session-start", json!({ "source": "resume" })),
        ("user-prompt", json!({ "prompt": "go on", "prompt_id": "p9" })),
        ("user-prompt", json!({ "prompt": "#roz", "prompt_id": "p9" })),
        ("pre-tool-use", json!({ "tool_name": "Read", "tool_input": {} })),
        ("post-tool-use", json!({ "tool_name": "Read", "tool_input": {} })),
        ("stop", json!({ "stop_hook_active": false })),
        ("session-end", json!({ "reason": "other" })),
    ] {
        let roz = corrupt(b"{");
        let reply = roz.hook(word, more);
        let told = reply.objects_to_nothing().tells_user();
        assert!(told.contains("s1.corrupt-"), "{word}: {told}");
        is_kept_aside(&roz, b"{");
    }
}

#[test]
fn two_corrupt_sessions_of_one_name_are_both_kept() {
    let roz = corrupt(b"{");
    roz.push().asks();
    roz.push().denies();
    fs::write(roz.sessions().join("s1.json"), "[").unwrap();
    roz.push().asks();
    let files = roz.session_files();
    assert_eq!(files.iter().filter(|it| it.starts_with("s1.corrupt-")).count(), 2, "{files:?}");
}

#[test]
fn a_session_of_a_newer_roz_is_never_written() {
    let roz = Roz::gated("");
    roz.requests("#roz");
    let path = roz.sessions().join("s1.json");
    let mut session: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    session["version"] = 99.into();
    session["review"]["decision"] = json!({ "type": "from_the_future" });
    let newer = session.to_string();
    fs::write(&path, &newer).unwrap();
    let reply = roz.push();
    assert!(reply.is_objection());
    assert!(reply.stderr.contains("newer"), "{}", reply.stderr);
    roz.prompt("#roz").tells_user();
    roz.stop();
    roz.hook("session-end", json!({ "reason": "other" }));
    assert_eq!(fs::read_to_string(&path).unwrap(), newer);
    assert_eq!(roz.session_files(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

// The configuration.

#[test]
fn a_typo_in_the_configuration_switches_no_gate_off() {
    let roz = Roz::with_config(
        "[review.gates]\ntools = ['Bash:git push*']\naproval_scope = 'tool'\nmax_denials = 'many'\n\n[review]\nmode = 'allways'\n",
    );
    roz.push().denies();
    let told = roz.hook("session-start", json!({ "source": "startup" })).tells_user();
    for word in [
        "config.toml:3",
        "approval_scope",
        "config.toml:4",
        "max_denials",
        "config.toml:7",
        "always",
    ] {
        assert!(told.contains(word), "`{word}` is not in: {told}");
    }
    // Told again, for it is still there.
    roz.hook("session-start", json!({ "source": "resume" })).tells_user();
    roz.prompt("no word of a review").passes();
}

#[test]
fn of_a_configuration_that_does_not_parse_the_last_readable_one_stands() {
    let roz = Roz::gated("");
    roz.bash("ls").passes();
    for broken in ["[review.gates\ntools = []", "\u{0}", "review.gates.tools = [", "x = 1\nx = 2\n"]
    {
        roz.configure(broken);
        roz.push().denies();
        let told = roz.hook("session-start", json!({ "source": "resume" })).tells_user();
        assert!(told.contains("config.toml"), "{told}");
    }
    roz.configure("");
    roz.bash("git push again").passes();
}

#[test]
fn a_configuration_that_was_never_readable_leaves_the_defaults() {
    let roz = Roz::with_config("circuit_breaker.max_blocks = 1\n[");
    roz.hook("session-start", json!({ "source": "startup" })).tells_user();
    roz.requests("#roz");
    for _ in 0..3 {
        roz.stop().blocks();
    }
    roz.stop().objects_to_nothing().tells_user();
}
