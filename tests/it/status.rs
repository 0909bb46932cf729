//! `roz status`, `roz statusline` and `roz completions`.

use serde_json::{Value, json};

use crate::{client::SESSION, support::Roz};

/// The standing of a gate.
fn gate(roz: &Roz, name: &str) -> Value {
    let status = roz.json(&["status"]);
    let found = status["gates"].as_array().unwrap().iter().find(|it| it["gate"] == name);
    found.unwrap_or_else(|| panic!("{status}")).clone()
}

#[test]
fn before_the_first_session_nothing_is_waited_for() {
    let roz = Roz::new();
    let told = roz.run(&["status"]).succeeds().stdout;
    assert!(told.contains("none yet") && told.contains("No gate waits for anything."), "{told}");
    assert_eq!(roz.run(&["status", "--short"]).succeeds().stdout, "");
    let status = roz.json(&["status"]);
    assert_eq!((&status["session_id"], &status["waits_for"]), (&Value::Null, &Value::Null));
}

#[test]
fn it_says_what_the_agent_waits_for_and_what_comes_next() {
    let roz = Roz::gated("[\"Bash:git push*\"]");
    roz.requests("#roz fix the login");
    roz.stop().blocks();
    let review = gate(&roz, "review");
    assert_eq!((&review["state"], &review["on"]), (&json!("pending"), &json!(true)));
    assert!(review["next"].as_str().unwrap().contains("roz:roz"), "{review}");
    assert_eq!(roz.run(&["status", "--short"]).succeeds().stdout, "roz: review pending\n");

    let reviewer = roz.reviewer("a1");
    assert_eq!(gate(&roz, "review")["state"], "reviewing");
    reviewer.decides_with("ISSUES", "no test", &["--message", "Add one."]).succeeds();
    reviewer.ends().passes();
    let told = roz.run(&["status", SESSION]).succeeds().stdout;
    assert!(told.contains("waits for  what the reviewer found: no test"), "{told}");

    roz.reviewed("COMPLETE", "there is one now");
    let review = gate(&roz, "review");
    assert_eq!((&review["state"], &review["waits_for"]), (&json!("approved"), &Value::Null));
}

#[test]
fn an_intent_that_is_not_selected_is_waited_for() {
    let roz = Roz::new();
    assert_eq!(gate(&roz, "intent")["on"], false);
    roz.run(&["init", "--intent"]).succeeds();
    roz.run(&["intent", "new", "First", "--scope", "src/**", "--yes"]).succeeds();
    let intent = gate(&roz, "intent");
    assert_eq!(intent["next"], "the agent selects it: INT-001");
    roz.run(&["intent", "select", "INT-001", "--session-id", SESSION]).succeeds();
    let intent = gate(&roz, "intent");
    assert_eq!(
        (&intent["state"], &intent["about"], &intent["next"]),
        (&json!("context_loaded"), &json!("INT-001"), &Value::Null)
    );
    assert_eq!(roz.run(&["status", "--short"]).succeeds().stdout, "roz: INT-001\n");
    std::fs::write(roz.project().join(".orchestration/active_intents.yaml"), "a: [").unwrap();
    let told = roz.run(&["status"]).succeeds().stdout;
    assert!(told.contains("fix it"), "{told}");
}

#[test]
fn why_says_what_was_refused_last_and_what_to_do() {
    let roz = Roz::gated("[\"Bash:git push*\"]");
    roz.run(&["why"]).fails();
    roz.requests("#roz fix the login");
    assert!(roz.run(&["why"]).succeeds().stdout.contains("Nothing was refused"));
    roz.stop().blocks();
    let told = roz.json(&["why"]);
    assert_eq!(
        (&told["refused"]["what"], &told["refused"]["by"]),
        (&json!("a stop"), &json!("review"))
    );
    assert!(told["next"].as_str().unwrap().contains("reviewer `roz`"), "{told}");
    roz.bash("git push").denies();
    let told = roz.json(&["why"]);
    assert_eq!(told["refused"]["what"], "a call of Bash: git push", "{told}");
    roz.reviewed("COMPLETE", "fine");
    assert!(roz.run(&["why"]).succeeds().stdout.contains("Nothing is in the way any more"));
    roz.bash("rm -rf ~/.roz").denies();
    let told = roz.json(&["why"]);
    assert_eq!(told["refused"]["by"], "self-protection");
    assert!(!told["next"].as_str().unwrap().is_empty(), "{told}");
}

#[test]
fn why_says_what_a_person_can_type() {
    let roz = Roz::gated("");
    roz.requests("#roz fix the login");
    roz.stop().blocks();
    let told = roz.run(&["why"]).succeeds().stdout;
    assert!(told.contains("The review is pending."), "{told}");
    assert!(told.contains("Have the work reviewed by the reviewer `roz`. Or type"), "{told}");
    for typed in ["`#roz:approve`", "`#roz:stop`"] {
        assert!(roz.json(&["why"])["next"].as_str().unwrap().contains(typed), "{told}");
    }
    roz.push().denies();
    let told = roz.json(&["why"]);
    let next = told["next"].as_str().unwrap();
    assert!(next.contains("`roz approve`") && next.contains("`roz allow`"), "{told}");
}

