//! Finds what `roz init` can use in the project.

use std::iter;

use crate::{core::reflection::tickets, hooks::reflection_facts, open::Roz, world::World};

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) is_git: bool,
    pub(super) systems: Vec<String>,
    /// Globs over tool keys that should wait for a reviewer.
    pub(super) gated: Vec<String>,
}

impl Found {
    pub(super) fn look(roz: &Roz, world: &World) -> Self {
        let markers = reflection_facts::markers(roz, &world.cwd);
        let found = markers.filter(|marker| marker.found.is_some());
        let systems: Vec<String> = found.map(|marker| marker.system).collect();
        let closing =
            systems.iter().flat_map(|system| tickets::patterns(&roz.policy.ticketing, system));
        Self {
            is_git: roz.project.join(".git").exists(),
            gated: iter::once("Bash:git push*".to_owned()).chain(closing).collect(),
            systems,
        }
    }
}
