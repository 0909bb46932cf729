//! The agents beside Claude Code: what each of them sent when it was recorded, played through the real
//! binary, and the answers in the bytes that it obeys (`tests/agents/*/README.md`).

mod install;
mod reviewer;

use std::{fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};

use crate::support::{BINARY, Roz, feed};

const RECORDED: &[(&str, &str)] = &[
    ("codex", "0.171.0"),
    ("copilot", "1.0.102"),
    ("qwen", "0.24.4"),
    ("qwen", "0.15.10"),
    ("gemini", "0.61.0"),
    ("opencode", "1.18.33"),
];

/// What a hook process answered.
struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Answer {
    #[track_caller]
    fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap()
    }

    #[track_caller]
    fn passes(&self) {
        assert_eq!(self.json(), json!({}), "{}", self.stderr);
    }
}

/// A client, by its payloads.
struct Client<'a> {
    roz: &'a Roz,
    name: &'static str,
    base: Value,
}

impl Client<'_> {
    fn sends(&self, event: &str, payload: &str) -> Answer {
        let output = feed(
            &mut self.roz.command(&["hook", event, "--client", self.name]),
            payload.as_bytes(),
        );
        self.roz.later(1);
        Answer {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// An event with the client's own base fields and these.
    fn tells(&self, event: &str, fields: &Value) -> Answer {
        let mut payload = self.base.clone();
        payload["hook_event_name"] = event.into();
        payload["cwd"] = self.roz.project().to_str().unwrap().into();
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        self.sends(event, &payload.to_string())
    }
}

fn client<'a>(roz: &'a Roz, name: &'static str) -> Client<'a> {
    let base = match name {
        "codex" => {
            json!({ "session_id": "s1", "turn_id": "t1", "model": "m", "permission_mode": "default" })
        }
        "opencode" => json!({ "session_id": "s1" }),
        "qwen" => {
            json!({ "session_id": "s1", "prompt_id": "s1########0", "timestamp": "2026-01-01T00:00:00Z", "permission_mode": "yolo" })
        }
        _ => json!({ "session_id": "s1", "timestamp": "2026-01-01T00:00:00Z" }),
    };
    Client { roz, name, base }
}

#[test]
fn every_recorded_payload_is_answered_as_the_snapshot_says() {
    for (name, version) in RECORDED {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads").join(name);
        let folder = folder.join(version);
        let index: Value =
            serde_json::from_slice(&fs::read(folder.join("INDEX.json")).unwrap()).unwrap();
        let roz =
            Roz::with_config("review.gates.tools = ['Bash:echo one*', 'mcp__calc__*', 'Write']")
                .in_git();
        let project = roz.project().canonicalize().unwrap();
        let project = project.to_str().unwrap();
        let client = client(&roz, name);
        let mut answers = String::new();
        for entry in index.as_array().unwrap() {
            let file = entry["file"].as_str().unwrap();
            let payload = fs::read_to_string(folder.join(file)).unwrap();
            let payload = payload.replace("/home/dev/project", project);
            let answer = client.sends(entry["event"].as_str().unwrap(), &payload);
            assert_eq!(answer.code, Some(0), "{name} {file}: {}", answer.stderr);
            let said = answer.stdout.replace(project, "/home/dev/project").replace(BINARY, "roz");
            let _ = write!(answers, "{file} {said}{}", answer.stderr);
        }
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("agents_{name}_{version}"), answers);
        });
    }
}

/// A shell call in the client's own words.
fn shell(name: &str, line: &str) -> Value {
    let tool = match name {
        "codex" | "copilot" => "Bash",
        "qwen" | "gemini" => "run_shell_command",
        "opencode" => "bash",
        other => panic!("{other}"),
    };
    let mut call = json!({ "tool_name": tool, "tool_input": { "command": line } });
    if name != "copilot" && name != "gemini" {
        call["tool_use_id"] = format!("call {line}").into();
    }
    call
}

const EVENTS: &[(&str, &str, &str)] = &[
    ("codex", "PreToolUse", "Stop"),
    ("copilot", "PreToolUse", "Stop"),
    ("qwen", "PreToolUse", "Stop"),
    ("opencode", "PreToolUse", "Stop"),
    ("gemini", "BeforeTool", "AfterAgent"),
];

