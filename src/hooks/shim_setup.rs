//! Sets up a session's shims: links named like the gated programs, in a folder that comes first on
//! the PATH of the client's shells.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use super::{Input, reflection_facts};
use crate::{
    clients::Capability,
    core::{client_files, event::Source, policy::Mode, reflection::tickets, tool_pattern},
    open::{
        Roz,
        shim_store::{Watched, shell_lines},
    },
    world::{World, read_text},
};

/// A gated program need not exist yet; built-in ticket programs are watched only if they exist.
pub fn watched(roz: &Roz, cwd: &Path, world: &World) -> Watched {
    let policy = &roz.policy;
    let project = roz.project.canonicalize().unwrap_or_else(|_| roz.project.clone());
    let mut watched =
        Watched { project, patterns: Vec::new(), closing: Vec::new(), variables: world.roz_vars() };
    if !policy.shims.enabled {
        return watched;
    }
    if policy.review.mode != Mode::Never {
        let patterns = policy.review.gates.tools.iter();
        watched.patterns =
            patterns.filter(|pattern| tool_pattern::program(pattern).is_some()).cloned().collect();
    }
    if reflection_facts::is_wanted(roz, cwd) {
        let closing = tickets::programs(&policy.ticketing).into_iter();
        let closing = closing.filter(|name| !world.on_path(name).is_empty());
        watched.closing = closing.map(str::to_owned).collect();
    }
    watched
}

/// At the start of a session.
pub(super) fn set_up(input: &Input, source: Source, roz: &Roz, world: &World) -> io::Result<()> {
    /// In bytes, of the client's file with exported variables.
    const LARGEST: u64 = 1 << 20;
    if source != Source::Compact {
        roz.forget_passes(&input.session_id);
    }
    let file = world.var(client_files::SHELL_SETUP).map(Path::new);
    let can = input.client.can(Capability::EnvironmentFile);
    let Some(file) = file.filter(|_| can) else { return Ok(()) };
    let cwd = input.cwd.as_deref().unwrap_or(&world.cwd);
    let watched = watched(roz, cwd, world);
    if watched.names().is_empty() {
        return Ok(());
    }
    let folder = roz.link_shims(&input.session_id, &watched, &world.binary()?)?;
    let lines = shell_lines(&folder, &input.session_id);
    let there = read_text(file, LARGEST).unwrap_or_default();
    if there.ends_with(&lines) {
        return Ok(());
    }
    let begin = if there.is_empty() || there.ends_with('\n') { "" } else { "\n" };
    let mut file = fs::OpenOptions::new().create(true).append(true).open(file)?;
    file.write_all(format!("{begin}{lines}").as_bytes())
}
