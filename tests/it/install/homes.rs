//! What `roz install` and `roz uninstall` leave of a user's files: with a
//! client that does to them what the real one was measured to do (2.1.197 and
//! 2.1.330; `tests/client` asks those themselves).

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::PathBuf,
    process::Command,
};

use serde_json::{Value, json};

use super::{Listing, Machine, listing_of};
use crate::support::{feed, skip};

/// Lays settings out anew whenever it writes them, and leaves empty tables.
const CLIENT: &str = r#"#!PYTHON
import json, os, shutil, sys

config = os.path.join(os.environ["HOME"], ".claude")
plugins = os.path.join(config, "plugins")
cache = os.path.join(plugins, "cache/roz/roz/VERSION")
known = os.path.join(plugins, "known_marketplaces.json")
installed = os.path.join(plugins, "installed_plugins.json")
args = sys.argv[1:]
scope = args[args.index("--scope") + 1] if "--scope" in args else "user"
settings = os.path.join(config if scope == "user" else ".claude", "settings.json")
user = os.path.join(config, "settings.json")

def read(path):
    try:
        text = open(path, encoding="utf-8-sig").read()
    except FileNotFoundError:
        return {}
    return json.loads(text) if text.strip() else {}

def change(path, do):
    table = read(path)
    do(table)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(json.dumps(table, indent=2, ensure_ascii=False, sort_keys=path == user) + "\n")

def put(*keys_and_value):
    *keys, name, value = keys_and_value
    def do(table):
        for key in keys:
            table = table.setdefault(key, {})
        table[name] = value
    return do

def drop(*keys):
    *keys, name = keys
    def do(table):
        for key in keys:
            table = table.setdefault(key, {})
        table.pop(name, None)
    return do

match args:
    case ["--version"]:
        print("2.1.330 (Claude Code)")
    case ["plugin", "list", "--json"]:
        rows = []
        for entry in read(installed).get("plugins", {}).get("roz@roz", []):
            where = user if entry["scope"] == "user" else os.path.join(entry["projectPath"], ".claude/settings.json")
            on = read(where).get("enabledPlugins", {}).get("roz@roz", False)
            rows.append({"id": "roz@roz", "enabled": on, **entry})
        print(json.dumps(rows))
    case ["plugin", "marketplace", "add", folder]:
        source = {"source": "directory", "path": folder}
        change(user, put("extraKnownMarketplaces", "roz", {"source": source}))
        change(known, put("roz", {"source": source, "lastUpdated": str(os.times().elapsed)}))
        os.makedirs(os.path.join(plugins, "marketplaces"), exist_ok=True)
    case ["plugin", "install", "roz@roz", *_]:
        change(settings, put("enabledPlugins", "roz@roz", True))
        os.makedirs(cache)
        entry = {"scope": scope, "version": "VERSION", "projectPath": os.getcwd() if scope == "project" else None}
        change(installed, lambda it: it.update(version=2, plugins={"roz@roz": [entry]}))
    case ["plugin", "uninstall", "roz@roz", *_]:
        change(settings, drop("enabledPlugins", "roz@roz"))
        change(installed, drop("plugins", "roz@roz"))
        open(os.path.join(cache, ".orphaned_at"), "w").write("1")
    case ["plugin", "marketplace", "remove", "roz"]:
        change(user, drop("extraKnownMarketplaces", "roz"))
        change(known, drop("roz"))
    case _:
        sys.exit("what?")
"#;

#[expect(clippy::disallowed_methods, reason = "a test looks for what it needs")]
/// None where there is no Python to play the client.
fn machine(test: &str) -> Option<Machine> {
    // What is on PATH may be a script that looks for it.
    let python = Command::new("python3")
        .args(["-c", "import sys; assert sys.version_info >= (3, 10); print(sys.executable)"])
        .output();
    let Some(found) = python.ok().filter(|it| it.status.success()) else {
        skip(test, "no python3 of 3.10 or newer");
        return None;
    };
    let machine = Machine::new();
    let client = CLIENT.replace("PYTHON", String::from_utf8_lossy(&found.stdout).trim());
    machine.program("bin/claude", &client.replace("VERSION", env!("CARGO_PKG_VERSION")));
    Some(machine)
}

