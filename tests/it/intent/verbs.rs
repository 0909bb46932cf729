//! `roz intent` through the binary.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use super::INTENTS;
use crate::{
    client::SESSION,
    decide::at_a_terminal,
    support::{Roz, feed, is_run_by_an_agent, skip},
};

/// A session of the client's, at the project.
fn started(text: &str) -> Roz {
    let roz = Roz::declaring(text);
    roz.prompt("hello").objects_to_nothing();
    roz
}

fn context_of(roz: &Roz, id: &str) -> String {
    let told = roz.json(&["intent", "select", id, "--session-id", SESSION]);
    told["context"].as_str().unwrap().to_owned()
}

#[test]
fn a_selected_intent_is_the_sessions_and_its_context_is_told() {
    let roz = started(INTENTS);
    let told = roz.run(&["intent", "select", "INT-001"]).succeeds().stdout;
    assert!(told.starts_with("<intent_context><intent id=\"INT-001\" name=\"Login by link\">"));
    assert!(told.contains("<path>src/auth/**</path>"), "{told}");
    assert!(told.contains("<constraint>no &lt;new&gt; dependency</constraint>"), "{told}");
    assert!(told.contains("<criterion>a link works once</criterion>"), "{told}");
    let whole = roz.debug(SESSION);
    assert_eq!(whole["intent"]["selected"]["intent_id"], "INT-001");
    assert_eq!(whole["state"]["intent"], "context_loaded");
    assert_eq!(roz.json(&["list"])["sessions"][0]["intent"], "context_loaded");
    assert_eq!(roz.trace("intent_selected")[0]["payload"]["intent_id"], "INT-001");
}

#[test]
fn selecting_writes_no_file_and_starting_writes_the_status_and_the_time() {
    let roz = started(INTENTS);
    roz.run(&["intent", "select", "INT-001"]).succeeds();
    assert_eq!(roz.declared(), INTENTS);
    roz.run(&["intent", "start", "INT-001"]).succeeds();
    let wanted = INTENTS.replacen("status: DRAFT", "status: IN_PROGRESS", 1);
    let stamp = roz.now().replace("+00:00", "Z");
    assert_eq!(roz.declared(), wanted.replacen("2025-01-01", &stamp, 1));
    // Already so: not a byte is written.
    roz.later(100);
    let before = roz.declared();
    roz.run(&["intent", "start", "INT-001"]).succeeds();
    assert_eq!(roz.declared(), before);
}

#[test]
fn the_client_names_the_session() {
    for variables in [
        &[("CLAUDE_CODE_SESSION_ID", "s9")][..],
        &[("CODEX_SESSION_ID", "s9"), ("CLAUDE_CODE_SESSION_ID", "s8")],
        &[("COPILOT_AGENT_SESSION_ID", "s9"), ("ROZ_SESSION_ID", "run-1")],
        &[("QWEN_CODE_SESSION_ID", "s9")],
        &[("ROZ_SESSION_ID", "s9")],
    ] {
        let roz = variables.iter().fold(started(INTENTS), |roz, (name, id)| roz.with_var(name, id));
        let told = roz.json(&["intent", "select", "INT-001"]);
        assert_eq!(told["session_id"], "s9", "{variables:?}");
        assert_eq!(roz.debug("s9")["intent"]["selected"]["intent_id"], "INT-001");
        assert!(roz.debug(SESSION)["intent"]["selected"].is_null());
    }
}

#[test]
fn what_cannot_be_selected_is_refused_with_a_reason_and_changes_nothing() {
    let roz = started(INTENTS);
    roz.write(".orchestration/.intentignore", "node_modules/\nINT-002\n");
    for (id, code, word) in [
        ("INT-01", "INVALID_INTENT", "Did you mean `INT-001`?"),
        ("nonsense", "INVALID_INTENT", "Open intents: INT-001, INT-002"),
        ("INT-002", "INTENT_IGNORED", ".intentignore, line 2"),
        ("INT-003", "INTENT_NOT_ACTIVE", "is COMPLETED"),
    ] {
        let said = roz.run(&["intent", "select", id]).fails();
        assert!(said.contains(word), "{said}");
        let ran = roz.run(&["intent", "select", id, "--json"]);
        assert_eq!(ran.code, Some(1));
        let refusal: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(refusal["code"], code, "{refusal}");
    }
    assert_eq!(roz.declared(), INTENTS);
    assert!(roz.debug(SESSION)["intent"]["selected"].is_null());
}

