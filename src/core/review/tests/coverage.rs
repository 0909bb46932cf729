//! A reviewer approves what it was shown.

use super::*;
use crate::core::{facts::FileLines, policy::Coverage};

/// A reviewer that has to see lines 3 and 4 of each of these files.
fn reviewer_of(paths: &[&str]) -> (Gate, String) {
    let mut gate = Gate::with_tree("t1");
    gate.required = paths.iter().map(|path| required(path, &blob(path))).collect();
    gate.objects_to(push("p1"));
    let token = gate.reviewer("a1");
    (gate, token)
}

/// Git's id of what the file holds.
fn blob(path: &str) -> String {
    bounded::sha256(path.as_bytes())[..40].to_owned()
}

fn required(path: &str, blob: &str) -> Required {
    Required {
        path: path.to_owned(),
        blob: blob.to_owned(),
        ranges: vec![(3, 4)],
        deletions: Vec::new(),
        header_only: false,
    }
}

/// `agent` is shown lines of a file.
fn reads(gate: &mut Gate, agent: Option<&str>, path: &str, (start, count): (u64, u64)) {
    let read =
        FileLines { path: path.to_owned(), blob: blob(path), start, count, text: String::new() };
    gate.facts.shown = Shown { reads: vec![read], ..Shown::default() };
    let _ = gate.sees_from(agent, done("read", true));
    gate.facts.shown = Shown::default();
}

fn approves(gate: &mut Gate, token: &str, excuses: &[&str]) -> Result<Taken, Refusal> {
    let _ = gate.permits("a1", "COMPLETE");
    let mut posting = gate.posting(complete(), Claim::Token(token.to_owned()));
    posting.excuses = excuses.iter().map(|text| Excuse::parse(text).unwrap()).collect();
    gate.takes(&posting)
}

#[test]
fn who_has_seen_nothing_approves_nothing() {
    let (mut gate, token) = reviewer_of(&["a.rs"]);
    let refused = approves(&mut gate, &token, &[]).unwrap_err().to_string();
    assert!(refused.contains("a.rs") && refused.contains("--unseen"), "{refused}");
    gate.is("reviewing");
    assert_eq!(gate.table, []);
    reads(&mut gate, Some("a1"), "a.rs", (4, 9));
    assert!(approves(&mut gate, &token, &[]).is_err(), "line 3 is missing");
}

#[test]
fn who_has_seen_all_approves_and_the_record_says_so() {
    let (mut gate, token) = reviewer_of(&["a.rs"]);
    reads(&mut gate, Some("a1"), "a.rs", (1, 2));
    reads(&mut gate, Some("a1"), "a.rs", (3, 2));
    let taken = approves(&mut gate, &token, &[]).unwrap();
    assert_eq!((taken.standing, taken.unseen), (Standing::Stands, Vec::new()));
    assert_eq!(gate.is("approved").table[0].seen, ["a.rs"]);
}

#[test]
fn issues_need_no_look() {
    let (mut gate, token) = reviewer_of(&["a.rs"]);
    assert_eq!(gate.says("a1", &token, issues()), Standing::Stands);
}

#[test]
fn what_others_were_shown_does_not_count() {
    let (mut gate, token) = reviewer_of(&["a.rs"]);
    reads(&mut gate, None, "a.rs", (1, 9));
    reads(&mut gate, Some("helper"), "a.rs", (1, 9));
    assert!(approves(&mut gate, &token, &[]).is_err());
}

#[test]
fn a_file_that_is_written_after_the_look_is_unseen_again() {
    let (mut gate, token) = reviewer_of(&["a.rs"]);
    reads(&mut gate, Some("a1"), "a.rs", (1, 9));
    gate.facts.written = vec!["/p/a.rs".into()];
    gate.passes(call("Write", json!({}))).is("reviewing");
    gate.required = vec![required("a.rs", "2222222222")];
    assert!(approves(&mut gate, &token, &[]).is_err());
}

#[test]
fn what_is_left_out_with_a_reason_is_recorded_and_told() {
    let (mut gate, token) = reviewer_of(&["a.rs", "db/schema.sql"]);
    reads(&mut gate, Some("a1"), "a.rs", (1, 9));
    let taken = approves(&mut gate, &token, &["db: dumped by the database"]).unwrap();
    assert_eq!(taken.unseen, ["db/schema.sql: dumped by the database"]);
    assert_eq!(gate.table[0].unseen, taken.unseen);
    gate.passes_with_a_word(reviewer_stop("a1"), "db/schema.sql: dumped by the database");
}

#[test]
fn generated_files_need_not_be_seen() {
    let (mut gate, token) = reviewer_of(&["web/yarn.lock"]);
    assert_eq!(approves(&mut gate, &token, &[]).unwrap().unseen, [""; 0]);
}

#[test]
fn of_too_many_files_the_user_is_told_which_were_not_seen() {
    let (mut gate, token) = reviewer_of(&["a.rs", "b.rs"]);
    gate.policy.review.coverage_max_files = 1;
    reads(&mut gate, Some("a1"), "a.rs", (1, 9));
    assert_eq!(approves(&mut gate, &token, &[]).unwrap().unseen, ["b.rs"]);
    gate.passes_with_a_word(reviewer_stop("a1"), "without having been looked at: b.rs");
}

#[test]
fn coverage_may_be_told_only_or_off() {
    for (coverage, unseen) in [(Coverage::Tell, &["a.rs"][..]), (Coverage::Off, &[])] {
        let (mut gate, token) = reviewer_of(&["a.rs"]);
        gate.policy.review.coverage = coverage;
        assert_eq!(approves(&mut gate, &token, &[]).unwrap().unseen, unseen, "{coverage:?}");
    }
}

#[test]
fn work_that_cannot_be_looked_at_is_approved_by_no_reviewer() {
    let (mut gate, token) = reviewer_of(&[]);
    gate.work(Work::Unknown("no time".into()));
    let refused = approves(&mut gate, &token, &[]).unwrap_err();
    assert_eq!(refused, Refusal::Unknown("no time".into()));
}

#[test]
fn a_person_need_not_show_what_was_looked_at() {
    let (mut gate, _) = reviewer_of(&["a.rs"]);
    assert_eq!(gate.posts(complete(), Claim::Human), Ok(Standing::Stands));
}

#[test]
fn a_reviewer_with_a_token_changes_nothing_of_the_work() {
    let (mut gate, token) = reviewer_of(&[]);
    gate.facts.reviewer_changes = vec!["`a.rs`".into()];
    let write = || call("Write", json!({ "file_path": "/p/a.rs" }));
    let Verdict::Object(notice) = gate.sees_from(Some("a1"), write()).verdict else {
        panic!("it passed")
    };
    assert_eq!((notice.template.as_str(), field(&notice, "change")), ("reviewer-writes", "`a.rs`"));
    gate.passes(write()).facts.reviewer_changes.clear();
    approves(&mut gate, &token, &[]).unwrap();
}
