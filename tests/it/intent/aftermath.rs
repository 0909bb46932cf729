//! What a call has really changed, through the hooks: real commands run between
//! PreToolUse and PostToolUse, in a real repository.

use std::{fs, os::unix::fs::MetadataExt as _};

use serde_json::{Value, json};

use crate::support::{Reply, Roz};

const DECLARED: &str = "\
active_intents:
  - id: INT-001
    name: Mend the login
    status: IN_PROGRESS
    owned_scope: [\"src/auth/**\", \"lib/**\"]
  - id: INT-002
    name: Billing
    status: IN_PROGRESS
    owned_scope: [\"src/billing/**\"]
";
const SELECT: &str = "mcp__roz__select_active_intent";
const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

/// A repository with two folders of code, the first of which is the intent's.
fn project(config: &str) -> Roz {
    let roz = Roz::with_config(config).in_git();
    for folder in [".orchestration", "src/auth", "src/billing"] {
        fs::create_dir_all(roz.project().join(folder)).unwrap();
    }
    for file in ["src/auth/login.rs", "src/billing/invoice.rs", "src/billing/tax.rs"] {
        roz.write(file, TEXT);
    }
    roz.write(".gitignore", "target/\n*.log\n");
    roz.write(".orchestration/active_intents.yaml", DECLARED);
    for args in [&["add", "."][..], &["commit", "-qm", "second"]] {
        roz.git(args);
    }
    roz
}

fn selected(config: &str) -> Roz {
    let roz = project(config);
    roz.at("s1", "INT-001");
    roz
}

/// Two steps of a call, and what the world does between them.
struct Step<'a> {
    roz: &'a Roz,
    call: Value,
}

impl Roz {
    #[track_caller]
    fn at(&self, session: &str, id: &str) {
        let mut call = self.call(SELECT, &json!({ "intent_id": id }));
        call["session_id"] = session.into();
        self.hook("pre-tool-use", call.clone()).objects_to_nothing();
        call["tool_response"] = json!({});
        self.hook("post-tool-use", call).objects_to_nothing();
    }

    /// A call that is let through, and has not come to its end.
    #[track_caller]
    fn begins(&self, session: &str, name: &str, input: &Value) -> Step<'_> {
        let mut call = self.call(name, input);
        call["session_id"] = session.into();
        self.hook("pre-tool-use", call.clone()).passes();
        call["tool_response"] = json!({});
        Step { roz: self, call }
    }

    #[track_caller]
    fn runs_in(&self, session: &str, line: &str) -> Step<'_> {
        let step = self.begins(session, "Bash", &json!({ "command": line }));
        self.shell(line);
        step
    }

    /// A Bash call that really runs.
    #[track_caller]
    fn ran(&self, line: &str) -> Reply {
        self.runs_in("s1", line).ends()
    }

    #[track_caller]
    fn shell(&self, line: &str) {
        let output = self.program(&["bash", "-c", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }

    #[track_caller]
    fn reads(&self, path: &str) {
        let path = self.project().join(path);
        self.begins("s1", "Read", &json!({ "file_path": path })).ends().passes();
    }

    fn records(&self) -> Vec<Value> {
        let path = self.project().join(".orchestration/agent_trace.jsonl");
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    #[track_caller]
    fn last_record(&self) -> Value {
        self.records().pop().expect("a record")
    }

    /// Until what was written so far is older than what will be.
    fn tick(&self) {
        let probe = self.dir().join("probe");
        let touched = || {
            fs::write(&probe, "").unwrap();
            let meta = fs::metadata(&probe).unwrap();
            (meta.ctime(), meta.ctime_nsec())
        };
        let first = touched();
        while touched() == first {}
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.project().join(path)).unwrap()
    }
}

impl Step<'_> {
    #[track_caller]
    fn ends(self) -> Reply {
        let reply = self.roz.hook("post-tool-use", self.call);
        reply.objects_to_nothing();
        reply
    }

    #[track_caller]
    fn fails(mut self) -> Reply {
        self.call["error"] = "Exit code 1".into();
        self.roz.hook("post-tool-use-failure", self.call)
    }
}

