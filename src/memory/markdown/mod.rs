//! Learnings as a file to be read, edited and merged by people.
//!
//! ```text
//! ## Run `make gen` after touching proto/*.proto ^cl_20261121_k3xq2a
//! - **Status:** active ^k3xq2a
//! - **Category:** process ^k3xq2a
//! …
//! > The generated files are committed, and nothing checks them. ^k3xq2a
//! - **Written:** 2026-11-21T10:00:00Z by roz 0.1.0 ^k3xq2a
//! ```
//!
//! Every line ends in the mark of its entry, so no two entries have a line in
//! common, and there is no blank line in one. That is what makes a merge by
//! `merge=union` (see [`ATTRIBUTES`]) safe: git parts two appended pieces at
//! the lines that they share, and would weave entries of alike lines into one
//! another. Were they woven, the marks would still tell whose each line is.
//!
//! - What a text may hold does not matter: a line of it begins with `> ` or a
//!   label and ends in the mark, and what would end the line, or not be seen,
//!   is spelt `&#13;`.
//! - The last line of an entry tells a whole one from one that was cut short.
//! - An entry written by hand needs no marks, and of the lines only its
//!   heading, `Category` and some `> ` lines.
//! - Files of the public peer are read: see [`peer`].
//!
//! Writers lock the file itself. A status is changed by a new file in its
//! place, and whoever waited for the old one's lock sees that and opens anew.

mod format;
mod parse;
mod peer;

use std::{
    fs::{self, DirBuilder, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{Error, MemoryBackend, Problem, Reading, Result, is_id};
use crate::{
    core::reflection::{
        learning::{Learning, Status},
        retrieval::{self, Filters, Found, Query},
    },
    world::files::{self, Access, At as _, Replacement},
};

/// What stands in the `.gitattributes` beside the file, so that two branches
/// that both learned something merge.
pub const ATTRIBUTES: &str = "learnings.md merge=union\n";

/// A `learnings.md`.
#[derive(Debug)]
pub struct Markdown {
    name: &'static str,
    path: PathBuf,
    access: Access,
    patience: Duration,
}

impl Markdown {
    /// That of a project: for whoever may read the project.
    pub fn of_project(path: PathBuf, patience: Duration) -> Self {
        Self { name: "markdown", path, access: Access::Shared, patience }
    }

    /// That of the user.
    pub fn personal(path: PathBuf, patience: Duration) -> Self {
        Self { name: "personal", path, access: Access::Private, patience }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, locked; made, with its folder, if it is not there.
    fn locked(&self) -> Result<File> {
        let until = Instant::now() + self.patience;
        if let Some(file) = files::lock_for(&self.path, until, self.access)? {
            return Ok(file);
        }
        if let Some(dir) = self.path.parent() {
            let mode = if self.access == Access::Private { 0o700 } else { 0o777 };
            DirBuilder::new().recursive(true).mode(mode).create(dir).at(dir)?;
        }
        let file = files::lock_for(&self.path, until, self.access)?;
        file.ok_or_else(|| Error::Io {
            path: self.path.clone(),
            source: io::ErrorKind::NotFound.into(),
        })
    }

    fn append(&self, file: &mut File, learning: &Learning, before: &[u8]) -> Result<()> {
        let mut text = String::new();
        if before.is_empty() {
            text.push_str(format::HEAD);
        } else if !before.ends_with(b"\n") {
            text.push('\n');
        }
        text.push('\n');
        format::entry(learning, &mut text);
        let length = before.len() as u64;
        let written = file
            .seek(SeekFrom::Start(length))
            .and_then(|_| file.write_all(text.as_bytes()))
            .and_then(|()| file.sync_data());
        if let Err(err) = written {
            // Half an entry would be read as a broken one.
            let _ = file.set_len(length);
            return Err(err).at(&self.path).map_err(Into::into);
        }
        if length == 0 {
            // A new file is there only when its folder says so.
            let dir = self.path.parent().unwrap_or(Path::new("."));
            File::open(dir).and_then(|it| it.sync_all()).at(dir)?;
        }
        Ok(())
    }
}

impl MemoryBackend for Markdown {
    fn name(&self) -> &'static str {
        self.name
    }

    fn write(&self, learning: &Learning) -> Result<()> {
        if !is_id(&learning.id) {
            return Err(Error::BadId { id: learning.id.clone() });
        }
        let mut file = self.locked()?;
        let mut before = Vec::new();
        file.read_to_end(&mut before).at(&self.path)?;
        if parse::ids(&before).any(|it| it == learning.id) {
            return Err(Error::Exists { id: learning.id.clone() });
        }
        self.append(&mut file, learning, &before)
    }

    fn all(&self) -> Result<Reading> {
        let Some(bytes) = files::read_whole(&self.path)? else { return Ok(Reading::default()) };
        let place = |line: usize| format!("{}:{line}", self.path.display());
        let mut reading = Reading::default();
        let parsed = parse::parse(&bytes);
        for (line, what) in parsed.problems {
            reading.problems.push(Problem { place: place(line), what });
        }
        for entry in parsed.entries {
            match entry.learning {
                Ok(learning) => reading.learnings.push(learning),
                Err(what) => {
                    let what = format!("`{}` cannot be read: {what}", entry.id);
                    reading.problems.push(Problem { place: place(entry.line), what });
                }
            }
        }
        reading.learnings.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(reading)
    }

    fn search(&self, query: &Query, filters: &Filters) -> Result<Vec<Found>> {
        Ok(retrieval::search(query, filters, &self.all()?.learnings))
    }

    fn mark(&self, id: &str, status: Status) -> Result<()> {
        let no_such = || Error::NoSuch { id: id.to_owned() };
        if !self.path.try_exists().unwrap_or(true) {
            return Err(no_such());
        }
        let mut file = self.locked()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).at(&self.path)?;
        let parsed = parse::parse(&bytes);
        let entry = parsed.entries.iter().find(|it| it.id == id && it.learning.is_ok());
        let entry = entry.ok_or_else(no_such)?;
        if entry.learning.as_ref().is_ok_and(|it| it.status == status) {
            return Ok(());
        }
        let changed = entry.with_status(&bytes, status);
        let mode = file.metadata().at(&self.path)?.mode();
        let new = Replacement {
            bytes: &changed,
            modified: None,
            durable: true,
            mode: Some(mode & 0o777),
        };
        let mut tmp = self.path.clone();
        tmp.set_file_name(".learnings.md.roz-tmp");
        files::replace(&self.path, &tmp, &new)?;
        let dir = self.path.parent().unwrap_or(Path::new("."));
        File::open(dir).and_then(|it| it.sync_all()).at(dir)?;
        Ok(())
    }

    fn ping(&self) -> Result<()> {
        if files::read_whole(&self.path)?.is_some() {
            return Ok(());
        }
        // It would be made: is there something to make it in?
        let mut dirs = self.path.ancestors().skip(1);
        let dir = dirs.find(|it| it.symlink_metadata().is_ok()).unwrap_or(Path::new("/"));
        match fs::metadata(dir).at(dir)?.is_dir() {
            true => Ok(()),
            false => {
                Err(Error::Io { path: dir.into(), source: io::ErrorKind::NotADirectory.into() })
            }
        }
    }
}

#[cfg(test)]
mod tests;