#[test]
fn of_a_broken_file_line_and_column_are_told_by_every_verb() {
    let roz = started("active_intents:\n  - id: INT-001\n    name: [\n");
    for args in [
        &["intent", "select", "INT-001"][..],
        &["intent", "list"],
        &["intent", "show", "INT-001"],
        &["intent", "start", "INT-001"],
        &["intent", "new", "x", "--scope", "src/**", "--yes"],
        &["intent", "expand", "INT-001", "src/**", "--yes"],
        &["intent", "complete", "INT-001", "--yes"],
        &["intent", "archive", "INT-001", "--yes"],
    ] {
        let said = roz.run(args).fails();
        assert!(said.contains("line ") && said.contains("column "), "{args:?}: {said}");
    }
    let check = roz.run(&["intent", "check"]);
    assert_eq!(check.code, Some(1));
    assert!(check.stdout.contains("error: line "), "{}", check.stdout);
}

#[test]
fn a_broken_intentignore_closes_all_of_them() {
    let roz = started(INTENTS);
    roz.write(".orchestration/.intentignore", "deny [\n");
    let said = roz.run(&["intent", "select", "INT-001"]).fails();
    assert!(said.contains(".intentignore") && said.contains("line 1"), "{said}");
    let folder = roz.project().join(".orchestration/.intentignore");
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    let said = roz.run(&["intent", "select", "INT-001"]).fails();
    assert!(said.contains("a directory"), "{said}");
}

#[test]
fn what_stands_in_the_files_place_is_not_followed() {
    let roz = started(INTENTS);
    let file = roz.project().join(".orchestration/active_intents.yaml");
    let elsewhere = roz.dir().join("elsewhere.yaml");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    let said = roz.run(&["intent", "select", "INT-001"]).fails();
    assert!(said.contains("symbolic link"), "{said}");
    roz.run(&["intent", "new", "x", "--scope", "src/**", "--yes"]).fails();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), INTENTS);
    assert_eq!(roz.run(&["intent", "check"]).code, Some(1));
}

#[test]
fn without_a_sidecar_every_verb_says_how_to_begin() {
    let roz = Roz::new();
    roz.prompt("hello").objects_to_nothing();
    for args in [
        &["intent", "list"][..],
        &["intent", "check"],
        &["intent", "select", "INT-001"],
        &["intent", "new", "x", "--scope", "src/**", "--yes"],
    ] {
        let said = roz.run(args).fails();
        assert!(said.contains("roz init --intent"), "{said}");
    }
    assert!(!roz.project().join(".orchestration").exists());
}

#[test]
fn another_session_at_the_same_files_is_told_with_one_of_them() {
    let roz = started(INTENTS);
    roz.run(&["intent", "select", "INT-002", "--session-id", "other"]).succeeds();
    let told = roz.run(&["intent", "select", "INT-001", "--session-id", SESSION]).succeeds();
    assert!(told.stdout.contains("Mind: session other is working on INT-002"), "{}", told.stdout);
    let told = roz.json(&["intent", "select", "INT-001", "--session-id", SESSION]);
    let witness = told["overlaps"][0]["witness"].as_str().unwrap();
    assert!(witness.starts_with("src/auth/") && witness.contains(".rs"), "{witness}");
    // Its own selection is none of the others', and yesterday's is over.
    assert_eq!(told["overlaps"].as_array().unwrap().len(), 1);
    roz.later(2 * 24 * 3600);
    let told = roz.json(&["intent", "select", "INT-001", "--session-id", SESSION]);
    assert_eq!(told["overlaps"], json!([]));
}

#[test]
fn the_list_shows_what_is_not_finished_and_who_is_at_it() {
    let roz = started(INTENTS);
    roz.run(&["intent", "select", "INT-001"]).succeeds();
    let list = roz.run(&["intent", "list"]).succeeds().stdout;
    assert!(list.contains("INT-001") && list.contains("IN_PROGRESS"), "{list}");
    assert!(!list.contains("INT-003") && list.contains("1 finished"), "{list}");
    assert!(roz.run(&["intent", "list", "--all"]).succeeds().stdout.contains("INT-003"));
    let json = roz.json(&["intent", "list"]);
    assert_eq!(json["intents"][0]["sessions"], json!([SESSION]));
    assert_eq!(json["intents"][1]["sessions"], json!([]));
}