/// `path change 1-2,4` of each file.
fn files(record: &Value) -> Vec<String> {
    let of = |file: &Value| {
        let ranges = file["conversations"][0]["ranges"].as_array().unwrap();
        let ranges: Vec<String> =
            ranges.iter().map(|it| format!("{}-{}", it["start_line"], it["end_line"])).collect();
        let path = file["path"].as_str().unwrap();
        let details = record["metadata"]["dev.roz"]["files"].as_array().unwrap();
        let details = details.iter().find(|it| it["path"] == path).unwrap();
        format!("{path} {} {}", details["change"].as_str().unwrap(), ranges.join(","))
            .trim_end()
            .to_owned()
    };
    record["files"].as_array().unwrap().iter().map(of).collect()
}

#[track_caller]
fn refusal(record: &Value) -> String {
    record["metadata"]["dev.roz"]["refusal"]["code"].as_str().unwrap_or("-").to_owned()
}

/// A script that nobody can look into: what it does stands in a file that only
/// its interpreter reads.
fn hidden(roz: &Roz, lines: &str) -> &'static str {
    roz.write("Makefile", &format!("all:\n\t{}\n", lines.replace('\n', "\n\t")));
    roz.tick();
    "make -s"
}

#[test]
fn a_named_change_has_the_lines_that_are_really_new() {
    let roz = selected("");
    roz.ran("sed -i s/three/3/ src/auth/login.rs").passes();
    assert_eq!(files(&roz.last_record()), ["src/auth/login.rs modified 3-3"]);
    // Now git knows no more than the first text: what was kept tells the rest.
    roz.ran("sed -i s/five/5/ src/auth/login.rs").passes();
    assert_eq!(files(&roz.last_record()), ["src/auth/login.rs modified 5-5"]);
    assert_eq!(roz.last_record()["intent_id"], "INT-001");
    roz.run(&["ledger", "verify"]).succeeds();
    roz.run(&["ledger", "validate"]).succeeds();
    roz.run(&["ledger", "export"]).succeeds();
}

#[test]
fn a_change_in_scope_that_the_line_hides_is_recorded_with_its_lines() {
    let roz = selected("");
    let make =
        hidden(&roz, "sed -i s/two/2/ src/auth/login.rs\nprintf 'a\\nb\\n' > src/auth/new.rs");
    roz.ran(make).passes();
    let expected = ["src/auth/login.rs modified 2-2", "src/auth/new.rs created 1-2"];
    assert_eq!(files(&roz.last_record()), expected);
    assert_eq!(refusal(&roz.last_record()), "-");
}

#[test]
fn a_file_that_git_does_not_have_is_compared_with_what_was_read() {
    let roz = selected("");
    roz.write("src/auth/untracked.rs", TEXT);
    roz.tick();
    roz.reads("src/auth/untracked.rs");
    let make = hidden(&roz, "sed -i s/four/4/ src/auth/untracked.rs");
    roz.ran(make).passes();
    assert_eq!(files(&roz.last_record()), ["src/auth/untracked.rs modified 4-4"]);
}

#[test]
fn a_change_out_of_scope_that_the_line_hides_is_told_with_the_way_back() {
    let roz = selected("");
    let make =
        hidden(&roz, "sed -i s/two/2/ src/billing/invoice.rs\nprintf x > src/billing/new.rs");
    let reply = roz.ran(make);
    let told = reply.context();
    assert!(told.contains("Scope Violation: INT-001 is not authorized"), "{told}");
    assert!(told.contains("src/billing/invoice.rs, src/billing/new.rs"), "{told}");
    assert!(told.contains("`git checkout -- src/billing/invoice.rs`"), "{told}");
    assert!(told.contains("`rm src/billing/new.rs`"), "{told}");
    assert!(reply.tells_user().contains("src/billing/invoice.rs"), "{}", reply.json);
    let json: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert_eq!((&json["code"], &json["intent_id"]), (&json!("SCOPE_VIOLATION"), &json!("INT-001")));
    let record = roz.last_record();
    assert_eq!(refusal(&record), "SCOPE_VIOLATION");
    let expected = ["src/billing/invoice.rs modified 2-2", "src/billing/new.rs created 1-1"];
    assert_eq!(files(&record), expected);
    assert_eq!(roz.records().len(), 1, "told once");

    // The way back is open, and the same path is not.
    roz.bash("printf y > src/billing/new.rs").denies();
    roz.bash("git checkout -- src/billing/invoice.rs; printf y > src/billing/tax.rs").denies();
    roz.ran("git checkout -- src/billing/invoice.rs").passes();
    roz.ran("rm src/billing/new.rs").passes();
    assert_eq!(roz.text("src/billing/invoice.rs"), TEXT);
    assert_eq!(refusal(&roz.last_record()), "-");
    assert_eq!(files(&roz.last_record()), ["src/billing/new.rs deleted"]);
    roz.run(&["ledger", "verify"]).succeeds();
}

