//! `stats.log`: what became of a project's learnings, a line an event, in roz's home. In the
//! project's folder, where an older roz had it, every shown learning would change a tracked file;
//! a log that is there is taken over once, and left as it is.
//!
//! Lines are only ever added, whole, in one write at the file's end, so that
//! processes side by side lose nothing, with or without the lock. The lock is for what
//! stands at the end: after a line that was cut off a new one begins.
//!
//! Reading costs what is new. What the rest adds up to is kept in
//! `<ROZ_HOME>/cache/`, with what it was made of: another file, another
//! beginning or another end before the new lines, and it is made anew.

use std::{
    fs::{DirBuilder, File, Metadata, OpenOptions},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    time::Instant,
};

use serde::{Deserialize, Serialize};

use crate::{
    core::{
        bounded,
        reflection::usage::{Entry, View},
    },
    storage::{Error, Result, journal},
    world::{
        cached,
        files::{self, Access},
        log::{self, Log},
    },
};

pub const NAME: &str = "stats.log";

/// A longer line is no entry, and is not held in memory.
const LONGEST_LINE: usize = 1 << 20;

/// What is read faster than a cache would be written.
const WORTH_KEEPING: u64 = 64 << 10;

/// Of the beginning and of the end of what was read, as proof that it is still
/// what was read.
const PROOF: u64 = 4 << 10;

#[derive(Debug, Clone)]
pub struct UsageLog {
    path: PathBuf,
    cache: PathBuf,
    /// Where an older roz had it.
    older: PathBuf,
}

impl UsageLog {
    /// `folder` is where roz keeps what it knows of the project, `older` where the project keeps
    /// what is roz's.
    pub fn new(folder: &Path, older: &Path, roz_home: &Path) -> Self {
        let path = folder.join(NAME);
        let older = older.join(NAME);
        let name = bounded::sha256(path.as_os_str().as_encoded_bytes());
        let cache = roz_home.join(format!("cache/stats-{}.json", &name[..32]));
        Self { path, cache, older }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds `entries`. Waits for other writers until then at most.
    ///
    /// # Errors
    ///
    /// If something else than a file is in the log's place, or it cannot be
    /// written. Then none of `entries` is in it.
    pub fn append(&self, entries: &[Entry], until: Instant) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let lines = journal::lines(entries).map_err(|err| self.failed(err.into()))?;
        if let Some(folder) = self.path.parent().filter(|folder| !folder.is_dir()) {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|source| Error::Io { path: folder.into(), source })?;
        }
        // Some file systems have no locks.
        let _lock = files::lock_for(&self.path, until, Access::Private).ok().flatten();
        let log = Log::open(&self.path)?.ok_or_else(|| self.failed(ErrorKind::NotFound.into()))?;
        if log.len()? == 0
            && let Ok(Some(older)) = files::read_whole(&self.older)
        {
            log.add(&older)?;
        }
        Ok(log.add(&lines)?)
    }

    /// What the log adds up to; of a log that is not there, nothing.
    ///
    /// # Errors
    ///
    /// If something else than a file is in its place, or it cannot be read.
    pub fn read(&self) -> Result<View> {
        self.read_after(Self::kept)
    }

    /// The same, from the first line on.
    pub fn rebuild(&self) -> Result<View> {
        self.read_after(|_, _, _| None)
    }

    fn read_after(
        &self,
        kept: impl FnOnce(&Self, &File, &Metadata) -> Option<(View, u64)>,
    ) -> Result<View> {
        let mut options = OpenOptions::new();
        let own = files::open(&self.path, options.read(true))?.filter(|(_, meta)| meta.len() > 0);
        let found = match own {
            None => files::open(&self.older, &mut options)?,
            own => own,
        };
        let Some((file, meta)) = found else { return Ok(View::default()) };
        let (mut view, from) = kept(self, &file, &meta).unwrap_or_default();
        let read = log::each_line(&file, from, LONGEST_LINE, |line| view.add_line(line))
            .map_err(|err| self.failed(err))?;
        if read.end - from >= WORTH_KEEPING {
            // It is a view: without it the next one reads a little longer.
            let _ = self.keep(&file, &meta, &view, read.end);
        }
        view.add_line(&read.rest);
        Ok(view)
    }

    /// The view of a part of this very log, and how long that part is.
    fn kept(&self, file: &File, meta: &Metadata) -> Option<(View, u64)> {
        let (bytes, _) = files::read(&self.cache).ok()??;
        let end_of_head = bytes.iter().position(|it| *it == b'\n')?;
        let head: Head = serde_json::from_slice(&bytes[..end_of_head]).ok()?;
        let body = &bytes[end_of_head + 1..];
        let is_ours = head.made_by == MADE_BY && head.path == self.path;
        let is_whole = head.view == bounded::sha256(body);
        let is_of_file = (head.dev, head.ino) == (meta.dev(), meta.ino())
            && head.bytes <= meta.len()
            // Whoever writes in place makes it no longer.
            && (head.bytes < meta.len() || head.mtime == mtime(meta))
            && head.proof == proof(file, head.bytes)?;
        if !(is_ours && is_whole && is_of_file) {
            return None;
        }
        Some((serde_json::from_slice(body).ok()?, head.bytes))
    }

    fn keep(&self, file: &File, meta: &Metadata, view: &View, bytes: u64) -> io::Result<()> {
        let body = serde_json::to_vec(view)?;
        let head = Head {
            made_by: MADE_BY,
            path: self.path.clone(),
            dev: meta.dev(),
            ino: meta.ino(),
            mtime: mtime(meta),
            bytes,
            proof: proof(file, bytes).ok_or(ErrorKind::UnexpectedEof)?,
            view: bounded::sha256(&body),
        };
        let folder = self.cache.parent().unwrap_or(Path::new("."));
        if !folder.is_dir() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut new = tempfile::Builder::new().prefix(".stats-").tempfile_in(folder)?;
        let mut text = serde_json::to_vec(&head)?;
        text.push(b'\n');
        new.write_all(&text)?;
        new.write_all(&body)?;
        new.persist(&self.cache)?;
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io { path: self.path.clone(), source }
    }
}

/// The first line of a kept view: what it was made of. The view follows.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    made_by: u64,
    path: PathBuf,
    dev: u64,
    ino: u64,
    mtime: (i64, i64),
    /// How much of the log is in the view.
    bytes: u64,
    /// The hash of that part's beginning and end.
    proof: String,
    /// The hash of the view's text.
    view: String,
}

/// Changes whenever the code that makes views does.
const MADE_BY: u64 = cached::made_by(&[
    include_bytes!("usage_log.rs"),
    include_bytes!("core/reflection/usage/mod.rs"),
    include_bytes!("core/reflection/usage/view.rs"),
])
.1;

fn proof(file: &File, bytes: u64) -> Option<String> {
    let length = bytes.min(PROOF);
    let mut found = vec![0; 2 * usize::try_from(length).ok()?];
    let (first, last) = found.split_at_mut(usize::try_from(length).ok()?);
    file.read_exact_at(first, 0).ok()?;
    file.read_exact_at(last, bytes - length).ok()?;
    Some(bounded::sha256(&found))
}

fn mtime(meta: &Metadata) -> (i64, i64) {
    (meta.mtime(), meta.mtime_nsec())
}

#[cfg(test)]
mod tests;
