//! `roz skip`: nothing was learned, and why.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Done, say, target::Target};
use crate::{
    core::{
        bounded,
        reflection::{
            self,
            state::{Decider, Skip},
            usage::Entry,
        },
    },
    world::{World, ancestors, in_a_line},
};

/// Say that nothing was learned, and why
///
/// The reason is recorded in the session, its trace and the project's stats.log.
/// A reason that comes before a reflection is due counts only if the change
/// stays small.
///
/// Example:
///   roz skip "a version bump, nothing new"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Why nothing was learned, in a sentence
    reason: String,
    /// The session (default: the one in which this runs, else this project's newest)
    #[arg(long)]
    session_id: Option<String>,
    /// Who decided
    #[arg(long, value_enum, default_value = "agent")]
    decider: Who,
    /// How many lines were changed, where that is the reason
    #[arg(long)]
    lines_changed: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Who {
    Agent,
    User,
    Auto,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the reason is empty")]
    Empty,
    #[error(
        "an agent's client started this, so `--decider {0}` is refused: leave it out, or run it in a \
         terminal of your own"
    )]
    NotTheirs(&'static str),
}

const MAX_REASON: usize = 500;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let reason = args.reason.trim();
    if reason.is_empty() {
        return Err(Error::Empty.into());
    }
    // Who reads the log takes its word for who decided.
    let is_by_agent = || world.var("CLAUDECODE").is_some() || ancestors::descends_from_agent();
    let decider = match args.decider {
        Who::Agent => Decider::Agent,
        Who::User if is_by_agent() => return Err(Error::NotTheirs("user").into()),
        Who::Auto if is_by_agent() => return Err(Error::NotTheirs("auto").into()),
        Who::User => Decider::User,
        Who::Auto => Decider::Auto,
    };
    let (roz, target) = Target::open(args.session_id.as_deref(), world)?;
    let id = target.id.clone();
    let skip = Skip {
        reason: bounded::chars(reason, MAX_REASON),
        decider,
        lines_changed: args.lines_changed,
        is_early: false,
        timestamp: world.now,
    };
    let (was_due, tickets) = target.update(&roz, world, |session| {
        let tickets = session.reflection.tickets(id.as_str());
        let was_due = session.reflection.skipped(skip.clone());
        session.record(&reflection::skip_mark(&skip, was_due), world.now);
        (was_due, tickets)
    })?;
    let mut warning = None;
    // One that comes before its time skips nothing yet.
    if was_due {
        let event = reflection::skip_event(&skip, id.to_string(), &tickets);
        let log = roz.usage_log(&roz.library(world));
        let until = Instant::now() + Duration::from_secs(5);
        warning = log.append(&[Entry::new(world.now, event)], until).err();
    }
    let warnings: Vec<String> = warning.iter().map(|err| in_a_line(err)).collect();
    if args.json {
        say::print_json(&json!({
            "session_id": id,
            "was_due": was_due,
            "reason": skip.reason,
            "decider": skip.decider,
            "warnings": warnings,
        }))?;
        return Ok(Done::Well);
    }
    for warning in warnings {
        say::warn(&warning);
    }
    say::print(&if was_due {
        format!("Skipped: session {id} may stop without a reflection.\n")
    } else {
        format!(
            "No reflection is due in session {id}. The reason counts if the change stays small; \
             once a ticket is closed or more has changed, it is asked for again.\n"
        )
    })?;
    Ok(Done::Well)
}
