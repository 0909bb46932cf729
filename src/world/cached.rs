//! Caches what was computed from files, so that a hook need not compute it again.
//!
//! A cache never makes a load fail: an entry that cannot be read is computed again, and an entry
//! that cannot be written is skipped.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    os::unix::fs::{FileExt as _, MetadataExt as _},
    path::Path,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tempfile::NamedTempFile;

use super::{file_identity::Stamp, files};

/// The code that made an entry: roz's version and a hash of the relevant sources. The hash
/// invalidates entries between two builds of the same version.
pub(crate) type MadeBy = (&'static str, u64);

/// The [`MadeBy`] of code, from its sources.
pub(crate) const fn made_by(sources: &[&[u8]]) -> MadeBy {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut source = 0;
    while source < sources.len() {
        let mut at = 0;
        while at < sources[source].len() {
            hash = (hash ^ sources[source][at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        source += 1;
    }
    (env!("CARGO_PKG_VERSION"), hash)
}

/// Two changes of a file within this time may leave the same timestamps.
const TICK_NS: i128 = 50_000_000;

#[derive(Debug, Serialize, Deserialize)]
struct Entry<S, L> {
    made_by: (String, u64),
    /// When reading its sources began, by the file system's clock.
    begun: Time,
    seen: S,
    loaded: L,
}

type Time = (i64, i64);

/// The entry that the same code made from exactly what was `seen`; `stamps` are those of its files.
/// `None` if the entry is longer than `largest` bytes.
pub(crate) fn read<'a, S: DeserializeOwned + PartialEq, L: DeserializeOwned>(
    path: &Path,
    made_by: MadeBy,
    seen: &S,
    mut stamps: impl Iterator<Item = &'a Stamp>,
    largest: u64,
) -> Option<L> {
    let (text, meta) = files::read(path).ok()??;
    if meta.len() > largest {
        return None;
    }
    fitting(&text, made_by, seen, &mut stamps)
}

/// As [`read`], for an entry with a body. The body is not read: its file and the offset in it are
/// returned.
pub(crate) fn read_with_body<'a, S: DeserializeOwned + PartialEq, L: DeserializeOwned>(
    path: &Path,
    made_by: MadeBy,
    seen: &S,
    mut stamps: impl Iterator<Item = &'a Stamp>,
    largest: u64,
) -> Option<(L, File, u64)> {
    let (file, meta) = files::open(path, File::options().read(true)).ok()??;
    let length_at = meta.len().checked_sub(8).filter(|_| meta.len() <= largest)?;
    let mut length = [0; 8];
    file.read_exact_at(&mut length, length_at).ok()?;
    let length = u64::from_le_bytes(length);
    if length > length_at {
        return None;
    }
    let mut text = vec![0; usize::try_from(length).ok()?];
    file.read_exact_at(&mut text, 0).ok()?;
    Some((fitting(&text, made_by, seen, &mut stamps)?, file, length))
}

fn fitting<'a, S: DeserializeOwned + PartialEq, L: DeserializeOwned>(
    text: &[u8],
    made_by: MadeBy,
    seen: &S,
    stamps: &mut impl Iterator<Item = &'a Stamp>,
) -> Option<L> {
    let entry: Entry<S, L> = serde_json::from_slice(text).ok()?;
    let (version, sources) = &entry.made_by;
    let is_ours = (version.as_str(), *sources) == made_by;
    let fits = is_ours && entry.seen == *seen && !stamps.any(|stamp| is_racy(stamp, entry.begun));
    fits.then_some(entry.loaded)
}

/// Racy in git's sense: a source that changed just before it was read may have changed once more
/// after that, within the same tick.
fn is_racy(stamp: &Stamp, begun: Time) -> bool {
    match stamp {
        Stamp::File { ctime, .. } => (ns(begun) - ns(*ctime)).abs() < TICK_NS,
        Stamp::Absent | Stamp::Hidden => false,
    }
}

/// A cache entry that is being made, since before its sources are read.
#[derive(Debug)]
pub(crate) struct Pending<'a> {
    path: &'a Path,
    file: NamedTempFile,
    begun: Time,
}

pub(crate) fn begin(path: &Path) -> Option<Pending<'_>> {
    let file = beside(path).ok()?;
    let made = file.as_file().metadata().ok()?;
    Some(Pending { path, file, begun: (made.mtime(), made.mtime_nsec()) })
}

impl Pending<'_> {
    /// With a body, it and the length of the entry are behind the entry.
    pub(crate) fn finish(
        mut self,
        made_by: MadeBy,
        seen: &impl Serialize,
        loaded: &impl Serialize,
        body: Option<&[u8]>,
    ) {
        let made_by = (made_by.0.to_owned(), made_by.1);
        // JSON cannot hold paths that are not UTF-8: such a project has no cache.
        let entry = Entry { made_by, begun: self.begun, seen, loaded };
        let Ok(mut text) = serde_json::to_vec(&entry) else { return };
        if let Some(body) = body {
            let length = text.len() as u64;
            text.extend_from_slice(body);
            text.extend(length.to_le_bytes());
        }
        if self.file.write_all(&text).is_ok() {
            let _ = put(self.file, self.path);
        }
    }
}

/// Writes a new file and renames it, so that a link at `path` is replaced and not followed.
pub(crate) fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut file = beside(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    put(file, path)
}

fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let dir = path.parent().unwrap_or(Path::new("."));
    if !dir.is_dir() {
        files::make_private_folder(dir)?;
    }
    tempfile::Builder::new().prefix(".entry-").tempfile_in(dir)
}

fn put(file: NamedTempFile, path: &Path) -> io::Result<()> {
    // A rename does not replace a folder, and removing an empty one loses nothing.
    let _ = fs::remove_dir(path);
    file.persist(path)?;
    Ok(())
}

fn ns((seconds, nanos): Time) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanos)
}

/// FNV-1a, which is good enough for a name: each file contains what it was made of.
pub(crate) fn hash(parts: &[&[u8]]) -> u128 {
    let bytes = parts.iter().flat_map(|part| part.iter().chain(&[0]));
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
    })
}
