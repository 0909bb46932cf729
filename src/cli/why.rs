//! `roz why`: why the last call or stop of a session was refused, and what to do.

use serde_json::json;

use super::{
    Done, blame,
    say::{self, Out},
    status,
};
use crate::{
    core::{
        GATES, bounded,
        gate::{Status, statuses},
        refused::{self, Refused},
    },
    open::Roz,
    world::World,
};

/// Say why the last call or stop was refused, and what to do
///
/// Without a session, the one in which the client runs this, else the newest of this project.
///
/// Examples:
///   roz why
///   roz why --session 6f0c
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// An older spelling of `roz blame FILE:LINE --why`
    #[arg(value_name = "FILE:LINE", hide = true)]
    place: Option<String>,
    /// A session's id or a unique beginning of it
    #[arg(long, alias = "session-id", value_name = "ID", conflicts_with = "place")]
    session: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if let Some(place) = &args.place {
        return blame::why(place, args.json, world);
    }
    let roz = Roz::here(world)?;
    let session = status::session(&roz, args.session.as_deref(), world)?;
    let roz = roz.of_session(&session, world).unwrap_or(Ok(roz))?;
    let refused = refused::newest(&roz.store.read_trace(&session.session_id)?);
    let project = status::project(&roz, world);
    let gates = statuses(GATES, Some(&session), &project, &roz.policy);
    let next = refused.as_ref().map(|refused| match (refused.instead, gate(&gates, refused)) {
        (Some(instead), _) => instead.to_owned(),
        (None, Some(status)) if status.waits_for.is_some() || status.next.is_some() => {
            status.next.clone().or(status.waits_for.clone()).unwrap_or_default()
        }
        (None, _) => "nothing is in the way any more: do it again".to_owned(),
    });
    if args.json {
        say::print_json(&json!({
            "session_id": session.session_id,
            "refused": refused.as_ref().map(|refused| json!({
                "at": refused.at, "by": refused.by, "what": refused.what, "why": refused.why,
            })),
            "next": next,
        }))?;
        return Ok(Done::Well);
    }
    let (Some(refused), Some(next)) = (refused, next) else {
        say::print(&format!("Nothing was refused in session {}.\n", session.session_id))?;
        return Ok(Done::Well);
    };
    let width = Out::new(world).width;
    let when = say::when(refused.at, world.now);
    let rows = [
        ("session", session.session_id.to_string()),
        ("refused", format!("{}, {when}", refused.what)),
        ("by", refused.by.to_owned()),
        ("why", bounded::plain_line(&refused.why)),
        ("next", next),
    ];
    let rows =
        rows.map(|(name, text)| format!("{name:<9}{}\n", say::folded(&text, width, "         ")));
    say::print(&rows.concat())?;
    Ok(Done::Well)
}

fn gate<'a>(gates: &'a [Status], refused: &Refused) -> Option<&'a Status> {
    gates.iter().find(|status| status.gate == refused.by)
}
