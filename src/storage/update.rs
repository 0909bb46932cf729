//! Load, change, save: the only way to change a session.

use std::time::Instant;

use crate::{
    core::session::{Session, SessionId},
    storage::{Error, MessageStore, Result, Revision, Stored},
};

/// Loads a session or creates a `new` one, calls `change` on it, and saves the result.
///
/// Hooks run in parallel, so another one may save in between. Then the change is made again on what
/// that one saved, until the deadline. So `change` may run more than once and has to be pure.
///
/// A session that did not change is not written, whether new or old. A new `updated_at` alone does
/// not count as a change, so `change` may set it every time; it is never older than the events that
/// are saved with it.
pub fn update<T>(
    store: &dyn MessageStore,
    id: &SessionId,
    until: Instant,
    new: impl Fn() -> Session,
    change: impl FnMut(&mut Session) -> T,
) -> Result<T> {
    update_from(store, store.get_session(id)?, id, until, new, change)
}

/// As [`update`], for a session that is already `loaded`.
pub fn update_from<T>(
    store: &dyn MessageStore,
    mut loaded: Option<Stored>,
    id: &SessionId,
    until: Instant,
    new: impl Fn() -> Session,
    mut change: impl FnMut(&mut Session) -> T,
) -> Result<T> {
    loop {
        let Stored { session: old, revision } =
            loaded.unwrap_or_else(|| Stored { session: new(), revision: Revision::ABSENT });
        let mut changed = old.clone();
        let answer = change(&mut changed);
        let updated_at = std::mem::replace(&mut changed.updated_at, old.updated_at);
        if changed == old {
            return Ok(answer);
        }
        let newest = changed.trace.fresh().map(|fresh| fresh.timestamp).max();
        changed.updated_at = newest.map_or(updated_at, |newest| newest.max(updated_at));
        match store.put_session(&changed, &revision, until) {
            Ok(()) => return Ok(answer),
            Err(Error::Conflict) if Instant::now() < until => (),
            Err(err) => return Err(err),
        }
        loaded = store.get_session(id)?;
    }
}
