//! `roz list`: the sessions.

use serde_json::{Value, json};

use super::{Done, say};
use crate::{core::session::Session, open::Roz, world::World};

/// List the newest sessions and how they stand
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How many
    #[arg(short, long, default_value_t = 20, value_parser = super::at_least_one)]
    limit: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
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
    if args.json {
        let sessions: Vec<Value> = sessions.iter().map(as_json).collect();
        say::print_json(&json!({ "sessions": sessions, "unreadable": broken }))?;
        return Ok(Done::Well);
    }
    let out = say::Out::new(world);
    let rows: Vec<Vec<String>> = sessions
        .iter()
        .map(|it| {
            let place = it.project.as_ref().or(it.cwd.as_ref());
            vec![
                it.session_id.to_string(),
                if out.width < 100 {
                    say::ago(it.updated_at, world.now)
                } else {
                    say::when(it.updated_at, world.now)
                },
                it.review.phase().word().to_owned(),
                it.reflection.status().word().to_owned(),
                it.intent.selected().map_or("-", |it| &*it.intent_id).to_owned(),
                place.map(|it| it.display().to_string()).unwrap_or_default(),
            ]
        })
        .collect();
    if rows.is_empty() {
        say::print("No sessions yet. Start the client in a project, and look again.\n")?;
    } else {
        say::print(&out.table(
            &["SESSION", "LAST ACTIVE", "REVIEW", "REFLECTION", "INTENT", "PROJECT"],
            &rows,
        ))?;
    }
    for err in broken {
        say::print(&format!("{}\n", out.paint(say::Tone::Warn, &format!("roz: {err}"))))?;
    }
    Ok(Done::Well)
}

fn as_json(session: &Session) -> Value {
    json!({
        "session_id": session.session_id,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "cwd": session.cwd,
        "project": session.project,
        "review": session.review.phase().word(),
        "reflection": session.reflection.status().word(),
        "intent": session.intent.word(),
        "intent_id": session.intent.selected().map(|it| &it.intent_id),
    })
}