#[test]
fn an_intent_is_shown_whole() {
    let roz = started(INTENTS);
    let shown = roz.run(&["intent", "show", "INT-001"]).succeeds().stdout;
    for word in ["INT-001 (DRAFT): Login by link", "src/auth/**", "1. a link works once"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    assert_eq!(roz.json(&["intent", "show", "INT-003"])["can_be_selected"], false);
    assert!(roz.run(&["intent", "show", "int-001"]).fails().contains("Did you mean `INT-001`"));
}

#[test]
fn a_new_intent_can_be_selected_and_the_file_keeps_its_comments() {
    let roz = started(INTENTS);
    let made = roz.json(&[
        "intent",
        "new",
        "Mail: \"x\" # y",
        "--scope",
        "src/mail/**",
        "--scope",
        "!src/mail/old/**",
        "--criterion",
        "it arrives",
        "--constraint",
        "a: b",
        "--yes",
    ]);
    assert_eq!(made["intent"]["id"], "INT-004");
    assert!(roz.declared().starts_with(INTENTS), "{}", roz.declared());
    let context = context_of(&roz, "INT-004");
    assert!(context.contains("name=\"Mail: &quot;x&quot; # y\""), "{context}");
    assert!(context.contains("<path>!src/mail/old/**</path>"), "{context}");
    for args in [
        &["intent", "new", "x", "--id", "INT-001", "--scope", "a", "--yes"][..],
        &["intent", "new", "x", "--scope", "/etc", "--yes"],
        &["intent", "new", " ", "--scope", "a", "--yes"],
        &["intent", "new", "x", "--scope", "a", "--depends-on", "INT-9", "--yes"],
    ] {
        roz.run(args).fails();
    }
}

#[test]
fn an_expanded_scope_is_what_the_next_context_says() {
    let roz = started(INTENTS);
    let told = roz.run(&["intent", "expand", "INT-001", "src/mail/**", "src/auth/**", "--yes"]);
    let told = told.succeeds().stdout;
    assert!(told.contains("INT-001 now owns src/mail/** too"), "{told}");
    assert!(told.contains("Mind: INT-002 owns `src/"), "{told}");
    assert!(context_of(&roz, "INT-001").contains("<path>src/mail/**</path>"));
    let before = roz.declared();
    for pattern in ["../x", "/etc", "C:\\x", " "] {
        roz.run(&["intent", "expand", "INT-001", "ok/**", pattern, "--yes"]).fails();
    }
    assert_eq!(roz.declared(), before, "all of them or none");
    let broad = roz.json(&["intent", "expand", "INT-001", "**", "--yes"]);
    assert!(broad["mind"].to_string().contains("too broad"), "{broad}");
}

#[test]
fn an_intent_is_complete_when_each_criterion_is_answered() {
    let roz = started(INTENTS);
    let complete = |more: &[&str]| {
        let args = ["intent", "complete", "INT-001", "--yes"];
        roz.run(&args.iter().chain(more).copied().collect::<Vec<_>>())
    };
    assert!(complete(&[]).fails().contains("`a link works once` is not answered"));
    let said = complete(&["--met", "A link  works ONCE"]).fails();
    assert!(said.contains("2. `old links are refused` is not answered"), "{said}");
    assert!(complete(&["--met", "no such thing"]).fails().contains("no criterion"));
    assert!(complete(&["--met", "3"]).fails().contains("no criterion"));
    assert_eq!(roz.declared(), INTENTS);
    assert!(complete(&["--met", "1", "--met", "2"]).succeeds().stdout.contains("is COMPLETED"));
    assert!(roz.declared().contains("status: COMPLETED\n    owned_scope:\n      - src/auth/**"));
    assert_eq!(roz.trace("intent_completed").len(), 1);
    assert!(roz.run(&["intent", "select", "INT-001"]).fails().contains("is COMPLETED"));
}

#[test]
fn at_a_terminal_each_criterion_is_asked_for() {
    let roz = started(INTENTS);
    let args = ["intent", "complete", "INT-001"];
    let Some(mut command) = at_a_terminal(&roz, &args) else {
        skip("criteria are asked for", "neither `script` nor python3 makes a terminal");
        return;
    };
    let output = feed(&mut command, b"y\nn\n");
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("2. `old links are refused` is not met"), "{told}");
    assert_eq!(roz.declared(), INTENTS);
    let output = feed(&mut at_a_terminal(&roz, &args).unwrap(), b"y\nyes\n");
    assert!(output.status.success(), "{output:?}");
    assert!(roz.declared().contains("status: COMPLETED\n    owned_scope:\n      - src/auth"));
}

