//! Compares the protective content of roz's own files before and after a call.
//!
//! If a call may change something, the content is stored in `<ROZ_HOME>/cache/call-<id>` when it
//! begins, and compared when it ends. A change between two calls was made by a person.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    core::{
        bounded,
        event::LONGEST_CALL,
        own_files::{Kind, WeakenedFile, protections},
    },
    world::{cached, file_identity, files},
};

/// The longest wait for another call.
const PATIENCE: Duration = Duration::from_millis(300);
/// In bytes. Longer files count as unreadable.
const LONGEST: u64 = 4 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    pub kind: Kind,
    pub path: PathBuf,
}

/// The protective content of each file: a hash of the whole, or the hooks that it contains.
pub type Known = BTreeMap<PathBuf, BTreeSet<String>>;

/// A file whose protective content has changed during the call.
#[derive(Debug)]
pub struct Changed {
    pub kind: Kind,
    pub path: PathBuf,
    pub before: BTreeSet<String>,
    pub lost: Vec<String>,
}

pub fn begin(home: &Path, watched: &[Watched], call: &str) {
    let _ = write(&mark(home, call), &look(watched));
}

/// What has changed, at the end of a call. `None` if the call only reads.
pub fn end(
    home: &Path,
    watched: impl FnOnce() -> Vec<Watched>,
    call: &str,
) -> Option<Vec<Changed>> {
    let mark = mark(home, call);
    let before = read::<Known>(&mark)?;
    let _ = fs::remove_file(mark);
    let changed = |Watched { kind, path }: &Watched| {
        let (before, now) = (before.get(path)?, says(*kind, path));
        let lost = before.difference(&now).cloned().collect();
        let (kind, path) = (*kind, path.clone());
        is_other(kind, before, &now).then(|| Changed { kind, path, before: before.clone(), lost })
    };
    Some(watched().iter().filter_map(changed).collect())
}

pub fn look(watched: &[Watched]) -> Known {
    watched
        .iter()
        .map(|watched| (watched.path.clone(), says(watched.kind, &watched.path)))
        .collect()
}

/// Records that one of roz's own commands wrote what differs from `before`, so that it does not
/// count as a change by the calls that run at the same time.
pub fn accept(home: &Path, watched: &[Watched], before: &Known) {
    let written: Known =
        look(watched).into_iter().filter(|(path, says)| before.get(path) != Some(says)).collect();
    for mark in marks(home).filter(|_| !written.is_empty()) {
        if let Some(mut known) = read::<Known>(&mark) {
            known.extend(written.clone());
            let _ = write(&mark, &known);
        }
    }
}

pub fn is_watching(home: &Path) -> bool {
    marks(home).next().is_some()
}

fn is_other(kind: Kind, before: &BTreeSet<String>, now: &BTreeSet<String>) -> bool {
    !before.is_subset(now) || kind == Kind::Configuration && before != now
}

/// The protective content of a file; empty if it does not exist.
fn says(kind: Kind, path: &Path) -> BTreeSet<String> {
    if kind == Kind::Binary
        && let Ok(item) = fs::metadata(path)
    {
        let mtime = (item.mtime(), item.mtime_nsec());
        return BTreeSet::from([format!(
            "{}:{}:{}:{mtime:?}",
            item.dev(),
            item.ino(),
            item.size()
        )]);
    }
    let text = match file_identity::read(path, LONGEST) {
        Ok(None) if kind != Kind::Settings => return BTreeSet::new(),
        text => text.ok().flatten().unwrap_or_default(),
    };
    match kind {
        Kind::Settings => protections(&serde_json::from_slice(&text).unwrap_or_default()),
        _ => BTreeSet::from([bounded::sha256(&text)]),
    }
}

/// The file with the content at the beginning of a call. `roz clean` removes it if the call never
/// ends.
fn mark(home: &Path, call: &str) -> PathBuf {
    home.join(format!("cache/call-{:032x}", cached::hash(&[call.as_bytes()])))
}

fn marks(home: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(home.join("cache")).into_iter().flatten().flatten();
    // There is no event at the end of a call that was declined.
    let is_recent = |entry: &fs::DirEntry| {
        let age = entry.metadata().ok().and_then(|meta| meta.modified().ok()?.elapsed().ok());
        age.is_none_or(|age| age <= LONGEST_CALL.to_std().unwrap_or_default())
    };
    let is_mark = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b"call-");
    entries.filter(move |entry| is_mark(entry) && is_recent(entry)).map(|entry| entry.path())
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&file_identity::read(path, LONGEST).ok()??).ok()
}

fn write(path: &Path, serialize: &impl Serialize) -> io::Result<()> {
    cached::replace(path, &[&serde_json::to_vec(serialize)?])
}

/// The files that wait for a person to confirm them and are still as the call left them.
pub fn unconfirmed(home: &Path) -> Vec<WeakenedFile> {
    let mut noted: Vec<WeakenedFile> = read(&list(home)).unwrap_or_default();
    noted.retain(|file| is_other(file.kind, &file.before, &says(file.kind, &file.file)));
    noted
}

/// Records which files a call weakened. The earliest content of each file is kept.
pub fn note(home: &Path, new: &[WeakenedFile]) -> io::Result<()> {
    // Calls may end at the same time, and must not overwrite each other's records.
    let lock = files::lock(&home.join("cache/unconfirmed.lock"), Instant::now() + PATIENCE);
    let _lock = lock.map_err(io::Error::other)?;
    let mut noted = unconfirmed(home);
    for weakened_file in new {
        match noted.iter_mut().find(|known| known.file == weakened_file.file) {
            Some(known) => known.what.clone_from(&weakened_file.what),
            None => noted.push(weakened_file.clone()),
        }
    }
    write(&list(home), &noted)
}

/// Whether anything is recorded. Costs a single look at a file.
pub fn has_noted(home: &Path) -> bool {
    list(home).exists()
}

/// Keeps only the records in `waiting`.
pub fn leave(home: &Path, waiting: &[WeakenedFile]) -> io::Result<()> {
    if !waiting.is_empty() {
        return write(&list(home), &waiting);
    }
    match fs::remove_file(list(home)) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => Err(err),
        _ => Ok(()),
    }
}

fn list(home: &Path) -> PathBuf {
    home.join("unconfirmed.json")
}
