//! `roz explain --tickets`: shows which ticket systems are used here, and what closes a ticket.

use std::time::Instant;

use serde_json::json;

use super::say::{self, Out};
use crate::{
    core::{
        bounded,
        reflection::tickets::{self, SYSTEMS},
    },
    hooks::reflection_facts::{self, Marked, PATIENCE},
    open::Roz,
    world::{World, in_a_line},
};

pub(super) fn run(world: &World) -> super::Result {
    let roz = Roz::here(world)?;
    let policy = &roz.policy.ticketing;
    let used = reflection_facts::system(&roz, &world.cwd);
    let until = Instant::now() + PATIENCE;
    let asked = used.as_deref().map(|used| {
        let program = tickets::in_progress(policy, used).into_iter().next();
        let program = program.filter(|name| !name.contains('/') && world.on_path(name).is_empty());
        match program {
            Some(program) => Err(format!("`{program}` is not on PATH")),
            None => reflection_facts::ticket(&roz, used, &world.cwd, until, world)
                .map_err(|err| in_a_line(&err)),
        }
    });
    let (ticket, note) = match asked.transpose() {
        Ok(ticket) => (ticket.flatten(), None),
        Err(why) => (None, Some(format!("The ticket in progress is not known: {why}."))),
    };
    let is_wanted = reflection_facts::is_wanted(&roz, &world.cwd);
    let markers: Vec<Marked> = reflection_facts::markers(&roz, &world.cwd).collect();
    // First the enabled systems in order, then the others.
    let mut names: Vec<&str> = policy.enabled().collect();
    let on = names.len();
    let own = policy.systems.iter().map(|system| system.name.as_str());
    let known = SYSTEMS.iter().map(|system| system.name).chain(own);
    names.extend(known.filter(|name| !policy.enabled().any(|on| on == *name)));
    let mut systems = Vec::new();
    let mut rows = Vec::new();
    let mut closing = String::new();
    let out = Out::new(world);
    for (at, name) in names.into_iter().enumerate() {
        let is_used = used.as_deref() == Some(name);
        let known_by = markers.iter().find(|marked| marked.system == name);
        let known = tickets::find(name).and_then(|system| system.marker);
        let marker = known_by.map_or(known, |marked| Some(&marked.marker));
        let closes = tickets::what_closes(policy, name);
        let state = match (at < on, is_used) {
            (false, _) => "off",
            (true, true) => "in use",
            (true, false) => "allowed",
        };
        let is_missing = known_by.is_some_and(|marked| marked.found.is_none());
        let missing = if is_missing { " (missing)" } else { "" };
        let shown = format!("{}{missing}", marker.unwrap_or("-"));
        rows.push(vec![name.to_owned(), state.to_owned(), shown]);
        if at < on {
            let told = format!("{name} is closed by: {}", closes.join("; "));
            closing += &(say::folded(&bounded::plain_line(&told), out.width, "  ") + "\n");
        }
        systems.push(json!({
            "name": name,
            "enabled": at < on,
            "in_use": is_used,
            "marker": marker,
            "found_at": known_by.and_then(|marked| marked.found.as_ref()),
            "closes": closes,
            "in_progress_command": tickets::in_progress(policy, name),
            "note": note.as_ref().filter(|_| is_used),
        }));
    }
    let now = match (&ticket, &used, note) {
        (_, _, Some(note)) => note,
        (Some(ticket), ..) => {
            format!("In progress: {}, {} ({}).", ticket.ticket_id, ticket.title, ticket.source)
        }
        (None, Some(system), _) => format!("No {system} ticket is known to be in progress."),
        (None, None, _) => {
            "No ticket system is used here, so agents are asked when they stop.".to_owned()
        }
    };
    let table = out.table(&["SYSTEM", "STATE", "MARKER"], rows);
    let now = say::folded(&bounded::plain_line(&now), out.width, "");
    let mut words = format!("{table}\n{closing}\n{now}\n");
    if !is_wanted {
        words += "The reflection gate is off here; `roz doctor` says why.\n";
    }
    let value = json!({
        "gate": { "enabled": roz.policy.reflection.enabled, "wanted": is_wanted },
        "system": used,
        "ticket": ticket,
        "systems": systems,
    });
    super::said(value, words)
}