#[test]
fn a_call_that_fails_is_looked_at_as_well() {
    let roz = selected("");
    let make = hidden(&roz, "printf x > src/billing/new.rs");
    let told = roz.runs_in("s1", make).fails().context();
    assert!(told.contains("src/billing/new.rs"), "{told}");
    assert_eq!(refusal(&roz.last_record()), "SCOPE_VIOLATION");
}

#[test]
fn code_of_another_language_is_looked_at_afterwards() {
    let roz = selected("");
    let script = "python3 - <<'E'\nimport base64\nd = base64.b64decode\n\
                  p = [d(b'c3JjL2F1dGgvYS5yYg==').decode(), d(b'c3JjL2JpbGxpbmcvYi5yYg==').decode()]\n\
                  for it in p:\n    getattr(__builtins__, 'op' + 'en')(it, 'w').write('x')\nE";
    if !crate::support::works(&["python3", "-c", ""]) {
        return crate::support::skip("code_of_another_language", "there is no python3");
    }
    let told = roz.ran(script).context();
    assert!(told.contains("src/billing/b.rb") && !told.contains("src/auth/a.rb"), "{told}");
    assert_eq!(
        files(&roz.last_record()),
        ["src/auth/a.rb created 1-1", "src/billing/b.rb created 1-1"]
    );
}

#[test]
fn what_is_deleted_and_what_is_moved_is_found() {
    let roz = selected("");
    roz.ran("mv src/auth/login.rs src/auth/door.rs").passes();
    assert_eq!(
        files(&roz.last_record()),
        ["src/auth/door.rs created 1-5", "src/auth/login.rs deleted"]
    );
    let make = hidden(&roz, "rm src/billing/tax.rs");
    let told = roz.ran(make).context();
    assert!(told.contains("`git checkout -- src/billing/tax.rs`"), "{told}");
    assert_eq!(files(&roz.last_record()), ["src/billing/tax.rs deleted"]);
    // It is told once, though it is still gone.
    let make = hidden(&roz, "printf x > src/auth/other.rs\ntouch src/billing");
    roz.ran(make).passes();
    let make = hidden(&roz, "rm -r src/billing");
    let told = roz.ran(make).context();
    assert!(told.contains("src/billing/invoice.rs") && !told.contains("tax"), "{told}");
}

#[test]
fn what_was_only_touched_has_not_changed() {
    let roz = selected("");
    let before = roz.records().len();
    let make = hidden(&roz, "touch src/billing/tax.rs\nchmod +x src/billing/invoice.rs");
    roz.ran(make).passes();
    roz.ran("mkdir -p src/auth").passes();
    roz.ran("git checkout -- src/auth/login.rs").passes();
    assert_eq!(roz.records().len(), before);
}

#[test]
fn an_age_that_is_set_back_hides_nothing() {
    let roz = selected("");
    let make = hidden(
        &roz,
        "sed -i s/two/2/ src/billing/tax.rs\ntouch -d '2001-01-01' src/billing/tax.rs",
    );
    assert!(roz.ran(make).context().contains("src/billing/tax.rs"));
}

#[test]
fn a_checkout_takes_back_what_was_not_committed() {
    let roz = selected("");
    roz.ran("sed -i s/two/2/ src/auth/login.rs").passes();
    roz.ran("git checkout -- src/auth/login.rs").passes();
    assert_eq!(files(&roz.last_record()), ["src/auth/login.rs modified 2-2"]);
    assert_eq!(roz.text("src/auth/login.rs"), TEXT);
}

#[test]
fn what_git_ignores_is_left_alone_unless_somebody_is_kept_from_it() {
    let roz = selected("");
    fs::create_dir_all(roz.project().join("target/debug")).unwrap();
    let make = hidden(&roz, "printf x > target/debug/out.rs\nprintf x > src/billing/build.log");
    roz.ran(make).passes();
    assert!(roz.records().is_empty());
    roz.write(".orchestration/.intentignore", "deny target/debug/frozen.rs\nsrc/billing/gen/\n");
    roz.tick();
    let make = hidden(&roz, "mkdir src/billing/gen\nprintf x > src/billing/gen/a.rs");
    roz.ran(make).passes();
    let make = hidden(&roz, "printf x > target/debug/frozen.rs");
    assert!(roz.ran(make).context().contains("target/debug/frozen.rs"));
    assert_eq!(refusal(&roz.last_record()), "PROTECTED_PATH");
}

