use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use chrono::{DateTime, Utc};

fn now() -> DateTime<Utc> {
    "2026-11-21T10:00:00Z".parse().unwrap()
}

fn origin() -> Origin<'static> {
    Origin { now: now(), session_id: Some("s1"), ticket_id: Some("t-1"), roz_version: "0.1.0" }
}

fn candidate(summary: &str) -> Value {
    json!({
        "category": "pitfall",
        "summary": summary,
        "detail": "Without it `cargo build` rewrites Cargo.lock, so the cache key of CI changes.",
        "criteria_met": ["behavior_changing"],
        "tags": ["cargo"],
        "context_files": [".github/workflows/ci.yml"],
    })
}

fn vague() -> Value {
    json!({
        "category": "process",
        "summary": "Always write clean code",
        "detail": "Clean code is easier to read and to maintain in the future.",
        "criteria_met": ["behavior_changing"],
        "tags": ["quality"],
    })
}

fn batch(candidates: Vec<Value>) -> Batch {
    Batch { candidates, ..Batch::default() }
}

fn judged(candidates: Vec<Value>, known: &[Learning]) -> Judgement {
    judge(&batch(candidates), known, &WriteGatePolicy::default(), &origin())
}

fn accepted(candidate: Value) -> Learning {
    let mut judgement = judged(vec![candidate], &[]);
    assert!(judgement.rejected.is_empty(), "{judgement:#?}");
    judgement.accepted.remove(0)
}

#[test]
fn one_bad_candidate_rejects_itself_and_no_other() {
    let bad = json!({ "summary": "too few fields" });
    let judgement =
        judged(vec![json!(7), candidate("Pass --locked to cargo in CI"), bad, vague()], &[]);
    assert_eq!(judgement.accepted.len(), 1);
    let stages: Vec<_> =
        judgement.rejected.iter().map(|rejected| (rejected.index, rejected.stage)).collect();
    assert_eq!(stages, [(0, Stage::Schema), (2, Stage::Schema), (3, Stage::WriteGate)]);
    assert!(judgement.rejected.iter().all(|rejected| !rejected.reasons.is_empty()));
    assert_eq!(judgement.rejected[1].summary, "too few fields");
    assert_eq!(judgement.rejected[2].tags, ["quality"]);
}

#[test]
fn a_learning_keeps_whence_it_came() {
    let learning = accepted(candidate("Pass --locked to cargo in CI"));
    assert_eq!(learning.session_id.as_deref(), Some("s1"));
    assert_eq!(learning.ticket_id.as_deref(), Some("t-1"));
    assert_eq!(learning.roz_version.as_deref(), Some("0.1.0"));
    assert_eq!(learning.context_files, [".github/workflows/ci.yml"]);
    assert_eq!((learning.created_at, learning.status), (now(), Status::Active));
    assert!(learning.id.starts_with("cl_20261121_"), "{}", learning.id);
}

#[test]
fn the_write_gate_is_as_strict_as_it_is_set() {
    let judged = |mode| judge(&batch(vec![vague()]), &[], &WriteGatePolicy { mode }, &origin());
    assert!(judged(WriteGateMode::Strict).accepted.is_empty());
    let warned = judged(WriteGateMode::Warn);
    assert_eq!((warned.accepted.len(), warned.warnings.len()), (1, 1), "{:?}", warned.warnings);
    assert!(warned.warnings[0].starts_with("candidate 0: too vague"));
    let off = judged(WriteGateMode::Off);
    assert_eq!((off.accepted.len(), off.warnings.len()), (1, 0));
}

#[test]
fn duplicates_are_found_among_what_is_active_and_in_the_batch() {
    let known = accepted(candidate("Pass --locked to cargo in CI"));
    let again = || {
        let mut value = candidate("In CI, always pass --locked to cargo");
        value["detail"] =
            "Cargo.lock is rewritten by `cargo build` where that flag is missing.".into();
        value
    };
    let judgement = judged(vec![again()], std::slice::from_ref(&known));
    assert_eq!(judgement.rejected[0].stage, Stage::Duplicate);
    assert!(judgement.rejected[0].reasons[0].contains(&known.id));
    let judgement = judged(vec![candidate("Pass --locked to cargo in CI"), again()], &[]);
    assert_eq!((judgement.accepted.len(), judgement.rejected[0].index), (1, 1));
    let archived = Learning { status: Status::Archived, ..known };
    assert_eq!(judged(vec![again()], &[archived]).accepted.len(), 1);
}

#[test]
fn what_it_supersedes_is_no_duplicate() {
    let known = accepted(candidate("Pass --locked to cargo in CI"));
    let mut new = candidate("Pass --locked to cargo in CI!");
    new["supersedes"] = known.id.clone().into();
    let judgement = judged(vec![new], std::slice::from_ref(&known));
    assert_eq!(judgement.accepted[0].supersedes.as_ref(), Some(&known.id));
    assert!(judgement.warnings.is_empty());
}

