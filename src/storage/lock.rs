//! One writer a session. The lock is a file of its own that is never renamed:
//! locking the document, which every save replaces, loses updates.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    os::unix::fs::MetadataExt as _,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use crate::storage::{At as _, Error, Result, regular};

const FIRST_PAUSE: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// Held until the file is dropped, or its process is gone. None if there is no
/// directory to lock in.
///
/// The lock is polled: a blocking one knows no deadline, but by a thread or a
/// signal.
pub fn lock(path: &Path, until: Instant) -> Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut pause = FIRST_PAUSE;
    loop {
        let Some((file, opened)) = regular::open(path, &mut options)? else {
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
        // Whoever held it may have deleted it with its session: then this is
        // the lock of nothing, and others lock the file that came after it.
        match fs::symlink_metadata(path) {
            Ok(now) if now.ino() == opened.ino() && now.dev() == opened.dev() => {
                return Ok(Some(file));
            }
            _ if Instant::now() >= until => return Err(Error::Locked { path: path.into() }),
            _ => thread::sleep(FIRST_PAUSE),
        }
    }
}
