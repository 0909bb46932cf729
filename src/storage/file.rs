//! Sessions as files, in a directory of their own:
//!
//! | file | what |
//! |---|---|
//! | `<id>.json` | the session, replaced as a whole |
//! | `<id>.trace.jsonl` | its trace, appended to |
//! | `<id>.lock` | held while either is written |
//! | `<id>.tmp` | the next version of one of them; only the lock's holder writes it |
//! | `<id>.corrupt-<time>` | a session that could not be parsed |
//!
//! The directory and the home that contains it may be links, since users may keep their files where
//! they like. The files in it may not. The directory is made private if it is not; an existing home
//! keeps its mode, because it may contain other things.

use std::{
    cmp::Reverse,
    collections::HashSet,
    fs::{self, DirEntry, File, Permissions},
    io::{self, ErrorKind},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant, SystemTime},
};

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;

use crate::{
    core::{
        session::{Session, SessionId, VERSION},
        trace::TraceEvent,
    },
    storage::{
        Activity, Error, Leftover, LeftoverKind, MessageStore, Result, Revision, Stored,
        check_version, json_lines, touch,
        trace::{self, Batch},
        without_fresh,
    },
    world::files::{self, At as _, Replacement, lock},
};

/// How long a reader waits for the lock before it moves a broken document away.
const PATIENCE: Duration = Duration::from_millis(200);

/// Keeps each session as a JSON file, with its trace next to it.
///
/// A reader takes no lock and never sees half a document, because a save renames a new one into
/// place. Parallel saves never lose each other's changes, because a save holds the session's lock
/// while it compares revisions.
#[derive(Debug)]
pub struct FileStore {
    dir: PathBuf,
    max_events: usize,
    is_prepared: AtomicBool,
}

/// The files of one session.
pub(super) struct Files {
    pub(super) state: PathBuf,
    pub(super) trace: PathBuf,
    pub(super) lock: PathBuf,
    pub(super) tmp: PathBuf,
}

/// What was found at the path of a session's document.
enum Document {
    Absent,
    Whole(Box<Stored>),
    Broken { why: io::Error, modified: SystemTime },
}

impl FileStore {
    /// `dir` is created by the first save. Each trace keeps `max_events` events.
    pub fn new(dir: PathBuf, max_events: u64) -> Self {
        Self { dir, max_events: trace::bound(max_events), is_prepared: AtomicBool::new(false) }
    }

    fn files(&self, id: &SessionId) -> Files {
        let file = |extension| self.dir.join(format!("{id}.{extension}"));
        Files {
            state: file("json"),
            trace: file("trace.jsonl"),
            lock: file("lock"),
            tmp: file("tmp"),
        }
    }

    /// Takes the session's lock, in a directory that exists and is private.
    fn lock(&self, files: &Files, until: Instant) -> Result<File> {
        if !self.is_prepared.load(Ordering::Relaxed) {
            prepare(&self.dir)?;
            self.is_prepared.store(true, Ordering::Relaxed);
        }
        if let Some(lock) = lock(&files.lock, until)? {
            return Ok(lock);
        }
        // The directory was removed meanwhile.
        prepare(&self.dir)?;
        let lock = lock(&files.lock, until)?;
        Ok(lock.ok_or_else(|| io::Error::from(ErrorKind::NotFound)).at(&files.lock)?)
    }

    /// Saves. The caller holds the lock.
    fn save(&self, files: &Files, mut session: Session, batch: Batch) -> Result<()> {
        session.version = VERSION;
        let durable = batch.durable;
        let undo = trace::add(files, &mut session.trace, batch, self.max_events)?;
        let saved = serde_json::to_vec(&session).at(&files.state).and_then(|json| {
            let modified = Some(SystemTime::from(session.updated_at));
            let new = Replacement { bytes: &json, modified, durable, mode: None };
            files::replace(&files.state, &files.tmp, &new)
        });
        if let Err(err) = saved {
            undo.carry_out();
            return Err(err.into());
        }
        if durable {
            File::open(&self.dir).and_then(|file| file.sync_all()).at(&self.dir)?;
        }
        Ok(())
    }

    /// Loads the session, and moves its file away if it cannot be parsed. The caller holds the
    /// lock.
    fn load(&self, id: &SessionId, files: &Files) -> Result<Option<Stored>> {
        match read(id, files)? {
            Document::Absent => Ok(None),
            Document::Whole(stored) => Ok(Some(*stored)),
            Document::Broken { why, modified } => {
                let kept_as = self.free_name(id, modified)?;
                fs::rename(&files.state, &kept_as).at(&kept_as)?;
                Err(Error::Corrupt { path: files.state.clone(), kept_as, source: why })
            }
        }
    }

