//! Finds the last refused call or stop in a session's trace.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{protect::RULES, review::NAMESAKE, trace::TraceEvent};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refused {
    pub at: DateTime<Utc>,
    /// `deny`, `ask` or `block`.
    pub answer: String,
    /// The gate, or `self-protection`.
    pub by: &'static str,
    /// `a call of Bash: git push`, `a stop`.
    pub what: String,
    pub why: String,
    /// What to do, where it does not depend on the gate's present state.
    pub instead: Option<&'static str>,
    /// Only recorded: the call ran, or the stop passed.
    pub is_trial: bool,
    /// The same call, or a stop, has passed the gate since.
    pub has_passed_since: bool,
}

pub fn newest(events: &[TraceEvent]) -> Option<Refused> {
    let mut newest_first = events.iter().enumerate().rev();
    let (at, mut refused) = newest_first.find_map(|(at, event)| Some((at, of(event)?)))?;
    let (event, later) = (&events[at], &events[at + 1..]);
    let is_same = |other: &TraceEvent, field| other.payload[field] == event.payload[field];
    refused.is_trial = is_trial(event, later);
    refused.has_passed_since = later.iter().any(|other| match other.event_type.as_str() {
        "gate_allowed" => is_same(other, "tool"),
        "call_granted" => is_same(other, "tool_use_id"),
        // A later stop that was held would be the newest refusal.
        name => name == event.event_type && matches!(name, "stop_hook_called" | "reflection_stop"),
    });
    Some(refused)
}

/// Whether the refusal was only recorded: the event that says so has the same time.
pub fn is_trial(refusal: &TraceEvent, events: &[TraceEvent]) -> bool {
    let mut others = events.iter().filter(|other| other.timestamp == refusal.timestamp);
    others.any(|other| other.event_type == "would_refuse")
}

fn of(event: &TraceEvent) -> Option<Refused> {
    let field = |name: &str| event.payload.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_refusal = matches!(field("answer"), "deny" | "ask" | "block");
    if event.event_type == "token_refused" && field("reason").starts_with(NAMESAKE) {
        return Some(Refused {
            at: event.timestamp,
            answer: "deny".to_owned(),
            by: "review",
            what: "a reviewer".to_owned(),
            why: field("reason").to_owned(),
            instead: Some("Rename or remove that agent file, then start the reviewer again."),
            ..Refused::default()
        });
    }
    let (by, what, why) = match event.event_type.as_str() {
        _ if !is_refusal => return None,
        "gate_blocked" => (
            "review",
            format!("a call of {}", field("tool")),
            format!("Gate `{}`: {}", field("pattern"), field("reason")),
        ),
        "stop_hook_called" => {
            ("review", "a stop".to_owned(), format!("The review is {}.", field("reason")))
        }
        "intent_refused" => ("intent", "a call".to_owned(), field("subject").to_owned()),
        "reflection_stop" => {
            ("reflection", "a stop".to_owned(), format!("The reflection is {}.", field("reason")))
        }
        "task_completed" => (
            "reflection",
            "the completion of a task".to_owned(),
            format!("Task `{}`: nothing was written down", field("subject")),
        ),
        "protected" => (
            "self-protection",
            "a call".to_owned(),
            format!("Rule `{}`: {}", field("rule"), field("subject")),
        ),
        _ => return None,
    };
    let rule = RULES.iter().find(|rule| by == "self-protection" && rule.name == field("rule"));
    let instead = rule.map(|rule| rule.instead).or_else(|| of_intent(field("code")));
    let (at, answer) = (event.timestamp, field("answer").to_owned());
    Some(Refused { at, answer, by, what, why, instead, ..Refused::default() })
}

/// What to do about a refusal that selecting an intent does not resolve.
fn of_intent(code: &str) -> Option<&'static str> {
    match code {
        "SCOPE_VIOLATION" => {
            Some("Select another intent, or widen the scope: `roz intent expand ID PATTERN`.")
        }
        "PROTECTED_PATH" => Some("Change something else: no intent may touch this path."),
        "STALE_FILE" => Some("The agent reads the file, then makes the call again."),
        _ => None,
    }
}
