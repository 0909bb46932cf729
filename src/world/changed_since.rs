//! Finds what changed in a work tree since a time. It goes by `ctime`, which a program cannot set
//! back. The scan has a budget; if it runs out, the result says so.

use std::{
    collections::BTreeMap,
    fs::{self, FileType, Metadata},
    os::unix::fs::MetadataExt,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

/// Seconds and nanoseconds, by the file system's clock.
pub type Time = (i64, i64);

/// The budget: how many entries are looked at, and for how long.
const ENTRIES: usize = 20_000;
const PATIENCE: Duration = Duration::from_millis(50);
const TOO_MANY: &str = "the work tree has more than 20000 entries";
const TOO_SLOW: &str = "it took more than 50 ms";
const CLOCK_SET_BACK: &str = "the clock was set back";

/// The file system's clock may be a tick behind ours.
#[cfg(not(target_os = "linux"))]
const TICK: Duration = Duration::from_millis(20);
/// The clock is read once per so many entries.
const ROUND: usize = 256;
/// Deeper folders are not scanned.
const DEEPEST: usize = 120;

/// What a scan skips: asked about each folder, and about each file that was touched. Paths are
/// relative to the root and separated by `/`.
pub trait Skips {
    /// Called before a folder is scanned.
    fn enters(&mut self, folder: &str);
    fn leaves(&mut self);
    fn folder(&self, path: &str) -> bool;
    fn file(&self, path: &str) -> bool;
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Files and links, each with whether it is a link.
    pub touched: BTreeMap<String, bool>,
    /// Folders in which something was created, removed or renamed.
    pub folders: Vec<String>,
    /// Why the scan is incomplete.
    pub stopped: Option<&'static str>,
}

/// The time of the kernel's coarse clock. No later change has an earlier stamp.
#[cfg(target_os = "linux")]
pub fn now() -> Time {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    (now.tv_sec, now.tv_nsec)
}

#[cfg(not(target_os = "linux"))]
pub fn now() -> Time {
    time(SystemTime::now().checked_sub(TICK).unwrap_or(SystemTime::UNIX_EPOCH))
}

fn time(at: SystemTime) -> Time {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos().into())
}

pub fn changed_at(meta: &Metadata) -> Time {
    (meta.ctime(), meta.ctime_nsec())
}

/// Whether a file was created since then, if the system records that.
pub fn is_new(meta: &Metadata, since: Time) -> bool {
    meta.created().is_ok_and(|created| time(created) >= since)
}

/// What was touched below `root` since then. Links are not followed, and other file systems are not
/// scanned.
pub fn since(root: &Path, since: Time, skips: &mut dyn Skips) -> Scanned {
    let found = fs::symlink_metadata(root).ok();
    let mut walk = Walk {
        since,
        skips,
        device: found.as_ref().map_or(0, MetadataExt::dev),
        entries: 0,
        until: Instant::now() + PATIENCE,
        looked: Scanned::default(),
    };
    if since > time(SystemTime::now()) {
        walk.looked.stopped = Some(CLOCK_SET_BACK);
        return walk.looked;
    }
    if found.is_some_and(|metadata| changed_at(&metadata) >= since) {
        walk.looked.folders.push(String::new());
    }
    walk.folder(root, "", 0, false);
    let mut looked = walk.looked;
    looked.folders.sort();
    looked
}

struct Walk<'a> {
    since: Time,
    skips: &'a mut dyn Skips,
    device: u64,
    entries: usize,
    until: Instant,
    looked: Scanned,
}

impl Walk<'_> {
    /// `depth` is the number of folders above; `has_moved` says whether one of them was renamed.
    fn folder(&mut self, folder: &Path, inside: &str, depth: usize, has_moved: bool) {
        // A folder that we cannot read cannot be written to by the same account either.
        let Ok(entries) = fs::read_dir(folder) else { return };
        self.skips.enters(inside);
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > ENTRIES {
                self.looked.stopped = Some(TOO_MANY);
            } else if self.entries.is_multiple_of(ROUND) && Instant::now() > self.until {
                self.looked.stopped = Some(TOO_SLOW);
            }
            if self.looked.stopped.is_some() {
                break;
            }
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path =
                if inside.is_empty() { name.into_owned() } else { format!("{inside}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if depth < DEEPEST && !self.skips.folder(&path) {
                        self.go_into(&entry.path(), &path, depth + 1, has_moved);
                    }
                }
                Ok(kind) => self.entry(&entry, kind, path, has_moved),
                Err(_) => (),
            }
        }
        self.skips.leaves();
    }

    fn go_into(&mut self, folder: &Path, inside: &str, depth: usize, has_moved: bool) {
        let Ok(meta) = fs::symlink_metadata(folder) else { return };
        if meta.dev() != self.device {
            return;
        }
        let is_touched = changed_at(&meta) >= self.since;
        if is_touched {
            self.looked.folders.push(inside.to_owned());
        }
        // Its `ctime` is new and its `mtime` is not: the folder was renamed. Its files moved with
        // it, and their own stamps do not show that.
        let is_moved = is_touched && (meta.mtime(), meta.mtime_nsec()) < self.since;
        self.folder(folder, inside, depth, has_moved || is_moved);
    }

    fn entry(&mut self, entry: &fs::DirEntry, kind: FileType, path: String, has_moved: bool) {
        let Ok(meta) = entry.metadata() else { return };
        let is_touched = changed_at(&meta) >= self.since || has_moved;
        // Git does not track FIFOs and sockets.
        if !is_touched || !(kind.is_file() || kind.is_symlink()) || self.skips.file(&path) {
            return;
        }
        self.looked.touched.insert(path, kind.is_symlink());
    }
}

#[cfg(test)]
mod tests;
