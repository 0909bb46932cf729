//! `roz trace`: what happened in a session.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Done, say};
use crate::{
    config::nearest,
    core::{bounded, trace::TraceEvent},
    open::Roz,
    world::World,
};

/// Show what happened in a session, oldest first
///
/// Examples:
///   roz trace                      the newest session of this project
///   roz trace 6f0c --type roz_decision
///   roz trace --follow             goes on as things happen
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "an example is typed as it stands")]
pub(super) struct Args {
    /// A session's id or a unique beginning of it; without one, the newest
    /// session of this project
    session: Option<String>,
    /// Show each event's payload whole
    #[arg(short, long)]
    verbose: bool,
    /// Go on and show new events as they come
    #[arg(short, long)]
    follow: bool,
    /// Only events of this type: `roz_decision`, `gate_blocked` …
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.session_or_newest(args.session.as_deref())?;
    let wanted =
        |event: &TraceEvent| args.event_type.as_ref().is_none_or(|it| *it == event.event_type);
    let mut events = roz.store.read_trace(&id)?;
    if let Some(name) = &args.event_type {
        is_known(name, &events)?;
    }
    let mut seen = events.iter().map(|it| it.seq).max().unwrap_or(0);
    events.retain(wanted);
    let out = say::Out::new(world);
    if args.json && !args.follow {
        say::print_json(&json!({ "session_id": id, "events": events }))?;
        return Ok(Done::Well);
    }
    show(&events, args, &out)?;
    if events.is_empty() && !args.follow {
        let dropped = match roz.load(&id)?.session.trace.dropped {
            0 => String::new(),
            n => format!(
                " {n} older ones were dropped (`trace.max_events`); `roz debug` has the newest \
                 decisions all the same."
            ),
        };
        say::print(&format!("No such events.{dropped}\n"))?;
    }
    if !args.follow {
        return Ok(Done::Well);
    }
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let mut events = roz.store.read_trace(&id)?;
        events.retain(|it| it.seq > seen);
        seen = events.iter().map(|it| it.seq).max().unwrap_or(seen);
        events.retain(wanted);
        show(&events, args, &out)?;
    }
}

#[derive(Debug, thiserror::Error)]
#[error("there is no event `{name}`{}", nearest(name, TYPES.iter().copied())
    .map_or_else(|| format!("; there are {}", TYPES.join(", ")), |it| format!("; did you mean `{it}`?")))]
struct NoSuchType {
    name: String,
}

/// Another roz may have noted what this one does not know.
fn is_known(name: &str, events: &[TraceEvent]) -> Result<(), NoSuchType> {
    let is_noted = || events.iter().any(|it| it.event_type == name);
    if TYPES.contains(&name) || is_noted() {
        return Ok(());
    }
    Err(NoSuchType { name: bounded::plain_line(&bounded::line(name, 60)) })
}

fn show(events: &[TraceEvent], args: &Args, out: &say::Out) -> super::Result<()> {
    for event in events {
        if args.json {
            say::print(&format!("{}\n", serde_json::to_string(event)?))?;
            continue;
        }
        let time = event.timestamp.with_timezone(&chrono::Local);
        let gist = bounded::plain_line(&gist(event));
        let name = bounded::plain_line(&event.event_type);
        if out.width < NARROW {
            // The day goes, and what happened has a line of its own.
            let head = format!("{:>5}  {}  {name}", event.seq, time.format("%H:%M:%S"));
            let head = out.paint(tone(event), &say::fitted(&head, out.width));
            let gist = say::fitted(&gist, out.width.saturating_sub(7));
            let gap = if gist.is_empty() { "" } else { "\n       " };
            say::print(&format!("{head}{gap}{gist}\n"))?;
        } else {
            let time = time.format("%Y-%m-%d %H:%M:%S");
            let head = format!("{:>5}  {time}  {name:<18}", event.seq);
            let room = out.edge().saturating_sub(head.chars().count() + 2);
            let gist = say::fitted(&gist, room);
            say::print(&format!("{}  {gist}\n", out.paint(tone(event), &head)))?;
        }
        if args.verbose && !event.payload.is_null() {
            let payload = serde_json::to_string_pretty(&event.payload)?;
            for line in payload.lines() {
                say::print_plain(&format!("       {line}\n"))?;
            }
        }
    }
    Ok(())
}

