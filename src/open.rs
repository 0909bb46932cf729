//! Opens what every command works on: roz's own folder, the configuration and the sessions.

mod decay;
pub mod session_work;
pub mod shim_store;

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    config::{self, Diagnostic, Sources},
    core::{
        client_files,
        intent::{
            SIDECAR,
            selection::{self, Elsewhere},
        },
        policy::Policy,
        session::{Session, SessionId},
    },
    ledger::{self, Ledger, images::Images},
    memory::{Library, Places},
    observe,
    storage::{self, LeftoverKind, MessageStore, Stored, approvals::Approvals},
    usage_log::UsageLog,
    world::{self, World, git},
};

/// How long a session without events counts as live: a working day.
const LIVE: TimeDelta = TimeDelta::hours(8);

pub struct Roz {
    /// `<ROZ_HOME>`.
    pub home: PathBuf,
    /// The user's configuration.
    pub user_file: PathBuf,
    /// The root of the project.
    pub project: PathBuf,
    /// The main work tree, if the project is a linked one. Configuration, learnings and sidecar are
    /// taken from there if the linked one has none.
    pub main: Option<PathBuf>,
    /// The root whose sidecar governs the project.
    pub sidecar: PathBuf,
    pub policy: Policy,
    pub diagnostics: Vec<Diagnostic>,
    pub store: Box<dyn MessageStore>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to open the sessions")]
    Storage(#[from] storage::Error),
    #[error("there is no session `{0}`. `roz list` shows those that there are")]
    NoSuchSession(String),
    #[error("`{0}` is the beginning of several sessions: {1}")]
    Ambiguous(String, String),
    #[error(
        "there is no session of this project yet: start the client here, or name one of `roz list`"
    )]
    NoSession,
}

/// `ROZ_HOME`, else `~/.roz`.
pub fn home(world: &World) -> PathBuf {
    sources(world, &world.cwd).roz_home
}

/// Where the configuration for the project that holds `dir` comes from.
///
/// Variables that the project's own client settings put into the environment do not decide where
/// roz keeps its files.
pub fn sources(world: &World, dir: &Path) -> Sources {
    let (project, main) = git::work_trees(dir);
    let launch_dir = world.var("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let mut variables = world.roz_vars();
    let of_project =
        set_by_project(&["ROZ_HOME", "ROZ_CONFIG", "ROZ_STORAGE_PATH"], &project, world);
    variables.retain(|(name, _)| !of_project.contains(&name.as_str()));
    let var = |name: &str| {
        let found = variables.iter().find(|(text, value)| text == name && !value.is_empty());
        found.map(|(_, value)| PathBuf::from(value))
    };
    // A relative path is relative to the user's home, because hooks run in different folders.
    let user_home = world.user_home.clone().unwrap_or_else(|| PathBuf::from("/nonexistent"));
    let roz_home = user_home.join(var("ROZ_HOME").unwrap_or_else(|| ".roz".into()));
    let user_file = match var("ROZ_CONFIG") {
        Some(file) => user_home.join(file),
        None => roz_home.join("config.toml"),
    };
    Sources {
        roz_home,
        user_file,
        home: world.user_home.clone(),
        project: Some(project),
        main,
        launch_dir,
        env: variables,
    }
}

/// The variables among `names` that the project's client settings put into our environment, so that
/// they do not come from the user.
fn set_by_project<'a>(names: &[&'a str], project: &Path, world: &World) -> Vec<&'a str> {
    let set = names.iter().copied().filter(|name| world.var(name).is_some());
    let launch_dir = world.var("CLAUDE_PROJECT_DIR").map(Path::new);
    let launch_root = launch_dir.map(git::root);
    let dirs: Vec<&Path> =
        [Some(project), launch_dir, launch_root.as_deref()].into_iter().flatten().collect();
    config::set_by_project(set, &dirs, world.user_home.as_deref())
}

/// The session in whose shell this runs.
pub fn agent_session(world: &World) -> Option<&str> {
    client_files::session_id(&|name| world.var(name))
}

