//! The ledger as people, other programs and git meet it.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta};
use roz::{
    core::intent::{
        ledger::{Call, Change, FileChange, MutationClass, Record, Refusal},
        ranges::Changed,
    },
    ledger::{self, Ledger},
};
use serde_json::{Value, json};

use crate::support::{MORNING, Roz};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";

fn new() -> Roz {
    let roz = Roz::new();
    fs::create_dir(roz.project().join(".orchestration")).unwrap();
    roz
}

pub(crate) fn ledger(roz: &Roz) -> Ledger {
    Ledger::new(&roz.project(), &roz.home())
}

/// A change of `path`, or a refusal of one.
fn record(session: &str, number: u8, path: &str, refusal: Option<&str>) -> Record {
    let call = Call {
        now: DateTime::parse_from_rfc3339(MORNING).unwrap().to_utc()
            + TimeDelta::minutes(number.into()),
        dice: &[number; 32],
        session_id: &session.parse().unwrap(),
        agent_id: Some("a1"),
        intent_id: Some(if number.is_multiple_of(2) { "INT-002" } else { "INT-001" }),
        model: Some("claude-opus-4-5-20251101"),
        revision: Some("a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0"),
        tool_name: "Edit",
        tool_use_id: Some("toolu_1"),
    };
    if let Some(code) = refusal {
        let file = Some(path.to_owned());
        let refusal = Refusal { code: code.to_owned(), message: None, file, command: None };
        return Record::of_refusal(&call, refusal);
    }
    let file = FileChange {
        path: path.to_owned(),
        changed: Changed::between(Some(b"a\nb\nc\nd\n"), Some(b"A\nb\nc\nd\ne\nf\n")),
        mutation_class: Some(MutationClass::AstRefactor),
        evidence: Some(json!({ "names": ["é"] })),
    };
    Record::of_change(&call, Change { files: vec![file], ..Change::default() })
}

#[track_caller]
fn add(roz: &Roz, session: &str, number: u8, path: &str) {
    append(roz, record(session, number, path, None));
}

#[track_caller]
fn append(roz: &Roz, record: Record) {
    ledger(roz).append(record, Instant::now() + Duration::from_secs(5)).unwrap();
}

pub(crate) fn text(roz: &Roz) -> String {
    fs::read_to_string(ledger(roz).path()).unwrap()
}

/// Three changes and a refusal, of two sessions.
pub(crate) fn four() -> Roz {
    let roz = new();
    add(&roz, SESSION, 1, "src/auth/token.rs");
    add(&roz, "s2", 2, "src/billing.rs");
    append(&roz, record(SESSION, 3, "src/billing.rs", Some("SCOPE_VIOLATION")));
    add(&roz, SESSION, 4, "src/main.rs");
    roz
}

// For people.

#[test]
fn show_tells_who_changed_which_lines_for_what() {
    let roz = four();
    let text = roz.run(&["ledger", "show"]).succeeds().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("TIME"), "{text}");
    for (line, words) in [
        (
            1,
            &["03:05:05", "00000000", "INT-001", "refactor", "Edit", "src/auth/token.rs:1,5-6"][..],
        ),
        (2, &["s2", "INT-002", "src/billing.rs"]),
        (3, &["INT-001", "-", "refused: SCOPE_VIOLATION src/billing.rs"]),
        (4, &["src/main.rs"]),
    ] {
        for word in words {
            assert!(lines[line].contains(word), "`{word}` is not in {}", lines[line]);
        }
    }
}

