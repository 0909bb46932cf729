//! What a session is told of another one of its project.

use super::*;

#[test]
fn nobody_says_that_a_session_ended_which_may_be_at_work() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.stop().blocks();
    let told = roz.hook("session-start", json!({ "source": "startup", "session_id": "beside" }));
    let told = told.context();
    assert!(
        told.contains(&format!("session {SESSION} of this project owes a reflection")),
        "{told}"
    );
    assert!(told.contains("Leave it alone if that session is still at work"), "{told}");
    assert!(told.contains(&format!("skip \"why\" --session-id {SESSION}")), "{told}");
    assert!(!told.contains("ended"), "{told}");
}

#[test]
fn a_stop_that_was_held_for_a_reflection_is_not_said_to_have_passed() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.stop().blocks();
    let told = roz.run(&["stats"]).succeeds().stdout;
    assert!(told.starts_with("No stop was held for a review in 1 session of the last"), "{told}");
}
