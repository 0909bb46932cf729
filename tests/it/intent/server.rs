//! `roz mcp`, before the protocol library's own client and before lines by
//! hand.

use std::{fs, os::unix::fs::symlink, process::Stdio};

use rmcp::{
    RoleClient, ServiceExt as _,
    model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, Tool},
    service::RunningService,
};
use serde_json::{Value, json};

use super::INTENTS;
use crate::support::{Roz, feed};

type Client = RunningService<RoleClient, ClientConfig>;

/// Starts the server as the client does, and talks to it.
fn talk<T>(roz: &Roz, say: impl AsyncFnOnce(&Client) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let said = runtime.block_on(async {
        let mut command = tokio::process::Command::from(roz.command(&["mcp"]));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let streams = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let info = Implementation::new("test", "1");
        let client = ClientConfig::new(ClientCapabilities::default(), info).serve(streams).await;
        let client = client.unwrap();
        let said = say(&client).await;
        client.cancel().await.unwrap();
        // Nobody speaks to it any more: it ends, and well.
        assert!(child.wait().await.unwrap().success());
        said
    });
    runtime.shutdown_background();
    said
}

/// What a tool answered: the texts, and whether it is an error.
#[derive(Debug)]
struct Said {
    text: String,
    object: Value,
    is_error: bool,
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> Said {
    let arguments = arguments.as_object().unwrap().clone();
    let params = CallToolRequestParams::new(tool).with_arguments(arguments);
    let answer = client.call_tool(params).await.unwrap();
    let texts = answer.content.iter().filter_map(|it| it.as_text()).map(|it| it.text.clone());
    Said {
        text: texts.collect::<Vec<_>>().join("\n"),
        object: answer.structured_content.unwrap_or_default(),
        is_error: answer.is_error == Some(true),
    }
}

fn ask(roz: &Roz, tool: &'static str, arguments: Value) -> Said {
    talk(roz, async |client| call(client, tool, arguments).await)
}

#[track_caller]
fn refuses(roz: &Roz, tool: &'static str, arguments: Value) -> String {
    let said = ask(roz, tool, arguments);
    assert!(said.is_error, "{said:?}");
    said.text
}

/// The line for programs at the end of a refusal.
#[track_caller]
fn json_of(text: &str) -> Value {
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn each_tool_is_described_down_to_its_arguments() {
    let roz = Roz::declaring(INTENTS);
    let tools: Vec<Tool> = talk(&roz, async |client| client.list_all_tools().await.unwrap());
    let names: Vec<&str> = tools.iter().map(|it| &*it.name).collect();
    let wanted = [
        "select_active_intent",
        "list_intents",
        "intent_status",
        "create_intent",
        "request_scope_expansion",
        "record_lesson",
    ];
    assert_eq!(names, wanted);
    for tool in &tools {
        assert!(tool.description.as_ref().unwrap().len() > 40, "{}", tool.name);
        let schema = Value::Object((*tool.input_schema).clone());
        assert_eq!(schema["type"], "object");
        for (name, argument) in schema["properties"].as_object().unwrap() {
            assert!(argument["description"].is_string(), "{}: {name}", tool.name);
        }
        for name in schema["required"].as_array().unwrap() {
            assert!(schema["properties"][name.as_str().unwrap()].is_object());
        }
    }
}

#[test]
fn a_selected_intent_is_told_and_nothing_is_written_or_said_of_sessions() {
    let roz = Roz::declaring(INTENTS);
    let said = ask(&roz, "select_active_intent", json!({ "intent_id": "INT-001" }));
    assert!(!said.is_error, "{said:?}");
    assert!(said.text.starts_with("<intent_context><intent id=\"INT-001\""), "{}", said.text);
    assert!(!said.text.contains("session"), "{}", said.text);
    assert_eq!(roz.declared(), INTENTS);
    assert!(roz.session_files().is_empty(), "the server binds nothing");
}

#[test]
fn refusals_say_what_to_do_and_have_their_line_for_programs() {
    let roz = Roz::declaring(INTENTS);
    roz.write(".orchestration/.intentignore", "INT-002\n");
    for (id, code) in [
        ("INT-01", "INVALID_INTENT"),
        ("", "INVALID_INTENT"),
        ("INT-002", "INTENT_IGNORED"),
        ("INT-003", "INTENT_NOT_ACTIVE"),
    ] {
        let text = refuses(&roz, "select_active_intent", json!({ "intent_id": id }));
        let line = json_of(&text);
        assert_eq!(line["code"], code, "{text}");
        // What to do is said once, above it.
        assert!(line.get("recovery").is_none() && text.contains("ntent"), "{text}");
        assert!(line.as_object().unwrap().values().all(|it| !it.is_null()), "{text}");
    }
    assert_eq!(roz.declared(), INTENTS);
}

#[test]
fn a_broken_sidecar_is_a_tool_error_with_line_and_column() {
    let roz = Roz::declaring("active_intents:\n  - id: [\n");
    for (tool, arguments) in [
        ("select_active_intent", json!({ "intent_id": "INT-001" })),
        ("list_intents", json!({})),
        ("create_intent", json!({ "name": "x", "owned_scope": ["a"] })),
        (
            "request_scope_expansion",
            json!({ "intent_id": "INT-001", "patterns": ["a"], "reason": "b" }),
        ),
    ] {
        let text = refuses(&roz, tool, arguments);
        assert_eq!(json_of(&text)["code"], "SIDECAR_INVALID", "{tool}: {text}");
        assert!(text.contains("line ") && text.contains("column "), "{tool}: {text}");
    }
    let said = ask(&roz, "intent_status", json!({}));
    assert_eq!(said.object["reliable"], false, "{said:?}");
}

#[test]
fn without_a_sidecar_and_with_a_link_in_its_place_tools_say_so() {
    let roz = Roz::new();
    let text = refuses(&roz, "list_intents", json!({}));
    assert!(text.contains("roz init --intent"), "{text}");
    refuses(&roz, "create_intent", json!({ "name": "x", "owned_scope": ["a"] }));
    assert!(!roz.project().join(".orchestration").exists());

    let elsewhere = roz.dir().join("elsewhere.yaml");
    fs::write(&elsewhere, INTENTS).unwrap();
    fs::create_dir(roz.project().join(".orchestration")).unwrap();
    symlink(&elsewhere, roz.project().join(".orchestration/active_intents.yaml")).unwrap();
    let text = refuses(&roz, "select_active_intent", json!({ "intent_id": "INT-001" }));
    assert!(text.contains("symbolic link"), "{text}");
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), INTENTS);
}

