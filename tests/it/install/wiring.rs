//! What `roz install` writes and asks the client for, and what `roz uninstall`
//! takes back.

use std::fs;

use serde_json::{Value, json};

use super::{CLIENT, Machine, put_binary};

#[test]
fn without_a_client_the_folder_is_written_and_the_commands_are_printed() {
    let machine = Machine::new();
    let text = machine.says(&["install"]);
    let plugin = machine.plugin();
    let plugin = plugin.display();
    assert!(text.contains(&format!("  claude plugin marketplace add {plugin}\n")), "{text}");
    assert!(text.contains("  claude plugin install roz@roz --scope user\n"), "{text}");
    assert!(!text.contains("warning"), "{text}");
    let command = &machine.hooks()["hooks"]["Stop"][0]["hooks"][0]["command"];
    assert_eq!(*command, json!(machine.roz()));
    assert_eq!(machine.plugin().join("bin/roz").canonicalize().unwrap(), machine.roz());
}

#[test]
fn what_waits_for_the_client_is_named_and_not_forgotten() {
    let machine = Machine::new();
    for option in ["--permissions", "--status-line", "--yes"] {
        let text = machine.says(&["install", option]).replace('\n', " ");
        assert!(text.contains("Unfinished") && text.contains("were not added"), "{text}");
    }
}

#[test]
fn where_no_agent_is_found_the_programs_that_were_looked_for_are_named() {
    let machine = Machine::new();
    let ran = machine.run(&["install", "--all"]);
    let text = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{text}");
    assert!(text.contains("`claude`, `codex`") && text.contains("`roz install --all`"), "{text}");
}

#[test]
fn installing_twice_is_installing_once() {
    let machine = Machine::new();
    machine.says(&["install"]);
    let before = machine.listing();
    let text = machine.says(&["install"]);
    assert!(text.contains("up to date"), "{text}");
    assert_eq!(machine.listing(), before);
}

#[test]
fn a_binary_that_has_moved_is_found_again_by_installing_again() {
    let machine = Machine::new();
    machine.says(&["install"]);
    let moved = machine.home().join("elsewhere/roz");
    put_binary(&moved);
    fs::remove_file(machine.roz()).unwrap();
    machine.doctor_at(&moved).finds("hooks", "fail", "does not start");
    assert!(machine.run_binary(&moved, &["install"]).status.success());
    assert_eq!(machine.hooks()["hooks"]["Stop"][0]["hooks"][0]["command"], json!(moved));
}

#[test]
fn strictness_stays_until_it_is_taken_back() {
    let machine = Machine::new();
    let on_failure = || machine.hooks()["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"].clone();
    for (args, expected) in [
        (&["install"][..], json!(null)),
        (&["install", "--strict"], json!("block")),
        (&["install"], json!("block")),
        (&["install", "--strict=false"], json!(null)),
    ] {
        machine.says(args);
        assert_eq!(on_failure(), expected, "{args:?}");
    }
}

#[test]
fn uninstalling_leaves_the_home_as_it_was() {
    let machine = Machine::new();
    machine.write("home/.roz/config.toml", "[review]\nmode = \"always\"\n");
    machine.write("home/.roz/sessions/s1.json", "{}");
    machine.write("home/.local/share/other/file", "theirs");
    let before = machine.listing();
    machine.says(&["install"]);
    machine.says(&["install", "--strict"]);
    assert_ne!(machine.listing(), before);
    machine.says(&["uninstall"]);
    assert_eq!(machine.listing(), before);
    assert!(machine.says(&["uninstall"]).contains("Nothing to undo"));
}

