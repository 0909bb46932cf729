//! The last record of each session, as it was written on this machine: a file
//! a session, in roz's home, where no checkout and no agent comes.
//!
//! It is written before the record is, with the record to come, and after: so
//! whoever comes after a writer that was killed can tell whether its record is
//! in the ledger. It is written in place, in one write that is always as long:
//! a reader sees the old one or the new one.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{self, ErrorKind},
    os::unix::fs::{DirBuilderExt as _, FileExt as _},
    path::{Path, PathBuf},
    time::Instant,
};

use serde::{Deserialize, Serialize};

use crate::{
    core::{
        bounded,
        intent::ledger::chain::{Anchor, Head},
        session::SessionId,
    },
    storage::{Error, Result},
    world::files,
};

const VERSION: u32 = 1;

/// Longer than any head.
const LENGTH: usize = 2048;

#[derive(Debug, Clone)]
pub(super) struct Heads {
    folder: PathBuf,
}

/// A session's, which nobody else has at the same time.
#[derive(Debug)]
pub(super) struct Held {
    file: File,
    path: PathBuf,
}

/// What is known of a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Known {
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last: Option<Head>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pending: Option<Pending>,
}

/// A record that is about to be written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) head: Head,
    /// Where in the ledger its line begins, in bytes, and how long it is
    /// without its end.
    pub(super) at: u64,
    pub(super) length: u64,
}

impl Heads {
    pub(super) fn new(project: &Path, roz_home: &Path) -> Self {
        let name = bounded::sha256(project.as_os_str().as_encoded_bytes());
        Self { folder: roz_home.join("ledger").join(&name[..32]) }
    }

    /// Waits for whoever has the session's until then at most.
    pub(super) fn hold(&self, session: &SessionId, until: Instant) -> Result<Held> {
        let path = self.folder.join(format!("{session}.json"));
        if let Some(file) = files::lock(&path, until)? {
            return Ok(Held { file, path });
        }
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        made.map_err(|source| Error::Io { path: self.folder.clone(), source })?;
        let file = files::lock(&path, until)?;
        let file = file.ok_or(ErrorKind::NotFound.into());
        let file = file.map_err(|source| Error::Io { path: path.clone(), source })?;
        Ok(Held { file, path })
    }

    /// All that are known here, and the files that say nothing any more.
    pub(super) fn all(&self) -> Result<(Vec<Anchor>, Vec<PathBuf>)> {
        let entries = match std::fs::read_dir(&self.folder) {
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(Default::default()),
            entries => entries.map_err(|source| Error::Io { path: self.folder.clone(), source })?,
        };
        let (mut known, mut damaged) = (Vec::new(), Vec::new());
        for entry in entries.flatten() {
            let path = entry.path();
            let file = match files::open(&path, OpenOptions::new().read(true)) {
                Ok(Some((file, _))) => file,
                Ok(None) => continue,
                Err(_) => {
                    damaged.push(path);
                    continue;
                }
            };
            match read(&file) {
                Ok(Some(found)) => known
                    .push(Anchor { last: found.last, pending: found.pending.map(|it| it.head) }),
                // Somebody was killed before it was first written.
                Ok(None) if file.metadata().is_ok_and(|it| it.len() == 0) => (),
                Ok(None) | Err(_) => damaged.push(path),
            }
        }
        Ok((known, damaged))
    }
}

impl Held {
    /// None if nothing is known, or nothing any more.
    pub(super) fn read(&self) -> Result<Option<Known>> {
        read(&self.file).map_err(|err| self.failed(err))
    }

    pub(super) fn write(&self, last: Option<&Head>, pending: Option<&Pending>) -> Result<()> {
        let (last, pending) = (last.cloned(), pending.cloned());
        let known = Known { version: VERSION, last, pending };
        let mut text = serde_json::to_vec(&known).map_err(|err| self.failed(err.into()))?;
        text.resize(text.len().max(LENGTH - 1), b' ');
        text.push(b'\n');
        self.file.write_all_at(&text, 0).map_err(|err| self.failed(err))
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io { path: self.path.clone(), source }
    }
}

fn read(file: &File) -> io::Result<Option<Known>> {
    let mut bytes = [0; LENGTH];
    let mut length = 0;
    while length < LENGTH {
        match file.read_at(&mut bytes[length..], length as u64) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(err) if err.kind() == ErrorKind::Interrupted => (),
            Err(err) => return Err(err),
        }
    }
    Ok(serde_json::from_slice(&bytes[..length]).ok())
}
