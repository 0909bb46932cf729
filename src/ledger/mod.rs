//! `.orchestration/agent_trace.jsonl`: what was changed for which intent, one record per line.
//!
//! Git ignores the file ([`git_setup`]): a tracked file that changes with each edit breaks
//! `git switch`, `git pull --rebase` and `git stash pop`. Each record is in three places: first in
//! roz's home ([`home_log`]), then in the file, which is restored from there if it is gone, and,
//! once
//! its change is committed, in the notes of that commit ([`notes`]), which git carries to other
//! machines.
//!
//! A record contains the hash of its session's previous record: see [`chain`].

mod git_setup;
mod home_log;
pub mod images;
mod map;
mod notes;
mod remotes;

use std::{
    fs::OpenOptions,
    path::{Path, PathBuf},
    time::Instant,
};

use rustix::fs::Access as May;

pub use self::{git_setup::IGNORED, home_log::folder_of};
use self::{home_log::HomeLog, notes::Noted};
use crate::{
    core::intent::{
        SIDECAR,
        ledger::{
            Record,
            chain::{Chains, Verdict},
        },
    },
    world::{
        files::{self, Access, At as _, Result},
        in_a_line,
        log::{self, Log},
    },
};

pub const NAME: &str = "agent_trace.jsonl";

/// In bytes. A longer record is refused, and a longer line is ignored.
const LONGEST_LINE: usize = 16 << 20;

#[derive(Debug, Clone)]
pub struct Ledger {
    path: PathBuf,
    project: PathBuf,
    roz_home: PathBuf,
    home: HomeLog,
    has_notes: bool,
    /// After [`Self::gathered`]: records of this machine that are not in the file, because git
    /// tracks it or it could not be written.
    beside: Vec<Vec<u8>>,
    /// After [`Self::gathered`]: records of other machines and clones.
    noted: Noted,
}

/// A record that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The SHA-256 of its line.
    pub hash: String,
    /// Its number in its session, from 1.
    pub seq: u64,
    /// Why the file could not be written, if the record is only in roz's home for now.
    pub kept_back: Option<String>,
}

impl Ledger {
    /// The ledger of the project with this root.
    pub fn new(project: &Path, roz_home: &Path) -> Self {
        // The same project under every spelling of its path.
        let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        Self {
            path: project.join(SIDECAR).join(NAME),
            home: HomeLog::new(&project, roz_home),
            project,
            roz_home: roz_home.to_owned(),
            has_notes: true,
            beside: Vec::new(),
            noted: Noted::default(),
        }
    }

    /// Sets whether the records are copied into git notes, as configured.
    #[must_use]
    pub fn with_notes(self, has_notes: bool) -> Self {
        Self { has_notes, ..self }
    }

