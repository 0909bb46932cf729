//! Opens files that are files. What stands in the place of one (a link, a FIFO, a directory, a
//! device) is never followed, waited for or written to.

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

/// The most that is read of a document. A session takes some kilobytes.
pub(crate) const MAX_DOCUMENT: u64 = 64 << 20;

/// For whom a file is that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// The user alone.
    Private,
    /// Whom the umask admits: a file that belongs to a project.
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

/// Opens `path`, private if it is created; none if it is not there.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<(File, Metadata)>> {
    open_for(path, options, Access::Private)
}

/// As [`open`], and `access` to it if it is created.
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
            // The error's own words (`too many levels of symbolic links`, `no such device or
            // address`) say less than what stands there.
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
pub(crate) fn read(path: &Path) -> Result<Option<(Vec<u8>, Metadata)>> {
    read_up_to(path, MAX_DOCUMENT)
}

/// A file to its end, however long it is; none if it is not there.
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

/// What a file is replaced by.
pub(crate) struct Replacement<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) modified: Option<SystemTime>,
    /// Whether the bytes are on the disk before they get their name.
    pub(crate) durable: bool,
    /// Who may do what with it; none: the user alone.
    pub(crate) mode: Option<u32>,
}

/// Puts new bytes in the place of a file of a project's, with the permissions that it has. For the
/// holder of the file's lock.
pub(crate) fn rewrite(path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
    let meta = fs::symlink_metadata(path).ok();
    let mode = meta.map_or(0o644, |meta| meta.permissions().mode() & 0o7777);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let tmp = path.with_file_name(format!(".{name}.roz-tmp"));
    replace(path, &tmp, &Replacement { bytes, modified: None, durable, mode: Some(mode) })
}

/// Makes a folder of roz's own, and those above it, for the user alone.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Puts a new file in the place of `path`: a reader sees the old one or the new one. `tmp` is for
/// the holder of the lock alone, so what is there is left over from a process that was killed.
pub(crate) fn replace(path: &Path, tmp: &Path, new: &Replacement) -> Result<()> {
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
    if let Some(mode) = new.mode {
        file.set_permissions(Permissions::from_mode(mode)).at(tmp)?;
    }
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

/// Removes the file, or whatever else stands there but a directory; answers whether there was
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
