//! Whether the ledger is as it was written, with all else that is known of it.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    path::PathBuf,
    time::Instant,
};

use serde::Serialize;

use super::{LONGEST_LINE, Ledger};
use crate::{
    core::{
        bounded,
        intent::ledger::chain::{Anchor, Chains, Problem, Verdict},
    },
    storage::Result,
    world::{
        files::{self, Access},
        git, log,
    },
};

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

/// The ledger and the heads as they are at one time.
struct Snapshot {
    file: Option<(File, u64)>,
    unwritten: Vec<Vec<u8>>,
    anchors: Vec<Anchor>,
    damaged: Vec<PathBuf>,
}

impl Ledger {
    /// Looks whether the ledger is as it was written.
    pub fn verify(&self, until: Instant) -> Result<Checked> {
        let Snapshot { file, unwritten, anchors, damaged } = self.snapshot(until)?;
        let mut chains = Chains::default();
        if let Some((file, length)) = &file {
            let read = log::each_line_until(file, *length, LONGEST_LINE, |line| chains.add(line));
            chains.add_rest(&read.map_err(|err| self.failed(err))?.rest);
        }
        for line in &unwritten {
            chains.add(line);
        }
        let mut verdict = chains.verdict(&anchors);
        let elsewhere = self.elsewhere(&mut verdict, until);
        self.beside.noted.judge(&mut verdict);
        Ok(Checked { verdict, elsewhere, damaged })
    }

    fn snapshot(&self, until: Instant) -> Result<Snapshot> {
        let mut options = OpenOptions::new();
        let written = if self.copy.is_ahead() { self.copy.path() } else { &self.path };
        // Locking would make the file.
        let is_there = files::open(written, options.read(true))?.is_some();
        let lock = is_there.then(|| files::lock_for(written, until, Access::Shared));
        let lock = lock.and_then(|it| it.ok().flatten());
        let found = files::open(&self.path, &mut options)?;
        let file = found.map(|(file, meta)| (file, meta.len()));
        let unwritten = self.copy.unwritten(&self.path);
        let (anchors, damaged) = self.heads.all()?;
        drop(lock);
        Ok(Snapshot { file, unwritten, anchors, damaged })
    }

    /// Takes out of `verdict` what is missing for no other reason than that it is in the ledger of
    /// another branch: where git tracks it, each has its own.
    fn elsewhere(&self, verdict: &mut Verdict, until: Instant) -> Vec<Problem> {
        /// Sessions that are looked for.
        const MOST: usize = 50;
        if verdict.problems.is_empty() || !self.is_tracked(until) {
            return Vec::new();
        }
        let lines_of = |session: &str| {
            let words = format!("\"session_id\":\"{session}\"");
            let found = git::lines_on_branches(self.declared_at(), &self.path, &words, until);
            let lines = found.unwrap_or_default();
            lines.iter().map(|line| bounded::sha256(line.as_bytes())).collect::<Vec<_>>()
        };
        let mut known: HashMap<String, Vec<String>> = HashMap::new();
        let mut is_elsewhere = |problem: &Problem| {
            let (Some(hash), Some(session)) = (problem.what.missing(), &problem.session_id) else {
                return false;
            };
            if !known.contains_key(session) && known.len() < MOST {
                known.insert(session.clone(), lines_of(session));
            }
            known.get(session).is_some_and(|hashes| hashes.iter().any(|it| it == hash))
        };
        verdict.problems.extract_if(.., |problem| is_elsewhere(problem)).collect()
    }
}
