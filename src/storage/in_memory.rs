//! Sessions in memory, for the lifetime of the process.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use chrono::{DateTime, Utc};

use crate::{
    core::{
        session::{Session, SessionId, VERSION},
        trace::TraceEvent,
    },
    storage::{
        Activity, Error, Leftover, MessageStore, Result, Revision, Stored, check_version, touch,
        trace, without_fresh,
    },
    world::files::At as _,
};

#[derive(Debug)]
pub struct MemoryStore {
    kept: Mutex<Kept>,
    max_events: usize,
}

#[derive(Debug, Default)]
struct Kept {
    sessions: BTreeMap<SessionId, Entry>,
    /// Incremented by every save, so that no two states share a revision.
    saves: u64,
}

/// The document is kept as JSON, so that nothing survives that would not survive in a file.
#[derive(Debug)]
struct Entry {
    json: Vec<u8>,
    updated_at: DateTime<Utc>,
    events: Vec<TraceEvent>,
    save: u64,
}

impl MemoryStore {
    pub fn new(max_events: u64) -> Self {
        Self { kept: Mutex::default(), max_events: trace::bound(max_events) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `session.trace.seq` is the number of the last event before `new`.
    fn save(&self, kept: &mut Kept, mut session: Session, new: Vec<TraceEvent>) -> Result<()> {
        let id = session.session_id.clone();
        session.version = VERSION;
        let mut events = kept.sessions.remove(&id).map(|kept| kept.events).unwrap_or_default();
        let trace = &mut session.trace;
        trace.events += new.len() as u64;
        for event in new {
            trace.seq += 1;
            events.push(TraceEvent { seq: trace.seq, ..event });
        }
        if trace.events > 2 * self.max_events as u64 {
            trace.dropped += trace.events - self.max_events as u64;
            trace.events = self.max_events as u64;
            events = trace::bounded(events, self.max_events);
        }
        let json = serde_json::to_vec(&session).at(Path::new(id.as_str()))?;
        kept.saves += 1;
        let entry = Entry { json, updated_at: session.updated_at, events, save: kept.saves };
        kept.sessions.insert(id, entry);
        Ok(())
    }
}

impl Kept {
    fn get(&self, id: &SessionId) -> Result<Option<Stored>> {
        let Some(entry) = self.sessions.get(id) else { return Ok(None) };
        let session = serde_json::from_slice(&entry.json).at(Path::new(id.as_str()))?;
        Ok(Some(Stored { session, revision: self.revision(id) }))
    }

    fn revision(&self, id: &SessionId) -> Revision {
        Revision(self.sessions.get(id).map(|session| session.save.to_string()))
    }
}

impl MessageStore for MemoryStore {
    fn get_session(&self, id: &SessionId) -> Result<Option<Stored>> {
        self.kept().get(id)
    }

    fn look_at(&self, id: &SessionId) -> Result<Option<Stored>> {
        self.get_session(id)
    }

    fn put_session(&self, session: &Session, revision: &Revision, _until: Instant) -> Result<()> {
        check_version(session, Path::new(session.session_id.as_str()))?;
        let mut kept = self.kept();
        if kept.revision(&session.session_id) != *revision {
            return Err(Error::Conflict);
        }
        let (session, new) = without_fresh(session);
        self.save(&mut kept, session, new)
    }

    fn activity(&self) -> Result<Vec<Activity>> {
        let kept = self.kept();
        let activity =
            |(id, entry): (&SessionId, &Entry)| Activity { id: id.clone(), at: entry.updated_at };
        let mut activity: Vec<_> = kept.sessions.iter().map(activity).collect();
        activity.sort_by_key(|activity| Reverse(activity.at));
        Ok(activity)
    }

    fn delete_session(
        &self,
        id: &SessionId,
        only_at: Option<&Revision>,
        _until: Instant,
    ) -> Result<()> {
        let mut kept = self.kept();
        if only_at.is_some_and(|only_at| *only_at != kept.revision(id)) {
            return Err(Error::Conflict);
        }
        kept.sessions.remove(id);
        Ok(())
    }

    fn append_trace(&self, id: &SessionId, events: &[TraceEvent], _until: Instant) -> Result<()> {
        let mut kept = self.kept();
        let Some(Stored { mut session, .. }) = kept.get(id)? else {
            return Err(Error::Absent { id: id.clone() });
        };
        touch(&mut session, events);
        self.save(&mut kept, session, events.to_vec())
    }

    fn read_trace(&self, id: &SessionId) -> Result<Vec<TraceEvent>> {
        let events = self.kept().sessions.get(id).map(|session| session.events.clone());
        Ok(trace::bounded(events.unwrap_or_default(), self.max_events))
    }

    fn leftovers(&self) -> Result<Vec<Leftover>> {
        Ok(Vec::new())
    }

    fn sweep(&self, _leftover: &Leftover, _until: Instant) -> Result<bool> {
        Ok(false)
    }
}