#[test]
fn an_agent_goes_from_a_list_to_a_lesson_in_one_conversation() {
    let roz = Roz::declaring(INTENTS);
    talk(&roz, async |client| {
        let listed = call(client, "list_intents", json!({})).await;
        assert_eq!(listed.object["intents"].as_array().unwrap().len(), 2);
        let all = call(client, "list_intents", json!({ "all": true })).await;
        assert_eq!(all.object["intents"].as_array().unwrap().len(), 3);
        let new = json!({
            "name": "Mail", "owned_scope": ["src/mail/**"], "constraints": ["plain text"],
            "acceptance_criteria": ["it arrives"], "depends_on": ["INT-001"], "reason": "asked for",
        });
        let made = call(client, "create_intent", new).await;
        assert!(!made.is_error && made.text.contains("INT-004"), "{made:?}");
        let more = json!({
            "intent_id": "INT-004", "patterns": ["tests/mail/**"], "reason": "its tests",
        });
        let granted = call(client, "request_scope_expansion", more).await;
        assert!(granted.text.contains("now owns tests/mail/** too"), "{granted:?}");
        let lesson = json!({
            "lesson": "Mind the line ends.", "intent_id": "INT-004", "files": ["src/mail/a.rs"],
        });
        let written = call(client, "record_lesson", lesson.clone()).await.text;
        assert_eq!(written, "Written to .orchestration/CLAUDE.md.");
        assert!(call(client, "record_lesson", lesson).await.text.contains("already"));
        let told = call(client, "select_active_intent", json!({ "intent_id": "INT-004" })).await;
        assert!(told.text.contains("<lesson>Mind the line ends.</lesson>"), "{told:?}");
        assert!(told.text.contains("<path>tests/mail/**</path>"), "{told:?}");
        let status = call(client, "intent_status", json!({ "intent_id": "INT-004" })).await;
        assert_eq!(status.object["status"], "DRAFT", "{status:?}");
        assert_eq!(status.object["lessons"], json!(["Mind the line ends."]));
    });
    assert!(roz.declared().starts_with(INTENTS), "what was there stays");
}