#[test]
fn show_finds_by_intent_file_and_session() {
    let roz = four();
    let found = |args: &[&str]| {
        let args: Vec<&str> = ["ledger", "show"].iter().chain(args).copied().collect();
        let shown = roz.json(&args);
        let of = |it: &Value| it["timestamp"].as_str().unwrap()[14..16].parse::<u8>().unwrap() - 4;
        shown["records"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(found(&[]), [1, 2, 3, 4]);
    assert_eq!(found(&["--limit", "2"]), [3, 4]);
    assert_eq!(found(&["--intent", "INT-002"]), [2, 4]);
    assert_eq!(found(&["--file", "src/auth"]), [1]);
    assert_eq!(found(&["--file", "./src/../src/main.rs"]), [4]);
    assert_eq!(found(&["--file", "src/mai"]), [0_u8; 0]);
    assert_eq!(found(&["--session", "s2"]), [2]);
    assert_eq!(found(&["--session", "s2", "--intent", "INT-001"]), [0_u8; 0]);
    assert_eq!(
        roz.run(&["ledger", "show", "--intent", "x"]).succeeds().stdout,
        "No such records.\n"
    );
}

#[test]
fn a_project_without_a_ledger_has_an_empty_one() {
    let roz = Roz::new();
    assert_eq!(roz.run(&["ledger", "show"]).succeeds().stdout, "No such records.\n");
    assert_eq!(roz.run(&["ledger", "export"]).succeeds().stdout, "");
    roz.run(&["ledger", "validate"]).succeeds();
    roz.run(&["ledger", "verify"]).succeeds();
    assert!(!roz.project().join(".orchestration").exists());
}

#[test]
fn what_others_wrote_into_the_ledger_drives_no_terminal() {
    let roz = new();
    append(&roz, record("s1", 1, "a\u{1b}[2Jb\n", None));
    append(&roz, record("s1", 2, "x", Some("\u{1b}]0;x\u{7}")));
    for verb in ["show", "verify", "validate"] {
        let text = roz.run(&["ledger", verb]).succeeds().stdout;
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}

#[test]
fn the_help_has_examples() {
    let help = Roz::new().run(&["ledger", "--help"]).succeeds().stdout;
    assert!(help.contains("roz ledger show --intent INT-001"), "{help}");
}

// Whole or not.

#[test]
fn verify_names_the_line_and_the_session() {
    let roz = four();
    let text = roz.run(&["ledger", "verify"]).succeeds().stdout;
    assert_eq!(text, "Whole: 4 records of 2 sessions.\n");
    assert_eq!(roz.json(&["ledger", "verify"])["whole"], true);
    let edited = self::text(&roz).replacen("INT-001", "INT-003", 1);
    fs::write(ledger(&roz).path(), edited).unwrap();
    let ran = roz.run(&["ledger", "verify"]);
    assert_eq!(ran.code, Some(1));
    let first = ran.stdout.lines().next().unwrap();
    assert_eq!(
        first,
        format!(
            "line 1: changed since it was written, or put in the place of another (session {SESSION})"
        )
    );
    let ran = roz.run(&["ledger", "verify", "--json"]);
    assert_eq!(ran.code, Some(1));
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&told["whole"], &told["records"]), (&json!(false), &json!(4)));
    let problem = &told["problems"][0];
    assert_eq!((&problem["problem"], &problem["line"]), (&json!("changed"), &json!(1)));
    assert_eq!(problem["session_id"], SESSION);
    assert!(problem["message"].is_string());
}

#[test]
fn another_machine_verifies_all_but_the_ends() {
    let roz = four();
    fs::remove_dir_all(roz.home().join("ledger")).unwrap();
    let told = roz.json(&["ledger", "verify"]);
    assert_eq!((&told["whole"], &told["unanchored"]), (&json!(true), &json!([SESSION, "s2"])));
    let text = self::text(&roz);
    let lines: Vec<&str> = text.lines().collect();
    fs::write(ledger(&roz).path(), [lines[0], lines[1], lines[3], ""].join("\n")).unwrap();
    let told = roz.run(&["ledger", "verify"]);
    assert_eq!(told.code, Some(1));
    assert!(
        told.stdout.contains("line 3: a record is gone between line 1 and this one"),
        "{told:?}"
    );
}

// Branches, with a real git.

fn in_git() -> Roz {
    let roz = new().in_git();
    roz.write(".orchestration/.gitattributes", ledger::ATTRIBUTES);
    roz.git(&["branch", "-m", "trunk"]);
    add(&roz, "s0", 0, "a");
    commit(&roz);
    roz
}

fn commit(roz: &Roz) {
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "work"]);
}

