//! `roz init` through the binary: what it writes works, and what was there
//! stays. (`tests/it/intent/init.rs` has what concerns intents alone.)

use std::fs;

use serde_json::{Value, json};

use crate::support::{Ran, Roz, start};

fn read(roz: &Roz, path: &str) -> String {
    fs::read_to_string(roz.project().join(path)).unwrap_or_default()
}

#[test]
fn without_a_terminal_the_gates_are_to_be_named() {
    let roz = Roz::new();
    let ran = roz.run(&["init"]).fails();
    assert!(ran.contains("--review, --reflection, --intent, or --all"), "{}", ran);
    assert!(!roz.project().join(".roz").exists());
}

#[test]
fn what_it_writes_switches_the_gates_on() {
    let roz = Roz::new();
    roz.git(&["init", "-q"]);
    fs::create_dir(roz.project().join(".tissue")).unwrap();
    roz.run(&["init", "--review", "--reflection"]).succeeds();
    assert!(roz.run(&["config", "check"]).succeeds().stdout.contains("nothing is wrong"));
    let config = &roz.json(&["config", "show"])["config"];
    assert_eq!(config["reflection"]["enabled"], json!(true));
    let gated = roz.json(&["explain", "git push origin main"]);
    assert_eq!(gated["verdict"], "deny", "{gated}");
    let closes = roz.json(&["explain", "tissue status t-1 closed"]);
    assert_eq!(closes["verdict"], "deny", "{closes}");
    assert!(!roz.project().join(".orchestration").exists());
}

#[test]
fn every_command_that_closes_a_ticket_waits_for_a_reviewer_and_is_named() {
    let roz = Roz::new();
    for marker in [".tissue", ".beads"] {
        fs::create_dir(roz.project().join(marker)).unwrap();
    }
    let told = roz.run(&["init", "--review"]).succeeds().stdout;
    assert!(told.contains("`Bash:git push*`") && told.contains("`mcp__tissue__close*`"), "{told}");
    for line in [
        "tissue status t-1 duplicate",
        "tissue edit t-1 --status closed",
        "tissue edit --status=duplicate t-1",
        "bd close",
        "bd done b-1",
        "beads complete b-1 -r done",
        "bd update b-1 -s closed",
        "beads update b-1 --status=closed",
    ] {
        assert_eq!(roz.json(&["explain", line])["verdict"], "deny", "{line}");
    }
    let tool = ["explain", "--tool", "mcp__beads__close", "--input", "{}"];
    assert_eq!(roz.json(&tool)["verdict"], "deny");
    for line in ["tissue list", "tissue status t-1 open", "bd update b-1 -s open", "bd list closed"]
    {
        assert_ne!(roz.json(&["explain", line])["verdict"], "deny", "{line}");
    }
}

#[test]
fn the_next_steps_are_what_is_left_to_do() {
    let roz = Roz::new();
    roz.git(&["init", "-q"]);
    let first = roz.run(&["init", "--review"]).succeeds().stdout;
    assert!(!first.contains("ticket") && !first.contains("tissue"), "{first}");
    let at = |what: &str| first.find(what).unwrap_or_else(|| panic!("{what}: {first}"));
    assert!(at("`roz install`") < at("`roz doctor`") && at("`roz doctor`") < at("commit these"));
    let again = roz.run(&["init", "--review"]).succeeds().stdout;
    assert!(!again.contains("commit these files"), "{again}");
    fs::write(roz.project().join(".roz/config.toml"), "[review]\nmode = \"always\"\n").unwrap();
    let left = roz.run(&["init", "--all"]).stdout;
    assert!(left.contains("Add by hand") && !left.contains("commit these files"), "{left}");
}

#[test]
fn the_peers_learnings_of_the_user_are_copied_once_and_their_file_stays() {
    const PEER: &str = "\
## cl_20260301_001

**Category:** pitfall
**Summary:** Rebase before the push
**Scope:** personal | **Confidence:** high | **Status:** active

Else the remote refuses it.

---
";
    let roz = Roz::new();
    assert!(roz.run(&["init", "--import"]).fails().contains("to import"));
    let theirs = roz.user_home().join(".grove/personal-learnings.md");
    fs::create_dir_all(theirs.parent().unwrap()).unwrap();
    fs::write(&theirs, PEER).unwrap();
    assert!(roz.run(&["init", "--import"]).succeeds().stdout.contains("1 learning"));
    let ours = roz.home().join("personal-learnings.md");
    let copied = fs::read_to_string(&ours).unwrap();
    assert!(copied.contains("cl_20260301_001") && copied.contains("Rebase before the push"));
    roz.run(&["init", "--import"]).succeeds();
    assert_eq!(fs::read_to_string(&ours).unwrap(), copied);
    assert_eq!(fs::read_to_string(&theirs).unwrap(), PEER);
    assert_eq!(roz.json(&["learn", "list"])["learnings"].as_array().map(Vec::len), Some(1));
    assert!(!roz.project().join(".roz").exists(), "no gate was asked for");
}

