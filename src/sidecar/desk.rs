//! A project's intents for the verbs and the tools of roz's own server: looked
//! up, changed, and told to an agent.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::{
    FOLDER, edit,
    edit::{Change, Hand},
    load_fresh, load_ignore,
    target::Site,
    word, yaml,
};
use crate::{
    core::{
        bounded,
        intent::{
            briefing::Briefing,
            catalogue::{Catalogue, Intent, Problem, Status},
            doubt::{Doubt, Stand},
            ignore::Ignore,
            lessons::{self, Learned, Lesson},
            selection::{self, Refused, Unreliable},
            target::{Case, Kind, Place},
        },
    },
    world::{
        cached,
        files::{self, Replacement},
    },
};

/// The project's shared brain.
pub const BRAIN: &str = "CLAUDE.md";
const LEDGER: &str = "agent_trace.jsonl";

/// What waiting for other writers may cost.
const PATIENCE: Duration = Duration::from_secs(10);
const LARGEST_BRAIN: usize = 1 << 20;

#[derive(Debug)]
pub struct Desk {
    root: PathBuf,
    roz_home: PathBuf,
    /// What the files held before they were read.
    stand: Stand,
    pub catalogue: Catalogue,
    /// Or why nobody knows what it protects.
    pub ignore: Result<Ignore, Problem>,
    /// Whether case folds in the project.
    pub case: Case,
    /// Whether an agent's client started whoever stands at it.
    pub is_agents: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Edit(#[from] edit::Error),
    #[error("failed to write the lesson down")]
    File(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("failed to note it in roz's home")]
    Note(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("it changed meanwhile, and nothing is confirmed: look again")]
    Moved,
    #[error("`{}` is no UTF-8, or larger than 1 MiB: write the lesson by hand", .0.display())]
    Unfit(PathBuf),
    #[error("`{}` is {what}, not a folder", path.display())]
    NoFolder { path: PathBuf, what: &'static str },
}

impl Desk {
    /// None where the project declares nothing.
    pub fn open(root: &Path, roz_home: &Path) -> Option<Self> {
        let stand = word::stand(root);
        let catalogue = load_fresh(root)?;
        let ignore = load_ignore(root, &catalogue);
        // No file has that name; what counts is the folder.
        let case = Site::new(root, None).target("roz-case", root).case;
        let (root, roz_home) = (root.to_owned(), roz_home.to_owned());
        Some(Self { root, roz_home, stand, catalogue, ignore, case, is_agents: false })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The intent of that id, if it can be selected; `tool` wants to.
    pub fn choose(&self, id: &str, tool: &str) -> Result<&Intent, Refused> {
        if let Some(unreliable) = self.unreliable() {
            return Err(unreliable.refuses(tool));
        }
        let closes = |id: &str| self.ignore.as_ref().ok()?.closes(id);
        selection::choose(&self.catalogue, closes, id, tool)
    }

    /// Which file cannot be relied on, if one cannot.
    pub fn unreliable(&self) -> Option<Unreliable> {
        Unreliable::find(&self.catalogue, self.ignore.as_ref())
    }

    /// What an agent at the intent is told. `before` has what a file in doubt held
    /// before, as far as that is kept.
    pub fn briefing(
        &self,
        intent: &Intent,
        before: impl Fn(&Doubt) -> Option<Vec<u8>>,
    ) -> Briefing {
        let (recent, lessons) = (self.recent(&intent.id), self.lessons(intent));
        let (intent, waits) = self.counting(intent, before);
        Briefing { intent, recent, lessons, waits }
    }

    /// The intent as it counts, which is as it was before the file came into
    /// doubt, and what waits for a person. Where nobody knows how it was, no
    /// path counts.
    fn counting(
        &self,
        intent: &Intent,
        before: impl Fn(&Doubt) -> Option<Vec<u8>>,
    ) -> (Intent, Option<String>) {
        let doubts = self.doubts();
        let Some(first) = doubts.first() else { return (intent.clone(), None) };
        let mut counts = intent.clone();
        if let Some(doubt) = doubts.iter().find(|it| it.file == selection::FILE) {
            let before = before(doubt).map(|it| yaml::parse(&it));
            match before.as_ref().and_then(|it| it.find(&intent.id).ok()) {
                Some(before) => counts = before.clone(),
                None => counts.owned_scope.clear(),
            }
        }
        let waits = format!(
            "What `{}` says now waits for a person (`roz intent confirm`): the scope above is the \
             one that counts, and until then every write is refused.",
            first.file
        );
        (counts, Some(waits))
    }

    /// What was learned about it, newest first.
    pub fn lessons(&self, intent: &Intent) -> Vec<String> {
        let text = self.brain().ok().flatten().unwrap_or_default();
        lessons::of_intent(&lessons::read(&text), intent, self.case)
    }

    /// What was last changed for it, newest first, a line each.
    pub fn recent(&self, id: &str) -> Vec<String> {
        const LOOKED_AT: usize = 256 << 10;
        const TOLD: usize = 10;
        let path = self.root.join(FOLDER).join(LEDGER);
        let text = tail(&path, LOOKED_AT).unwrap_or_default();
        let changes = text.rsplit(|it| *it == b'\n').filter_map(|line| {
            let change: Entry = serde_json::from_slice(line).ok()?;
            (change.intent_id.as_deref() == Some(id) && !change.files.is_empty()).then_some(change)
        });
        changes.take(TOLD).map(|it| it.told()).collect()
    }

    /// Answers whether the file was changed: it may say so already.
    pub fn set_status(&self, id: &str, status: Status, now: DateTime<Utc>) -> Result<bool, Error> {
        self.change(&Change::Status { id: id.to_owned(), status }, now)
    }

    pub fn add(&self, intent: Intent, now: DateTime<Utc>) -> Result<bool, Error> {
        self.change(&Change::Append(Box::new(intent)), now)
    }

    /// Gives the intent these patterns too; answers which ones it did not have.
    pub fn expand(
        &self,
        id: &str,
        patterns: &[String],
        now: DateTime<Utc>,
    ) -> Result<Vec<String>, Error> {
        let mut added = Vec::new();
        for path in patterns {
            if self.change(&Change::AddPath { id: id.to_owned(), path: path.clone() }, now)? {
                added.push(path.clone());
            }
        }
        Ok(added)
    }

    fn change(&self, change: &Change, now: DateTime<Utc>) -> Result<bool, Error> {
        let hand = Hand { now, is_agents: self.is_agents, until: Instant::now() + PATIENCE };
        Ok(edit::change(&self.root, &self.roz_home, change, hand)?)
    }

    /// What a call changed, and nobody has confirmed.
    pub fn doubts(&self) -> Vec<Doubt> {
        word::doubts(&self.root, &self.roz_home)
    }

    /// A person says that what is declared is right as it stands here.
    pub fn confirm(&self, now: DateTime<Utc>) -> Result<(), Error> {
        let until = Instant::now() + PATIENCE;
        let (root, home) = (&self.root, &self.roz_home);
        let done = word::confirm(root, home, &self.stand, self.is_agents, now, until);
        let is_as_shown = done.map_err(|err| Error::Note(Box::new(err)))?;
        if is_as_shown { Ok(()) } else { Err(Error::Moved) }
    }

    /// The path of a file of the project as a lesson names it, from its root.
    /// `path` is relative to `cwd`; where nothing is there, perhaps to the root.
    /// None: it leads out of the project.
    pub fn file(&self, path: &str, cwd: &Path) -> Option<String> {
        let mut site = Site::new(&self.root, None);
        let mut inside = |from: &Path| {
            let target = site.target(path, from);
            let [written, real] = target.places();
            let inside = [written, real].into_iter().find_map(|it| match it {
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
        let is_link = fs::symlink_metadata(&folder).is_ok_and(|it| it.is_symlink());
        if is_link {
            return Err(Error::NoFolder { path: folder, what: "a symbolic link" });
        }
        let path = folder.join(BRAIN);
        let until = Instant::now() + PATIENCE;
        let file = |err: files::Error| Error::File(Box::new(err));
        let name = cached::hash(&[path.as_os_str().as_encoded_bytes()]);
        let locks = self.roz_home.join("cache");
        fs::create_dir_all(&locks).map_err(|err| Error::File(Box::new(err)))?;
        let lock = locks.join(format!("lessons-{name:032x}.lock"));
        let _lock = files::lock(&lock, until).map_err(file)?;
        let old = self.brain()?.unwrap_or_default();
        let (new, learned) = lessons::with(&old, lesson);
        let Some(new) = new else { return Ok(learned) };
        let mode = fs::symlink_metadata(&path).ok().map(|it| {
            use std::os::unix::fs::PermissionsExt as _;
            it.permissions().mode() & 0o7777
        });
        let tmp = folder.join(format!(".{BRAIN}.{}.tmp", std::process::id()));
        let new = Replacement {
            bytes: new.as_bytes(),
            modified: None,
            durable: true,
            mode: mode.or(Some(0o644)),
        };
        files::replace(&path, &tmp, &new).map_err(file)?;
        Ok(learned)
    }

    fn brain(&self) -> Result<Option<String>, Error> {
        let path = self.root.join(FOLDER).join(BRAIN);
        let found = files::read(&path).map_err(|err| Error::File(Box::new(err)))?;
        let Some((bytes, _)) = found else { return Ok(None) };
        if bytes.len() > LARGEST_BRAIN {
            return Err(Error::Unfit(path));
        }
        String::from_utf8(bytes).map(Some).map_err(|_| Error::Unfit(path))
    }
}

/// Of a record of the ledger what a briefing tells.
#[derive(Debug, Deserialize)]
struct Entry {
    intent_id: Option<String>,
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    mutation_class: Option<String>,
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Debug, Deserialize)]
struct File {
    #[serde(default)]
    path: String,
}

impl Entry {
    fn told(&self) -> String {
        const FILES: usize = 5;
        let line = |text: &str, max| bounded::plain_line(&bounded::line(text, max));
        let files: Vec<String> =
            self.files.iter().take(FILES).map(|it| line(&it.path, 100)).collect();
        let more = match self.files.len().saturating_sub(FILES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let class = line(self.mutation_class.as_deref().unwrap_or("changed"), 40);
        format!("{} {class} {}{more}", line(&self.timestamp, 40), files.join(", "))
    }
}

/// The last `max` bytes of a regular file, from the beginning of a line.
fn tail(path: &Path, max: usize) -> Option<Vec<u8>> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let (mut file, meta) = files::open(path, fs::OpenOptions::new().read(true)).ok()??;
    let from = meta.len().saturating_sub(max as u64);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(max as u64).read_to_end(&mut bytes).ok()?;
    if from > 0 {
        let begins = bytes.iter().position(|it| *it == b'\n').map_or(bytes.len(), |it| it + 1);
        bytes.drain(..begins);
    }
    Some(bytes)
}
