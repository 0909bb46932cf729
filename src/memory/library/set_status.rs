//! Changes the status of a learning in every backend that has it.

use super::{Kept, Library, Shelf};
use crate::{
    core::reflection::learning::Status,
    memory::{Error, MemoryBackend, Result},
};

impl Library {
    /// # Errors
    ///
    /// [`Error::NoSuch`]; [`Error::Superseded`]; [`Error::ReadOnly`] if only backends that roz does
    /// not write have it.
    pub fn archive(&self, id: &str) -> Result<()> {
        self.mark(id, Status::Archived, |_| true)
    }

    /// As [`Self::archive`], but only in files, so that no program is started. A learning that a
    /// server has as well counts as archived all the same.
    pub fn archive_at_hand(&self, id: &str) -> Result<()> {
        self.mark(id, Status::Archived, |pair| !self.is_program(pair))
    }

    /// Makes an archived learning active again.
    pub fn restore(&self, id: &str) -> Result<()> {
        self.mark(id, Status::Active, |_| true)
    }

    /// Takes a learning out of use for good, because another one replaces it.
    ///
    /// # Errors
    ///
    /// As [`Self::archive`], but superseding it twice is not an error.
    pub fn supersede(&self, id: &str) -> Result<()> {
        self.mark(id, Status::Superseded, |_| true)
    }

    /// Sets the status in all backends that have it. Reaching one is enough, because the status
    /// furthest from active applies.
    fn mark(
        &self,
        id: &str,
        status: Status,
        is_wanted: impl Fn(&dyn MemoryBackend) -> bool,
    ) -> Result<()> {
        let find =
            |shelf: Shelf| shelf.learnings.into_iter().find(|learning| learning.learning.id == id);
        let now = find(self.at_hand()).or_else(|| find(self.all()));
        let is_superseded = |kept: &Kept| kept.learning.status == Status::Superseded;
        if now.as_ref().is_some_and(is_superseded) && status != Status::Superseded {
            return Err(Error::Superseded { id: id.to_owned() });
        }
        // The other side may use the same id for a different learning.
        let is_users = now.map(|now| self.is_users(now.backend));
        let is_wanted = |pair: &&dyn MemoryBackend| {
            is_wanted(*pair) && is_users.is_none_or(|users| users == self.is_users(pair.name()))
        };
        let mut is_marked = false;
        let mut failed = None;
        for backend in self.every().filter(is_wanted) {
            let marked = match backend.mark(id, status) {
                Err(Error::NoSuch { .. }) if self.is_users(backend.name()) => {
                    backend.mark(&called(backend, id), status)
                }
                marked => marked,
            };
            match marked {
                Ok(()) => is_marked = true,
                Err(Error::NoSuch { .. }) => (),
                Err(err) => {
                    failed.get_or_insert(err);
                }
            }
        }
        let Some(err) = failed else {
            return if is_marked { Ok(()) } else { Err(Error::NoSuch { id: id.to_owned() }) };
        };
        // A single backend that still has it archived overrules the others.
        let is_active =
            || find(self.all()).is_some_and(|kept| kept.learning.status == Status::Active);
        if is_marked && (status != Status::Active || is_active()) { Ok(()) } else { Err(err) }
    }
}

/// The id in `backend` of the learning that has this `id` in [`Library::all`].
fn called(backend: &dyn MemoryBackend, id: &str) -> String {
    let all = backend.at_hand().unwrap_or_default().learnings;
    let own = all.into_iter().find(|learning| learning.make_id(0) == id);
    own.map_or_else(|| id.to_owned(), |learning| learning.id)
}
