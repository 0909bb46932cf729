//! `roz list`: the sessions.

use serde_json::{Value, json};

use super::say;
use crate::{
    core::{
        GATES,
        gate::{Project, Status, statuses},
        policy::Policy,
        session::Session,
    },
    open::Roz,
    world::World,
};

/// List the newest sessions and their status
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How many
    #[arg(short, long, default_value_t = 20, value_parser = super::at_least_one::<usize>)]
    limit: usize,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let mut sessions = Vec::new();
    let mut broken = Vec::new();
    for found in roz.store.list_sessions(args.limit)? {
        match found {
            Ok(session) => sessions.push(session),
            Err(err) => broken.push(err.to_string()),
        }
    }
    let value = json!({
        "sessions": sessions.iter().map(as_json).collect::<Vec<_>>(), "unreadable": broken,
    });
    let out = say::Out::new(world);
    let rows = sessions.iter().map(|session| {
        let place = session.project.as_ref().or(session.cwd.as_ref());
        let when = if out.width < 100 { say::ago } else { say::when };
        let mut row = vec![session.session_id.to_string(), when(session.updated_at, world.now)];
        row.extend(gates(session).into_iter().map(|status| match status.about {
            Some(about) => about,
            None => status.state.replace('_', " "),
        }));
        row.push(place.map(|place| place.display().to_string()).unwrap_or_default());
        row
    });
    let names: Vec<String> = GATES.iter().map(|gate| gate.name().to_uppercase()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let heading = [&["SESSION", "LAST ACTIVE"][..], &names, &["PROJECT"]].concat();
    let mut text = match sessions.len() {
        0 => "No sessions yet. Start the client in a project, and look again.\n".to_owned(),
        _ => out.table(&heading, rows),
    };
    for err in broken {
        text += &out.paint(say::Tone::Warn, &format!("roz: {err}"));
        text.push('\n');
    }
    super::said(value, text)
}

/// The status of each gate in a session, whether or not its project has the gate on.
fn gates(session: &Session) -> Vec<Status> {
    statuses(GATES, Some(session), &Project::default(), &Policy::default())
}

fn as_json(session: &Session) -> Value {
    let mut value = json!({
        "session_id": session.session_id,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "cwd": session.cwd,
        "project": session.project,
        "intent_id": session.intent.selected().map(|selected| &selected.intent_id),
    });
    for status in gates(session) {
        value[status.gate] = status.state.into();
    }
    value
}
