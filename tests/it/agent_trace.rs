//! The ledger and its export against both published forms of an Agent Trace
//! record, as a library for JSON Schema reads them. The forms are restated
//! field by field, not copied: as they were published, the patterns of their
//! `version` take no version that there is. `intent/schemas/README.md` lists
//! each change.

use std::{fs, sync::LazyLock};

use chrono::DateTime;
use jsonschema::Validator;
use proptest::prelude::*;
use roz::core::intent::{
    changed_lines::Changed,
    ledger::{Call, Change, FileDetails, Record, Refusal, record_schema},
};
use serde_json::{Value, json};

use crate::{
    ledger::{four, ledger, text},
    support::MORNING,
};

static SPECIFICATION: LazyLock<Validator> =
    LazyLock::new(|| schema(include_str!("intent/schemas/specification.json")));
static GENERATED: LazyLock<Validator> =
    LazyLock::new(|| schema(include_str!("intent/schemas/generated.json")));

fn schema(text: &str) -> Validator {
    let schema = serde_json::from_str(text).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

#[track_caller]
fn is_valid(validator: &Validator, record: &Value) {
    let errors: Vec<String> =
        validator.iter_errors(record).map(|it| format!("{}: {it}", it.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:?} in {record}");
}

#[test]
fn every_line_of_the_ledger_is_an_agent_trace_record() {
    let roz = four();
    for line in text(&roz).lines() {
        is_valid(&SPECIFICATION, &serde_json::from_str(line).unwrap());
    }
    let told = roz.run(&["ledger", "validate"]).succeeds().stdout;
    assert_eq!(told, "Valid Agent Trace: 4 records.\n");
    assert_eq!(roz.json(&["ledger", "validate"])["valid"], true);
}

#[test]
fn what_is_exported_is_valid_in_both_published_forms() {
    let roz = four();
    let exported = roz.run(&["ledger", "export", "--format", "agent-trace"]).succeeds().stdout;
    assert_eq!(exported.lines().count(), 4);
    for line in exported.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        is_valid(&SPECIFICATION, &record);
        is_valid(&GENERATED, &record);
        assert!(record["metadata"]["dev.roz"]["intent_id"].is_string());
    }
}

#[test]
fn what_is_no_record_is_left_out_and_told_of() {
    let roz = four();
    let path = ledger(&roz).path().to_owned();
    let text = text(&roz) + "{\"files\":[]}\nnot json\n";
    fs::write(&path, text).unwrap();
    let ran = roz.run(&["ledger", "export"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(1), 4));
    assert!(ran.stderr.contains("lines 5, 6"), "{ran:?}");
    let ran = roz.run(&["ledger", "validate", "--json"]);
    assert_eq!(ran.code, Some(1));
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    let lines: Vec<&Value> =
        told["faults"].as_array().unwrap().iter().map(|it| &it["line"]).collect();
    assert_eq!(lines, [5, 5, 5, 6]);
}

/// A record with everything in it that a record can have.
fn full() -> Value {
    let contributor = json!({ "type": "mixed", "model_id": "anthropic/claude" });
    json!({
        "version": "0.1.0",
        "id": "550e8400-e29b-41d4-a716-446655440000",
        "timestamp": "2026-01-23T14:30:00.5Z",
        "vcs": { "type": "jj", "revision": "kkmpptxz" },
        "tool": { "name": "cursor", "version": "2.4.0" },
        "files": [{
            "path": "src/a.ts",
            "conversations": [{
                "url": "https://api.example.com/v1/conversations/12345",
                "contributor": contributor,
                "ranges": [{
                    "start_line": 42, "end_line": 67, "content_hash": "murmur3:9f2e8a1b",
                    "contributor": contributor,
                }],
                "related": [{ "type": "session", "url": "urn:intent:INT-001" }],
            }],
        }],
        "metadata": { "confidence": 0.95, "dev.cursor": { "workspace_id": "ws-abc123" } },
    })
}

#[test]
fn our_own_check_takes_what_the_schema_takes() {
    assert_eq!(record_schema::faults(&full()), []);
    is_valid(&SPECIFICATION, &full());
    agrees(&full());
}

#[track_caller]
fn agrees(record: &Value) {
    let faults = record_schema::faults(record);
    assert_eq!(faults.is_empty(), GENERATED.is_valid(record), "{faults:?} {record}");
}

/// Every place in a value.
fn places(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, it)| places(it, format!("{at}/{name}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, it)| places(it, format!("{at}/{n}"), found));
        }
        _ => (),
    }
    found.push(at);
}