    /// Completes the file, and reads the records in notes and in git's history. For commands; it
    /// takes too long for a hook.
    #[must_use]
    pub fn gathered(mut self, until: Instant) -> Self {
        let _ = self.complete(until);
        self.beside = self.unwritten(until);
        self.noted = self.read_notes(until);
        self
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same ledger, used for a linked work tree that has none of its own.
    #[must_use]
    pub fn of_work_tree(self, root: &Path) -> Self {
        Self { project: root.canonicalize().unwrap_or_else(|_| root.to_owned()), ..self }
    }

    /// The root of the project that declares the intents and contains the ledger.
    pub fn declared_at(&self) -> &Path {
        self.path.ancestors().nth(2).unwrap_or(&self.project)
    }

    /// The root of the work tree, to which paths in the ledger are relative.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Whether it has any records.
    pub fn has_begun(&self) -> bool {
        self.path.exists() || self.home.exists()
    }

    /// Writes `record` after its session's last one, in roz's home and, unless git tracks it, in
    /// the project's file. Waits for other writers at most until then. If roz's home cannot be
    /// written, nothing is changed.
    pub fn append(&self, record: Record, until: Instant) -> Result<Appended> {
        let home = self.home.lock(&self.path, until)?;
        let is_complete = self.path.exists() && !self.home.is_ahead();
        let (head, line) = home.append(record)?;
        let hand_over = || {
            if is_complete {
                self.add(&line)?;
                home.mark_handed_over()
            } else {
                home.hand_over(&self.path)
            }
        };
        let mut kept_back = None;
        if !self.is_tracked(until) {
            self.prepare_clone(until);
            kept_back = hand_over().err().map(|err| in_a_line(&err));
        }
        Ok(Appended { hash: head.hash, seq: head.seq, kept_back })
    }

    /// The records of this machine that are not in the file. If git tracks the file, each branch
    /// has its own version.
    fn unwritten(&self, until: Instant) -> Vec<Vec<u8>> {
        if self.is_tracked(until) {
            return self.home.missing_in(&self.path, 0);
        }
        self.home.unwritten(&self.path)
    }

    fn add(&self, line: &[u8]) -> Result<()> {
        let log = Log::open(&self.path, Access::Shared)?;
        home_log::drop_torn(&log)?;
        log.add(line)
    }

    /// Fails if a record could not be written now. Writes nothing.
    pub fn check(&self, until: Instant) -> Result<()> {
        drop(self.home.lock(&self.path, until)?);
        if self.is_tracked(until) {
            return Ok(());
        }
        if files::open(&self.path, OpenOptions::new().read(true).append(true))?.is_none() {
            let folder = self.path.parent().unwrap_or(&self.project);
            rustix::fs::access(folder, May::WRITE_OK | May::EXEC_OK).at(folder)?;
        }
        Ok(())
    }

    /// Checks that the ledger has not been changed, with everything that is known about it.
    pub fn verify(&self, until: Instant) -> Result<Verdict> {
        // Locking would create the log. If it cannot be locked, nobody else writes to it either.
        let lock = self.home.exists().then(|| self.home.lock(&self.path, until).ok());
        let file = files::open(&self.path, OpenOptions::new().read(true))?;
        let unwritten = self.unwritten(until);
        let heads = self.home.session_heads();
        drop(lock);
        let mut chains = Chains::default();
        if let Some((file, meta)) = &file {
            let add = |line: &[u8]| chains.add(line);
            let read = log::each_line(file, 0..meta.len(), LONGEST_LINE, add);
            chains.add_rest(&read.at(&self.path)?.rest);
        }
        for line in &unwritten {
            chains.add(line);
        }
        let mut verdict = chains.verdict(&heads);
        self.noted.judge(&mut verdict);
        Ok(verdict)
    }

    /// Adds to the file what it lacks: everything if it is gone (`git clean -fdx`), else the
    /// records that are only in roz's home.
    pub fn complete(&self, until: Instant) -> Result<()> {
        let is_complete = self.path.exists() && !self.home.is_ahead();
        if is_complete || !self.home.exists() || self.is_tracked(until) {
            return Ok(());
        }
        self.home.lock(&self.path, until)?.hand_over(&self.path)
    }

    /// Every line with its number from 1: those of the file, oldest first, then those from
    /// elsewhere. A line without a newline comes last.
    pub fn each_line(&self, mut each: impl FnMut(u64, &[u8])) -> Result<()> {
        let mut last = 0;
        let mut count = |line: &[u8]| {
            last += 1;
            each(last, line);
        };
        if let Some((file, _)) = files::open(&self.path, OpenOptions::new().read(true))? {
            let read = log::each_line(&file, 0..u64::MAX, LONGEST_LINE, &mut count);
            let rest = read.at(&self.path)?.rest;
            if !rest.is_empty() {
                count(&rest);
            }
        }
        self.beside.iter().chain(&self.noted.lines).for_each(|line| count(line));
        Ok(())
    }

    /// Every record, sorted by time, because the records of merged branches may follow each other.
    pub fn records(&self) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        self.each_line(|_, line| records.extend(Record::read(line)))?;
        records.sort_by_key(|record| record.timestamp);
        Ok(records)
    }

    /// The newest records, newest first, from the last `bytes` of the ledger.
    pub fn newest(&self, bytes: u64) -> Result<Vec<Record>> {
        let path = if self.home.exists() { self.home.path() } else { &self.path };
        let Some((file, _)) = files::open(path, OpenOptions::new().read(true))? else {
            return Ok(Vec::new());
        };
        let tail = log::tail(&file, bytes).at(&self.path)?;
        // The first line may be incomplete, and is skipped.
        Ok(tail.rsplit(|byte| *byte == b'\n').filter_map(Record::read).collect())
    }
}

#[cfg(test)]
mod tests;
