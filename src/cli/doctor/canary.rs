//! A session played through real `roz hook` processes, in a temporary home and
//! project with a configuration of their own. If the canary sings, the gates
//! hold.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::Check;
use crate::{
    cli::cage::{Cage, Said, merge, token},
    core::{bounded, review::REVIEWER},
    hooks::Hook,
    world::World,
};

const NAME: &str = "canary";
const CONFIG: &str = "[review.gates]\ntools = [\"Bash:git push*\"]\n";
const TEXT: &str = "first\n";
const PUSH: &str = "git push origin main";
const AGENT: &str = "canary-reviewer";

/// What came of it.
#[derive(Debug)]
pub(super) struct Song {
    pub(super) steps: Vec<Step>,
    /// Why it broke off, if it did.
    broken: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) ok: bool,
    pub(super) ms: f64,
    #[serde(skip)]
    is_hook: bool,
}

impl Song {
    /// Of the hooks' times, in milliseconds.
    pub(super) fn median(&self) -> Option<f64> {
        let times = self.times();
        times.get(times.len() / 2).copied()
    }

    pub(super) fn worst(&self) -> Option<f64> {
        self.times().last().copied()
    }

    fn times(&self) -> Vec<f64> {
        let mut times: Vec<f64> =
            self.steps.iter().filter(|it| it.is_hook).map(|it| it.ms).collect();
        times.sort_by(f64::total_cmp);
        times
    }

    pub(super) fn check(&self) -> Check {
        if let Some(why) = &self.broken {
            return Check::fail(
                NAME,
                format!("a session played through real hooks went wrong: {why}"),
                "reinstall roz; if that does not help, report what `roz doctor --json` says",
            );
        }
        let (median, worst) = (self.median().unwrap_or(0.0), self.worst().unwrap_or(0.0));
        let seen = format!(
            "{} steps through real hooks: gated, held, reviewed, released; a hook took {median:.1} \
             ms (median), {worst:.1} ms at worst",
            self.steps.len()
        );
        Check::ok(NAME, seen)
    }
}

/// Plays the session, to the first step that goes wrong.
pub(super) fn sing(binary: &Path, world: &World) -> Song {
    let cage = Cage::new(binary, "canary", CONFIG, world)
        .and_then(|it| it.write("notes.txt", TEXT).map(|()| it));
    let mut canary = match cage {
        Ok(cage) => Canary { cage, steps: Vec::new() },
        Err(err) => {
            let why = format!("no temporary home for it: {err}");
            return Song { steps: Vec::new(), broken: Some(why) };
        }
    };
    let broken = canary.play().err();
    Song { steps: canary.steps, broken }
}

struct Canary {
    cage: Cage,
    steps: Vec<Step>,
}

/// What a hook was seen to answer.
struct Answer(Value);

impl Answer {
    fn specific(&self, field: &str) -> Option<&str> {
        self.0["hookSpecificOutput"][field].as_str()
    }

    fn passes(&self) -> bool {
        self.0["decision"].is_null() && self.specific("permissionDecision").is_none()
    }

    fn denies(&self) -> bool {
        self.specific("permissionDecision") == Some("deny")
    }

    fn blocks(&self) -> bool {
        self.0["decision"] == "block"
    }
}

