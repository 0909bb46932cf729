//! What a call has really changed, through the hooks: real commands run between
//! PreToolUse and PostToolUse, in a real repository.
//!
//! Long because it also has the helpers that all of them use.

mod doubled;
mod edges;
mod false_alarms;
mod git_brought;

mod recorded;
mod who_changed;
mod widened;

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
        fs::write(&probe, "").unwrap();
        let meta = fs::metadata(&probe).unwrap();
        while roz::world::changed_since::now() <= (meta.ctime(), meta.ctime_nsec()) {}
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

/// The command that an agent was told for taking a change back.
#[track_caller]
fn way_back(told: &str) -> String {
    let of = |it: &&str| ["git ", "cp ", "rm "].iter().any(|way| it.starts_with(way));
    told.split('`').find(of).expect(told).to_owned()
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

/// A script that nobody can look into: what it does is in a file that only its interpreter reads.
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
    assert!(told.contains("`git restore -- src/billing/invoice.rs`"), "{told}");
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
    roz.bash("git restore -- src/billing/invoice.rs; printf y > src/billing/tax.rs").denies();
    for spelling in ["git restore", "git checkout --", "git checkout HEAD --"] {
        roz.bash(&format!("{spelling} src/billing/invoice.rs && rm src/billing/new.rs")).passes();
    }
    roz.ran("git restore -- src/billing/invoice.rs").passes();
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
    assert!(told.contains("`git restore -- src/billing/tax.rs`"), "{told}");
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
    let make = hidden(&roz, "touch src/billing/tax.rs\nchmod 600 src/billing/invoice.rs");
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
    roz.prompt("mind these").objects_to_nothing();
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
    let text = roz.text(".orchestration/active_intents.yaml");
    roz.write(".orchestration/active_intents.yaml", &text.replace("IN_PROGRESS", "DRAFT"));
    roz.prompt("begin anew").objects_to_nothing();
    let step = roz.begins("s1", "Bash", &json!({ "command": hidden(&roz, "true") }));
    roz.at("s2", "INT-002");
    assert_ne!(roz.text(".orchestration/active_intents.yaml"), text);
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
fn what_two_calls_changed_at_once_is_told_by_the_one_whose_it_is() {
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
fn a_call_is_judged_by_the_scope_that_it_began_with() {
    let roz = selected("");
    let make = hidden(
        &roz,
        "sed -i s,src/auth,src, .orchestration/active_intents.yaml\nprintf x > src/billing/new.rs",
    );
    let told = roz.ran(make).context();
    assert!(told.contains("src/billing/new.rs (Scope Violation"), "{told}");
    assert!(told.contains("active_intents.yaml (is in nobody's scope)"), "{told}");
}

#[test]
fn a_folder_that_is_moved_takes_its_files_along() {
    let roz = selected("");
    let make = hidden(&roz, "mv src/auth src/doors");
    let told = roz.ran(make).context();
    assert!(told.contains("src/doors/login.rs (Scope Violation"), "{told}");
    assert_eq!(
        files(&roz.last_record()),
        ["src/auth/login.rs deleted", "src/doors/login.rs modified"]
    );
}

#[test]
fn a_sidecar_that_a_line_removes_is_told_at_once() {
    let roz = selected("");
    let make = hidden(&roz, "rm -r .orchestration");
    let reply = roz.ran(make);
    assert!(reply.context().contains(".orchestration/active_intents.yaml"), "{}", reply.json);
    assert!(reply.tells_user().contains("is kept"), "{}", reply.json);
    roz.bash("printf x > src/auth/a.rs").denies();
    roz.git(&["checkout", "--", ".orchestration"]);
    roz.ran("printf x > src/auth/a.rs").passes();
    let codes: Vec<String> = roz.records().iter().map(refusal).collect();
    assert_eq!(codes, ["PROTECTED_PATH", "-"]);
}

#[test]
fn what_was_read_and_no_git_has_can_be_had_back() {
    let roz = selected("");
    roz.write("src/billing/notes.txt", TEXT);
    roz.tick();
    roz.reads("src/billing/notes.txt");
    let make = hidden(&roz, "printf x > src/billing/notes.txt");
    let told = roz.ran(make).context();
    let command = told.split('`').find(|it| it.starts_with("cp ")).expect(&told).to_owned();
    assert!(command.contains("/images/s1/"), "{command}");
    roz.ran(&command).passes();
    assert_eq!(roz.text("src/billing/notes.txt"), TEXT);
    assert_eq!(refusal(&roz.last_record()), "-");
}
