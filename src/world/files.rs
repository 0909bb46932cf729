//! Opens regular files only. A link, FIFO, directory or device in the place of one is never
//! followed, waited for or written to.

use std::{
    fs::{self, DirBuilder, File, FileType, Metadata, OpenOptions, Permissions},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::{
        DirBuilderExt as _, FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _,
    },
    path::{Path, PathBuf},
    time::SystemTime,
};

use rustix::fs::OFlags;

use super::file_identity::{self, read_beyond};
pub(crate) use super::lock::{lock, lock_for};

/// The longest document that is read, in bytes. A session takes some kilobytes.
pub(crate) const MAX_DOCUMENT: u64 = 64 << 20;

/// Who may access a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Only the user.
    Private,
    /// Everyone whom the umask permits: for files that belong to a project.
    Shared,
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to lock `{}` in time. Another process holds it", path.display())]
    Locked { path: PathBuf },
    #[error("failed to access `{}`", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{}` is {what}, not a file. Remove it", path.display())]
    NotAFile { path: PathBuf, what: &'static str },
}

/// Opens `path`, private if it is created; `None` if it does not exist.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<(File, Metadata)>> {
    open_for(path, options, Access::Private)
}

/// As [`open`], with `access` to the file if it is created.
pub(crate) fn open_for(
    path: &Path,
    options: &mut OpenOptions,
    access: Access,
) -> Result<Option<(File, Metadata)>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let options = options.mode(access.mode()).custom_flags(flags.bits().cast_signed());
    opened(path, options.open(path))
}

fn opened(path: &Path, file: io::Result<File>) -> Result<Option<(File, Metadata)>> {
    let file = match file {
        Ok(file) => file,
        Err(err) if err.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            // The system's message (`too many levels of symbolic links`, `no such device or
            // address`) says less than the file type does.
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

/// A whole document. A longer one than [`MAX_DOCUMENT`] is cut just after that.
pub(crate) fn read(path: &Path) -> Result<Option<(Vec<u8>, Metadata)>> {
    read_up_to(path, MAX_DOCUMENT)
}

/// A whole file, however long; `None` if it does not exist.
pub(crate) fn read_whole(path: &Path) -> Result<Option<Vec<u8>>> {
    Ok(read_up_to(path, u64::MAX)?.map(|(bytes, _)| bytes))
}

fn read_up_to(path: &Path, limit: u64) -> Result<Option<(Vec<u8>, Metadata)>> {
    let Some((file, meta)) = opened(path, file_identity::open(path, OFlags::NOFOLLOW))? else {
        return Ok(None);
    };
    let bytes = read_beyond(&file, meta.len(), limit).at(path)?;
    Ok(Some((bytes, meta)))
}

/// The new content of a file.
pub(crate) struct Replacement<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) modified: Option<SystemTime>,
    /// Whether the bytes are synced to disk before the file gets its name.
    pub(crate) durable: bool,
    /// Its permissions; if `None`, only the user has access.
    pub(crate) mode: Option<u32>,
}

/// Replaces a file of the project and keeps its permissions. The caller holds the file's lock.
pub(crate) fn rewrite(path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
    let meta = fs::symlink_metadata(path).ok();
    let mode = meta.map_or(0o644, |meta| meta.permissions().mode() & 0o7777);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let tmp = path.with_file_name(format!(".{name}.roz-tmp"));
    replace(path, &tmp, &Replacement { bytes, modified: None, durable, mode: Some(mode) })
}

/// Creates a folder of roz's own and its parents, with access only for the user.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Replaces `path` atomically: a reader sees the old file or the new one. Only the holder of the
/// lock uses `tmp`, so a file there is left over from a process that was killed.
pub(crate) fn replace(path: &Path, tmp: &Path, new: &Replacement) -> Result<()> {
    let written = write_new(tmp, new).and_then(|()| fs::rename(tmp, path).at(path));
    if written.is_err() {
        // The disk may be full: leave nothing behind.
        let _ = fs::remove_file(tmp);
    }
    written
}

fn write_new(tmp: &Path, new: &Replacement) -> Result<()> {
    let mut file = create_new(tmp)?;
    file.write_all(new.bytes).at(tmp)?;
    if let Some(mode) = new.mode {
        file.set_permissions(Permissions::from_mode(mode)).at(tmp)?;
    }
    if let Some(modified) = new.modified {
        // The time only orders lists, so failing to set it does not fail the save.
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
        // It may be a link to somewhere else: remove it, do not follow it.
        Err(err) if err.kind() == ErrorKind::AlreadyExists => {
            remove(tmp)?;
            options.open(tmp).at(tmp)
        }
        file => file.at(tmp),
    }
}

/// Removes the file, or whatever else has that path except a directory. Returns whether there was
/// anything.
pub(crate) fn remove(path: &Path) -> Result<bool> {
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

impl Access {
    fn mode(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Shared => 0o666,
        }
    }
}

/// Says which path an I/O error is about.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T>;
}

impl<T, E: Into<io::Error>> At<T> for std::result::Result<T, E> {
    fn at(self, path: &Path) -> Result<T> {
        self.map_err(|err| Error::Io { path: path.into(), source: err.into() })
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
