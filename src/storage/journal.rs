//! Logs: a line of JSON an entry, appended and never changed.

use std::{
    fs::{File, OpenOptions},
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    storage::{At as _, Result},
    world::files,
};

/// A log that is open for appending.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    len: u64,
}

impl Journal {
    /// Opens the log, or begins it; none if its directory is not there.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let Some((file, meta)) = files::open(path, &mut options)? else {
            return Ok(None);
        };
        Ok(Some(Self { file, path: path.into(), len: meta.len() }))
    }

    /// In bytes, as far as we know of.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn read(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0)).at(&self.path)?;
        self.file.read_to_end(&mut bytes).at(&self.path)?;
        Ok(bytes)
    }

    /// Appends `lines` in one write, so that writers side by side do not
    /// interleave on a local disk.
    pub fn append(&mut self, lines: &[u8]) -> Result<()> {
        self.file.write_all(lines).at(&self.path)?;
        self.len += lines.len() as u64;
        Ok(())
    }

    /// Takes back what was appended beyond `len`. Only for whoever is alone
    /// with the log.
    pub fn cut_back(&self, len: u64) -> Result<()> {
        self.file.set_len(len).at(&self.path)
    }

    /// Answers when what was appended is on the disk.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_data().at(&self.path)
    }
}

/// The log's bytes; none if there is no log.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    Ok(files::read_whole(path)?)
}

/// The entries in `bytes`. A line that is none (of a process killed while it
/// wrote, of another program) hides no other.
pub fn entries<T: DeserializeOwned>(bytes: &[u8]) -> impl Iterator<Item = T> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// `entries` as lines.
pub fn lines<'a, T: Serialize + 'a>(
    entries: impl IntoIterator<Item = &'a T>,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut bytes, entry)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

/// Whether the last line lacks its end, so that what is appended as it stands
/// would become part of it.
pub fn is_torn(bytes: &[u8]) -> bool {
    bytes.last().is_some_and(|byte| *byte != b'\n')
}
