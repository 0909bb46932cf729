//! The derived index of learnings: one file in `<ROZ_HOME>/cache/`, so that a
//! cold process finds what is relevant without reading what is there.
//!
//! ```text
//! magic, made by, checksum and length of the head
//! the head as JSON: what it was made of, notes, the index
//! the learnings as JSON, each with its own checksum in the index
//! ```
//!
//! It is never a source. It counts if it was made, by this roz, of just the
//! files that lie there now (by device, inode, size and both times); otherwise
//! it is made anew. The learnings themselves are read from it one by one, when
//! they are asked for.
//!
//! Nothing in here may fail for the cache's sake: what cannot be read is made
//! anew, what cannot be written is left.

use std::{
    cell::OnceCell,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::Shelf;
use crate::core::reflection::{
    learning::Learning,
    retrieval::{self, Built, Index, checksum},
};

const MAGIC: [u8; 8] = *b"roz\0mem\n";

/// Changes with whatever decides which terms a learning has, and how strongly:
/// between two builds of one version a cache must not outlive the rules that
/// made it.
const MADE_BY: u64 = crate::world::cached::made_by(&[
    env!("CARGO_PKG_VERSION").as_bytes(),
    include_bytes!("index.rs"),
    include_bytes!("../core/reflection/learning.rs"),
    include_bytes!("../core/reflection/retrieval/build.rs"),
    include_bytes!("../core/reflection/retrieval/index.rs"),
    include_bytes!("../core/reflection/retrieval/paths.rs"),
    include_bytes!("../core/reflection/retrieval/words.rs"),
])
.1;

/// Magic, made by, checksum and length of the head.
const PREFIX: usize = 4 * 8;

/// No index of learnings that people wrote is larger.
const LARGEST: u64 = 1 << 30;

/// Two changes of a file closer than this may leave the same times on it.
const TICK_NS: i128 = 50_000_000;

/// What the learnings' sources hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    pub learnings: Vec<Learning>,
    /// What the user is to be told of them: an entry that could not be read.
    pub notes: Vec<String>,
}

/// Learnings, searchable. `L` loads them from their sources; it is called when
/// the cache does not know them.
pub struct Indexed<L> {
    pub index: Index,
    pub notes: Vec<String>,
    texts: Texts,
    load: L,
    /// What the sources held when the cache turned out to be broken.
    reloaded: OnceCell<Vec<Learning>>,
}

enum Texts {
    Loaded(Vec<Learning>),
    /// In a file, from this offset on.
    Cached(File, u64),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Head {
    /// When the sources began to be read, by the file system's clock.
    begun: Time,
    seen: Vec<Stamp>,
    notes: Vec<String>,
    index: Index,
}

type Time = (i64, i64);

/// What tells one state of a file from another; none: it is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    path: PathBuf,
    file: Option<Identity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    dev: u64,
    ino: u64,
    size: u64,
    mtime: Time,
    ctime: Time,
}

/// The learnings of `sources`, from the cache below `roz_home` if that was made
/// of them as they are, else from `load`, and cached for the next time.
///
/// `sources` are all the files (and folders, for files that come and go) that
/// `load` reads, in the same order every time.
///
/// # Errors
///
/// What `load` answers. Nothing is cached then.
pub fn open<L, E>(roz_home: &Path, sources: &[PathBuf], load: L) -> Result<Indexed<L>, E>
where
    L: Fn() -> Result<Loaded, E>,
{
    let path = entry(roz_home, sources);
    let seen = stamps(sources);
    if let Some((Head { index, notes, .. }, texts)) = read(&path, &seen) {
        return Ok(Indexed { index, notes, texts, load, reloaded: OnceCell::new() });
    }
    let begun = begin(&path);
    let loaded = load()?;
    let Built { index, texts } = retrieval::build(&loaded.learnings);
    let (begun, file) = begun.map_or((Time::default(), None), |(file, at)| (at, Some(file)));
    let head = Head { begun, seen, notes: loaded.notes, index };
    if let Some(file) = file {
        // A disk that is full costs the next session start its time.
        let _ = write(file, &path, &head, &texts);
    }
    let Head { index, notes, .. } = head;
    let texts = Texts::Loaded(loaded.learnings);
    Ok(Indexed { index, notes, texts, load, reloaded: OnceCell::new() })
}

/// As [`open`], whatever the cache knows, for whoever does not trust it.
///
/// # Errors
///
/// As [`open`].
pub fn rebuild<L, E>(roz_home: &Path, sources: &[PathBuf], load: L) -> Result<Indexed<L>, E>
where
    L: Fn() -> Result<Loaded, E>,
{
    let _ = fs::remove_file(entry(roz_home, sources));
    open(roz_home, sources, load)
}

impl From<Shelf> for Loaded {
    fn from(shelf: Shelf) -> Self {
        Self {
            learnings: shelf.learnings.into_iter().map(|learning| learning.learning).collect(),
            notes: shelf.problems.iter().map(ToString::to_string).collect(),
        }
    }
}

