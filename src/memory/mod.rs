//! Keeps learnings. Whoever codes against [`Library`] knows no backends, and
//! against [`MemoryBackend`] no files.
//!
//! | scope | goes to |
//! |---|---|
//! | project, team | every backend that is in use; where one does not answer, the markdown file |
//! | personal | `<ROZ_HOME>/personal-learnings.md` |
//! | ephemeral | Total Recall's daily log, if that is in use, and the markdown file where it does not answer; else nowhere, and it is said |

pub mod index;
mod library;
mod markdown;
mod mcp;
mod text;
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
/// Backends differ in where they keep one, never in what keeping means: each
/// of them passes `memory::contract`.
pub trait MemoryBackend: Send + Sync {
    /// As `roz learn backends` and the configuration call it.
    fn name(&self) -> &'static str;

    /// Keeps a learning with all its fields, any text byte for byte. When it
    /// answers, the learning is on the disk.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] if there is one with this id.
    fn write(&self, learning: &Learning) -> Result<()>;

    /// Every learning that can be read, oldest first, and what cannot be.
    fn all(&self) -> Result<Reading>;

    /// As [`Self::all`], and starts no program: what is known of it.
    fn at_hand(&self) -> Result<Reading> {
        self.all()
    }

    /// Those that the filters admit and that fit the query, best first.
    fn search(&self, query: &Query, filters: &Filters) -> Result<Vec<Found>> {
        Ok(retrieval::search(query, filters, &self.all()?.learnings))
    }

    /// Gives a learning another status, and changes nothing else.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuch`] if there is none with this id that can be read.
    fn mark(&self, id: &str, status: Status) -> Result<()>;

    /// Whether it would answer.
    fn ping(&self) -> Result<()>;
}

/// What a backend holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    pub learnings: Vec<Learning>,
    pub problems: Vec<Problem>,
}

impl Reading {
    /// Oldest first.
    fn sort(&mut self) {
        self.learnings.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    }
}

/// Something that is kept and cannot be read.
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

/// What every backend can keep as an id.
pub fn is_id(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(is_part)
}

#[cfg(test)]
mod contract;
#[cfg(test)]
mod tests;
