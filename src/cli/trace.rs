//! `roz trace`: shows what happened in a session.

use std::{collections::BTreeSet, fmt::Write as _, time::Duration};

use serde_json::{Value, json};

use super::{
    say::{self, Out},
    target_session,
};
use crate::{
    config::nearest,
    core::{bounded, trace::TraceEvent},
    world::World,
};

/// Show what happened in a session, oldest first
///
/// Examples:
///   roz trace                      the newest session of this project
///   roz trace 6f0c --type roz_decision
///   roz trace --follow             keep printing as things happen
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "an example can be typed as it is")]
pub(super) struct Args {
    /// A session's id or a unique beginning of it; without one, the newest
    /// session of this project
    session: Option<String>,
    /// Show each event's whole payload
    #[arg(short, long)]
    verbose: bool,
    /// Keep printing new events as they come
    #[arg(short, long)]
    follow: bool,
    /// Only events of this type: `roz_decision`, `gate_blocked` …
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<String>,
    #[arg(from_global)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let (roz, session) = target_session::existing(args.session.as_deref(), world)?;
    let id = session.session_id;
    let wanted = |event: &TraceEvent| {
        args.event_type.as_ref().is_none_or(|event_type| *event_type == event.event_type)
    };
    let out = Out::new(world);
    let mut events = roz.store.read_trace(&id)?;
    let mut seen = events.iter().map(|event| event.seq).max().unwrap_or(0);
    let types: BTreeSet<String> = events.iter().map(|event| event.event_type.clone()).collect();
    events.retain(wanted);
    if !args.follow {
        let mut words: String = events.iter().map(|event| shown(event, args, &out)).collect();
        if events.is_empty() {
            words = none_of(args.event_type.as_deref(), &types);
        }
        return super::said(json!({ "session_id": id, "events": events }), words);
    }
    loop {
        for event in &events {
            let line =
                if args.json { json!(event).to_string() + "\n" } else { shown(event, args, &out) };
            say::print(&line)?;
        }
        std::thread::sleep(Duration::from_millis(300));
        events = roz.store.read_trace(&id)?;
        events.retain(|event| event.seq > seen);
        seen = events.iter().map(|event| event.seq).max().unwrap_or(seen);
        events.retain(wanted);
    }
}

fn none_of(wanted: Option<&str>, types: &BTreeSet<String>) -> String {
    let Some(wanted) = wanted else { return "No events yet.\n".to_owned() };
    let near = nearest(wanted, types.iter().map(String::as_str));
    let hint = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
    bounded::plain(&format!("No event `{}` in this session.{hint}\n", bounded::line(wanted, 60)))
}

fn shown(event: &TraceEvent, args: &Args, out: &Out) -> String {
    let time = event.timestamp.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M:%S");
    let head = format!("{:>5}  {time}  {:<18}", event.seq, bounded::plain_line(&event.event_type));
    let line = say::fitted(&format!("{head}  {}", bounded::plain_line(&gist(event))), out.edge());
    let (head, rest) = line.split_at_checked(head.len()).unwrap_or((&line, ""));
    let mut text = format!("{}{}\n", out.paint(tone(event), head), rest.trim_end());
    if args.verbose && !event.payload.is_null() {
        for line in format!("{:#}", event.payload).lines() {
            let _ = writeln!(text, "       {}", bounded::plain(line));
        }
    }
    text
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

/// The most important fields, which are shown in this order and without their names.
const FIRST: [&str; 8] =
    ["answer", "decision", "tool", "pattern", "source", "prompt", "summary", "reason"];

fn gist(event: &TraceEvent) -> String {
    let short = |value: &Value| match value {
        Value::String(text) => Some(bounded::line(text, 80)),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let Some(fields) = event.payload.as_object() else { return String::new() };
    let first = FIRST.iter().filter_map(|name| short(fields.get(*name)?));
    let others = fields.iter().filter(|(name, _)| !FIRST.contains(&name.as_str()));
    let others = others.filter_map(|(name, value)| Some(format!("{name}={}", short(value)?)));
    first.chain(others).collect::<Vec<_>>().join("  ")
}
