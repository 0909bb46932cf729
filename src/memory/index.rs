//! A derived index of the learnings: one file in `<ROZ_HOME>/cache/`, so that a new process finds
//! the relevant ones without reading all of them.
//!
//! It is only a cache: see [`cached`]. The learnings themselves are the body of the entry and are
//! read from it one by one on demand.

use std::{
    cell::OnceCell,
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::Shelf;
use crate::{
    core::reflection::{
        learning::Learning,
        retrieval::{self, Built, Index},
    },
    world::{
        cached::{self, MadeBy},
        file_identity::Seen,
    },
};

/// Changes with the code that decides the terms of a learning and their weights, so that a cache
/// does not outlive it between two builds of the same version.
const MADE_BY: MadeBy = cached::made_by(&[
    include_bytes!("index.rs"),
    include_bytes!("../core/reflection/learning.rs"),
    include_bytes!("../core/reflection/retrieval/build.rs"),
    include_bytes!("../core/reflection/retrieval/index.rs"),
    include_bytes!("../core/reflection/retrieval/path_terms.rs"),
    include_bytes!("../core/reflection/retrieval/words.rs"),
]);

/// In bytes; far above what people write.
const LARGEST: u64 = 1 << 30;

/// The content of the learnings' sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    pub learnings: Vec<Learning>,
    /// Notes for the user, such as that an entry could not be read.
    pub notes: Vec<String>,
}

/// Searchable learnings. `L` loads them from their sources if they are not in the cache.
pub struct Indexed<L> {
    pub index: Index,
    pub notes: Vec<String>,
    texts: Texts,
    load: L,
    /// The learnings loaded from the sources after the cache turned out to be broken.
    reloaded: OnceCell<Vec<Learning>>,
}

enum Texts {
    Loaded(Vec<Learning>),
    /// In a file, from this offset on.
    Cached(File, u64),
}

#[derive(Serialize, Deserialize)]
struct Head {
    notes: Vec<String>,
    index: Index,
}

/// The learnings of `sources`, from the cache below `roz_home` if it is up to date, else from
/// `load`, and then cached.
///
/// `sources` are all files that `load` reads, and the folders whose files it lists, always in the
/// same order.
pub fn open<L, E>(roz_home: &Path, sources: &[PathBuf], load: L) -> Result<Indexed<L>, E>
where
    L: Fn() -> Result<Loaded, E>,
{
    let path = entry(roz_home, sources);
    let seen: Vec<Seen> = sources.iter().cloned().map(Seen::at).collect();
    let stamps = seen.iter().map(|seen| &seen.stamp);
    let found = cached::read_with_body::<_, Head>(&path, MADE_BY, &seen, stamps, LARGEST);
    let (Head { notes, index }, texts) = if let Some((head, file, from)) = found {
        (head, Texts::Cached(file, from))
    } else {
        let pending = cached::begin(&path);
        let loaded = load()?;
        let Built { index, texts } = retrieval::build(&loaded.learnings);
        let head = Head { notes: loaded.notes, index };
        if let Some(pending) = pending {
            pending.finish(MADE_BY, &seen, &head, Some(&texts));
        }
        (head, Texts::Loaded(loaded.learnings))
    };
    Ok(Indexed { index, notes, texts, load, reloaded: OnceCell::new() })
}

/// As [`open`], but ignores the cache.
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
    /// The learnings with these `ids` that exist, in the order of `ids`.
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
            let learning = read.ok().and_then(|()| serde_json::from_slice::<Learning>(&text).ok());
            let Some(learning) = learning.filter(|learning| learning.id == **id) else {
                let loaded = (self.load)()?;
                return Ok(among(self.reloaded.get_or_init(|| loaded.learnings)));
            };
            found.push(learning);
        }
        Ok(found)
    }
}

/// The path of the index of these sources.
fn entry(roz_home: &Path, sources: &[PathBuf]) -> PathBuf {
    let names: Vec<&[u8]> =
        sources.iter().map(|source| source.as_os_str().as_encoded_bytes()).collect();
    roz_home.join(format!("cache/learnings-{:032x}.idx", cached::hash(&names)))
}

#[cfg(test)]
mod tests;
