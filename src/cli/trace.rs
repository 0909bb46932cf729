//! `roz trace`: what happened in a session.

use std::{collections::BTreeSet, time::Duration};

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
///   roz trace --follow             keep printing as things happen
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "an example is typed as it stands")]
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
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.session_or_newest(args.session.as_deref())?;
    let wanted = |event: &TraceEvent| {
        args.event_type.as_ref().is_none_or(|event_type| *event_type == event.event_type)
    };
    let mut events = roz.store.read_trace(&id)?;
    let types: BTreeSet<String> = events.iter().map(|event| event.event_type.clone()).collect();
    let mut seen = events.iter().map(|event| event.seq).max().unwrap_or(0);
    events.retain(wanted);
    let out = say::Out::new(world);
    if args.json && !args.follow {
        say::print_json(&json!({ "session_id": id, "events": events }))?;
        return Ok(Done::Well);
    }
    show(&events, args, &out)?;
    if events.is_empty() && !args.follow {
        say::print_plain(&none_of(args.event_type.as_deref(), &types))?;
    }
    if !args.follow {
        return Ok(Done::Well);
    }
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let mut events = roz.store.read_trace(&id)?;
        events.retain(|event| event.seq > seen);
        seen = events.iter().map(|event| event.seq).max().unwrap_or(seen);
        events.retain(wanted);
        show(&events, args, &out)?;
    }
}

/// What to say where there is nothing to show.
fn none_of(wanted: Option<&str>, types: &BTreeSet<String>) -> String {
    let Some(wanted) = wanted else { return "No events yet.\n".to_owned() };
    let known = types.iter().map(String::as_str);
    let hint = match nearest(wanted, known.clone()) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => format!("There are: {}.", known.collect::<Vec<_>>().join(", ")),
    };
    format!("No event `{}` in this session. {hint}\n", bounded::line(wanted, 60))
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

/// The fields that say most, in this order and without their names.
const FIRST: [&str; 8] =
    ["answer", "decision", "tool", "pattern", "source", "prompt", "summary", "reason"];

/// The short fields of an event.
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
