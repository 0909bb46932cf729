//! The sidecar of a project, `.orchestration/`: reads what is declared there, changes it line by
//! line, and finds out where a path really leads.
//!
//! Reading never fails: where the sidecar cannot be relied on, the catalogue says so
//! ([`Catalogue::broken`]) and the gate decides what follows.

pub mod edit;
pub mod provenance;
pub mod scan_filter;
pub mod scratch_dirs;
pub mod store;
pub mod target;
mod tree;
pub mod yaml;

#[cfg(test)]
mod tests;

use std::{
    fs::{self, File, OpenOptions},
    io::Read as _,
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
        file_identity::Stamp,
        files::{self, Access, Replacement},
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
    include_bytes!("tree.rs"),
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
    // What is no file is refused below, in words.
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
        pending.finish(MADE_BY, &stamp, &catalogue);
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

/// What is ignored; nothing where there is no such file.
///
/// # Errors
///
/// If there is one that cannot be read: what it protects is not known.
pub fn load_ignore(root: &Path, catalogue: &Catalogue) -> Result<Ignore, Problem> {
    let path = root.join(FOLDER).join(".intentignore");
    let broken = |what: String| Problem { line: 0, column: 0, what, breaks: true };
    let Some((bytes, _)) = bytes(&path, LARGEST_IGNORE).map_err(broken)? else {
        return Ok(Ignore::default());
    };
    let text = String::from_utf8(bytes).map_err(|_| broken("it is no UTF-8".to_owned()))?;
    Ok(Ignore::parse(&text, catalogue))
}

/// A regular file of at most `largest` bytes; none if it is not there.
fn bytes(path: &Path, largest: u64) -> Result<Option<(Vec<u8>, Stamp)>, String> {
    let said = |err: files::Error| match &err {
        files::Error::NotAFile { what, .. } => format!("it is {what}, not a file"),
        files::Error::Io { source, .. } => format!("it cannot be read: {source}"),
        files::Error::Locked { .. } => err.to_string(),
    };
    let Some((file, meta)) = files::open(path, OpenOptions::new().read(true)).map_err(said)? else {
        return Ok(None);
    };
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len().min(largest)).unwrap_or(0) + 1);
    let read = file.take(largest + 1).read_to_end(&mut bytes);
    read.map_err(|err| format!("it cannot be read: {err}"))?;
    if bytes.len() as u64 > largest {
        return Err(format!("it is larger than {} MiB", largest >> 20));
    }
    Ok(Some((bytes, Stamp::of(&meta))))
}

/// Held while a file of the sidecar is changed. The lock is in roz's home, not in the project.
fn lock(path: &Path, roz_home: &Path, until: Instant) -> files::Result<Option<File>> {
    let name = cached::hash(&[path.as_os_str().as_encoded_bytes()]);
    let lock = roz_home.join(format!("cache/sidecar-{name:032x}.lock"));
    // What cannot be made cannot be locked, and that is told then.
    let _ = fs::create_dir_all(roz_home.join("cache"));
    files::lock_for(&lock, until, Access::Private)
}

/// Puts a new text in the place of a file of the sidecar, with the permissions that it has.
fn replace(path: &Path, bytes: &[u8], durable: bool) -> files::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let meta = fs::symlink_metadata(path).ok();
    let mode = meta.map_or(0o644, |meta| meta.permissions().mode() & 0o7777);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let tmp = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let new = Replacement { bytes, modified: None, durable, mode: Some(mode) };
    files::replace(path, &tmp, &new).map(drop)
}

/// Roz neither reads nor writes through a link: who moves the link changes all that is declared.
fn is_link(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_symlink())
}

fn is_absent(err: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