    /// The path for a broken document that was written at `modified`. It does not exist yet, and no
    /// one else can create it while the caller holds the lock.
    fn free_name(&self, id: &SessionId, modified: SystemTime) -> Result<PathBuf> {
        let time = time(modified).format("%Y%m%dT%H%M%SZ");
        let mut path = self.dir.join(format!("{id}.corrupt-{time}"));
        let mut count = 1;
        loop {
            match fs::symlink_metadata(&path) {
                Err(err) if err.kind() == ErrorKind::NotFound => return Ok(path),
                Err(err) => Err(err).at(&path)?,
                Ok(_) => count += 1,
            }
            path = self.dir.join(format!("{id}.corrupt-{time}-{count}"));
        }
    }

    /// The files of sessions whose extension is wanted. An entry costs a system call only when its
    /// metadata is read.
    fn entries(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Entry>> {
        let dir = match fs::read_dir(&self.dir) {
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            dir => dir.at(&self.dir)?,
        };
        let mut entries = Vec::new();
        for file in dir {
            let file = file.at(&self.dir)?;
            let name = file.file_name();
            let Some((id, kind)) = name.to_str().and_then(|text| text.split_once('.')) else {
                continue;
            };
            if !is_wanted(kind) {
                continue;
            }
            let Ok(id) = id.parse() else { continue };
            entries.push(Entry { id, kind: kind.to_owned(), file });
        }
        Ok(entries)
    }
}

struct Entry {
    id: SessionId,
    kind: String,
    file: DirEntry,
}

impl Entry {
    /// When it was last written; `None` if it has been removed meanwhile.
    fn at(&self) -> Option<DateTime<Utc>> {
        self.file.metadata().ok()?.modified().ok().map(time)
    }
}

impl MessageStore for FileStore {
    fn get_session(&self, id: &SessionId) -> Result<Option<Stored>> {
        match self.look_at(id) {
            // Try again under the lock: another process may have saved the file, or moved it away
            // and told the user.
            Err(Error::Unreadable { .. }) => {
                let files = self.files(id);
                let _lock = self.lock(&files, Instant::now() + PATIENCE)?;
                self.load(id, &files)
            }
            found => found,
        }
    }

    fn look_at(&self, id: &SessionId) -> Result<Option<Stored>> {
        let files = self.files(id);
        match read(id, &files)? {
            Document::Absent => Ok(None),
            Document::Whole(stored) => Ok(Some(*stored)),
            Document::Broken { why, .. } => {
                Err(Error::Unreadable { path: files.state, source: why })
            }
        }
    }

    fn put_session(&self, session: &Session, revision: &Revision, until: Instant) -> Result<()> {
        let files = self.files(&session.session_id);
        check_version(session, &files.state)?;
        let _lock = self.lock(&files, until)?;
        check_revision(&files, revision)?;
        let durable = session.trace.must_survive();
        let (session, events) = without_fresh(session);
        let at = events.first().map_or(session.updated_at, |event| event.timestamp);
        self.save(&files, session, Batch { events, at, durable })
    }

    fn activity(&self) -> Result<Vec<Activity>> {
        let mut activity: Vec<_> = self
            .entries(|kind| kind == "json")?
            .into_iter()
            .filter_map(|entry| Some(Activity { at: entry.at()?, id: entry.id }))
            .collect();
        activity.sort_by_key(|activity| Reverse(activity.at));
        Ok(activity)
    }

    fn delete_session(
        &self,
        id: &SessionId,
        only_at: Option<&Revision>,
        until: Instant,
    ) -> Result<()> {
        let files = self.files(id);
        let Some(_lock) = lock(&files.lock, until)? else { return Ok(()) };
        if let Some(revision) = only_at {
            check_revision(&files, revision)?;
        }
        // The state goes first, so that a session never lacks its trace. The lock goes last, while
        // it is held, so that waiting processes see that it is gone.
        for path in [&files.state, &files.trace, &files.tmp, &files.lock] {
            files::remove(path)?;
        }
        Ok(())
    }

    fn append_trace(&self, id: &SessionId, events: &[TraceEvent], until: Instant) -> Result<()> {
        let files = self.files(id);
        let _lock = self.lock(&files, until)?;
        let Some(Stored { mut session, .. }) = self.load(id, &files)? else {
            return Err(Error::Absent { id: id.clone() });
        };
        check_version(&session, &files.state)?;
        touch(&mut session, events);
        let at = events.first().map_or(session.updated_at, |event| event.timestamp);
        self.save(&files, session, Batch { events: events.to_vec(), at, durable: false })
    }

    fn read_trace(&self, id: &SessionId) -> Result<Vec<TraceEvent>> {
        let bytes = files::read_whole(&self.files(id).trace)?.unwrap_or_default();
        Ok(trace::bounded(json_lines::entries(&bytes).collect(), self.max_events))
    }

