//! The state of a file of the client before roz was installed.
//!
//! Measured on the client 2.1.197 and 2.1.330: it reformats a settings file (two spaces, `\n`, no
//! byte order mark, only the last of two equal keys), corrects values (a number in `env` becomes
//! text), and leaves empty tables behind when a plugin is uninstalled.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Error, ID, MARKETPLACE, MAX_FILE, failed, json_edit::Document, permission_rules, put,
    read_settings::is_only_roz,
};
use crate::{
    core::{
        bounded,
        protect::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES},
    },
    world::{files::At as _, read_text},
};

/// The tables in which the client records plugins and their sources.
const TABLES: [&str; 3] = ["enabledPlugins", "extraKnownMarketplaces", "plugins"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Before {
    pub(super) path: PathBuf,
    /// `None` if it did not exist.
    text: Option<String>,
    /// The digest of what the client turned it into, without roz, to find out whether anybody has
    /// changed it since.
    made_of_it: Option<String>,
}

impl Before {
    /// The content of a file before the installation, without an earlier installation, and whether
    /// there was one. `None` if the file cannot be read.
    pub(super) fn of(path: &Path) -> Option<(Self, bool)> {
        let before = |text| Self { path: path.to_owned(), text, made_of_it: None };
        if path.symlink_metadata().is_err() {
            return Some((before(None), false));
        }
        let text = read_text(path, MAX_FILE)?;
        let is_there = remove_roz(&Document::parse(&text)?, path);
        // A plugin that is switched off is a choice of the user, not an installation.
        let pruned = Document::parse(&text).filter(|document| remove_entries(document, path, true));
        Some((before(Some(pruned.as_ref().map_or(text, Document::text))), is_there))
    }

    pub(super) fn note_what_was_made(&mut self) {
        if self.made_of_it.is_none() {
            self.made_of_it = digest(&self.path);
        }
    }

    /// Removes hooks of an earlier installation.
    pub(super) fn prune(&mut self) {
        let document = self.text.as_deref().and_then(Document::parse);
        if let Some(document) = document.filter(|document| document.remove_hooks(is_only_roz)) {
            self.text = Some(document.text());
        }
    }

    /// Restores the file if nothing except roz has changed in it since; else removes what roz
    /// added. Returns what was done, if anything.
    pub(super) fn put_back(&self) -> Result<Option<String>, Error> {
        let path = &self.path;
        if self.made_of_it.is_none() || digest(path) != self.made_of_it {
            let old = self.text.as_deref().and_then(Document::parse);
            let old = old.map_or(json!({}), |document| document.value());
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

/// Removes roz from a file. `old` is its content before the installation, if known. Returns what
/// was done, if anything.
pub(super) fn take_out(path: &Path, old: Option<&Value>) -> Result<Option<String>, Error> {
    let Some(now) = read_text(path, MAX_FILE) else { return Ok(None) };
    let Some(document) = Document::parse(&now) else { return Ok(None) };
    // Keep it switched off if the user had switched it off before.
    let was_off = |old: &Value| TABLES.iter().any(|name| old[*name][ID] == false);
    remove_entries(&document, path, old.is_none_or(was_off));
    if let Some(old) = old {
        permission_rules::remove(&document, old);
        // The client leaves empty tables that did not exist before.
        let made: Vec<&str> = TABLES.into_iter().filter(|text| old.get(*text).is_none()).collect();
        document.remove_if_empty(&made);
    }
    let new = document.text();
    if new == now {
        return Ok(None);
    }
    put(path, &new)?;
    Ok(Some(format!("Removed roz from `{}`; your other changes stay.", path.display())))
}

/// Removes roz's entries, but with `keeps_off` not those that switch it off.
fn remove_entries(document: &Document, path: &Path, keeps_off: bool) -> bool {
    let is_ours = |name: &str, value: &Value| {
        (name == ID || name == MARKETPLACE) && !(keeps_off && *value == false)
    };
    let any = document.remove_members(&TABLES, is_ours);
    path.ends_with(KNOWN_MARKETPLACES) && document.remove_own_members(is_ours) || any
}

/// Removes everything that an installation adds. Returns whether there was anything.
fn remove_roz(document: &Document, path: &Path) -> bool {
    let any = remove_entries(document, path, false);
    permission_rules::remove(document, &json!({})) || any
}

/// The digest of a file's content without roz. An empty table and the version of an empty list are
/// the same as an empty file.
fn digest(path: &Path) -> Option<String> {
    let document = Document::parse(&read_text(path, MAX_FILE)?)?;
    remove_roz(&document, path);
    document.remove_if_empty(&TABLES);
    let mut said = document.value();
    // The same as none for digests that earlier versions wrote.
    if let Some(permissions) = said.get_mut("permissions").and_then(Value::as_object_mut)
        && permissions.get("allow") == Some(&json!([]))
    {
        permissions.remove("allow");
        if permissions.is_empty() {
            said.as_object_mut().map(|object| object.remove("permissions"));
        }
    }
    if path.ends_with(INSTALLED_PLUGINS) && said == json!({ "version": said["version"] }) {
        said = json!({});
    }
    Some(bounded::sha256(said.to_string().as_bytes()))
}