#[test]
fn a_list_of_what_to_ignore_that_the_call_itself_writes_says_nothing() {
    let roz = selected("");
    let make = hidden(&roz, "printf '*' > src/billing/.gitignore\nprintf x > src/billing/tax.rs");
    let told = roz.ran(make).context();
    assert!(told.contains("src/billing/.gitignore, src/billing/tax.rs"), "{told}");
}

#[test]
fn the_intents_themselves_and_the_clients_settings_are_nobodys() {
    let roz = selected("");
    let make = hidden(
        &roz,
        "sed -i s,src/auth,src, .orchestration/active_intents.yaml\nmkdir .claude\n\
         printf '{}' > .claude/settings.json",
    );
    let told = roz.ran(make).context();
    assert!(told.contains(".claude/settings.json, .orchestration/active_intents.yaml"), "{told}");
    assert_eq!(refusal(&roz.last_record()), "PROTECTED_PATH");
    // What roz itself writes there is no trespass.
    let roz = selected("");
    let step = roz.begins("s1", "Bash", &json!({ "command": hidden(&roz, "true") }));
    let text = roz.text(".orchestration/active_intents.yaml");
    roz.write(".orchestration/active_intents.yaml", &text.replace("IN_PROGRESS", "DRAFT"));
    roz.at("s2", "INT-002");
    step.ends().passes();
}

#[test]
fn a_permission_that_the_user_gives_meanwhile_is_not_blamed_on_the_call() {
    let roz = selected("");
    let make = hidden(&roz, "mkdir .claude\nprintf '{}' > .claude/settings.local.json");
    let reply = roz.ran(make);
    assert!(reply.tells_user().contains(".claude/settings.local.json"), "{}", reply.json);
    assert!(reply.json.get("hookSpecificOutput").is_none(), "{}", reply.json);
    assert!(roz.records().is_empty());
}

#[test]
fn a_reviewers_change_of_what_is_tracked_lacks_an_intent() {
    let roz = project("review.mode = \"prompt\"\n");
    roz.at("s1", "INT-001");
    roz.prompt("#roz look at it").objects_to_nothing();
    let reviewer = roz.reviewer("a1");
    let make = hidden(&roz, "printf x > src/auth/report.txt");
    let mut call = roz.call("Bash", &json!({ "command": make }));
    call["agent_id"] = reviewer.agent.clone().into();
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.shell(make);
    roz.hook("post-tool-use", call).passes();
    assert!(roz.records().is_empty(), "what tests leave behind is nobody's");
    let make = hidden(&roz, "printf x > src/auth/login.rs");
    let mut call = roz.call("Bash", &json!({ "command": make }));
    call["agent_id"] = reviewer.agent.clone().into();
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.shell(make);
    let told = roz.hook("post-tool-use", call).context();
    assert!(told.contains("You must cite a valid active Intent ID"), "{told}");
    assert_eq!(refusal(&roz.last_record()), "MISSING_INTENT");
    assert_eq!(files(&roz.last_record()), ["src/auth/login.rs modified 1-1"]);
}

#[test]
fn a_write_of_another_session_is_not_blamed_on_a_call_that_runs_meanwhile() {
    let roz = selected("");
    roz.at("s2", "INT-002");
    let make = roz.begins("s1", "Bash", &json!({ "command": hidden(&roz, "true") }));
    let path = roz.project().join("src/billing/new.rs");
    let input = json!({ "file_path": path, "content": "x" });
    // It has ended: the ledger tells. It has not: its own hook will.
    let write = roz.begins("s2", "Write", &input);
    roz.write("src/billing/new.rs", "x");
    write.ends().passes();
    let open = roz.project().join("src/billing/open.rs");
    let write = roz.begins("s2", "Write", &json!({ "file_path": open, "content": "x" }));
    roz.write("src/billing/open.rs", "x");
    make.ends().passes();
    write.ends().passes();
    let whose: Vec<(Value, Vec<String>)> =
        roz.records().iter().map(|it| (it["session_id"].clone(), files(it))).collect();
    let of = |path: &str| (json!("s2"), vec![format!("{path} created 1-1")]);
    assert_eq!(whose, [of("src/billing/new.rs"), of("src/billing/open.rs")]);
}