#[test]
fn one_that_two_branches_learned_can_be_superseded() {
    let known = accepted(candidate("Pass --locked to cargo in CI"));
    let twin = Learning { id: "cl_20261120_twinxx".into(), ..known.clone() };
    let mut new = candidate("Pass --locked to cargo in CI!");
    new["supersedes"] = known.id.clone().into();
    let judgement = judged(vec![new], &[known.clone(), twin]);
    assert_eq!(judgement.accepted[0].supersedes.as_ref(), Some(&known.id));
}

#[test]
fn what_only_the_user_sees_neither_stands_in_a_projects_way_nor_is_superseded_by_it() {
    let known = accepted(candidate("Pass --locked to cargo in CI"));
    let own = Learning { scope: Scope::Personal, ..known.clone() };
    let again = |scope: &str, supersedes: &str| {
        let mut value = candidate("Pass --locked to cargo in CI!");
        (value["scope"], value["supersedes"]) = (scope.into(), supersedes.into());
        value
    };
    let judgement = judged(vec![again("team", "")], std::slice::from_ref(&own));
    assert_eq!(judgement.accepted.len(), 1, "{judgement:#?}");
    let judgement = judged(vec![again("project", &own.id)], std::slice::from_ref(&own));
    assert_eq!(judgement.accepted[0].supersedes, None);
    assert!(
        judgement.warnings[0].contains("none of the project's learnings that can be superseded")
    );
    let judgement = judged(vec![again("personal", &own.id)], std::slice::from_ref(&own));
    assert_eq!(judgement.accepted[0].supersedes.as_ref(), Some(&own.id));
    let judgement = judged(vec![again("personal", "")], &[known]);
    let why = &judgement.rejected[0].reasons[0];
    assert!(why.contains("The project knows it") && !why.contains("supersedes"), "{why}");
}

#[test]
fn what_is_not_there_is_not_superseded() {
    let mut new = candidate("Pass --locked to cargo in CI");
    new["supersedes"] = "cl_nope".into();
    let judgement = judged(vec![new], &[]);
    assert_eq!(judgement.accepted[0].supersedes, None);
    assert!(judgement.warnings[0].contains("`cl_nope` is none of the project's"));
}

#[test]
fn an_id_that_is_taken_is_not_given_again() {
    let first = accepted(candidate("Pass --locked to cargo in CI"));
    let taken = Learning { status: Status::Superseded, ..first.clone() };
    let judgement = judged(vec![candidate("Pass --locked to cargo in CI")], &[taken]);
    assert_ne!(judgement.accepted[0].id, first.id);
}

#[test]
fn a_batch_without_candidates_is_told_why_nothing_comes_of_it() {
    let judgement = judged(Vec::new(), &[]);
    assert_eq!(judgement.warnings.len(), 1, "{judgement:?}");
    let said = &judgement.warnings[0];
    assert!(said.contains("`candidates` is empty") && said.contains("`roz skip WHY`"), "{said}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,30}".prop_map(Value::from),
        ".{0,300}".prop_map(Value::from),
        Just(Value::from("pitfall")),
        Just(Value::from("stable_fact")),
    ];
    leaf.prop_recursive(3, 20, 6, |inner| {
        let names =
            prop_oneof!["category|summary|detail|tags|criteria_met|scope|supersedes", "\\PC{0,9}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
            prop::collection::btree_map(names, inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_candidate_is_too_odd_and_none_is_lost(candidates in prop::collection::vec(any_json(), 0..6)) {
        let n = candidates.len();
        let judgement = judged(candidates, &[]);
        prop_assert_eq!(judgement.accepted.len() + judgement.rejected.len(), n);
        prop_assert!(judgement.rejected.iter().all(|rejected| !rejected.reasons.is_empty()));
    }

    #[test]
    fn no_text_is_too_odd(summary in ".{10,80}", detail in ".{20,200}") {
        let mut value = candidate(&summary);
        value["detail"] = detail.into();
        let judgement = judged(vec![value], &[]);
        prop_assert_eq!(judgement.accepted.len() + judgement.rejected.len(), 1);
    }
}

#[test]
fn the_example_that_roz_prints_is_no_learning() {
    let batch = Batch::parse(&candidate::example().to_string()).unwrap();
    assert!(batch.warnings.is_empty(), "{:?}", batch.warnings);
    let judgement = judge(&batch, &[], &WriteGatePolicy::default(), &origin());
    let rejected = &judgement.rejected[0];
    assert_eq!(rejected.stage, Stage::Schema);
    assert!(rejected.reasons[0].contains("an example of roz's own"), "{rejected:?}");
}
