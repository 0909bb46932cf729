//! What was learned: the offer to write it down where a test or a linter
//! fails, in the shapes that two versions of the client send.

use std::{fs, path::Path, thread};

use serde_json::{Value, json};

use crate::{
    meaning::at_work,
    support::{Reply, Roz},
};

const VERSIONS: [&str; 2] = ["2.1.197", "2.1.330"];

/// What the client sent, but for who and where it is.
fn recorded(version: &str, file: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads").join(version);
    let mut payload: Value = serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap();
    for name in ["session_id", "cwd", "transcript_path", "prompt_id", "hook_event_name"] {
        payload.as_object_mut().unwrap().remove(name);
    }
    payload
}

/// Runs a command that ends as the recorded one did. `error`: what that said.
fn ends(roz: &Roz, line: &str, file: &str, error: Option<&str>) -> Reply {
    let version = VERSIONS[usize::from(line.len().is_multiple_of(2))];
    let call = roz.call("Bash", &json!({ "command": line }));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    let mut done = recorded(version, file);
    done["tool_input"] = call["tool_input"].clone();
    done["tool_use_id"] = call["tool_use_id"].clone();
    if let Some(error) = error {
        done["error"] = error.into();
    }
    let hook = if file.contains("Failure") { "post-tool-use-failure" } else { "post-tool-use" };
    roz.hook(hook, done)
}

fn fails(roz: &Roz, line: &str) -> Reply {
    let error = "Exit code 101\nerror[E0308]: mismatched types";
    ends(roz, line, "PostToolUseFailure.Bash.fail.json", Some(error))
}

fn ends_well(roz: &Roz, line: &str) -> Reply {
    ends(roz, line, "PostToolUse.Bash.say-hi.json", None)
}

#[test]
fn a_failing_test_offers_to_write_a_lesson_once_until_it_passes() {
    let roz = at_work("");
    let told = fails(&roz, "cargo test -p ledger").context();
    for word in ["`cargo test` failed", "record_lesson", "--intent INT-001"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    fails(&roz, "cargo test -p ledger").passes();
    fails(&roz, "RUST_BACKTRACE=1 cargo test").passes();
    // Another one is another matter.
    assert!(fails(&roz, "npx eslint src/").context().contains("`eslint` failed"));
    ends_well(&roz, "cargo test").passes();
    assert!(fails(&roz, "cargo test").context().contains("`cargo test` failed"));
}

#[test]
fn both_versions_of_the_client_are_understood() {
    for version in VERSIONS {
        let roz = at_work("");
        let call = roz.call("Bash", &json!({ "command": "make check" }));
        roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
        let mut done = recorded(version, "PostToolUseFailure.Bash.long-output-and-failure.json");
        done["tool_input"] = call["tool_input"].clone();
        done["tool_use_id"] = call["tool_use_id"].clone();
        let told = roz.hook("post-tool-use-failure", done).context();
        assert!(told.contains("`make check` failed"), "{version}: {told}");
    }
}

#[test]
fn what_fails_otherwise_offers_nothing() {
    let roz = at_work("");
    fails(&roz, "cargo build").passes();
    fails(&roz, "echo cargo test; false").passes();
    // A program that is not there has tested nothing, nor has one that was
    // stopped.
    let not_found = "PostToolUseFailure.Bash.command-not-found.json";
    ends(&roz, "pytest", not_found, None).passes();
    ends(&roz, "pytest", not_found, Some("Exit code 137\nKilled")).passes();
    ends(&roz, "pytest", not_found, Some("The user stopped it")).passes();
    // A condition that does not hold is no failure.
    ends(&roz, "test -f nope", "PostToolUse.Bash.test-that-fails.json", None).passes();
    // One that goes on in the background has not ended, well or not.
    fails(&roz, "pytest -x").context();
    ends(&roz, "pytest -x", "PostToolUse.Bash.background.json", None);
    fails(&roz, "pytest -x").passes();
}

#[test]
fn the_users_own_checks_are_offered_a_lesson_too_and_a_project_may_add_to_them() {
    let roz = at_work("intent.checks = ['Bash:./verify*']\n");
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/config.toml", "intent.checks = ['Bash:scripts/ci*']\n");
    assert!(fails(&roz, "./verify.sh --all").context().contains("`./verify.sh --all` failed"));
    assert!(fails(&roz, "scripts/ci.sh").context().contains("`scripts/ci.sh` failed"));
    fails(&roz, "./other.sh").passes();
}

#[test]
fn nobody_is_offered_a_lesson_where_nothing_is_declared() {
    let roz = Roz::new().in_git();
    fails(&roz, "cargo test").passes();
}

/// What many write at the same time is all there, each once, and reaches the
/// next handshake of what it concerns.
#[test]
fn lessons_of_many_writers_are_all_kept_and_none_twice() {
    let roz = at_work("");
    thread::scope(|scope| {
        for writer in 0..4 {
            let roz = &roz;
            scope.spawn(move || {
                for lesson in 0..4 {
                    let own = format!("Writer {writer} learned {lesson}.");
                    let shared = format!("All learned {lesson}");
                    for text in [own, shared] {
                        let args = ["intent", "lesson", &text, "--intent", "INT-001"];
                        roz.run(&args).succeeds();
                    }
                }
            });
        }
    });
    let brain = fs::read_to_string(roz.project().join(".orchestration/CLAUDE.md")).unwrap();
    assert_eq!(brain.matches("\n- Writer").count(), 16, "{brain}");
    assert_eq!(brain.matches("\n- All learned").count(), 4, "{brain}");
    let told = roz.run(&["intent", "select", "INT-001"]).succeeds().stdout;
    assert_eq!(told.matches("<lesson>").count(), 20, "{told}");
    let told = roz.run(&["intent", "select", "INT-002"]).succeeds().stdout;
    assert!(!told.contains("<lesson>"), "{told}");
}
