//! `roz init --intent` through the binary.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use crate::support::Roz;

fn read(roz: &Roz, path: &str) -> String {
    fs::read_to_string(roz.project().join(path)).unwrap()
}

#[test]
fn a_project_that_is_set_up_declares_nothing_yet_and_can_declare() {
    let roz = Roz::new();
    let told = roz.run(&["init", "--intent"]).succeeds().stdout;
    assert!(told.contains("Wrote .orchestration/active_intents.yaml"), "{told}");
    let check = roz.json(&["intent", "check"]);
    assert_eq!((&check["ok"], &check["declared"]), (&json!(true), &json!(0)));
    let servers: Value = serde_json::from_str(&read(&roz, ".mcp.json")).unwrap();
    assert_eq!(servers, json!({"mcpServers": {"roz": {"command": "roz", "args": ["mcp"]}}}));
    let ignored = read(&roz, ".orchestration/.gitignore");
    assert_eq!(ignored, "agent_trace.jsonl\nintent_map.md\n");
    let made = roz.json(&["intent", "new", "First", "--scope", "src/**", "--yes"]);
    assert_eq!(made["intent"]["id"], "INT-001");
    assert!(read(&roz, ".orchestration/active_intents.yaml").contains("# What is worked on here"));
    roz.run(&["intent", "select", "INT-001", "--session-id", "s1"]).succeeds();
}

#[test]
fn the_example_in_the_comments_is_one_that_can_be_read() {
    let roz = Roz::new();
    roz.run(&["init", "--intent"]).succeeds();
    let text = read(&roz, ".orchestration/active_intents.yaml");
    let lines = text.lines().skip_while(|it| *it != "# active_intents:");
    let lines = lines.filter_map(|it| it.strip_prefix("# ").map(|it| format!("{it}\n")));
    let roz = Roz::declaring(&lines.collect::<String>());
    let check = roz.json(&["intent", "check"]);
    assert_eq!((&check["ok"], &check["open"]), (&json!(true), &json!(["INT-001"])), "{check}");
    assert_eq!(check["problems"], json!([]));
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let roz = Roz::declaring("active_intents: []\n");
    let servers = "{\n  \"z\": 1,\n  \"mcpServers\": { \"mine\": { \"command\": \"x\" } }\n}\n";
    roz.write(".mcp.json", servers);
    roz.write(".gitattributes", "*.png binary");
    roz.write(".orchestration/.intentignore", "mine/\n");
    roz.run(&["init", "--intent"]).succeeds();
    assert_eq!(roz.declared(), "active_intents: []\n");
    assert_eq!(read(&roz, ".orchestration/.intentignore"), "mine/\n");
    assert_eq!(read(&roz, ".gitattributes"), "*.png binary");
    let merged: Value = serde_json::from_str(&read(&roz, ".mcp.json")).unwrap();
    assert_eq!(merged["mcpServers"]["mine"]["command"], "x");
    assert_eq!(merged["mcpServers"]["roz"]["args"][0], "mcp");
    // A second time there is nothing to do.
    let files = |roz: &Roz| {
        let names = [".mcp.json", ".gitattributes", ".orchestration/.intentignore"];
        names.map(|it| read(roz, it))
    };
    let before = files(&roz);
    let told = roz.json(&["init", "--intent"]);
    let did = told["files"].as_array().unwrap().iter().map(|it| it["did"].as_str().unwrap());
    assert_eq!(did.collect::<Vec<_>>(), ["kept"; 4]);
    assert_eq!(files(&roz), before);
}

#[test]
fn what_cannot_be_added_to_is_left_and_said() {
    let roz = Roz::new();
    roz.write(".mcp.json", "// mine\n{}");
    let attributes = roz.dir().join("attributes");
    fs::write(&attributes, "x\n").unwrap();
    symlink(&attributes, roz.project().join(".gitattributes")).unwrap();
    let ran = roz.run(&["init", "--all"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("Left .mcp.json alone"), "{}", ran.stdout);
    assert!(ran.stdout.contains("a symbolic link"), "{}", ran.stdout);
    assert_eq!(read(&roz, ".mcp.json"), "// mine\n{}");
    assert_eq!(fs::read_to_string(&attributes).unwrap(), "x\n");
}

#[test]
fn a_link_in_the_folders_place_is_not_followed() {
    let roz = Roz::new();
    let elsewhere = roz.dir().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, roz.project().join(".orchestration")).unwrap();
    roz.run(&["init", "--intent"]).fails();
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn a_sidecar_that_is_gone_is_to_be_put_back_and_not_begun_anew() {
    let roz = Roz::new();
    assert!(roz.run(&["intent", "check"]).stderr.contains("roz init --intent"));
    roz.run(&["init", "--intent"]).succeeds();
    roz.run(&["intent", "new", "First", "--scope", "src/**", "--yes"]).succeeds();
    roz.run(&["intent", "select", "INT-001", "--session-id", "s1"]).succeeds();
    fs::write(roz.project().join(".orchestration/agent_trace.jsonl"), "").unwrap();
    fs::remove_file(roz.project().join(".orchestration/active_intents.yaml")).unwrap();
    let told = roz.run(&["intent", "check"]);
    assert!(told.stderr.contains("is not there") && !told.stderr.contains("init"), "{told:?}");
}
