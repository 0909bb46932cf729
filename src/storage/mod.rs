//! Keeps sessions and their traces between one hook and the next. Nothing
//! outside knows how: whoever codes against [`MessageStore`] knows no files.

pub mod approvals;
mod file;
pub mod journal;
mod memory;
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
    memory::MemoryStore,
    update::{update, update_from},
};
pub use crate::world::files::Error as FileError;

/// A place that keeps sessions.
///
/// Stores differ in where they keep a session, never in what keeping means:
/// each of them passes `storage::contract`.
///
/// What writes may have to wait for another process, and takes `until` when:
/// the patience is the caller's (a hook's own deadline), not the store's. One
/// attempt is made even if that time has passed. Reading never waits.
pub trait MessageStore {
    /// A document of a newer roz is answered too, if it can be read at all.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if it cannot be parsed. It was put aside then, and
    /// counts as absent from now on; its trace stays where it is. Of a newer
    /// roz's document that is [`Error::NewerVersion`], and nothing is moved.
    fn get_session(&self, id: &SessionId) -> Result<Option<Stored>>;

    /// As [`Self::get_session`], for whoever only looks: a document that cannot
    /// be parsed stays where it is, for the session's own hook to put aside and
    /// to tell the user of.
    ///
    /// # Errors
    ///
    /// [`Error::Unreadable`] if it cannot be parsed.
    fn look_at(&self, id: &SessionId) -> Result<Option<Stored>>;

    /// Saves `session`, and before it the events that wait in its trace,
    /// provided that the store still holds it as it was at `revision`.
    ///
    /// The store's own counters in `session.trace` are taken from `session`,
    /// so that has to be what was read at `revision`, changed. Events that a
    /// killed process left in the trace keep their numbers; those of `session`
    /// are numbered after them.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if somebody else saved meanwhile;
    /// [`Error::NewerVersion`] if the document is a newer roz's. Either
    /// changes nothing.
    fn put_session(&self, session: &Session, revision: &Revision, until: Instant) -> Result<()>;

    /// The sessions with the newest activity, newest first, each as
    /// [`Self::look_at`] answers it: one that cannot be read hides no
    /// other. Only these are parsed.
    fn list_sessions(&self, limit: usize) -> Result<Vec<Result<Session>>> {
        let newest = self.activity()?.into_iter().take(limit);
        let read = |activity: Activity| {
            Some(self.look_at(&activity.id).transpose()?.map(|stored| stored.session))
        };
        Ok(newest.filter_map(read).collect())
    }

    /// Every session, newest activity first; none is parsed.
    fn activity(&self) -> Result<Vec<Activity>>;

    /// Forgets a session and its trace, if it still is as it was at `only_at`;
    /// without `only_at`, however it is. One that is not there is forgotten
    /// already.
    fn delete_session(
        &self,
        id: &SessionId,
        only_at: Option<&Revision>,
        until: Instant,
    ) -> Result<()>;

    /// Appends to the trace of a session. The numbers are the store's: those
    /// in `events` do not count.
    ///
    /// The session's revision moves, so that whoever is about to save it
    /// numbers his events anew.
    ///
    /// # Errors
    ///
    /// [`Error::Absent`] if there is no such session.
    fn append_trace(&self, id: &SessionId, events: &[TraceEvent], until: Instant) -> Result<()>;

    /// The trace, oldest first: the first ten events and the newest, at most
    /// `trace.max_events` together, and one `trace_compacted` in between if
    /// that leaves any out. The bound holds here whether or not the store has
    /// got round to rewriting what it keeps.
    fn read_trace(&self, id: &SessionId) -> Result<Vec<TraceEvent>>;

    /// What no session needs any more, or never did.
    fn leftovers(&self) -> Result<Vec<Leftover>>;

    /// Removes a leftover; answers whether it still was one.
    fn sweep(&self, leftover: &Leftover, until: Instant) -> Result<bool>;
}

/// Opens the store that the configuration asks for. `home` is where it lies if
/// the configuration names no place. Touches nothing yet.
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

/// Something that lies with the sessions and belongs to none.
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
    /// Of a save that was killed, or of one that runs just now.
    Temporary,
    /// Of a session that is not there.
    Lock,
    /// Of a session that is not there.
    Trace,
    /// A document that could not be parsed, put aside for the user.
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
    #[error("failed to make sense of `{}`. It is kept as `{}`", path.display(), kept_as.display())]
    Corrupt { path: PathBuf, kept_as: PathBuf, source: io::Error },
    #[error("failed to make sense of `{}`. The session's next hook puts it aside", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(
        "`{}` is version {version}, written by a newer roz. Update this one to write it",
        path.display()
    )]
    NewerVersion { path: PathBuf, version: u32 },
}

impl Revision {
    /// The revision of a session that is not there yet.
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

/// A newer roz's document is not for us to write.
fn check_version(session: &Session, path: &Path) -> Result<()> {
    if session.version > VERSION {
        return Err(Error::NewerVersion { path: path.into(), version: session.version });
    }
    Ok(())
}

/// The session as it stands before the events that wait in it, and those.
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

/// What happened in a session is never younger than the session.
fn touch(session: &mut Session, events: &[TraceEvent]) {
    let newest = events.iter().map(|event| event.timestamp).max();
    session.updated_at = newest.map_or(session.updated_at, |newest| newest.max(session.updated_at));
}

#[cfg(test)]
mod contract;
#[cfg(test)]
mod tests;
