//! Whether the ledger is as it was written, with all else that is known of it.

use std::{
    fs::{File, OpenOptions},
    time::Instant,
};

use super::{LONGEST_LINE, Ledger};
use crate::{
    core::intent::ledger::chain::{Chains, Head, Verdict},
    storage::Result,
    world::{files, log},
};

/// The ledger and the sessions' last records as they are at one time.
struct Snapshot {
    file: Option<(File, u64)>,
    unwritten: Vec<Vec<u8>>,
    heads: Vec<Head>,
}

impl Ledger {
    /// Looks whether the ledger is as it was written.
    pub fn verify(&self, until: Instant) -> Result<Verdict> {
        let Snapshot { file, unwritten, heads } = self.snapshot(until)?;
        let mut chains = Chains::default();
        if let Some((file, length)) = &file {
            let read = log::each_line_until(file, *length, LONGEST_LINE, |line| chains.add(line));
            chains.add_rest(&read.map_err(|err| self.failed(err))?.rest);
        }
        for line in &unwritten {
            chains.add(line);
        }
        let mut verdict = chains.verdict(&heads);
        self.beside.noted.judge(&mut verdict);
        Ok(verdict)
    }

    fn snapshot(&self, until: Instant) -> Result<Snapshot> {
        // Locking would make the log. Where it cannot be locked, nobody writes.
        let lock = self.home.exists().then(|| self.home.lock(&self.path, until).ok());
        let found = files::open(&self.path, OpenOptions::new().read(true))?;
        let file = found.map(|(file, meta)| (file, meta.len()));
        let unwritten = self.unwritten(until);
        let heads = self.home.session_heads();
        drop(lock);
        Ok(Snapshot { file, unwritten, heads })
    }
}
