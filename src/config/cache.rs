//! What was read before: the merged configuration, so that a hook parses no
//! TOML, and of each file the last text that could be read.
//!
//! Nothing in here may fail a load: what cannot be read is made anew, what
//! cannot be written is left.

use std::{
    fs::{self, DirBuilder},
    io::{Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::{LARGEST, Loaded, Seen, file, file::Stamp};

/// Changes whenever the code that reads configurations does: between two
/// builds of one version a cache must not outlive the rules that made it.
const MADE_BY: (&str, u64) = (env!("CARGO_PKG_VERSION"), {
    let sources: [&[u8]; 8] = [
        include_bytes!("mod.rs"),
        include_bytes!("client.rs"),
        include_bytes!("keys.rs"),
        include_bytes!("layer.rs"),
        include_bytes!("value.rs"),
        include_bytes!("merge.rs"),
        include_bytes!("diagnostic.rs"),
        include_bytes!("../core/policy.rs"),
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
    seen: S,
    loaded: L,
}

/// The merged configuration, if it was made of just what was `seen`.
pub(super) fn read(path: &Path, seen: &Seen) -> Option<Loaded> {
    let mut file = file::open(path, OFlags::NOFOLLOW).ok()?;
    let found = file.metadata().ok()?;
    let written = ns((found.mtime(), found.mtime_nsec()));
    // Git calls this racily clean: a source may have changed once more, within
    // the tick in which it was read.
    let is_racy = seen.files().any(|it| match it.stamp {
        Stamp::File { ctime, .. } => (written - ns(ctime)).abs() < TICK_NS,
        Stamp::Absent | Stamp::Hidden => false,
    });
    if is_racy || !found.is_file() || found.size() > LARGEST_ENTRY {
        return None;
    }
    let mut text = Vec::with_capacity(usize::try_from(found.size()).ok()? + 1);
    file.read_to_end(&mut text).ok()?;
    let entry: Entry<Seen, Loaded> = serde_json::from_slice(&text).ok()?;
    let (version, sources) = &entry.made_by;
    ((version.as_str(), *sources) == MADE_BY && entry.seen == *seen).then_some(entry.loaded)
}

pub(super) fn write(path: &Path, seen: &Seen, loaded: &Loaded) {
    let made_by = (MADE_BY.0.to_owned(), MADE_BY.1);
    // Paths that are no UTF-8 are no JSON: such a project does without.
    if let Ok(text) = serde_json::to_vec(&Entry { made_by, seen, loaded }) {
        replace(path, &[&text]);
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
        replace(&copy(roz_home, source), &[heading.as_bytes(), text.as_bytes()]);
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

/// Writes anew beside `path` and renames: what lay there is never written
/// through, whatever it was.
fn replace(path: &Path, parts: &[&[u8]]) {
    let Some(dir) = path.parent() else { return };
    let write = || {
        let mut file = tempfile::Builder::new().prefix(".config-").tempfile_in(dir)?;
        parts.iter().try_for_each(|it| file.write_all(it))?;
        file.persist(path)?;
        std::io::Result::Ok(())
    };
    if !dir.is_dir() {
        let _ = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    }
    if write().is_err() {
        // A folder in its place, if empty, is the one thing in the way.
        let _ = fs::remove_dir(path).and_then(|()| write());
    }
}

fn ns((seconds, nanos): (i64, i64)) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanos)
}

/// FNV-1a: a name, no proof. Each file says what it was made of.
fn hash(parts: &[&[u8]]) -> u128 {
    let bytes = parts.iter().flat_map(|it| it.iter().chain(&[0]));
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
    })
}
