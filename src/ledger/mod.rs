//! `.orchestration/agent_trace.jsonl`: what was changed for which intent, a line a record.
//!
//! Git ignores the file (`in_git`): a tracked one that changes with each edit breaks `git switch`,
//! `git pull --rebase` and `git stash pop`. Each record is in three places: in the file at once, in
//! a copy in roz's home ([`copy`]), from which the file is completed when it is gone, and, once it
//! is committed, in the notes of that commit ([`notes`]), which git carries elsewhere.
//!
//! A record is written whole, in one write at the file's end, behind the one
//! that its session wrote before: see [`chain`]. Which one that was is kept in
//! roz's home, so that a record costs the same however long the ledger is. A
//! line that was cut off stays, and the record after it tells of it.

mod copy;
mod heads;
pub mod images;
pub mod in_git;
pub mod notes;
mod share;
mod verify;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use self::{
    copy::Copy,
    heads::{Heads, Known, Pending},
    notes::Noted,
};
pub use self::{copy::folder_of, share::Vars, verify::Checked};
use crate::{
    core::{
        bounded,
        intent::{
            SIDECAR,
            ledger::{
                Behind, Record,
                chain::{Head, Place},
            },
        },
        session::SessionId,
    },
    storage::{Error, Result},
    world::{
        files::{self, Access},
        log::{self, Log},
    },
};
use rustix::fs::Access as May;

pub const NAME: &str = "agent_trace.jsonl";

/// A longer record is refused, and a longer line is none.
const LONGEST_LINE: usize = 16 << 20;

/// How far back a record is looked for whose place is not known.
const NEAR: u64 = 256 << 10;

/// How often a record is written again if the file was replaced meanwhile.
const ATTEMPTS: usize = 3;

#[derive(Debug, Clone)]
pub struct Ledger {
    path: PathBuf,
    project: PathBuf,
    roz_home: PathBuf,
    heads: Heads,
    copy: Copy,
    has_notes: bool,
    /// What else is read with the file, once it is gathered.
    beside: Beside,
}

/// Records that are not in the file.
#[derive(Debug, Clone, Default)]
struct Beside {
    /// Those of this project that wait for the file: git tracks it, or it could not be written.
    unwritten: Vec<Vec<u8>>,
    /// Those of other machines and clones.
    noted: Noted,
}

/// Where a record stands in its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The SHA-256 of its line.
    pub hash: String,
    pub seq: u64,
    /// That of a line that somebody did not write to its end.
    pub torn: Option<String>,
}

impl Ledger {
    /// The ledger of the project that `project` is the root of.
    pub fn new(project: &Path, roz_home: &Path) -> Self {
        // One project, however the way to it is spelt.
        let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        Self {
            path: project.join(SIDECAR).join(NAME),
            heads: Heads::new(&project, roz_home),
            copy: Copy::of(&project, roz_home),
            project,
            roz_home: roz_home.to_owned(),
            has_notes: true,
            beside: Beside::default(),
        }
    }

    /// The same, where the configuration says whether git carries the records.
    #[must_use]
    pub fn with_notes(self, has_notes: bool) -> Self {
        Self { has_notes, ..self }
    }

