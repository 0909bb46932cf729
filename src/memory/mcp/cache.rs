//! A file that caches what a server contained when it was last asked, because hooks start no
//! program.
//!
//! It is rewritten whenever the server is read (by `roz reflect`, `search`, `learnings` …), and
//! kept up to date by what is written through roz. A missing or broken file counts as empty until
//! then.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    core::{bounded, policy::McpPolicy, reflection::learning::Learning},
    world::{cached, files},
};

/// The path of the cache: one file for each way in which a server is started.
pub(super) fn path(roz_home: &Path, server: &McpPolicy) -> PathBuf {
    let server = serde_json::to_vec(server).unwrap_or_default();
    roz_home.join(format!("cache/server-{}.json", bounded::cut(&bounded::sha256(&server), 32)))
}

pub(super) fn read(path: &Path) -> Vec<Learning> {
    let bytes = files::read(path).ok().flatten().map(|pair| pair.0).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Writes the cache. On a full or read-only disk, hooks just show less.
pub(super) fn keep(path: &Path, learnings: &[Learning]) {
    let Ok(bytes) = serde_json::to_vec(learnings) else { return };
    // An unchanged file keeps the caches that are derived from it valid.
    if bytes.len() as u64 > files::MAX_DOCUMENT || fs::read(path).is_ok_and(|old| old == bytes) {
        return;
    }
    let _ = cached::replace(path, &[&bytes]);
}
