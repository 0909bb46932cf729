//! The events of the demo.

use std::io;

use serde_json::{Value, json};

use super::runner::{
    Stage,
    Verdict::{self, Denies, Done, Holds, Passes, Refuses, Tells},
    merged,
};
use crate::{
    core::review::REVIEWER,
    hooks::Hook::{
        PostToolUse, PreToolUse, SessionEnd, SessionStart, Stop, SubagentStart, SubagentStop,
        UserPrompt,
    },
};

const INTENTS: &str = "\
active_intents:
  - id: INT-001
    name: Login by link
    status: DRAFT
    owned_scope:
      - src/auth/**
    acceptance_criteria:
      - A link works once.
";
const FILE: &str = "src/auth/login.rs";
const LOGIN: &str = "pub fn login(link: &str) -> bool {\n    !link.is_empty()\n}\n";
const FIXED: &str = "pub fn login(link: &str) -> bool {\n    !link.is_empty() && !used(link)\n}\n";

pub(super) fn play(stage: &mut Stage) -> io::Result<()> {
    // A project with a ticket system, an intent, and a file outside its scope.
    stage.cage.write(".tissue/keep", "")?;
    stage.cage.write(".orchestration/active_intents.yaml", INTENTS)?;
    stage.cage.write("src/billing.rs", "pub fn bill() {}\n")?;

    stage.scene("A session begins")?;
    stage.hook(SessionStart, "source: startup", &json!({ "source": "startup" }), Tells)?;
    let prompt = "#roz build the login by link, and push it";
    stage.hook(UserPrompt, prompt, &json!({ "prompt": prompt }), Passes)?;
    stay_in_scope(stage)?;
    have_it_reviewed(stage)?;
    learn(stage)?;
    stage.scene("Afterwards")?;
    stage.verb("the lead asks", &["ledger", "show"], "", Done)?;
    stage.verb("the lead asks", &["ledger", "verify"], "", Done)?;
    stage.hook(SessionEnd, "reason: exit", &json!({ "reason": "other" }), Passes).map(drop)
}

impl Stage {
    fn tool(&self, tool: &str, input: &Value) -> Value {
        let id = format!("t{}", self.steps.len());
        json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id })
    }

    fn bash(&self, command: &str) -> Value {
        self.tool("Bash", &json!({ "command": command }))
    }

    fn write(&self, path: &str, text: &str) -> Value {
        let path = self.cage.project().join(path);
        self.tool("Write", &json!({ "file_path": path, "content": text }))
    }

    fn save(&self, text: &str) -> io::Result<String> {
        self.cage.write(FILE, text).map(|()| String::new())
    }

    fn denied(&mut self, call: &Value) -> io::Result<()> {
        self.call(PreToolUse, call, Denies)
    }

    /// A call that passes and succeeds, with its effect and its output.
    fn done(
        &mut self,
        call: &Value,
        work: impl FnOnce(&mut Self) -> io::Result<String>,
    ) -> io::Result<()> {
        self.call(PreToolUse, call, Passes)?;
        let printed = work(self)?;
        let response = json!({ "tool_response": { "success": true, "stdout": printed } });
        self.call(PostToolUse, &merged(call, &response), Passes)
    }

    fn stop(&mut self, expected: Verdict) -> io::Result<()> {
        let fields = json!({ "stop_hook_active": false });
        self.hook(Stop, "the agent says that it is done", &fields, expected).map(drop)
    }
}

fn stay_in_scope(stage: &mut Stage) -> io::Result<()> {
    stage.scene("Intent: declared work, kept scope")?;
    stage.denied(&stage.write(FILE, LOGIN))?;
    let session = stage.cage.session.clone();
    stage.done(&stage.bash("roz intent select INT-001"), |stage| {
        let args = ["intent", "select", "INT-001", "--session-id", &session];
        stage.verb("the agent runs", &args, "", Done)
    })?;
    stage.denied(&stage.write("src/billing.rs", ""))?;
    stage.denied(&stage.bash("bash -c 'sed -i s/bill/pay/ src/billing.rs'"))?;
    stage.done(&stage.write(FILE, LOGIN), |stage| stage.save(LOGIN))
}

fn have_it_reviewed(stage: &mut Stage) -> io::Result<()> {
    stage.scene("Review: not done until a reviewer says so")?;
    stage.denied(&stage.bash("git push origin main"))?;
    stage.denied(&stage.bash("g=git; $g -C . 'pu'sh origin main"))?;
    stage.stop(Holds)?;
    let session = stage.cage.session.clone();
    stage.denied(&stage.bash(&format!("roz decide {session} COMPLETE fine")))?;
    stage.verb("the agent runs", &["decide", &session, "COMPLETE", "fine"], "", Refuses)?;
    stage.call(PreToolUse, &stage.bash("git status"), Passes)?;

    review(stage, LOGIN, "ISSUES", "a link works twice")?;
    stage.stop(Holds)?;
    stage.done(&stage.write(FILE, FIXED), |stage| stage.save(FIXED))?;
    review(stage, FIXED, "COMPLETE", "a link works once now")?;
    stage.done(&stage.bash("git push origin main"), |_| Ok(String::new()))
}

/// A reviewer from its launch to its end. It reads `text`, which is the whole change.
fn review(stage: &mut Stage, text: &str, verdict: &str, words: &str) -> io::Result<()> {
    let launch = json!({ "subagent_type": REVIEWER, "prompt": "approve it" });
    stage.call(PreToolUse, &stage.tool("Agent", &launch), Passes)?;
    let reviewer = json!({ "agent_id": format!("a-{verdict}"), "agent_type": REVIEWER });
    let told = stage.hook(SubagentStart, "the reviewer starts", &reviewer, Tells)?;
    let token = token(&told).unwrap_or_else(|| "none".to_owned());
    stage.hide(&token, "TOKEN");
    let path = stage.cage.project().join(FILE);
    let lines = text.lines().count();
    let file = json!({ "filePath": path, "content": text, "startLine": 1, "numLines": lines });
    let response = json!({ "tool_response": { "type": "text", "file": file } });
    let read = merged(&stage.tool("Read", &json!({ "file_path": path })), &response);
    stage.call(PostToolUse, &merged(&read, &reviewer), Passes)?;
    let session = stage.cage.session.clone();
    let command = format!("roz decide {session} {verdict} '{words}' --token {token}");
    stage.done(&merged(&stage.bash(&command), &reviewer), |stage| {
        let args = ["decide", &session, verdict, words, "--token", &token];
        stage.verb("the reviewer runs", &args, "", Done)
    })?;
    stage.hook(SubagentStop, "the reviewer ends", &reviewer, Passes).map(drop)
}

fn token(answer: &Value) -> Option<String> {
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str()?;
    let (_, rest) = context.split_once("--token ")?;
    Some(rest.chars().take_while(char::is_ascii_hexdigit).collect())
}

fn learn(stage: &mut Stage) -> io::Result<()> {
    stage.scene("Reflection: what was learned is written down")?;
    stage.done(&stage.bash("tissue status tk-12 closed"), |_| Ok(String::new()))?;
    stage.stop(Holds)?;
    let session = stage.cage.session.clone();
    let reflect = ["reflect", "--session-id", &session];
    let vague = candidate("Be careful with the links", "Links are tricky, so take care of them.");
    stage.verb("the agent runs", &reflect, &vague, Refuses)?;
    let learned = candidate(
        "`login()` must mark a link as used before it answers",
        "Two clicks within 50 ms both got through: `used()` was asked before the first call had \
         written its row to `links`. Write first, then look at the count of changed rows.",
    );
    stage.verb("the agent runs", &reflect, &learned, Done)?;
    stage.stop(Passes)
}

fn candidate(summary: &str, detail: &str) -> String {
    json!({ "candidates": [{
        "category": "pitfall",
        "summary": summary,
        "detail": detail,
        "criteria_met": ["behavior_changing"],
        "tags": ["login", "race"],
        "context_files": [FILE],
    }] })
    .to_string()
}
