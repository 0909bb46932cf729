//! Each repository has its own work, and an empty work its own rules.

use std::fs;

use serde_json::json;

use super::{MERGE, cloned};
use crate::{client::SESSION, support::Roz};

/// A second repository beside the project's.
fn with_another() -> Roz {
    let roz = cloned();
    roz.git(&["init", "-q", "-b", "main", "../other"]);
    roz.git(&["-C", "../other", "commit", "-q", "--allow-empty", "-m", "first"]);
    roz
}

#[test]
fn a_second_repository_has_an_approval_of_its_own() {
    let roz = with_another();
    let other = json!({ "cwd": roz.dir().join("other") });
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("../other/b.rs", "two\n");
    roz.approved();
    let reason = roz.bash_with(MERGE, &other).denies();
    assert!(!reason.contains("a.rs"), "{reason}");
    roz.bash("cd ../other && gh pr merge 7").denies();
    roz.reviewed("COMPLETE", "the other one is fine");
    roz.bash_with(MERGE, &other).passes();
    roz.bash("cd ../other && gh pr merge 7").passes();
    roz.merge().passes();
    fs::write(roz.dir().join("other/b.rs"), "changed\n").unwrap();
    roz.bash_with(MERGE, &other).denies();
    roz.merge().passes();
}

#[test]
fn a_line_is_judged_by_the_folder_that_it_names() {
    let roz = with_another();
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    roz.commits_all("work");
    fs::write(roz.dir().join("other/b.rs"), "two\n").unwrap();
    roz.git(&["-C", "../other", "add", "."]);
    roz.git(&["-C", "../other", "commit", "-qm", "not approved"]);
    roz.session_writes(SESSION, "../other/b.rs", "three\n");
    roz.git(&["-C", "../other", "commit", "-qam", "not approved"]);
    for line in ["cd ../other && git push", "git -C ../other push", "(cd ../other; git push)"] {
        roz.bash(line).denies();
    }
    roz.bash("git push").passes();
}

#[test]
fn a_review_that_a_person_asks_for_is_of_all_that_was_written_since() {
    let roz = with_another();
    roz.requests("#roz both of them");
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("../other/b.rs", "two\n");
    let told = roz.launch();
    let brief = told.json["hookSpecificOutput"]["updatedInput"]["prompt"].as_str().unwrap();
    for folder in ["project", "other"] {
        let folder = roz.dir().join(folder).display().to_string();
        assert!(brief.contains(&folder), "`{folder}` is not in: {brief}");
    }
    let reviewer = roz.reviewer("a1");
    let refused = reviewer.decides("COMPLETE", "fine").fails();
    assert!(refused.contains("a.rs") && refused.contains("b.rs"), "{refused}");
    let shown = reviewer.looks();
    assert!(shown.contains("+one") && shown.contains("+two"), "{shown}");
    reviewer.decides("COMPLETE", "fine").succeeds();
    reviewer.ends().passes();
    roz.stop().passes();
    roz.merge().passes();
    roz.bash_with(MERGE, &json!({ "cwd": roz.dir().join("other") })).passes();
}

#[test]
fn an_empty_work_is_approved_for_one_call_only_and_needs_a_look_at_what_it_names() {
    let roz = cloned();
    roz.merge().denies();
    let reviewer = roz.reviewer("a1");
    reviewer.looks();
    for command in ["gh auth status", "gh pr diff 8"] {
        reviewer.is_shown(command, &json!({ "stdout": "ok\n", "stderr": "" }));
        let refused = reviewer.decides("COMPLETE", "fine").fails();
        assert!(refused.contains("gh pr diff 7"), "{refused}");
    }
    reviewer.is_shown("gh pr diff 7", &json!({ "stdout": "diff --git a/x b/x\n", "stderr": "" }));
    reviewer.decides("COMPLETE", "fine").succeeds();
    reviewer.ends().passes();
    roz.stop().passes();
    roz.merge().passes();
    roz.merge().passes();
    roz.bash("gh pr merge 8").denies();
    // Nor is it an approval of anything that is done here.
    roz.agent_writes("a.rs", "one\n");
    roz.merge().denies();
}

#[test]
fn a_call_that_failed_is_no_look() {
    let roz = cloned();
    roz.merge().denies();
    let reviewer = roz.reviewer("a1");
    let call = reviewer.call("gh pr diff 7");
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.hook("post-tool-use-failure", call).passes();
    assert!(reviewer.decides("COMPLETE", "fine").fails().contains("gh pr diff 7"));
}
