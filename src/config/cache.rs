//! What was read before: the merged configuration, so that a hook parses no
//! TOML, and of each file the last text that could be read.
//!
//! Nothing in here may fail a load: what cannot be read is made anew, what
//! cannot be written is left.

use std::{
    fs::{self, DirBuilder},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::{LARGEST, Loaded, Seen, file, file::Stamp};

/// Changes whenever the code that reads configurations does: between two
/// builds of one version a cache must not outlive the rules that made it.
const MADE_BY: (&str, u64) = (env!("CARGO_PKG_VERSION"), {
    let sources: [&[u8]; 9] = [
        include_bytes!("mod.rs"),
        include_bytes!("client.rs"),
        include_bytes!("keys.rs"),
        include_bytes!("layer.rs"),
        include_bytes!("value.rs"),
        include_bytes!("merge.rs"),
        include_bytes!("diagnostic.rs"),
        include_bytes!("../core/policy.rs"),
        include_bytes!("../core/policy/reflection.rs"),
    ];
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
    hash
});

const LARGEST_ENTRY: u64 = 8 << 20;

/// Two changes of a file closer than this may leave the same times on it.
const TICK_NS: i128 = 50_000_000;

#[derive(Debug, Serialize, Deserialize)]
struct Entry<S, L> {
    made_by: (String, u64),
    /// When its sources began to be read, by the file system's clock.
    begun: Time,
    seen: S,
    loaded: L,
}

type Time = (i64, i64);

/// The merged configuration, if it was made of just what was `seen`.
pub(super) fn read(path: &Path, seen: &Seen) -> Option<Loaded> {
    let file = file::open(path, OFlags::NOFOLLOW).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || found.size() > LARGEST_ENTRY {
        return None;
    }
    let mut text = Vec::with_capacity(usize::try_from(found.size()).ok()? + 1);
    file.take(LARGEST_ENTRY).read_to_end(&mut text).ok()?;
    let entry: Entry<Seen, Loaded> = serde_json::from_slice(&text).ok()?;
    let (version, sources) = &entry.made_by;
    let is_ours = (version.as_str(), *sources) == MADE_BY;
    let fits = is_ours && entry.seen == *seen && !is_racy(seen, entry.begun);
    fits.then_some(entry.loaded)
}

/// Git's word: a source that changed just before it was read may have changed
/// once more, after it was read and within the same tick.
fn is_racy(seen: &Seen, begun: Time) -> bool {
    seen.files().any(|it| match it.stamp {
        Stamp::File { ctime, .. } => (ns(begun) - ns(ctime)).abs() < TICK_NS,
        Stamp::Absent | Stamp::Hidden => false,
    })
}

/// A cache entry to be, from before its sources are read.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    path: &'a Path,
    file: NamedTempFile,
    begun: Time,
}

pub(super) fn begin(path: &Path) -> Option<Pending<'_>> {
    let file = beside(path).ok()?;
    let made = file.as_file().metadata().ok()?;
    Some(Pending { path, file, begun: (made.mtime(), made.mtime_nsec()) })
}

impl Pending<'_> {
    pub(super) fn finish(mut self, seen: &Seen, loaded: &Loaded) {
        let made_by = (MADE_BY.0.to_owned(), MADE_BY.1);
        // Paths that are no UTF-8 are no JSON: such a project does without.
        let entry = Entry { made_by, begun: self.begun, seen, loaded };
        let Ok(text) = serde_json::to_vec(&entry) else { return };
        if self.file.write_all(&text).is_ok() {
            let _ = put(self.file, self.path);
        }
    }
}

/// Where the merged configuration of a project and a user's file lies.
pub(super) fn entry(roz_home: &Path, user_file: &Path, project: Option<&Path>) -> PathBuf {
    let project = project.map_or(&[][..], |it| it.as_os_str().as_encoded_bytes());
    let name = hash(&[user_file.as_os_str().as_encoded_bytes(), project]);
    roz_home.join(format!("cache/config-{name:032x}.json"))
}

/// The last text of `source` that could be read.
pub(super) fn last_readable(roz_home: &Path, source: &Path) -> Option<String> {
    let text = file::read(&copy(roz_home, source), LARGEST + 8192).ok()??;
    let text = String::from_utf8(text).ok()?;
    Some(text.strip_prefix(&heading(source))?.to_owned())
}

pub(super) fn keep_readable(roz_home: &Path, source: &Path, text: &str) {
    if last_readable(roz_home, source).as_deref() != Some(text) {
        let heading = heading(source);
        let _ = replace(&copy(roz_home, source), &[heading.as_bytes(), text.as_bytes()]);
    }
}

fn copy(roz_home: &Path, source: &Path) -> PathBuf {
    let name = hash(&[source.as_os_str().as_encoded_bytes()]);
    roz_home.join(format!("cache/readable-{name:032x}.toml"))
}

fn heading(source: &Path) -> String {
    let source = source.to_string_lossy();
    format!("# {}, when it could last be read\n", source.escape_debug())
}

/// Writes anew and renames: what lies at `path` is never written through,
/// whatever it is.
fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut file = beside(path)?;
    parts.iter().try_for_each(|it| file.write_all(it))?;
    put(file, path)
}

fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let dir = path.parent().unwrap_or(Path::new("."));
    if !dir.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    }
    tempfile::Builder::new().prefix(".config-").tempfile_in(dir)
}

fn put(file: NamedTempFile, path: &Path) -> io::Result<()> {
    // An empty folder is the one thing that a rename does not replace and that
    // is nobody's loss.
    let _ = fs::remove_dir(path);
    file.persist(path)?;
    Ok(())
}

fn ns((seconds, nanos): Time) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanos)
}

/// FNV-1a: a name, no proof. Each file says what it was made of.
fn hash(parts: &[&[u8]]) -> u128 {
    let bytes = parts.iter().flat_map(|it| it.iter().chain(&[0]));
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
    })
}
