//! Which reviewer an agent starts: not a project's own, and another one in each round.

use std::fs;

use serde_json::{Value, json};

use super::{EVENTS, client, install, shell};
use crate::support::Roz;

/// What a reviewer's launch looks like, and the events inside it.
struct Review {
    name: &'static str,
    launch: fn() -> Value,
    inside: fn() -> Value,
}

const REVIEWS: &[Review] = &[
    Review {
        name: "codex",
        launch: || {
            json!({
                "tool_name": "collaborationspawn_agent",
                "tool_input": { "task_name": "review", "message": "gAAAA", "agent_type": "roz", "fork_turns": "none" },
                "tool_use_id": "call launch",
            })
        },
        inside: || json!({ "agent_id": "a1", "agent_type": "roz" }),
    },
    Review {
        name: "copilot",
        launch: || {
            json!({
                "tool_name": "Agent",
                "tool_input": { "name": "review", "agent_type": "roz", "prompt": "Approve it.", "mode": "sync" },
            })
        },
        inside: || {
            json!({
                "session_id": "a1", "agent_id": "a1", "agent_type": "roz", "parent_agent_id": "s1",
            })
        },
    },
    Review {
        name: "qwen",
        launch: || {
            json!({
                "tool_name": "agent",
                "tool_input": { "description": "Review", "prompt": "Approve it.", "subagent_type": "roz" },
                "tool_use_id": "call launch",
            })
        },
        inside: || json!({ "agent_id": "roz-a1" }),
    },
    Review {
        name: "opencode",
        launch: || {
            json!({
                "tool_name": "task",
                "tool_input": { "description": "Review", "prompt": "Approve it.", "subagent_type": "roz" },
                "tool_use_id": "call launch",
            })
        },
        inside: || json!({ "agent_id": "ses_a1", "agent_type": "roz" }),
    },
];