#[test]
fn git_joins_two_branches_that_both_learned() {
    let roz = Roz::new();
    roz.git(&["init", "-q", "-b", "main"]);
    roz.run(&["init", "--all"]).succeeds();
    let said = roz.git(&["check-attr", "merge", "--", ".roz/learnings.md"]);
    assert!(said.contains("merge: union"), "{said}");
}

#[test]
fn a_second_run_changes_nothing_and_what_was_there_stays() {
    let roz = Roz::new();
    roz.git(&["init", "-q"]);
    fs::write(roz.project().join(".gitattributes"), "*.png binary").unwrap();
    fs::create_dir(roz.project().join(".roz")).unwrap();
    fs::write(roz.project().join(".roz/config.toml"), "[review]\nmode = \"always\"\n").unwrap();
    let ran = roz.run(&["init", "--all"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("Add by hand:\n[review.gates]"), "{}", ran.stdout);
    assert_eq!(read(&roz, ".roz/config.toml"), "[review]\nmode = \"always\"\n");
    let attributes = read(&roz, ".gitattributes");
    assert!(attributes.starts_with("*.png binary\n.roz/learnings.md merge=union\n"));
    fs::write(roz.project().join(".roz/config.toml"), "review.gates.tools = []\n").unwrap();
    let again = roz.run(&["init", "--all"]).succeeds().stdout;
    assert!(!again.contains("Wrote") && !again.contains("Added"), "{again}");
    assert_eq!(read(&roz, ".gitattributes"), attributes);
}

/// The text with the settings that are commented out uncommented.
fn uncommented(text: &str) -> String {
    let is_key = |it: &str| it.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
    let line = |it: &str| match it.strip_prefix("# ") {
        Some(rest) if is_key(rest) => format!("{rest}\n"),
        _ => format!("{it}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn each_key_in_a_comment_can_be_uncommented() {
    let roz = Roz::new();
    roz.git(&["init", "-q"]);
    roz.run(&["init", "--all"]).succeeds();
    let text = read(&roz, ".roz/config.toml");
    roz.configure(&uncommented(&text));
    assert_eq!(roz.json(&["config", "check"])["diagnostics"], json!([]));

    let schema: Value = roz.json(&["config", "schema"]);
    let schema = jsonschema::validator_for(&schema).unwrap();
    let document: toml::Value = toml::from_str(&uncommented(&text)).unwrap();
    let document = serde_json::to_value(document).unwrap();
    let wrong: Vec<String> = schema.iter_errors(&document).map(|it| it.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(!schema.is_valid(&json!({ "review": { "mood": 1 } })));
}

#[test]
fn the_users_own_home_is_no_project() {
    let roz = Roz::new();
    let elsewhere = roz.dir().join("own");
    fs::create_dir(&elsewhere).unwrap();
    let roz_home = elsewhere.join(".roz").display().to_string();
    for (place, env) in [(roz.user_home(), vec![]), (elsewhere, vec![("ROZ_HOME", roz_home)])] {
        let mut command = roz.command(&["init", "--review"]);
        command.current_dir(&place).envs(env);
        let said = Ran::of(start(&mut command).wait_with_output().unwrap()).fails();
        assert!(said.contains("is not a project") && said.contains("`cd` to"), "{said}");
        assert!(!place.join(".roz/config.toml").exists());
    }
}

#[test]
fn a_working_directory_that_is_gone_is_an_error_and_not_the_root() {
    let roz = Roz::new();
    let gone = roz.project().join("gone");
    for args in [
        &["init", "--review"][..],
        &["status"],
        &["explain", "git push"],
        &["config", "show"],
        &["doctor"],
        &["intent", "list"],
    ] {
        fs::create_dir(&gone).unwrap();
        let line = format!("rmdir '{}'; exec \"$0\" \"$@\"", gone.display());
        let mut command = roz.through(&["sh", "-c", &line], args);
        let ran = Ran::of(start(command.current_dir(&gone)).wait_with_output().unwrap());
        let said = ran.fails();
        assert!(said.contains("no longer exists") && said.contains("`cd`"), "{said}");
    }
    assert!(!fs::exists("/.roz").unwrap());
}

#[test]
fn a_link_is_called_a_link() {
    let roz = Roz::new();
    fs::create_dir(roz.project().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", roz.project().join(".roz")).unwrap();
    let said = roz.run(&["init", "--review"]).fails();
    assert!(said.contains("is a symbolic link"), "{said}");
}