/// Some records of a session, on a branch, committed one by one.
fn work(roz: &Roz, branch: &str, session: &str, numbers: std::ops::Range<u8>) {
    roz.git(&["checkout", "-q", branch]);
    for number in numbers {
        add(roz, session, number, "a");
        commit(roz);
    }
}

#[track_caller]
fn is_whole(roz: &Roz, records: u64) -> Value {
    let ran = roz.run(&["ledger", "verify", "--json"]);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&told["problems"], ran.code), (&json!([]), Some(0)), "{told}");
    assert_eq!(told["records"], records);
    told
}

#[test]
fn branches_that_both_went_on_merge_and_are_whole() {
    let roz = in_git();
    roz.git(&["branch", "other"]);
    work(&roz, "trunk", "s1", 1..4);
    work(&roz, "other", "s2", 4..9);
    // What is on the other branch is not missing here.
    assert_eq!(is_whole(&roz, 6)["elsewhere"][0]["session_id"], "s1");
    let told = roz.run(&["ledger", "verify"]).succeeds().stdout;
    assert!(
        told.contains("on another branch: 3 records are gone: the whole session (session s1)"),
        "{told}"
    );
    roz.git(&["checkout", "-q", "trunk"]);
    roz.git(&["merge", "-q", "--no-edit", "other"]);
    assert_eq!(is_whole(&roz, 9)["elsewhere"], json!([]));
    add(&roz, "s1", 10, "a");
    add(&roz, "s2", 11, "a");
    is_whole(&roz, 11);
}

#[test]
fn a_rebase_that_puts_sessions_in_another_order_leaves_them_whole() {
    let roz = in_git();
    roz.git(&["branch", "other"]);
    work(&roz, "trunk", "s1", 1..4);
    work(&roz, "other", "s2", 4..7);
    roz.git(&["rebase", "-q", "trunk"]);
    is_whole(&roz, 7);
    let sessions: Vec<Value> =
        text(&roz).lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let order: Vec<&Value> = sessions.iter().map(|it| &it["session_id"]).collect();
    assert_eq!(order, ["s0", "s1", "s1", "s1", "s2", "s2", "s2"]);
}

#[test]
fn a_session_that_went_on_on_two_branches_is_whole_where_its_lines_are_in_order() {
    let roz = in_git();
    roz.git(&["branch", "other"]);
    work(&roz, "trunk", "s1", 1..3);
    work(&roz, "other", "s1", 3..5);
    let told = is_whole(&roz, 3);
    assert_eq!(told["elsewhere"][0]["problem"], "removed");
    roz.git(&["checkout", "-q", "trunk"]);
    roz.git(&["merge", "-q", "--no-edit", "other"]);
    is_whole(&roz, 5);
}

/// One session's records by turns on two branches: most do not find the one
/// before in their file.
fn by_turns() -> Roz {
    let roz = in_git();
    work(&roz, "trunk", "s1", 1..2);
    roz.git(&["branch", "other"]);
    for number in [2, 4] {
        work(&roz, "other", "s1", number..number + 1);
        is_whole(&roz, u64::from(number) / 2 + 2);
        work(&roz, "trunk", "s1", number + 1..number + 2);
        is_whole(&roz, u64::from(number) / 2 + 2);
    }
    roz
}

