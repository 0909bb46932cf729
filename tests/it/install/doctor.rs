//! What `roz doctor` finds: each fault is made here once.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::json;

use super::Machine;

#[test]
fn the_doctor_is_content_with_a_fresh_home_and_leaves_it_so() {
    let machine = Machine::new();
    let before = machine.listing();
    let found = machine.doctor();
    assert_eq!(found.check("client")["status"], "warn");
    found.finds("reviewer", "warn", "not checked");
    assert_eq!(machine.listing(), before);
    let fails = found.0["checks"].as_array().unwrap().iter().filter(|it| it["status"] == "fail");
    let fails: Vec<_> = fails.map(|it| &it["name"]).collect();
    assert_eq!(fails, ["hooks"], "what nothing starts is not alive");
    let steps = found.0["canary"]["steps"].as_array().unwrap();
    assert!(steps.len() > 15, "{steps:?}");
    for step in steps {
        assert_eq!(step["ok"], true, "{step}");
        assert!(step["ms"].as_f64().unwrap() > 0.0 && step["event"].is_string(), "{step}");
    }
    let text = machine.says(&["doctor", "--no-client"]);
    assert!(text.contains("✓ canary") && text.contains("The gates work"), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
}

#[test]
fn nothing_of_the_users_disturbs_the_canary() {
    let mut machine = Machine::new();
    let config = "[review]\nmode = \"never\"\n[protect]\nenabled = false\n";
    machine.write("home/.roz/config.toml", config);
    machine.env.extend([
        ("CLAUDE_PID", "1".to_owned()),
        ("CLAUDECODE", "1".to_owned()),
        ("ROZ_REVIEW_MODE", "never".to_owned()),
        ("ROZ_MAX_BLOCKS", "0".to_owned()),
    ]);
    let found = machine.doctor();
    assert_eq!(found.check("canary")["status"], "ok");
    found.finds("configuration", "fail", "`never`");
}

#[test]
fn a_home_that_cannot_be_written_is_a_failure() {
    let mut machine = Machine::new();
    machine.write("home/file", "in the way");
    let path = machine.home().join("file/roz");
    machine.env.push(("ROZ_HOME", path.display().to_string()));
    machine.doctor().finds("home", "fail", "cannot be");
    machine.env = vec![("ROZ_HOME", machine.home().join("file").display().to_string())];
    machine.doctor().finds("home", "fail", "cannot be written");
}

#[test]
fn a_home_that_others_may_read_is_a_warning() {
    let machine = Machine::new();
    machine.write("home/.roz/sessions/s1.json", "{}");
    let home = machine.home().join(".roz");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o755)).unwrap();
    machine.doctor().finds("home", "warn", "others can read");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(machine.doctor().check("home")["status"], "ok");
}

#[test]
fn a_broken_configuration_is_a_warning_that_names_the_line() {
    let machine = Machine::new();
    machine.write("home/.roz/config.toml", "[review]\nmood = \"always\"\n");
    let found = machine.doctor();
    found.finds("configuration", "warn", "config.toml:2");
    assert_eq!(found.check("canary")["status"], "ok");
    machine.write("home/.roz/config.toml", "[review\n");
    machine.doctor().finds("configuration", "warn", "config.toml");
}

#[test]
fn as_many_blocks_as_the_client_allows_are_a_warning() {
    let machine = Machine::new();
    machine.write("home/.roz/config.toml", "[circuit_breaker]\nmax_blocks = 8\n");
    machine.doctor().finds("configuration", "warn", "8");
}

#[test]
fn a_client_without_our_plugin_is_a_failure() {
    let machine = Machine::with_client();
    machine.doctor().finds("hooks", "fail", "not registered");
    let ran = machine.run(&["doctor", "--no-client"]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}

#[test]
fn a_plugin_whose_folder_or_binary_is_gone_is_a_failure() {
    let machine = Machine::with_client();
    machine.says(&["install"]);
    let hooks = machine.plugin().join("hooks/hooks.json");
    let text = fs::read_to_string(&hooks).unwrap();
    fs::write(&hooks, text.replace("bin/roz", "bin/gone")).unwrap();
    machine.doctor().finds("hooks", "fail", "bin/gone");
    fs::remove_dir_all(machine.plugin()).unwrap();
    machine.doctor().finds("hooks", "fail", "without our hooks");
    machine.says(&["install"]);
    assert_eq!(machine.doctor().check("hooks")["status"], "ok");
}

#[test]
fn hooks_that_are_registered_twice_are_a_failure() {
    let machine = Machine::with_client();
    machine.says(&["install"]);
    let hook = json!({ "type": "command", "command": "roz hook stop" });
    let settings = json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } }).to_string();
    for file in [
        "home/.claude/settings.json",
        "project/.claude/settings.json",
        "project/.claude/settings.local.json",
    ] {
        machine.write(file, &settings);
        machine.doctor().finds("hooks", "fail", "2 times");
        machine.write(file, "{}");
    }
    machine.write("home/.claude/settings.json", r#"{"enabledPlugins":{"roz@fork":true}}"#);
    machine.doctor().finds("hooks", "fail", "roz@fork");
}

#[test]
fn settings_that_switch_all_hooks_off_are_a_failure() {
    let machine = Machine::with_client();
    machine.says(&["install"]);
    machine.write("home/.claude/settings.json", r#"{"disableAllHooks":true}"#);
    machine.doctor().finds("hooks", "fail", "disableAllHooks");
    // The client lets a project switch them on again.
    machine.write("project/.claude/settings.json", r#"{"disableAllHooks":false}"#);
    assert_eq!(machine.doctor().0["ok"], true);
}

#[test]
fn another_program_of_our_name_before_us_is_a_failure() {
    let mut machine = Machine::with_client();
    machine.says(&["install"]);
    machine.program("other/roz", "#!/bin/sh\necho rozzer 3\n");
    let path = format!(
        "{}:{}",
        machine.home().join("other").display(),
        machine.home().join("bin").display()
    );
    machine.env.push(("PATH", path));
    machine.doctor().finds("reviewer", "fail", "not this roz");
    // Not on PATH at all: the plugin's own link is there for reviewers.
    let found = {
        fs::rename(machine.home().join("bin/roz"), machine.home().join("roz")).unwrap();
        machine.env = Vec::new();
        machine.run_binary(&machine.home().join("roz"), &["install"]);
        machine.doctor_at(&machine.home().join("roz"))
    };
    let seen = found.check("reviewer")["seen"].as_str().unwrap();
    assert!(!seen.contains("PATH"), "{seen}");
}

#[test]
fn a_healthy_machine_is_told_in_twelve_lines_and_its_steps_on_request() {
    let machine = Machine::with_client();
    machine.says(&["install"]);
    machine.write("home/.claude/settings.json", r#"{"permissions":{"allow":["Bash(roz:*)"]}}"#);
    let text = machine.says(&["doctor"]);
    assert!(text.lines().count() <= 12, "{text}");
    let verbose = machine.says(&["doctor", "-v"]);
    assert!(
        verbose.contains("✓ PreToolUse: Bash: git push") && verbose.contains(" ms\n"),
        "{verbose}"
    );
}
