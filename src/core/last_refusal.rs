//! Finds the last refused call or stop in a session's trace.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{protect::RULES, review::NAMESAKE, trace::TraceEvent};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub at: DateTime<Utc>,
    /// The gate, or `self-protection`.
    pub by: &'static str,
    /// `a call of Bash: git push`, `a stop`.
    pub what: String,
    pub why: String,
    /// What to do, where it does not depend on the gate's present state.
    pub instead: Option<&'static str>,
}

pub fn newest(events: &[TraceEvent]) -> Option<Refused> {
    events.iter().rev().find_map(of)
}

fn of(event: &TraceEvent) -> Option<Refused> {
    let field = |name: &str| event.payload.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_refusal = matches!(field("answer"), "deny" | "ask" | "block");
    if event.event_type == "token_refused" && field("reason").starts_with(NAMESAKE) {
        return Some(Refused {
            at: event.timestamp,
            by: "review",
            what: "a reviewer".to_owned(),
            why: field("reason").to_owned(),
            instead: Some("rename or remove that agent file, then start the reviewer again"),
        });
    }
    let (by, what, why) = match event.event_type.as_str() {
        _ if !is_refusal => return None,
        "gate_blocked" => (
            "review",
            format!("a call of {}", field("tool")),
            format!("gate `{}`: {}", field("pattern"), field("reason")),
        ),
        "stop_hook_called" => {
            ("review", "a stop".to_owned(), format!("the review is {}", field("reason")))
        }
        "intent_refused" => {
            ("intent", "a call".to_owned(), format!("{}: {}", field("code"), field("subject")))
        }
        "reflection_stop" => ("reflection", "a stop".to_owned(), field("reason").to_owned()),
        "task_completed" => (
            "reflection",
            "the completion of a task".to_owned(),
            format!("`{}`: nothing was written down", field("subject")),
        ),
        "protected" => (
            "self-protection",
            "a call".to_owned(),
            format!("rule `{}`: {}", field("rule"), field("subject")),
        ),
        _ => return None,
    };
    let rule = RULES.iter().find(|rule| by == "self-protection" && rule.name == field("rule"));
    let instead = rule.map(|rule| rule.instead).or_else(|| of_intent(field("code")));
    Some(Refused { at: event.timestamp, by, what, why, instead })
}

/// What to do about a refusal that selecting an intent does not resolve.
fn of_intent(code: &str) -> Option<&'static str> {
    match code {
        "SCOPE_VIOLATION" => {
            Some("select another intent, or widen the scope: `roz intent expand ID PATTERN`")
        }
        "PROTECTED_PATH" => Some("change something else: no intent may touch this path"),
        "STALE_FILE" => Some("the agent reads the file again, then makes the call again"),
        _ => None,
    }
}
