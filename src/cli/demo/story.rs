//! What happens in the demo.

use std::io;

use serde_json::{Value, json};

use super::stage::{
    Stage,
    Verdict::{Denies, Done, Holds, Passes, Refuses, Tells},
};
use crate::{
    cli::demo::cage::{merge, token},
    core::review::REVIEWER,
    hooks::Hook,
};

const INTENTS: &str = "\
active_intents:
  - id: INT-001
    name: Login by link
    status: DRAFT
    owned_scope:
      - src/auth/**
    constraints:
      - No new dependency.
    acceptance_criteria:
      - A link works once.
";
const LOGIN: &str = "pub fn login(link: &str) -> bool {\n    !link.is_empty()\n}\n";
const FIXED: &str = "pub fn login(link: &str) -> bool {\n    !link.is_empty() && !used(link)\n}\n";
const CLOSE: &str = "tissue status tk-12 closed";

pub(super) fn play(stage: &mut Stage) -> io::Result<()> {
    set_up(stage)?;
    begin(stage)?;
    stay_in_scope(stage)?;
    have_it_reviewed(stage)?;
    learn(stage)?;
    prove(stage)
}

/// A project with a ticket system, an intent, and a file outside its scope.
fn set_up(stage: &Stage) -> io::Result<()> {
    stage.cage.write(".tissue/keep", "")?;
    stage.cage.write(".orchestration/active_intents.yaml", INTENTS)?;
    stage.cage.write("src/billing.rs", "pub fn bill() {}\n")
}

fn bash(command: &str, id: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": id })
}

fn write(stage: &Stage, path: &str, text: &str, id: &str) -> Value {
    let path = stage.cage.project().join(path);
    json!({
        "tool_name": "Write",
        "tool_input": { "file_path": path, "content": text },
        "tool_use_id": id,
    })
}

/// The call has ended well.
fn well_ended(call: &Value) -> Value {
    let mut call = call.clone();
    merge(&mut call, &json!({ "tool_response": { "success": true } }));
    call
}

fn begin(stage: &mut Stage) -> io::Result<()> {
    stage.scene("A session begins")?;
    let start = json!({ "source": "startup" });
    stage.hook(Hook::SessionStart, "source: startup", &start, Tells)?;
    let prompt = "#roz build the login by link, and push it";
    let fields = json!({ "prompt": prompt });
    stage.hook(Hook::UserPrompt, prompt, &fields, Passes)?;
    Ok(())
}

fn stay_in_scope(stage: &mut Stage) -> io::Result<()> {
    stage.scene("Intent: declared work, kept scope")?;
    let first = write(stage, "src/auth/login.rs", LOGIN, "w1");
    stage.hook(Hook::PreToolUse, "Write src/auth/login.rs", &first, Denies)?;
    let select = bash("roz intent select INT-001", "s1");
    stage.hook(Hook::PreToolUse, "Bash: roz intent select INT-001", &select, Passes)?;
    let session = stage.cage.session.clone();
    let args = ["intent", "select", "INT-001", "--session-id", &session];
    let said = stage.verb("the agent runs", &args, "", Done)?;
    let mut ended = select;
    merge(&mut ended, &json!({ "tool_response": { "stdout": said, "stderr": "" } }));
    stage.hook(Hook::PostToolUse, "Bash: roz intent select INT-001", &ended, Passes)?;
    let elsewhere = write(stage, "src/billing.rs", "", "w2");
    stage.hook(Hook::PreToolUse, "Write src/billing.rs", &elsewhere, Denies)?;
    let hidden = bash("bash -c 'sed -i s/bill/pay/ src/billing.rs'", "w3");
    let shown = "Bash: bash -c 'sed -i s/bill/pay/ src/billing.rs'";
    stage.hook(Hook::PreToolUse, shown, &hidden, Denies)?;
    let login = write(stage, "src/auth/login.rs", LOGIN, "w4");
    stage.hook(Hook::PreToolUse, "Write src/auth/login.rs", &login, Passes)?;
    stage.cage.write("src/auth/login.rs", LOGIN)?;
    stage.hook(Hook::PostToolUse, "Write src/auth/login.rs", &well_ended(&login), Passes)?;
    Ok(())
}

fn have_it_reviewed(stage: &mut Stage) -> io::Result<()> {
    stage.scene("Review: not done until a reviewer says so")?;
    let push = bash("git push origin main", "p1");
    stage.hook(Hook::PreToolUse, "Bash: git push origin main", &push, Denies)?;
    let hidden = bash("g=git; $g -C . 'pu'sh origin main", "p2");
    stage.hook(Hook::PreToolUse, "Bash: g=git; $g -C . 'pu'sh origin main", &hidden, Denies)?;
    let stop = json!({ "stop_hook_active": false });
    stage.hook(Hook::Stop, "the agent says that it is done", &stop, Holds)?;
    let session = stage.cage.session.clone();
    let own = bash(&format!("roz decide {session} COMPLETE fine"), "d1");
    stage.hook(Hook::PreToolUse, "Bash: roz decide SESSION COMPLETE fine", &own, Denies)?;
    stage.verb("the agent runs", &["decide", &session, "COMPLETE", "fine"], "", Refuses)?;
    let status = bash("git status", "g1");
    stage.hook(Hook::PreToolUse, "Bash: git status", &status, Passes)?;

    review(stage, LOGIN, "ISSUES", "a link works twice")?;
    stage.hook(Hook::Stop, "the agent says that it is done", &stop, Holds)?;
    let fix = write(stage, "src/auth/login.rs", FIXED, "w5");
    stage.hook(Hook::PreToolUse, "Write src/auth/login.rs: links work once", &fix, Passes)?;
    stage.cage.write("src/auth/login.rs", FIXED)?;
    stage.hook(Hook::PostToolUse, "Write src/auth/login.rs", &well_ended(&fix), Passes)?;
    review(stage, FIXED, "COMPLETE", "a link works once now")?;
    let push = bash("git push origin main", "p3");
    stage.hook(Hook::PreToolUse, "Bash: git push origin main", &push, Passes)?;
    stage.hook(Hook::PostToolUse, "Bash: git push origin main", &well_ended(&push), Passes)?;
    Ok(())
}

/// A reviewer from its launch to its end. It reads `text`, which is all that was written.
fn review(stage: &mut Stage, text: &str, verdict: &str, words: &str) -> io::Result<()> {
    let agent = format!("reviewer-{verdict}");
    let launch = json!({
        "tool_name": "Agent",
        "tool_input": { "subagent_type": REVIEWER, "description": "Review", "prompt": "approve it" },
        "tool_use_id": format!("l-{agent}"),
    });
    let shown = "Agent roz:roz: \"approve it\"";
    stage.hook(Hook::PreToolUse, shown, &launch, Passes)?;
    let subagent = json!({ "agent_id": agent, "agent_type": REVIEWER });
    let told = stage.hook(Hook::SubagentStart, "the reviewer starts", &subagent, Tells)?;
    let token = token(&told).unwrap_or_default();
    let path = stage.cage.project().join("src/auth/login.rs");
    let mut read = json!({
        "tool_name": "Read",
        "tool_input": { "file_path": path },
        "tool_use_id": format!("f-{agent}"),
        "tool_response": { "type": "text", "file": {
            "filePath": path,
            "content": text,
            "startLine": 1,
            "numLines": text.lines().count(),
        } },
    });
    merge(&mut read, &subagent);
    stage.hook(Hook::PostToolUse, "Read src/auth/login.rs", &read, Passes)?;
    let session = stage.cage.session.clone();
    let command = format!("roz decide {session} {verdict} '{words}' --token {token}");
    let mut call = bash(&command, &format!("d-{agent}"));
    merge(&mut call, &subagent);
    let shown = format!("Bash: roz decide SESSION {verdict} '{words}' --token TOKEN");
    stage.hook(Hook::PreToolUse, &shown, &call, Passes)?;
    let args = ["decide", &session, verdict, words, "--token", &token];
    stage.verb("the reviewer runs", &args, "", Done)?;
    stage.hook(Hook::PostToolUse, "Bash: roz decide …", &well_ended(&call), Passes)?;
    stage.hook(Hook::SubagentStop, "the reviewer ends", &subagent, Passes)?;
    Ok(())
}

fn learn(stage: &mut Stage) -> io::Result<()> {
    stage.scene("Reflection: what was learned is written down")?;
    let close = bash(CLOSE, "c1");
    stage.hook(Hook::PreToolUse, &format!("Bash: {CLOSE}"), &close, Passes)?;
    stage.hook(Hook::PostToolUse, &format!("Bash: {CLOSE}"), &well_ended(&close), Passes)?;
    let stop = json!({ "stop_hook_active": false });
    stage.hook(Hook::Stop, "the agent says that it is done", &stop, Holds)?;
    let vague = candidate("Be careful with the links", "Links are tricky, so take care of them.");
    let session = stage.cage.session.clone();
    let reflect = ["reflect", "--session-id", &session];
    stage.verb("the agent runs", &reflect, &vague, Refuses)?;
    let learned = candidate(
        "`login()` must mark a link as used before it answers",
        "Two clicks within 50 ms both got through: `used()` was asked before the first call had \
         written its row to `links`. Write first, then look at the count of changed rows.",
    );
    stage.verb("the agent runs", &reflect, &learned, Done)?;
    stage.hook(Hook::Stop, "the agent says that it is done", &stop, Passes)?;
    Ok(())
}

fn candidate(summary: &str, detail: &str) -> String {
    json!({ "candidates": [{
        "category": "pitfall",
        "summary": summary,
        "detail": detail,
        "criteria_met": ["behavior_changing"],
        "tags": ["login", "race"],
        "context_files": ["src/auth/login.rs"],
    }] })
    .to_string()
}

fn prove(stage: &mut Stage) -> io::Result<()> {
    stage.scene("Afterwards")?;
    stage.verb("the lead asks", &["ledger", "show"], "", Done)?;
    stage.verb("the lead asks", &["ledger", "verify"], "", Done)?;
    stage.hook(Hook::SessionEnd, "reason: exit", &json!({ "reason": "other" }), Passes)?;
    Ok(())
}