/// Layouts that a settings file may have.
const SETTINGS: &[&str] = &[
    "{}",
    "{}\n",
    "",
    " \n",
    "{\"model\":\"opus\",\r\n\t\"env\": {\"A\":\"1\"}}",
    "\u{feff}{\n    \"permissions\" : { \"allow\":[ \"Bash(ls:*)\" , \"Read\" ] }\n\n}\n\n",
    "{\"a\":1,\"a\":2.50,\"b\":1e3,\"c\":\"\\u00e9\\/\",\"日本\":[ ]}",
    "{\"enabledPlugins\": {\"x@y\":true}, \"extraKnownMarketplaces\":{ } }",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}]}}",
];

#[track_caller]
fn is_same(before: &Listing, after: &Listing, what: &str) {
    let all: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let differ: Vec<_> = all.iter().filter(|it| before.get(**it) != after.get(**it)).collect();
    assert!(differ.is_empty(), "{what}: {differ:?}");
}

#[test]
fn a_home_is_left_to_the_byte_whatever_its_settings_look_like() {
    let Some(machine) = machine("byte for byte") else { return };
    let file = "home/.claude/settings.json";
    let mut homes = vec![None];
    homes.extend(SETTINGS.iter().map(Some));
    for settings in homes {
        if let Some(text) = settings {
            machine.write(file, text);
        }
        let before = machine.listing();
        machine.says(&["install"]);
        let installed = machine.listing();
        assert_ne!(installed, before);
        machine.says(&["install"]);
        is_same(&installed, &machine.listing(), "installed twice");
        machine.says(&["uninstall"]);
        is_same(&before, &machine.listing(), &format!("{settings:?}"));
    }
}

#[test]
fn the_rules_that_let_agents_run_their_verbs_are_offered_added_and_taken_back() {
    let Some(machine) = machine("permissions") else { return };
    for settings in SETTINGS {
        machine.write("home/.claude/settings.json", settings);
        let before = machine.listing();
        let said: String = machine.says(&["install"]).split_whitespace().collect();
        assert!(
            said.contains("`rozinstall--permissions`") && said.contains("rozlearnshow"),
            "{said}"
        );
        assert!(said.contains("`rozinstall--status-line`"), "{said}");
        machine.says(&["uninstall"]);
        machine.says(&["install", "--yes"]);
        let text = fs::read(machine.home().join(".claude/settings.json")).unwrap();
        let now: Value = serde_json::from_slice(&text).unwrap();
        let allowed = now["permissions"]["allow"].as_array().unwrap();
        for verb in ["context", "decide", "learn show", "ref", "reflect", "skip", "observe"] {
            assert!(allowed.contains(&json!(format!("Bash(roz {verb}:*)"))), "{verb}: {now}");
        }
        let line = now["statusLine"]["command"].as_str().unwrap();
        assert!(line.ends_with("/roz statusline"), "{now}");
        let installed = machine.listing();
        let said = machine.says(&["install", "--permissions"]);
        assert!(!said.contains("--permissions"), "nothing is left to offer: {said}");
        assert!(!said.contains("--status-line"), "nothing is left to offer: {said}");
        is_same(&installed, &machine.listing(), "installed twice");
        machine.says(&["uninstall"]);
        is_same(&before, &machine.listing(), settings);
    }
}

#[test]
fn what_was_added_goes_though_the_user_has_changed_the_file() {
    let Some(machine) = machine("added and changed") else { return };
    let file = "home/.claude/settings.json";
    machine.write(file, "{\"permissions\":{\"allow\":[\"Bash(roz ref:*)\"]}}");
    machine.says(&["install", "--yes"]);
    let path = machine.home().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "{\"mine\":  1,", 1)).unwrap();
    machine.says(&["uninstall"]);
    let now: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(now, json!({ "mine": 1, "permissions": { "allow": ["Bash(roz ref:*)"] } }));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a terminal is played by Python")]
fn at_a_terminal_permissions_the_status_line_and_other_agents_are_asked_about() {
    const TERMINAL: &str =
        "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let Some(machine) = machine("questions at a terminal") else { return };
    for folder in [".codex", ".qwen"] {
        fs::create_dir(machine.home().join(folder)).unwrap();
    }
    let client = fs::read_to_string(machine.home().join("bin/claude")).unwrap();
    let python = client.lines().next().unwrap().trim_start_matches("#!").to_owned();
    let mut command = Command::new(python);
    command.args(["-c", TERMINAL]).arg(machine.roz()).arg("install");
    command.current_dir(machine.project()).env_clear();
    command.env("HOME", machine.home()).env("PATH", machine.home().join("bin"));
    let ran = feed(&mut command, b"no\nyes\nyes\nno\n");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        said.contains("without asking you? [Y/n]") && said.contains("status line? [Y/n]"),
        "{said}"
    );
    let text = fs::read(machine.home().join(".claude/settings.json")).unwrap();
    let now: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(now["permissions"], Value::Null, "{said}");
    assert!(now["statusLine"].is_object(), "{said}");
    assert!(said.contains("OpenAI Codex CLI is here too. Connect it? [Y/n]"), "{said}");
    assert!(machine.home().join(".codex/hooks.json").exists(), "{said}");
    assert!(!machine.home().join(".qwen/settings.json").exists(), "{said}");
}

