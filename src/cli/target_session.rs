//! The session that an agent's command is about.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    core::session::{Session, SessionId},
    open::{
        self, Roz, agent_session,
        session_work::{self, Asker},
    },
    storage::{self, Stored},
    world::World,
};

pub(super) const GIT_PATIENCE: Duration = Duration::from_secs(20);
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Target {
    pub(super) id: SessionId,
    /// `None` if it does not exist yet.
    pub(super) stored: Option<Stored>,
}

/// An existing session with a [`Roz`] for its project: the named one, or else the one in which the
/// client runs us, or else the newest of this project.
pub(super) fn existing(given: Option<&str>, world: &World) -> super::Result<(Roz, Session)> {
    let roz = Roz::here(world)?;
    let own = agent_session(world).filter(|_| given.is_none());
    let own = own.and_then(|text| roz.find_session(text).ok());
    let id = own.map_or_else(|| roz.session_or_newest(given), Ok)?;
    let session = roz.load(&id)?.session;
    let other = roz.of_session(&session, world);
    Ok((other.unwrap_or(Ok(roz))?, session))
}

/// The work trees that a review of the session covers, and the asker.
pub(super) fn works<'a>(session: &'a Session, world: &World) -> (Asker<'a>, Vec<PathBuf>) {
    let asker = Asker { session, now: world.now, until: Instant::now() + GIT_PATIENCE };
    let project = session.project.as_ref().unwrap_or(&world.cwd);
    (asker, session_work::roots(session, project))
}

impl Target {
    /// The session that [`Self::find`] finds, with a [`Roz`] for its project, so that its data is
    /// stored where its hooks look for it, whatever the current folder is.
    pub(super) fn open(given: Option<&str>, world: &World) -> super::Result<(Roz, Self)> {
        let roz = Roz::open(world, &world.cwd)?;
        let target = Self::find(&roz, given, world)?;
        let session = target.stored.as_ref().map(|stored| &stored.session);
        let other = session.and_then(|session| roz.of_session(session, world));
        Ok((other.unwrap_or(Ok(roz))?, target))
    }

    /// The named session, which need not exist, or else the one in which the client runs us, or
    /// else the newest of this project.
    pub(super) fn find(roz: &Roz, given: Option<&str>, world: &World) -> super::Result<Self> {
        let named = given.or_else(|| agent_session(world));
        let id = match named {
            Some(text) => match roz.find_session(text) {
                Ok(id) => id,
                Err(open::Error::NoSuchSession(_)) => text.parse()?,
                Err(err) => return Err(err.into()),
            },
            None => match roz.session_or_newest(None) {
                Err(open::Error::NoSession) => {
                    return Err("this project has no session yet. Start the client here, or name \
                                a session with `--session-id`"
                        .into());
                }
                newest => newest?,
            },
        };
        let stored = roz.store.get_session(&id)?;
        Ok(Self { id, stored })
    }

    pub(super) fn session(&self, roz: &Roz, world: &World) -> Session {
        self.stored
            .as_ref()
            .map_or_else(|| fresh(&self.id, roz, world), |stored| stored.session.clone())
    }

    pub(super) fn update<T>(
        self,
        roz: &Roz,
        world: &World,
        mut change: impl FnMut(&mut Session) -> T,
    ) -> super::Result<T> {
        let Self { id, stored } = self;
        let until = Instant::now() + PATIENCE;
        let new = || fresh(&id, roz, world);
        Ok(storage::update_from(&*roz.store, stored, &id, until, new, |session| {
            session.updated_at = world.now;
            change(session)
        })?)
    }
}

pub(super) fn fresh(id: &SessionId, roz: &Roz, world: &World) -> Session {
    let mut session = Session::new(id.clone(), world.now);
    session.cwd = Some(world.cwd.clone());
    session.project = Some(roz.project.clone());
    session
}
