//! What a change means, in its record and on the map: through the hooks.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};

use crate::support::{Ran, Reply, Roz, feed};

const INTENTS: &str = "\
active_intents:
  - {id: INT-001, name: Login, status: IN_PROGRESS, owned_scope: [\"src/**\"], blocks: [INT-002]}
  - {id: INT-002, name: Mail, status: DRAFT, owned_scope: [\"mail/**\"]}
";
const BEFORE: &str = "fn old() -> u8 {\n    1\n}\n";

pub(crate) fn at_work(config: &str) -> Roz {
    at_work_on(config, INTENTS)
}

/// In a session that is at INT-001 of these.
pub(crate) fn at_work_on(config: &str, intents: &str) -> Roz {
    let roz = Roz::with_config(config).in_git().declares(intents);
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
pub(crate) fn writes(roz: &Roz, path: &str, text: &str) -> Reply {
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

pub(crate) fn records(roz: &Roz) -> Vec<Value> {
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
fn a_record_says_which_model_changed_a_file() {
    let roz = at_work("");
    roz.hook("session-start", json!({ "source": "resume", "model": "first-model" }));
    writes(&roz, "src/a.rs", BEFORE);
    roz.hook("session-start", json!({ "source": "resume", "model": "second-model" }));
    writes(&roz, "src/a.rs", &BEFORE.replace("old", "new"));
    let models: Vec<Value> = records(&roz)
        .iter()
        .map(|record| record["files"][0]["conversations"][0]["contributor"]["model_id"].clone())
        .collect();
    assert_eq!(models, ["first-model", "second-model"]);
    let blamed = roz.run(&["blame", "src/a.rs:1", "--json"]).succeeds().stdout;
    assert!(blamed.contains("\"model\": \"second-model\""), "{blamed}");
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

const BEGIN: &str =
    "<!-- roz:map (between these marks roz writes; `roz intent map` writes it anew) -->\n";
const END: &str = "<!-- roz:map end -->\n";

/// Whatever people do to the marks, what they wrote stays, and it is said once.
#[test]
fn where_the_marks_are_not_clear_nothing_in_the_map_is_changed() {
    type Breaks = fn(&str) -> String;
    let ways: [Breaks; 5] = [
        |it| it.replace(END, "") + "\n## My notes\n",
        |it| it.replace(BEGIN, "") + "\n## My notes\n",
        |it| format!("{END}My notes\n{}", it.replace(END, "")),
        |it| format!("```\n{BEGIN}```\nMy notes\n{it}"),
        |it| format!("{it}My notes\n{it}"),
    ];
    for broken in ways {
        let what = "its marks are not clear";
        let roz = at_work("");
        writes(&roz, "src/a.rs", BEFORE).passes();
        let text = broken(&map(&roz));
        roz.write(".orchestration/intent_map.md", &text);
        let told = writes(&roz, "src/a.rs", &format!("{BEFORE}fn b() {{}}\n")).tells_user();
        assert!(told.contains(what), "{what}: {told}");
        writes(&roz, "src/a.rs", &format!("{BEFORE}fn c() {{}}\n")).passes();
        for _ in 0..2 {
            let told = roz.run(&["intent", "map"]).fails();
            assert!(told.contains(what), "{what}: {told}");
        }
        assert_eq!(map(&roz), text, "{what}");
    }
}

#[test]
fn a_mark_that_is_put_back_is_all_it_takes() {
    let roz = at_work("");
    writes(&roz, "src/a.rs", BEFORE).passes();
    let whole = map(&roz);
    roz.write(".orchestration/intent_map.md", &whole.replace(END, ""));
    writes(&roz, "src/b.rs", BEFORE).tells_user();
    roz.write(".orchestration/intent_map.md", &format!("{whole}Mine.\n"));
    writes(&roz, "src/c.rs", BEFORE).passes();
    let grown = map(&roz);
    for word in ["`src/a.rs`", "`src/b.rs`", "`src/c.rs`", "\nMine.\n"] {
        assert!(grown.contains(word), "{word}: {grown}");
    }
    is_that_of_the_ledger(&roz);
}

/// Names that look like what roz writes between the marks.
#[test]
fn no_name_ends_the_map_or_opens_a_comment_in_it() {
    let roz = at_work("");
    let name = "Login <!-- roz:map end -->";
    roz.write(
        ".orchestration/active_intents.yaml",
        &INTENTS.replace("Login", &format!("'{name}'")),
    );
    roz.prompt("I gave it another name").objects_to_nothing();
    for path in ["src/<!-- roz:map end -->.rs", "src/a|b`c.rs", "src/a\nb.rs"] {
        writes(&roz, path, BEFORE).objects_to_nothing();
    }
    let grown = map(&roz);
    assert_eq!(grown.matches("<!--").count(), 2, "{grown}");
    assert_eq!(grown.lines().filter(|it| it.starts_with("| `")).count(), 3, "{grown}");
    is_that_of_the_ledger(&roz);
}

/// What the hooks wrote is what `roz intent map` writes.
#[track_caller]
fn is_that_of_the_ledger(roz: &Roz) {
    let grown = map(roz);
    assert_eq!(roz.json(&["intent", "map"])["changed"], false);
    assert_eq!(map(roz), grown);
    fs::remove_file(roz.project().join(".orchestration/intent_map.md")).unwrap();
    roz.run(&["intent", "map"]).succeeds();
    let block = |text: &str| text[text.find(BEGIN).unwrap()..text.find(END).unwrap()].to_owned();
    assert_eq!(block(&map(roz)), block(&grown));
}

#[test]
fn a_map_that_is_not_the_ledgers_is_made_anew_by_the_next_hook() {
    let roz = at_work("");
    writes(&roz, "src/a.rs", BEFORE).passes();
    writes(&roz, "src/b.rs", BEFORE).passes();
    let path = roz.project().join(".orchestration/intent_map.md");
    fs::remove_file(&path).unwrap();
    writes(&roz, "src/c.rs", BEFORE).passes();
    for word in ["`src/a.rs`", "`src/b.rs`", "`src/c.rs`"] {
        assert!(map(&roz).contains(word), "{word}: {}", map(&roz));
    }
    is_that_of_the_ledger(&roz);
    // Somebody writes between the marks.
    roz.write(".orchestration/intent_map.md", &map(&roz).replace("`old`", "`mine`"));
    writes(&roz, "src/e.rs", BEFORE).objects_to_nothing();
    is_that_of_the_ledger(&roz);
}

#[test]
fn branches_that_both_began_a_map_are_one_map_after_the_next_write() {
    let roz = at_work("");
    roz.write(".gitattributes", ".orchestration/* merge=union\n");
    roz.write("src/keep.txt", "");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "one"]);
    roz.git(&["checkout", "-qb", "other"]);
    writes(&roz, "src/a.rs", BEFORE).passes();
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "a"]);
    roz.git(&["checkout", "-q", "-"]);
    writes(&roz, "src/b.rs", BEFORE).passes();
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "b"]);
    roz.git(&["merge", "-q", "other", "-m", "both"]);
    writes(&roz, "src/c.rs", BEFORE).passes();
    for word in ["`src/a.rs`", "`src/b.rs`", "`src/c.rs`"] {
        assert!(map(&roz).contains(word), "{word}: {}", map(&roz));
    }
    is_that_of_the_ledger(&roz);
}

/// Runs a command as the client does.
pub(crate) fn runs(roz: &Roz, line: &str) -> Reply {
    let call = roz.call("Bash", &json!({ "command": line }));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    let ran = Ran::of(feed(&mut roz.program(&["sh", "-c", line]), b"")).succeeds();
    let mut done = call;
    done["tool_response"] = json!({ "stdout": ran.stdout, "stderr": "", "interrupted": false });
    roz.hook("post-tool-use", done)
}

#[test]
fn a_file_takes_its_row_along_and_one_that_is_gone_has_none() {
    let roz = at_work("");
    for path in ["src/a.rs", "src/b.rs", "src/c.rs"] {
        let name = path.replace(['/', '.'], "_");
        writes(&roz, path, &BEFORE.replace("old", &name)).passes();
    }
    runs(&roz, "mv src/a.rs src/moved.rs");
    runs(&roz, "rm src/c.rs");
    let grown = map(&roz);
    assert!(grown.contains("| `src/moved.rs` | `src_a_rs` |"), "{grown}");
    assert!(!grown.contains("`src/a.rs`") && !grown.contains("`src/c.rs`"), "{grown}");
    runs(&roz, "mv src/b.rs src/t && mv src/moved.rs src/b.rs && mv src/t src/moved.rs");
    let grown = map(&roz);
    assert!(grown.contains("| `src/b.rs` | `src_a_rs` |"), "{grown}");
    assert!(grown.contains("| `src/moved.rs` | `src_b_rs` |"), "{grown}");
    is_that_of_the_ledger(&roz);
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
    // The agent's next write is not stale.
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

/// A Bash call that really runs.
fn ran(roz: &Roz, line: &str) {
    let call = roz.call("Bash", &json!({ "command": line }));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    let output = roz.program(&["bash", "-c", line]).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    let mut done = call;
    done["tool_response"] =
        json!({ "stdout": "", "stderr": "", "interrupted": false, "isImage": false });
    roz.hook("post-tool-use", done).objects_to_nothing();
}

/// Of the last record: each file's step, and whether it is proved.
fn steps(roz: &Roz) -> Vec<(String, String, bool)> {
    let records = records(roz);
    let files = records.last().unwrap()["metadata"]["dev.roz"]["files"].as_array().unwrap();
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let step = |it: &Value| {
        let evidence = &it["evidence"];
        (text(&it["path"]), text(&evidence["step"]), evidence["proved"] == true)
    };
    files.iter().map(step).collect()
}

const MOVED: &str = "printf 'def keep():\\n    return 2\\n' > src/v.py && \
                     printf 'def helper(x):\\n    return x + 1\\n' > src/w.py";

fn two_modules(roz: &Roz) {
    roz.write("src/v.py", "def helper(x):\n    return x + 1\n\ndef keep():\n    return 2\n");
    roz.git(&["add", "-A"]);
    roz.git(&["commit", "-qm", "before"]);
}

#[test]
fn a_definition_that_is_in_another_file_now_is_a_move() {
    let roz = at_work("");
    two_modules(&roz);
    ran(&roz, MOVED);
    let is = |path: &str| (path.to_owned(), "move".to_owned(), true);
    assert_eq!(steps(&roz), [is("src/v.py"), is("src/w.py")]);
}

#[test]
fn a_file_of_another_name_is_a_move() {
    let roz = at_work("");
    roz.write("src/test_a.py", "def test_a():\n    assert f()\n");
    two_modules(&roz);
    ran(&roz, "git mv src/test_a.py src/disabled_a.py");
    let is = |path: &str| (path.to_owned(), "move".to_owned(), true);
    assert_eq!(steps(&roz), [is("src/disabled_a.py"), is("src/test_a.py")]);
}

/// The steps and counters that older versions wrote.
#[test]
fn the_evidence_of_an_older_ledger_still_leads_the_map() {
    let roz = at_work("");
    let text = "fn old() -> u8 {\n    1\n}\n\npub fn more() {}\n";
    writes(&roz, "src/a.rs", BEFORE).passes();
    writes(&roz, "src/a.rs", text).passes();
    let path = roz.project().join(".orchestration/agent_trace.jsonl");
    let ledger = fs::read_to_string(&path).unwrap();
    for step in ["private_definitions", "extract_or_inline", "import_order", "body_only"] {
        let older = ledger
            .replace(r#""step":"public_surface""#, &format!(r#""step":"{step}""#))
            .replace(r#""net":{"flow":"#, r#""net":{"identifiers":3,"calls":1,"flow":"#);
        assert_ne!(older, ledger);
        fs::write(&path, older).unwrap();
        fs::remove_file(roz.project().join(".orchestration/intent_map.md")).unwrap();
        roz.run(&["intent", "map"]).succeeds();
        assert!(map(&roz).contains("| `src/a.rs` | `more`, `old` |"), "{step}: {}", map(&roz));
    }
}
