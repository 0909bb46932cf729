//! Finds what `roz init` can use in the project.

use crate::{hooks::reflection_facts, open::Roz, world::World};

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) is_git: bool,
    pub(super) systems: Vec<String>,
}

impl Found {
    pub(super) fn look(roz: &Roz, world: &World) -> Self {
        let markers = reflection_facts::markers(roz, &world.cwd);
        let found = markers.filter(|marker| marker.found.is_some());
        Self {
            is_git: roz.project.join(".git").exists(),
            systems: found.map(|marker| marker.system).collect(),
        }
    }

    /// Globs over tool keys that should wait for a reviewer.
    pub(super) fn gated(&self) -> Vec<&'static str> {
        let mut gated = vec!["Bash:git push*"];
        for system in &self.systems {
            gated.extend(match system.as_str() {
                "tissue" => &["Bash:tissue status * closed*"][..],
                "beads" => &["Bash:bd close*", "Bash:bd update * closed*"],
                _ => &[],
            });
        }
        gated
    }
}
