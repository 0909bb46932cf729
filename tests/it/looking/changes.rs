//! What a reviewer may write.

use std::fs;

use serde_json::{Value, json};

use super::project;
use crate::{client::Reviewer, support::Roz};

impl Reviewer<'_> {
    fn writes(&self, roz: &Roz, tool: &str, path: &str) -> bool {
        let file = roz.project().join(path);
        let input: Value = match tool {
            "Write" => json!({ "file_path": file, "content": "x" }),
            "NotebookEdit" => json!({ "notebook_path": file, "new_source": "x" }),
            _ => json!({ "file_path": file, "old_string": "one", "new_string": "x" }),
        };
        !roz.hook("pre-tool-use", self.uses(tool, &input)).is_objection()
    }
}

fn ready() -> Roz {
    let roz = project();
    roz.write(".gitignore", "target/\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "ignore"]);
    roz.agent_writes("a.rs", "one\n");
    roz
}

#[test]
fn a_reviewer_changes_nothing_of_the_work() {
    let roz = ready();
    let reviewer = roz.under_review();
    for tool in ["Write", "Edit", "NotebookEdit"] {
        for path in ["a.rs", "old.rs", "new.rs", "src/new.rs"] {
            assert!(!reviewer.writes(&roz, tool, path), "{tool} {path}");
        }
    }
    for line in [
        "echo x > a.rs",
        "echo x >> old.rs",
        "sed -i s/one/two/ a.rs",
        "cd src && echo x > ../a.rs",
        "rm old.rs",
        "touch new.rs",
        "git commit -am fixed",
        "git stash",
        "git checkout -- .",
        "git add -A && git commit -m x",
        "git reset --hard HEAD~1",
    ] {
        let reason = reviewer.bash(line).denies();
        assert!(reason.contains("a reviewer changes nothing"), "{line}: {reason}");
    }
    for line in ["git stash list", "git diff", "cargo test", "git log -p", "cat a.rs"] {
        reviewer.bash(line).passes();
    }
    // Whoever else writes meanwhile may.
    roz.agent_writes("a.rs", "two\n");
}

#[test]
fn the_temporary_folder_ignored_paths_and_what_test_runs_left_are_free() {
    let roz = ready();
    roz.write("leftover.txt", "by a test run\n");
    let reviewer = roz.under_review();
    let elsewhere = tempfile::tempdir().unwrap();
    let elsewhere = elsewhere.path().display();
    fs::create_dir(roz.project().join("target")).unwrap();
    for path in ["target/debug/x", "leftover.txt", &format!("{elsewhere}/x.rs")] {
        assert!(reviewer.writes(&roz, "Write", path), "{path}");
    }
    for line in [
        format!("echo x > {elsewhere}/x"),
        format!("git worktree add {elsewhere}/copy"),
        format!("cd {elsewhere} && echo x > y"),
        "echo x > target/log".to_owned(),
        "rm leftover.txt".to_owned(),
        "cargo test > /dev/null".to_owned(),
    ] {
        reviewer.bash(&line).passes();
    }
}

#[test]
fn what_a_suite_rewrites_is_unseen_again_and_recorded() {
    let roz = ready();
    let reviewer = roz.under_review();
    reviewer.looks();
    // `cargo test` rewrites a snapshot.
    roz.write("a.rs", "rewritten\n");
    reviewer.is_shown("cargo test", &json!({ "stdout": "ok\n" }));
    reviewer.has_to_see(&["a.rs"]);
    reviewer.looks();
    reviewer.approves();
    let posted = roz.trace("roz_decision").pop().unwrap();
    assert_eq!(posted["payload"]["changed_meanwhile"], json!(["a.rs"]));
}

#[test]
fn a_reviewer_without_a_token_is_an_agent_like_any_other() {
    let roz = ready();
    let reviewer = roz.under_review();
    reviewer.looks();
    reviewer.approves();
    reviewer.ends().passes();
    assert!(reviewer.writes(&roz, "Write", "b.rs"), "its review is over");
}
