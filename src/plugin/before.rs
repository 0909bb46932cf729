//! A file of the client's as it was before the client was asked to take roz in.
//!
//! Measured on the client 2.1.197 and 2.1.330: it lays out a settings file again
//! (two spaces, `\n`, no byte order mark, of a key that is there twice the last
//! one), makes what it calls right of a value (a number in `env` becomes text),
//! and leaves empty tables behind when it lets a plugin go.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Error, ID, MARKETPLACE, MAX_FILE, extras, failed, json_edit::Document, put,
    settings::is_only_roz,
};
use crate::{
    core::{
        bounded,
        protect::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES},
    },
    world::{files::At as _, read_text},
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
}

impl Before {
    /// What a file says before the client is asked, and whether an installation is there: this is
    /// the file without it. None if nobody knows what it says.
    pub(super) fn of(path: &Path) -> Option<(Self, bool)> {
        let before = |text| Self { path: path.to_owned(), text, made_of_it: None };
        if path.symlink_metadata().is_err() {
            return Some((before(None), false));
        }
        let text = read_text(path, MAX_FILE)?;
        let table = table(&text)?;
        if without_roz(path, table.clone()) == without_empty(path, table) {
            return Some((before(Some(text)), false));
        }
        // That it is switched off is the user's word, not an installation.
        let pruned = Document::parse(&text).filter(|document| remove_entries(document, path, true));
        let text = pruned.as_ref().map_or(text, Document::text);
        Some((before(Some(text)), true))
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
            self.text = Some(document.text());
        }
    }

    /// Puts it back if nothing but roz has changed in it since; else takes out
    /// what roz had put there. What was done, if anything.
    pub(super) fn put_back(&self) -> Result<Option<String>, Error> {
        let path = &self.path;
        if self.made_of_it.is_none() || digest(path) != self.made_of_it {
            let old = self.text.as_deref().and_then(table).unwrap_or_default();
            return take_out(path, Some(&old));
        }
        match &self.text {
            Some(text) if read_text(path, MAX_FILE).as_ref() == Some(text) => return Ok(None),
            Some(text) => put(path, text)?,
            None => fs::remove_file(path).at(path).map_err(failed)?,
        }
        Ok(Some(format!("Restored `{}`.", path.display())))
    }
}

/// Takes roz out of a file. `old` is what the file said before the installation, if that is known.
/// What was done, if there was anything to take out.
pub(super) fn take_out(
    path: &Path,
    old: Option<&Map<String, Value>>,
) -> Result<Option<String>, Error> {
    let Some(now) = read_text(path, MAX_FILE) else { return Ok(None) };
    let Some(document) = Document::parse(&now) else { return Ok(None) };
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
    if new == now {
        return Ok(None);
    }
    put(path, &new)?;
    Ok(Some(format!("Removed roz from `{}`; your other changes stay.", path.display())))
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
