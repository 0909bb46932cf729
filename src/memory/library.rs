//! All the backends that a project has, as one.

use std::path::{Path, PathBuf};

use super::{Error, InMemory, MemoryBackend, Problem, Result};
use crate::core::{
    policy::BackendsPolicy,
    reflection::{
        learning::{Learning, Status},
        retrieval::{self, Filters, Found, Query},
    },
};

/// Where learnings may lie.
#[derive(Debug, Clone)]
pub struct Places {
    /// `<ROZ_HOME>`.
    pub roz_home: PathBuf,
    /// The user's home directory, where there is one.
    pub user_home: Option<PathBuf>,
    /// The project's root.
    pub project: PathBuf,
}

/// The learnings of a project and of its user.
pub struct Library {
    backends: Vec<Box<dyn MemoryBackend>>,
}

/// A learning, and where it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub learning: Learning,
    /// The backend's name.
    pub backend: &'static str,
}

/// Every learning that can be read, and what cannot be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shelf {
    pub learnings: Vec<Kept>,
    pub problems: Vec<Problem>,
}

/// What became of a learning that was to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// The names of the backends that have it; none for an ephemeral one where
    /// there is no daily log.
    pub kept_in: Vec<&'static str>,
    /// For the user, a sentence each.
    pub warnings: Vec<String>,
}

/// How a backend answered a ping.
#[derive(Debug)]
pub struct Answered {
    pub backend: &'static str,
    /// Where it keeps what it keeps.
    pub place: String,
    /// Why it is in use.
    pub why: &'static str,
    pub answer: Result<()>,
}

impl Library {
    /// Finds the backends; touches and starts nothing yet.
    pub fn open(_: &Places, _: &BackendsPolicy) -> Self {
        Self { backends: vec![Box::new(InMemory::default())] }
    }

    /// Every readable learning of every backend, each id once.
    pub fn all(&self) -> Shelf {
        self.read()
    }

    /// As [`Self::all`], without the backends that are programs to start: for
    /// hooks.
    pub fn at_hand(&self) -> Shelf {
        self.read()
    }

    fn read(&self) -> Shelf {
        let mut shelf = Shelf::default();
        for backend in &self.backends {
            let Ok(reading) = backend.all() else { continue };
            let kept = |learning| Kept { learning, backend: backend.name() };
            shelf.learnings.extend(reading.learnings.into_iter().map(kept));
        }
        shelf
    }

    /// The files on which [`Self::at_hand`] depends, whether or not they are
    /// there: what a cache is keyed by.
    pub fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Where a person finds the project's learnings as a file.
    pub fn markdown_file(&self) -> &Path {
        Path::new("")
    }

    /// Those that the filters admit and that fit the query, best first.
    pub fn search(&self, query: &Query, filters: &Filters) -> Vec<Found> {
        let learnings: Vec<_> = self.all().learnings.into_iter().map(|it| it.learning).collect();
        retrieval::search(query, filters, &learnings)
    }

    /// Keeps a learning where its scope belongs, and marks the one that it
    /// supersedes. A backend that does not answer is a warning, and the
    /// learning goes to the markdown file instead.
    ///
    /// # Errors
    ///
    /// If no place takes it.
    pub fn write(&self, learning: &Learning) -> Result<Written> {
        let mut written = Written::default();
        for backend in &self.backends {
            backend.write(learning)?;
            written.kept_in.push(backend.name());
        }
        Ok(written)
    }

    /// # Errors
    ///
    /// [`Error::NoSuch`]; [`Error::Superseded`]; [`Error::ReadOnly`] if it is
    /// kept only where roz does not write.
    pub fn archive(&self, id: &str) -> Result<()> {
        self.mark(id, Status::Archived)
    }

    /// Makes an archived learning active again.
    ///
    /// # Errors
    ///
    /// As [`Self::archive`].
    pub fn restore(&self, id: &str) -> Result<()> {
        self.mark(id, Status::Active)
    }

    /// Takes a learning out of use for good: another says it better.
    ///
    /// # Errors
    ///
    /// As [`Self::archive`], but what is superseded already may be again.
    pub fn supersede(&self, id: &str) -> Result<()> {
        self.mark(id, Status::Superseded)
    }

    fn mark(&self, id: &str, status: Status) -> Result<()> {
        for backend in &self.backends {
            backend.mark(id, status)?;
        }
        if self.backends.is_empty() {
            return Err(Error::NoSuch { id: id.to_owned() });
        }
        Ok(())
    }

    /// Asks every backend that is in use whether it would answer.
    pub fn ping_all(&self) -> Vec<Answered> {
        let ping = |it: &Box<dyn MemoryBackend>| Answered {
            backend: it.name(),
            place: String::new(),
            why: "",
            answer: it.ping(),
        };
        self.backends.iter().map(ping).collect()
    }
}
