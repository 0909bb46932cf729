//! `roz undo`, after real edits in a real git.

use std::fs;

use serde_json::json;

use crate::{
    client::SESSION,
    decide::at_a_terminal,
    intent_gate::SELECT,
    support::{self, Roz, skip},
};

const INTENTS: &str = "active_intents:\n  - id: INT-1\n    name: All of src\n    status: TODO\n    owned_scope: [src/**]\n";
const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

impl Roz {
    fn at_src() -> Self {
        let roz = Self::new().in_real_time().in_git().declares(INTENTS);
        fs::create_dir_all(roz.project().join("src")).unwrap();
        for name in ["edited", "deleted", "renamed", "later", "twice"] {
            roz.write(&format!("src/{name}.rs"), &format!("{LINES}// {name}\n"));
        }
        roz.git(&["add", "."]);
        roz.git(&["commit", "-qm", "second"]);
        roz.acts(SELECT, &json!({ "intent_id": "INT-1" }), || ());
        roz
    }

    /// A call that really does something.
    #[track_caller]
    fn acts(&self, name: &str, input: &serde_json::Value, run: impl FnOnce()) -> String {
        let mut call = self.call(name, input);
        self.hook("pre-tool-use", call.clone()).objects_to_nothing();
        run();
        call["tool_response"] = json!({});
        let id = call["tool_use_id"].as_str().unwrap().to_owned();
        self.hook("post-tool-use", call).objects_to_nothing();
        id
    }

    #[track_caller]
    fn replaces(&self, path: &str, old: &str, new: &str) -> String {
        self.acts("Read", &json!({ "file_path": self.file(path) }), || ());
        let before = fs::read_to_string(self.project().join(path)).unwrap();
        let input = json!({ "file_path": self.file(path), "old_string": old, "new_string": new });
        self.acts("Edit", &input, || self.write(path, &before.replace(old, new)))
    }

    #[track_caller]
    fn shell_of_agent(&self, line: &str) -> String {
        self.acts("Bash", &json!({ "command": line }), || {
            assert!(self.program(&["bash", "-c", line]).status().unwrap().success());
        })
    }

    fn text_of(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.project().join(format!("src/{name}.rs"))).ok()
    }
}

fn original(name: &str) -> String {
    format!("{LINES}// {name}\n")
}

#[test]
fn what_an_intent_changed_is_back_and_a_persons_later_line_is_kept() {
    let roz = Roz::at_src();
    roz.replaces("src/edited.rs", "two", "TWO");
    roz.replaces("src/edited.rs", "three", "THREE");
    let new = json!({ "file_path": roz.file("src/new.rs"), "content": "new\n" });
    roz.acts("Write", &new, || roz.write("src/new.rs", "new\n"));
    roz.shell_of_agent("rm src/deleted.rs");
    roz.shell_of_agent("mv src/renamed.rs src/moved.rs");
    roz.replaces("src/later.rs", "two", "TWO");
    roz.replaces("src/twice.rs", "two", "TWO");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "work"]);
    // A person goes on, in other lines and in the same.
    let later = roz.text_of("later").unwrap();
    roz.write("src/later.rs", &later.replace("seven", "SEVEN"));
    roz.write("src/twice.rs", &roz.text_of("twice").unwrap().replace("TWO", "mine"));

    let before = roz.git(&["status", "--porcelain"]);
    let told = roz.run(&["undo", "INT-1", "--dry-run"]);
    assert!(told.stdout.contains("restored  src/edited.rs"), "{told:?}");
    assert_eq!(roz.git(&["status", "--porcelain"]), before);
    assert!(roz.run(&["undo", "INT-1"]).fails().contains("--yes"));

    let told = roz.run(&["undo", "INT-1", "--yes"]);
    assert_eq!(told.code, Some(1), "one is left alone: {told:?}");
    assert!(
        told.stdout.contains("left      src/twice.rs: its lines were changed since"),
        "{told:?}"
    );
    assert_eq!(roz.text_of("edited"), Some(original("edited")));
    assert_eq!(roz.text_of("new"), None);
    assert_eq!(roz.text_of("deleted"), Some(original("deleted")));
    assert_eq!(roz.text_of("renamed"), Some(original("renamed")));
    assert_eq!(roz.text_of("moved"), None);
    assert_eq!(roz.text_of("later"), Some(original("later").replace("seven", "SEVEN")));
    assert!(roz.text_of("twice").unwrap().contains("mine"));
    // The undo is a record, and history stays as it is.
    let shown = roz.run(&["ledger", "show"]).succeeds().stdout;
    assert!(shown.contains("roz undo"), "{shown}");
    roz.run(&["ledger", "verify"]).succeeds();
    assert!(roz.git(&["show", "HEAD:src/edited.rs"]).contains("THREE"));
}

#[test]
fn one_call_is_undone_and_those_after_it_stay() {
    let roz = Roz::at_src();
    let first = roz.replaces("src/edited.rs", "two", "TWO");
    roz.replaces("src/edited.rs", "seven", "SEVEN");
    roz.run(&["undo", &first, "--yes"]).succeeds();
    let wanted = Some(original("edited").replace("seven", "SEVEN"));
    assert_eq!(roz.text_of("edited"), wanted);
}

