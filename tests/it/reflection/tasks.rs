//! Tasks of the client are of their session: each begins to count at 1.

use super::*;

impl Roz {
    /// Task 1 of a session is completed, and held.
    #[track_caller]
    fn completes_task_1(&self, session: &str) {
        let task =
            json!({ "session_id": session, "task_id": "1", "task_subject": "The first thing" });
        let held = self.hook("task-completed", task);
        assert!(held.stderr.contains("task 1 (The first thing)"), "{held:?}");
    }

    #[track_caller]
    fn told_by(&self, session: &str, batch: &Value) -> Value {
        let args = ["reflect", "--session-id", session, "--json"];
        serde_json::from_str(&self.fed(&args, &batch.to_string()).succeeds().stdout).unwrap()
    }
}

#[test]
fn a_task_that_was_skipped_is_not_the_first_task_of_another_session() {
    let roz = without_tickets("");
    roz.completes_task_1("one");
    roz.run(&["skip", "nothing to tell", "--session-id", "one"]).succeeds();
    roz.completes_task_1("two");
    roz.told_by("two", &json!({ "candidates": [parser()] }));
    let stats = roz.json(&["stats"]);
    assert_eq!(stats["reflection"]["skip_misses"], json!([]), "{stats}");
    // In its own session it is the one that was skipped.
    roz.completes_task_1("three");
    roz.run(&["skip", "nothing to tell", "--session-id", "three"]).succeeds();
    roz.later(60);
    let later = candidate(
        "tests/db.rs hangs when port 5432 is taken by Postgres 16",
        "Set PGPORT=5433 before `cargo test`, or stop postgresql.service.",
    );
    roz.told_by("three", &json!({ "candidates": [later] }));
    let stats = roz.json(&["stats"]);
    assert_eq!(stats["reflection"]["skip_misses"], json!(["three/1"]), "{stats}");
}

#[test]
fn what_helped_with_the_first_task_of_another_session_helped_elsewhere() {
    let roz = without_tickets("");
    roz.completes_task_1("one");
    let answer = roz.told_by("one", &json!({ "candidates": [parser()] }));
    let id = answer["accepted"][0]["id"].as_str().unwrap();
    for session in ["one", "two"] {
        roz.hook("session-start", json!({ "source": "startup", "session_id": session }));
    }
    roz.completes_task_1("two");
    for session in ["one", "two"] {
        roz.run(&["ref", id, "--session-id", session]).succeeds();
    }
    let stats = roz.json(&["stats"]);
    let used = &stats["reflection"]["cross_pollination"];
    assert_eq!(
        used,
        &json!([{ "learning_id": id, "origin": "one/1", "tickets": ["two/1"] }]),
        "{stats}"
    );
}

#[test]
fn a_task_that_a_subagent_completes_holds_the_main_agents_stop() {
    let roz = without_tickets("");
    let done = json!({ "task_id": "1", "task_subject": "x", "agent_id": "a1", "agent_type": "b" });
    roz.hook("task-completed", done).passes();
    assert_eq!(roz.reflection(), "pending");
    let reason = roz.stop().blocks();
    assert!(reason.contains("task 1 is done"), "{reason}");
}