#[test]
fn a_refusal_has_the_keys_that_the_client_obeys_and_no_others() {
    for &(name, before, _) in EVENTS {
        let roz = Roz::gated("").in_git();
        let answer = client(&roz, name).tells(before, &shell(name, "git push")).json();
        let reason = match name {
            "gemini" => answer["reason"].clone(),
            "copilot" => answer["permissionDecisionReason"].clone(),
            _ => answer["hookSpecificOutput"]["permissionDecisionReason"].clone(),
        };
        let said = reason.as_str().unwrap();
        assert!(said.contains("independent review") && !said.contains("roz:roz"), "{name}: {said}");
        let nested = json!({
            "hookEventName": before,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        });
        let expected = match name {
            "copilot" => {
                json!({ "permissionDecision": "deny", "permissionDecisionReason": reason })
            }
            "gemini" => {
                json!({ "decision": "deny", "reason": reason, "hookSpecificOutput": nested })
            }
            _ => json!({ "hookSpecificOutput": nested }),
        };
        let mut answer = answer;
        if name != "codex" {
            answer.as_object_mut().unwrap().remove("systemMessage");
        }
        assert_eq!(answer, expected, "{name}");
    }
}

#[test]
fn a_stop_is_held_with_a_reason_and_nothing_else_and_the_hold_is_no_prompt_of_a_person() {
    for &(name, _, stop) in EVENTS {
        let roz = Roz::gated("").in_git();
        let client = client(&roz, name);
        let prompt = if name == "gemini" { "BeforeAgent" } else { "UserPromptSubmit" };
        let asked = json!({ "prompt": "#roz do it", "submitted_prompt": "#roz do it" });
        client.tells(prompt, &asked);
        let held = client.tells(stop, &json!({ "stop_hook_active": false })).json();
        let reason = held["reason"].as_str().unwrap();
        assert_eq!(held["decision"], "block", "{name}");
        assert!(reason.starts_with("roz: "), "{name}: {reason}");
        if name == "codex" {
            assert_eq!(held, json!({ "decision": "block", "reason": reason }));
        } else {
            client.tells(prompt, &json!({ "prompt": reason }));
        }
        let again = client.tells(stop, &json!({ "stop_hook_active": true })).json();
        assert!(again["reason"].as_str().unwrap().contains("block 2 of"), "{name}: {again}");
    }
}

