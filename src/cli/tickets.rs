//! `roz explain --tickets`: which ticket systems are used here, and what closes a ticket.

use std::{collections::BTreeMap, path::PathBuf, time::Instant};

use serde_json::{Value, json};

use super::{
    Done,
    say::{self, Out, Tone},
};
use crate::{
    config,
    core::{
        bounded,
        policy::Auto,
        reflection::{
            state::Ticket,
            tickets::{self, SYSTEMS},
        },
    },
    hooks::reflection_facts::{self, PATIENCE},
    open::Roz,
    world::{World, in_a_line},
};

/// A system, as it is here.
struct Row {
    name: String,
    is_on: bool,
    /// It is that of the tickets here.
    is_used: bool,
    marker: Option<String>,
    found: Option<PathBuf>,
    closes: Vec<String>,
    /// The command that tells which ticket is in progress; empty: none.
    asked: Vec<String>,
    /// Something that is wrong with it.
    note: Option<String>,
}

pub(super) fn run(as_json: bool, world: &World) -> super::Result {
    let roz = Roz::here(world)?;
    let used = reflection_facts::system(&roz, &world.cwd);
    let mut rows = rows(&roz, used.as_deref(), world);
    let until = Instant::now() + PATIENCE;
    let asked =
        used.as_deref().map(|used| reflection_facts::ticket(&roz, used, &world.cwd, until, world));
    let ticket = asked.transpose().unwrap_or_else(|err| {
        for row in rows.iter_mut().filter(|row| row.is_used) {
            let why = in_a_line(&err);
            row.note = Some(format!("the ticket in progress is not known: {why}"));
        }
        None
    });
    let ticket = ticket.flatten();
    let is_wanted = reflection_facts::is_wanted(&roz, &world.cwd);
    if as_json {
        let enabled = match roz.policy.reflection.enabled {
            Auto::Auto => json!("auto"),
            Auto::On => json!(true),
            Auto::Off => json!(false),
        };
        say::print_json(&json!({
            "gate": { "enabled": enabled, "wanted": is_wanted },
            "system": used,
            "ticket": ticket,
            "systems": rows.iter().map(row_as_json).collect::<Vec<_>>(),
        }))?;
        return Ok(Done::Well);
    }
    let out = Out::new(world);
    say::print(&in_words(&rows, used.as_deref(), ticket.as_ref(), is_wanted, &roz, &out))?;
    Ok(Done::Well)
}

/// Those that are on, in their order, then those that could be.
fn rows(roz: &Roz, used: Option<&str>, world: &World) -> Vec<Row> {
    let policy = &roz.policy.ticketing;
    let found = reflection_facts::markers(roz, &world.cwd)
        .map(|marker| (marker.system, (marker.marker, marker.found)));
    let mut found: BTreeMap<String, (String, Option<PathBuf>)> = found.collect();
    let on: Vec<&str> = policy.enabled().collect();
    let known = SYSTEMS.iter().map(|system| system.name);
    let known: Vec<&str> =
        known.chain(policy.systems.iter().map(|system| system.name.as_str())).collect();
    let off = known.iter().copied().filter(|text| !on.contains(text));
    let row = |name: &str| {
        let is_on = on.contains(&name);
        let (marker, found) = match found.remove(name) {
            Some((marker, found)) => (Some(marker), found),
            None => (tickets::find(name).and_then(|system| system.marker).map(str::to_owned), None),
        };
        let asked = tickets::in_progress(policy, name);
        let program = asked.first().filter(|asked| !asked.contains('/') && found.is_some());
        let is_missing = program.is_some_and(|program| world.on_path(program).is_empty());
        let note = if known.contains(&name) {
            let said = format!(
                "`{}` is not on PATH, so the ticket in progress is not known",
                asked.first().map_or("", String::as_str)
            );
            is_missing.then_some(said)
        } else {
            Some(match config::nearest(name, known.iter().copied()) {
                Some(near) => format!("unknown system. Did you mean `{near}`?"),
                None => "unknown system".to_owned(),
            })
        };
        Row {
            name: name.to_owned(),
            is_on,
            is_used: used == Some(name),
            marker,
            found,
            closes: tickets::what_closes(policy, name),
            asked,
            note,
        }
    };
    on.iter().copied().chain(off).map(row).collect()
}

fn row_as_json(row: &Row) -> Value {
    json!({
        "name": row.name,
        "enabled": row.is_on,
        "in_use": row.is_used,
        "marker": row.marker,
        "found_at": row.found,
        "closes": row.closes,
        "in_progress_command": row.asked,
        "note": row.note,
    })
}

fn in_words(
    rows: &[Row],
    used: Option<&str>,
    ticket: Option<&Ticket>,
    is_wanted: bool,
    roz: &Roz,
    out: &Out,
) -> String {
    let plain = |text: &str| bounded::plain_line(&bounded::line(text, 200));
    let cells = |row: &Row| {
        let state = match (row.is_on, row.is_used) {
            (false, _) => "off",
            (true, true) => "in use",
            (true, false) => "allowed",
        };
        let marker = match (&row.found, &row.marker) {
            (Some(found), _) => {
                found.strip_prefix(&roz.project).unwrap_or(found).display().to_string()
            }
            (None, Some(marker)) => format!("no {marker}"),
            (None, None) => "-".to_owned(),
        };
        vec![plain(&row.name), state.to_owned(), plain(&marker)]
    };
    let table: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let mut text = out.table(&["SYSTEM", "STATE", "MARKER"], &table);
    text.push('\n');
    for row in rows.iter().filter(|row| row.is_on) {
        let told = format!("{} is closed by: {}", plain(&row.name), row.closes.join("; "));
        text += &say::folded(&bounded::plain_line(&told), out.width, "  ");
        text.push('\n');
    }
    text.push('\n');
    for row in rows {
        if let Some(note) = &row.note {
            let note = format!("{}: {note}", plain(&row.name));
            text += &out.paint(Tone::Warn, &say::folded(&note, out.width, "  "));
            text.push('\n');
        }
    }
    let now = match (ticket, used) {
        (Some(ticket), _) => {
            let title =
                if ticket.title.is_empty() { String::new() } else { format!(", {}", ticket.title) };
            format!("In progress: {}{title} ({}).", ticket.ticket_id, ticket.source)
        }
        (None, Some(system)) => format!("No {system} ticket is known to be in progress."),
        (None, None) => {
            "No ticket system is used here, so agents are asked when they stop.".to_owned()
        }
    };
    text += &say::folded(&bounded::plain_line(&now), out.width, "");
    text.push('\n');
    if !is_wanted {
        text += "The reflection gate is off here; `roz doctor` says why.\n";
    }
    text
}
