//! An event that arrives twice, because the hook is registered in two places, counts once.

use serde_json::{Value, json};

use crate::{
    client::SESSION,
    support::{Reply, Roz},
};

/// A stop, the same to the byte each time.
fn stop(roz: &Roz) -> Reply {
    roz.hook("stop", json!({ "stop_hook_active": false, "last_assistant_message": "Done." }))
}

fn blocks(roz: &Roz) -> Value {
    roz.debug(SESSION)["review"]["block_count"].clone()
}

#[test]
fn a_stop_that_arrives_twice_is_held_twice_and_counts_once() {
    let roz = Roz::new();
    roz.prompt("#roz").objects_to_nothing();
    let first = stop(&roz);
    assert_eq!(first.blocks(), stop(&roz).blocks());
    assert_eq!((blocks(&roz), roz.trace("stop_hook_called").len()), (json!(1), 1));
}

#[test]
fn the_same_stop_three_seconds_later_is_another_one() {
    let roz = Roz::new();
    roz.prompt("#roz").objects_to_nothing();
    stop(&roz).blocks();
    roz.later(2);
    stop(&roz).blocks();
    assert_eq!(blocks(&roz), 2);
}

#[test]
fn the_same_stop_after_another_event_is_another_one() {
    let roz = Roz::gated("");
    roz.prompt("#roz").objects_to_nothing();
    stop(&roz).blocks();
    // One that leaves no trace changes nothing.
    let read = json!({ "tool_name": "Read", "tool_input": {}, "tool_use_id": "t1" });
    roz.hook("pre-tool-use", read).passes();
    stop(&roz).blocks();
    assert_eq!(blocks(&roz), 1);
    roz.later(9);
    stop(&roz).blocks();
    roz.push().denies();
    stop(&roz).blocks();
    assert_eq!(blocks(&roz), 3);
}

#[test]
fn a_second_stop_of_a_turn_counts() {
    let roz = Roz::new();
    roz.prompt("#roz").objects_to_nothing();
    let again = || roz.hook("stop", json!({ "stop_hook_active": true }));
    again().blocks();
    again().blocks();
    assert_eq!(blocks(&roz), 2);
}

#[test]
fn another_stop_within_a_second_counts() {
    let roz = Roz::new();
    roz.prompt("#roz").objects_to_nothing();
    stop(&roz).blocks();
    roz.hook("stop", json!({ "stop_hook_active": false, "last_assistant_message": "Really." }))
        .blocks();
    assert_eq!(blocks(&roz), 2);
}

#[test]
fn the_last_block_before_the_breaker_trips_is_still_one_where_it_arrives_twice() {
    let roz = Roz::with_config("circuit_breaker.max_blocks = 1");
    roz.prompt("#roz").objects_to_nothing();
    stop(&roz).blocks();
    stop(&roz).blocks();
    roz.later(2);
    stop(&roz).objects_to_nothing().tells_user();
    stop(&roz).passes();
    assert_eq!(roz.state(), "idle");
}

#[test]
fn a_prompt_that_arrives_twice_opens_one_review() {
    let roz = Roz::new();
    let mut prompt = roz.payload("user-prompt", json!({ "prompt": "#roz look" }));
    prompt.as_object_mut().unwrap().remove("prompt_id");
    let prompt = prompt.to_string();
    let mut answers = Vec::new();
    for _ in 0..2 {
        roz.later(1);
        answers.push(roz.raw(&["hook", "user-prompt"], prompt.as_bytes()).json);
    }
    assert_eq!(answers[0], answers[1]);
    let review = roz.debug(SESSION)["review"].clone();
    assert_eq!((&review["cycle"], &review["user_prompts"]), (&json!(1), &json!(["#roz look"])));
}

#[test]
fn a_stop_that_nothing_holds_is_not_written_down() {
    let roz = Roz::new();
    stop(&roz).passes();
    stop(&roz).passes();
    assert!(roz.session_files().is_empty());
}
