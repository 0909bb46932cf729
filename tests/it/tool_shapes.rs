//! Calls of tools that no gate knows by name, through the front door: judged by what their input
//! is.

use std::fs;

use serde_json::{Value, json};

use crate::{
    intent_gate::{declared, json_of},
    support::{Reply, Roz},
};

impl Roz {
    /// A call whose payload has no tool name.
    #[track_caller]
    fn nameless(&self, input: &Value) -> Reply {
        let mut call = self.call("", input);
        call.as_object_mut().unwrap().remove("tool_name");
        self.hook("pre-tool-use", call)
    }
}

const PATCH: &str = "*** Begin Patch\n*** Update File: src/auth/login.rs\n*** Move to: src/auth/in.rs\n\
    @@\n-fn login() {}\n+fn log_in() {}\n*** Delete File: src/auth/old.rs\n*** End Patch\n";

/// What `OpenCode` sends for several calls at once.
fn batch(calls: &[(&str, Value)]) -> Value {
    let calls = calls.iter().map(|(tool, input)| json!({ "tool": tool, "parameters": input }));
    json!({ "tool_calls": calls.collect::<Vec<_>>() })
}

fn shell(line: &str) -> (&'static str, Value) {
    ("bash", json!({ "command": line }))
}

#[test]
fn a_command_without_a_tool_name_is_judged_as_a_shell_line() {
    let roz = Roz::gated("").in_git();
    assert!(roz.nameless(&json!({ "command": "git push" })).denies().contains("git push"));
    roz.tool("Shell", &json!({ "command": ["bash", "-lc", "git push"] })).denies();
    roz.nameless(&json!({ "command": "git status" })).passes();
    roz.nameless(&json!({ "command": "rm ~/.roz/config.toml" })).denies();
}

#[test]
fn a_gate_on_the_clients_own_name_for_a_tool_holds() {
    let roz = Roz::with_config("review.gates.tools = ['Deploy*', 'batch']").in_git();
    roz.tool("DeployShell", &json!({ "command": "ls" })).denies();
    roz.tool("batch", &batch(&[shell("ls")])).denies();
    roz.tool("Shell", &json!({ "command": "ls" })).passes();
}

#[test]
fn a_file_that_a_tool_without_a_name_writes_is_judged_as_written() {
    let roz = declared("");
    roz.selects("INT-001");
    let inside = json!({ "file_path": roz.file("src/auth/new.rs"), "content": "x" });
    roz.nameless(&inside).passes();
    let outside = json!({ "file_path": roz.file("src/billing/new.rs"), "content": "x" });
    assert_eq!(json_of(&roz.nameless(&outside).denies())["code"], "SCOPE_VIOLATION");
    let edit = json!({ "file_path": roz.file("README.md"), "old_string": "h", "new_string": "H" });
    assert_eq!(json_of(&roz.nameless(&edit).denies())["code"], "SCOPE_VIOLATION");
    let config = json!({ "file_path": roz.home().join("config.toml"), "content": "" });
    assert_eq!(json_of(&roz.nameless(&config).denies())["rule"], "roz-home");
}

#[test]
fn each_call_of_a_batch_is_judged() {
    let roz = Roz::gated("").in_git();
    roz.tool("batch", &batch(&[shell("git status"), shell("git push")])).denies();
    roz.nameless(&batch(&[shell("git push"), shell("ls")])).denies();
    roz.tool("batch", &batch(&[shell("ls"), ("batch", batch(&[shell("git push")]))])).denies();
    let config = json!({ "file_path": roz.home().join("config.toml"), "content": "" });
    roz.tool("batch", &batch(&[shell("ls"), ("Write", config)])).denies();
    roz.tool("batch", &batch(&[shell("ls"), shell("git status"), shell("git log")])).passes();
    let many = vec![shell("ls"); 200];
    roz.tool("batch", &batch(&many)).denies();
}

#[test]
fn a_ticket_that_a_call_of_a_batch_closes_counts_as_closed() {
    let roz = Roz::with_config("").in_git();
    fs::create_dir(roz.project().join(".beads")).unwrap();
    let mut call = roz.call("batch", &batch(&[shell("ls"), shell("bd close bd-1")]));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    call["tool_response"] = json!("done");
    roz.hook("post-tool-use", call).objects_to_nothing();
    assert_eq!(roz.trace("ticket_closed")[0]["payload"]["tickets"], json!(["bd-1"]));
}

#[test]
fn each_file_of_a_patch_is_judged() {
    let roz = declared("");
    roz.selects("INT-001");
    fs::write(roz.project().join("src/auth/old.rs"), "").unwrap();
    for input in [json!(PATCH), json!({ "patch": PATCH }), json!({ "command": PATCH })] {
        roz.tool("apply_patch", &input).passes();
        roz.nameless(&input).passes();
    }
    for (from, to) in [
        ("Move to: src/auth/in.rs", "Move to: ../other/a.rs"),
        ("Delete File: src/auth/old.rs", "Delete File: src/billing/b.rs"),
        ("Update File: src/auth/login.rs", "Update File: README.md"),
        ("Delete File: src/auth/old.rs", "Add File: src/auth/keys/a.rs"),
    ] {
        let reason = roz.nameless(&json!({ "input": PATCH.replace(from, to) })).denies();
        assert_eq!(json_of(&reason)["code"], "SCOPE_VIOLATION", "{to}: {reason}");
    }
    let own = PATCH.replace("src/auth/in.rs", roz.home().join("config.toml").to_str().unwrap());
    assert_eq!(json_of(&roz.nameless(&json!({ "input": own })).denies())["rule"], "roz-home");
}

#[test]
fn what_only_looks_like_a_call_passes() {
    let roz = Roz::gated("").in_git();
    for (name, input) in [
        ("SlashCommand", json!({ "command": "git push" })),
        ("TodoWrite", json!({ "todos": [{ "content": "git push", "status": "pending" }] })),
        ("think", json!({ "thought": "then git push" })),
        ("Write", json!({ "file_path": roz.file("a.md"), "content": PATCH })),
        ("note", json!({ "text": "what `*** Update File: ~/.roz/config.toml` in a patch means" })),
        ("poll", json!({ "options": [{ "name": "git push", "votes": 1 }] })),
        ("mcp__notes__add", json!({ "text": "*** Delete File: ~/.roz/config.toml" })),
        ("mcp__x__batch", json!({ "people": [{ "name": "git push", "input": {} }] })),
    ] {
        roz.tool(name, &input).passes();
    }
}

#[test]
fn a_tool_of_which_nothing_is_known_passes_and_doctor_says_so() {
    let roz = Roz::gated("").in_git();
    for _ in 0..2 {
        roz.tool("conjure", &json!({ "spell": "git push" })).passes();
        roz.nameless(&json!({})).passes();
    }
    let ran = roz.run(&["doctor", "--only", "incidents"]);
    assert!(ran.stdout.contains("does not know the tool `conjure` (and 1 more)"), "{ran:?}");
}