#[test]
fn where_two_calls_ran_at_once_the_words_say_so() {
    let roz = selected("");
    roz.at("s2", "INT-002");
    let make = hidden(&roz, "true");
    let one = roz.begins("s1", "Bash", &json!({ "command": make }));
    let two = roz.begins("s2", "Bash", &json!({ "command": make }));
    // It is in the other's scope: so it is the other's to tell.
    roz.write("src/billing/tax.rs", "x\n");
    // It is in nobody's.
    roz.write("README.md", "x\n");
    let told = one.ends().context();
    assert!(told.contains("README.md") && !told.contains("tax.rs"), "{told}");
    assert!(told.contains("session s2 for INT-002"), "{told}");
    two.ends();
    let last = roz.last_record();
    assert_eq!((&last["session_id"], files(&last).len()), (&json!("s2"), 1), "{last}");
    assert_eq!(files(&last), ["src/billing/tax.rs modified 1-1"]);
}

#[test]
fn two_calls_of_one_session_tell_of_each_change_once() {
    let roz = selected("");
    let make = hidden(&roz, "true");
    let one = roz.begins("s1", "Bash", &json!({ "command": make }));
    let line = json!({ "command": "printf 2 > src/auth/two.rs" });
    let two = roz.begins("s1", "Bash", &line);
    roz.shell("printf 1 > src/auth/one.rs; printf 2 > src/auth/two.rs");
    one.ends().passes();
    two.ends().passes();
    let told: Vec<Vec<String>> = roz.records().iter().map(files).collect();
    assert_eq!(told, [["src/auth/one.rs created 1-1"], ["src/auth/two.rs created 1-1"]]);
}

#[test]
fn a_link_that_is_turned_is_a_change_of_the_link() {
    let roz = selected("");
    fs::create_dir(roz.project().join("lib")).unwrap();
    std::os::unix::fs::symlink("../src/auth", roz.project().join("lib/link")).unwrap();
    std::os::unix::fs::symlink("auth", roz.project().join("src/link")).unwrap();
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "links"]);
    roz.tick();
    let make = hidden(&roz, "ln -sfn ../src/billing lib/link\nln -sfn billing src/link");
    let told = roz.ran(make).context();
    assert!(told.contains("src/link (") && !told.contains("invoice"), "{told}");
    assert_eq!(files(&roz.last_record()), ["lib/link modified 1-1", "src/link modified 1-1"]);
    assert_eq!(roz.text("src/billing/tax.rs"), TEXT);
}

#[test]
fn large_and_binary_files_are_changed_without_lines() {
    let roz = selected("");
    fs::write(roz.project().join("src/auth/large"), vec![b'x'; 20 << 20]).unwrap();
    fs::write(roz.project().join("src/auth/binary"), [0, 1, 2, 3]).unwrap();
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "large"]);
    roz.tick();
    let make = hidden(&roz, "printf y >> src/auth/large\nprintf y >> src/auth/binary");
    roz.ran(make).passes();
    assert_eq!(files(&roz.last_record()), ["src/auth/binary modified", "src/auth/large modified"]);
    let opaque = |record: &Value| -> Vec<Value> {
        let files = record["metadata"]["dev.roz"]["files"].as_array().unwrap();
        files.iter().map(|it| it["opaque"].clone()).collect()
    };
    assert_eq!(opaque(&roz.last_record()), ["binary", "too_large"]);
    roz.ran("printf y >> src/auth/large").passes();
    assert_eq!(opaque(&roz.last_record()), ["too_large"]);
    let records = roz.records().len();
    roz.ran("truncate -c -s 20971522 src/auth/large").passes();
    assert!(roz.records().len() <= records + 1);
}

#[test]
fn other_ends_of_lines_are_no_other_lines() {
    let roz = selected("");
    roz.git(&["config", "core.autocrlf", "true"]);
    roz.shell("rm src/auth/login.rs; git checkout -q -- src/auth/login.rs");
    assert!(roz.text("src/auth/login.rs").contains("\r\n"));
    roz.tick();
    let make = hidden(&roz, "sed -i s/two/2/ src/auth/login.rs");
    roz.ran(make).passes();
    assert_eq!(files(&roz.last_record()), ["src/auth/login.rs modified 2-2"]);
}

