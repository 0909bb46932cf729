//! A file of the client's as it was before the client was asked to take roz in.
//!
//! Measured on the client 2.1.197 and 2.1.330: it lays out a settings file again
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

use super::{ID, MARKETPLACE, MAX_FILE, extras, json_edit::Document, settings::is_only_roz};
use crate::{
    core::{
        bounded,
        protect::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES},
    },
    world::read_text,
};

/// Where the client writes about plugins and where they come from.
const TABLES: [&str; 3] = ["enabledPlugins", "extraKnownMarketplaces", "plugins"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Before {
    pub(super) path: PathBuf,
    /// None if it was not there.
    text: Option<String>,
    /// The digest of what the client made of it, roz left out: whether anybody
    /// has changed it since.
    made_of_it: Option<String>,
    /// An earlier installation stood in it: `text` is without that.
    #[serde(default)]
    is_pruned: bool,
}

/// What a file says of roz before the client is asked.
pub(super) enum Seen {
    Nothing(Before),
    /// An installation is there: this one, if it has noted what was before it.
    /// Else an earlier one, and this is the file without it.
    Roz(Before),
    /// Nobody knows what it says.
    Unreadable,
}

/// How a file was put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Back {
    AsItWas,
    /// But for an earlier installation.
    WithoutTheOld,
    /// Somebody has changed it meanwhile: what roz had put there went.
    WithoutRoz,
}

impl Before {
    pub(super) fn of(path: &Path) -> Seen {
        let path = path.to_owned();
        let before =
            |text, is_pruned| Self { path: path.clone(), text, made_of_it: None, is_pruned };
        if path.symlink_metadata().is_err() {
            return Seen::Nothing(before(None, false));
        }
        let Some(text) = read_text(&path, MAX_FILE) else { return Seen::Unreadable };
        let Some(table) = table(&text) else { return Seen::Unreadable };
        if without_roz(&path, table.clone()) == without_empty(&path, table) {
            return Seen::Nothing(before(Some(text), false));
        }
        // That it is switched off is the user's word, not an installation.
        let pruned =
            Document::parse(&text).filter(|document| remove_entries(document, &path, true));
        Seen::Roz(before(Some(pruned.as_ref().map_or(text, Document::text)), pruned.is_some()))
    }

    /// To be called once the client has taken roz in.
    pub(super) fn note_what_was_made(&mut self) {
        if self.made_of_it.is_none() {
            self.made_of_it = digest(&self.path);
        }
    }

    /// Hooks of ours in it were an earlier installation's.
    pub(super) fn prune(&mut self) {
        let document = self.text.as_deref().and_then(Document::parse);
        if let Some(document) = document.filter(|document| document.remove_hooks(is_only_roz)) {
            (self.text, self.is_pruned) = (Some(document.text()), true);
        }
    }

    /// Puts it back if nothing but roz has changed in it since; else takes out
    /// what roz had put there. None if there was nothing to be done.
    pub(super) fn put_back(&self) -> io::Result<Option<Back>> {
        if self.made_of_it.is_none() || digest(&self.path) != self.made_of_it {
            let old = self.text.as_deref().and_then(table).unwrap_or_default();
            return Ok(take_out(&self.path, Some(&old))?.then_some(Back::WithoutRoz));
        }
        let how = if self.is_pruned { Back::WithoutTheOld } else { Back::AsItWas };
        match &self.text {
            Some(text) if read_text(&self.path, MAX_FILE).as_ref() == Some(text) => Ok(None),
            Some(text) => overwrite(&self.path, text).map(|()| Some(how)),
            None => fs::remove_file(&self.path).map(|()| Some(how)),
        }
    }
}

/// Takes roz out of a file. `old` is what the file said before the installation, if that is known.
/// Whether there was anything to take out.
pub(super) fn take_out(path: &Path, old: Option<&Map<String, Value>>) -> io::Result<bool> {
    let Some(now) = read_text(path, MAX_FILE) else { return Ok(false) };
    let Some(document) = Document::parse(&now) else { return Ok(false) };
    // That it was switched off before is the user's word.
    let was_off = |old: &Map<String, Value>| {
        TABLES.iter().any(|name| old.get(*name).is_some_and(|table| table[ID] == false))
    };
    remove_entries(&document, path, old.is_none_or(was_off));
    if let Some(old) = old {
        extras::remove(&document, old);
        // The client leaves empty tables where there were none.
        let made: Vec<&str> = TABLES.into_iter().filter(|text| !old.contains_key(*text)).collect();
        document.remove_if_empty(&made);
    }
    let new = document.text();
    if new == now { Ok(false) } else { overwrite(path, &new).map(|()| true) }
}

/// Removes roz's entries, but for those that switch it off if these are to be kept.
fn remove_entries(document: &Document, path: &Path, keeps_off: bool) -> bool {
    let is_ours = |name: &str, value: &Value| {
        (name == ID || name == MARKETPLACE) && !(keeps_off && *value == false)
    };
    let any = document.remove_members(&TABLES, is_ours);
    path.ends_with(KNOWN_MARKETPLACES) && document.remove_own_members(is_ours) || any
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
    if path.ends_with(KNOWN_MARKETPLACES) {
        table.remove(MARKETPLACE);
    }
    extras::forget(&mut table);
    without_empty(path, table)
}

fn without_empty(path: &Path, mut table: Map<String, Value>) -> Map<String, Value> {
    for name in TABLES {
        if table.get(name).and_then(Value::as_object).is_some_and(Map::is_empty) {
            table.remove(name);
        }
    }
    // The version of a list of nothing.
    if path.ends_with(INSTALLED_PLUGINS) && table.len() == 1 {
        table.remove("version");
    }
    table
}