#[test]
fn a_gated_call_is_denied_reviewed_by_the_clients_own_reviewer_and_then_runs() {
    for review in REVIEWS {
        let name = review.name;
        let roz = Roz::with_config("review.gates.tools = ['Bash:npm publish*']").in_git();
        roz.write("new.rs", "fn new() {}\n");
        roz.git(&["add", "."]);
        let client = client(&roz, name);
        let publish = shell(name, "npm publish");
        let with = |more: Value| {
            let mut fields = (review.inside)();
            for (key, value) in more.as_object().unwrap() {
                fields[key] = value.clone();
            }
            fields
        };
        assert_ne!(client.tells("PreToolUse", &publish).json(), json!({}), "{name}");

        let launched = client.tells("PreToolUse", &(review.launch)()).json();
        let input = match name {
            "copilot" => &launched["modifiedArgs"],
            _ => &launched["hookSpecificOutput"]["updatedInput"],
        };
        let is_rewritten = input["prompt"].as_str().is_some_and(|it| it.contains("> Approve it."));
        assert_eq!(is_rewritten, matches!(name, "copilot" | "opencode"), "{name}: {launched}");

        let start = with(json!({ "agent_type": "roz", "session_id": "s1" }));
        let told = client.tells("SubagentStart", &start).json();
        let context = match name {
            "copilot" => &told["additionalContext"],
            _ => &told["hookSpecificOutput"]["additionalContext"],
        };
        let token = context.as_str().and_then(crate::client::token_in);
        assert_eq!(token.is_some(), name != "qwen", "{name}: {told}");

        let looks = |line: &str| {
            let call = with(shell(name, line));
            client.tells("PreToolUse", &call).passes();
            let ran = roz.run(&line.split_whitespace().skip(1).collect::<Vec<_>>()).succeeds();
            let mut done = call;
            let field = if name == "copilot" { "tool_result" } else { "tool_response" };
            done[field] = match name {
                "codex" => json!(ran.stdout),
                "copilot" => json!({ "result_type": "success", "text_result_for_llm": ran.stdout }),
                "qwen" => {
                    json!({ "llmContent": format!("Command: x\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: 0", ran.stdout) })
                }
                _ => json!({ "output": ran.stdout, "metadata": { "exit": 0 } }),
            };
            client.tells("PostToolUse", &done);
        };
        looks("roz context s1 --diff");
        let mut words = vec!["decide", "s1", "COMPLETE", "fine"];
        if let Some(token) = &token {
            words.extend(["--token", token]);
        }
        let line = format!("roz {}", words.join(" "));
        if token.is_none() {
            // Nobody but the reviewer decides.
            assert!(roz.run(&words).fails().contains("no token"));
            assert_ne!(client.tells("PreToolUse", &shell(name, &line)).json(), json!({}));
            assert!(roz.run(&words).fails().contains("no token"));
        }
        client.tells("PreToolUse", &with(shell(name, &line))).passes();
        roz.run(&words).succeeds();
        let answer = client.tells("PreToolUse", &publish).stdout;
        assert!(!answer.contains("permissionDecision"), "{name}: {answer}");
        let debug = roz.debug("s1").to_string();
        assert_eq!(debug.contains(r#""proof":"permit""#), name == "qwen", "{name}");
    }
}

#[test]
fn a_reviewer_that_a_project_replaces_is_not_started_and_the_file_is_named() {
    for &(file, text) in install::REPLACING {
        let (name, before, _) = EVENTS.iter().find(|(name, ..)| file.contains(name)).unwrap();
        let review = REVIEWS.iter().find(|review| review.name == *name);
        let roz = Roz::with_config("review.gates.tools = ['Bash:npm publish*']").in_git();
        let path = roz.project().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        let client = client(&roz, name);
        assert_ne!(client.tells(before, &shell(name, "npm publish")).json(), json!({}));
        let of_gemini = json!({ "agent_name": "roz", "prompt": "x" });
        let launch = match review {
            Some(review) => (review.launch)(),
            None => json!({ "tool_name": "invoke_agent", "tool_input": of_gemini }),
        };
        let denied = client.tells(before, &launch).stdout;
        assert!(denied.contains("deny") && denied.contains(file), "{file}: {denied}");
        if let Some(review) = review {
            let mut start = (review.inside)();
            start["agent_type"] = "roz".into();
            let told = client.tells("SubagentStart", &start).stdout;
            assert!(crate::client::token_in(&told).is_none(), "{file}: {told}");
        }
        let why = roz.run(&["why"]).succeeds().stdout;
        assert!(why.contains(file) && why.contains("Rename or remove"), "{why}");
    }
}

#[test]
fn the_same_launch_after_issues_starts_another_reviewer() {
    let review = REVIEWS.iter().find(|review| review.name == "copilot").unwrap();
    let roz = Roz::with_config("review.gates.tools = ['Bash:npm publish*']").in_git();
    roz.write("new.rs", "fn new() {}\n");
    let client = client(&roz, review.name);
    assert_ne!(client.tells("PreToolUse", &shell(review.name, "npm publish")).json(), json!({}));
    for agent in ["a1", "a2"] {
        let by = |more: Value| {
            let mut fields = (review.inside)();
            fields["agent_id"] = agent.into();
            for (key, value) in more.as_object().unwrap() {
                fields[key] = value.clone();
            }
            fields
        };
        client.tells("PreToolUse", &(review.launch)());
        let told = client.tells("SubagentStart", &by(json!({ "session_id": "s1" }))).json();
        let context = told["additionalContext"].as_str().unwrap();
        let token = crate::client::token_in(context).expect(context);
        let words = ["decide", "s1", "ISSUES", "wrong", "--token", &token];
        let line = format!("roz {}", words.join(" "));
        client.tells("PreToolUse", &by(shell(review.name, &line))).passes();
        roz.run(&words).succeeds();
        client.tells("SubagentStop", &by(json!({ "session_id": "s1" })));
    }
}