impl Roz {
    /// Opens the project that holds `dir`.
    pub fn open(world: &World, dir: &Path) -> Result<Self, Error> {
        let sources = sources(world, dir);
        let loaded = config::load(&sources);
        let store = storage::open(&loaded.policy, &sources.roz_home)?;
        let project = sources.project.unwrap_or_else(|| dir.to_owned());
        let borrowed = sources.main.as_ref().filter(|_| !declares_intents(&project));
        Ok(Self {
            home: sources.roz_home,
            user_file: sources.user_file,
            sidecar: borrowed.unwrap_or(&project).clone(),
            project,
            main: sources.main,
            policy: loaded.policy,
            diagnostics: loaded.diagnostics,
            store,
        })
    }

    /// Opens the project of the current folder, for commands about learnings. In an agent's shell
    /// it is the session's project if the current folder is below it, so that an agent in a
    /// submodule works with the same learnings as its hooks.
    pub fn here(world: &World) -> Result<Self, Error> {
        let roz = Self::open(world, &world.cwd)?;
        let id = agent_session(world).and_then(|value| value.parse().ok());
        let stored = id.and_then(|id: SessionId| roz.load(&id).ok());
        let session =
            stored.filter(|stored| stored.session.project.as_ref().is_some_and(is_around(world)));
        let other = session.and_then(|session| roz.of_session(&session.session, world));
        other.unwrap_or(Ok(roz))
    }

    /// Opens the session's project, if it is not this one. A session's project is the one in which it
    /// began.
    pub fn of_session(&self, session: &Session, world: &World) -> Option<Result<Self, Error>> {
        let project = session.project.as_ref().filter(|project| **project != self.project)?;
        Some(Self::open(world, project))
    }

    /// The user's own folder for temporary files, if the environment names one that does not come
    /// from the project's settings.
    pub fn tmpdir(&self, world: &World) -> Option<PathBuf> {
        let named = PathBuf::from(world.var("TMPDIR")?);
        let is_users = || set_by_project(&["TMPDIR"], &self.project, world).is_empty();
        (named.is_absolute() && is_users()).then_some(named)
    }

    /// Whether the project has a configuration.
    pub fn has_own_rules(&self) -> bool {
        let has_file = |root: &PathBuf| config::project_dir(root).join("config.toml").exists();
        has_file(&self.project) || self.main.as_ref().is_some_and(has_file)
    }

    /// The learnings of the project and of the user.
    pub fn library(&self, world: &World) -> Library {
        Library::open(&self.places(world), &self.policy.backends)
    }

    fn places(&self, world: &World) -> Places {
        Places {
            roz_home: self.home.clone(),
            user_home: world.user_home.clone(),
            project: self.root_of_learnings().to_owned(),
        }
    }

    /// The work tree whose learnings the project uses.
    pub fn root_of_learnings(&self) -> &Path {
        let main = self.main.as_deref().filter(|_| !Places::has_learnings(&self.project));
        main.filter(|main| Places::has_learnings(main)).unwrap_or(&self.project)
    }

    /// The log of how learnings are used in all work trees of the repository.
    pub fn usage_log(&self, library: &Library) -> UsageLog {
        let older = library.markdown_file().parent().map(Path::to_owned);
        let older = older.unwrap_or_else(|| config::project_dir(self.root_of_learnings()));
        let project = self.main.as_ref().unwrap_or(&self.project);
        let project = project.canonicalize().unwrap_or_else(|_| project.clone());
        UsageLog::new(&ledger::folder_of(&project, &self.home), &older, &self.home)
    }

    /// The ledger of the nearest project above `dir` that declares intents.
    pub fn ledger(&self, dir: &Path) -> Ledger {
        let declares = |path: &&Path| path.join(SIDECAR).is_dir();
        // A linked work tree may be inside the main one.
        let is_nearest = |path: &&Path| self.main.is_none() || path.starts_with(&self.project);
        match dir.ancestors().find(declares).filter(is_nearest) {
            Some(project) => Ledger::new(project, &self.home).with_notes(self.policy.intent.notes),
            None => self.own_ledger(),
        }
    }

    /// The ledger of the project.
    pub fn own_ledger(&self) -> Ledger {
        let ledger = Ledger::new(&self.sidecar, &self.home).with_notes(self.policy.intent.notes);
        if self.sidecar == self.project { ledger } else { ledger.of_work_tree(&self.project) }
    }

