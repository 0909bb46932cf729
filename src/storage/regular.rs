//! Opens files that are files. What stands in the place of one (a link, a
//! FIFO, a directory, a device) is never followed, waited for or written to.

use std::{
    fs::{self, File, FileType, Metadata, OpenOptions},
    io::{ErrorKind, Read as _, Write as _},
    os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _},
    path::Path,
    time::SystemTime,
};

use rustix::fs::OFlags;

use crate::storage::{At as _, Error, Result};

/// The most that is read of a document. A session takes some kilobytes.
pub(super) const MAX_DOCUMENT: u64 = 64 << 20;

/// Opens `path`, private if it is created; none if it is not there.
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<(File, Metadata)>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match options.mode(0o600).custom_flags(flags.bits().cast_signed()).open(path) {
        Ok(file) => file,
        Err(err) if err.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            // The error's own words (`too many levels of symbolic links`, `no
            // such device or address`) say less than what stands there.
            if let Ok(meta) = fs::symlink_metadata(path) {
                check(path, meta.file_type())?;
            }
            return Err(Error::Io { path: path.into(), source });
        }
    };
    let meta = file.metadata().at(path)?;
    check(path, meta.file_type())?;
    Ok(Some((file, meta)))
}

/// A document whole; of one above [`MAX_DOCUMENT`] no more than shows that.
pub fn read(path: &Path) -> Result<Option<(Vec<u8>, Metadata)>> {
    let Some((file, meta)) = open(path, OpenOptions::new().read(true))? else {
        return Ok(None);
    };
    let expected = meta.len().min(MAX_DOCUMENT) + 1;
    // One byte more than expected, so that a single read finds the end.
    let mut bytes = vec![0; usize::try_from(expected).unwrap_or(usize::MAX)];
    let mut len = 0;
    loop {
        match (&file).read(&mut bytes[len..]) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(err) if err.kind() == ErrorKind::Interrupted => continue,
            Err(err) => return Err(err).at(path),
        }
        // A regular file is read short only at its end.
        if len < bytes.len() {
            break;
        }
        // It grew, or is larger than a document may be.
        if len > usize::try_from(MAX_DOCUMENT).unwrap_or(usize::MAX) {
            break;
        }
        bytes.resize(len * 2, 0);
    }
    bytes.truncate(len);
    Ok(Some((bytes, meta)))
}

/// How long the file is; 0 if it is not there.
pub(super) fn len(path: &Path) -> Result<u64> {
    match fs::symlink_metadata(path) {
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(0),
        meta => {
            let meta = meta.at(path)?;
            check(path, meta.file_type())?;
            Ok(meta.len())
        }
    }
}

/// What a file is replaced by.
pub(super) struct Replacement<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) modified: Option<SystemTime>,
    /// Whether the bytes are on the disk before they get their name.
    pub(super) durable: bool,
}

/// Puts a new file in the place of `path`: a reader sees the old one or the
/// new one. `tmp` is for the holder of the lock alone, so what lies there is
/// left over from a process that was killed.
pub(super) fn replace(path: &Path, tmp: &Path, new: &Replacement) -> Result<()> {
    let written = write_new(tmp, new).and_then(|()| fs::rename(tmp, path).at(path));
    if written.is_err() {
        // Perhaps the disk is full: at least do not add to it.
        let _ = fs::remove_file(tmp);
    }
    written
}

fn write_new(tmp: &Path, new: &Replacement) -> Result<()> {
    let mut file = create_new(tmp)?;
    file.write_all(new.bytes).at(tmp)?;
    if let Some(modified) = new.modified {
        // For the order of a list; no reason to lose a save.
        let _ = file.set_modified(modified);
    }
    if new.durable {
        file.sync_data().at(tmp)?;
    }
    Ok(())
}

fn create_new(tmp: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    match options.open(tmp) {
        // Perhaps it is a link to somewhere else: it is removed, not followed.
        Err(err) if err.kind() == ErrorKind::AlreadyExists => {
            remove(tmp)?;
            options.open(tmp).at(tmp)
        }
        file => file.at(tmp),
    }
}

/// Removes the file, or whatever else stands there but a directory; answers
/// whether there was anything.
pub(super) fn remove(path: &Path) -> Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => {
            if let Ok(meta) = fs::symlink_metadata(path) {
                check(path, meta.file_type())?;
            }
            Err(Error::Io { path: path.into(), source })
        }
    }
}

fn check(path: &Path, kind: FileType) -> Result<()> {
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(Error::NotAFile { path: path.into(), what })
}
