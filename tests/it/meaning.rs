//! What a change means, in its record and on the map: through the hooks.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};

use crate::support::{Reply, Roz};

const INTENTS: &str = "\
active_intents:
  - {id: INT-001, name: Login, status: IN_PROGRESS, owned_scope: [\"src/**\"], blocks: [INT-002]}
  - {id: INT-002, name: Mail, status: DRAFT, owned_scope: [\"mail/**\"]}
";
const BEFORE: &str = "fn old() -> u8 {\n    1\n}\n";

pub(crate) fn at_work(config: &str) -> Roz {
    let roz = Roz::with_config(config).in_git().declares(INTENTS);
    fs::create_dir_all(roz.project().join("src")).unwrap();
    let input = json!({ "intent_id": "INT-001" });
    let call = roz.call("mcp__roz__select_active_intent", &input);
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    let mut done = call;
    done["tool_response"] = json!({});
    roz.hook("post-tool-use", done).objects_to_nothing();
    roz
}

/// As the client's Write tool does it, and answers.
fn writes(roz: &Roz, path: &str, text: &str) -> Reply {
    let file = roz.project().join(path);
    let before = fs::read_to_string(&file).ok();
    if before.is_some() {
        let mut read = roz.call("Read", &json!({ "file_path": file }));
        read["tool_response"] = json!({});
        roz.hook("post-tool-use", read).objects_to_nothing();
    }
    let call = roz.call("Write", &json!({ "file_path": file, "content": text }));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    roz.write(path, text);
    let mut done = call;
    let kind = if before.is_some() { "update" } else { "create" };
    done["tool_response"] = json!({
        "type": kind, "filePath": file, "content": text, "originalFile": before,
        "structuredPatch": [],
    });
    roz.hook("post-tool-use", done)
}

fn records(roz: &Roz) -> Vec<Value> {
    let text = fs::read_to_string(roz.project().join(".orchestration/agent_trace.jsonl")).unwrap();
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

fn map(roz: &Roz) -> String {
    fs::read_to_string(roz.project().join(".orchestration/intent_map.md")).unwrap()
}

#[test]
fn a_record_says_what_its_change_means() {
    let roz = at_work("");
    writes(&roz, "src/a.rs", BEFORE);
    writes(&roz, "src/a.rs", &BEFORE.replace("old", "new"));
    let records = records(&roz);
    assert_eq!(records[0]["mutation_class"], "INTENT_EVOLUTION");
    assert_eq!(records[1]["mutation_class"], "AST_REFACTOR");
    let evidence = &records[1]["metadata"]["dev.roz"]["files"][0]["evidence"];
    assert_eq!(evidence["step"], "rename");
    assert_eq!(evidence["renamed"], json!([["old", "new"]]));
    assert_eq!(evidence["proved"], true);
    roz.run(&["ledger", "verify"]).succeeds();
    roz.run(&["ledger", "validate"]).succeeds();
}

#[test]
fn the_map_grows_with_the_work_and_is_made_anew_byte_by_byte() {
    let roz = at_work("");
    writes(&roz, "src/a.rs", BEFORE);
    let path = roz.project().join(".orchestration/intent_map.md");
    fs::write(&path, format!("By hand.\n\n{}\nAlso by hand.\n", map(&roz))).unwrap();
    writes(&roz, "src/a.rs", &format!("{BEFORE}\npub fn more() {{}}\n"));
    writes(
        &roz,
        "src/a.rs",
        &format!("{}\npub fn more() {{}}\n", BEFORE.replace("old", "renewed")),
    );
    let grown = map(&roz);
    for word in [
        "By hand.\n",
        "Also by hand.",
        "## `INT-001` Login",
        "| `src/a.rs` | `more`, `renewed` | 2026-",
        "Blocks: `INT-002`",
    ] {
        assert!(grown.contains(word), "{word}: {grown}");
    }
    roz.run(&["intent", "map"]).succeeds();
    assert_eq!(map(&roz), grown);
    fs::remove_file(&path).unwrap();
    roz.run(&["intent", "map"]).succeeds();
    let section = |text: &str| text.split("<!-- roz:map").nth(1).unwrap().to_owned();
    assert_eq!(section(&map(&roz)), section(&grown));
}

#[test]
fn a_link_in_the_place_of_the_map_is_not_followed() {
    let roz = at_work("");
    let elsewhere = roz.dir().join("elsewhere");
    fs::write(&elsewhere, "mine").unwrap();
    let map = roz.project().join(".orchestration/intent_map.md");
    std::os::unix::fs::symlink(&elsewhere, map).unwrap();
    let told = writes(&roz, "src/a.rs", BEFORE);
    assert!(told.tells_user().contains("symbolic link"), "{told:?}");
    assert_eq!(fs::read_to_string(elsewhere).unwrap(), "mine");
    assert_eq!(records(&roz).len(), 1, "the record is there all the same");
}

/// A program that puts a line before a file, or says what is wrong.
fn formatter(roz: &Roz) -> String {
    let path = roz.dir().join("fmt.sh");
    let script = "#!/bin/sh\ngrep -q broken \"$1\" && { echo 'no such syntax' >&2; exit 1; }\n\
                  { echo '// formatted'; cat \"$1\"; } > \"$1.new\" && mv \"$1.new\" \"$1\"\n";
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn what_was_written_is_formatted_and_that_is_part_of_the_record() {
    let roz = at_work("");
    let program = formatter(&roz);
    roz.configure(&format!("[intent.format]\n'*.rs' = '{program}'\n"));
    writes(&roz, "src/a.rs", BEFORE);
    writes(&roz, "src/a.rs", &format!("{BEFORE}fn b() {{}}\n")).objects_to_nothing();
    let text = fs::read_to_string(roz.project().join("src/a.rs")).unwrap();
    assert_eq!(text, format!("// formatted\n{BEFORE}fn b() {{}}\n"));
    let ranges = &records(&roz)[1]["files"][0]["conversations"][0]["ranges"];
    assert_eq!(ranges[0]["end_line"], 5, "{ranges}");
    // The agent's next write is no stale one.
    let file = roz.project().join("src/a.rs");
    roz.tool("Write", &json!({ "file_path": file, "content": "x" })).objects_to_nothing();
    let told = writes(&roz, "src/b.rs", "broken\n").context();
    assert!(told.contains("no such syntax") && told.contains("src/b.rs"), "{told}");
    // No other file is any business of it.
    writes(&roz, "src/c.txt", "x\n").passes();
}

#[test]
fn a_project_makes_roz_run_nothing_unless_it_is_trusted() {
    let roz = at_work("");
    let program = formatter(&roz);
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/config.toml", &format!("[intent.format]\n'*.rs' = '{program}'\n"));
    writes(&roz, "src/a.rs", BEFORE);
    let text = || fs::read_to_string(roz.project().join("src/a.rs")).unwrap();
    assert_eq!(text(), BEFORE);
    roz.configure(&format!("trust.projects = ['{}']\n", roz.project().display()));
    writes(&roz, "src/a.rs", &format!("{BEFORE}\n"));
    assert!(text().starts_with("// formatted"), "{}", text());
}
