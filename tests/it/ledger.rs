//! The ledger as people, other programs and git meet it.

use std::{
    fs,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta};
use roz::{
    core::intent::{
        changed_lines::Changed,
        ledger::{Call, Change, FileDetails, MutationClass, Record, Refusal},
    },
    ledger::Ledger,
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
        model: None,
        intent_id: Some(if number.is_multiple_of(2) { "INT-002" } else { "INT-001" }),
        revision: Some("a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0"),
        tool_name: "Edit",
        tool_use_id: Some("toolu_1"),
    };
    if let Some(code) = refusal {
        let file = Some(path.to_owned());
        let refusal = Refusal { code: code.to_owned(), message: None, file, command: None };
        return Record::of_change(&call, Change { violation: Some(refusal), ..Change::default() });
    }
    let file = FileDetails {
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
