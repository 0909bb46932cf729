//! Keeps learnings. Users of [`Library`] do not depend on the backends, and users of
//! [`MemoryBackend`] not on files.
//!
//! | scope | goes to |
//! |---|---|
//! | project, team | every backend in use; if one does not answer, the markdown file |
//! | personal | `<ROZ_HOME>/personal-learnings.md` |
//! | ephemeral | Total Recall's daily log, or the markdown file if it does not answer |
//!
//! Where Total Recall is not in use, an ephemeral learning is kept nowhere, and the user is told.

pub mod index;
mod library;
mod markdown;
mod mcp;
mod text_file;
mod total_recall;

use std::path::PathBuf;

pub use self::{
    library::{Answered, Kept, Library, Places, Shelf, Written},
    markdown::{ATTRIBUTES, EMPTY_FILE, Markdown},
    mcp::Mcp,
    total_recall::TotalRecall,
};
use crate::{
    core::reflection::{
        learning::{Learning, Status},
        retrieval::{self, Filters, Found, Query},
    },
    world::files,
};

/// A place that keeps learnings.
///
/// Backends differ in where they keep a learning, but they all pass the tests in
/// `memory::contract`.
pub trait MemoryBackend: Send + Sync {
    /// Its name in `roz learn backends` and in the configuration.
    fn name(&self) -> &'static str;

    /// Keeps a learning with all its fields and exactly its text. When it returns, the learning is
    /// on the disk.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] if there is a learning with this id.
    fn write(&self, learning: &Learning) -> Result<()>;

    /// Every learning that can be read, oldest first, and problems with the others.
    fn all(&self) -> Result<Reading>;

    /// As [`Self::all`], but without starting a program: may come from a cache.
    fn at_hand(&self) -> Result<Reading> {
        self.all()
    }

    /// The learnings that pass the filters and match the query, best first.
    fn search(&self, query: &Query, filters: &Filters) -> Result<Vec<Found>> {
        Ok(retrieval::search(query, filters, &self.all()?.learnings))
    }

    /// Changes the status of a learning, and nothing else.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuch`] if there is no readable learning with this id.
    fn mark(&self, id: &str, status: Status) -> Result<()>;

    /// Checks whether it answers.
    fn ping(&self) -> Result<()>;
}

/// The content of a backend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    pub learnings: Vec<Learning>,
    pub problems: Vec<Problem>,
}

impl Reading {
    /// Sorts oldest first.
    fn sort(&mut self) {
        self.learnings.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    }
}

/// Something in a backend that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A path with a line (`…/learnings.md:12`), or a backend's name.
    pub place: String,
    /// A clause, without its full stop.
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no learning `{id}`")]
    NoSuch { id: String },
    #[error("there is a learning `{id}` already")]
    Exists { id: String },
    #[error("`{id}` is superseded, and stays so")]
    Superseded { id: String },
    #[error("`{id}` is not a learning's id")]
    BadId { id: String },
    #[error("in `{}` roz changes only what it wrote itself", path.display())]
    ReadOnly { path: PathBuf },
    #[error(transparent)]
    File(#[from] files::Error),
    #[error("the memory server {what}")]
    Server { what: String },
}

/// Whether every backend can use the text as an id.
pub fn is_id(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(is_part)
}

#[cfg(test)]
mod contract;
#[cfg(test)]
mod tests;
