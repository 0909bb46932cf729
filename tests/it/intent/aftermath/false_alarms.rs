//! What is not a change, or does not matter, is not reported.

use super::*;

#[test]
fn a_folder_that_is_there_is_not_made() {
    let roz = selected("");
    for line in
        ["mkdir -p src", "mkdir -p src/billing src/auth/deep", "mkdir --parents src/billing"]
    {
        roz.bash(line).passes();
    }
    roz.bash("cd src && mkdir -p billing").passes();
    assert!(roz.bash("cd src && mkdir -p src").is_objection());
    assert!(roz.bash("mkdir -p src/other").is_objection());
    assert!(roz.bash("mkdir -p src && rm -r src").is_objection());
    // Another call may have taken it away before.
    assert!(roz.bash("rm -r src/billing; mkdir -p src/billing").is_objection());
}

#[test]
fn a_stash_that_only_takes_what_roz_wrote_is_in_scope() {
    let roz = project("");
    let file = ".orchestration/active_intents.yaml";
    roz.write(file, &roz.text(file).replace("IN_PROGRESS", "DRAFT"));
    roz.write("src/auth/new.rs", "x");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "third"]);
    roz.at("s1", "INT-001");
    roz.run(&["intent", "start", "INT-001"]).succeeds();
    assert!(roz.text(file).contains("IN_PROGRESS"));
    roz.ran("printf y > src/auth/new.rs").passes();
    let text = roz.text(file);
    // The records of the ledger come back with the line.
    roz.ran("git stash; git stash pop").passes();
    roz.git(&["stash"]);
    assert_eq!(roz.text("src/auth/new.rs"), "x");
    roz.ran("printf z > src/auth/other.rs").passes();
    roz.git(&["checkout", "-q", "--", ".orchestration"]);
    roz.reads("src/auth/new.rs");
    roz.ran("git stash pop").passes();
    assert_eq!(roz.text("src/auth/new.rs"), "y");
    assert_eq!(roz.text(file), text);
    roz.ran("printf z > src/auth/other.rs").passes();
}

#[test]
fn a_stash_whose_name_is_not_known_is_looked_at_only_where_it_matters() {
    let roz = selected("");
    roz.write(".git/info/exclude", ".orchestration/agent_trace.jsonl\n");
    for line in [
        "git -C \"$D\" stash list",
        "cd \"$D\" && git stash list",
        "git stash show \"$D\"",
        "git -C \"$D\" stash show -p",
        "git -C \"$(git rev-parse --show-toplevel)\" stash list",
        "for d in src lib; do git -C \"$d\" stash list; done",
    ] {
        let reply = roz.bash(line);
        assert!(!reply.is_objection(), "{line}: {}", reply.json);
    }
}

#[test]
fn what_a_build_writes_where_git_ignores_is_told_of_nowhere() {
    let roz = selected("");
    let make = hidden(&roz, "mkdir -p target/debug node_modules/x\nprintf x > target/debug/out");
    roz.write(".gitignore", "target/\nnode_modules/\n");
    roz.tick();
    roz.ran(make).passes();
    roz.write(".git/info/exclude", "dist/\n");
    roz.tick();
    let make = hidden(&roz, "mkdir -p dist\nprintf x > dist/out");
    roz.ran(make).passes();
}

#[test]
fn only_calls_that_may_have_run_were_running() {
    let roz = selected("");
    roz.prompt("go").objects_to_nothing();
    // The user is asked, and says no: it never ends.
    let asked = "rm -rf src/auth/old";
    roz.bash(asked).asks();
    let make = hidden(&roz, "printf x > src/billing/tax.rs");
    let told = roz.ran(make).context();
    assert!(told.contains("tax.rs"), "{told}");
    // Nor does one that the client did not let through.
    let roz = selected("");
    roz.begins("s1", "Bash", &json!({ "command": hidden(&roz, "true") }));
    roz.ran("printf x > src/auth/new.rs").passes();
    let make = hidden(&roz, "printf x > src/billing/tax.rs");
    let told = roz.ran(make).context();
    assert!(told.contains("tax.rs"), "{told}");
    // Of another session neither.
    let roz = selected("");
    roz.at("s2", "INT-002");
    let mut call = roz.call("Bash", &json!({ "command": asked.replace("auth", "billing") }));
    call["session_id"] = "s2".into();
    roz.hook("pre-tool-use", call).asks();
    roz.begins("s2", "Bash", &json!({ "command": "cat src/auth/login.rs" })).ends();
    let make = hidden(&roz, "printf x > README.md");
    assert!(roz.ran(make).context().contains("README.md"));
}
