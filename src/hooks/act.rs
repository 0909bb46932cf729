//! Does what the gates want done outside the session, once that is saved.

use std::time::{Duration, Instant};

use crate::{
    core::{intent::catalogue::Status, outcome::Effect, reflection::usage::Entry},
    open::Roz,
    sidecar::edit::{self, Change},
    world::{World, in_a_line},
};

/// What waiting for other writers may cost.
const PATIENCE: Duration = Duration::from_millis(300);

/// Answers what went wrong, a line each: nothing rests on it.
pub(super) fn act(effects: Vec<Effect>, roz: &Roz, world: &World) -> Vec<String> {
    let until = Instant::now() + PATIENCE;
    let mut entries = Vec::new();
    let mut warnings = Vec::new();
    for effect in effects {
        match effect {
            Effect::Log(event) => entries.push(Entry::new(world.now, event)),
            Effect::Select(id) => {
                let change = Change::Status { id, status: Status::InProgress };
                let now = world.now.to_rfc3339();
                let done = edit::change(&roz.project, &roz.home, &change, &now, until);
                warnings.extend(done.err().map(|err| in_a_line(&err)));
            }
            Effect::Refused(_) | Effect::Landed(_) => (),
        }
    }
    if !entries.is_empty() {
        let log = roz.usage_log(&roz.library(world));
        warnings.extend(log.append(&entries, until).err().map(|err| in_a_line(&err)));
    }
    warnings
}
