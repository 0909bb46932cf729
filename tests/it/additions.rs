//! What it takes to add a client or a gate: an implementation of a trait, and a line in a list. A
//! made-up one of each is driven through the library's front door.

use std::fs;

use roz::{
    clients::{
        Capability, Client, Hook,
        message::{Decision, Error, Input, Printed, Reply},
    },
    core::{
        self, Cx,
        event::{Event, Origin, Source, ToolCall, What},
        gate::{Gate, Project, Status, statuses},
        outcome::{Notice, Outcome, Rewrite},
        policy::Policy,
        session::Session,
        tool::{SHELL, Tool, ToolResult},
    },
    hooks::{self, Setup},
};
use serde_json::{Value, json, value::RawValue};

use crate::client::Inside;

/// Its events look like `{"conversation": "c1", "about_to": "sh", "line": "git push"}` and
/// `{"conversation": "c1", "goes_on": true}`, and it reads `{"stop": "why"}` and `{"know": "what"}`.
/// It cannot ask.
#[derive(Debug)]
struct Parrot;

impl Client for Parrot {
    fn name(&self) -> &'static str {
        "parrot"
    }

    fn capabilities(&self) -> &'static [Capability] {
        &[]
    }

    fn stop_brake(&self) -> Option<u32> {
        None
    }

    fn parse<'a>(&'static self, _: &str, payload: &'a str) -> Result<Input<'a>, Error> {
        let value: Value = serde_json::from_str(payload).map_err(Error::Malformed)?;
        let id = value["conversation"].as_str().ok_or(Error::NoSession)?.to_owned();
        let (hook, what) = match value["about_to"].as_str() {
            Some(tool) => (Hook::PreToolUse, What::PreToolUse(self.calls(tool, payload).remove(0))),
            None if value["goes_on"] == true => {
                (Hook::SessionStart, What::SessionStart { source: Source::Resume })
            }
            None => return Err(Error::NotForUs),
        };
        Ok(Input {
            client: &Parrot,
            hook,
            payload,
            session_id: id.try_into()?,
            cwd: None,
            transcript_path: None,
            event: Event { origin: Origin::default(), what },
            more: Vec::new(),
            answer: None,
            exit_code: None,
            scratchpad: None,
            warnings: Vec::new(),
        })
    }

    fn calls<'a>(&self, tool: &str, json: &'a str) -> Vec<ToolCall<'a>> {
        let input: Value = serde_json::from_str(json).unwrap_or_default();
        let command = input["line"].as_str().unwrap_or_default().to_owned();
        match tool {
            "sh" => vec![ToolCall::new(SHELL, Tool::Shell { command }, input, json, None)],
            _ => vec![ToolCall::new(tool, Tool::Other, input, json, None)],
        }
    }

    fn tools(&self) -> Vec<&'static str> {
        vec!["sh"]
    }

    fn result(&self, _: &ToolCall, _: Option<&RawValue>) -> ToolResult {
        ToolResult::default()
    }

    fn launch_input(&self, _: &ToolCall, _: &Rewrite, _: &str) -> Option<Value> {
        None
    }

    fn render(&self, reply: Reply, _: Hook) -> Printed {
        let stdout = match reply.decision {
            Decision::Object(why) => json!({ "stop": why }),
            Decision::None | Decision::Ask(_) if reply.context.is_empty() => json!({}),
            Decision::None | Decision::Ask(_) => json!({ "know": reply.context }),
        };
        Printed { stdout, refusal: None }
    }
}

/// Lets nothing be released.
struct Freeze;

impl Gate for Freeze {
    fn name(&self) -> &'static str {
        "freeze"
    }

    fn decide(&self, _: &mut Session, event: &Event, _: Cx) -> Outcome {
        match event.call().and_then(|call| call.tool.command()) {
            Some(command) if command.contains("release") => {
                Outcome::object(Notice::new("block-freeze"))
            }
            _ => Outcome::pass(),
        }
    }

    fn status(&self, _: Option<&Session>, _: &Project, _: &Policy) -> Status {
        let waits_for = Some("the end of the freeze".to_owned());
        let (gate, state) = (self.name(), "frozen");
        Status { gate, on: true, state, about: None, waits_for, next: None, in_short: None }
    }
}

const PUSH_IS_GATED: &str = "[review.gates]\ntools = [\"Bash:git push*\"]\n";

fn sees(inside: &Inside, setup: Setup, payload: &Value) -> Value {
    hooks::run(setup, "", Ok(payload.to_string().into_bytes()), &inside.world()).stdout
}

#[test]
fn a_made_up_client_is_governed_by_the_same_gates() {
    let inside = Inside::new(PUSH_IS_GATED);
    let setup = Setup::of(&Parrot);
    let about = |line: &str| json!({ "conversation": "c1", "about_to": "sh", "line": line });
    assert_eq!(sees(&inside, setup, &about("git status")), json!({}));
    let refused = sees(&inside, setup, &about("cd . && git push origin main"));
    assert!(refused["stop"].as_str().unwrap().contains("waits for an independent review"));
    let decides = sees(&inside, setup, &about("roz decide c1 COMPLETE fine"));
    assert!(decides["stop"].as_str().is_some(), "{decides}");
}

#[test]
fn a_made_up_gate_decides_behind_the_others_and_has_a_status() {
    const GATES: &[&dyn Gate] = &[core::GATES[0], core::GATES[1], core::GATES[2], &Freeze];
    let inside = Inside::new(PUSH_IS_GATED);
    let templates = inside.roz.home().join("templates");
    fs::create_dir_all(&templates).unwrap();
    fs::write(templates.join("block-freeze.md"), "Nothing is released this week.\n").unwrap();
    let setup = Setup { client: &Parrot, gates: GATES };
    let about = |line: &str| json!({ "conversation": "c1", "about_to": "sh", "line": line });
    let refused = sees(&inside, setup, &about("make release"));
    assert_eq!(refused["stop"], "Nothing is released this week.");
    let pushed = sees(&inside, setup, &about("git push && make release"));
    assert!(pushed["stop"].as_str().unwrap().contains("independent review"), "{pushed}");
    let resumed = sees(&inside, setup, &json!({ "conversation": "c1", "goes_on": true }));
    let told = resumed["know"].as_str().unwrap();
    assert!(told.contains("the freeze gate waits for the end of the freeze"), "{told}");
    let found = statuses(GATES, None, &Project::default(), &Policy::default());
    assert_eq!(found.last().unwrap().waits_for.as_deref(), Some("the end of the freeze"));
}