#[test]
fn an_undo_can_be_repeated_and_keeps_what_it_overwrote() {
    let roz = Roz::at_src();
    let new = json!({ "file_path": roz.file("src/new.rs"), "content": "new\n" });
    roz.acts("Write", &new, || roz.write("src/new.rs", "new\n"));
    roz.replaces("src/edited.rs", "two", "TWO");
    roz.write("src/edited.rs", &roz.text_of("edited").unwrap().replace("seven", "mine"));
    roz.run(&["undo", "INT-1", "--yes"]).succeeds();
    assert_eq!(roz.text_of("edited"), Some(original("edited").replace("seven", "mine")));
    let again = roz.run(&["undo", "INT-1"]).succeeds().stdout;
    assert!(again.starts_with("Nothing to undo"), "{again}");
    let records = roz.json(&["ledger", "show"])["records"].clone();
    let undo = records.as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    roz.run(&["undo", &undo, "--yes"]).succeeds();
    let back = original("edited").replace("two", "TWO").replace("seven", "mine");
    assert_eq!((roz.text_of("edited"), roz.text_of("new")), (Some(back), Some("new\n".into())));
}

#[test]
fn a_deleted_program_can_be_run_again() {
    let roz = Roz::at_src();
    roz.write("src/run.sh", "#!/bin/sh\n");
    assert!(roz.program(&["chmod", "+x", "src/run.sh"]).status().unwrap().success());
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "program"]);
    let id = roz.shell_of_agent("rm src/run.sh");
    roz.run(&["undo", &id, "--yes"]).succeeds();
    assert!(roz.git(&["status", "--porcelain"]).is_empty());
}

#[test]
fn what_git_moved_and_removed_in_the_index_is_back_there() {
    let roz = Roz::at_src();
    roz.shell_of_agent("git mv src/renamed.rs src/moved.rs");
    roz.shell_of_agent("git rm -q src/deleted.rs");
    let new = json!({ "file_path": roz.file("src/new.rs"), "content": "new\n" });
    roz.acts("Write", &new, || roz.write("src/new.rs", "new\n"));
    roz.git(&["add", "src/new.rs"]);
    roz.run(&["undo", "INT-1", "--yes"]).succeeds();
    assert!(roz.git(&["status", "--porcelain"]).is_empty());
}

#[test]
fn an_agents_own_undo_makes_no_file_stale_and_a_persons_does() {
    for is_agents in [true, false] {
        let roz = Roz::at_src();
        roz.replaces("src/edited.rs", "two", "TWO");
        if is_agents {
            roz.acts("Bash", &json!({ "command": format!("roz undo {SESSION}") }), || {
                let undo = roz.command(&["undo", SESSION]).env("CLAUDECODE", "1").status();
                assert!(undo.unwrap().success());
            });
        } else {
            roz.run(&["undo", "INT-1", "--yes"]).succeeds();
        }
        let file = roz.file("src/edited.rs");
        let edit = json!({ "file_path": file, "old_string": "two", "new_string": "2" });
        let reply = roz.hook("pre-tool-use", roz.call("Edit", &edit));
        let is_stale = reply.json.to_string().contains("STALE_FILE");
        assert_eq!(is_stale, !is_agents, "{reply:?}");
    }
}

#[test]
fn the_beginning_of_two_sessions_ids_undoes_neither() {
    let roz = Roz::at_src();
    for session in ["session-a", "session-b"] {
        let select = json!({ "session_id": session, "tool_name": SELECT, "tool_use_id": session,
            "tool_input": { "intent_id": "INT-1" }, "tool_response": {} });
        roz.hook("pre-tool-use", select.clone());
        roz.hook("post-tool-use", select);
        let path = format!("src/{session}.rs");
        let write = json!({ "session_id": session, "tool_name": "Write", "tool_use_id": path,
            "tool_input": { "file_path": roz.file(&path), "content": "x\n" }, "tool_response": {} });
        roz.hook("pre-tool-use", write.clone()).objects_to_nothing();
        roz.write(&path, "x\n");
        roz.hook("post-tool-use", write).objects_to_nothing();
    }
    let told = roz.run(&["undo", "session-", "--yes"]).fails();
    assert!(
        told.contains("several sessions begin with `session-`: session-a, session-b"),
        "{told}"
    );
    roz.run(&["undo", "session-a", "--yes"]).succeeds();
    assert_eq!((roz.text_of("session-a"), roz.text_of("session-b")), (None, Some("x\n".into())));
}

#[test]
fn whoever_says_no_is_told_that_nothing_was_undone() {
    let roz = Roz::at_src();
    let call = roz.replaces("src/edited.rs", "two", "TWO");
    let Some(mut command) = at_a_terminal(&roz, &["undo", &call]) else {
        skip("a person says no to an undo", "neither `script` nor python3 makes a terminal");
        return;
    };
    let output = support::feed(&mut command, b"n\n");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("Nothing was undone."), "{told}");
    assert_eq!(output.status.code(), Some(1));
    assert!(roz.text_of("edited").unwrap().contains("TWO"));
}

#[test]
fn what_is_not_known_or_not_confirmed_is_not_undone() {
    let roz = Roz::at_src();
    assert!(roz.run(&["undo", "INT-9", "--yes"]).fails().contains("`INT-9`"));
    roz.replaces("src/edited.rs", "two", "TWO");
    fs::remove_dir_all(roz.home().join("images")).unwrap();
    roz.git(&["commit", "-qam", "work"]);
    roz.replaces("src/edited.rs", "TWO", "2");
    fs::remove_dir_all(roz.home().join("images")).unwrap();
    // Git has it.
    roz.run(&["undo", "INT-1", "--yes"]).succeeds();
    assert_eq!(roz.text_of("edited"), Some(original("edited")));
}