#[test]
fn arguments_that_make_no_sense_are_tool_errors_and_change_nothing() {
    let roz = Roz::declaring(INTENTS);
    talk(&roz, async |client| {
        for (tool, arguments) in [
            ("select_active_intent", json!({})),
            ("select_active_intent", json!({ "intent_id": 7 })),
            ("select_active_intent", json!({ "intent_id": "x".repeat(100_000) })),
            ("create_intent", json!({ "name": "x" })),
            ("create_intent", json!({ "name": "x", "owned_scope": [] })),
            ("create_intent", json!({ "name": "x", "owned_scope": "src" })),
            ("create_intent", json!({ "name": "x", "owned_scope": ["../../etc"] })),
            ("create_intent", json!({ "name": "\u{1b}[2J", "owned_scope": ["a"] })),
            (
                "request_scope_expansion",
                json!({ "intent_id": "INT-001", "patterns": [], "reason": "x" }),
            ),
            (
                "request_scope_expansion",
                json!({ "intent_id": "INT-001", "patterns": ["a"], "reason": " " }),
            ),
            (
                "request_scope_expansion",
                json!({ "intent_id": "INT-003", "patterns": ["a"], "reason": "x" }),
            ),
            ("record_lesson", json!({ "lesson": "", "intent_id": "INT-001" })),
            ("record_lesson", json!({ "lesson": "x" })),
            ("record_lesson", json!({ "lesson": "x", "intent_id": "INT-99" })),
            ("intent_status", json!({ "intent_id": "INT-99" })),
        ] {
            let shown = arguments.to_string().chars().take(100).collect::<String>();
            let said = call(client, tool, arguments).await;
            assert!(said.is_error, "{tool} {shown}: {said:?}");
            assert!(said.text.len() < 5000, "{tool} {shown}");
        }
    });
    assert_eq!(roz.declared(), INTENTS);
    assert!(!roz.project().join(".orchestration/CLAUDE.md").exists());
}

/// What the server answers to lines of anybody's.
fn answers(roz: &Roz, lines: &[&str]) -> Vec<Value> {
    let output = feed(&mut roz.command(&["mcp"]), (lines.join("\n") + "\n").as_bytes());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("panicked"), "{stderr}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"by hand","version":"1"}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

#[test]
fn lines_by_hand_are_answered_with_nothing_else_on_standard_output() {
    let roz = Roz::declaring(INTENTS);
    let select = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"select_active_intent","arguments":{"intent_id":"INT-001"}}}"#;
    let answers = answers(&roz, &[HELLO, READY, select]);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "roz", "{answers:?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-06-18");
    let text = answers[1]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("<intent_context>"), "{text}");
}

#[test]
fn nonsense_between_the_lines_does_not_end_the_server() {
    let roz = Roz::declaring(INTENTS);
    let unknown = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm_rf"}}"#;
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let answers = answers(&roz, &[HELLO, READY, "{", "null", unknown, "[[[[", list]);
    let of = |id: u64| answers.iter().find(|it| it["id"] == id).unwrap();
    assert!(of(1)["error"].is_object(), "{answers:?}");
    assert_eq!(of(2)["result"]["tools"].as_array().unwrap().len(), 6, "{answers:?}");
}

#[test]
fn a_client_that_goes_without_a_word_is_no_error() {
    let roz = Roz::declaring(INTENTS);
    let output = feed(&mut roz.command(&["mcp"]), b"");
    assert!(output.status.success(), "{output:?}");
}
