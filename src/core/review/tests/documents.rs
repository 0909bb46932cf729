//! Documents of sessions that an older roz wrote.

use super::*;
use crate::core::review::state::Opener;

/// A session whose review is `review`, as it was written before there were tables of approvals.
fn loaded(review: Value) -> Gate {
    let mut gate = Gate::new();
    let mut session = serde_json::to_value(&gate.session).unwrap();
    session["review"] = review;
    gate.session = serde_json::from_value(session).unwrap();
    gate
}

fn pending() -> Value {
    json!({
        "enabled": true,
        "decision": { "type": "pending" },
        "decision_history": [],
        "user_prompts": ["#roz fix it"],
        "gate_trigger": null,
        "gate_approved_at": null,
        "last_prompt_at": "1970-01-01T00:00:00Z",
        "review_started_at": "1970-01-01T00:00:00Z",
        "block_count": 1,
        "circuit_breaker_tripped": false,
        "circuit_breaker_tripped_at": null,
        "attempts": [],
        "reviewers": {},
        "cycle": 1,
        "denials": 0,
    })
}

fn trigger() -> Value {
    json!({
        "tool_name": "Bash",
        "tool_input": { "value": { "command": "git push" }, "truncated": false },
        "triggered_at": "1970-01-01T00:00:00Z",
        "pattern_matched": "Bash:git push*",
    })
}

#[test]
fn a_cycle_without_a_trigger_was_opened_by_the_user() {
    let mut gate = loaded(pending());
    assert_eq!(gate.is("pending").counts(1, 0).session.review.opener(), Opener::Person);
    gate.passes(prompt("next")).objects_to(stop()).objects_to(push("p1"));
    assert_eq!(gate.session.review.opener(), Opener::Person, "whatever call came later");
}

#[test]
fn a_cycle_with_a_trigger_was_opened_by_a_gate() {
    let mut review = pending();
    review["gate_trigger"] = trigger();
    let mut gate = loaded(review);
    assert_eq!(gate.is("pending").session.review.opener(), Opener::Gate);
    gate.objects_to(stop()).passes(prompt("next")).passes(stop()).objects_to(push("p1"));
}

#[test]
fn an_approval_without_a_tree_lasts_until_the_next_prompt() {
    let mut review = pending();
    review["decision"] = json!({ "type": "complete", "summary": "fine" });
    review["gate_approved_at"] = json!("1970-01-01T00:00:00Z");
    review["approval"] = json!({});
    let mut gate = loaded(review);
    gate.tree("t1").is("approved").passes(push("p1")).tree("t2").passes(push("p2"));
    gate.passes(prompt("next")).objects_to(push("p3")).is("pending");
}

#[test]
fn a_reviewer_that_was_at_work_goes_on() {
    let token = "00112233445566778899aabbccddeeff";
    let mut review = pending();
    review["reviewers"] = json!({ "a1": {
        "started_at": "1970-01-01T00:00:00Z",
        "token_sha256": bounded::sha256(token.as_bytes()),
        "session_id": "s1",
        "blocks": 0,
        "proof": {},
    } });
    let mut gate = loaded(review);
    gate.is("reviewing");
    assert_eq!(gate.says("a1", token, complete()), Standing::Stands);
    gate.is("approved");
}

#[test]
fn a_session_of_before_is_idle() {
    loaded(json!({})).is("idle").passes(stop()).passes(prompt("next")).objects_to(push("p1"));
}
