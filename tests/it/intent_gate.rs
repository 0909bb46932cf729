//! The intent gate through the front door: declared work, kept scope, stale
//! files, a person's word.
//!
//! Long because each check of the gate has its story here.

use std::fs;

use serde_json::{Value, json};

use crate::{
    client::SESSION,
    support::{Reply, Roz},
};

const INTENTS: &str = "\
# what we are at
active_intents:
  - id: INT-001
    name: Mend the login
    status: PENDING # not begun
    owned_scope: [\"src/auth/**\", \"!src/auth/keys/**\"]
    constraints: [No new dependency]
    acceptance_criteria: [Tests pass]
  - id: INT-002
    name: Billing
    status: COMPLETED
    owned_scope: [\"src/billing/**\"]
";
pub(crate) const SELECT: &str = "mcp__roz__select_active_intent";

pub(crate) fn declared(config: &str) -> Roz {
    let roz = Roz::with_config(config).in_git();
    for folder in [".orchestration", "src/auth/keys", "src/billing"] {
        fs::create_dir_all(roz.project().join(folder)).unwrap();
    }
    roz.write(".orchestration/active_intents.yaml", INTENTS);
    roz.write("src/auth/login.rs", "fn login() {}\n");
    roz
}

impl Roz {
    #[track_caller]
    pub(crate) fn done(&self, name: &str, input: &Value) {
        let call = self.call(name, input);
        self.hook("pre-tool-use", call.clone()).objects_to_nothing();
        let mut done = call;
        done["tool_response"] = json!({});
        self.hook("post-tool-use", done).objects_to_nothing();
    }

    #[track_caller]
    pub(crate) fn selects(&self, id: &str) {
        self.done(SELECT, &json!({ "intent_id": id }));
    }

    pub(crate) fn file(&self, path: &str) -> String {
        self.project().join(path).to_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn writes(&self, path: &str) -> Reply {
        self.tool("Write", &json!({ "file_path": self.file(path), "content": "x" }))
    }
}

/// The line for programs at the end of a refusal.
#[track_caller]
pub(crate) fn json_of(reason: &str) -> Value {
    serde_json::from_str(reason.lines().last().unwrap()).expect(reason)
}

#[test]
fn without_a_sidecar_nothing_of_it_happens() {
    let roz = Roz::new().in_git();
    roz.writes("src.rs").passes();
    roz.bash("rm -rf target").passes();
}

#[test]
fn a_write_before_the_handshake_is_refused_and_after_it_passes() {
    let roz = declared("");
    let told = roz.hook("session-start", json!({ "source": "startup" })).context();
    assert!(told.contains("select_active_intent") && told.contains("INT-001"), "{told}");
    assert!(!told.contains("INT-002"), "{told}");
    let reason = roz.writes("src/auth/new.rs").denies();
    assert!(reason.contains("You must cite a valid active Intent ID."), "{reason}");
    let told = json_of(&reason);
    assert_eq!(told["code"], "MISSING_INTENT");
    // The one that is open is named, with the command to copy.
    assert!(reason.contains("`roz intent select INT-001` (Mend the login)"), "{reason}");
    assert!(told.as_object().unwrap().values().all(|it| !it.is_null()), "{told}");
    assert!(told.get("message").is_none(), "{told}");
    roz.tool("Read", &json!({ "file_path": roz.file("src/auth/login.rs") })).passes();
    roz.bash("git status && cat src/auth/login.rs").passes();
    roz.selects("INT-001");
    roz.writes("src/auth/new.rs").passes();
    assert_eq!(roz.debug(SESSION)["intent"]["selected"]["intent_id"], "INT-001");
    assert_eq!(roz.declared(), INTENTS);
}

#[test]
fn what_cannot_be_selected_is_refused_with_what_can() {
    let roz = declared("");
    let select = |id: &str| json_of(&roz.tool(SELECT, &json!({ "intent_id": id })).denies());
    assert_eq!(select("INT-009")["code"], "INVALID_INTENT");
    assert_eq!(select("INT-002")["code"], "INTENT_NOT_ACTIVE");
    roz.write(".orchestration/.intentignore", "INT-001\n");
    assert_eq!(select("INT-001")["code"], "INTENT_IGNORED");
}

#[test]
fn a_write_outside_the_scope_is_refused_however_it_is_made() {
    let roz = declared("");
    roz.selects("INT-001");
    let lines = [
        "cat > src/billing/invoice.ts <<'EOF'\nx\nEOF",
        "sed -i s/a/b/ src/billing/invoice.ts",
        "mv src/auth/login.rs src/billing/invoice.ts",
        "cd src/billing && touch invoice.ts",
        "git checkout -- src/billing/invoice.ts",
        "cp src/auth/login.rs src/auth/../billing/invoice.ts",
        "echo x | tee src/auth/keys/a",
    ];
    for line in lines {
        // Each is a target of its own, as the breaker counts.
        roz.selects("INT-001");
        let reason = roz.bash(line).denies();
        assert_eq!(json_of(&reason)["code"], "SCOPE_VIOLATION", "{line}: {reason}");
    }
    roz.selects("INT-001");
    let reason = roz.writes("src/billing/invoice.ts").denies();
    let expected = "Scope Violation: INT-001 is not authorized to edit src/billing/invoice.ts. \
                    Request scope expansion: `roz intent expand INT-001 \
                    'src/billing/invoice.ts'`, or select the intent that owns the file.";
    assert!(reason.contains(expected), "{reason}");
    let told = json_of(&reason);
    assert_eq!(told["intent_id"], "INT-001");
    assert_eq!(told["file"], "src/billing/invoice.ts");
    assert_eq!(told["owned_scope"][0], "src/auth/**");
    let moved = json!({ "source": roz.file("src/auth/login.rs"), "destination": roz.file("x.rs") });
    assert_eq!(
        json_of(&roz.tool("mcp__fs__move_file", &moved).denies())["code"],
        "SCOPE_VIOLATION"
    );
    roz.tool("mcp__fs__read_file", &json!({ "path": "x.rs" })).passes();
    for line in ["echo x > src/auth/a.rs", "echo x > /dev/null", "cargo build"] {
        roz.bash(line).passes();
    }
}

#[test]
fn a_link_is_no_way_out_of_the_scope() {
    let roz = declared("");
    roz.selects("INT-001");
    std::os::unix::fs::symlink("../billing", roz.project().join("src/auth/out")).unwrap();
    let reason = roz.writes("src/auth/out/invoice.ts").denies();
    assert_eq!(json_of(&reason)["code"], "SCOPE_VIOLATION");
    assert!(reason.contains("really src/billing/invoice.ts"), "{reason}");
}

#[test]
fn the_gates_own_files_are_in_nobodys_scope() {
    let roz = declared("");
    roz.selects("INT-001");
    for path in [".git/config", ".orchestration/active_intents.yaml"] {
        let code = json_of(&roz.writes(path).denies())["code"].clone();
        assert_eq!(code, "PROTECTED_PATH", "{path}");
    }
}

#[test]
fn the_paths_of_a_servers_tool_are_found_however_they_are_put() {
    let roz = declared("");
    let outside = roz.file("src/billing/a.rs");
    let inside = roz.file("src/auth/a.rs");
    for input in [
        json!({ "from": inside, "to": outside }),
        json!({ "operations": [{ "from": inside, "to": outside }] }),
        json!({ "paths": [inside, outside] }),
        json!({ "edits": [{ "path": outside, "text": "x" }] }),
        json!({ "request": { "edit": { "target_file": outside } } }),
    ] {
        roz.selects("INT-001");
        let told = json_of(&roz.tool("mcp__fs__apply_changes", &input).denies());
        assert_eq!(told["code"], "SCOPE_VIOLATION", "{input}");
    }
    roz.selects("INT-001");
    let held = json!({ "path": inside, "content": json!({ "files": [outside] }).to_string() });
    roz.tool("mcp__fs__apply_changes", &held).passes();
    roz.tool("mcp__fs__read_files", &json!({ "paths": [outside] })).passes();
}

#[test]
fn a_file_that_changed_since_it_was_read_is_stale() {
    let roz = declared("");
    roz.selects("INT-001");
    let path = roz.file("src/auth/login.rs");
    let edit = json!({ "file_path": path, "old_string": "a", "new_string": "b" });
    roz.done("Read", &json!({ "file_path": path }));
    roz.tool("Edit", &edit).passes();
    roz.write("src/auth/login.rs", "fn login() { changed }\n");
    let told = json_of(&roz.tool("Edit", &edit).denies());
    assert_eq!(told["code"], "STALE_FILE");
    assert!(told["expected_hash"].as_str().unwrap().starts_with("sha256:"));
    assert_ne!(told["expected_hash"], told["actual_hash"]);
    roz.done("Read", &json!({ "file_path": path }));
    roz.tool("Edit", &edit).passes();
}

#[test]
fn a_write_over_a_file_that_was_never_read_is_refused() {
    let roz = declared("");
    roz.selects("INT-001");
    assert_eq!(json_of(&roz.writes("src/auth/login.rs").denies())["code"], "STALE_FILE");
    roz.bash("cat src/auth/login.rs").passes();
    roz.writes("src/auth/login.rs").passes();
}

fn three_hundred_lines() -> String {
    let lines: Vec<String> = (1..=300).map(|it| format!("line {it}\n")).collect();
    lines.concat()
}

#[test]
fn who_has_only_counted_a_file_has_not_read_it() {
    let roz = declared("");
    roz.selects("INT-001");
    let lines = three_hundred_lines();
    roz.write("src/auth/login.rs", &lines);
    let refused = |line: &str| {
        roz.selects("INT-001");
        assert_eq!(
            json_of(&roz.writes("src/auth/login.rs").denies())["code"],
            "STALE_FILE",
            "{line}"
        );
    };
    for line in ["stat src/auth/login.rs", "ls -l src/auth/login.rs", "wc -l src/auth/login.rs"] {
        roz.bash(line).passes();
        refused(line);
    }
    for line in [
        "cat src/auth/*.rs",
        "sed -n p src/auth/login.rs",
        "head -n 400 src/auth/login.rs",
        "cat src/auth/login.rs README.md",
    ] {
        roz.write("src/auth/login.rs", &format!("{lines}{line}\n"));
        refused(line);
        roz.bash(line).passes();
        roz.writes("src/auth/login.rs").passes();
    }
}

#[test]
fn a_servers_tool_that_reads_writes_where_it_is_told_to_put_something() {
    let roz = declared("");
    for (tool, field) in [
        ("mcp__browser__take_screenshot", "filename"),
        ("mcp__figma__get_image", "localPath"),
        ("mcp__db__list_and_export", "outputPath"),
        ("mcp__web__fetch", "save_to"),
        ("mcp__web__fetch", "out"),
    ] {
        let roz = declared("");
        let to = |path: &str| json!({ "of": "x", field: path });
        assert_eq!(
            json_of(&roz.tool(tool, &to("src/auth/a.png")).denies())["code"],
            "MISSING_INTENT",
            "{tool}"
        );
        roz.selects("INT-001");
        roz.tool(tool, &to("src/auth/a.png")).passes();
        let told = json_of(&roz.tool(tool, &to("src/billing/a.png")).denies());
        assert_eq!(told["code"], "SCOPE_VIOLATION", "{tool}");
    }
    roz.tool("mcp__fs__read_file", &json!({ "filename": "src/billing/a.ts" })).passes();
}

#[test]
fn a_tool_that_nobody_knows_stays_in_scope_with_the_file_that_it_names() {
    let roz = declared("");
    roz.selects("INT-001");
    for field in ["file_path", "path", "notebook_path"] {
        let told = json_of(&roz.tool("Rewrite", &json!({ field: "src/billing/a.rs" })).denies());
        assert_eq!(told["code"], "SCOPE_VIOLATION", "{field}");
        roz.tool("Rewrite", &json!({ field: "src/auth/new.rs" })).passes();
        roz.tool("Grep", &json!({ field: "src/billing/a.rs" })).passes();
    }
}

#[test]
fn refusals_of_different_commands_open_no_circuit() {
    let roz = declared("");
    for line in ["make a", "make b", "make c", "make d"] {
        assert_eq!(json_of(&roz.bash(line).denies())["code"], "MISSING_INTENT", "{line}");
    }
    for path in ["src/auth/a.rs", "src/auth/b.rs", "src/auth/c.rs"] {
        assert_eq!(json_of(&roz.writes(path).denies())["code"], "MISSING_INTENT", "{path}");
    }
    for code in ["MISSING_INTENT", "MISSING_INTENT", "CIRCUIT_OPEN"] {
        assert_eq!(json_of(&roz.bash("make  e").denies())["code"], code);
    }
}

#[test]
fn a_subagent_is_told_what_its_parent_is_at() {
    let roz = declared("");
    let start = || {
        let bytes = include_bytes!("../payloads/2.1.330/SubagentStart.general-purpose.json");
        let mut start: Value = serde_json::from_slice(bytes).unwrap();
        start["session_id"] = SESSION.into();
        start["cwd"] = roz.project().to_str().unwrap().into();
        roz.hook("subagent-start", start)
    };
    start().passes();
    roz.selects("INT-001");
    let told = start().context();
    assert!(told.contains("<intent id=\"INT-001\"") && told.contains("src/auth/**"), "{told}");
    assert!(told.len() < 10_000);
}

#[test]
fn the_agents_own_writes_keep_it_fresh() {
    let roz = declared("");
    roz.selects("INT-001");
    let path = roz.file("src/auth/new.rs");
    let call = roz.call("Write", &json!({ "file_path": path, "content": "x" }));
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.write("src/auth/new.rs", "x");
    roz.hook("post-tool-use", call).passes();
    roz.writes("src/auth/new.rs").passes();
}

#[test]
fn what_cannot_be_had_back_is_asked_about_and_a_yes_holds_for_that_command() {
    let roz = declared("");
    roz.selects("INT-001");
    let line = json!({ "command": "rm -rf src/auth/old" });
    let call = roz.call("Bash", &line);
    let why = roz.hook("pre-tool-use", call.clone()).asks();
    assert!(why.contains("CRITICAL") && why.contains("removes whole folders"), "{why}");
    assert_eq!(json_of(&why)["code"], "HITL_REQUIRED");
    roz.tool("Bash", &line).asks();
    roz.hook("post-tool-use", call).passes();
    roz.tool("Bash", &line).passes();
    roz.bash("rm -rf src/auth/other").asks();
    roz.later(3601);
    roz.tool("Bash", &line).asks();
}

#[test]
fn what_git_throws_away_is_asked_about() {
    let roz = declared("");
    roz.write(".gitignore", "target/\n");
    roz.git(&["add", "-A"]);
    roz.git(&["commit", "-qm", "all"]);
    roz.selects("INT-001");
    fs::create_dir(roz.project().join("target")).unwrap();
    roz.write("target/x.o", "");
    for line in ["git restore .", "git reset --hard", "git checkout -- .", "git clean -fdX"] {
        // There is nothing to lose.
        roz.bash(line).passes();
    }
    roz.write("src/auth/login.rs", "fn other() {}\n");
    roz.write("src/auth/new.rs", "");
    for line in ["git restore .", "git reset --hard", "git checkout -- .", "git clean -fd"] {
        let why = roz.bash(line).asks();
        assert!(why.contains("loses work that is not committed"), "{why}");
    }
    roz.bash("git reset --hard HEAD~1").asks();
}

#[test]
fn a_clean_that_loses_nothing_needs_no_intent_and_no_person() {
    let roz = declared("");
    roz.write(".gitignore", "target/\n");
    roz.git(&["add", "-A"]);
    roz.git(&["commit", "-qm", "all"]);
    fs::create_dir(roz.project().join("target")).unwrap();
    roz.write("target/x.o", "");
    let passes = || {
        for line in ["git clean -fdn", "git clean -nfd", "git clean -n -d", "git clean -fdX"] {
            roz.bash(line).passes();
        }
    };
    passes();
    roz.selects("INT-001");
    roz.write("src/auth/new.rs", "");
    passes();
}

#[test]
fn git_commands_that_edit_nothing_need_no_intent() {
    let roz = declared("");
    let named = format!("{} intent select INT-001", crate::support::BINARY);
    for line in ["roz learn show cl_20260101_abcdef", "roz learn list", &named] {
        roz.bash(line).passes();
    }
    for line in [
        "git switch -c x",
        "git stash",
        "git stash pop",
        "git stash && git pull --rebase && git stash pop",
        "git push",
        "git worktree add ../wt -b y",
        "git worktree remove ../wt",
        "git fetch && git merge origin/main",
        "git branch topic",
        "git tag v1",
        "git add -A && git commit -qm work",
    ] {
        roz.bash(line).passes();
    }
    for line in ["git rebase --abort", "git rebase --continue", "cargo fmt --check", "make -j8"] {
        roz.bash(line).passes();
    }
    for line in [
        "git restore src/auth/login.rs",
        "git cherry-pick x",
        "git apply x.patch",
        "git switch x && node build.js",
    ] {
        assert_eq!(json_of(&roz.bash(line).denies())["code"], "MISSING_INTENT", "{line}");
    }
}

#[test]
fn a_write_outside_of_the_project_says_that_no_scope_helps() {
    let roz = declared("");
    roz.selects("INT-001");
    let outside = roz.dir().join("outside.txt");
    let reason = roz.tool("Write", &json!({ "file_path": outside, "content": "" })).denies();
    assert_eq!(json_of(&reason)["code"], "SCOPE_VIOLATION");
    assert!(reason.contains("outside of the project") && !reason.contains("expand"), "{reason}");
    // The temporary folder is nobody's, but for the folder in it that holds the project.
    roz.bash("echo x > /tmp/roz-note.txt").passes();
}

#[test]
fn the_third_refusal_in_a_row_opens_the_circuit() {
    let roz = declared("");
    roz.selects("INT-001");
    for code in ["SCOPE_VIOLATION", "SCOPE_VIOLATION", "CIRCUIT_OPEN"] {
        assert_eq!(json_of(&roz.writes("x.rs").denies())["code"], code);
    }
    assert_eq!(json_of(&roz.writes("y.rs").denies())["code"], "SCOPE_VIOLATION", "another target");
}

#[test]
fn a_broken_sidecar_refuses_writes_with_its_line() {
    let roz = declared("");
    roz.selects("INT-001");
    roz.write(".orchestration/active_intents.yaml", "active_intents:\n  - id: [\n");
    let reason = roz.writes("src/auth/a.rs").denies();
    assert_eq!(json_of(&reason)["code"], "SIDECAR_INVALID");
    assert!(reason.contains("line "), "{reason}");
    roz.bash("git status").passes();
}

#[test]
fn an_intent_that_is_completed_meanwhile_is_selected_no_more() {
    let roz = declared("");
    roz.selects("INT-001");
    let done = INTENTS.replace("status: PENDING # not begun", "status: DONE");
    roz.write(".orchestration/active_intents.yaml", &done);
    roz.prompt("that is done").objects_to_nothing();
    assert_eq!(json_of(&roz.writes("src/auth/a.rs").denies())["code"], "INTENT_NOT_ACTIVE");
    assert_eq!(json_of(&roz.writes("src/auth/a.rs").denies())["code"], "MISSING_INTENT");
}

#[test]
fn an_intent_for_a_turn_is_asked_for_again_at_the_next_prompt() {
    let roz = declared("intent.lifetime = \"turn\"\n");
    roz.selects("INT-001");
    roz.writes("src/auth/a.rs").passes();
    roz.prompt("go on").passes();
    assert_eq!(json_of(&roz.writes("src/auth/a.rs").denies())["code"], "MISSING_INTENT");
}

#[test]
fn the_ignore_file_protects_and_leaves_alone() {
    let roz = declared("");
    roz.write(
        ".orchestration/.intentignore",
        "target/\ndeny src/auth/frozen.rs\nask src/auth/shy.rs\n",
    );
    roz.selects("INT-001");
    roz.bash("touch target/x").passes();
    assert_eq!(json_of(&roz.writes("src/auth/frozen.rs").denies())["code"], "PROTECTED_PATH");
    assert!(roz.writes("src/auth/shy.rs").asks().contains(".intentignore, line 3"));
}

#[test]
fn what_was_changed_is_in_the_ledger_and_what_was_refused_in_the_trace() {
    let roz = declared("");
    roz.selects("INT-001");
    let path = roz.file("src/auth/new.rs");
    let call = roz.call("Write", &json!({ "file_path": path, "content": "a\nb\n" }));
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.write("src/auth/new.rs", "a\nb\n");
    roz.hook("post-tool-use", call).passes();
    roz.writes("x.rs").denies();
    let ledger = roz.project().join(".orchestration/agent_trace.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    let records: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(records.len(), 1, "{text}");
    assert_eq!(records[0]["files"][0]["path"], "src/auth/new.rs");
    assert_eq!(records[0]["intent_id"], "INT-001");
    let range = &records[0]["files"][0]["conversations"][0]["ranges"][0];
    assert_eq!((&range["start_line"], &range["end_line"]), (&json!(1), &json!(2)));
    assert_eq!(roz.trace("intent_refused")[0]["payload"]["code"], "SCOPE_VIOLATION");
    roz.run(&["ledger", "verify"]).succeeds();
    fs::write(&ledger, text.replace("new.rs", "old.rs")).unwrap();
    assert_ne!(roz.run(&["ledger", "verify"]).code, Some(0));
}

#[test]
fn what_is_in_nobodys_scope_says_what_to_do_instead() {
    let roz = declared("");
    roz.write(".orchestration/.intentignore", "deny src/auth/frozen.rs\n");
    roz.selects("INT-001");
    for (line, word) in [
        ("echo > .git/hooks/pre-commit", "ask the user"),
        ("echo > .mcp.json", "ask the user"),
        ("echo > src/auth/frozen.rs", "lift that line"),
        ("rm -r .", "name the files"),
        ("echo > .orchestration/agent_trace.jsonl", "roz intent"),
    ] {
        let reply = roz.bash(line);
        assert!(reply.is_objection(), "{line}");
        let reason = reply.denies();
        let told = json_of(&reason);
        assert_eq!(told["code"], "PROTECTED_PATH", "{line}: {told}");
        assert!(reason.contains(word) && told.get("recovery").is_none(), "{line}: {reason}");
    }
}

#[test]
fn a_plan_of_the_clients_is_nobodys_and_takes_no_intent() {
    let roz = declared("");
    let plans = roz.user_home().join(".claude/plans");
    let write = |path: &std::path::Path| {
        roz.tool("Write", &json!({ "file_path": path, "content": "# Plan\n" }))
    };
    write(&plans.join("quiet-otter.md")).passes();
    roz.selects("INT-001");
    write(&plans.join("quiet-otter.md")).passes();
    // What leads out of it is not.
    write(&plans.join("../CLAUDE.md")).denies();
    fs::create_dir_all(&plans).unwrap();
    std::os::unix::fs::symlink(roz.project().join("src/billing"), plans.join("out")).unwrap();
    write(&plans.join("out/invoice.rs")).denies();
}

#[test]
fn odd_lines_of_intentignore_are_told_as_a_session_begins_and_by_the_doctor() {
    let roz = declared("");
    for line in ["target/ # build", "./build", "*.{js,ts}", "deny secrets/ # keys"] {
        roz.write(".orchestration/.intentignore", &format!("node_modules/\n{line}\n"));
        let start = roz.hook("session-start", json!({ "source": "startup" }));
        assert!(start.tells_user().contains("line 2"), "{line}: {}", start.json);
        let doctor = roz.run(&["doctor", "--only", "intents"]);
        assert!(doctor.stdout.contains("line 2"), "{line}: {doctor:?}");
    }
    for line in ["target/", "deny secrets/**", "a\\ b", "\\#x", "!x", "*.[ch]", "c#/"] {
        roz.write(".orchestration/.intentignore", &format!("{line}\n"));
        let start = roz.hook("session-start", json!({ "source": "startup" }));
        assert!(start.json.get("systemMessage").is_none(), "{line}: {}", start.json);
    }
    // One that was to protect something, and does not, is relied on by nobody.
    roz.selects("INT-001");
    roz.write(".orchestration/.intentignore", "dney src/auth/\n");
    assert_eq!(json_of(&roz.bash("echo > src/auth/a").denies())["code"], "SIDECAR_INVALID");
}

#[test]
fn a_check_shows_a_line_as_it_stands() {
    let roz = declared("");
    roz.write(".orchestration/.intentignore", "a  b/**\n*/\n");
    let told = roz.run(&["intent", "check"]).stdout;
    assert!(told.contains("a  b/**"), "{told}");
}
