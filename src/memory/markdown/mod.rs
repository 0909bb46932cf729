//! Learnings in a file that people can read, edit and merge.
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
//! Every line ends with the mark of its entry, so no two entries have a line in common, and an
//! entry contains no blank lines. That makes a merge with `merge=union` (see [`ATTRIBUTES`]) safe:
//! git splits two appended pieces at their common lines, and would mix entries with equal lines.
//! Even then the marks would tell which line belongs to which entry.
//!
//! - Texts may contain anything: each of their lines begins with `> ` or a label and ends with the
//!   mark, and line breaks and invisible characters are written as `&#13;`.
//! - The last line of an entry distinguishes a whole entry from one that was cut short.
//! - An entry written by hand needs no marks, and only a heading, `Category` and some `> ` lines.
//! - Files of the public peer are read: see [`peer`].

mod foreign_format;
pub(super) mod format;
pub(super) mod parse;

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use self::parse::Style;
use super::{Error, MemoryBackend, Reading, Result, is_id, text_file::TextFile};
use crate::{
    core::reflection::learning::{Learning, Status},
    world::files::{self, Access},
};

/// A file without learnings: its existence switches the gate on.
pub const EMPTY_FILE: &str = format::HEAD;

/// The content of the `.gitattributes` next to the file, so that git can merge two branches that
/// both added learnings.
pub const ATTRIBUTES: &str = "learnings.md merge=union\n";

/// A `learnings.md`.
#[derive(Debug)]
pub struct Markdown {
    name: &'static str,
    file: TextFile,
    is_ours: bool,
}

impl Markdown {
    /// The file of a project, readable for everyone who may read the project.
    pub fn of_project(path: PathBuf, patience: Duration) -> Self {
        let file = TextFile { path, access: Access::Shared, patience };
        Self { name: "markdown", file, is_ours: true }
    }

    /// The file of the user.
    pub fn personal(path: PathBuf, patience: Duration) -> Self {
        let file = TextFile { path, access: Access::Private, patience };
        Self { name: "personal", file, is_ours: true }
    }

    /// The user's file of the peer, which is only read.
    pub fn of_peer(path: PathBuf) -> Self {
        let file = TextFile { path, access: Access::Private, patience: Duration::ZERO };
        Self { name: "grove-personal", file, is_ours: false }
    }

    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Whether it is in the project and so differs between branches.
    fn is_of_project(&self) -> bool {
        self.file.access == Access::Shared
    }

    fn check_ours(&self) -> Result<()> {
        if self.is_ours {
            return Ok(());
        }
        Err(Error::ReadOnly { path: self.file.path.clone() })
    }
}

impl MemoryBackend for Markdown {
    fn name(&self) -> &'static str {
        self.name
    }

    fn write(&self, learning: &Learning) -> Result<()> {
        self.check_ours()?;
        if !is_id(&learning.id) {
            return Err(Error::BadId { id: learning.id.clone() });
        }
        let held = self.file.hold()?;
        if parse::ids(&held.bytes, Style::File).any(|id| id == learning.id) {
            return Err(Error::Exists { id: learning.id.clone() });
        }
        let mut text = String::new();
        if held.bytes.is_empty() {
            text.push_str(format::HEAD);
            if let Some(folder) = self.path().parent().filter(|_| self.is_of_project()) {
                tell_git(folder);
            }
        } else if !held.bytes.ends_with(b"\n") {
            text.push('\n');
        }
        text.push('\n');
        format::entry(learning, "## ", &mut text);
        held.append(&text)
    }

    fn all(&self) -> Result<Reading> {
        let Some(bytes) = self.file.read()? else { return Ok(Reading::default()) };
        let mut reading = Reading::default();
        parse::parse(&bytes, Style::File).read_into(&mut reading, &self.file.path);
        reading.sort();
        Ok(reading)
    }

    fn mark(&self, id: &str, status: Status) -> Result<()> {
        let no_such = || Error::NoSuch { id: id.to_owned() };
        if !self.file.is_there() {
            return Err(no_such());
        }
        if !self.is_ours {
            let is_there = self.all()?.learnings.iter().any(|learning| learning.id == id);
            self.check_ours().map_err(|err| if is_there { err } else { no_such() })?;
        }
        let held = self.file.hold()?;
        let parsed = parse::parse(&held.bytes, Style::File);
        let entry = parsed.entries.iter().find(|entry| entry.id == id);
        let (entry, learning) = entry
            .and_then(|entry| Some((entry, entry.learning.as_ref().ok()?)))
            .ok_or_else(no_such)?;
        if learning.status == status {
            return Ok(());
        }
        let changed = entry.with_status(&held.bytes, status);
        held.replace(&changed)
    }

    fn ping(&self) -> Result<()> {
        self.file.ping()
    }
}

/// Writes the `.gitattributes` when a file is created in a project's `folder`. The gate may be on
/// because of a ticket system's marker, without a `roz init` that would have written it. Attributes
/// of the user for this folder, in it or above it, are not overridden.
fn tell_git(folder: &Path) {
    const NAME: &str = ".gitattributes";
    let is_told_above = || {
        let (project, own) = (folder.parent()?, folder.file_name()?.to_string_lossy());
        let (text, _) = files::read(&project.join(NAME)).ok()??;
        let text = String::from_utf8_lossy(&text).into_owned();
        let paths = text.lines().map(|line| line.trim_start().trim_start_matches('/'));
        let mut below = paths.filter_map(|path| path.strip_prefix(&*own));
        Some(below.any(|rest| rest.starts_with('/')))
    };
    if is_told_above() == Some(true) {
        return;
    }
    let path = folder.join(NAME);
    let options = &mut OpenOptions::new();
    options.write(true).create_new(true);
    let Ok(Some((mut file, _))) = files::open_for(&path, options, Access::Shared) else { return };
    if file.write_all(ATTRIBUTES.as_bytes()).is_err() {
        // A partly written file would look like one of the user's.
        let _ = fs::remove_file(&path);
    }
}

#[cfg(test)]
mod tests;