#[test]
fn a_status_line_of_the_users_is_left_alone() {
    let Some(machine) = machine("their status line") else { return };
    machine.write("home/.claude/settings.json", "{\"statusLine\":{\"command\":\"mine\"}}");
    assert!(!machine.says(&["install"]).contains("--status-line"));
    let said = machine.says(&["install", "--status-line"]);
    assert!(said.contains("left alone") && said.contains("`roz statusline`"), "{said}");
    let text = fs::read_to_string(machine.home().join(".claude/settings.json")).unwrap();
    assert!(text.contains("\"mine\""), "{text}");
}

#[test]
fn a_project_is_left_to_the_byte_too() {
    let Some(machine) = machine("byte for byte in a project") else { return };
    for settings in [None, Some("{\n\t\"model\": \"opus\"\r\n}")] {
        if let Some(text) = settings {
            machine.write("project/.claude/settings.json", text);
        }
        let before = machine.listing();
        let project = listing_of(&machine.project());
        machine.says(&["install", "--scope", "project"]);
        let installed = listing_of(&machine.project());
        assert_ne!(installed, project);
        assert!(!installed.values().any(|it| String::from_utf8_lossy(it).contains("plugin/")));
        machine.says(&["install", "--scope", "project"]);
        assert_eq!(listing_of(&machine.project()), installed);
        machine.says(&["uninstall"]);
        assert_eq!(listing_of(&machine.project()), project, "{settings:?}");
        is_same(&before, &machine.listing(), "uninstalled");
    }
}

#[test]
fn what_the_user_changes_meanwhile_stays() {
    let Some(machine) = machine("changed meanwhile") else { return };
    machine.write("home/.claude/settings.json", "{ \"model\":\"opus\" }");
    machine.says(&["install"]);
    let path = machine.home().join(".claude/settings.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    settings["model"] = json!("haiku");
    fs::write(&path, settings.to_string()).unwrap();
    machine.says(&["uninstall"]);
    let settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    // Nor does the client's mark stay: empty tables where there were none.
    assert_eq!(settings, json!({ "model": "haiku" }));
}

#[test]
fn without_the_client_its_files_are_put_back_all_the_same() {
    let Some(machine) = machine("no client any more") else { return };
    let client = fs::read_to_string(machine.home().join("bin/claude")).unwrap();
    let file = "home/.claude/settings.json";
    for scope in ["user", "project"] {
        machine.write(file, "{ \"model\" :\"sonnet\" }\n");
        let (before, project) = (machine.listing(), listing_of(&machine.project()));
        machine.says(&["install", "--scope", scope]);
        fs::remove_file(machine.home().join("bin/claude")).unwrap();
        let said = machine.says(&["uninstall"]);
        assert!(said.contains("Restored") && !said.contains("run:"), "{said}");
        machine.program("bin/claude", &client);
        is_same(&before, &machine.listing(), scope);
        assert_eq!(listing_of(&machine.project()), project);
        assert!(machine.says(&["uninstall"]).contains("Nothing to undo"));
    }

    // What was changed meanwhile stays, and roz goes.
    machine.says(&["install"]);
    let path = machine.home().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "{\n\t\"mine\":  1,", 1)).unwrap();
    fs::remove_file(machine.home().join("bin/claude")).unwrap();
    let said = machine.says(&["uninstall"]);
    assert!(said.contains("your other changes stay"), "{said}");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("{\n\t\"mine\":  1,") && !text.contains("roz"), "{text}");
    assert!(!text.contains("enabledPlugins"), "{text}");
}

#[test]
fn what_cannot_be_put_back_yet_is_said_and_not_forgotten() {
    let Some(machine) = machine("broken meanwhile") else { return };
    machine.write("home/.claude/settings.json", "{ \"model\" :\"sonnet\" }\n");
    let before = machine.listing();
    machine.says(&["install"]);
    let client = machine.home().join("bin/claude");
    fs::rename(&client, machine.home().join("claude")).unwrap();
    let path = machine.home().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "{ // mine\n", 1)).unwrap();
    let ran = machine.run(&["uninstall"]);
    let said = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("at line 1") && said.contains("`roz uninstall` again"), "{said}");
    fs::write(&path, text).unwrap();
    machine.says(&["uninstall"]);
    fs::rename(machine.home().join("claude"), &client).unwrap();
    is_same(&before, &machine.listing(), "uninstalled");
}