impl<L, E> Indexed<L>
where
    L: Fn() -> Result<Loaded, E>,
{
    /// Those of `ids` that are there, whole, in the order of `ids`.
    ///
    /// # Errors
    ///
    /// What `load` answers: it is asked if the cache turns out to be broken.
    pub fn learnings(&self, ids: &[&str]) -> Result<Vec<Learning>, E> {
        let among = |all: &[Learning]| {
            let find = |id: &&str| all.iter().find(|learning| learning.id == *id).cloned();
            ids.iter().filter_map(find).collect()
        };
        let (file, from) = match &self.texts {
            Texts::Loaded(all) => return Ok(among(all)),
            Texts::Cached(file, from) => (file, *from),
        };
        if let Some(all) = self.reloaded.get() {
            return Ok(among(all));
        }
        let mut found = Vec::new();
        for id in ids {
            let Some(place) = self.index.place(id) else { continue };
            let mut text = vec![0; place.length.min(1 << 26) as usize];
            let read = file.read_exact_at(&mut text, from.saturating_add(place.offset));
            let Some(learning) = read.ok().and_then(|()| place.read(&text)) else {
                let loaded = (self.load)()?;
                return Ok(among(self.reloaded.get_or_init(|| loaded.learnings)));
            };
            found.push(learning);
        }
        Ok(found)
    }
}

impl<L> std::fmt::Debug for Indexed<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let is_cached = matches!(self.texts, Texts::Cached(..));
        let mut debug_struct = f.debug_struct("Indexed");
        debug_struct
            .field("learnings", &self.index.len())
            .field("is_cached", &is_cached)
            .finish_non_exhaustive()
    }
}

/// Where the index of these sources lies.
fn entry(roz_home: &Path, sources: &[PathBuf]) -> PathBuf {
    let mut names = Vec::new();
    for source in sources {
        names.extend(source.as_os_str().as_encoded_bytes());
        names.push(0);
    }
    roz_home.join(format!("cache/learnings-{:016x}.idx", checksum(&names)))
}

fn stamps(sources: &[PathBuf]) -> Vec<Stamp> {
    let identity = |path: &PathBuf| {
        let item = fs::metadata(path).ok()?;
        Some(Identity {
            dev: item.dev(),
            ino: item.ino(),
            size: item.size(),
            mtime: (item.mtime(), item.mtime_nsec()),
            ctime: (item.ctime(), item.ctime_nsec()),
        })
    };
    sources.iter().map(|path| Stamp { path: path.clone(), file: identity(path) }).collect()
}

/// Git's word: a source that changed just before it was read may have changed
/// once more, after it was read and within the same tick.
fn is_racy(head: &Head) -> bool {
    let ns = |(seconds, nanos): Time| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let changed =
        head.seen.iter().filter_map(|stamp| stamp.file).map(|identity| ns(identity.ctime));
    changed.into_iter().any(|ctime| (ns(head.begun) - ctime).abs() < TICK_NS)
}

fn read(path: &Path, seen: &[Stamp]) -> Option<(Head, Texts)> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || found.size() > LARGEST {
        return None;
    }
    let mut prefix = [0; PREFIX];
    file.read_exact_at(&mut prefix, 0).ok()?;
    let mut fields = prefix.as_slice();
    let is_ours = take::<8>(&mut fields)? == MAGIC;
    let is_of_this_roz = u64::from_le_bytes(take(&mut fields)?) == MADE_BY;
    let sum = u64::from_le_bytes(take(&mut fields)?);
    let length = u64::from_le_bytes(take(&mut fields)?);
    let texts_at = length.checked_add(PREFIX as u64)?;
    if !is_ours || !is_of_this_roz || texts_at > found.size() {
        return None;
    }
    let mut head = vec![0; usize::try_from(length).ok()?];
    file.read_exact_at(&mut head, PREFIX as u64).ok()?;
    if checksum(&head) != sum {
        return None;
    }
    let head: Head = serde_json::from_slice(&head).ok()?;
    let is_current = head.seen == seen && !is_racy(&head);
    is_current.then_some((head, Texts::Cached(file, texts_at)))
}

fn take<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = from.split_first_chunk::<N>()?;
    *from = rest;
    Some(*first)
}

/// A file to be, from before the sources are read.
fn begin(path: &Path) -> Option<(NamedTempFile, Time)> {
    let dir = path.parent()?;
    if !dir.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(dir).ok()?;
    }
    // Made private: 0600.
    let file = tempfile::Builder::new().prefix(".learnings-").tempfile_in(dir).ok()?;
    let made = file.as_file().metadata().ok()?;
    Some((file, (made.mtime(), made.mtime_nsec())))
}

/// Writes anew and renames: what lies at `path` is never written through,
/// whatever it is.
fn write(mut file: NamedTempFile, path: &Path, head: &Head, texts: &[u8]) -> io::Result<()> {
    // Paths that are no UTF-8 are no JSON: such a project does without.
    let head = serde_json::to_vec(head)?;
    let fields = [MADE_BY, checksum(&head), head.len() as u64].map(u64::to_le_bytes);
    for part in [&MAGIC[..], fields.as_flattened(), &head, texts] {
        file.write_all(part)?;
    }
    // An empty folder is the one thing that a rename does not replace and that
    // is nobody's loss.
    let _ = fs::remove_dir(path);
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests;
