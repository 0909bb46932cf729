//! All backends of a project as one.

mod set_status;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{Error, Markdown, Mcp, MemoryBackend, Problem, Reading, Result, TotalRecall};
use crate::{
    core::{
        policy::BackendsPolicy,
        reflection::learning::{Learning, Scope},
    },
    world,
};

/// Where learnings may be.
#[derive(Debug, Clone)]
pub struct Places {
    /// `<ROZ_HOME>`.
    pub roz_home: PathBuf,
    /// The user's home directory, if there is one.
    pub user_home: Option<PathBuf>,
    /// The project's root.
    pub project: PathBuf,
}

impl Places {
    /// Whether learnings are kept in the project at `root`.
    pub fn has_learnings(root: &Path) -> bool {
        let files = [".roz/learnings.md", ".grove/learnings.md"];
        files.iter().any(|file| is_there(&root.join(file))) || TotalRecall::is_in(root)
    }
}

/// The learnings of a project and of its user.
pub struct Library {
    /// The backends in use for the project, in the order in which they were found.
    project: Vec<Used>,
    /// Where the project's learnings go if no other backend accepts them, whether or not it is in
    /// use.
    markdown: Markdown,
    personal: Markdown,
    /// The user's learnings that the public peer keeps.
    older: Option<Markdown>,
    problems: Vec<Problem>,
    patience: Duration,
}

/// A backend in use.
struct Used {
    backend: Box<dyn MemoryBackend>,
    why: &'static str,
    place: String,
    /// For a backend that is a program: the file that caches its content, because each request
    /// would start it.
    known: Option<PathBuf>,
}

/// A learning, and where it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub learning: Learning,
    /// The backend's name.
    pub backend: &'static str,
}

/// Every learning that can be read, and problems with the others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shelf {
    pub learnings: Vec<Kept>,
    pub problems: Vec<Problem>,
}

/// The result of writing a learning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// The names of the backends that have it; empty for an ephemeral one if there is no daily log.
    pub kept_in: Vec<&'static str>,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

/// How a backend answered a ping.
#[derive(Debug)]
pub struct Answered {
    pub backend: &'static str,
    /// Where it keeps its learnings.
    pub place: String,
    /// Why it is in use.
    pub why: &'static str,
    pub answer: Result<()>,
}

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(10);

impl Library {
    /// Finds the backends without starting or changing anything.
    ///
    /// They are in the order of `backends.discovery`. If `backends.use` names some under `config`,
    /// these are in use and none after them; otherwise all that are found, or the markdown file if
    /// none is.
    pub fn open(places: &Places, policy: &BackendsPolicy) -> Self {
        Self::open_for(places, policy, PATIENCE)
    }

    /// As [`Self::open`], with another limit for waiting on other writers.
    pub fn open_for(places: &Places, policy: &BackendsPolicy, patience: Duration) -> Self {
        let ours = places.project.join(".roz/learnings.md");
        let older = places.project.join(".grove/learnings.md");
        let file = if !is_there(&ours) && is_there(&older) { older } else { ours };
        let personal = places.roz_home.join("personal-learnings.md");
        let older = places
            .user_home
            .as_ref()
            .map(|user_home| user_home.join(".grove/personal-learnings.md"));
        let mut library = Self {
            project: Vec::new(),
            markdown: Markdown::of_project(file, patience),
            personal: Markdown::personal(personal, patience),
            older: older.filter(|older| is_there(older)).map(Markdown::of_peer),
            problems: Vec::new(),
            patience,
        };
        for (name, why) in library.found(places, policy) {
            library.take_into_use(name, why, places, policy);
        }
        if library.project.is_empty() {
            library.take_into_use("markdown", "nothing else is in use", places, policy);
        }
        library
    }

