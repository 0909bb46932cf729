//! Every message of the review gate, for agents and for people, in one snapshot that can be read
//! from top to bottom: `snapshots/it__messages__review_gate.snap`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{
    client::{REVIEWER, SESSION, running, token_in},
    support::{BINARY, Ran, Reply, Roz},
};

/// A page of messages.
#[derive(Default)]
struct Page(String);

impl Page {
    fn part(&mut self, title: &str) {
        let _ = write!(self.0, "\n\n{title}\n{}\n", "=".repeat(title.len()));
    }

    fn line(&mut self, situation: &str, to: &str, said: &str) {
        let said = said.trim_end();
        let said = if said.is_empty() { "(nothing)" } else { said };
        let _ = write!(self.0, "\n# {situation} ({to})\n{said}\n");
    }

    /// All that a hook said.
    fn reply(&mut self, situation: &str, reply: &Reply) {
        let specific = &reply.json["hookSpecificOutput"];
        let to_agent = [
            &reply.json["reason"],
            &specific["permissionDecisionReason"],
            &specific["additionalContext"],
            &specific["updatedInput"]["prompt"],
        ];
        let what = match specific["permissionDecision"].as_str() {
            Some("ask") => "a question to the person",
            _ => "agent",
        };
        for said in to_agent.into_iter().filter_map(Value::as_str) {
            self.line(situation, what, said);
        }
        if let Some(said) = reply.json["systemMessage"].as_str() {
            self.line(situation, "person", said);
        }
        assert_ne!(reply.json, json!({}), "{situation}: nothing was said");
    }

    fn ran(&mut self, situation: &str, ran: &Ran) {
        self.line(situation, "terminal", &format!("{}{}", ran.stdout, ran.stderr));
    }
}

fn committed(config: &str) -> Roz {
    let roz = Roz::gated(config).in_git();
    roz.hook("session-start", json!({ "source": "startup" }));
    roz.wrote("upload.py", "retry()\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "Retry"]);
    roz
}

impl Roz {
    /// The agent writes a file.
    fn wrote(&self, path: &str, text: &str) {
        let file = self.project().join(path);
        self.tool("Write", &json!({ "file_path": file, "content": text }));
        self.write(path, text);
    }
}

#[test]
fn every_message_of_the_review_gate_can_be_read_in_one_place() {
    let mut page = Page::default();
    prompts(&mut page);
    gates(&mut page);
    stops(&mut page);
    reviewers(&mut page);
    decisions(&mut page);
    scripts(&mut page);
    let mut text = page.0;
    // What differs from run to run.
    while let Some(token) = token_in(&text) {
        text = text.replace(&token, "TOKEN");
    }
    let ids = |text: &str| {
        let is_id = |word: &&str| word.len() >= 40 && word.bytes().all(|c| c.is_ascii_hexdigit());
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(is_id).map(str::to_owned).collect::<Vec<_>>()
    };
    for id in ids(&text) {
        text = text.replace(&id, "ID");
    }
    text = text.replace(BINARY, "roz");
    // The system cuts the name of a process at 15 bytes.
    let own = std::env::current_exe().expect("this test's binary");
    let own = own.file_name().expect("a name").to_string_lossy();
    text = text.replace(&own[..own.len().min(15)], "PROGRAM");
    let commit = text.lines().find_map(|line| line.trim().strip_suffix(" Retry"));
    let commit = commit.filter(|id| id.bytes().all(|c| c.is_ascii_hexdigit())).map(str::to_owned);
    text = text.replace(&commit.expect("a commit"), "COMMIT");
    let temporary = std::env::temp_dir();
    let parts: Vec<&str> = text.split(temporary.to_str().unwrap()).collect();
    let after = |part: &str| part.split_once("/project").map_or("", |(_, rest)| rest).to_owned();
    let rest = parts[1..].iter().flat_map(|part| ["/home/dev/project".to_owned(), after(part)]);
    text = std::iter::once(parts[0].to_owned()).chain(rest).collect();
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => true }, {
        insta::assert_snapshot!("review_gate", text);
    });
}

