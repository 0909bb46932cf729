//! Does what the gates want done outside the session, once that is saved.

use std::time::{Duration, Instant};

use crate::{
    core::{outcome::Effect, reflection::usage::Entry},
    open::Roz,
    world::{World, in_a_line},
};

/// What waiting for other writers may cost.
const PATIENCE: Duration = Duration::from_millis(300);

/// Answers what went wrong, a line each: nothing rests on it.
pub(super) fn act(effects: Vec<Effect>, roz: &Roz, world: &World) -> Vec<String> {
    if effects.is_empty() {
        return Vec::new();
    }
    let entry = |effect| match effect {
        Effect::Log(event) => Entry::new(world.now, event),
    };
    let entries: Vec<Entry> = effects.into_iter().map(entry).collect();
    let log = roz.usage_log(&roz.library(world));
    match log.append(&entries, Instant::now() + PATIENCE) {
        Ok(()) => Vec::new(),
        Err(err) => vec![in_a_line(&err)],
    }
}
