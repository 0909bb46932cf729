//! Finds the ticket in progress in the JSON output of a ticket system's program.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::state::Ticket;
use crate::core::bounded;

/// The first ticket of a JSON list (bare or in an object) or of JSON lines.
pub fn first(value: &Value, system: &str, now: DateTime<Utc>) -> Option<Ticket> {
    let lists = ["issues", "tickets", "items", "data", "results"];
    let in_object = || lists.iter().find_map(|name| value.get(*name)?.as_array());
    let listed = match value.as_array().or_else(in_object) {
        Some(items) => items.first()?,
        None => value,
    };
    let field = |names: &[&str]| match names.iter().find_map(|name| listed.get(*name))? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let title = field(&["title", "summary", "subject", "name"]).unwrap_or_default();
    let tags = ["tags", "labels"].iter().find_map(|text| listed.get(*text)?.as_array());
    let tags = tags
        .into_iter()
        .flatten()
        .filter_map(|tag| tag.as_str().or_else(|| tag.get("name")?.as_str()));
    Some(Ticket {
        ticket_id: bounded::line(&field(&["id", "ticket_id", "key", "number"])?, 200),
        source: system.to_owned(),
        title: bounded::line(&title, 300),
        description: field(&["description", "body"]).map(|field| bounded::chars(&field, 2000)),
        tags: tags.take(20).map(|tag| bounded::line(tag, 60)).collect(),
        detected_at: now,
    })
}
