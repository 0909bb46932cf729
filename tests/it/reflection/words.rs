//! What the verbs say, where it was not so.

use super::*;
use crate::{disk::read_only, support::Ran};

#[test]
fn a_verb_that_finds_no_session_names_the_way_to_give_one() {
    let roz = Roz::new();
    let batch = json!({ "candidates": [parser()] }).to_string();
    for said in [
        roz.fed(&["reflect"], &batch).fails(),
        roz.run(&["skip", "nothing to tell"]).fails(),
        roz.run(&["observe", "the N+1 is in the dashboard"]).fails(),
    ] {
        assert!(said.contains("name a session with `--session-id`"), "{said}");
        assert!(!said.contains("roz list"), "{said}");
    }
    roz.run(&["skip", "nothing to tell", "--session-id", "new"]).succeeds();
}

#[test]
fn a_verb_of_the_hook_that_there_is_not_is_told_with_the_one_there_is() {
    let roz = Roz::new();
    let prompt =
        serde_json::to_vec(&roz.payload("user-prompt", json!({ "prompt": "hi" }))).unwrap();
    let reply = roz.raw(&["hook", "user-prompt-submit"], &prompt);
    let said = &reply.stderr;
    assert!(said.contains("there is no `roz hook user-prompt-submit`"), "{reply:?}");
    assert!(said.contains("for `UserPromptSubmit` it is `roz hook user-prompt`"), "{reply:?}");
    let reply = roz.raw(&["hook", "stop"], &prompt);
    assert!(reply.stderr.contains("was sent `UserPromptSubmit`: taken as"), "{reply:?}");
}

#[test]
fn what_an_agent_skips_is_recorded_as_its_own_decision() {
    let roz = with_tickets("").with_var("CLAUDECODE", "1");
    roz.closes("t-1");
    roz.run(&["skip", "x", "--session-id", SESSION]).succeeds();
    assert_eq!(roz.stats_of("skip")[0]["decider"], "agent");
}

#[test]
fn stats_tell_skips_in_words_and_nothing_of_no_times() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.run(&["skip", "a typo", "--session-id", SESSION]).succeeds();
    roz.closes("t-2");
    roz.run(&["skip", "another one", "--session-id", SESSION]).succeeds();
    let told = roz.run(&["stats"]).succeeds().stdout;
    assert!(told.contains("No learning was shown yet.\n"), "{told}");
    assert!(told.contains("Reflections skipped by agent 2.\n"), "{told}");
    assert!(!told.contains("0 times"), "{told}");
}

/// For the day, and there is no daily log: accepted, and kept nowhere.
#[test]
fn an_id_that_nothing_has_stands_in_no_log() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.stop().blocks();
    let mut passing = parser();
    passing["scope"] = "ephemeral".into();
    let told = roz.reflects(&json!([passing]));
    assert_eq!(told["accepted"][0]["kept_in"], json!([]), "{told}");
    assert!(told["warnings"].to_string().contains("is not kept"), "{told}");
    roz.stop().passes();
    let logged = &roz.stats_of("reflection")[0];
    assert_eq!((&logged["accepted"], &logged["learnings"]), (&json!(1), &json!([])), "{logged}");
    assert_eq!(roz.json(&["stats"])["reflection"]["totals"]["learnings"], 0);
}

#[test]
fn what_the_daily_log_cannot_take_is_kept_in_the_project() {
    let roz = with_tickets("");
    fs::create_dir_all(roz.project().join("memory/registers")).unwrap();
    roz.write("memory/registers/_index.md", "");
    roz.write("memory/daily", "no folder");
    roz.closes("t-1");
    let mut passing = parser();
    passing["scope"] = "ephemeral".into();
    let told = roz.reflects(&json!([passing]));
    assert_eq!(told["accepted"][0]["kept_in"], json!(["markdown"]), "{told}");
    let id = told["accepted"][0]["id"].clone();
    assert_eq!(roz.stats_of("reflection")[0]["learnings"], json!([id]));
    assert_eq!(roz.json(&["learn", "list"])["learnings"][0]["id"], id);
}

/// As the page says.
#[test]
fn in_a_read_only_project_the_gate_opens_by_a_skip_or_by_what_is_personal() {
    for way in ["skip", "personal"] {
        let roz = with_tickets("");
        fs::create_dir(roz.project().join(".roz")).unwrap();
        roz.closes("t-1");
        roz.stop().blocks();
        read_only(&roz.project(), ".roz", |starter| {
            let reflects = |candidate: &Value| {
                let batch = json!({ "candidates": [candidate] }).to_string();
                let args = ["reflect", "--session-id", SESSION];
                Ran::of(feed(&mut roz.through(starter, &args), batch.as_bytes()))
            };
            let said = reflects(&parser()).fails();
            assert!(said.contains("no learning could be written. `roz skip` lets"), "{said}");
            let stop = json!({ "stop_hook_active": true });
            roz.hook_through(starter, "stop", stop.clone()).blocks();
            if way == "skip" {
                let args = ["skip", "nobody may write here", "--session-id", SESSION];
                let told = Ran::of(roz.through(starter, &args).output().unwrap()).succeeds();
                assert!(told.stdout.contains("may stop"), "{told:?}");
            } else {
                let mut personal = parser();
                personal["scope"] = "personal".into();
                let told = reflects(&personal).succeeds();
                assert!(told.stdout.contains("the session may stop"), "{told:?}");
            }
            roz.hook_through(starter, "stop", stop).objects_to_nothing();
            if way == "personal" {
                let prompt = json!({ "prompt": "src/parser.rs panics on a lone \\r, why?" });
                let reply = roz.hook_through(starter, "user-prompt", prompt);
                assert!(reply.objects_to_nothing().context().contains("Lexer::next"), "{reply:?}");
            }
        });
        assert_ne!(roz.stats(), [] as [Value; 0]);
    }
}
