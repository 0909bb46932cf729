//! `.orchestration/agent_trace.jsonl`: what was changed for which intent, a
//! line a record, committed with the project.
//!
//! A record is written whole, in one write at the file's end, behind the one
//! that its session wrote before: see [`chain`]. Which one that was is kept in
//! roz's home, so that a record costs the same however long the ledger is. A
//! line that was cut off stays, and the record after it tells of it.
//!
//! What a ledger that cannot be written means is the caller's to say: it can
//! ask beforehand, and have the record kept, see `kept`.

mod heads;
pub mod images;
mod kept;

use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use serde::Serialize;

use self::heads::{Heads, Known, Pending};
use crate::{
    core::{
        bounded,
        intent::{
            SIDECAR,
            ledger::{
                Behind, Record,
                chain::{Anchor, Chains, Head, Place, Problem, Verdict},
            },
        },
        session::SessionId,
    },
    storage::{Error, Result},
    world::{
        files::{self, Access},
        git,
        log::{self, Log},
    },
};

pub const NAME: &str = "agent_trace.jsonl";

/// The line of a `.gitattributes` beside the ledger, so that branches merge,
/// and no checkout changes the ends of lines.
pub const ATTRIBUTES: &str = "agent_trace.jsonl merge=union -text\n";

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
    heads: Heads,
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

/// What a ledger is found to be, with what else this machine knows.
#[derive(Debug, Serialize)]
pub struct Checked {
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What is missing here and stands in the ledger of another branch.
    pub elsewhere: Vec<Problem>,
    /// Files that ought to say which record is a session's last, and do not.
    pub damaged: Vec<PathBuf>,
}

impl Checked {
    pub fn is_whole(&self) -> bool {
        self.verdict.problems.is_empty()
    }
}

impl Ledger {
    /// The ledger of the project that `project` is the root of.
    pub fn new(project: &Path, roz_home: &Path) -> Self {
        // One project, however the way to it is spelt.
        let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        let heads = Heads::new(&project, roz_home);
        Self { path: project.join(SIDECAR).join(NAME), project, heads }
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
        self.path.exists() || self.heads.all().is_ok_and(|(anchors, _)| !anchors.is_empty())
    }

    /// Writes `record` behind its session's last one. Waits for other writers
    /// until then at most.
    ///
    /// # Errors
    ///
    /// If something else than a file is in the ledger's place, there is no
    /// folder for it, it is locked for too long or cannot be written. Then the
    /// record is not in it, and nothing that was is lost.
    pub fn append(&self, mut record: Record, until: Instant) -> Result<Appended> {
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
            let after = Self::newest_line(&log)?;
            let elsewhere = match &last {
                Some(last) if after.as_ref() != Some(&last.hash) => !self.holds(last, &log)?,
                _ => false,
            };
            record.follow(Behind { seq, prev, elsewhere, after, torn: torn.clone() });
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
            // A merge or a checkout puts a new file in the place of the old
            // one, perhaps with what was just written.
            if log.is_in_place() || self.is_near_end(&hash)? {
                // The record is there: that it was to be is known already.
                let _ = place.write(Some(&head), None);
                return Ok(Appended { hash, seq, torn });
            }
        }
        Err(self.failed(io::Error::other("it is replaced again and again")))
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

    /// Every line, with its number from 1, oldest first; none, if there is no
    /// ledger. One without an end comes last.
    pub fn each_line(&self, each: impl FnMut(u64, &[u8])) -> Result<()> {
        each_line(&self.path, each)
    }

    /// The newest records, newest first, from the last `bytes` of the ledger.
    pub fn newest(&self, bytes: u64) -> Result<Vec<Record>> {
        let Some((file, meta)) = files::open(&self.path, OpenOptions::new().read(true))? else {
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

    /// Looks whether the ledger is as it was written.
    pub fn verify(&self, until: Instant) -> Result<Checked> {
        let snapshot = self.snapshot(until)?;
        let mut chains = Chains::default();
        if let Some((file, length)) = &snapshot.file {
            let read = log::each_line_until(file, *length, LONGEST_LINE, |line| chains.add(line));
            chains.add_rest(&read.map_err(|err| self.failed(err))?.rest);
        }
        let mut verdict = chains.verdict(&snapshot.anchors);
        let elsewhere = self.elsewhere(&mut verdict, until);
        Ok(Checked { verdict, elsewhere, damaged: snapshot.damaged })
    }

    /// The ledger and the heads as they are at one time.
    fn snapshot(&self, until: Instant) -> Result<Snapshot> {
        let mut options = OpenOptions::new();
        // Locking would make the file.
        let is_there = files::open(&self.path, options.read(true))?.is_some();
        let lock = is_there.then(|| files::lock_for(&self.path, until, Access::Shared));
        let lock = lock.and_then(|it| it.ok().flatten());
        let found = files::open(&self.path, &mut options)?;
        let file = found.map(|(file, meta)| (file, meta.len()));
        let (anchors, damaged) = self.heads.all()?;
        drop(lock);
        Ok(Snapshot { file, anchors, damaged })
    }

    /// Takes out of `verdict` what is missing for no other reason than that it
    /// is in the ledger of another branch.
    fn elsewhere(&self, verdict: &mut Verdict, until: Instant) -> Vec<Problem> {
        /// Sessions that are looked for.
        const MOST: usize = 50;
        let mut asked: Vec<(String, Vec<String>)> = Vec::new();
        let mut is_elsewhere = |problem: &Problem| {
            let (Some(hash), Some(session)) = (problem.what.missing(), &problem.session_id) else {
                return false;
            };
            if !asked.iter().any(|(it, _)| it == session) {
                let lines = match session.parse::<SessionId>() {
                    Ok(_) if asked.len() < MOST => self.lines_elsewhere(session, until),
                    _ => Vec::new(),
                };
                let hashes = lines.iter().map(|it| bounded::sha256(it.as_bytes())).collect();
                asked.push((session.clone(), hashes));
            }
            asked.iter().any(|(it, found)| it == session && found.iter().any(|it| it == hash))
        };
        verdict.problems.extract_if(.., |it| is_elsewhere(it)).collect()
    }

    fn lines_elsewhere(&self, session: &str, until: Instant) -> Vec<String> {
        let words = format!("\"session_id\":\"{session}\"");
        git::lines_on_branches(self.declared_at(), &self.path, &words, until).unwrap_or_default()
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

struct Snapshot {
    file: Option<(File, u64)>,
    anchors: Vec<Anchor>,
    damaged: Vec<PathBuf>,
}

#[cfg(test)]
mod tests;
