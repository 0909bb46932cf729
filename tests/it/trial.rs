//! A trial: gates decide and record, and nothing is held or denied.

use serde_json::{Value, json};

use crate::{intent_gate::declared, support::Roz};

#[test]
fn nothing_is_held_or_denied_in_a_trial_and_stats_list_what_would_have_been() {
    let roz = Roz::gated("trial = true");
    roz.prompt("#roz push it").objects_to_nothing();
    roz.push().objects_to_nothing();
    roz.push().objects_to_nothing();
    let stop = roz.stop();
    stop.objects_to_nothing();
    assert_eq!(stop.json["systemMessage"], Value::Null, "nobody is told of a hold that is none");
    let stats = roz.json(&["stats"]);
    assert_eq!(stats["trial"]["on"], true);
    let refused = stats["trial"]["would_refuse"].as_array().unwrap();
    assert_eq!(
        refused[0],
        json!({ "gate": "review", "answer": "deny", "subject": "Bash: git push origin main", "times": 2 })
    );
    assert_eq!(refused[1]["answer"], "hold", "{refused:?}");
    let reasons: Vec<Value> =
        roz.trace("would_refuse").iter().map(|event| event["payload"]["reason"].clone()).collect();
    assert_eq!(reasons[0], roz.trace("gate_blocked")[0]["payload"]["reason"], "not its pattern");
    let text = roz.run(&["stats"]).succeeds().stdout;
    assert!(text.contains("Would have been refused") && text.contains("git push"), "{text}");
}

#[test]
fn a_trial_begins_and_ends_however_the_file_says_it_now() {
    for text in ["trial = false\n", "trial=true # so far\n", "[review]\nmode = \"always\"\n"] {
        let roz = Roz::with_config(text);
        roz.run(&["install", "--client", "codex", "--trial"]);
        assert_eq!(roz.json(&["status"])["trial"], true, "{text}");
        roz.run(&["install", "--client", "codex", "--trial=false"]);
        assert_eq!(roz.json(&["status"])["trial"], false, "{text}");
    }
}

#[test]
fn a_trial_makes_the_home_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let roz = Roz::with_config("");
    std::fs::remove_dir_all(roz.home()).unwrap();
    roz.run(&["install", "--client", "codex", "--trial"]).succeeds();
    assert_eq!(roz.home().metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn the_intent_gate_and_self_protection_let_pass_what_they_would_refuse() {
    let roz = declared("trial = true");
    let path = roz.project().join("docs/elsewhere.md");
    let write = roz.call("Write", &json!({ "file_path": path, "content": "x" }));
    roz.hook("pre-tool-use", write).objects_to_nothing();
    let decide = roz.call("Bash", &json!({ "command": "roz decide s1 COMPLETE fine" }));
    roz.hook("pre-tool-use", decide).objects_to_nothing();
    let gates: Vec<Value> =
        roz.trace("would_refuse").iter().map(|it| it["payload"]["gate"].clone()).collect();
    assert_eq!(gates, ["intent", "self-protection"]);
}

#[test]
fn a_state_that_cannot_be_read_asks_nobody_in_a_trial() {
    let roz = Roz::gated("trial = true");
    std::fs::create_dir_all(roz.sessions().join("s1.json")).unwrap();
    roz.push().objects_to_nothing();
}

#[test]
fn a_project_cannot_start_a_trial() {
    let roz = Roz::gated("");
    std::fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/config.toml", "trial = true\n");
    roz.push().denies();
}

#[test]
fn why_says_that_it_was_only_a_trial() {
    let roz = Roz::gated("trial = true");
    roz.push().objects_to_nothing();
    let told = roz.run(&["why"]).succeeds().stdout;
    assert!(told.contains("trial") && told.contains("would have been refused"), "{told}");
    assert!(!told.contains("\nrefused "), "{told}");
    assert_eq!(roz.json(&["why"])["refused"]["trial"], true);
}

#[test]
fn status_says_that_it_is_a_trial() {
    let roz = Roz::gated("trial = true");
    assert_eq!(roz.json(&["status"])["trial"], true);
    assert!(roz.run(&["status"]).succeeds().stdout.contains("Trial"));
}
