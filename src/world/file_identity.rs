//! Reads files that anybody may have put there: a FIFO must not hang a hook, and a huge file must
//! not fill its memory. And tells whether a file has changed.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use rustix::{
    buffer::spare_capacity,
    fs::{Mode, OFlags},
};
use serde::{Deserialize, Serialize};

/// The identity of a file as it was found. An equal `Seen` means the same text, except for a change
/// within a tick of the clock, which [`super::cached`] checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) path: PathBuf,
    pub(crate) stamp: Stamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stamp {
    Absent,
    /// There is something, but its metadata cannot be read.
    Hidden,
    File {
        dev: u64,
        ino: u64,
        size: u64,
        mtime: (i64, i64),
        ctime: (i64, i64),
    },
}

impl Stamp {
    pub(crate) fn of(meta: &fs::Metadata) -> Self {
        Self::File {
            dev: meta.dev(),
            ino: meta.ino(),
            size: meta.size(),
            mtime: (meta.mtime(), meta.mtime_nsec()),
            ctime: (meta.ctime(), meta.ctime_nsec()),
        }
    }
}

impl Seen {
    /// Follows links, because many users keep their files elsewhere.
    pub(crate) fn at(path: PathBuf) -> Self {
        let stamp = match fs::metadata(&path) {
            Ok(meta) => Stamp::of(&meta),
            Err(err) if is_absent(&err) => Stamp::Absent,
            Err(_) => Stamp::Hidden,
        };
        Self { path, stamp }
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.stamp == Stamp::Absent
    }

    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        match (&self.stamp, &other.stamp) {
            (Stamp::File { dev, ino, .. }, Stamp::File { dev: dev2, ino: ino2, .. }) => {
                (dev, ino) == (dev2, ino2)
            }
            _ => self.path == other.path,
        }
    }
}

/// The bytes of a regular file of at most `limit` bytes; `None` if there is no file. Anything else
/// in its place is an error.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let (file, size) = match open_regular(path) {
        Err(err) if is_absent(&err) => return Ok(None),
        other => other?,
    };
    let bytes = read_beyond(&file, size, limit)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("larger than {limit} bytes")));
    }
    Ok(Some(bytes))
}

/// The bytes of a file, at most one more than `limit`; `size` is what the system reports.
pub(super) fn read_beyond(file: &File, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    let expected = usize::try_from(size.min(limit)).unwrap_or(0);
    let mut bytes = Vec::new();
    // One byte more than expected, so that a single read finds the end.
    bytes.try_reserve_exact(expected + 1)?;
    rustix::io::retry_on_intr(|| rustix::io::read(file, spare_capacity(&mut bytes)))?;
    // It grew, or it is a kernel file, which the system reports as empty.
    if bytes.len() != expected {
        let rest = limit.saturating_add(1).saturating_sub(bytes.len() as u64);
        file.take(rest).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// A regular file and its length. A link is followed; a pipe or a device is not waited for.
pub(super) fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    let file = open(path, OFlags::empty())?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a plain file"));
    }
    Ok((file, meta.len()))
}

/// Opens for reading, without blocking.
pub(crate) fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::io::retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()));
    Ok(File::from(opened?))
}

pub(crate) fn is_absent(err: &io::Error) -> bool {
    matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
