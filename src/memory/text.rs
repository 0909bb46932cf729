//! A text file that several write to: locked, appended to, or replaced as a
//! whole, and synced.
//!
//! Writers lock the file itself. Where it is replaced, whoever waited for the
//! old one's lock sees that and opens anew.

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

/// The file, ours alone until this is dropped.
#[derive(Debug)]
pub(super) struct Held<'a> {
    of: &'a TextFile,
    file: File,
    pub(super) bytes: Vec<u8>,
}

impl TextFile {
    /// None if it is not there. Waits for nobody.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>> {
        Ok(files::read_whole(&self.path)?)
    }

    pub(super) fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok()
    }

    /// Made, with its folder, if it is not there.
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

    /// Whether it could be read, and there is a folder to make it in.
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
    /// Answers when `text` is on the disk; on an error nothing of it is left.
    pub(super) fn append(mut self, text: &str) -> Result<()> {
        let length = self.bytes.len() as u64;
        let written = self
            .file
            .seek(SeekFrom::Start(length))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.sync_data());
        if written.is_err() {
            // Half an entry would be read as a broken one.
            let _ = self.file.set_len(length);
        }
        written.at(&self.of.path)?;
        if length == 0 {
            // A new file is there only when its folder says so.
            self.of.sync_dir()?;
        }
        Ok(())
    }

    /// Puts `bytes` in its place: a reader sees the old file or the new one.
    pub(super) fn replace(self, bytes: &[u8]) -> Result<()> {
        files::rewrite(&self.of.path, bytes, true)?;
        self.of.sync_dir()
    }
}
