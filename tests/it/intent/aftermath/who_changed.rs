//! Who changed the declared work: a person between two calls, git, roz's own verbs; and what
//! becomes of a session whose intents are gone.

use super::*;

const FILE: &str = ".orchestration/active_intents.yaml";

#[track_caller]
fn is_in_doubt(roz: &Roz, session: &str, path: &str) -> String {
    let mut call =
        roz.call("Write", &json!({ "file_path": roz.project().join(path), "content": "x" }));
    call["session_id"] = session.into();
    let reason = roz.hook("pre-tool-use", call).denies();
    let json: Value = serde_json::from_str(reason.lines().last().unwrap()).unwrap();
    assert_eq!(json["code"], "SIDECAR_INVALID", "{reason}");
    reason
}

#[track_caller]
fn may_write(roz: &Roz, path: &str) {
    let path = roz.project().join(path);
    roz.tool("Write", &json!({ "file_path": path, "content": "x" })).objects_to_nothing();
}

#[test]
fn what_is_changed_between_two_calls_is_a_persons() {
    let roz = selected("");
    roz.ran("cat src/auth/login.rs").passes();
    roz.write(FILE, &roz.text(FILE).replace("src/auth/", "src/"));
    may_write(&roz, "src/billing/new.rs");
    roz.ran("printf x > src/billing/new.rs").passes();
}

#[test]
fn intents_that_a_branch_brings_are_no_calls() {
    let roz = selected("");
    roz.shell("git switch -qc wider");
    roz.write(FILE, &roz.text(FILE).replace("src/auth/", "src/"));
    roz.shell("git commit -qam wider; git switch -q -");
    roz.tick();
    let make = hidden(&roz, "git switch -q wider");
    roz.ran(make).passes();
    may_write(&roz, "src/billing/new.rs");
}

#[test]
fn what_roz_itself_writes_for_a_person_is_in_no_doubt() {
    let roz = selected("");
    roz.ran("cat src/auth/login.rs").passes();
    // A person at a terminal.
    roz.run(&["intent", "expand", "INT-001", "docs/**", "--yes"]).succeeds();
    may_write(&roz, "docs/one.md");
    // The agent asks for it, and a person says yes.
    let line = "roz intent expand INT-001 'notes/**' --yes";
    let mut call = roz.call("Bash", &json!({ "command": line }));
    roz.hook("pre-tool-use", call.clone()).asks();
    roz.shell(&line.replace("roz ", &format!("CLAUDECODE=1 {} ", crate::support::BINARY)));
    call["tool_response"] = json!({});
    roz.hook("post-tool-use", call).objects_to_nothing();
    may_write(&roz, "notes/one.md");
}

#[test]
fn a_sidecar_that_is_gone_is_missed_where_it_was_as_long_as_the_commit_has_it() {
    let roz = selected("");
    starts(&roz, "s1").objects_to_nothing();
    takes_away(&roz);
    let reason = is_in_doubt(&roz, "s1", "src/billing/new.rs");
    assert!(reason.contains("it was there in this session"), "{reason}");
    // A session that never saw it has no gate.
    starts(&roz, "s2").passes();
    // A person who means it says so: by the verb,
    roz.run(&["intent", "confirm", "--yes"]).succeeds();
    may_write(&roz, "src/billing/new.rs");
    roz.git(&["checkout", "--", ".orchestration"]);
    // or by a commit, here or on another branch.
    let roz = selected("");
    starts(&roz, "s1").objects_to_nothing();
    takes_away(&roz);
    is_in_doubt(&roz, "s1", "src/billing/new.rs");
    roz.git(&["commit", "-qam", "no intents any more"]);
    roz.prompt("go on").objects_to_nothing();
    may_write(&roz, "src/billing/new.rs");
}

/// The agent asks for it, and a person says yes.
fn confirms(roz: &Roz, session: &str) {
    let line = "roz intent confirm --yes";
    let mut call = roz.call("Bash", &json!({ "command": line }));
    call["session_id"] = session.into();
    roz.hook("pre-tool-use", call.clone()).asks();
    roz.shell(&line.replace("roz ", &format!("CLAUDECODE=1 {} ", crate::support::BINARY)));
    call["tool_response"] = json!({});
    roz.hook("post-tool-use", call).objects_to_nothing();
}

#[track_caller]
fn starts(roz: &Roz, session: &str) -> Reply {
    roz.hook("session-start", json!({ "session_id": session, "source": "startup" }))
}

fn takes_away(roz: &Roz) {
    fs::remove_dir_all(roz.project().join(".orchestration")).unwrap();
}

#[test]
fn a_yes_to_the_agents_confirm_is_a_persons_word() {
    let roz = selected("");
    starts(&roz, "s1").objects_to_nothing();
    takes_away(&roz);
    roz.prompt("they may go: confirm it").objects_to_nothing();
    confirms(&roz, "s1");
    may_write(&roz, "src/billing/new.rs");
}

#[test]
fn what_git_does_not_say_is_no_commit_without_intents() {
    let roz = selected("");
    starts(&roz, "s1").objects_to_nothing();
    takes_away(&roz);
    roz.write(".git/HEAD", &"a".repeat(40));
    fs::remove_dir_all(roz.project().join(".git/objects")).unwrap();
    is_in_doubt(&roz, "s1", "src/billing/new.rs");
}

#[test]
fn a_sidecar_that_a_call_took_away_is_not_ended_by_a_commit_of_its_own() {
    let roz = selected("");
    let make = hidden(&roz, "git rm -rq .orchestration; rm -rf .orchestration; git commit -qm x");
    roz.ran(make).tells_user();
    let start = json!({ "session_id": "s2", "source": "startup" });
    roz.hook("session-start", start).tells_user();
    is_in_doubt(&roz, "s2", "src/billing/new.rs");
    roz.run(&["intent", "confirm", "--yes"]).succeeds();
    let start = json!({ "session_id": "s3", "source": "startup" });
    roz.hook("session-start", start).passes();
}

#[test]
fn no_scope_is_handed_out_while_it_is_in_doubt() {
    let roz = selected("");
    let make = hidden(&roz, "sed -i 's,src/auth/,src/,' .orchestration/active_intents.yaml");
    roz.ran(make).context();
    let ran = roz.run(&["intent", "select", "INT-001", "--session-id", "s1"]).succeeds();
    assert!(!ran.stdout.contains("<path>"), "{ran:?}");
    assert!(ran.stdout.contains("roz intent confirm"), "{ran:?}");
    let ran = roz.run(&["intent", "select", "INT-001", "--session-id", "s1", "--json"]).succeeds();
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(told["in_doubt"].as_str().unwrap().contains("roz intent confirm"), "{told}");
    roz.run(&["intent", "confirm", "--yes"]).succeeds();
    let ran = roz.run(&["intent", "select", "INT-001", "--session-id", "s1"]).succeeds();
    assert!(ran.stdout.contains("<path>src/**</path>"), "{ran:?}");
    assert!(!ran.stdout.contains("roz intent confirm"), "{ran:?}");
}
