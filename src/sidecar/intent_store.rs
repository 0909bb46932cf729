//! Reads and changes a project's intents, for roz's commands and the tools of its own server.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::{DateTime, SecondsFormat, Utc};

use super::{
    FOLDER, edit,
    edit::{Author, Change},
    load_fresh, load_ignore, lock,
    target::Site,
    text, unconfirmed,
};
use crate::{
    core::{
        bounded,
        intent::{
            briefing::Briefing,
            catalogue::{Catalogue, Intent, Problem, Status},
            ignore::Ignore,
            ledger::{MutationClass, Record},
            lessons::{self, Learned, Lesson},
            selection::{self, Refused, Unreliable},
            target::{Case, Kind, Place},
            unconfirmed::{FileHashes, UnconfirmedChange},
        },
    },
    world::{files, log},
};

/// The project's shared brain.
pub const BRAIN: &str = "CLAUDE.md";
const LEDGER: &str = "agent_trace.jsonl";

/// The longest wait for other writers.
const PATIENCE: Duration = Duration::from_secs(10);
const LARGEST_BRAIN: u64 = 1 << 20;

#[derive(Debug)]
pub struct IntentStore {
    root: PathBuf,
    roz_home: PathBuf,
    /// The hashes of the files from before they were read.
    hashes: FileHashes,
    pub catalogue: Catalogue,
    /// The rules of `.intentignore`, or why they cannot be read.
    pub ignore: Result<Ignore, Problem>,
    /// Whether the project's file system ignores case.
    pub case: Case,
    /// Whether an agent's client started this process.
    pub is_agents: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Edit(#[from] edit::Error),
    #[error(transparent)]
    File(#[from] files::Error),
    #[error("it changed meanwhile, and nothing is confirmed: look again")]
    Moved,
    #[error("`{}`: {why}. Write the lesson by hand", path.display())]
    Unfit { path: PathBuf, why: String },
    #[error("`{}` is a symbolic link, not a folder", .0.display())]
    Link(PathBuf),
}

impl IntentStore {
    /// `None` if the project declares no intents.
    pub fn open(root: &Path, roz_home: &Path) -> Option<Self> {
        let hashes = unconfirmed::hashes(root);
        let catalogue = load_fresh(root)?;
        let ignore = load_ignore(root, &catalogue);
        let case = Site::new(root, None).case;
        let (root, roz_home) = (root.to_owned(), roz_home.to_owned());
        Some(Self { root, roz_home, hashes, catalogue, ignore, case, is_agents: false })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The intent with that id, if `tool` may select it.
    pub fn choose(&self, id: &str, tool: &str) -> Result<&Intent, Refused> {
        if let Some(unreliable) = self.unreliable() {
            return Err(unreliable.refuses(tool));
        }
        let closes = |id: &str| self.ignore.as_ref().ok()?.closes(id);
        selection::choose(&self.catalogue, closes, id, tool)
    }

    /// The file that cannot be relied on, if there is one.
    pub fn unreliable(&self) -> Option<Unreliable> {
        Unreliable::find(&self.catalogue, self.ignore.as_ref())
    }

    /// What an agent that is working on the intent is told.
    pub fn briefing(&self, intent: &Intent) -> Briefing {
        let (recent, lessons) = (self.recent(&intent.id), self.lessons(intent));
        let mut intent = intent.clone();
        let waits = self.doubts().first().map(|doubt| {
            // Nothing may be written, so no path is shown.
            intent.owned_scope.clear();
            format!(
                "What `{}` says waits for a person (`roz intent confirm`): until then every write \
                 is refused.",
                doubt.file
            )
        });
        Briefing { intent, recent, lessons, waits }
    }

    /// The lessons about it, newest first.
    pub fn lessons(&self, intent: &Intent) -> Vec<String> {
        let text = self.brain().ok().flatten().unwrap_or_default();
        lessons::of_intent(&lessons::read(&text), intent, self.case)
    }

    /// Its last changes, newest first, one line each.
    pub fn recent(&self, id: &str) -> Vec<String> {
        const LOOKED_AT: u64 = 256 << 10;
        const TOLD: usize = 10;
        let path = self.root.join(FOLDER).join(LEDGER);
        let file = files::open(&path, fs::OpenOptions::new().read(true)).ok().flatten();
        let text = file.and_then(|(file, _)| log::tail(&file, LOOKED_AT).ok()).unwrap_or_default();
        let records = text.rsplit(|byte| *byte == b'\n').filter_map(Record::read);
        let is_of =
            |record: &Record| record.intent_id.as_deref() == Some(id) && !record.files.is_empty();
        records.filter(is_of).take(TOLD).map(|record| told(&record)).collect()
    }

    /// Returns whether the file was changed, since it may have that status already.
    pub fn set_status(&self, id: &str, status: Status, now: DateTime<Utc>) -> Result<bool, Error> {
        self.change(&Change::Status { id: id.to_owned(), status }, now)
    }

    pub fn add(&self, intent: Intent, now: DateTime<Utc>) -> Result<bool, Error> {
        self.change(&Change::Append(Box::new(intent)), now)
    }

    /// Adds these patterns to the intent. Returns those that it did not have.
    pub fn expand(
        &self,
        id: &str,
        patterns: &[String],
        now: DateTime<Utc>,
    ) -> Result<Vec<String>, Error> {
        let own = self.catalogue.find(id).map(|intent| &intent.owned_scope[..]).unwrap_or_default();
        let mut added: Vec<String> = Vec::new();
        for path in patterns.iter().filter(|path| !own.contains(path)) {
            if !added.contains(path) {
                added.push(path.clone());
            }
        }
        self.change(&Change::AddPaths { id: id.to_owned(), paths: added.clone() }, now)?;
        Ok(added)
    }

    fn change(&self, change: &Change, now: DateTime<Utc>) -> Result<bool, Error> {
        let hand = Author { now, is_agents: self.is_agents, until: Instant::now() + PATIENCE };
        Ok(edit::change(&self.root, &self.roz_home, change, hand)?)
    }

    /// The changes by calls that nobody has confirmed.
    pub fn doubts(&self) -> Vec<UnconfirmedChange> {
        unconfirmed::doubts(&self.root, &self.roz_home)
    }

    /// Records that a person has confirmed the present declarations.
    pub fn confirm(&self) -> Result<(), Error> {
        let until = Instant::now() + PATIENCE;
        let is_done = unconfirmed::confirm(&self.root, &self.roz_home, &self.hashes, until)?;
        if is_done { Ok(()) } else { Err(Error::Moved) }
    }

    /// The path of a file relative to the project's root, as lessons name it. `path` is relative to
    /// `cwd`, or, if nothing exists there, to the root. `None` if it leads out of the project.
    pub fn file(&self, path: &str, cwd: &Path) -> Option<String> {
        let site = Site::new(&self.root, None);
        let inside = |from: &Path| {
            let target = site.target(path, from);
            let [written, real] = target.places();
            let inside = [written, real].into_iter().find_map(|place| match place {
                Place::Inside(path) if !path.is_empty() => Some(path.clone()),
                _ => None,
            });
            (inside, target.kind != Kind::Absent)
        };
        let (from_here, is_there) = inside(cwd);
        match inside(&self.root) {
            (from_root, true) if !is_there => from_root,
            _ => from_here,
        }
    }

    /// Writes a lesson into the shared brain.
    pub fn learn(&self, lesson: &Lesson) -> Result<Learned, Error> {
        let folder = self.root.join(FOLDER);
        if super::is_link(&folder) {
            return Err(Error::Link(folder));
        }
        let path = folder.join(BRAIN);
        let _lock = lock(&path, &self.roz_home, Instant::now() + PATIENCE)?;
        let old = self.brain()?.unwrap_or_default();
        let (new, learned) = lessons::with(&old, lesson);
        if let Some(new) = new {
            files::rewrite(&path, new.as_bytes(), true)?;
        }
        Ok(learned)
    }

    fn brain(&self) -> Result<Option<String>, Error> {
        let path = self.root.join(FOLDER).join(BRAIN);
        text(&path, LARGEST_BRAIN).map_err(|why| Error::Unfit { path, why })
    }
}

/// `2026-03-01 12:30 INTENT_EVOLUTION src/a.rs, src/b.rs and 3 more`.
fn told(record: &Record) -> String {
    const FILES: usize = 5;
    let files = record.files.iter().take(FILES);
    let files: Vec<String> =
        files.map(|file| bounded::plain_line(&bounded::line(&file.path, 100))).collect();
    let more = match record.files.len().saturating_sub(FILES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let class = match record.mutation_class {
        Some(MutationClass::AstRefactor) => "AST_REFACTOR",
        Some(MutationClass::IntentEvolution) => "INTENT_EVOLUTION",
        None => "changed",
    };
    let time = record.timestamp.to_rfc3339_opts(SecondsFormat::Secs, true);
    format!("{time} {class} {}{more}", files.join(", "))
}