fn prompts(page: &mut Page) {
    page.part("What a person types");
    let roz = committed("");
    page.reply("#roz:stop, no review is open", &roz.prompt("#roz:stop"));
    page.reply("#roz", &roz.prompt("#roz retry failed uploads"));
    page.reply("#roz:allow, no call waits", &roz.prompt("#roz:allow"));
    page.reply("a call that was allowed", &roz.push());
    page.reply("#roz within a prompt", &roz.prompt("please #roz this"));
    page.reply("an unknown command", &roz.prompt("#roz:snooze"));
    roz.reviewer("a1");
    page.reply("#roz while a reviewer is at work", &roz.prompt("#roz and the tests"));
    page.reply("#roz:stop", &roz.prompt("#roz:stop"));
    page.reply("#roz:approve", &roz.prompt("#roz:approve read it"));
    let roz = committed("");
    roz.push();
    page.reply("#roz:allow, a call waits", &roz.prompt("#roz:allow"));
    let roz = Roz::gated("review.mode = 'never'");
    page.reply("#roz in mode never", &roz.prompt("#roz"));
}

fn gates(page: &mut Page) {
    page.part("A gated call");
    let roz = committed("review.gates.max_denials = 3");
    page.reply("the first one", &roz.push());
    page.reply("in a line that says more", &roz.bash("make && git push"));
    let reviewer = roz.reviewer("a1");
    page.reply("a reviewer is at work", &roz.push());
    page.reply("a second reviewer is launched", &roz.launch());
    reviewer.decides_with("ISSUES", "no test", &["--message", "Add one."]).succeeds();
    reviewer.ends();
    page.reply("issues stand, and it was denied often", &roz.push());

    let roz = committed("");
    roz.push();
    roz.reviewed("COMPLETE", "fine");
    page.reply("a reviewer is launched for approved work", &roz.launch());
    roz.wrote("another.py", "x\n");
    roz.write("README.md", "by hand\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "More"]);
    page.reply("new work", &roz.push());
    let other = roz.payload("pre-tool-use", json!({ "session_id": "s2", "tool_name": "Write",
        "tool_use_id": "w1", "tool_input": { "file_path": roz.project().join("theirs.py"), "content": "x" } }));
    roz.raw(&["hook", "pre-tool-use"], other.to_string().as_bytes());
    roz.write("theirs.py", "x\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "Theirs"]);
    page.reply("new work, and another session's", &roz.push());

    let roz = committed("");
    roz.wrote("upload.py", "retry(3)\n");
    roz.prompt("#roz");
    roz.reviewed("COMPLETE", "fine");
    page.reply("what was approved is not committed", &roz.push());

    let roz = committed("");
    unmerged(&roz);
    page.reply("git cannot tell what the work is", &roz.push());
    let call = roz.call("Bash", &json!({ "command": "git push" }));
    let mut nobody = call;
    nobody["permission_mode"] = "bypassPermissions".into();
    page.reply("the same, where nobody answers questions", &roz.hook("pre-tool-use", nobody));

    let roz = committed("");
    roz.prompt("#roz");
    for _ in 0..4 {
        roz.stop();
    }
    page.reply("the review was given up", &roz.push());
    let roz = committed("review.gates.approval_scope = 'session'");
    roz.push();
    roz.reviewed("COMPLETE", "fine");
    roz.wrote("another.py", "x\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "More"]);
    page.reply("scope session, changed after the approval", &roz.push());
}

/// An index with a conflict.
fn unmerged(roz: &Roz) {
    roz.git(&["checkout", "-qb", "other", "HEAD~1"]);
    roz.write("upload.py", "other()\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "Other"]);
    let mut merge = roz.program(&["git", "merge", "-q", "@{-1}"]);
    assert!(!merge.output().unwrap().status.success(), "the merge has a conflict");
}

fn stops(page: &mut Page) {
    page.part("A stop");
    let roz = committed("");
    roz.prompt("#roz");
    page.reply("the first hold", &roz.stop());
    page.reply("beside other subagents", &roz.stop_beside(&json!([running("a5", "Explore")])));
    let again = json!({ "source": "compact" });
    page.reply("after a compaction", &roz.hook("session-start", again));
    roz.stop();
    roz.stop();
    page.reply("the breaker trips, nothing was reviewed", &roz.stop());

    let roz = committed("circuit_breaker.max_blocks = 1");
    roz.prompt("#roz");
    let reviewer = roz.reviewer("a1");
    let listing = json!({ "stop_hook_active": false, "last_assistant_message": "Done." });
    page.reply("a client that lists no background tasks", &roz.hook("stop", listing));
    let issues = ["--message", "upload.py:1 retries for ever. Stop after three."];
    let (_, told) = reviewer.decides_aloud("ISSUES", "no end to the retries", &issues);
    page.reply("the reviewer's verdict", &told);
    page.reply("issues", &roz.stop());
    page.reply("the breaker trips, issues stand", &roz.stop());

    let roz = committed("");
    roz.prompt("#roz");
    roz.reviewed("COMPLETE", "fine");
    roz.wrote("another.py", "x\n");
    page.reply("new work since the approval", &roz.stop());

    let roz = committed("review.max_rounds = 1");
    roz.prompt("#roz");
    let (_, told) = roz.reviewer("a1").decides_aloud("ISSUES", "no test", &[]);
    page.reply("reviewer and agent do not converge", &told);
}

fn reviewers(page: &mut Page) {
    page.part("A reviewer");
    let roz = committed("");
    roz.push();
    page.reply("its brief", &roz.launch());
    let start = roz.subagent_start("a1");
    page.reply("its context", &start);
    let token = token_in(&start.context()).unwrap();
    let own = |command: &str| {
        let mut call = roz.call("Bash", &json!({ "command": command }));
        call["agent_id"] = "a1".into();
        call["agent_type"] = REVIEWER.into();
        roz.hook("pre-tool-use", call)
    };
    page.reply("it uses a gated call", &own("git push"));
    page.reply("it edits", &own("echo x > upload.py"));
    page.reply("it commits", &own("git commit -qam x"));
    page.reply(
        "it names another session",
        &own(&format!("roz decide s9 COMPLETE x --token {token}")),
    );
    let ends = json!({ "agent_id": "a1", "agent_type": REVIEWER, "stop_hook_active": false });
    page.reply("it ends without a decision", &roz.hook("subagent-stop", ends));
    page.reply("it was not started by a launch", &roz.subagent_start("a2"));
    page.ran("the context", &roz.run(&["context", SESSION]));
    page.ran("no such page", &roz.run(&["context", SESSION, "--diff", "--page", "7"]));
    page.ran("no such change", &roz.run(&["context", SESSION, "--diff", "nothing.py"]));
    for _ in 0..4 {
        let ends = json!({ "agent_id": "a1", "agent_type": REVIEWER, "stop_hook_active": true });
        roz.hook("subagent-stop", ends);
    }
}

fn decisions(page: &mut Page) {
    page.part("A decision");
    let roz = committed("");
    roz.push();
    let reviewer = roz.reviewer("a1");
    page.ran("it has looked at nothing", &reviewer.decides("COMPLETE", "fine"));
    let excuse = ["--unseen", "upload.py"];
    page.ran("an exception without a reason", &reviewer.decides_with("COMPLETE", "fine", &excuse));
    let excuse = ["--unseen", "*.py: written by a generator"];
    let (ran, told) = reviewer.decides_aloud("COMPLETE", "fine", &excuse);
    page.ran("with an exception", &ran);
    page.reply("the person hears of it", &told);
    let decide = |args: &[&str]| roz.run(&[&["decide", SESSION, "COMPLETE"], args].concat());
    page.ran("no token", &decide(&["fine"]));
    page.ran("a wrong token", &decide(&["fine", "--token", "0123456789abcdef0123456789abcdef"]));
    page.ran("no summary", &decide(&[" ", "--token", &reviewer.token]));
    page.ran("a person without a terminal", &decide(&["fine", "--human"]));
    page.ran("`roz approve` without a terminal", &roz.run(&["approve"]));
    page.reply("an agent approves", &roz.bash("roz approve"));

    let roz = Roz::gated("review.gates.tools = ['Bash:gh pr merge*']");
    let roz = {
        roz.configure("review.gates.tools = ['Bash:gh pr merge*']");
        roz.in_git()
    };
    roz.hook("session-start", json!({ "source": "startup" }));
    roz.bash("gh pr merge 7");
    let reviewer = roz.reviewer("a1");
    page.ran(
        "nothing has changed, and it did not look at the call",
        &reviewer.decides("COMPLETE", "fine"),
    );

    let roz = committed("");
    roz.push();
    let reviewer = roz.reviewer("a1");
    reviewer.looks();
    unmerged(&roz);
    page.ran("the work cannot be looked at", &reviewer.decides("COMPLETE", "fine"));
}

fn scripts(page: &mut Page) {
    page.part("roz status --check");
    let roz = committed("");
    page.ran("not approved", &roz.run(&["status", "--check"]));
    roz.prompt("#roz:approve");
    page.ran("approved", &roz.run(&["status", "--check"]));
    page.ran("no repository", &Roz::new().run(&["status", "--check"]));
}
