//! Records that could not be written when it was time: kept in roz's home, and
//! written at the next chance, by whatever session comes by. And whether a
//! record could be written, for whoever will not change anything without.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use rustix::fs::Access as May;

use super::{Ledger, NEAR, Record};
use crate::{
    core::session::SessionId,
    storage::{Error, Result},
    world::files::{self, Access, Replacement},
};

/// Of a session no more is kept, in bytes: then records are lost, and told to
/// be.
const MOST: u64 = 4 << 20;

impl Ledger {
    /// Whether a record of `session` could be written now. Nothing is written
    /// to the ledger for it: that the disk has room for one more line is all
    /// that can be told.
    ///
    /// # Errors
    ///
    /// What would keep it from being written.
    pub fn check(&self, session: &SessionId, until: Instant) -> Result<()> {
        drop(self.heads.hold(session, until)?);
        let folder = self.path.parent().unwrap_or(&self.project);
        let at = |path: &Path| {
            let path = path.to_owned();
            move |err: rustix::io::Errno| Error::Io { path, source: err.into() }
        };
        match files::open(&self.path, OpenOptions::new().read(true).append(true))? {
            Some(_) => drop(files::lock_for(&self.path, until, Access::Shared)?),
            None => rustix::fs::access(folder, May::WRITE_OK | May::EXEC_OK).map_err(at(folder))?,
        }
        let space = rustix::fs::statvfs(folder).map_err(at(folder))?;
        if space.f_blocks > 0 && space.f_bavail == 0 {
            return Err(self.failed(ErrorKind::StorageFull.into()));
        }
        Ok(())
    }

    /// Keeps a record that could not be written.
    ///
    /// # Errors
    ///
    /// Then it is lost.
    pub fn keep(&self, record: &Record, until: Instant) -> Result<()> {
        let folder = self.folder_of_kept();
        let path = folder.join(format!("{}.jsonl", record.session_id));
        let failed = |source: io::Error| Error::Io { path: path.clone(), source };
        // An id that is none names no file.
        record
            .session_id
            .parse::<SessionId>()
            .map_err(|err| failed(io::Error::new(ErrorKind::InvalidInput, err)))?;
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        let Some(mut file) = files::lock(&path, until)? else {
            return Err(failed(ErrorKind::NotFound.into()));
        };
        let length = file.metadata().map_err(failed)?.len();
        let mut line = serde_json::to_vec(record).map_err(|err| failed(err.into()))?;
        line.push(b'\n');
        if length + line.len() as u64 > MOST {
            return Err(failed(ErrorKind::FileTooLarge.into()));
        }
        io::Seek::seek(&mut file, io::SeekFrom::End(0)).map_err(failed)?;
        file.write_all(&line).map_err(failed)
    }

    /// Writes what was kept; answers how many records that were.
    ///
    /// # Errors
    ///
    /// Then the rest is still kept.
    pub fn write_kept(&self, until: Instant) -> Result<usize> {
        let Ok(entries) = fs::read_dir(self.folder_of_kept()) else { return Ok(0) };
        let mut written = 0;
        for entry in entries.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|it| it == "jsonl") {
                written += self.write_kept_of(&path, until)?;
            }
        }
        Ok(written)
    }

    fn write_kept_of(&self, path: &Path, until: Instant) -> Result<usize> {
        let Some(_lock) = files::lock(path, until)? else { return Ok(0) };
        let Some((bytes, _)) = files::read(path)? else { return Ok(0) };
        // Whoever was killed between the writing and the removing left both.
        let known = self.newest(NEAR)?;
        let mut rest = bytes.as_slice();
        let mut written = 0;
        let mut failed = Ok(());
        while !rest.is_empty() {
            let end = rest.iter().position(|it| *it == b'\n').map_or(rest.len(), |at| at + 1);
            // A line that was not written to its end is no record.
            if let Some(record) = Record::read(&rest[..end])
                && !known.iter().any(|it| it.id == record.id)
            {
                if let Err(err) = self.append(record, until) {
                    failed = Err(err);
                    break;
                }
                written += 1;
            }
            rest = &rest[end..];
        }
        if rest.is_empty() {
            files::remove(path)?;
        } else if written > 0 {
            let tmp = path.with_extension("tmp");
            let rest = Replacement { bytes: rest, modified: None, durable: false, mode: None };
            files::replace(path, &tmp, &rest)?;
        }
        failed.map(|()| written)
    }

    fn folder_of_kept(&self) -> PathBuf {
        self.heads.folder().with_extension("kept")
    }
}
