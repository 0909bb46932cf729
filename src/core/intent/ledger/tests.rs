use serde_json::json;

use super::{
    record_schema::{faults, strict},
    *,
};

fn call<'a>(session_id: &'a SessionId, dice: &'a [u8; 32]) -> Call<'a> {
    Call {
        now: DateTime::from_timestamp(1_800_000_000, 123_456_789).unwrap(),
        dice,
        session_id,
        agent_id: None,
        model: None,
        intent_id: Some("INT-001"),
        revision: Some("a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0"),
        tool_name: "Edit",
        tool_use_id: Some("toolu_1"),
    }
}

fn session() -> SessionId {
    "00000000-0000-4000-8000-000000000002".parse().unwrap()
}

fn change(path: &str, class: Option<MutationClass>) -> FileDetails {
    FileDetails {
        path: path.to_owned(),
        changed: Changed::between(Some(b"a\nb\nc\n"), Some(b"a\nB\n")),
        mutation_class: class,
        evidence: Some(json!({ "identifiers": 1 })),
    }
}

fn as_value(record: &Record) -> Value {
    serde_json::to_value(record).unwrap()
}

#[test]
fn a_change_has_the_names_of_the_specification_and_those_of_the_documents() {
    let files = vec![
        change("src/a.rs", Some(MutationClass::AstRefactor)),
        change("src/b.rs", Some(MutationClass::IntentEvolution)),
    ];
    let (session, dice) = (session(), [7; 32]);
    let call = call(&session, &dice);
    let record = Record::of_change(&call, Change { files, ..Change::default() });
    let value = as_value(&record);
    assert_eq!(faults(&strict(value.clone())), []);
    assert_eq!(value["version"], "0.1.0");
    let id = value["id"].as_str().unwrap();
    assert!(id.ends_with("-7707-8707-070707070707"), "{id}");
    assert_eq!(value["timestamp"], "2027-01-15T08:00:00.123Z");
    assert_eq!(value["vcs"]["revision"], value["vcs"]["revision_id"]);
    assert_eq!(value["mutation_class"], "INTENT_EVOLUTION");
    assert_eq!((&value["intent_id"], &value["tool"]["name"]), (&json!("INT-001"), &json!("roz")));
    let file = &value["files"][0];
    assert_eq!((&file["path"], &file["relative_path"]), (&json!("src/a.rs"), &json!("src/a.rs")));
    let conversation = &file["conversations"][0];
    assert_eq!(conversation["url"], format!("urn:claude:session:{session}"));
    assert_eq!(conversation["contributor"], json!({ "type": "ai", "entity_type": "AI" }));
    assert_eq!(conversation["ranges"][0]["start_line"], 2);
    assert_eq!(
        conversation["related"],
        json!([{ "type": "specification", "url": "urn:intent:INT-001", "value": "INT-001" }])
    );
    let roz = &value["metadata"]["dev.roz"];
    assert_eq!(roz["tool_use_id"], "toolu_1");
    assert_eq!(roz["files"][0]["mutation_class"], "AST_REFACTOR");
    assert_eq!(roz["files"][1]["evidence"], json!({ "identifiers": 1 }));
    assert_eq!(roz["files"][0].get("ranges"), None);
    let line = serde_json::to_vec(&record).unwrap();
    let mut read = Record::read(&line).unwrap();
    read.metadata.roz.files.clone_from(&record.metadata.roz.files);
    assert_eq!(read, record);
}