#[test]
fn a_session_that_wrote_by_turns_on_two_branches_is_whole_after_a_merge() {
    let roz = by_turns();
    roz.git(&["merge", "-q", "--no-edit", "other"]);
    assert_eq!(is_whole(&roz, 6)["elsewhere"], json!([]));
    assert!(text(&roz).contains("\"elsewhere\":true"));
    roz.run(&["ledger", "validate"]).succeeds();
    work(&roz, "trunk", "s1", 6..8);
    is_whole(&roz, 8);
    let whole = text(&roz);
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.swap(6, 7);
    fs::write(ledger(&roz).path(), lines.join("\n") + "\n").unwrap();
    assert_eq!(roz.run(&["ledger", "verify"]).code, Some(1));
}

#[test]
fn a_session_that_wrote_by_turns_on_two_branches_is_whole_after_a_rebase() {
    for (moved, onto) in [("other", "trunk"), ("trunk", "other")] {
        let roz = by_turns();
        roz.git(&["checkout", "-q", moved]);
        roz.git(&["rebase", "-q", onto]);
        assert_eq!(is_whole(&roz, 6)["elsewhere"], json!([]));
        work(&roz, moved, "s1", 6..8);
        is_whole(&roz, 8);
    }
}

#[test]
fn lines_that_see_each_other_stay_in_order_through_merges_rebases_and_cherry_picks() {
    let roz = in_git();
    roz.git(&["branch", "other"]);
    roz.git(&["branch", "picked"]);
    for number in 1..7 {
        work(&roz, "trunk", ["s1", "s2", "s3"][usize::from(number % 3)], number..number + 1);
    }
    for number in 10..14 {
        work(&roz, "other", ["s4", "s5"][usize::from(number % 2)], number..number + 1);
    }
    roz.git(&["checkout", "-q", "picked"]);
    roz.git(&["cherry-pick", "other~3", "other~2"]);
    is_whole(&roz, 3);
    roz.git(&["checkout", "-q", "trunk"]);
    roz.git(&["merge", "-q", "--no-edit", "other"]);
    is_whole(&roz, 11);
    work(&roz, "trunk", "s4", 20..22);
    roz.git(&["checkout", "-q", "other"]);
    work(&roz, "other", "s6", 30..32);
    roz.git(&["rebase", "-q", "trunk"]);
    is_whole(&roz, 15);
    roz.git(&["checkout", "-q", "trunk"]);
    roz.git(&["merge", "-q", "--no-edit", "picked"]);
    is_whole(&roz, 13);
}

#[test]
fn two_lines_of_different_sessions_that_changed_places_are_found() {
    let roz = in_git();
    for number in 1..7 {
        work(&roz, "trunk", ["s1", "s2", "s3"][usize::from(number % 3)], number..number + 1);
    }
    let text = text(&roz);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(3, 4);
    fs::write(ledger(&roz).path(), lines.join("\n") + "\n").unwrap();
    let told = roz.run(&["ledger", "verify"]);
    assert_eq!(told.code, Some(1));
    let words = "line 4: not in its place: line 5 was there when it was written";
    assert!(told.stdout.contains(words), "{told:?}");
}

#[test]
fn a_rebase_that_puts_a_sessions_lines_in_another_order_is_found() {
    let roz = in_git();
    work(&roz, "trunk", "s1", 1..4);
    let text = text(&roz);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(1, 2);
    fs::write(ledger(&roz).path(), lines.join("\n") + "\n").unwrap();
    let told = roz.run(&["ledger", "verify"]);
    assert_eq!(told.code, Some(1));
    assert!(told.stdout.contains("line 2: not in its place, which is behind line 3"), "{told:?}");
}

#[test]
fn git_does_not_change_the_ends_of_lines() {
    let roz = in_git();
    roz.git(&["config", "core.autocrlf", "true"]);
    work(&roz, "trunk", "s1", 1..3);
    fs::remove_file(ledger(&roz).path()).unwrap();
    roz.git(&["checkout", "-q", "--", "."]);
    assert!(!text(&roz).contains('\r'));
    is_whole(&roz, 3);
    assert!(Path::new(ledger(&roz).path()).ends_with(".orchestration/agent_trace.jsonl"));
}
