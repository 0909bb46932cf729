//! `roz ref`: records that a learning helped.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Done, target_session::Target};
use crate::{
    core::{
        bounded,
        reflection::usage::{Entry, Event},
        trace::Mark,
    },
    open::Roz,
    world::World,
};

/// Say which learnings helped, so that they stay
///
/// Example:
///   roz ref cl_20260102_abcdef --how "saved me from the flaky port"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help shows ids")]
pub(super) struct Args {
    /// The learnings' ids
    #[arg(required = true)]
    ids: Vec<String>,
    /// How they helped, in a sentence
    #[arg(long)]
    how: Option<String>,
    /// The session (default: the one in which this runs, else this project's newest)
    #[arg(long)]
    session_id: Option<String>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    // The session is optional.
    let (roz, target) = match Target::open(args.session_id.as_deref(), world) {
        Ok((roz, target)) => (roz, Some(target)),
        Err(_) => (Roz::here(world)?, None),
    };
    let library = roz.library(world);
    let shelf = library.all();
    let is_known =
        |id: &&String| shelf.learnings.iter().any(|learning| learning.learning.id == **id);
    let (mut known, unknown): (Vec<&String>, Vec<&String>) = args.ids.iter().partition(is_known);
    known.sort_unstable();
    known.dedup();
    let session_id = target.as_ref().map(|target| target.id.to_string()).unwrap_or_default();
    let mut ticket_id = None;
    if let Some(target) = target.filter(|target| target.stored.is_some()) {
        ticket_id = target.update(&roz, world, |session| {
            for id in &known {
                session.reflection.referenced(id);
                session.record(&Mark::LearningReferenced { learning_id: (*id).clone() }, world.now);
            }
            session.reflection.ticket().map(|ticket| ticket.name(&session_id))
        })?;
    }
    let how = args.how.as_deref().map(|how| bounded::chars(how.trim(), 500));
    let entry = |id: &&String| {
        let event = Event::Referenced {
            learning_id: (*id).clone(),
            session_id: session_id.clone(),
            ticket_id: ticket_id.clone(),
            how: how.clone(),
        };
        Entry::new(world.now, event)
    };
    let entries: Vec<Entry> = known.iter().map(entry).collect();
    roz.usage_log(&library).append(&entries, Instant::now() + Duration::from_secs(5))?;
    let value = json!({ "referenced": known, "unknown": unknown });
    let known: Vec<&str> = known.iter().map(|text| text.as_str()).collect();
    let words = match known[..] {
        [] => String::new(),
        _ => format!("Noted: {} helped.\n", known.join(", ")),
    };
    if unknown.is_empty() {
        return super::said(value, words);
    }
    let unknown = unknown.iter().map(|text| format!("`{}`", bounded::line(text, 60)));
    let unknown = unknown.collect::<Vec<_>>().join(", ");
    let why = format!("there is no learning {unknown}. `roz learn list` lists them");
    Ok(Done::Said(value, words, Err(why)))
}
