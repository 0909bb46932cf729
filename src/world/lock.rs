//! Locks for one writer at a time. If every save replaces the document, the lock is a separate file
//! that is never renamed.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    os::unix::fs::MetadataExt as _,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::files::{self, Access, At as _, Error, Result};

const FIRST_PAUSE: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// Takes a lock that is held until the file is dropped or the process ends. `None` if the directory
/// does not exist.
///
/// The lock is polled, because a blocking one would need a thread or a signal for the deadline.
pub(crate) fn lock(path: &Path, until: Instant) -> Result<Option<File>> {
    lock_for(path, until, Access::Private)
}

/// As [`lock`], with `access` to the file if it is created.
pub(crate) fn lock_for(path: &Path, until: Instant, access: Access) -> Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut pause = FIRST_PAUSE;
    loop {
        let Some((file, opened)) = files::open_for(path, &mut options, access)? else {
            return Ok(None);
        };
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(err)) => return Err(err).at(path),
                Err(TryLockError::WouldBlock) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(Error::Locked { path: path.into() });
                    }
                    thread::sleep(pause.min(left));
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
            }
        }
        // The previous holder may have deleted it with its session. Then this file locks nothing,
        // and others lock the one that replaced it.
        match fs::symlink_metadata(path) {
            Ok(now) if now.ino() == opened.ino() && now.dev() == opened.dev() => {
                return Ok(Some(file));
            }
            _ if Instant::now() >= until => return Err(Error::Locked { path: path.into() }),
            _ => thread::sleep(FIRST_PAUSE),
        }
    }
}
