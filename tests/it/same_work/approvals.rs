//! The table of approvals, people's words, and `roz status --check`.

use serde_json::{Value, json};

use super::{MERGE, cloned, local};
use crate::{client::SESSION, support::Roz};

#[test]
fn a_script_asks_with_an_exit_code() {
    let roz = local();
    let check = |code: i32| {
        let ran = roz.run(&["status", "--check"]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        ran.stdout
    };
    assert!(check(0).contains("nothing has changed"));
    roz.session_starts(SESSION, "startup");
    roz.agent_writes("a.rs", "one\n");
    check(1);
    roz.approved();
    assert!(check(0).contains("the work is approved: fine"));
    roz.write("a.rs", "two\n");
    assert!(check(1).contains("changed since the approval: a.rs"));
    let told = roz.run(&["status", "--check", "--json"]);
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!((&told["work"], &told["changed"]), (&json!("not_approved"), &json!(["a.rs"])));
    assert_eq!(Roz::new().run(&["status", "--check"]).code, Some(2), "no repository");
}

#[test]
fn a_script_needs_no_session() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    roz.commits_all("work");
    std::fs::remove_dir_all(roz.sessions()).unwrap();
    assert_eq!(roz.run(&["status", "--check"]).code, Some(0));
    roz.write("a.rs", "two\n");
    assert_eq!(roz.run(&["status", "--check"]).code, Some(1));
}

#[test]
fn a_person_approves_the_work_as_it_is() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.merge().denies();
    let told = roz.prompt("#roz:approve I have read it").objects_to_nothing().tells_user();
    assert!(told.contains("approved by you"), "{told}");
    roz.merge().passes();
    roz.stop().passes();
    roz.prompt("go on").passes();
    roz.merge().passes();
    let row = roz.table().pop().unwrap();
    assert_eq!((&row["by"], &row["summary"]), (&json!("human"), &json!("I have read it")));
    // It is of the work as it is, also where nothing waited.
    roz.agent_writes("a.rs", "two\n");
    roz.merge().denies();
    roz.prompt("#roz:approve").tells_user();
    roz.merge().passes();
}

#[test]
fn no_reviewer_withdraws_what_a_person_approved() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.merge().denies();
    let reviewer = roz.reviewer("a1");
    roz.prompt("#roz:approve").tells_user();
    let ran = reviewer.decides("ISSUES", "bad").succeeds();
    assert!(ran.stdout.contains("changes nothing"), "{}", ran.stdout);
    roz.merge().passes();
}

#[test]
fn a_reviewer_that_is_still_at_work_withdraws_what_another_approved() {
    let roz = Roz::with_config(&format!("{}review.parallel = true\n", super::GATES)).in_git();
    roz.session_starts(SESSION, "startup");
    roz.agent_writes("a.rs", "one\n");
    roz.merge().denies();
    let (one, two) = (roz.reviewer("a1"), roz.reviewer("a2"));
    one.looks();
    one.decides("COMPLETE", "fine").succeeds();
    roz.merge().passes();
    two.decides("ISSUES", "bad").succeeds();
    assert_eq!(roz.state(), "issues");
    roz.merge().denies();
    assert_eq!(roz.table().pop().unwrap()["row"], "withdrawn");
    roz.bash_with(MERGE, &json!({ "session_id": "s2" })).denies();
}

fn waiting() -> Roz {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.commits_all("work");
    roz.merge().denies();
    roz
}

#[test]
fn a_person_lets_one_call_through_and_a_failed_one_does_not_use_it_up() {
    let roz = waiting();
    let told = roz.prompt("#roz:allow").objects_to_nothing().tells_user();
    assert!(told.contains("Bash:gh pr merge*"), "{told}");
    roz.bash("git push origin feature").denies();
    for event in ["post-tool-use-failure", "post-tool-use"] {
        let call = roz.call("Bash", &json!({ "command": "gh pr merge --squash 7" }));
        let told = roz.hook("pre-tool-use", call.clone()).objects_to_nothing().tells_user();
        assert!(told.contains("goes through once"), "{told}");
        roz.hook(event, call).passes();
    }
    roz.merge().denies();
    assert_eq!(roz.trace("call_allowed").len(), 1);
}

#[test]
fn what_a_person_allowed_is_void_at_the_second_prompt_and_after_a_quarter_of_an_hour() {
    let roz = waiting();
    roz.prompt("#roz:allow").tells_user();
    roz.prompt("now merge it").passes();
    roz.merge().objects_to_nothing();
    let roz = waiting();
    roz.prompt("#roz:allow").tells_user();
    roz.prompt("wait").passes();
    roz.prompt("now merge it").passes();
    roz.merge().denies();
    let roz = waiting();
    roz.prompt("#roz:allow").tells_user();
    roz.later(15 * 60);
    roz.merge().denies();
}

#[test]
fn where_nothing_waits_the_next_gated_call_is_allowed() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.commits_all("work");
    roz.prompt("#roz:allow push it").tells_user();
    let call = roz.call("Bash", &json!({ "command": "git push origin feature" }));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing().tells_user();
    roz.hook("post-tool-use", call).passes();
    roz.bash("git push origin feature").denies();
}

#[test]
fn an_approval_says_what_was_approved_by_whom_and_what_was_seen() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("b.rs", "two\n");
    roz.merge().denies();
    let reviewer = roz.reviewer("a1");
    reviewer.looks_with(&["--diff", "a.rs"]);
    let excuse = ["--unseen", "b.rs: made by a generator"];
    reviewer.decides_with("COMPLETE", "read it", &excuse).succeeds();
    let row = roz.table().pop().unwrap();
    assert_eq!(row["row"], "approved");
    for field in ["id", "at", "tree", "base", "fork", "head"] {
        assert!(row[field].is_string(), "no `{field}` in {row}");
    }
    assert_eq!(row["branch"], "feature");
    assert_eq!(row["works"], json!([roz.project()]));
    assert_eq!(row["by"], json!({ "reviewer": "a1" }));
    assert_eq!((&row["session"], &row["summary"]), (&json!(SESSION), &json!("read it")));
    assert_eq!(row["seen"], json!(["a.rs"]));
    assert_eq!(row["unseen"], json!(["b.rs: made by a generator"]));
}

#[test]
fn old_approvals_are_forgotten_with_their_objects() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    let trees = || std::fs::read_dir(roz.home().join("trees")).unwrap().count();
    assert_eq!((roz.table().len(), trees()), (1, 1));
    roz.run(&["clean"]).succeeds();
    roz.merge().passes();
    roz.later(8 * 24 * 60 * 60);
    roz.run(&["clean", "--dry-run"]).succeeds();
    assert_eq!((roz.table().len(), trees()), (1, 1));
    roz.run(&["clean"]).succeeds();
    assert_eq!((roz.table().len(), trees()), (0, 0));
    roz.merge().denies();
}

#[test]
fn an_approval_expires_where_it_is_told_to() {
    let config = format!("{}review.gates.approval_ttl_seconds = 3600\n", super::GATES);
    let roz = Roz::with_config(&config).in_git();
    roz.session_starts(SESSION, "startup");
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    roz.later(3500);
    roz.merge().passes();
    roz.later(200);
    assert!(roz.merge().denies().contains("the approval has expired"));
}