    /// With all that is known of the project's records: the file completed, and read together with
    /// the notes, this machine's and those that were fetched. For verbs; hooks have no time for it.
    #[must_use]
    pub fn gathered(mut self, until: Instant) -> Self {
        let _ = self.complete(until);
        self.beside.unwritten = self.copy.unwritten(&self.path);
        self.beside.noted = self.read_notes(until);
        self
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same ledger, for a linked work tree that has none of its own.
    #[must_use]
    pub fn of_work_tree(self, root: &Path) -> Self {
        Self { project: root.canonicalize().unwrap_or_else(|_| root.to_owned()), ..self }
    }

    /// The root of the project that declares the intents: that of the ledger's folder.
    pub fn declared_at(&self) -> &Path {
        self.path.ancestors().nth(2).unwrap_or(&self.project)
    }

    /// The root of the work tree, which paths in the ledger begin at.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Whether anything was ever written here, be it there still or not.
    pub fn has_begun(&self) -> bool {
        self.path.exists()
            || self.copy.exists()
            || self.heads.all().is_ok_and(|(anchors, _)| !anchors.is_empty())
    }

    /// Writes `record` behind its session's last one; where git tracks the file, only in roz's
    /// home. Waits for other writers until then at most.
    ///
    /// # Errors
    ///
    /// If something else than a file is in the ledger's place, there is no
    /// folder for it, it is locked for too long or cannot be written. Then the
    /// record is not in it, and nothing that was is lost.
    pub fn append(&self, record: Record, until: Instant) -> Result<Appended> {
        if self.is_tracked(until) {
            return self.append_at_home(record, until);
        }
        self.prepare_clone(until);
        self.complete(until)?;
        self.write(record, until)
    }

    /// Writes `record` in roz's home alone: the file is completed at the next chance.
    ///
    /// # Errors
    ///
    /// Then it is lost.
    pub fn append_at_home(&self, record: Record, until: Instant) -> Result<Appended> {
        self.copy.goes_ahead_of(&self.path, until)?;
        Self { path: self.copy.path().to_owned(), ..self.clone() }.write(record, until)
    }

    fn write(&self, mut record: Record, until: Instant) -> Result<Appended> {
        let session: SessionId = record
            .session_id
            .parse()
            .map_err(|err| self.failed(io::Error::new(ErrorKind::InvalidInput, err)))?;
        let place = self.heads.hold(&session, until)?;
        let known = place.read()?;
        for _ in 0..ATTEMPTS {
            let (log, _lock) = self.open(until)?;
            let last = self.last(known.as_ref(), &session, &log)?;
            let seq = last.as_ref().map_or(0, |it| it.seq).saturating_add(1);
            let torn = Self::torn(&log)?;
            let prev = last.as_ref().map(|it| it.hash.clone());
            let newest = Self::newest_line(&log)?;
            let elsewhere = match &last {
                Some(last) if newest.as_ref() != Some(&last.hash) => !self.holds(last, &log)?,
                _ => false,
            };
            record.follow(Behind { seq, prev, elsewhere, torn: torn.clone() });
            let mut line = serde_json::to_vec(&record).map_err(|err| self.failed(err.into()))?;
            if line.len() > LONGEST_LINE {
                let what = format!("a record of {} bytes is longer than a line may be", line.len());
                return Err(self.failed(io::Error::new(ErrorKind::InvalidInput, what)));
            }
            let hash = bounded::sha256(&line);
            let (session_id, id) = (record.session_id.clone(), record.id.clone());
            let head = Head { session_id, hash: hash.clone(), id, seq };
            let pending = Pending { head: head.clone(), at: log.end()?, length: line.len() as u64 };
            place.write(last.as_ref(), Some(&pending))?;
            line.push(b'\n');
            log.add(&line)?;
            // A checkout puts a new file in the place of the old one, perhaps with what was just
            // written.
            if log.is_in_place() || self.is_near_end(&hash)? {
                self.copy.add(&line, &self.path, until);
                // The record is there: that it was to be is known already.
                let _ = place.write(Some(&head), None);
                return Ok(Appended { hash, seq, torn });
            }
        }
        Err(self.failed(io::Error::other("it is replaced again and again")))
    }

    /// Whether a record of `session` could be written now. Nothing is written
    /// to the ledger for it: that the disk has room for one more line is all
    /// that can be told.
    ///
    /// # Errors
    ///
    /// What would keep it from being written.
    pub fn check(&self, session: &SessionId, until: Instant) -> Result<()> {
        drop(self.heads.hold(session, until)?);
        if self.is_tracked(until) {
            return Ok(());
        }
        let folder = self.path.parent().unwrap_or(&self.project);
        let at = |path: &Path| {
            let path = path.to_owned();
            move |err: rustix::io::Errno| Error::Io { path, source: err.into() }
        };
        match files::open(&self.path, OpenOptions::new().read(true).append(true))? {
            Some(_) => drop(files::lock_for(&self.path, until, Access::Shared)?),
            None => rustix::fs::access(folder, May::WRITE_OK | May::EXEC_OK).map_err(at(folder))?,
        }
        let space = rustix::fs::statvfs(folder).map_err(at(folder))?;
        if space.f_blocks > 0 && space.f_bavail == 0 {
            return Err(self.failed(ErrorKind::StorageFull.into()));
        }
        Ok(())
    }

    /// Puts into the file what it lacks: all of it where it is gone (`git clean -fdx`), and what
    /// was written in roz's home alone.
    ///
    /// # Errors
    ///
    /// Then it still lacks it, and nothing is lost.
    pub fn complete(&self, until: Instant) -> Result<()> {
        let is_gone = fs::symlink_metadata(&self.path).is_err();
        if !is_gone && !self.copy.is_ahead() || self.is_tracked(until) {
            return Ok(());
        }
        let mut earlier = Vec::new();
        if is_gone {
            earlier = self.in_history(until);
            earlier.extend(self.own_notes(until));
        }
        self.copy.complete(&self.path, earlier, is_gone, until)
    }

    fn open(&self, until: Instant) -> Result<(Log, Option<File>)> {
        let lock = match files::lock_for(&self.path, until, Access::Shared) {
            Ok(lock) => lock,
            // Some file systems have no locks; whatever else it is, opening
            // the file tells.
            Err(files::Error::Io { .. }) => None,
            Err(err) => return Err(err.into()),
        };
        let log = Log::open(&self.path)?.ok_or_else(|| self.failed(ErrorKind::NotFound.into()))?;
        Ok((log, lock))
    }

    /// The session's last record.
    fn last(&self, known: Option<&Known>, session: &SessionId, log: &Log) -> Result<Option<Head>> {
        let Some(known) = known else {
            // It is new here, or what was known is lost: then the end of the
            // ledger may tell.
            return Self::last_near_end(session, log);
        };
        let Some(pending) = &known.pending else { return Ok(known.last.clone()) };
        // Its writer was killed. Was it written?
        let mut line = vec![0; usize::try_from(pending.length).unwrap_or(0).min(LONGEST_LINE)];
        let is_there = log.file.read_exact_at(&mut line, pending.at).is_ok()
            && bounded::sha256(&line) == pending.head.hash;
        if is_there || self.is_near_end(&pending.head.hash)? {
            return Ok(Some(pending.head.clone()));
        }
        Ok(known.last.clone())
    }

    fn last_near_end(session: &SessionId, log: &Log) -> Result<Option<Head>> {
        let tail = log.tail(NEAR)?;
        let head = |line: &[u8]| {
            std::str::from_utf8(line).ok().filter(|it| it.contains(session.as_str()))?;
            let place = Place::read(line)?;
            (place.session_id == session.as_str()).then(|| place.head(line))
        };
        Ok(tail.rsplit(|it| *it == b'\n').find_map(head))
    }

    /// Whether a record is in the file. After a checkout the last one of a
    /// session may be on another branch; else it is near the end, and only where
    /// many lines of others came since is all of the file looked at.
    fn holds(&self, head: &Head, log: &Log) -> Result<bool> {
        // Hashing a line costs more than looking for the record's id in it.
        let is_it = |line: &[u8]| {
            std::str::from_utf8(line).is_ok_and(|it| it.contains(&head.id))
                && bounded::sha256(line) == head.hash
        };
        if log.tail(NEAR)?.rsplit(|it| *it == b'\n').any(is_it) {
            return Ok(true);
        }
        if log.len()? <= NEAR {
            return Ok(false);
        }
        let mut is_there = false;
        let look = |line: &[u8]| is_there = is_there || is_it(line);
        let read = log::each_line(&log.file, 0, LONGEST_LINE, look);
        let read = read.map_err(|err| self.failed(err))?;
        Ok(is_there || is_it(&read.rest))
    }

    fn is_near_end(&self, hash: &str) -> Result<bool> {
        let Some((file, _)) = files::open(&self.path, OpenOptions::new().read(true))? else {
            return Ok(false);
        };
        let tail = log::tail(&file, NEAR).map_err(|err| self.failed(err))?;
        Ok(tail.rsplit(|it| *it == b'\n').any(|line| bounded::sha256(line) == hash))
    }

    /// The hash of the last line that has an end, whosever it is. None where
    /// that line is longer than most: it is only one witness of the order.
    fn newest_line(log: &Log) -> Result<Option<String>> {
        let tail = log.tail(NEAR)?;
        let Some(end) = tail.iter().rposition(|it| *it == b'\n') else { return Ok(None) };
        let begun = tail[..end].iter().rposition(|it| *it == b'\n').map(|at| at + 1);
        let begun = begun.or(((tail.len() as u64) < NEAR).then_some(0));
        Ok(begun.map(|at| bounded::sha256(&tail[at..end])))
    }

    /// The hash of what stands behind the last end of a line. A record that
    /// lacks but its end is whole.
    fn torn(log: &Log) -> Result<Option<String>> {
        if log.end()? == log.len()? {
            return Ok(None);
        }
        let mut length = 64 << 10;
        loop {
            let tail = log.tail(length)?;
            let begun = tail.iter().rposition(|it| *it == b'\n').map(|at| at + 1);
            let is_all = (tail.len() as u64) < length || length > LONGEST_LINE as u64;
            match begun.or(is_all.then_some(0)) {
                Some(at) if Place::read(&tail[at..]).is_some() => return Ok(None),
                Some(at) => return Ok(Some(bounded::sha256(&tail[at..]))),
                None => length *= 4,
            }
        }
    }

    /// Every line, with its number from 1: those of the file, oldest first, then what is known
    /// beside it. A line of the file without an end comes behind the others.
    pub fn each_line(&self, mut each: impl FnMut(u64, &[u8])) -> Result<()> {
        let mut last = 0;
        each_line(&self.path, |number, line| {
            last = number;
            each(number, line);
        })?;
        let Beside { unwritten, noted } = &self.beside;
        for line in unwritten.iter().chain(noted.lines()) {
            last += 1;
            each(last, line);
        }
        Ok(())
    }

    /// The newest records, newest first, from the last `bytes` of the ledger.
    pub fn newest(&self, bytes: u64) -> Result<Vec<Record>> {
        let is_complete = self.path.exists() && !self.copy.is_ahead();
        let path = if is_complete { &self.path } else { self.copy.path() };
        let Some((file, meta)) = files::open(path, OpenOptions::new().read(true))? else {
            return Ok(Vec::new());
        };
        let tail = log::tail(&file, bytes).map_err(|err| self.failed(err))?;
        // Its first line may be half of one.
        let whole = if (tail.len() as u64) < meta.len() {
            tail.iter().position(|it| *it == b'\n').map_or(&[][..], |at| &tail[at..])
        } else {
            &tail
        };
        Ok(whole.rsplit(|it| *it == b'\n').filter_map(Record::read).collect())
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io { path: self.path.clone(), source }
    }
}

/// As [`Ledger::each_line`], of any file.
pub fn each_line(path: &Path, mut each: impl FnMut(u64, &[u8])) -> Result<()> {
    let Some((file, _)) = files::open(path, OpenOptions::new().read(true))? else {
        return Ok(());
    };
    let mut number = 0;
    let mut count = |line: &[u8]| {
        number += 1;
        each(number, line);
    };
    let read = log::each_line(&file, 0, LONGEST_LINE, &mut count);
    let read = read.map_err(|source| Error::Io { path: path.into(), source })?;
    if !read.rest.is_empty() {
        count(&read.rest);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
