//! `roz trace`: what happened in a session.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Done, say};
use crate::{
    core::{bounded, trace::TraceEvent},
    open::Roz,
    world::World,
};

/// Show what happened in a session, oldest first
///
/// Examples:
///   roz trace                      the newest session of this project
///   roz trace 6f0c --type `roz_decision`
///   roz trace --follow             goes on as things happen
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
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
    let mut seen = events.iter().map(|it| it.seq).max().unwrap_or(0);
    events.retain(wanted);
    let out = say::Out::new(world);
    if args.json && !args.follow {
        say::print_json(&json!({ "session_id": id, "events": events }))?;
        return Ok(Done::Well);
    }
    show(&events, args, &out)?;
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

fn show(events: &[TraceEvent], args: &Args, out: &say::Out) -> super::Result<()> {
    for event in events {
        if args.json {
            say::print(&format!("{}\n", serde_json::to_string(event)?))?;
            continue;
        }
        let time = event.timestamp.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M:%S");
        let head = format!("{:>5}  {time}  {:<18}", event.seq, event.event_type);
        let room = out.width.saturating_sub(head.chars().count() + 2).max(20);
        let gist = say::fitted(&bounded::plain_line(&gist(event)), room);
        say::print(&format!("{}  {gist}\n", out.paint(tone(event), &head)))?;
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
        "roz_decision" | "gate_allowed" => say::Tone::Good,
        _ => say::Tone::Dim,
    }
}

/// What matters most of an event, in this order; of others, all that is short.
const GISTS: &[(&str, &[&str])] = &[
    ("session_start", &["source"]),
    ("prompt_received", &["prompt"]),
    ("client_prompt", &["prompt"]),
    ("gate_blocked", &["answer", "tool", "pattern", "reason"]),
    ("gate_allowed", &["tool", "pattern", "reason"]),
    ("tool_completed", &["tool", "succeeded"]),
    ("stop_hook_called", &["answer", "reason", "block_count"]),
    ("breaker_tripped", &["block_count"]),
    ("review_ended", &["by"]),
    ("reviewer_launched", &["tool_use_id"]),
    ("reviewer_started", &["agent_id"]),
    ("token_refused", &["agent_id", "reason"]),
    ("permit_given", &["agent_id", "verdict"]),
    ("roz_decision", &["decision", "by", "summary"]),
    ("decision_refused", &["reason"]),
    ("reviewer_held", &["agent_id", "blocks"]),
    ("reviewer_ended", &["agent_id", "outcome"]),
    ("protected", &["answer", "rule", "subject"]),
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