#[test]
fn why_says_that_a_refused_call_has_gone_through_since() {
    let roz = Roz::gated("");
    roz.push().denies();
    roz.prompt("#roz:allow");
    roz.push().objects_to_nothing();
    let told = roz.run(&["why"]).succeeds().stdout;
    assert!(told.contains("It has gone through since."), "{told}");
    roz.requests("#roz fix the login");
    roz.stop().blocks();
    roz.prompt("#roz:approve");
    roz.stop().passes();
    let told = roz.run(&["why"]).succeeds().stdout;
    assert!(told.contains("a stop") && told.contains("It has gone through since."), "{told}");
}

#[test]
fn why_takes_the_beginning_of_a_session_or_an_older_place() {
    let roz = Roz::gated("");
    roz.push().denies();
    assert_eq!(roz.json(&["why", SESSION])["refused"]["by"], "review");
    let told = roz.run(&["why", "no-such-session"]).fails();
    assert!(told.contains("session"), "{told}");
    let told = roz.run(&["why", "no-such-file:3"]).fails();
    assert!(told.contains("there is no file"), "{told}");
}

#[test]
fn why_says_that_a_person_was_asked() {
    let roz = Roz::gated("circuit_breaker.max_blocks = 1");
    roz.requests("#roz");
    roz.stop().blocks();
    roz.stop().tells_user();
    roz.push().asks();
    let told = roz.run(&["why"]).succeeds().stdout;
    assert!(told.contains("\nasked about"), "{told}");
    assert!(told.contains("the review was given up after too many stops"), "{told}");
}

#[test]
fn a_review_that_the_user_ends_is_not_given_up_any_more() {
    let roz = Roz::gated("circuit_breaker.max_blocks = 1");
    roz.requests("#roz");
    roz.stop().blocks();
    roz.stop().tells_user();
    assert!(roz.run(&["status"]).succeeds().stdout.contains("review     given up"));
    roz.prompt("#roz:stop").tells_user();
    let told = roz.run(&["status"]).succeeds().stdout;
    assert!(told.contains("review     idle") && !told.contains("given up"), "{told}");
}

#[test]
fn a_completed_intent_is_not_worked_on_any_more() {
    let roz = Roz::new();
    roz.run(&["init", "--intent"]).succeeds();
    roz.run(&["intent", "new", "First", "--scope", "src/**", "--yes"]).succeeds();
    roz.run(&["intent", "select", "INT-001", "--session-id", SESSION]).succeeds();
    roz.run(&["intent", "complete", "INT-001", "--yes"]).succeeds();
    let told = roz.run(&["status"]).succeeds().stdout;
    assert!(!told.contains("INT-001"), "{told}");
    assert!(!told.contains("No gate waits for anything."), "{told}");
}

#[test]
fn mistakes_in_the_configuration_are_named() {
    let roz = Roz::with_config("no_such_key = 1\n");
    std::fs::create_dir_all(roz.project().join(".roz")).unwrap();
    roz.write(".roz/config.toml", "trial = true\n");
    let told = roz.run(&["status"]).succeeds().stdout;
    assert!(told.contains("no_such_key") && told.contains("trial"), "{told}");
    assert_eq!(roz.json(&["status"])["errors"].as_array().unwrap().len(), 2);
    roz.configure("trial = [");
    let errors = roz.json(&["status"])["errors"].to_string();
    assert!(errors.contains("config.toml"), "{errors}");
    assert_eq!(Roz::new().json(&["status"])["errors"], json!([]));
}

#[test]
fn gated_calls_are_named() {
    let roz = Roz::gated("");
    let told = roz.run(&["status"]).succeeds().stdout;
    assert!(told.contains("review     idle\n           gates      Bash:git push*\n"), "{told}");
    assert_eq!(gate(&roz, "review")["gates"], json!(["Bash:git push*"]));
    assert!(!Roz::new().run(&["status"]).succeeds().stdout.contains("gates:"));
}

#[test]
fn the_clients_status_line_is_one_line_of_its_session() {
    let roz = Roz::new();
    roz.requests("#roz");
    roz.stop().blocks();
    let line = |input: Value| roz.fed(&["statusline"], &input.to_string()).succeeds().stdout;
    let here = json!({ "session_id": SESSION, "workspace": { "current_dir": roz.project() } });
    let told = line(here);
    assert!(told.contains("review pending") && told.lines().count() == 1, "{told:?}");
    let other = json!({ "session_id": "another", "cwd": roz.project(), "model": { "id": "m" } });
    assert!(!line(other).contains("pending"));
    roz.fed(&["statusline"], "no JSON").fails();
    let roz = roz.with_var("NO_COLOR", "1");
    let told = roz.fed(&["statusline"], &json!({ "session_id": SESSION }).to_string());
    assert_eq!(told.succeeds().stdout, "roz: review pending\n");
}

#[test]
fn every_shell_is_given_completions_that_know_the_verbs() {
    let roz = Roz::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let told = roz.run(&["completions", shell]).succeeds().stdout;
        assert!(told.contains("statusline"), "{shell}");
    }
    let told = roz.run(&["completions", "tcsh"]).misuses();
    assert!(told.contains("bash"), "{told}");
}
