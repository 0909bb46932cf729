//! `roz learn show`: shows the text of learnings.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    learnings::{self, Stock},
    say::{self, Out},
};
use crate::{
    cli::target_session::Target,
    core::{
        bounded,
        reflection::{learning::Learning, usage::Event},
        trace::Mark,
    },
    open::{Roz, agent_session},
    world::World,
};

/// Show the text of learnings, by their ids
///
/// In a session this counts as a use, so that they rank higher next time; say
/// what helped with `roz ref`.
///
/// Examples:
///   roz learn show cl_20260102_abcdef
///   roz learn show cl_20260102_abcdef cl_20260103_ghijkl --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The learnings' ids
    #[arg(required = true)]
    ids: Vec<String>,
    /// The session that opens them (default: the one in which this runs)
    #[arg(long)]
    session_id: Option<String>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let is_in_session = args.session_id.is_some() || agent_session(world).is_some();
    let target = is_in_session.then(|| Target::open(args.session_id.as_deref(), world));
    let (roz, target) = match target {
        Some(Ok((roz, target))) => (roz, Some(target)),
        Some(Err(err)) if args.session_id.is_some() => return Err(err),
        Some(Err(_)) | None => (Roz::here(world)?, None),
    };
    let stock = Stock::of(roz, world);
    let (found, unknown) = stock.find_all(args.ids.iter().map(|id| id.trim()));
    let learnings: Vec<Value> = found.iter().map(|learning| stock.as_json(learning)).collect();
    let value = json!({ "learnings": learnings, "unknown": unknown });
    let out = Out::new(world);
    let texts: Vec<String> = found.iter().map(|learning| in_words(learning, &out, world)).collect();
    // The learnings were shown; failing to record that is only worth a warning.
    if let Some(target) = target
        && let Err(err) = opened(&found, target, &stock, world)
    {
        say::warn(&format!("their use could not be recorded: {err}"));
    }
    stock.said(value, texts.join("\n"), &stock.unknown(&unknown), &out)
}

/// Records in the session and in the log that the learnings were opened.
fn opened(
    learnings: &[&Learning],
    target: Target,
    stock: &Stock,
    world: &World,
) -> super::Result<()> {
    let session_id = target.id.to_string();
    if target.stored.is_some() {
        target.update(&stock.roz, world, |session| {
            for learning in learnings {
                session.reflection.opened(&learning.id);
                let learning_id = learning.id.clone();
                session.record(&Mark::LearningOpened { learning_id }, world.now);
            }
        })?;
    }
    let event = |learning: &&Learning| Event::Opened {
        learning_id: learning.id.clone(),
        session_id: session_id.clone(),
    };
    stock.note(learnings.iter().map(event), world)
}

fn in_words(learning: &Learning, out: &Out, world: &World) -> String {
    let mut text = learnings::in_words(learning, &learnings::known_of(learning, world), out);
    if !learning.context_files.is_empty() {
        let files = format!("files: {}", learning.context_files.join(", "));
        let _ = writeln!(text, "  {}", say::folded(&bounded::plain_line(&files), out.width, "  "));
    }
    text
}
