//! A tool call that holds several calls: an event for each, and one answer for all.

use std::mem;

use serde_json::Value;

use super::{
    Answer, govern, unknown_tools,
    wire::{Input, MAX_STRING},
};
use crate::{core::bounded, world::World};

/// Judges each call that a tool call holds, until one is refused.
pub(super) fn govern_each(mut input: Input, world: &World) -> Answer {
    let more = mem::take(&mut input.more);
    unknown_tools::note(more.iter().chain([&input.event]), world);
    if more.is_empty() {
        return govern(input, world);
    }
    let mut answer = govern(input.clone(), world);
    for event in more {
        if weight(&answer.stdout) == REFUSED {
            break;
        }
        let next = govern(Input { event, ..input.clone() }, world);
        answer.warnings.extend(next.warnings);
        answer.stdout = joined(answer.stdout, next.stdout);
    }
    answer
}

/// The weight of a reply that refuses something.
const REFUSED: u8 = 2;

/// How much a reply stands in the way of a call.
fn weight(reply: &Value) -> u8 {
    match reply["hookSpecificOutput"]["permissionDecision"].as_str() {
        Some("ask") => 1,
        Some(_) => REFUSED,
        None if reply.get("decision").is_some() => REFUSED,
        None => 0,
    }
}

/// The reply to a call that holds two calls: the decision that weighs more, and what is said beside
/// both. New input for one of them is none for the whole.
fn joined(first: Value, second: Value) -> Value {
    let is_second = weight(&second) > weight(&first);
    let (mut reply, other) = if is_second { (second, first) } else { (first, second) };
    if let Some(specific) = reply.pointer_mut("/hookSpecificOutput").and_then(Value::as_object_mut)
    {
        specific.remove("updatedInput");
    }
    if let Some(message) = other["systemMessage"].as_str() {
        add_text(&mut reply["systemMessage"], message);
    }
    let specific = &other["hookSpecificOutput"];
    if let Some(context) = specific["additionalContext"].as_str() {
        reply["hookSpecificOutput"]["hookEventName"] = specific["hookEventName"].clone();
        add_text(&mut reply["hookSpecificOutput"]["additionalContext"], context);
    }
    reply
}

fn add_text(text: &mut Value, more: &str) {
    let whole = text.as_str().map_or_else(|| more.to_owned(), |text| format!("{text}\n{more}"));
    *text = bounded::chars(&whole, MAX_STRING).into();
}