#[test]
fn a_finished_intent_is_started_again_only_by_a_persons_word() {
    let roz = started(INTENTS);
    let said = roz.run(&["intent", "start", "INT-003"]).fails();
    assert!(said.contains("--reopen"), "{said}");
    roz.run(&["intent", "start", "INT-003", "--reopen", "--yes"]).succeeds();
    roz.run(&["intent", "start", "INT-001"]).succeeds();
    assert_eq!(roz.declared().matches("status: IN_PROGRESS").count(), 3);
    let told = roz.run(&["intent", "archive", "INT-001", "--yes"]).succeeds().stdout;
    assert_eq!(told, "INT-001 is ARCHIVED.\n");
    let told = roz.run(&["intent", "archive", "INT-001", "--yes"]).succeeds().stdout;
    assert_eq!(told, "INT-001 is ARCHIVED already.\n");
}

#[test]
fn a_persons_word_takes_a_terminal_or_a_yes_or_the_clients_question() {
    let words = [
        &["intent", "new", "x", "--scope", "a/**"][..],
        &["intent", "expand", "INT-001", "a/**"],
        &["intent", "complete", "INT-003"],
        &["intent", "archive", "INT-002"],
        &["intent", "start", "INT-003", "--reopen"],
    ];
    let roz = Roz::declaring(INTENTS).with_var("CLAUDECODE", "1");
    for args in words {
        roz.run(args).succeeds();
    }
    if is_run_by_an_agent() {
        skip("a script says --yes", "an agent runs these tests, and roz sees that");
        return;
    }
    let roz = started(INTENTS);
    for args in words {
        assert!(roz.run(args).fails().contains("--yes"), "{args:?}");
    }
    assert_eq!(roz.declared(), INTENTS);
}

#[test]
fn self_protection_asks_before_a_persons_word() {
    let roz = started(INTENTS);
    for verb in ["new x --scope a", "expand INT-001 a", "complete INT-001", "archive INT-001"] {
        let command = format!("roz intent {verb} --yes");
        let asked = roz.tool("Bash", &json!({ "command": command })).asks();
        assert!(asked.contains("a person grants it"), "{asked}");
    }
    for tool in ["create_intent", "request_scope_expansion"] {
        roz.tool(&format!("mcp__roz__{tool}"), &json!({ "intent_id": "INT-001" })).asks();
    }
    for verb in ["select INT-001", "list", "start INT-001", "expand --help"] {
        let command = format!("roz intent {verb}");
        roz.tool("Bash", &json!({ "command": command })).objects_to_nothing();
    }
}

