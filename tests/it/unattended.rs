//! Permission modes in which nobody answers a question: it is a denial there.

use std::fs;

use serde_json::{Value, json};

use crate::{
    intent_gate::declared,
    support::{Reply, Roz},
};

const MODES: [&str; 2] = ["bypassPermissions", "dontAsk"];

fn bash_in(roz: &Roz, mode: &str, command: &str) -> Reply {
    let mut call = roz.call("Bash", &json!({ "command": command }));
    call["permission_mode"] = mode.into();
    roz.hook("pre-tool-use", call)
}

fn last_json(reason: &str) -> Value {
    serde_json::from_str(reason.lines().last().unwrap()).unwrap()
}

#[test]
fn a_push_stays_denied_however_often_it_was_denied() {
    for mode in MODES {
        let roz = Roz::gated("");
        for _ in 0..10 {
            let why = bash_in(&roz, mode, "git push").denies();
            assert!(why.contains("waits for an independent review"), "{why}");
        }
        let reply = bash_in(&roz, mode, "git push");
        let why = reply.denies();
        assert!(why.contains("denied until the user allows it"), "{why}");
        assert!(!why.contains("#roz") && !why.contains("roz allow"), "a person's words: {why}");
        let told = reply.tells_user();
        assert!(told.contains("git push") && told.contains("`#roz:allow`"), "{told}");
        bash_in(&roz, mode, "git push").denies();
        let answers: Vec<Value> = roz.trace("gate_blocked");
        assert!(answers.iter().all(|mark| mark["payload"]["answer"] == "deny"), "{answers:?}");
        roz.push().asks();
    }
}

#[test]
fn once_the_breaker_has_tripped_a_push_is_denied() {
    let roz = Roz::gated("circuit_breaker.max_blocks = 1");
    roz.prompt("#roz").objects_to_nothing();
    roz.stop().blocks();
    roz.stop().tells_user();
    let why = bash_in(&roz, "dontAsk", "git push").denies();
    assert!(why.contains("the review was given up after too many stops"), "{why}");
    let why = roz.push().asks();
    assert!(why.contains("roz allow"), "with the command of a person: {why}");
}

#[test]
fn a_push_whose_state_cannot_be_had_is_denied() {
    let roz = Roz::gated("");
    fs::create_dir_all(roz.sessions().join("s1.json")).unwrap();
    let call = |mode: &str| {
        let mut call = roz.call("Bash", &json!({ "command": "git push" }));
        call["permission_mode"] = mode.into();
        roz.hook("pre-tool-use", call)
    };
    let reply = call("bypassPermissions");
    assert!(reply.denies().contains("denied until the user allows it"));
    assert!(reply.tells_user().contains("`#roz:allow`"));
    call("default").asks();
}

#[test]
fn what_a_person_grants_is_denied_and_told_to_the_person() {
    let roz = Roz::new();
    for mode in MODES {
        let reply = bash_in(&roz, mode, "roz clean --all");
        let why = reply.denies();
        assert!(why.contains("Nobody answers questions in this permission mode"), "{why}");
        assert_eq!(last_json(&why)["rule"], "verb");
        let told = reply.tells_user();
        assert!(told.contains("roz clean") && told.contains("at a terminal"), "{told}");
        bash_in(&roz, mode, "roz intent expand 1 'src/**'").denies();
    }
    for mode in ["default", "acceptEdits", "plan", "auto", "another"] {
        bash_in(&roz, mode, "roz clean --all").asks();
    }
}

#[test]
fn what_the_intent_gate_would_ask_about_is_denied() {
    let roz = declared("");
    roz.selects("INT-001");
    let reply = bash_in(&roz, "bypassPermissions", "rm -rf src/auth/old");
    let why = reply.denies();
    assert_eq!(last_json(&why)["code"], "HITL_REQUIRED", "{why}");
    assert!(reply.tells_user().contains("HITL_REQUIRED"));
    let why = bash_in(&roz, "default", "rm -rf src/auth/old").asks();
    assert!(why.contains("at a terminal"), "{why}");
}