#[test]
fn another_marketplace_of_our_name_is_not_taken_over() {
    let Some(machine) = machine("another marketplace") else { return };
    let zed = r#"{"name":"roz","owner":{"name":"x"},"plugins":[{"name":"zed","source":"./zed"}]}"#;
    machine.write("home/other/.claude-plugin/marketplace.json", zed);
    let other = machine.home().join("other");
    let source = json!({ "source": "directory", "path": other });
    let known = json!({ "roz": { "source": source, "lastUpdated": "x" } });
    machine.write("home/.claude/plugins/known_marketplaces.json", &known.to_string());
    machine.write("home/.claude/settings.json", r#"{"enabledPlugins":{"zed@roz":true}}"#);
    let before = machine.listing();
    let ran = machine.run(&["install"]);
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains(&*other.to_string_lossy()), "{said}");
    assert!(said.contains("marketplace remove roz") && said.contains("Nothing was"), "{said}");
    is_same(&before, &machine.listing(), "refused");
    assert!(machine.says(&["uninstall"]).contains("left alone"));
    is_same(&before, &machine.listing(), "left");
}

#[test]
fn an_earlier_roz_makes_room_and_does_not_come_back() {
    let Some(machine) = machine("an earlier plugin") else { return };
    machine.says(&["install"]);
    let old = machine.home().join("old");
    fs::rename(machine.plugin(), &old).unwrap();
    fs::remove_file(machine.plugin().parent().unwrap().join("installed.json")).unwrap();
    let new = |it: &str| it.replace(&*machine.plugin().to_string_lossy(), &old.to_string_lossy());
    for file in ["settings.json", "plugins/known_marketplaces.json"] {
        let path = machine.home().join(".claude").join(file);
        let text = new(&fs::read_to_string(&path).unwrap());
        fs::write(&path, text.replacen('{', "{ \"mine\" :[ ],", 1)).unwrap();
    }
    machine.says(&["install"]);
    machine.says(&["uninstall"]);
    let path = machine.home().join(".claude/settings.json");
    assert_eq!(fs::read_to_string(path).unwrap(), "{ \"mine\" :[ ]\n}\n");
    assert!(old.join("hooks/hooks.json").exists(), "it is not ours to remove");
}