#[test]
fn a_client_is_asked_by_its_own_commands() {
    let machine = Machine::with_client();
    let text = machine.says(&["install"]);
    let plugin = machine.plugin();
    // It says `already installed` of an old version and of one switched off.
    let add = format!("plugin marketplace add {}", plugin.display());
    let calls = [
        "plugin list --json",
        &add,
        "plugin install roz@roz --scope user",
        "plugin list --json",
        "plugin update roz@roz --scope user",
        "plugin enable roz@roz --scope user",
    ];
    assert_eq!(machine.calls(), calls, "{text}");

    let found = machine.doctor();
    for name in ["hooks", "client"] {
        assert_eq!(found.check(name)["status"], "ok", "{:#}", found.check(name));
    }

    fs::remove_file(machine.home().join("calls")).unwrap();
    machine.says(&["uninstall"]);
    let calls = [
        "plugin list --json",
        "plugin uninstall roz@roz --scope user",
        "plugin marketplace remove roz",
    ];
    assert_eq!(machine.calls(), calls);
    assert!(!machine.plugin().exists());
}

#[test]
fn a_marketplace_of_somebody_elses_is_left_by_uninstalling() {
    let machine = Machine::with_client();
    let theirs = r#"{"roz":{"source":{"source":"directory","path":"/elsewhere"}}}"#;
    machine.write("home/.claude/plugins/known_marketplaces.json", theirs);
    assert!(machine.says(&["uninstall"]).contains("`/elsewhere`, which is not ours"));
    assert!(machine.calls().is_empty());
}

#[test]
fn a_client_that_refuses_is_quoted() {
    let machine = Machine::with_client();
    let client = CLIENT.replace("mkdir -p", "echo 'no room for plugins' >&2; exit 1; mkdir -p");
    machine.program("bin/claude", &client);
    let ran = machine.run(&["install"]);
    assert_eq!(ran.status.code(), Some(1));
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(said.contains("marketplace add") && said.contains("no room for plugins"), "{said}");
}

#[test]
fn a_place_that_cannot_be_written_is_named_with_the_remedy() {
    let machine = Machine::new();
    machine.write("home/.local", "in the way");
    let ran = machine.run(&["install"]);
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(
        said.contains("failed to write the plugin") && said.contains("XDG_DATA_HOME"),
        "{said}"
    );
}

#[test]
fn a_dry_run_writes_nothing_and_asks_nobody() {
    let machine = Machine::with_client();
    let before = machine.listing();
    let words =
        ["install", "--client", "claude", "--client", "codex", "--trial", "--dry-run", "--json"];
    let said: Value = serde_json::from_str(&machine.says(&words)).unwrap();
    let done: Vec<&str> =
        said["done"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(done.len(), 6, "{done:?}");
    assert!(done.iter().all(|line| line.starts_with("Would ")), "{done:?}");
    assert_eq!(machine.listing(), before);
}

#[test]
fn a_dry_run_that_agrees_to_all_names_the_other_agents_too() {
    let machine = Machine::with_client();
    fs::create_dir(machine.home().join(".codex")).unwrap();
    let before = machine.listing();
    let said = machine.says(&["install", "--yes", "--dry-run"]);
    assert!(said.contains("Would write") && said.contains(".codex/hooks.json"), "{said}");
    assert_eq!(machine.listing(), before);
    assert!(!machine.says(&["install", "--dry-run"]).contains(".codex"));
}

#[test]
fn a_trial_is_a_line_of_the_configuration_and_ends_with_it() {
    let machine = Machine::new();
    let file = machine.home().join(".roz/config.toml");
    let read = || fs::read_to_string(&file).unwrap();
    machine.says(&["install", "--trial"]);
    assert_eq!(read(), "trial = true\n");
    machine.write("home/.roz/config.toml", "trial = true\n# mine\n[review]\nmode = \"always\"\n");
    machine.says(&["install", "--trial"]);
    machine.says(&["install"]);
    assert!(read().starts_with("trial = true\n# mine\n"), "a plain install changes nothing");
    let said = machine.says(&["install", "--trial=false"]);
    assert!(said.contains("the gates hold"), "{said}");
    assert_eq!(read(), "# mine\n[review]\nmode = \"always\"\n");
    machine.write("home/.roz/config.toml", "[review\n");
    let ran = machine.run(&["install", "--trial"]);
    assert_eq!((ran.status.code(), read().as_str()), (Some(1), "[review\n"));
}
