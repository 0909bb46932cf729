//! Which ticket systems count, where learnings are kept, and what doctor says
//! of both.

use std::{fs, os::unix::fs::PermissionsExt as _};

use roz::core::reflection::tickets::SYSTEMS;
use serde_json::{Value, json};

use super::*;

fn system<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let systems = answer["systems"].as_array().unwrap();
    systems.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("no {name} in {answer}"))
}

/// Walks the table.
#[test]
fn every_system_is_told_of_and_is_in_use_where_its_marker_is() {
    for it in SYSTEMS {
        let roz = Roz::new();
        let answer = roz.json(&["tickets"]);
        let told = system(&answer, it.name);
        assert_eq!(told["marker"], json!(it.marker), "{told}");
        assert!(!told["closes"].as_array().unwrap().is_empty(), "{told}");
        assert_eq!(answer["system"], Value::Null);
        let Some(marker) = it.marker else { continue };
        let text = roz.run(&["tickets"]).succeeds().stdout;
        let is_on = told["enabled"] == true;
        assert_eq!(text.contains(&format!("{marker} (missing)")), is_on, "{text}");
        fs::create_dir_all(roz.project().join(marker)).unwrap();
        let answer = roz.json(&["tickets"]);
        let told = system(&answer, it.name);
        assert_eq!((&answer["system"], &told["in_use"]), (&json!(it.name), &json!(true)));
        assert_eq!(told["found_at"], json!(roz.project().canonicalize().unwrap().join(marker)));
        assert_eq!(answer["gate"]["wanted"], true);
        let text = roz.run(&["tickets"]).succeeds().stdout;
        let closes = told["closes"][0].as_str().unwrap();
        assert!(text.contains("in use") && text.contains(closes), "{text}");
        assert!(!text.contains(&format!("{marker} (missing)")), "{text}");
    }
}

#[test]
fn what_closes_is_said_as_one_would_type_it() {
    let answer = Roz::new().json(&["tickets"]);
    let closes = |name: &str| system(&answer, name)["closes"].clone();
    assert_eq!(
        closes("tissue"),
        json!([
            "tissue status <id> closed|duplicate",
            "tissue edit <id> --status closed|duplicate",
            "mcp__tissue__close*"
        ])
    );
    assert_eq!(
        closes("beads"),
        json!([
            "bd|beads close|done|complete [<id>…]",
            "bd|beads update <id> -s|--status closed",
            "mcp__*beads*__close",
            "mcp__*beads*__update with status closed"
        ])
    );
    assert_eq!(closes("github"), json!(["gh issue close [<id>…]", "gh pr merge|close [<id>…]"]));
    assert_eq!(system(&answer, "github")["enabled"], false);
}

#[test]
fn rows_of_the_users_own_count_and_a_misspelt_one_is_told_the_nearest() {
    let roz = Roz::with_config(
        "ticketing.discovery = ['tisue', 'session']\nticketing.overrides = { github = true }\n\
         [[ticketing.systems]]\nname = 'jira'\nmarker = '.jira'\ncloses = ['Bash:jira done *']\n",
    );
    roz.write(".jira", "");
    let answer = roz.json(&["tickets"]);
    assert_eq!(answer["system"], "jira");
    assert_eq!(system(&answer, "jira")["closes"], json!(["Bash:jira done *"]));
    assert_eq!(system(&answer, "github")["enabled"], true);
    assert_eq!(system(&answer, "beads")["enabled"], false);
    let text = roz.run(&["tickets"]).succeeds().stdout;
    assert!(text.contains("Bash:jira done *"), "{text}");
    let text = roz.run(&["config", "check"]).stdout;
    assert!(text.contains("did you mean `tissue`?"), "{text}");
}

#[test]
fn the_ticket_in_progress_is_asked_of_its_own_program() {
    let roz = Roz::new();
    let bin = roz.dir().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::create_dir(roz.project().join(".tissue")).unwrap();
    let bare = roz.with_var("PATH", bin.to_str().unwrap());
    let answer = bare.json(&["tickets"]);
    assert_eq!(answer["ticket"], Value::Null);
    assert!(system(&answer, "tissue")["note"].as_str().unwrap().contains("not on PATH"));
    let program = bin.join("tissue");
    fs::write(&program, "#!/bin/sh\necho '[{\"id\": \"t-1\", \"title\": \"The lexer panics\"}]'\n")
        .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(bare.json(&["tickets"])["ticket"]["ticket_id"], "t-1");
    let text = bare.run(&["tickets"]).succeeds().stdout;
    assert!(text.contains("In progress: t-1, The lexer panics (tissue)."), "{text}");
    // What it does not tell is said, and a list of none is none.
    for (script, said) in [
        ("echo no json", Some("did not answer with JSON")),
        ("echo 'no store here' >&2; exit 3", Some("no store here")),
        ("exec sleep 30", Some("did not end in time")),
        ("echo '[]'", None),
    ] {
        fs::write(&program, format!("#!/bin/sh\nPATH=/usr/bin:/bin; {script}\n")).unwrap();
        let answer = bare.json(&["tickets"]);
        assert_eq!(answer["ticket"], Value::Null, "{script}");
        let note = system(&answer, "tissue")["note"].as_str();
        assert_eq!(note.is_some(), said.is_some(), "{script}: {note:?}");
        assert!(note.unwrap_or_default().contains(said.unwrap_or_default()), "{script}: {note:?}");
    }
}