    /// What the user should be told about the configuration.
    pub fn complaints(&self) -> Vec<String> {
        const TOLD: usize = 5;
        let mut said: Vec<String> =
            self.diagnostics.iter().map(|diagnostic| format!("roz: {diagnostic}")).collect();
        if said.len() > TOLD {
            said.truncate(TOLD);
            said.push("roz: and more: `roz config check` shows all of it".to_owned());
        }
        said
    }

    pub fn load(&self, id: &SessionId) -> Result<Stored, Error> {
        let found = self.store.look_at(id)?;
        found.ok_or_else(|| Error::NoSuchSession(id.to_string()))
    }

    /// The session with that id, or the only one whose id begins with it.
    pub fn find_session(&self, text: &str) -> Result<SessionId, Error> {
        let none = || Error::NoSuchSession(crate::core::bounded::line(text, 128));
        let id: SessionId = text.parse().map_err(|_| none())?;
        let ids: Vec<SessionId> =
            self.store.activity()?.into_iter().map(|activity| activity.id).collect();
        if ids.contains(&id) {
            return Ok(id);
        }
        let mut found = ids.into_iter().filter(|session_id| session_id.as_str().starts_with(text));
        match (found.next(), found.next()) {
            (None, _) => Err(none()),
            (Some(id), None) => Ok(id),
            (Some(one), Some(two)) => {
                Err(Error::Ambiguous(text.to_owned(), format!("{one}, {two} …")))
            }
        }
    }

    /// That session, or the newest one of this project.
    pub fn session_or_newest(&self, text: Option<&str>) -> Result<SessionId, Error> {
        if let Some(text) = text {
            return self.find_session(text);
        }
        for activity in self.store.activity()? {
            if let Ok(Some(stored)) = self.store.look_at(&activity.id)
                && stored.session.project.as_deref() == Some(&*self.project)
            {
                return Ok(activity.id);
            }
        }
        Err(Error::NoSession)
    }

    /// The intents of the other live sessions of the project whose sidecar is in `root`. A session
    /// is live until the client says that it has ended, or until nothing has changed in it for
    /// [`LIVE`], because a client may crash. A session that cannot be read counts as one without an
    /// intent.
    pub fn elsewhere(
        &self,
        own: Option<&SessionId>,
        root: &Path,
        now: DateTime<Utc>,
    ) -> Vec<Elsewhere> {
        const LOOKED_AT: usize = 50;
        let project = if root == self.sidecar { &self.project } else { root };
        let since = now.checked_sub_signed(LIVE).unwrap_or(now);
        let newest = self.store.activity().unwrap_or_default().into_iter().take(LOOKED_AT);
        let others = newest
            .take_while(|activity| activity.at >= since)
            .filter(|newest| Some(&newest.id) != own);
        let at = |id: &SessionId| {
            let session = self.store.look_at(id).ok()??.session;
            let intent_id = session.intent.selected()?.intent_id.clone();
            let is_here = session.project.as_deref() == Some(project);
            (is_here && !session.intent.has_left())
                .then(|| Elsewhere { session_id: id.to_string(), intent_id })
        };
        others.filter_map(|other| at(&other.id)).collect()
    }

    /// Removes what is old, at most once a day.
    pub fn tidy(&self, world: &World) {
        if !self.home.is_dir() || !takes_the_day(&self.home.join("last-clean")) {
            return;
        }
        let days = i64::try_from(self.policy.cleanup.retention_days).unwrap_or(i64::MAX);
        let before =
            TimeDelta::try_days(days).and_then(|try_day| world.now.checked_sub_signed(try_day));
        if let Some(before) = before {
            let until = Instant::now() + Duration::from_millis(500);
            let _ = self.clean(&Cleaning { before, all: false, dry_run: false }, until);
        }
    }

