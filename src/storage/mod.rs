//! Keeps sessions and their traces between one hook and the next. Users of [`MessageStore`] do not
//! depend on how they are stored.

pub mod approvals;
mod file;
mod in_memory;
pub mod json_lines;
mod trace;
mod update;

use std::{
    hash::{DefaultHasher, Hasher as _},
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use chrono::{DateTime, Utc};

use crate::{
    core::{
        policy::{Backend, Policy},
        session::{Session, SessionId, VERSION},
        trace::TraceEvent,
    },
    world::files,
};

pub use self::{
    file::FileStore,
    in_memory::MemoryStore,
    update::{update, update_from},
};
pub use crate::world::files::Error as FileError;

/// A place that keeps sessions.
///
/// Stores differ in where they keep a session, but they all pass the tests in `storage::contract`.
///
/// Writing may have to wait for another process. The caller passes `until` when, for example the
/// deadline of a hook. One attempt is made even after that time. Reading never waits.
pub trait MessageStore {
    /// Loads a session. A document of a newer roz is returned too, if it can be parsed.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if it cannot be parsed. It has then been moved away and counts as absent
    /// from now on; its trace stays where it is. For a document of a newer roz it is
    /// [`Error::NewerVersion`], and nothing is moved.
    fn get_session(&self, id: &SessionId) -> Result<Option<Stored>>;

    /// As [`Self::get_session`], but read-only: a document that cannot be parsed stays where it is,
    /// so that the session's own hook moves it away and tells the user.
    ///
    /// # Errors
    ///
    /// [`Error::Unreadable`] if it cannot be parsed.
    fn look_at(&self, id: &SessionId) -> Result<Option<Stored>>;

    /// Saves `session`, and before it the events that wait in its trace, provided that the stored
    /// session still has this `revision`.
    ///
    /// The store's own counters are taken from `session.trace`, so `session` has to be a changed
    /// version of what was read at `revision`. Events that a killed process left in the trace keep
    /// their numbers; those of `session` are numbered after them.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if another process saved meanwhile; [`Error::NewerVersion`] if the
    /// document was written by a newer roz. Neither changes anything.
    fn put_session(&self, session: &Session, revision: &Revision, until: Instant) -> Result<()>;

    /// The most recently active sessions, newest first, each as [`Self::look_at`] returns it, so
    /// that one that cannot be read does not hide the others. Only these are parsed.
    fn list_sessions(&self, limit: usize) -> Result<Vec<Result<Session>>> {
        let newest = self.activity()?.into_iter().take(limit);
        let read = |activity: Activity| {
            Some(self.look_at(&activity.id).transpose()?.map(|stored| stored.session))
        };
        Ok(newest.filter_map(read).collect())
    }

    /// Every session, newest activity first; none is parsed.
    fn activity(&self) -> Result<Vec<Activity>>;

    /// Deletes a session and its trace, if it still has the revision `only_at`; without `only_at`,
    /// in any case. Deleting a session that does not exist succeeds.
    fn delete_session(
        &self,
        id: &SessionId,
        only_at: Option<&Revision>,
        until: Instant,
    ) -> Result<()>;

    /// Appends to the trace of a session. The store assigns the numbers and ignores those in
    /// `events`.
    ///
    /// This changes the session's revision, so that a save in progress numbers its events again.
    ///
    /// # Errors
    ///
    /// [`Error::Absent`] if there is no such session.
    fn append_trace(&self, id: &SessionId, events: &[TraceEvent], until: Instant) -> Result<()>;

    /// The trace, oldest first: the first ten events and the newest, at most `trace.max_events`
    /// together, with a `trace_compacted` in between if any are left out. The limit applies even if
    /// the store has not compacted its file yet.
    fn read_trace(&self, id: &SessionId) -> Result<Vec<TraceEvent>>;

    /// Files that no session needs.
    fn leftovers(&self) -> Result<Vec<Leftover>>;

    /// Removes a leftover. Returns whether it still was one.
    fn sweep(&self, leftover: &Leftover, until: Instant) -> Result<bool>;
}

/// Opens the store that the configuration asks for, in `home` if the configuration names no path.
/// Does not touch the disk yet.
pub fn open(policy: &Policy, home: &Path) -> Result<Box<dyn MessageStore>> {
    let home = policy.storage.path.as_deref().unwrap_or(home);
    match policy.storage.backend {
        Backend::File => {
            Ok(Box::new(FileStore::new(home.join("sessions"), policy.trace.max_events)))
        }
    }
}

#[derive(Debug)]
pub struct Stored {
    pub session: Session,
    pub revision: Revision,
}

/// Tells one saved state of a session from another: a hash in a file store, a counter in memory, an
/// `ETag` in a remote one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision(Option<String>);

/// When something last happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    pub id: SessionId,
    pub at: DateTime<Utc>,
}

/// A file in the folder of the sessions that belongs to no session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    pub id: SessionId,
    pub kind: LeftoverKind,
    /// When it was last written.
    pub at: DateTime<Utc>,
    /// What the user calls it.
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftoverKind {
    /// From a save that was killed or is still running.
    Temporary,
    /// Of a session that does not exist.
    Lock,
    /// Of a session that does not exist.
    Trace,
    /// A document that could not be parsed, kept for the user.
    Corrupt,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the session was saved by somebody else meanwhile")]
    Conflict,
    #[error("there is no session `{id}`")]
    Absent { id: SessionId },
    #[error(transparent)]
    File(#[from] files::Error),
    #[error("failed to parse `{}`. It is kept as `{}`", path.display(), kept_as.display())]
    Corrupt { path: PathBuf, kept_as: PathBuf, source: io::Error },
    #[error("failed to parse `{}`. The session's next hook moves it away", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(
        "`{}` is version {version}, written by a newer roz. Update this one to write it",
        path.display()
    )]
    NewerVersion { path: PathBuf, version: u32 },
}

impl Revision {
    /// The revision of a session that does not exist yet.
    pub const ABSENT: Self = Self(None);

    fn of(bytes: Option<&[u8]>) -> Self {
        let hash = |bytes: &[u8]| {
            let mut hasher = DefaultHasher::new();
            hasher.write(bytes);
            format!("{:x}-{:x}", bytes.len(), hasher.finish())
        };
        Self(bytes.map(hash))
    }
}

/// Fails for a document of a newer roz, which this version must not write.
fn check_version(session: &Session, path: &Path) -> Result<()> {
    if session.version > VERSION {
        return Err(Error::NewerVersion { path: path.into(), version: session.version });
    }
    Ok(())
}

/// The session without the events that are waiting to be saved, and those events.
fn without_fresh(session: &Session) -> (Session, Vec<TraceEvent>) {
    let events: Vec<_> = session.trace.fresh().cloned().collect();
    let mut session = session.clone();
    let counted = std::mem::take(&mut session.trace);
    session.trace.seq = counted.seq.saturating_sub(events.len() as u64);
    session.trace.events = counted.events;
    session.trace.bytes = counted.bytes;
    session.trace.dropped = counted.dropped;
    session.trace.would_refuse = counted.would_refuse;
    (session, events)
}

/// Sets `updated_at` so that no event is newer than the session.
fn touch(session: &mut Session, events: &[TraceEvent]) {
    let newest = events.iter().map(|event| event.timestamp).max();
    session.updated_at = newest.map_or(session.updated_at, |newest| newest.max(session.updated_at));
}

#[cfg(test)]
mod contract;
#[cfg(test)]
mod tests;