#[test]
fn a_server_that_is_to_be_used_and_not_named_is_told() {
    let roz = Roz::new();
    roz.configure("[backends]\nuse = [\"mcp\"]\n");
    let answer = roz.json(&["learn", "backends"]);
    let problem = answer["problems"][0]["what"].as_str().unwrap();
    assert!(problem.contains("`backends.mcp.command` names no server"), "{answer}");
    let text = roz.run(&["learn", "backends"]).succeeds().stdout;
    assert!(text.contains("names no server"), "{text}");
}

#[test]
fn backends_are_named_with_their_place_their_reason_and_their_answer() {
    let roz = three();
    let answer = roz.json(&["learn", "backends"]);
    let backends = answer["backends"].as_array().unwrap();
    let markdown = backends.iter().find(|it| it["name"] == "markdown").unwrap();
    assert_eq!((&markdown["answers"], &markdown["error"]), (&json!(true), &Value::Null));
    assert!(markdown["place"].as_str().unwrap().ends_with(".roz/learnings.md"), "{markdown}");
    assert!(!markdown["why"].as_str().unwrap().is_empty(), "{markdown}");
    let text = roz.run(&["learn", "backends"]).succeeds().stdout;
    assert!(text.contains("markdown") && text.contains("yes"), "{text}");
    // Something else in the file's place does not answer, and it is said why.
    let path = roz.project().join(".roz/learnings.md");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let answer = roz.json(&["learn", "backends"]);
    let backends = answer["backends"].as_array().unwrap();
    let markdown = backends.iter().find(|it| it["name"] == "markdown").unwrap();
    assert_eq!(markdown["answers"], false);
    assert!(markdown["error"].as_str().unwrap().contains("not a file"), "{markdown}");
    let text = roz.run(&["learn", "backends"]).succeeds().stdout;
    assert!(text.contains("not a file"), "{text}");
}

// Doctor.

/// The checks of that name.
#[track_caller]
fn doctor(roz: &Roz, name: &str) -> Vec<Value> {
    let ran = roz.run(&["doctor", "--no-client", "--json"]);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let checks = found["checks"].as_array().unwrap().iter();
    checks.filter(|it| it["name"] == name).cloned().collect()
}

#[track_caller]
fn finds(roz: &Roz, name: &str, status: &str, word: &str) {
    let checks = doctor(roz, name);
    let fits = |it: &Value| {
        let said = format!("{} {}", it["seen"], it["remedy"]);
        it["status"] == status && said.contains(word)
    };
    assert!(checks.iter().any(fits), "no {name}, {status}, `{word}` in {checks:?}");
}

#[test]
fn the_doctor_says_where_the_gate_is_on_and_why() {
    let roz = Roz::new();
    finds(&roz, "reflection", "ok", "off: no learnings");
    fs::create_dir(roz.project().join(".beads")).unwrap();
    finds(&roz, "reflection", "ok", "on: beads is used here");
    let roz = three();
    finds(&roz, "reflection", "ok", "learnings.md` exists; 3 active of 3 learnings");
    roz.configure("reflection.enabled = true");
    finds(&roz, "reflection", "ok", "is true");
    roz.configure("reflection.enabled = false");
    finds(&roz, "reflection", "warn", "nobody is asked");
}

#[test]
fn the_doctor_names_an_entry_that_cannot_be_read() {
    let roz = three();
    let path = roz.project().join(".roz/learnings.md");
    let text = fs::read_to_string(&path).unwrap();
    let line = text.lines().count() + 1;
    fs::write(&path, text + "## Half ^cl_20260101_halfen\n- **Category:** nonsense\n> x\n")
        .unwrap();
    finds(&roz, "reflection", "warn", &format!("learnings.md:{line}"));
    assert_eq!(roz.run(&["doctor", "--no-client"]).code, Some(0));
}

#[test]
fn of_many_entries_that_cannot_be_read_some_are_told_and_the_rest_counted() {
    let roz = three();
    let path = roz.project().join(".roz/learnings.md");
    let text = fs::read_to_string(&path).unwrap();
    let copies = (0..30).map(|at| text.replace("kebab-case", &format!("kebab{at}")));
    fs::write(&path, copies.collect::<String>()).unwrap();
    let text = roz.run(&["learn", "list", "--limit", "1"]).succeeds().stdout;
    let told = text.lines().filter(|it| it.starts_with("roz: cannot be read: ")).count();
    assert_eq!(told, 20, "{text}");
    assert!(text.contains(" more cannot be read (`--json` names them)"), "{text}");
}