    /// Removes sessions that were last active before a time, and files that belong to no session. A
    /// session with an open gate is kept unless `all` is set.
    pub fn clean(&self, what: &Cleaning, until: Instant) -> Result<Cleaned, Error> {
        let mut cleaned = Cleaned::default();
        for activity in self.store.activity()?.into_iter().rev() {
            if activity.at >= what.before || Instant::now() >= until {
                break;
            }
            // The session's own hook moves a file that cannot be read out of the way.
            let Ok(Some(stored)) = self.store.look_at(&activity.id) else { continue };
            if (stored.session.is_open() || stored.session.intent.selected().is_some()) && !what.all
            {
                cleaned.kept.push(activity.id);
                continue;
            }
            if !what.dry_run {
                self.store.delete_session(&activity.id, Some(&stored.revision), until)?;
                // Git objects are an older roz's: today they are a repository's.
                for kept in [self.home.join("trees"), Images::all(&self.home)] {
                    let _ = fs::remove_dir_all(kept.join(activity.id.as_str()));
                }
            }
            cleaned.sessions.push(activity.id);
        }
        for leftover in self.store.leftovers()? {
            let is_old = leftover.at < what.before;
            let goes = match leftover.kind {
                // A young one may belong to a save that is still running.
                LeftoverKind::Temporary | LeftoverKind::Lock => true,
                LeftoverKind::Trace | LeftoverKind::Corrupt => is_old,
            };
            if goes && (what.dry_run || self.store.sweep(&leftover, until).unwrap_or(false)) {
                cleaned.leftovers.push(leftover.name);
            }
        }
        if !what.dry_run {
            // Caches are rebuilt when they are needed.
            remove_files(old_in(&self.home.join("cache"), what.before));
            self.sweep_shims(what.before);
            self.sweep_images(what.before);
            self.sweep_approvals(what.before, until);
        }
        Ok(cleaned)
    }

    /// Removes old approvals, and the git objects of repositories that have none left. A table that
    /// is in use or cannot be read is skipped until next time.
    fn sweep_approvals(&self, before: DateTime<Utc>, until: Instant) {
        for key in Approvals::keys(&self.home) {
            if let Ok(false) = Approvals::of(&self.home, &key).clean(before, until) {
                observe::work::forget(&self.home, &key);
            }
        }
    }

    /// Removes the kept texts of sessions that no longer exist.
    fn sweep_images(&self, before: DateTime<Utc>) {
        for path in old_in(&Images::all(&self.home), before) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_known = |id: &SessionId| !matches!(self.store.look_at(id), Ok(None));
            if !name.parse::<SessionId>().as_ref().is_ok_and(is_known) {
                let _ = fs::remove_dir_all(&path);
            }
        }
    }
}

/// The entries of a folder that were last changed before a time.
fn old_in(folder: &Path, before: DateTime<Utc>) -> impl Iterator<Item = PathBuf> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let changed = |path: &PathBuf| path.symlink_metadata().and_then(|meta| meta.modified());
    paths.filter(move |path| changed(path).is_ok_and(|at| DateTime::<Utc>::from(at) < before))
}

fn remove_files(paths: impl Iterator<Item = PathBuf>) {
    paths.for_each(|path| {
        let _ = fs::remove_file(path);
    });
}

fn declares_intents(root: &Path) -> bool {
    root.join(selection::FILE).symlink_metadata().is_ok()
}

/// A predicate: whether the current folder is this folder or below it.
fn is_around(world: &World) -> impl Fn(&PathBuf) -> bool + '_ {
    |folder| {
        let real = folder.canonicalize();
        world.cwd.starts_with(folder) || real.is_ok_and(|path| world.cwd.starts_with(path))
    }
}

/// Whether something has not been done today yet, according to the age of a file, which is set to
/// now.
fn takes_the_day(mark: &Path) -> bool {
    let day = Duration::from_hours(24);
    let modified = mark.symlink_metadata().and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|modified| modified.elapsed().ok());
    age.is_none_or(|age| age >= day)
        && world::open_own(mark).and_then(|file| file.set_modified(SystemTime::now())).is_ok()
}

#[derive(Debug, Clone, Copy)]
pub struct Cleaning {
    pub before: DateTime<Utc>,
    /// Whether to remove sessions with an open gate as well.
    pub all: bool,
    pub dry_run: bool,
}

#[derive(Debug, Default)]
pub struct Cleaned {
    pub sessions: Vec<SessionId>,
    /// Sessions that are old enough but have an open gate.
    pub kept: Vec<SessionId>,
    pub leftovers: Vec<String>,
}
