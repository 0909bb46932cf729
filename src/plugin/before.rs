//! A file of the client's as it was before the client was asked to take roz in.
//!
//! Measured on the client 2.1.197 and 2.1.330: it lays a settings file out anew
//! (two spaces, `\n`, no byte order mark, of a key that is there twice the last
//! one), makes what it calls right of a value (a number in `env` becomes text),
//! and leaves empty tables behind when it lets a plugin go.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ID, MARKETPLACE, MAX_FILE, prune::without_hooks, settings::is_only_roz};
use crate::{core::bounded, world::read_text};

/// Where the client writes about plugins and where they come from.
const TABLES: [&str; 3] = ["enabledPlugins", "extraKnownMarketplaces", "plugins"];
const MARKETPLACES: &str = "known_marketplaces.json";
const PLUGINS: &str = "installed_plugins.json";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Before {
    pub(super) path: PathBuf,
    /// None if it was not there.
    text: Option<String>,
    /// The digest of what the client made of it, roz left out: whether anybody
    /// has changed it since.
    made_of_it: Option<String>,
}

impl Before {
    /// None of a file that names roz, or cannot be read: then nobody knows
    /// what it was.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let path = path.to_owned();
        if path.symlink_metadata().is_err() {
            return Some(Self { path, text: None, made_of_it: None });
        }
        let text = read_text(&path, MAX_FILE)?;
        let table = table(&text)?;
        let names_roz = without_roz(&path, table.clone()) != without_empty(&path, table);
        (!names_roz).then_some(Self { path, text: Some(text), made_of_it: None })
    }

    /// To be called once the client has taken roz in.
    pub(super) fn note_what_was_made(&mut self) {
        if self.made_of_it.is_none() {
            self.made_of_it = digest(&self.path);
        }
    }

    /// Hooks of ours in it were an earlier installation's.
    pub(super) fn prune(&mut self) {
        let pruned = self.text.as_deref().and_then(|it| without_hooks(it, &is_only_roz));
        self.text = pruned.or_else(|| self.text.take());
    }

    /// Puts it back if nothing but roz has gone from it since. Whether that
    /// changed anything.
    pub(super) fn put_back(&self) -> io::Result<bool> {
        if self.made_of_it.is_none() || digest(&self.path) != self.made_of_it {
            return Ok(false);
        }
        match &self.text {
            Some(text) if read_text(&self.path, MAX_FILE).as_ref() == Some(text) => Ok(false),
            Some(text) => overwrite(&self.path, text).map(|()| true),
            None => fs::remove_file(&self.path).map(|()| true),
        }
    }
}

/// Of what a file says beside roz.
fn digest(path: &Path) -> Option<String> {
    let table = table(&read_text(path, MAX_FILE)?)?;
    let text = serde_json::to_string(&without_roz(path, table)).ok()?;
    Some(bounded::sha256(text.as_bytes()))
}

/// Writes a file that is there, whole or not at all. A link stays one, and who
/// may read it stays too.
pub(super) fn overwrite(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let mode = path.metadata()?.permissions().mode();
    let temporary = path.with_extension("roz-new");
    let _ = fs::remove_file(&temporary);
    let written = super::write_private(&temporary, text)
        .and_then(|()| fs::set_permissions(&temporary, fs::Permissions::from_mode(mode)))
        .and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// An empty file says as much as an empty table.
fn table(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Some(Map::new());
    }
    serde_json::from_str(text).ok()
}

fn without_roz(path: &Path, mut table: Map<String, Value>) -> Map<String, Value> {
    for name in TABLES {
        if let Some(inner) = table.get_mut(name).and_then(Value::as_object_mut) {
            inner.retain(|key, _| key != ID && key != MARKETPLACE);
        }
    }
    if path.ends_with(MARKETPLACES) {
        table.remove(MARKETPLACE);
    }
    without_empty(path, table)
}

fn without_empty(path: &Path, mut table: Map<String, Value>) -> Map<String, Value> {
    for name in TABLES {
        if table.get(name).and_then(Value::as_object).is_some_and(Map::is_empty) {
            table.remove(name);
        }
    }
    // The version of a list of nothing.
    if path.ends_with(PLUGINS) && table.len() == 1 {
        table.remove("version");
    }
    table
}