    /// The names of the backends to use, each with the reason.
    fn found<'a>(
        &self,
        places: &Places,
        policy: &'a BackendsPolicy,
    ) -> Vec<(&'a str, &'static str)> {
        let mut found = Vec::new();
        let overridden = |name: &str| policy.overrides.get(name).copied();
        for name in &policy.discovery {
            if name == "config" {
                if policy.r#use.is_empty() {
                    continue;
                }
                found.extend(
                    policy.r#use.iter().map(|text| (text.as_str(), "named in `backends.use`")),
                );
                return found;
            }
            let is_found = match name.as_str() {
                "total-recall" => TotalRecall::is_in(&places.project),
                "mcp" => policy.mcp.command.is_some(),
                "markdown" => is_there(self.markdown.path()),
                _ => false,
            };
            match (overridden(name), is_found) {
                (Some(true), _) => found.push((name, "switched on in `backends.overrides`")),
                (None, true) => found.push((name, "found")),
                (Some(false), _) | (None, false) => (),
            }
        }
        let forced =
            policy.overrides.iter().filter(|(name, on)| **on && !policy.discovery.contains(name));
        found
            .extend(forced.map(|(name, _)| (name.as_str(), "switched on in `backends.overrides`")));
        found
    }

    fn take_into_use(
        &mut self,
        name: &str,
        why: &'static str,
        places: &Places,
        policy: &BackendsPolicy,
    ) {
        if self.project.iter().any(|used| used.backend.name() == name) {
            return;
        }
        let used = match name {
            "total-recall" => {
                let backend = TotalRecall::new(&places.project, self.patience);
                let place = backend.dir().display().to_string();
                Used { backend: Box::new(backend), why, place, known: None }
            }
            "mcp" => {
                let lock = places.roz_home.join("mcp.lock");
                let Some(backend) = Mcp::new(&policy.mcp, lock, self.patience) else {
                    let what = "it is selected, but `backends.mcp.command` names no server";
                    self.problems.push(Problem { place: name.to_owned(), what: what.to_owned() });
                    return;
                };
                let (place, known) = (backend.place(), Some(backend.known()));
                Used { backend: Box::new(backend), why, place, known }
            }
            "markdown" => {
                let path = self.markdown.path().to_owned();
                let place = path.display().to_string();
                let backend = Box::new(Markdown::of_project(path, self.patience));
                Used { backend, why, place, known: None }
            }
            _ => return,
        };
        self.project.push(used);
    }

    fn uses(&self, name: &str) -> bool {
        self.project.iter().any(|used| used.backend.name() == name)
    }

    /// Every backend that may have learnings, those of the project first.
    fn every(&self) -> impl Iterator<Item = &dyn MemoryBackend> {
        let markdown: &dyn MemoryBackend = &self.markdown;
        let personal: &dyn MemoryBackend = &self.personal;
        let project = self.project.iter().map(|used| used.backend.as_ref());
        project
            .chain(Some(markdown).filter(|_| !self.uses("markdown")))
            .chain([personal])
            .chain(self.older.as_ref().map(|older| older as &dyn MemoryBackend))
    }

    fn is_program(&self, backend: &dyn MemoryBackend) -> bool {
        self.project
            .iter()
            .any(|used| used.known.is_some() && used.backend.name() == backend.name())
    }

    fn is_users(&self, backend: &str) -> bool {
        let older = self.older.as_ref().map(MemoryBackend::name);
        backend == self.personal.name() || Some(backend) == older
    }

    /// Every readable learning of every backend, each id once. If several backends have it, the
    /// status furthest from active applies. A backend that does not answer is reported as a
    /// problem, and what is cached from it is used instead.
    pub fn all(&self) -> Shelf {
        self.read(|_| true, |backend| backend.all())
    }

    /// As [`Self::all`], but backends that would have to be started answer from their cache: for
    /// hooks.
    pub fn at_hand(&self) -> Shelf {
        self.read(|_| true, |backend| backend.at_hand())
    }

    /// The learnings in files that roz reads itself.
    pub fn in_files(&self) -> Shelf {
        self.read(|backend| !self.is_program(backend), |backend| backend.all())
    }

    fn read(
        &self,
        is_wanted: impl Fn(&dyn MemoryBackend) -> bool,
        ask: fn(&dyn MemoryBackend) -> Result<Reading>,
    ) -> Shelf {
        let mut held = Shelf { learnings: Vec::new(), problems: self.problems.clone() };
        let mut by_id: HashMap<String, usize> = HashMap::new();
        for backend in self.every().filter(|backend| is_wanted(*backend)) {
            let reading = ask(backend).unwrap_or_else(|err| {
                let (place, what) = (backend.name().to_owned(), world::in_a_line(&err));
                held.problems.push(Problem { place, what });
                let known = if self.is_program(backend) { backend.at_hand().ok() } else { None };
                known.unwrap_or_default()
            });
            held.problems.extend(reading.problems);
            for mut learning in reading.learnings {
                // The public peer numbers the ids in each file from 1, so a learning of the user
                // and one of the project may have the same id without being the same.
                let first = by_id.get(&learning.id).map(|at| &held.learnings[*at]);
                let is_another = |kept: &Kept| {
                    self.is_users(kept.backend) != self.is_users(backend.name())
                        && kept.learning.summary != learning.summary
                };
                if first.is_some_and(is_another) {
                    learning.id = learning.make_id(0);
                }
                if let Some(at) = by_id.get(&learning.id) {
                    let first = &mut held.learnings[*at].learning;
                    first.status = first.status.max(learning.status);
                } else {
                    by_id.insert(learning.id.clone(), held.learnings.len());
                    held.learnings.push(Kept { learning, backend: backend.name() });
                }
            }
        }
        held
    }

    /// The files and folders on which [`Self::at_hand`] depends, whether or not they exist: the key
    /// of a cache.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.markdown.path().to_owned(), self.personal.path().to_owned()];
        files.extend(self.older.as_ref().map(|older| older.path().to_owned()));
        files.extend(self.project.iter().filter_map(|used| used.known.clone()));
        for used in self.project.iter().filter(|used| used.backend.name() == "total-recall") {
            for folder in ["daily", "registers"] {
                let folder = Path::new(&used.place).join(folder);
                let entries = std::fs::read_dir(&folder).into_iter().flatten();
                let mut found: Vec<_> =
                    entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
                found.sort();
                files.push(folder);
                files.extend(found);
            }
        }
        files
    }

    /// The file in which people find the project's learnings.
    pub fn markdown_file(&self) -> &Path {
        self.markdown.path()
    }

    /// Writes a learning to the backends for its scope, and marks the one that it supersedes. If a
    /// backend does not answer, that is a warning, and the learning goes to the markdown file
    /// instead.
    pub fn write(&self, learning: &Learning) -> Result<Written> {
        let mut written = Written::default();
        match learning.scope {
            Scope::Personal => {
                self.personal.write(learning)?;
                written.kept_in.push(self.personal.name());
            }
            Scope::Ephemeral => self.write_for_the_day(learning, &mut written)?,
            Scope::Project | Scope::Team => {
                let all: Vec<&Used> = self.project.iter().collect();
                self.write_to(&all, !self.uses("markdown"), learning, &mut written)?;
            }
        }
        if let Some(old) = learning.supersedes.as_deref().filter(|_| !written.kept_in.is_empty())
            && let Err(err) = self.supersede(old)
        {
            let why = world::in_a_line(&err);
            written.warnings.push(format!("`{old}` could not be marked as superseded: {why}"));
        }
        Ok(written)
    }

    fn write_for_the_day(&self, learning: &Learning, written: &mut Written) -> Result<()> {
        let Some(log) = self.project.iter().find(|used| used.backend.name() == "total-recall")
        else {
            let id = &learning.id;
            let why = "there is no daily log (Total Recall's is not in use)";
            written.warnings.push(format!("`{id}` is ephemeral and is not kept: {why}"));
            return Ok(());
        };
        self.write_to(&[log], true, learning, written)
    }

    /// Writes to each of `backends`, and to the markdown file if one of them fails and the file is
    /// not among them.
    fn write_to(
        &self,
        backends: &[&Used],
        may_fall_back: bool,
        learning: &Learning,
        written: &mut Written,
    ) -> Result<()> {
        let mut failed = None;
        for used in backends {
            match used.backend.write(learning) {
                Ok(()) => written.kept_in.push(used.backend.name()),
                Err(err) => {
                    let (name, why) = (used.backend.name(), world::in_a_line(&err));
                    written
                        .warnings
                        .push(format!("`{name}` did not take `{}`: {why}", learning.id));
                    failed.get_or_insert(err);
                }
            }
        }
        let Some(err) = failed else { return Ok(()) };
        // The caller chooses another id.
        let is_taken = |err: &Error| matches!(err, Error::Exists { .. });
        if may_fall_back && !is_taken(&err) {
            match self.markdown.write(learning) {
                Ok(()) => {
                    written.kept_in.push(self.markdown.name());
                    let path = self.markdown.path().display();
                    written.warnings.push(format!("`{}` is kept in `{path}` instead", learning.id));
                }
                Err(again) if is_taken(&again) && written.kept_in.is_empty() => return Err(again),
                Err(err) => written.warnings.push(world::in_a_line(&err)),
            }
        }
        if written.kept_in.is_empty() { Err(err) } else { Ok(()) }
    }

    /// Checks of every backend in use whether it answers.
    pub fn ping_all(&self) -> Vec<Answered> {
        let mut answers: Vec<_> = self
            .project
            .iter()
            .map(|used| Answered {
                backend: used.backend.name(),
                place: used.place.clone(),
                why: used.why,
                answer: used.backend.ping(),
            })
            .collect();
        let users = [Some((&self.personal, "your own, in every project"))];
        let older = self.older.as_ref().map(|older| (older, "read, never written"));
        for (backend, why) in users.into_iter().chain([older]).flatten() {
            answers.push(Answered {
                backend: backend.name(),
                place: backend.path().display().to_string(),
                why,
                answer: backend.ping(),
            });
        }
        answers
    }

    /// Copies what the peer keeps of the user into the user's own file. With how many were new and
    /// what could not be read, or nothing where the peer keeps none.
    pub fn import(&self) -> Result<Option<(usize, Vec<Problem>)>> {
        let Some(older) = &self.older else { return Ok(None) };
        let reading = older.all()?;
        let mut copied = 0;
        for learning in reading.learnings {
            match self.personal.write(&learning) {
                Err(Error::Exists { .. }) => (),
                written => {
                    written?;
                    copied += 1;
                }
            }
        }
        Ok(Some((copied, reading.problems)))
    }

    /// What is wrong with how the backends are configured.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests;
