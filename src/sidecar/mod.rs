//! The sidecar of a project, `.orchestration/`: reads and changes what is declared there, and
//! resolves paths.
//!
//! Reading never fails: if the sidecar cannot be relied on, the catalogue says so
//! ([`Catalogue::broken`]), and the gate decides what follows.

pub mod edit;
pub mod intent_store;
pub mod scan_filter;
pub mod scratch_dirs;
pub mod target;
pub mod unconfirmed;
pub mod yaml;
mod yaml_tree;

#[cfg(test)]
mod tests;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::Instant,
};

use crate::{
    core::intent::{
        catalogue::{Catalogue, Problem},
        ignore::Ignore,
    },
    world::{
        cached::{self, MadeBy},
        file_identity::{Stamp, is_absent},
        files,
    },
};

pub const FOLDER: &str = ".orchestration";

/// The largest `active_intents.yaml` that is read, in bytes.
const LARGEST: u64 = 4 << 20;
const LARGEST_IGNORE: u64 = 1 << 20;
/// With aliases in full and each field named, it may be larger than the file.
const LARGEST_ENTRY: u64 = 32 << 20;

/// Changes whenever the code that reads intents does.
const MADE_BY: MadeBy = cached::made_by(&[
    include_bytes!("mod.rs"),
    include_bytes!("yaml_tree.rs"),
    include_bytes!("yaml.rs"),
    include_bytes!("../core/intent/catalogue.rs"),
]);

/// Where a project declares its intents.
pub fn intents_file(root: &Path) -> PathBuf {
    root.join(FOLDER).join("active_intents.yaml")
}

/// The project whose intents a session of `project` selects from: its own, or
/// else the nearest one above `cwd` that declares some.
pub fn governing(project: &Path, cwd: &Path) -> Option<PathBuf> {
    if fs::symlink_metadata(intents_file(project)).is_ok() {
        return Some(project.to_owned());
    }
    // What counts is the folder of the path that is asked about.
    target::nearest_sidecar(&cwd.join("x"))
}

/// What the project declares, from the cache where nothing has changed. Without such a file: none,
/// and the gate is off.
pub fn load(root: &Path, roz_home: &Path) -> Option<Catalogue> {
    let path = intents_file(root);
    let meta = match fs::symlink_metadata(&path) {
        Ok(meta) => meta,
        Err(err) if is_absent(&err) => return None,
        Err(err) => return Some(refused(format!("it cannot be looked at: {err}"))),
    };
    if let Some(refused) = leads_elsewhere(root) {
        return Some(refused);
    }
    // Anything but a regular file is refused when it is read.
    let stamp = Stamp::of(&meta);
    if !meta.is_file() {
        return Some(read(&path).0);
    }
    let name = cached::hash(&[path.as_os_str().as_encoded_bytes()]);
    let entry = roz_home.join(format!("cache/intents-{name:032x}.json"));
    let stamps = [&stamp].into_iter();
    if let Some(found) = cached::read(&entry, MADE_BY, &stamp, stamps, LARGEST_ENTRY) {
        return Some(found);
    }
    let pending = cached::begin(&entry);
    let (catalogue, read) = read(&path);
    if let Some(pending) = pending
        && read.as_ref() == Some(&stamp)
    {
        pending.finish(MADE_BY, &stamp, &catalogue, None);
    }
    Some(catalogue)
}

/// As [`load`], read anew; writes nothing.
pub fn load_fresh(root: &Path) -> Option<Catalogue> {
    let path = intents_file(root);
    match fs::symlink_metadata(&path) {
        Err(err) if is_absent(&err) => None,
        _ => Some(leads_elsewhere(root).unwrap_or_else(|| read(&path).0)),
    }
}

fn leads_elsewhere(root: &Path) -> Option<Catalogue> {
    let is_link = is_link(&root.join(FOLDER));
    is_link.then(|| refused(format!("`{FOLDER}` is a symbolic link, not a folder")))
}

/// What it says, and of which file that was.
fn read(path: &Path) -> (Catalogue, Option<Stamp>) {
    match bytes(path, LARGEST) {
        Ok(Some((bytes, stamp))) => (yaml::parse(&bytes), Some(stamp)),
        Ok(None) => (refused("it is gone".to_owned()), None),
        Err(what) => (refused(what), None),
    }
}

fn refused(what: String) -> Catalogue {
    yaml::of(Problem { line: 0, column: 0, what, breaks: true })
}

/// What is ignored; nothing where there is no such file. Of one that cannot be read, what it
/// protects is not known.
pub fn load_ignore(root: &Path, catalogue: &Catalogue) -> Result<Ignore, Problem> {
    let path = root.join(FOLDER).join(".intentignore");
    let broken = |what: String| Problem { line: 0, column: 0, what, breaks: true };
    let text = text(&path, LARGEST_IGNORE).map_err(broken)?;
    Ok(text.map_or_else(Ignore::default, |text| Ignore::parse(&text, catalogue)))
}

/// As [`bytes`], as text.
fn text(path: &Path, largest: u64) -> Result<Option<String>, String> {
    let found = bytes(path, largest)?.map(|(bytes, _)| String::from_utf8(bytes));
    found.transpose().map_err(|_| "it is not UTF-8".to_owned())
}

/// A regular file of at most `largest` bytes; none if it is not there.
fn bytes(path: &Path, largest: u64) -> Result<Option<(Vec<u8>, Stamp)>, String> {
    let said = |err: files::Error| match &err {
        files::Error::NotAFile { what, .. } => format!("it is {what}, not a file"),
        files::Error::Io { source, .. } => format!("it cannot be read: {source}"),
        files::Error::Locked { .. } => err.to_string(),
    };
    match files::read(path).map_err(said)? {
        Some((bytes, _)) if bytes.len() as u64 > largest => {
            Err(format!("it is larger than {} MiB", largest >> 20))
        }
        found => Ok(found.map(|(bytes, meta)| (bytes, Stamp::of(&meta)))),
    }
}

/// Held while a file of the sidecar is changed. The lock is in roz's home, not in the project.
fn lock(path: &Path, roz_home: &Path, until: Instant) -> files::Result<Option<File>> {
    let name = cached::hash(&[path.as_os_str().as_encoded_bytes()]);
    let lock = roz_home.join(format!("cache/sidecar-{name:032x}.lock"));
    // What cannot be made cannot be locked, and that is told then.
    let _ = fs::create_dir_all(roz_home.join("cache"));
    files::lock(&lock, until)
}

/// Roz neither reads nor writes through a link: who moves the link changes all that is declared.
fn is_link(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_symlink())
}