#[test]
fn a_word_of_the_users_about_the_plugin_is_left_to_the_byte() {
    let Some(machine) = machine("switched off") else { return };
    machine.write("home/.claude/settings.json", r#"{"enabledPlugins":{"roz@roz":false}}"#);
    let before = machine.listing();
    machine.says(&["install"]);
    assert_eq!(machine.doctor().check("hooks")["status"], "ok");
    machine.says(&["install"]);
    machine.says(&["uninstall"]);
    is_same(&before, &machine.listing(), "uninstalled");
}

/// As 2.1.197 does in a home in which it has not run yet.
#[test]
fn a_client_that_lays_files_out_anew_at_the_first_word_is_put_back_too() {
    let Some(machine) = machine("laid out anew") else { return };
    let client = fs::read_to_string(machine.home().join("bin/claude")).unwrap();
    let moves = "        change(user, drop(\"model\"))\n        rows = []\n";
    machine.program("bin/claude", &client.replace("        rows = []\n", moves));
    machine.write("home/.claude/settings.json", "{ \"model\" :\"opus\" }");
    let before = machine.listing();
    machine.says(&["install"]);
    machine.says(&["uninstall"]);
    is_same(&before, &machine.listing(), "uninstalled");
}

#[test]
fn what_the_client_does_not_find_any_more_is_gone() {
    let Some(machine) = machine("interrupted") else { return };
    machine.write("home/.claude/settings.json", "{ \"model\" :\"opus\" }");
    let client = fs::read_to_string(machine.home().join("bin/claude")).unwrap();
    let before = machine.listing();
    machine.says(&["install"]);
    let gone = "sys.exit(\"Marketplace 'roz' not found\")\n";
    let (head, _) = client.split_once("        change(user, drop(\"extraKnown").unwrap();
    machine.program("bin/claude", &format!("{head}        {gone}"));
    machine.says(&["uninstall"]);
    machine.program("bin/claude", &client);
    is_same(&before, &machine.listing(), "uninstalled");
}

#[test]
fn a_settings_file_that_is_a_link_stays_one() {
    let Some(machine) = machine("a link") else { return };
    let file = machine.home().join("dotfiles/claude.json");
    machine.write("home/dotfiles/claude.json", "{\"model\":\t\"opus\"}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(machine.home().join(".claude")).unwrap();
    symlink("../dotfiles/claude.json", machine.home().join(".claude/settings.json")).unwrap();
    let before = machine.listing();
    machine.says(&["install"]);
    machine.says(&["uninstall"]);
    is_same(&before, &machine.listing(), "uninstalled");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn settings_that_the_client_does_not_read_are_refused_and_nothing_is_written() {
    let Some(machine) = machine("broken settings") else { return };
    let path = machine.home().join(".claude/settings.json");
    for (text, said) in [
        ("{\n  // mine\n  \"model\": \"opus\"\n}", "at line 2"),
        ("{\n\n  /* mine */\n  \"model\": \"opus\"\n}", "at line 3"),
        ("{\n\"model\": \"opus\",\n}", "trailing comma at line 3"),
        ("{\"model\": \"opus\"", "EOF while parsing an object at line 1"),
        ("[]", "invalid type"),
    ] {
        machine.write("home/.claude/settings.json", text);
        let before = machine.listing();
        let ran = machine.run(&["install"]);
        let complaint = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{complaint}");
        assert!(complaint.contains(said) && complaint.contains("without comments"), "{complaint}");
        assert!(
            complaint.contains("ignores the whole file")
                && complaint.contains("Nothing was changed"),
            "{complaint}"
        );
        assert!(complaint.contains(&path.display().to_string()), "{complaint}");
        assert_eq!(machine.listing(), before);
        machine.doctor().finds("hooks", "fail", said);
        machine.says(&["uninstall"]);
        assert_eq!(machine.listing(), before);
    }
    machine.write("home/.claude/settings.json", "{}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    let before = machine.listing();
    let ran = machine.run(&["install"]);
    let complaint = String::from_utf8(ran.stderr).unwrap();
    assert!(complaint.contains("read-only") && complaint.contains("enabledPlugins"), "{complaint}");
    assert_eq!(machine.listing(), before);
}

#[test]
fn hooks_of_an_earlier_installation_go_and_do_not_come_back() {
    let Some(machine) = machine("earlier hooks") else { return };
    let old = "{\n\t\"model\": \"opus\", \"hooks\": {\n\t\t\"Stop\": [ { \"hooks\": [ {\"type\":\
               \"command\",\"command\":\"/old/place/roz hook stop\"}, {\"type\":\"command\",\
               \"command\":\"mine\"} ] } ],\n\t\t\"PreToolUse\": [{\"matcher\":\"*\",\"hooks\":\
               [{\"type\":\"command\",\"command\":\"roz\",\"args\":[\"hook\",\"pre-tool-use\"]}]}]\
               \n\t}\r\n}";
    let mine = "{\n\t\"model\": \"opus\", \"hooks\": {\n\t\t\"Stop\": [ { \"hooks\": [ {\"type\":\
                \"command\",\"command\":\"mine\"} ] } ]\n\t}\r\n}";
    let path = machine.home().join(".claude/settings.json");
    machine.write("home/.claude/settings.json", old);
    let text = machine.says(&["install"]);
    assert!(text.contains("Removed the old `roz hook` entries from"), "{text}");
    assert!(text.contains("(PreToolUse, Stop)"), "{text}");
    assert!(!text.contains("twice"), "{text}");
    let found = machine.doctor();
    assert_eq!(found.check("hooks")["status"], "ok", "{:#}", found.0);
    machine.says(&["uninstall"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), mine);
}

#[test]
fn hooks_that_would_run_twice_and_are_not_ours_to_remove_are_told_of() {
    let Some(machine) = machine("twice") else { return };
    let command = "cd /x && roz hook stop; notify-send done";
    let hooks = json!({ "Stop": [{ "hooks": [{ "type": "command", "command": command }] }] });
    let text = json!({ "hooks": hooks }).to_string();
    for file in ["home/.claude/settings.json", "project/.claude/settings.json"] {
        machine.write(file, &text);
        let said = machine.says(&["install"]);
        let path = file.rsplit_once('/').unwrap().0.split_once('/').unwrap().1;
        assert!(said.contains("run twice") && said.contains(path), "{said}");
        machine.doctor().finds("hooks", "fail", "2 times");
        let said = machine.says(&["uninstall"]);
        assert!(said.contains("still runs `roz hook`"), "{said}");
        machine.write(file, "{}");
    }
}
