//! `roz ref`: records that a learning helped.

use serde_json::json;

use super::{learnings::Stock, say::Out, target_session::Target};
use crate::{
    core::{
        bounded,
        reflection::{learning::Learning, usage::Event},
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
    let stock = Stock::of(roz, world);
    let (known, unknown) = stock.find_all(args.ids.iter().map(String::as_str));
    let session_id = target.as_ref().map(|target| target.id.to_string()).unwrap_or_default();
    let mut ticket_id = None;
    if let Some(target) = target.filter(|target| target.stored.is_some()) {
        ticket_id = target.update(&stock.roz, world, |session| {
            for learning in &known {
                session.reflection.referenced(&learning.id);
                let learning_id = learning.id.clone();
                session.record(&Mark::LearningReferenced { learning_id }, world.now);
            }
            session.reflection.ticket().map(|ticket| ticket.name(&session_id))
        })?;
    }
    let how = args.how.as_deref().map(|how| bounded::chars(how.trim(), 500));
    let event = |learning: &&Learning| Event::Referenced {
        learning_id: learning.id.clone(),
        session_id: session_id.clone(),
        ticket_id: ticket_id.clone(),
        how: how.clone(),
    };
    stock.note(known.iter().map(event), world)?;
    let ids: Vec<&str> = known.iter().map(|learning| learning.id.as_str()).collect();
    let value = json!({ "referenced": ids, "unknown": unknown });
    let words = match ids[..] {
        [] => String::new(),
        _ => format!("Noted: {} helped.\n", ids.join(", ")),
    };
    stock.said(value, words, &stock.unknown(&unknown), &Out::new(world))
}
