//! Whether a session is asked at its stop: what a project's file says, and what comes and goes
//! while the session runs, switches that off for nobody.

use super::*;

/// A project whose own file says that, in a session.
fn with_project_file(learnings: bool, text: &str) -> Roz {
    with_files("", learnings, text)
}

/// The same, of a user whose file says something, too.
fn with_files(users: &str, learnings: bool, text: &str) -> Roz {
    let roz = Roz::with_config(users).in_git();
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/config.toml", text);
    if learnings {
        roz.write(".roz/learnings.md", "");
    }
    roz.hook("session-start", json!({ "source": "startup" }));
    roz
}

#[test]
fn a_projects_row_takes_no_known_system_away() {
    let text = "[[ticketing.systems]]\nname = 'beads'\nmarker = '.nothing'\ncloses = []\n";
    let roz = with_project_file(false, text);
    fs::create_dir(roz.project().join(".beads")).unwrap();
    let told = roz.run(&["config", "check"]);
    let said = format!("{}{}", told.stdout, told.stderr);
    assert!(said.contains(":1: `ticketing.systems`: the row `beads` is ignored"), "{said}");
    roz.runs("bd close bd-1", "post-tool-use").passes();
    roz.stop().blocks();
}

#[test]
fn a_projects_row_stands_in_for_no_session() {
    let text = "[[ticketing.systems]]\nname = 'x'\nmarker = '.git'\ncloses = ['Bash:x done *']\n";
    let roz = with_project_file(true, text);
    roz.write("a.txt", &"1\n".repeat(9));
    roz.stop().blocks();
    // What it says of closes counts; of the user's file all does.
    let roz = with_project_file(true, text);
    roz.runs("x done 1", "post-tool-use").passes();
    assert_eq!(roz.reflection(), "pending");
    let roz = with_files(text, true, text);
    roz.write("a.txt", &"1\n".repeat(9));
    roz.stop().passes();
}

#[test]
fn what_comes_and_goes_within_a_session_switches_no_gate_off() {
    type Act = fn(&Roz);
    let acts: &[(&str, Act)] = &[
        ("a marker appears", |roz| fs::create_dir(roz.project().join(".beads")).unwrap()),
        ("a marker appears, a file", |roz| roz.write(".tissue", "")),
        ("learnings vanish", |roz| {
            fs::remove_file(roz.project().join(".roz/learnings.md")).unwrap();
        }),
        ("learnings move", |roz| {
            let at = |name: &str| roz.project().join(".roz").join(name);
            fs::rename(at("learnings.md"), at("l.md")).unwrap();
        }),
        ("a task is refused", |roz| {
            let call = roz.call("TaskCreate", &json!({ "subject": "x", "description": "d" }));
            roz.hook("pre-tool-use", call).passes();
        }),
    ];
    for (what, act) in acts {
        let roz = without_tickets("");
        act(&roz);
        roz.write("a.txt", &"1\n".repeat(9));
        assert!(roz.stop().is_objection(), "{what}");
    }
    let roz = with_tickets("");
    fs::remove_dir(roz.project().join(".tissue")).unwrap();
    roz.closes("t-1");
    roz.stop().blocks();
    // The user's word counts at once.
    roz.configure("reflection.enabled = false");
    roz.stop().passes();
}

#[test]
fn a_session_of_before_is_taken_as_it_is_found() {
    let roz = without_tickets("");
    let file = roz.home().join(format!("sessions/{SESSION}.json"));
    let mut text: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(text["reflection"]["first_mode"], "session");
    text["reflection"].as_object_mut().unwrap().remove("first_mode");
    fs::write(&file, text.to_string()).unwrap();
    fs::create_dir(roz.project().join(".beads")).unwrap();
    roz.write("a.txt", &"1\n".repeat(9));
    roz.stop().passes();
}

#[test]
fn a_task_that_was_made_ends_session_mode() {
    let roz = without_tickets("");
    let mut call = roz.call("TaskCreate", &json!({ "subject": "x", "description": "d" }));
    roz.hook("pre-tool-use", call.clone()).passes();
    call["tool_response"] = json!({ "task": { "id": "1", "subject": "x" } });
    roz.hook("post-tool-use", call).passes();
    roz.write("a.txt", &"1\n".repeat(9));
    roz.stop().passes();
}