fn tone(event: &TraceEvent) -> say::Tone {
    match event.event_type.as_str() {
        "gate_blocked" | "breaker_tripped" | "token_refused" | "decision_refused" | "protected" => {
            say::Tone::Bad
        }
        "roz_decision" | "gate_allowed" | "call_granted" => say::Tone::Good,
        _ => say::Tone::Dim,
    }
}

/// A narrower terminal gets an event on two lines.
const NARROW: usize = 72;

/// What can be asked for: the names of `core::trace::Mark`.
const TYPES: &[&str] = &[
    "session_start",
    "session_seen",
    "prompt_received",
    "client_prompt",
    "gate_blocked",
    "gate_allowed",
    "call_granted",
    "tool_completed",
    "intent_selected",
    "intent_refused",
    "intent_completed",
    "ticket_detected",
    "ticket_close_intended",
    "ticket_closed",
    "ticket_close_failed",
    "task_completed",
    "reflection_stop",
    "reflection_breaker_tripped",
    "reflection",
    "skip",
    "observation",
    "learnings_injected",
    "learning_opened",
    "learning_referenced",
    "stop_hook_called",
    "breaker_tripped",
    "breaker_reset",
    "review_ended",
    "reviewer_launched",
    "reviewer_started",
    "token_refused",
    "permit_given",
    "bad_session_id",
    "roz_decision",
    "call_allowed",
    "decision_refused",
    "reviewer_held",
    "reviewer_ended",
    "protected",
    "weakened",
    "interrupted",
    "trace_compacted",
    "session_end",
];

/// What matters most of an event, in this order; of others, all that is short.
const GISTS: &[(&str, &[&str])] = &[
    ("session_start", &["source"]),
    ("prompt_received", &["prompt"]),
    ("client_prompt", &["prompt"]),
    ("gate_blocked", &["answer", "tool", "pattern", "reason"]),
    ("gate_allowed", &["tool", "pattern", "reason"]),
    ("call_granted", &["tool", "about"]),
    ("tool_completed", &["tool", "succeeded"]),
    ("stop_hook_called", &["answer", "reason", "block_count"]),
    ("breaker_tripped", &["block_count"]),
    ("review_ended", &["by"]),
    ("reviewer_launched", &["tool_use_id"]),
    ("reviewer_started", &["agent_id"]),
    ("token_refused", &["agent_id", "reason"]),
    ("permit_given", &["agent_id", "verdict"]),
    ("roz_decision", &["decision", "by", "summary"]),
    ("call_allowed", &["by", "pattern"]),
    ("decision_refused", &["reason"]),
    ("reviewer_held", &["agent_id", "blocks"]),
    ("reviewer_ended", &["agent_id", "outcome"]),
    ("protected", &["answer", "rule", "subject"]),
    ("weakened", &["file", "what"]),
    ("trace_compacted", &["dropped"]),
    ("session_end", &["reason"]),
];

fn gist(event: &TraceEvent) -> String {
    let short = |value: &Value| match value {
        Value::String(text) => Some(bounded::line(text, 80)),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let Some(fields) = event.payload.as_object() else { return String::new() };
    let words: Vec<String> = match GISTS.iter().find(|(it, _)| *it == event.event_type) {
        Some((_, names)) => names.iter().filter_map(|it| short(fields.get(*it)?)).collect(),
        None => fields
            .iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", short(value)?)))
            .collect(),
    };
    words.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the names where they are written.
    #[test]
    fn every_event_can_be_asked_for() {
        let source = include_str!("../core/trace.rs");
        let (_, list) = source.split_once("pub enum Mark {\n").unwrap();
        let (list, _) = list.split_once("\n}").unwrap();
        let is_variant = |it: &&str| {
            it.strip_prefix("    ").is_some_and(|it| it.starts_with(char::is_uppercase))
        };
        let snake = |line: &str| {
            let name = line.trim().trim_end_matches([' ', '{', ',']);
            let mut res = String::new();
            for (at, c) in name.char_indices() {
                res.extend((at > 0 && c.is_uppercase()).then_some('_'));
                res.extend(c.to_lowercase());
            }
            res
        };
        let names: Vec<String> = list.lines().filter(is_variant).map(snake).collect();
        assert_eq!(TYPES, names);
        for (name, _) in GISTS {
            assert!(TYPES.contains(name), "{name}");
        }
    }
}
