//! Whether a session is asked at its stop: what a project's file says, and what comes and goes
//! while the session runs, switches that off for nobody.

use super::*;

/// A project whose own file says that, in a session.
fn with_project_file(learnings: bool, text: &str) -> Roz {
    let roz = Roz::with_config("").in_git();
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
    let roz = with_project_file(true, text);
    roz.configure(text);
    roz.write("a.txt", &"1\n".repeat(9));
    roz.stop().passes();
}