fn changed(place: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut record = full();
    change(record.pointer_mut(place).unwrap());
    record
}

#[test]
fn our_own_check_refuses_what_the_schema_refuses() {
    let mut found = Vec::new();
    places(&full(), String::new(), &mut found);
    let others = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.0),
        json!(1.5),
        json!(9_007_199_254_740_993_u64),
        json!(""),
        json!("x"),
        json!("0.1"),
        json!("1.2.3"),
        json!("1..3"),
        json!("é.1.2"),
        json!([]),
        json!({}),
        json!([{}]),
        json!("a b:c"),
        json!("urn:x:%zz"),
        json!("urn:x:é"),
        json!("urn:x:a%20b"),
        json!("git"),
        json!("human"),
        json!("x".repeat(250)),
        json!("é".repeat(250)),
        json!("é".repeat(251)),
        json!("550E8400-E29B-41D4-A716-446655440000"),
        json!("550e8400-e29b-01d4-a716-446655440000"),
        json!("00000000-0000-0000-0000-000000000000"),
        json!("550e8400e29b41d4a716446655440000"),
        json!("2026-01-23T14:30:00+00:00"),
        json!("2026-01-23T14:30:00Z"),
        json!("2026-13-23T14:30:00Z"),
        json!("2026-02-29T14:30:00Z"),
        json!("2026-01-23 14:30:00Z"),
        json!("2026-01-23T25:30:00Z"),
    ];
    for place in &found {
        for other in &others {
            agrees(&changed(place, |it| *it = other.clone()));
        }
        if let Value::Object(fields) = full().pointer(place).unwrap() {
            for name in fields.keys().map(String::as_str).chain(["stranger"]) {
                agrees(&changed(place, |it| {
                    let fields = it.as_object_mut().unwrap();
                    if fields.remove(name).is_none() {
                        fields.insert(name.to_owned(), json!(1));
                    }
                }));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_a_session_does_its_records_are_valid(
        path in ".{0,30}", intent in ".{0,30}", code in ".{0,30}",
        before in "[ab\n]{0,12}", after in "[ab\n\r]{0,12}", dice in any::<[u8; 32]>(),
    ) {
        let session_id = "s_1".parse().unwrap();
        let call = Call {
            now: DateTime::parse_from_rfc3339(MORNING).unwrap().to_utc(),
            dice: &dice, session_id: &session_id, agent_id: Some(&code), model: Some(&code), intent_id: Some(&intent),
            revision: None, tool_name: &code, tool_use_id: None,
        };
        let changed = Changed::between(Some(before.as_bytes()), Some(after.as_bytes()));
        let file = FileDetails { path, changed, mutation_class: None, evidence: None };
        let refusal = Refusal { code: code.clone(), message: None, file: None, command: None };
        let change = Change { files: vec![file], violation: Some(refusal.clone()), ..Change::default() };
        let refused = Change { violation: Some(refusal), ..Change::default() };
        for record in [change, refused].map(|change| Record::of_change(&call, change)) {
            let value = serde_json::to_value(&record).unwrap();
            is_valid(&SPECIFICATION, &value);
            let strict = record_schema::strict(value);
            is_valid(&SPECIFICATION, &strict);
            is_valid(&GENERATED, &strict);
        }
    }
}
