//! What was learned: the offer to write it down where a test or a linter
//! fails, in the shapes that two versions of the client send.

use std::{fs, path::Path, thread};

use serde_json::{Value, json};

use crate::{
    client::SESSION,
    meaning::at_work,
    support::{Ran, Reply, Roz, feed},
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
    // A condition that does not hold is not a failure.
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
fn a_failing_test_whose_output_goes_to_a_file_offers_one_too() {
    let roz = at_work("");
    let told = fails(&roz, "cargo test > src/out.txt").context();
    assert!(told.contains("`cargo test` failed"), "{told}");
    let told = fails(&roz, "./manage.py test > src/more.txt 2>&1").context();
    assert!(told.contains("`manage.py test` failed"), "{told}");
}

fn brain(roz: &Roz) -> String {
    fs::read_to_string(roz.project().join(".orchestration/CLAUDE.md")).unwrap()
}

/// What a handshake of the intent tells of lessons.
#[track_caller]
fn told_at(roz: &Roz, intent: &str) -> String {
    let told = roz.run(&["intent", "select", intent]).succeeds().stdout;
    told[told.find("<lessons>").unwrap()..told.find("</lessons>").unwrap()].to_owned()
}

#[test]
fn what_is_learned_again_for_another_intent_is_one_line_and_reaches_both() {
    let roz = at_work("");
    for (intent, word) in
        [("INT-001", "Written"), ("INT-002", "now of INT-002 too"), ("INT-002", "so already.")]
    {
        let args = ["intent", "lesson", "clock drifts", "--intent", intent];
        let told = roz.run(&args).succeeds().stdout;
        assert!(told.contains(word), "{word}: {told}");
    }
    assert_eq!(brain(&roz).matches("clock drifts").count(), 1, "{}", brain(&roz));
    for intent in ["INT-001", "INT-002"] {
        assert!(told_at(&roz, intent).contains("clock drifts"), "{intent}");
    }
    // And by another file.
    roz.run(&["intent", "lesson", "tabs", "--file", "src/a.rs"]).succeeds();
    assert!(!told_at(&roz, "INT-002").contains("tabs"));
    let json = roz.json(&["intent", "lesson", "Tabs.", "--file", "mail/a.rs"]);
    assert_eq!((&json["new"], &json["changed"]), (&json!(false), &json!(true)), "{json}");
    assert!(told_at(&roz, "INT-002").contains("tabs"));
}

#[test]
fn files_of_a_lesson_are_named_from_the_root_wherever_one_stands() {
    let roz = at_work("");
    roz.write("src/a.rs", "");
    let root = roz.project();
    let learns = |folder: &str, file: &str| {
        let args = ["intent", "lesson", file, "--file", file];
        Ran::of(feed(roz.command(&args).current_dir(root.join(folder)), b""))
    };
    let absolute = root.join("src/new.rs");
    for (folder, file, expected) in [
        ("", "./src/a.rs", "src/a.rs"),
        ("", "mail/../src//a.rs", "src/a.rs"),
        ("", absolute.to_str().unwrap(), "src/new.rs"),
        ("src", "a.rs", "src/a.rs"),
        ("src", "b.rs", "src/b.rs"),
        ("src", "../mail/a.rs", "mail/a.rs"),
        // As it is called elsewhere, and is there.
        ("src", "src/a.rs", "src/a.rs"),
    ] {
        learns(folder, file).succeeds();
        let brain = brain(&roz);
        let line = brain.lines().last().unwrap();
        assert!(line.ends_with(&format!("{{\"files\":[\"{expected}\"]}} -->")), "{file}: {line}");
    }
    let before = brain(&roz);
    for (folder, file) in [
        ("", "../../etc/passwd"),
        ("", "/etc/passwd"),
        ("src", "../../x"),
        ("", "."),
        ("src", ".."),
    ] {
        let told = learns(folder, file).fails();
        assert!(told.contains("is not a file of this project"), "{file}: {told}");
    }
    assert_eq!(brain(&roz), before);
}

#[test]
fn in_a_session_a_lesson_concerns_what_that_is_at() {
    let roz = at_work("").with_var("CLAUDE_CODE_SESSION_ID", SESSION);
    roz.run(&["intent", "lesson", "one"]).succeeds();
    roz.run(&["intent", "lesson", "two", "--file", "mail/a.rs"]).succeeds();
    roz.run(&["intent", "lesson", "three", "--intent", "INT-002"]).succeeds();
    let brain = brain(&roz);
    for line in [
        "- one <!-- roz {\"intent\":[\"INT-001\"]} -->",
        "- two <!-- roz {\"intent\":[\"INT-001\"],\"files\":[\"mail/a.rs\"]} -->",
        "- three <!-- roz {\"intent\":[\"INT-002\"]} -->",
    ] {
        assert!(brain.contains(line), "{line}: {brain}");
    }
    // At a terminal nobody knows which one is meant.
    let told = at_work("").run(&["intent", "lesson", "four"]).fails();
    assert!(told.contains("name one of them"), "{told}");
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