#[test]
fn a_check_tells_how_all_of_it_was_read() {
    let roz = started(INTENTS);
    roz.write(".orchestration/.intentignore", "node_modules/\ndeny secrets/**\nINT-003\n");
    let told = roz.run(&["intent", "check"]).succeeds().stdout;
    for word in [
        "3 declared, 2 open",
        "line 1: `node_modules/`",
        "is protected",
        "INT-003 cannot be selected",
        "INT-001 and INT-002: `src/auth/",
        "Everything is valid",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let json = roz.json(&["intent", "check"]);
    assert_eq!((&json["ok"], json["ignore"]["lines"].as_array().unwrap().len()), (&json!(true), 3));
    roz.write(".orchestration/.intentignore", "dney x y\n");
    let check = roz.run(&["intent", "check"]);
    assert_eq!(check.code, Some(1), "nobody knows what it was to protect");
    assert!(check.stdout.contains("did you mean `deny"), "{}", check.stdout);
    let roz = started(&INTENTS.replace("docs/**", "../docs/**, '**'"));
    let check = roz.run(&["intent", "check"]);
    assert_eq!(check.code, Some(1), "a pattern that is refused");
    assert!(check.stdout.contains("error: INT-003, scope `../docs/**`"), "{}", check.stdout);
    assert!(check.stdout.contains("too broad"), "{}", check.stdout);
}

#[test]
fn a_lesson_comes_with_the_next_handshake_of_what_it_concerns() {
    let roz = started(INTENTS);
    let learn = |lesson: &str, about: &[&str]| {
        let args = ["intent", "lesson", lesson];
        roz.run(&args.iter().chain(about).copied().collect::<Vec<_>>())
    };
    learn("Links <expire> --> by the server's clock.", &["--intent", "INT-001"]).succeeds();
    learn("Papers are dull.", &["--file", "docs/a.md"]).succeeds();
    let told = learn("links <expire> --> by the server's clock", &["--intent", "INT-001"]);
    assert!(told.succeeds().stdout.contains("already"));
    let context = context_of(&roz, "INT-001");
    assert!(context.contains("<lesson>Links &lt;expire&gt; --&gt; by the server&apos;s clock.<"));
    assert!(!context.contains("Papers"), "{context}");
    for args in [&["--intent", "INT-9"][..], &[]] {
        learn("Something.", args).fails();
    }
    learn(" ", &["--intent", "INT-001"]).fails();
    learn(&"x".repeat(600), &["--intent", "INT-001"]).fails();
    let brain = fs::read_to_string(roz.project().join(".orchestration/CLAUDE.md")).unwrap();
    assert_eq!(brain.lines().filter(|it| it.starts_with("- ")).count(), 2, "{brain}");
}

#[test]
fn the_last_changes_of_an_intent_come_with_its_context() {
    let roz = started(INTENTS);
    let record = |intent: &str, path: &str| {
        let record = json!({
            "version": "0.1.0",
            "id": "00000000-0000-7000-8000-000000000000",
            "intent_id": intent,
            "timestamp": "2026-01-01T00:00:00Z",
            "mutation_class": "INTENT_EVOLUTION",
            "files": [{ "path": path, "conversations": [] }],
        });
        format!("{record}\n")
    };
    let ledger = [
        record("INT-001", "src/auth/a.rs"),
        "torn {".into(),
        "\n7\n".into(),
        record("INT-002", "src/b.rs"),
        record("INT-001", "src/auth/<c>.rs"),
    ];
    roz.write(".orchestration/agent_trace.jsonl", &ledger.concat());
    let context = context_of(&roz, "INT-001");
    let newest = "<recent_trace><entry>2026-01-01T00:00:00Z INTENT_EVOLUTION src/auth/&lt;c&gt;.rs";
    assert!(context.contains(newest), "{context}");
    assert!(context.contains("src/auth/a.rs") && !context.contains("src/b.rs"), "{context}");
}

#[test]
fn a_hostile_file_makes_no_context_too_long_and_drives_no_terminal() {
    let items = "      - \"\\e[2J\\u0007 <&> and much more of it\"\n".repeat(3000);
    let text = format!(
        "active_intents:\n  - id: INT-001\n    status: TODO\n    name: \"\\e[31mred\"\n    constraints:\n{items}    owned_scope: [src/**]\n"
    );
    let roz = started(&text);
    let context = context_of(&roz, "INT-001");
    assert!(context.encode_utf16().count() < 10_000 && context.contains("<cut>"), "{context}");
    for args in [
        &["intent", "list"][..],
        &["intent", "show", "INT-001"],
        &["intent", "select", "INT-001"],
        &["intent", "check"],
    ] {
        let ran = roz.run(args).succeeds();
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{7}'), "{args:?}");
    }
}

#[test]
fn each_verb_has_its_help_with_examples() {
    let roz = Roz::new();
    for verb in ["show", "select", "new", "start", "complete", "archive", "expand", "lesson"] {
        let help = roz.run(&["intent", verb, "--help"]).succeeds().stdout;
        assert!(help.contains("Example") && help.contains("roz intent "), "{verb}: {help}");
    }
    roz.run(&["intent", "list", "--help"]).succeeds();
    roz.run(&["intent", "check", "--help"]).succeeds();
    roz.run(&["intent"]).misuses();
    roz.run(&["intent", "expand", "INT-001"]).misuses();
}
