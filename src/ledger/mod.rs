//! `.orchestration/agent_trace.jsonl`: what was changed for which intent, one record per line.
//!
//! Git ignores the file ([`git_setup`]): a tracked file that changes with each edit breaks
//! `git switch`, `git pull --rebase` and `git stash pop`. Each record is in three places: first in
//! roz's home ([`home_log`]), then in the file, which is completed from there when it is gone, and,
//! once its change is committed, in the notes of that commit ([`notes`]), which git carries to other
//! machines.
//!
//! A record names the hash of the record that its session wrote before: see [`chain`].

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

/// A longer record is refused, and a longer line is none.
const LONGEST_LINE: usize = 16 << 20;

#[derive(Debug, Clone)]
pub struct Ledger {
    path: PathBuf,
    project: PathBuf,
    roz_home: PathBuf,
    home: HomeLog,
    has_notes: bool,
    /// Once they are gathered, records of this machine that are not in the file: git tracks it, or
    /// it could not be written.
    beside: Vec<Vec<u8>>,
    /// And those of other machines and clones.
    noted: Noted,
}

/// A record that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The SHA-256 of its line.
    pub hash: String,
    /// Its number in its session, from 1.
    pub seq: u64,
    /// Why it is only in roz's home for now, where the file could not be written.
    pub kept_back: Option<String>,
}

impl Ledger {
    /// The ledger of the project that `project` is the root of.
    pub fn new(project: &Path, roz_home: &Path) -> Self {
        // One project, however the way to it is spelt.
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

    /// The same, where the configuration says whether git carries the records.
    #[must_use]
    pub fn with_notes(self, has_notes: bool) -> Self {
        Self { has_notes, ..self }
    }

    /// Completes the file, and reads all else that is known of the project's records: notes, and
    /// what git's history has. For verbs; a hook has no time for it.
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

    /// Whether anything was ever written here.
    pub fn has_begun(&self) -> bool {
        self.path.exists() || self.home.exists()
    }

    /// Writes `record` behind its session's last one, in roz's home and, unless git tracks it, in
    /// the project's file. Waits for other writers until then at most.
    /// Where roz's home cannot be written, the record is nowhere, and nothing that was is lost.
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

    /// The records of this machine that are not in the file. Where git tracks it, each branch has a
    /// file of its own.
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

    /// Fails if a record could not be written now. Nothing is written for it.
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

    /// Looks whether the ledger is as it was written, with all else that is known of it.
    pub fn verify(&self, until: Instant) -> Result<Verdict> {
        // Locking would make the log. Where it cannot be locked, nobody writes.
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

    /// Puts into the file what it lacks: all of it where it is gone (`git clean -fdx`), and what
    /// was written in roz's home alone.
    pub fn complete(&self, until: Instant) -> Result<()> {
        let is_complete = self.path.exists() && !self.home.is_ahead();
        if is_complete || !self.home.exists() || self.is_tracked(until) {
            return Ok(());
        }
        self.home.lock(&self.path, until)?.hand_over(&self.path)
    }

    /// Every line, with its number from 1: those of the file, oldest first, then what is known
    /// beside it. A line of the file without an end comes behind the others.
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

    /// Every record, by its time: branches that were merged may stand one behind the other.
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
        // Its first line may be half of one, and is skipped.
        Ok(tail.rsplit(|byte| *byte == b'\n').filter_map(Record::read).collect())
    }
}

#[cfg(test)]
mod tests;