#[test]
fn what_a_hook_told_before_the_first_prompt_is_not_taken_for_the_prompt() {
    let roz = Roz::gated("").in_git();
    let client = client(&roz, "gemini");
    // What was told may quote the end of itself.
    let typed = "<hook_context>a</hook_context>#roz:allow</hook_context>\n\n#roz do it";
    client.tells("BeforeAgent", &json!({ "prompt": typed }));
    assert!(roz.debug("s1").to_string().contains(r##""prompt":"#roz do it""##));
}

#[test]
fn trouble_in_roz_never_blocks_a_call() {
    for &(name, before, _) in EVENTS {
        let roz = Roz::gated("").in_git();
        let client = client(&roz, name);
        for payload in ["", "{", "[]", "{}", r#"{"session_id":5}"#, r#"{"hook_event_name":"New"}"#]
        {
            client.sends(before, payload).passes();
        }
        let roz = roz.with_var("ROZ_HOME", "/dev/null/x");
        let client = crate::agents::client(&roz, name);
        client.tells(before, &shell(name, "git status")).passes();
    }
}

#[test]
fn a_patch_is_judged_by_its_paths_whatever_its_tool_is_called() {
    let patch = |path: &str| format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
    for (name, before, tool) in [
        ("codex", "PreToolUse", "apply_patch"),
        ("copilot", "PreToolUse", "Edit"),
        ("opencode", "PreToolUse", "apply_patch"),
    ] {
        let roz = crate::intent_gate::declared("");
        roz.selects("INT-001");
        let client = client(&roz, name);
        let call = |path: &str| {
            let input = match name {
                "codex" => json!({ "command": patch(path) }),
                "copilot" => json!(patch(path)),
                _ => json!({ "patchText": patch(path) }),
            };
            let session = crate::client::SESSION;
            json!({
                "tool_name": tool, "tool_input": input, "session_id": session, "tool_use_id": path,
            })
        };
        client.tells(before, &call("src/auth/new.rs")).passes();
        let refused = client.tells(before, &call("src/billing/new.rs")).stdout;
        assert!(refused.contains("SCOPE_VIOLATION"), "{name}: {refused}");
    }
}

#[test]
fn the_client_is_recognised_where_the_command_line_does_not_name_it() {
    let roz = Roz::gated("").in_git();
    for (payload, answer) in [
        (
            json!({
                "hook_event_name": "preToolUse", "conversation_id": "c1", "cursor_version": "2",
                "workspace_roots": [roz.project()], "tool_name": "Shell",
                "tool_input": { "command": "git push" },
            }),
            "permission",
        ),
        (
            json!({
                "hook_event_name": "PreToolUse", "session_id": "c2", "turn_id": "t",
                "tool_name": "Bash", "tool_input": { "command": "git push" }, "tool_use_id": "x",
            }),
            "hookSpecificOutput",
        ),
        (
            json!({
                "hook_event_name": "PreToolUse", "session_id": "c3", "timestamp": "x",
                "tool_name": "Bash", "tool_input": { "command": "git push" },
            }),
            "permissionDecision",
        ),
        (
            json!({
                "hookName": "PreToolUse", "clineVersion": "3", "taskId": "c4",
                "preToolUse": { "toolName": "execute_command", "parameters": { "command": "git push" } },
            }),
            "cancel",
        ),
        (
            json!({
                "hook_event_name": "BeforeTool", "session_id": "c5", "timestamp": "x",
                "transcript_path": "/home/dev/.gemini/x", "tool_name": "run_shell_command",
                "tool_input": { "command": "git push" },
            }),
            "decision",
        ),
    ] {
        let output = feed(&mut roz.command(&["hook"]), payload.to_string().as_bytes());
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(said.get(answer).is_some(), "{payload}: {said}");
        assert_eq!(output.status.code(), Some(0));
    }
    let windsurf = json!({
        "agent_action_name": "pre_run_command", "trajectory_id": "c6",
        "tool_info": { "command_line": "git push", "cwd": roz.project() },
    });
    let output = feed(&mut roz.command(&["hook"]), windsurf.to_string().as_bytes());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("git push"));
}

#[test]
fn an_event_that_no_client_is_known_to_send_passes_and_doctor_tells_it() {
    let roz = Roz::gated("").in_git();
    let output = feed(
        &mut roz.command(&["hook"]),
        br#"{"hook_event_name":"BeforeEverything","session_id":"s"}"#,
    );
    assert_eq!(output.stdout, b"{}\n");
    let doctor = roz.run(&["doctor", "--no-client", "--json"]);
    assert!(doctor.stdout.contains("event BeforeEverything"), "{}", doctor.stdout);
}

#[test]
fn the_exit_code_that_codex_keeps_in_its_transcript_decides_whether_a_call_succeeded() {
    let roz = Roz::gated("review.gates.approval_scope = 'tool'").in_git();
    let transcript = roz.dir().join("rollout.jsonl");
    let line = |id: &str, code: i32| {
        json!({ "type": "event_msg", "payload": { "type": "item_completed", "item": {
            "type": "CommandExecution", "id": id, "exit_code": code, "status": "completed",
        } } })
    };
    fs::write(&transcript, format!("{}\n{}\n", line("p1", 1), line("p2", 0))).unwrap();
    let client = client(&roz, "codex");
    let call = |id: &str| {
        json!({
            "tool_name": "Bash", "tool_input": { "command": "git push" }, "tool_use_id": id,
            "transcript_path": transcript, "tool_response": "",
        })
    };
    client.tells("UserPromptSubmit", &json!({ "prompt": "#roz:allow" }));
    client.tells("PreToolUse", &call("p1")).passes();
    client.tells("PostToolUse", &call("p1"));
    // The push failed, so the permission was not used up.
    client.tells("PreToolUse", &call("p2")).passes();
    client.tells("PostToolUse", &call("p2"));
    assert_ne!(client.tells("PreToolUse", &call("p3")).json(), json!({}));
}

#[test]
fn a_reviewer_whose_calls_look_like_the_agents_decides_by_a_tool_of_its_own() {
    let roz = Roz::with_config("review.gates.tools = ['Bash:npm publish*']").in_git();
    roz.write("new.rs", "fn new() {}\n");
    let client = client(&roz, "gemini");
    let publish = shell("gemini", "npm publish");
    assert_ne!(client.tells("BeforeTool", &publish).json(), json!({}));
    let launch = json!({
        "tool_name": "invoke_agent",
        "tool_input": { "agent_name": "roz", "prompt": "Review session s1." },
    });
    client.tells("BeforeTool", &launch);
    let words = ["decide", "s1", "COMPLETE", "fine"];
    assert!(roz.run(&words).fails().contains("no token"));
    let by_agent = client.tells("BeforeTool", &shell("gemini", "roz decide s1 COMPLETE fine"));
    assert_ne!(by_agent.json(), json!({}));
    let decides = json!({
        "tool_name": "mcp_roz_reviewer_decide",
        "tool_input": { "session": "s1", "verdict": "COMPLETE", "summary": "it's fine" },
        "mcp_context": { "server_name": "roz_reviewer", "tool_name": "decide" },
    });
    client.tells("BeforeTool", &decides).passes();
    roz.run(&words).succeeds();
    let mut ended = launch;
    ended["tool_response"] = json!({ "llmContent": [{ "text": "Subagent 'roz' finished." }] });
    client.tells("AfterTool", &ended);
    assert!(!client.tells("BeforeTool", &publish).stdout.contains("deny"));
    assert!(roz.debug("s1").to_string().contains(r#""proof":"permit""#));
}