    fn leftovers(&self) -> Result<Vec<Leftover>> {
        let entries = self.entries(|_| true)?;
        let of_state = |entry: &&Entry| entry.kind == "json";
        let known: HashSet<&SessionId> =
            entries.iter().filter(of_state).map(|entry| &entry.id).collect();
        let leftover = |entry: &Entry| {
            let kind = leftover_kind(&entry.kind)?;
            let belongs = match kind {
                LeftoverKind::Lock | LeftoverKind::Trace => known.contains(&entry.id),
                LeftoverKind::Temporary | LeftoverKind::Corrupt => false,
            };
            // We never create directories here.
            if belongs || entry.file.file_type().ok()?.is_dir() {
                return None;
            }
            let name = format!("{}.{}", entry.id, entry.kind);
            Some(Leftover { id: entry.id.clone(), kind, at: entry.at()?, name })
        };
        Ok(entries.iter().filter_map(leftover).collect())
    }

    fn sweep(&self, leftover: &Leftover, until: Instant) -> Result<bool> {
        let files = self.files(&leftover.id);
        let path = self.dir.join(&leftover.name);
        let Some(_lock) = lock(&files.lock, until)? else { return Ok(false) };
        // The session may exist again, or be about to be saved.
        let is_alone = is_absent(&files.state)?;
        let swept = match leftover.kind {
            LeftoverKind::Temporary | LeftoverKind::Corrupt => files::remove(&path)?,
            LeftoverKind::Trace => is_alone && files::remove(&path)?,
            LeftoverKind::Lock => is_alone,
        };
        // Taking the lock created the file.
        if is_alone {
            files::remove(&files.lock)?;
        }
        Ok(swept)
    }
}

fn leftover_kind(extension: &str) -> Option<LeftoverKind> {
    match extension {
        "tmp" => Some(LeftoverKind::Temporary),
        "lock" => Some(LeftoverKind::Lock),
        "trace.jsonl" => Some(LeftoverKind::Trace),
        other if other.starts_with("corrupt-") => Some(LeftoverKind::Corrupt),
        _ => None,
    }
}

/// The time of a file as a date. A file system can report any time, even one outside the range of
/// dates.
pub(super) fn time(of_file: SystemTime) -> DateTime<Utc> {
    let (since, is_after) = match of_file.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => (since, true),
        Err(err) => (err.duration(), false),
    };
    let delta = TimeDelta::from_std(since).unwrap_or(TimeDelta::MAX);
    let epoch = DateTime::UNIX_EPOCH;
    if is_after {
        epoch.checked_add_signed(delta).unwrap_or(DateTime::<Utc>::MAX_UTC)
    } else {
        epoch.checked_sub_signed(delta).unwrap_or(DateTime::<Utc>::MIN_UTC)
    }
}

fn read(id: &SessionId, files: &Files) -> Result<Document> {
    let Some((bytes, meta)) = files::read(&files.state)? else { return Ok(Document::Absent) };
    let modified = meta.modified().at(&files.state)?;
    if bytes.len() as u64 > files::MAX_DOCUMENT {
        let why = invalid("it is larger than any session".to_owned());
        return Ok(Document::Broken { why, modified });
    }
    let why = match serde_json::from_slice::<Session>(&bytes) {
        // Saving it would write to the other session's file.
        Ok(session) if session.session_id != *id => {
            invalid(format!("it holds session `{}`", session.session_id))
        }
        Ok(session) => {
            let revision = Revision::of(Some(&bytes));
            return Ok(Document::Whole(Box::new(Stored { session, revision })));
        }
        Err(err) => match serde_json::from_slice(&bytes) {
            Ok(Versioned { version }) if version > VERSION => {
                return Err(Error::NewerVersion { path: files.state.clone(), version });
            }
            _ => err.into(),
        },
    };
    Ok(Document::Broken { why, modified })
}

fn check_revision(files: &Files, revision: &Revision) -> Result<()> {
    let saved = files::read(&files.state)?.map(|(bytes, _)| bytes);
    if *revision == Revision::of(saved.as_deref()) { Ok(()) } else { Err(Error::Conflict) }
}

fn invalid(why: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

/// The only field that a document of a newer roz certainly has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Creates the directory with its parents, or makes an existing one private.
fn prepare(dir: &Path) -> Result<()> {
    match fs::symlink_metadata(dir) {
        Err(err) if err.kind() == ErrorKind::NotFound => {
            Ok(files::make_private_folder(dir).at(dir)?)
        }
        meta => {
            let meta = meta.at(dir)?;
            let is_ours = meta.uid() == rustix::process::geteuid().as_raw();
            if meta.is_dir() && is_ours && meta.mode() & 0o077 != 0 {
                // This fails on a read-only disk, which is fine.
                let _ = fs::set_permissions(dir, Permissions::from_mode(0o700));
            }
            Ok(())
        }
    }
}

fn is_absent(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(true),
        meta => Ok(meta.at(path).map(|_| false)?),
    }
}
