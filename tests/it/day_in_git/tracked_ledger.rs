//! Ledgers that git tracks, as an older roz left them.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};

use crate::support::Roz;

/// A project with three records of one session, whose ledger git tracks.
fn with_tracked_ledger() -> Roz {
    let roz = Roz::with_two_intents();
    roz.begin();
    for name in ["one", "two", "three"] {
        roz.adds_line(0, &format!("fn {name}() {{}} // for INT-A"));
    }
    roz.git(&["add", "-f", ".orchestration/agent_trace.jsonl"]);
    roz.git(&["commit", "-qam", "tracked"]);
    roz
}

#[test]
fn a_last_line_that_is_removed_from_an_older_projects_ledger_is_missed() {
    let roz = with_tracked_ledger();
    // An older roz had no log in its home.
    fs::remove_dir_all(roz.kept_of_project()).unwrap();
    roz.verifies();
    let ledger = roz.project().join(".orchestration/agent_trace.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    let lines: Vec<&str> = text.lines().take(2).collect();
    fs::write(&ledger, lines.join("\n") + "\n").unwrap();
    let ran = roz.run(&["ledger", "verify"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("line 2: a record is gone after it"), "{ran:?}");
    let ran = roz.run(&["ledger", "verify", "--json"]);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told["unanchored"], json!([]), "its own session is known");
}

#[test]
fn records_are_numbered_on_behind_the_newest_after_an_edited_ledger_was_untracked() {
    let roz = with_tracked_ledger();
    let ledger = roz.project().join(".orchestration/agent_trace.jsonl");
    let edited = fs::read_to_string(&ledger).unwrap().replacen("INT-A", "INT-B", 1);
    fs::write(&ledger, edited).unwrap();
    roz.run(&["init", "--untrack"]).succeeds();
    roz.adds_line(0, "fn four() {} // for INT-A");
    let text = fs::read_to_string(&ledger).unwrap();
    let seq = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["metadata"]["dev.roz"]["seq"].as_u64().unwrap()
    };
    let numbers: BTreeSet<u64> = text.lines().map(seq).collect();
    assert_eq!(numbers.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
}
