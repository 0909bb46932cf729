//! `roz skip`: records that nothing was learned, and why.

use std::fmt::Write as _;

use serde_json::json;

use super::{decide, learnings, target_session::Target};
use crate::{
    core::{
        bounded,
        reflection::{
            self,
            state::{Decider, Skip},
        },
    },
    world::{World, in_a_line},
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
    /// Older versions were told who decided and how much was changed.
    #[arg(long = "decider", alias = "lines-changed", value_name = "VALUE", hide = true)]
    _ignored: Vec<String>,
}

const MAX_REASON: usize = 500;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let reason = args.reason.trim();
    if reason.is_empty() {
        return Err("the reason is empty".into());
    }
    // The log must say correctly who decided.
    let is_by_person = decide::person(world).is_ok();
    let decider = if is_by_person { Decider::User } else { Decider::Agent };
    let (roz, target) = Target::open(args.session_id.as_deref(), world)?;
    let id = target.id.clone();
    let skip = Skip {
        reason: bounded::chars(reason, MAX_REASON),
        decider,
        lines_changed: None,
        is_early: false,
        timestamp: world.now,
    };
    let (was_due, tickets) = target.update(&roz, world, |session| {
        let tickets = session.reflection.tickets(id.as_str());
        let was_due = session.reflection.skipped(skip.clone());
        session.record(&reflection::skip_mark(&skip, was_due), world.now);
        (was_due, tickets)
    })?;
    let mut warnings: Vec<String> = Vec::new();
    // A reason given before a reflection is due does not skip anything yet.
    if was_due {
        let event = reflection::skip_event(&skip, id.to_string(), &tickets);
        let written = learnings::note(&roz.usage_log(&roz.library(world)), [event], world);
        warnings.extend(written.err().map(|err| in_a_line(&*err)));
    }
    let mut words = if was_due {
        format!("Skipped: session {id} may stop without a reflection.\n")
    } else {
        format!(
            "No reflection is due in session {id}. The reason counts if the change stays small; \
             once a ticket is closed or more has changed, it is asked for again.\n"
        )
    };
    for warning in &warnings {
        let _ = writeln!(words, "Note: {}", bounded::plain_line(warning));
    }
    let value = json!({
        "session_id": id,
        "was_due": was_due,
        "reason": skip.reason,
        "decider": skip.decider,
        "warnings": warnings,
    });
    super::said(value, words)
}
