//! The plugin's folder, and a note next to it of what `uninstall` has to undo.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    Error, FILES, LINK, MARKETPLACE, MAX_FILE, PLUGIN, Plugin,
    backup::{self, Before},
    failed,
    json_edit::Document,
    put,
    read_settings::{self, Settings},
};
use crate::world::{files, read_text};

/// Where roz keeps its plugin, and its note about the installation.
#[derive(Debug, Clone)]
pub struct Place {
    /// `<data dir>/roz`.
    dir: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Note {
    version: u32,
    /// Folders that the installation created. They are removed with it if they are empty.
    made: Vec<PathBuf>,
    /// The client's files that change when roz is installed.
    #[serde(default)]
    before: Vec<Before>,
}

impl Place {
    pub fn new(data_dir: Option<&Path>) -> Result<Self, Error> {
        Ok(Self { dir: data_dir.ok_or(Error::NoDataDir)?.join("roz") })
    }

    pub fn folder(&self) -> PathBuf {
        self.dir.join("plugin")
    }

    fn note(&self) -> PathBuf {
        self.dir.join("installed.json")
    }

    pub fn write(&self, plugin: &Plugin) -> Result<bool, Error> {
        self.update_note(|_| ())?;
        plugin.write(&self.folder())
    }

    /// Records the client's files and folders before they are changed. For those that contain roz
    /// already, the first record is kept.
    pub fn remember(&self, files: &[PathBuf], folders: &[PathBuf]) -> Result<(), Error> {
        self.update_note(|note| {
            let is_noted = |path: &Path| note.before.iter().any(|before| before.path == *path);
            let now = files.iter().filter_map(|file| Before::of(file));
            let now = now.filter(|(before, is_there)| !(*is_there && is_noted(&before.path)));
            let now: Vec<Before> = now.map(|(before, _)| before).collect();
            let parents = files.iter().filter_map(|file| file.parent()).map(Path::to_owned);
            for folder in folders.iter().cloned().chain(parents) {
                note.will_make(&folder);
            }
            note.before.retain(|old| now.iter().all(|before| before.path != old.path));
            note.before.extend(now);
        })
    }

    /// Call this after the installation, even if it failed.
    pub fn remember_what_was_made(&self) -> Result<(), Error> {
        self.update_note(|note| note.before.iter_mut().for_each(Before::note_what_was_made))
    }

    /// Restores the client's files exactly if nothing except roz has changed in them, and removes
    /// roz from the others. Returns what was done.
    pub fn put_back(&self) -> Result<Vec<String>, Error> {
        let noted = self.read_note().before;
        noted.iter().filter_map(|before| before.put_back().transpose()).collect()
    }

    /// Removes roz from files of the client that were not recorded. Returns what was done.
    pub fn take_out(files: &[PathBuf]) -> Result<Vec<String>, Error> {
        files.iter().filter_map(|path| backup::take_out(path, None).transpose()).collect()
    }

    /// Removes the client's own copies of this plugin, which it would keep for two more weeks.
    pub fn forget_copies(config_dir: &Path) {
        let cache = config_dir.join("plugins/cache").join(MARKETPLACE);
        let _ = fs::remove_dir_all(cache.join(PLUGIN));
        // This fails if a marketplace of that name has other plugins.
        let _ = fs::remove_dir(cache);
    }

    /// Removes hooks from a settings file that an earlier installation or the user added, because
    /// they would run in addition to the plugin's. Returns whether there were any.
    ///
    /// `uninstall` does not restore them.
    pub fn prune(&self, settings: &Settings) -> Result<bool, Error> {
        let path = &settings.path;
        let text = read_text(path, MAX_FILE).unwrap_or_default();
        let document = Document::parse(&text)
            .filter(|document| document.remove_hooks(read_settings::is_only_roz));
        let Some(document) = document else { return Ok(false) };
        put(path, &document.text())?;
        self.update_note(|note| {
            for before in note.before.iter_mut().filter(|before| before.path == *path) {
                before.prune();
            }
        })?;
        Ok(true)
    }

    fn update_note(&self, change: impl FnOnce(&mut Note)) -> Result<(), Error> {
        let mut note = self.read_note();
        note.will_make(&self.dir);
        change(&mut note);
        note.version = 1;
        let text = serde_json::to_string_pretty(&note).unwrap_or_default() + "\n";
        put(&self.note(), &text)
    }

    fn read_note(&self) -> Note {
        let text = read_text(&self.note(), MAX_FILE).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Removes what was written, and nothing else. Returns whether there was anything.
    pub fn remove(&self) -> Result<bool, Error> {
        let folder = self.folder();
        let note = self.read_note();
        let mut found = false;
        let names = || FILES.iter().map(|(name, _)| *name).chain([LINK]);
        for file in names().map(|name| folder.join(name)).chain([self.note()]) {
            found |= files::remove(&file).map_err(failed)?;
        }
        let folders = names().flat_map(|name| Path::new(name).ancestors().skip(1));
        let folders: BTreeSet<PathBuf> = folders.map(|path| folder.join(path)).collect();
        // The deepest folders first, and the folder itself (`""`) last.
        for path in folders.into_iter().rev().chain(note.made) {
            // This fails if it contains other files.
            let _ = fs::remove_dir(path);
        }
        Ok(found)
    }
}

impl Note {
    /// Records `folder` and its parents that do not exist yet.
    fn will_make(&mut self, folder: &Path) {
        let missing = folder.ancestors().take_while(|folder| !folder.exists());
        self.made.extend(missing.map(Path::to_owned));
        // The deepest first, in the order in which they are removed.
        self.made.sort_by(|a, b| b.cmp(a));
        self.made.dedup();
    }
}