#[test]
fn without_git_new_files_are_found_all_the_same() {
    let roz = Roz::new();
    for folder in [".orchestration", "src/auth", "src/billing"] {
        fs::create_dir_all(roz.project().join(folder)).unwrap();
    }
    roz.write(".orchestration/active_intents.yaml", DECLARED);
    roz.write("src/billing/tax.rs", TEXT);
    roz.at("s1", "INT-001");
    roz.tick();
    let make = hidden(&roz, "printf x > src/auth/new.rs\nprintf x >> src/billing/tax.rs");
    let told = roz.ran(make).context();
    assert!(told.contains("src/billing/tax.rs") && told.contains("ask the user"), "{told}");
    let record = roz.last_record();
    assert_eq!(files(&record), ["src/auth/new.rs created 1-1", "src/billing/tax.rs modified"]);
    assert!(record.get("vcs").is_none(), "{record}");
}

#[test]
fn before_the_first_commit_there_is_nothing_to_go_back_to() {
    let roz = Roz::new();
    roz.git(&["init", "-q"]);
    for folder in [".orchestration", "src/billing"] {
        fs::create_dir_all(roz.project().join(folder)).unwrap();
    }
    roz.write(".orchestration/active_intents.yaml", DECLARED);
    roz.write("src/billing/tax.rs", TEXT);
    roz.at("s1", "INT-001");
    roz.tick();
    let make = hidden(&roz, "printf x >> src/billing/tax.rs");
    let told = roz.ran(make).context();
    assert!(told.contains("ask the user") && !told.contains("git checkout"), "{told}");
}

#[test]
fn a_worktree_of_its_own_and_a_submodule_are_looked_at() {
    let roz = selected("");
    let tree = roz.dir().join("tree");
    roz.git(&["worktree", "add", "-q", "--detach", tree.to_str().unwrap()]);
    roz.git(&["worktree", "list"]);
    let session = |mut call: Value| {
        call["session_id"] = "s3".into();
        call["cwd"] = tree.to_str().unwrap().into();
        call
    };
    let mut call = session(roz.call(SELECT, &json!({ "intent_id": "INT-001" })));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    call["tool_response"] = json!({});
    roz.hook("post-tool-use", call).objects_to_nothing();
    roz.tick();
    fs::write(tree.join("Makefile"), "all:\n\tsed -i s/two/2/ src/billing/tax.rs\n").unwrap();
    let call = session(roz.call("Bash", &json!({ "command": "make -s" })));
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.shell(&format!("make -s -C {}", tree.display()));
    let told = roz.hook("post-tool-use", call).context();
    assert!(told.contains("`git checkout -- src/billing/tax.rs`"), "{told}");

    let other = roz.dir().join("other");
    roz.shell(&format!(
        "git init -q {0} && cd {0} && echo a > a && git add . && git commit -qm x",
        other.display()
    ));
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
    roz.git(&[&add[..], &[other.to_str().unwrap(), "sub"]].concat());
    roz.git(&["commit", "-qm", "sub"]);
    roz.tick();
    let make = hidden(&roz, "echo b >> sub/a");
    let told = roz.ran(make).context();
    assert!(told.contains("sub/a"), "{told}");
}

#[test]
fn a_tree_that_is_too_large_is_not_looked_at_and_the_record_says_so() {
    let roz = selected("");
    let heap = roz.project().join("heap");
    fs::create_dir(&heap).unwrap();
    for n in 0..20_100 {
        fs::write(heap.join(n.to_string()), "").unwrap();
    }
    let make = hidden(&roz, "true");
    roz.ran(make).objects_to_nothing();
    let why = roz.last_record()["metadata"]["dev.roz"]["not_looked"].clone();
    assert!(why.as_str().is_some_and(|it| it.contains("entries") || it.contains("ms")), "{why}");
}

#[test]
fn a_command_that_runs_on_in_the_background_is_not_said_to_be_looked_at() {
    let roz = selected("");
    let mut step = roz.begins("s1", "Bash", &json!({ "command": hidden(&roz, "true") }));
    step.call["tool_response"] = json!({ "backgroundTaskId": "b1", "stdout": "" });
    step.ends().passes();
    let why = &roz.last_record()["metadata"]["dev.roz"]["not_looked"];
    assert_eq!(why, "it runs on in the background");
}

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
    assert_eq!(told(roz.tool("Write", &never)), "not by an agent roz knows of");
}

#[test]
fn what_is_kept_for_comparison_goes_with_its_session() {
    let roz = selected("");
    roz.reads("src/auth/login.rs");
    let images = roz.home().join("images/s1");
    assert_eq!(fs::read_dir(&images).unwrap().count(), 1);
    roz.run(&["clean", "--all", "--yes"]).succeeds();
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
    let path = roz.project().join(".orchestration/agent_trace.jsonl");
    let file = fs::File::create(&path).unwrap();
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