#[test]
fn a_refusal_has_no_files() {
    let (session, dice) = (session(), [1; 32]);
    let refusal = Refusal {
        code: "SCOPE_VIOLATION".to_owned(),
        message: Some("é".repeat(4000)),
        file: Some("src/billing.ts".to_owned()),
        command: None,
    };
    let call = Call { intent_id: None, revision: None, ..call(&session, &dice) };
    let record = Record::of_change(&call, Change { violation: Some(refusal), ..Change::default() });
    assert!(record.is_refusal());
    let value = as_value(&record);
    assert_eq!(faults(&strict(value.clone())), []);
    assert_eq!(value["files"], json!([]));
    assert_eq!(value.get("vcs"), None);
    let told = &value["metadata"]["dev.roz"]["refusal"];
    assert_eq!(told["code"], "SCOPE_VIOLATION");
    assert!(told["message"].as_str().unwrap().len() <= MAX_TEXT);
}

#[test]
fn ids_of_later_records_are_greater() {
    let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
    let one = uuid(now, &[0xff; 32]);
    let two = uuid(now + chrono::TimeDelta::milliseconds(1), &[0; 32]);
    assert!(one < two, "{one} {two}");
    assert_eq!(&two[14..15], "7");
}

#[test]
fn an_id_that_no_uri_has_is_escaped_and_stays_beside() {
    let (session, dice) = (session(), [1; 32]);
    let call = Call { intent_id: Some("REQ 1/é#%"), ..call(&session, &dice) };
    let files = vec![change("a", None)];
    let value = as_value(&Record::of_change(&call, Change { files, ..Change::default() }));
    assert_eq!(faults(&strict(value.clone())), []);
    let related = &value["files"][0]["conversations"][0]["related"][0];
    assert_eq!(related["url"], "urn:intent:REQ%201%2F%C3%A9%23%25");
    assert_eq!(related["value"], "REQ 1/é#%");
}

#[test]
fn a_strict_record_keeps_the_documents_fields_in_its_metadata() {
    let (session, dice) = (session(), [1; 32]);
    let files = vec![change("a", Some(MutationClass::AstRefactor))];
    let call = call(&session, &dice);
    let value = as_value(&Record::of_change(&call, Change { files, ..Change::default() }));
    assert!(!faults(&value).is_empty());
    let strict = strict(value.clone());
    assert_eq!(faults(&strict), []);
    let roz = &strict["metadata"]["dev.roz"];
    assert_eq!(roz["session_id"], value["session_id"]);
    assert_eq!(
        (&roz["intent_id"], &roz["mutation_class"]),
        (&json!("INT-001"), &json!("AST_REFACTOR"))
    );
    assert_eq!(
        strict["files"][0]["conversations"][0]["ranges"],
        value["files"][0]["conversations"][0]["ranges"]
    );
}

#[test]
fn a_fault_is_named_with_its_place() {
    let record = json!({
        "version": "1.0", "id": "x", "timestamp": "2026-01-01", "tool": {},
        "files": [{ "path": 1, "conversations": [{ "ranges": [{ "start_line": 0 }] }] }],
    });
    let told: Vec<String> =
        faults(&record).into_iter().map(|fault| fault.at + ": " + &fault.what).collect();
    assert_eq!(
        told,
        [
            "/version: it is not a version of three numbers",
            "/id: it is not a UUID",
            "/timestamp: it is not a time as in RFC 3339, with `Z`",
            "/tool: `name` is missing",
            "/tool: `version` is missing",
            "/files/0/path: it is not a text",
            "/files/0/conversations/0/ranges/0/start_line: it is not a line number",
            "/files/0/conversations/0/ranges/0: `end_line` is missing",
        ]
    );
    assert_eq!(faults(&json!([]))[0].what, "it is not an object");
}

#[test]
fn a_path_is_touched_by_what_lies_below_it() {
    let (session, dice) = (session(), [1; 32]);
    let files = vec![change("src/auth/token.rs", None)];
    let record = Record::of_change(&call(&session, &dice), Change { files, ..Change::default() });
    for path in ["src/auth/token.rs", "src/auth", "src/auth/", "src"] {
        assert!(record.touches(path), "{path}");
    }
    for path in ["src/au", "token.rs", "src/auth/token.rs/x"] {
        assert!(!record.touches(path), "{path}");
    }
}