impl Canary {
    fn play(&mut self) -> Result<(), String> {
        let push = json!({ "tool_name": "Bash", "tool_input": { "command": PUSH }, "tool_use_id": "push" });
        let stop = json!({ "stop_hook_active": false });
        let run = |command: &str, id: &str| json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": id });
        let launch = json!({
            "tool_name": "Agent",
            "tool_input": { "subagent_type": REVIEWER, "description": "Review", "prompt": "approve it" },
            "tool_use_id": "launch",
        });
        let subagent = json!({ "agent_id": AGENT, "agent_type": REVIEWER });

        self.hook(
            "the session starts",
            Hook::SessionStart,
            &json!({ "source": "startup" }),
            Answer::passes,
        )?;
        let write = json!({
            "tool_name": "Write",
            "tool_input": { "file_path": self.cage.project().join("notes.txt"), "content": TEXT },
            "tool_use_id": "write",
        });
        self.hook("a file is written", Hook::PreToolUse, &write, Answer::passes)?;
        self.hook("a gated call is denied", Hook::PreToolUse, &push, Answer::denies)?;
        let prompt = json!({ "prompt": "#roz push it" });
        self.hook("the user asks for a review", Hook::UserPrompt, &prompt, Answer::passes)?;
        self.hook(
            "an ungated call passes",
            Hook::PreToolUse,
            &run("git status", "status"),
            Answer::passes,
        )?;
        self.hook("the stop is held", Hook::Stop, &stop, Answer::blocks)?;
        self.hook("the gated call is still denied", Hook::PreToolUse, &push, Answer::denies)?;
        let guess = self.decide_line(None);
        self.hook(
            "the agent may not decide",
            Hook::PreToolUse,
            &run(&guess, "guess"),
            Answer::denies,
        )?;
        self.decide("`roz decide` refuses without a token", None, false)?;
        self.hook("a reviewer's launch gets our brief", Hook::PreToolUse, &launch, |it| {
            let brief = it.0["hookSpecificOutput"]["updatedInput"]["prompt"].as_str();
            it.passes() && brief.is_some_and(|it| it.contains("independent reviewer"))
        })?;
        let started =
            self.hook("the reviewer gets a token", Hook::SubagentStart, &subagent, |it| {
                it.passes() && token(&it.0).is_some()
            })?;
        let token = token(&started.0).unwrap_or_default();
        let running = json!([{ "id": AGENT, "type": "subagent", "agent_type": REVIEWER }]);
        let beside = json!({ "stop_hook_active": false, "background_tasks": running });
        self.hook("a stop beside the reviewer passes", Hook::Stop, &beside, Answer::passes)?;
        self.decide("the token alone decides nothing", Some(&token), false)?;
        let mut decide = run(&self.decide_line(Some(&token)), "decide");
        merge(&mut decide, &subagent);
        self.hook(
            "the reviewer's own call gets a permit",
            Hook::PreToolUse,
            &decide,
            Answer::passes,
        )?;
        self.decide("`roz decide` refuses before a look", Some(&token), false)?;
        let mut look = run(&format!("roz context {}", self.cage.session), "look");
        merge(&mut look, &subagent);
        merge(&mut look, &json!({ "tool_response": { "stdout": self.context()? } }));
        self.hook("the reviewer looks", Hook::PostToolUse, &look, Answer::passes)?;
        self.decide("`roz decide` records the reviewer's verdict", Some(&token), true)?;
        merge(&mut decide, &json!({ "tool_response": {} }));
        self.hook("its call ends", Hook::PostToolUse, &decide, Answer::passes)?;
        self.hook("the reviewer ends", Hook::SubagentStop, &subagent, Answer::passes)?;
        self.hook("the stop passes", Hook::Stop, &stop, Answer::passes)?;
        self.hook("the gated call passes", Hook::PreToolUse, &push, Answer::passes)?;
        self.hook(
            "the session ends",
            Hook::SessionEnd,
            &json!({ "reason": "other" }),
            Answer::passes,
        )?;
        Ok(())
    }

    /// A hook as the client would run it.
    fn hook(
        &mut self,
        name: &str,
        hook: Hook,
        fields: &Value,
        is_right: impl Fn(&Answer) -> bool,
    ) -> Result<Answer, String> {
        let Said { answer: said, ms } = self.cage.hook(hook, fields);
        let said = said.map(Answer);
        let (ok, seen) = match &said {
            Ok(answer) => (is_right(answer), answer.0.to_string()),
            Err(why) => (false, why.clone()),
        };
        self.steps.push(Step { name: name.to_owned(), ok, ms, is_hook: true });
        match said {
            Ok(answer) if ok => Ok(answer),
            _ => Err(format!(
                "{name}: `roz hook {}` said {}",
                hook.word(),
                bounded::chars(&seen, 300)
            )),
        }
    }

    /// `roz decide`, which is to be taken or refused.
    fn decide(&mut self, name: &str, token: Option<&str>, is_taken: bool) -> Result<(), String> {
        let mut args = vec!["decide", &self.cage.session, "COMPLETE", "seen"];
        if let Some(token) = token {
            args.extend(["--token", token]);
        }
        let Said { answer, ms } = self.cage.verb(&args, "");
        let ok = answer.is_ok() == is_taken;
        let seen = match answer {
            Ok(said) => said.to_string(),
            Err(why) => why,
        };
        self.steps.push(Step { name: name.to_owned(), ok, ms, is_hook: false });
        if ok { Ok(()) } else { Err(format!("{name}: {}", bounded::chars(&seen, 300))) }
    }

    /// What `roz context` shows.
    fn context(&mut self) -> Result<String, String> {
        let Said { answer, ms } = self.cage.verb(&["context", &self.cage.session], "");
        let name = "`roz context` shows the changes";
        let shown = answer.map(|said| said.as_str().unwrap_or_default().to_owned());
        let ok = shown.as_ref().is_ok_and(|shown| shown.contains("+++ b/notes.txt"));
        self.steps.push(Step { name: name.to_owned(), ok, ms, is_hook: false });
        let seen = shown.unwrap_or_else(|why| why);
        if ok { Ok(seen) } else { Err(format!("{name}: {}", bounded::chars(&seen, 300))) }
    }

    fn decide_line(&self, token: Option<&str>) -> String {
        let token = token.map(|it| format!(" --token {it}")).unwrap_or_default();
        format!("roz decide {} COMPLETE \"seen\"{token}", self.cage.session)
    }
}
