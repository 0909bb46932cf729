//! Sets up the shims of a session: links under the names of gated programs, first on the PATH of the
//! client's shells.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write as _},
    path::Path,
};

use super::{learned, wire::Input};
use crate::{
    core::{event::Source, pattern, policy::Mode, reflection::tickets},
    open::{Roz, shims::shell_lines},
    world::{World, read_text},
};

/// The programs that are judged when they start. What a gate names need not be there yet; of the
/// ticket systems that roz knows by itself, only what is there.
pub fn names(roz: &Roz, cwd: &Path, world: &World) -> BTreeSet<String> {
    let policy = &roz.policy;
    if !policy.shims.enabled {
        return BTreeSet::new();
    }
    let patterns = policy.review.gates.tools.iter();
    let patterns = patterns.filter(|_| policy.review.mode != Mode::Never);
    let gated = patterns.filter_map(|it| pattern::program(it));
    let closing = if learned::is_wanted(roz, cwd) {
        tickets::programs(&policy.ticketing)
    } else {
        Vec::new()
    };
    let closing = closing.into_iter().filter(|name| !world.on_path(name).is_empty());
    gated.chain(closing).map(str::to_owned).collect()
}

/// At a session's start.
pub(super) fn set_up(input: &Input, source: Source, roz: &Roz, world: &World) -> io::Result<()> {
    /// Of the client's file, which holds what hooks export.
    const LARGEST: u64 = 1 << 20;
    if source != Source::Compact {
        roz.forget_passes(&input.session_id);
    }
    let Some(file) = world.var("CLAUDE_ENV_FILE").map(Path::new) else { return Ok(()) };
    let cwd = input.cwd.as_deref().unwrap_or(&world.cwd);
    let names = names(roz, cwd, world);
    if names.is_empty() {
        return Ok(());
    }
    let folder = roz.link_shims(&names, &world.binary()?)?;
    let lines = shell_lines(&folder, &input.session_id);
    let there = read_text(file, LARGEST).unwrap_or_default();
    if there.ends_with(&lines) {
        return Ok(());
    }
    let begin = if there.is_empty() || there.ends_with('\n') { "" } else { "\n" };
    let mut file = fs::OpenOptions::new().create(true).append(true).open(file)?;
    file.write_all(format!("{begin}{lines}").as_bytes())
}
