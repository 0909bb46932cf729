//! A text file that several processes write to. It is locked, appended to or replaced as a whole,
//! and synced.
//!
//! Writers lock the file itself. If it is replaced, a writer that waited for the lock of the old
//! file notices and opens the new one.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::Result;
use crate::world::files::{self, Access, At as _};

#[derive(Debug, Clone)]
pub(super) struct TextFile {
    pub(super) path: PathBuf,
    pub(super) access: Access,
    /// How long a writer waits for another.
    pub(super) patience: Duration,
}

/// The file, locked until this is dropped.
#[derive(Debug)]
pub(super) struct Held<'a> {
    of: &'a TextFile,
    file: File,
    pub(super) bytes: Vec<u8>,
}

impl TextFile {
    /// Reads the file without waiting for a lock. `None` if it does not exist.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>> {
        Ok(files::read_whole(&self.path)?)
    }

    pub(super) fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok()
    }

    /// Locks the file, and creates it and its folder if needed.
    pub(super) fn hold(&self) -> Result<Held<'_>> {
        let until = Instant::now() + self.patience;
        let mut file = files::lock_for(&self.path, until, self.access)?;
        if file.is_none() {
            if let Some(dir) = self.path.parent() {
                let made = match self.access {
                    Access::Private => files::make_private_folder(dir),
                    Access::Shared => fs::create_dir_all(dir),
                };
                made.at(dir)?;
            }
            file = files::lock_for(&self.path, until, self.access)?;
        }
        let not_found = || io::Error::from(io::ErrorKind::NotFound);
        let file = file.ok_or_else(not_found).at(&self.path)?;
        let mut bytes = Vec::new();
        (&file).read_to_end(&mut bytes).at(&self.path)?;
        Ok(Held { of: self, file, bytes })
    }

    /// Checks that the file can be read or, if it does not exist, that its nearest existing parent
    /// is a folder.
    pub(super) fn ping(&self) -> Result<()> {
        if self.read()?.is_some() {
            return Ok(());
        }
        let mut dirs = self.path.ancestors().skip(1);
        let dir = dirs.find(|dir| dir.symlink_metadata().is_ok()).unwrap_or(Path::new("/"));
        if fs::metadata(dir).at(dir)?.is_dir() {
            return Ok(());
        }
        Err(io::Error::from(io::ErrorKind::NotADirectory)).at(dir)?
    }

    fn sync_dir(&self) -> Result<()> {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        Ok(File::open(dir).and_then(|file| file.sync_all()).at(dir)?)
    }
}

impl Held<'_> {
    /// Appends `text`, and returns once it is on the disk. After an error the file contains none of
    /// it.
    pub(super) fn append(mut self, text: &str) -> Result<()> {
        let length = self.bytes.len() as u64;
        let written = self
            .file
            .seek(SeekFrom::Start(length))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.sync_data());
        if written.is_err() {
            // Half an entry would be reported as broken.
            let _ = self.file.set_len(length);
        }
        written.at(&self.of.path)?;
        if length == 0 {
            // A new file is only durable once its folder is synced.
            self.of.sync_dir()?;
        }
        Ok(())
    }

    /// Replaces the content atomically: a reader sees the old file or the new one.
    pub(super) fn replace(self, bytes: &[u8]) -> Result<()> {
        files::rewrite(&self.of.path, bytes, true)?;
        self.of.sync_dir()
    }
}
