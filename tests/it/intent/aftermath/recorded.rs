//! What the ledger is asked, and what becomes of a call that it cannot record.

use super::*;

#[test]
fn a_stale_file_says_who_changed_it() {
    let roz = selected("");
    let path = roz.project().join("src/auth/login.rs");
    let edit = json!({ "file_path": path, "old_string": "one", "new_string": "1" });
    roz.reads("src/auth/login.rs");
    roz.at("session-number-two", "INT-001");
    roz.runs_in("session-number-two", "sed -i 's/three/3/; s/four/4/' src/auth/login.rs")
        .ends()
        .passes();
    let told = |reply: Reply| {
        let reason = reply.denies();
        let json: Value = serde_json::from_str(reason.lines().last().unwrap()).unwrap();
        assert_eq!(json["code"], "STALE_FILE");
        let by = json["changed_by"].as_str().unwrap().to_owned();
        assert!(reason.contains(&by), "{reason}");
        by
    };
    let by = told(roz.tool("Edit", &edit));
    let time = &roz.now()[11..16];
    assert_eq!(by, format!("session session-… for INT-001 at {time} UTC, lines 3-4"));
    roz.write("src/auth/login.rs", "by hand\n");
    let by = told(roz.tool("Edit", &edit));
    assert!(by.starts_with("not by an agent roz knows of; before that session session-…"), "{by}");
    let never = json!({ "file_path": roz.project().join("src/auth/new.rs"), "content": "x" });
    roz.write("src/auth/new.rs", "by hand\n");
    let reason = roz.tool("Write", &never).denies();
    assert!(
        reason.contains("Stale File: you have not read src/auth/new.rs. Read it, then write."),
        "{reason}"
    );
}

#[test]
fn what_is_kept_for_comparison_goes_with_its_session() {
    let roz = selected("");
    roz.reads("src/auth/login.rs");
    let images = roz.home().join("images/s1");
    assert_eq!(fs::read_dir(&images).unwrap().count(), 1);
    roz.run(&["clean", "--all"]).succeeds();
    assert!(!images.exists());
}

/// A ledger that cannot be written, whoever runs this.
fn blocked(roz: &Roz) {
    fs::create_dir(roz.project().join(".orchestration/agent_trace.jsonl")).unwrap();
}

fn unblocked(roz: &Roz) {
    fs::remove_dir(roz.project().join(".orchestration/agent_trace.jsonl")).unwrap();
}

#[test]
fn where_the_ledger_is_required_nothing_changes_without_it() {
    let roz = selected("intent.require_ledger = true\n");
    roz.bash("printf x > src/auth/a.rs").passes();
    assert!(!roz.project().join(".orchestration/agent_trace.jsonl").exists(), "nothing is written");
    blocked(&roz);
    let reason = roz.bash("printf x > src/auth/a.rs").denies();
    let json: Value = serde_json::from_str(reason.lines().last().unwrap()).unwrap();
    assert_eq!(json["code"], "LEDGER_UNWRITABLE");
    assert!(reason.contains("a directory, not a file"), "{reason}");
    roz.bash("git status").passes();
    unblocked(&roz);
    roz.bash("printf x > src/auth/a.rs").passes();
}

#[test]
fn a_lock_that_is_never_had_is_as_good_as_no_ledger() {
    let roz = selected("intent.require_ledger = true\n");
    fs::create_dir_all(roz.kept_of_project()).unwrap();
    let file = fs::File::create(roz.kept_of_project().join("agent_trace.jsonl")).unwrap();
    file.lock().unwrap();
    let reason = roz.bash("printf x > src/auth/a.rs").denies();
    assert!(reason.contains("LEDGER_UNWRITABLE"), "{reason}");
    file.unlock().unwrap();
    roz.bash("printf x > src/auth/a.rs").passes();
}

#[test]
fn a_record_that_could_not_be_written_is_written_at_the_next_chance() {
    let roz = selected("");
    blocked(&roz);
    let told = roz.ran("printf x > src/auth/a.rs").tells_user();
    assert!(told.contains("the ledger could not be written") && told.contains("is kept"), "{told}");
    unblocked(&roz);
    roz.at("s2", "INT-002");
    roz.runs_in("s2", "printf y > src/billing/b.rs").ends().passes();
    let whose: Vec<(Value, Vec<String>)> =
        roz.records().iter().map(|it| (it["session_id"].clone(), files(it))).collect();
    assert_eq!(whose[0], (json!("s1"), vec!["src/auth/a.rs created 1-1".to_owned()]));
    assert_eq!(whose[1], (json!("s2"), vec!["src/billing/b.rs created 1-1".to_owned()]));
    assert_eq!(whose.len(), 2);
    roz.run(&["ledger", "verify"]).succeeds();
}

#[test]
fn what_the_agents_own_line_has_changed_is_not_stale() {
    let roz = selected("");
    let path = roz.project().join("src/auth/login.rs");
    roz.reads("src/auth/login.rs");
    roz.tick();
    roz.ran("for f in src/auth/*.rs; do sed -i s/one/1/ $f; done").passes();
    let edit = json!({ "file_path": path, "old_string": "two", "new_string": "2" });
    roz.tool("Edit", &edit).passes();
    fs::write(&path, "somebody else's\n").unwrap();
    assert!(roz.tool("Edit", &edit).denies().contains("STALE_FILE"));
}

/// A refactoring of two files by one command: the map follows it.
#[test]
fn what_a_command_moves_to_another_file_is_a_refactoring_and_the_map_goes_along() {
    let roz = selected("");
    let records = || {
        let text = fs::read_to_string(roz.project().join(".orchestration/agent_trace.jsonl"));
        let text = text.unwrap();
        text.lines().map(|it| serde_json::from_str(it).unwrap()).collect::<Vec<Value>>()
    };
    let map = || fs::read_to_string(roz.project().join(".orchestration/intent_map.md")).unwrap();
    roz.ran(
        "printf 'def a(x):\\n    return x\\n\\ndef b(x):\\n    return a(x)\\n' > src/auth/one.py",
    );
    assert!(map().contains("| `src/auth/one.py` | `a`, `b` |"), "{}", map());
    let from = "printf 'from two import a\\n\\ndef b(x):\\n    return a(x)\\n' > src/auth/one.py";
    let to = "printf 'def a(x):\\n    return x\\n' > src/auth/two.py";
    roz.ran(&format!("{from}; {to}"));
    let last = records().pop().unwrap();
    assert_eq!(last["mutation_class"], "AST_REFACTOR", "{last:#}");
    let evidence = &last["metadata"]["dev.roz"]["files"][1]["evidence"];
    assert_eq!(evidence["step"], "move");
    let moved = json!([{ "name": "a", "from": "src/auth/one.py", "to": "src/auth/two.py" }]);
    assert_eq!(evidence["moved"], moved);
    let grown = map();
    assert!(grown.contains("| `src/auth/one.py` | `b` |"), "{grown}");
    assert!(grown.contains("| `src/auth/two.py` | `a` |"), "{grown}");
    roz.run(&["intent", "map"]).succeeds();
    assert_eq!(map(), grown);
}
