//! `stats.log` in roz's home: how a project's learnings were used, one event per line. An older roz
//! kept it in the project's folder, where every shown learning changed a tracked file; such a log
//! is imported once, and left as it is.
//!
//! Whole lines are appended in one write, so that parallel processes lose nothing. Only new lines
//! are read: the sum of the others is cached in `<ROZ_HOME>/cache/`, with a hash of the beginning
//! and the end of what was read. If that does not match, the whole log is read again.

use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use serde::{Deserialize, Serialize};

use crate::{
    core::{
        bounded,
        reflection::usage::{Entry, View},
    },
    storage::{Result, json_lines},
    world::{
        cached,
        files::{self, Access, At as _},
        log::{self, Log},
    },
};

pub const NAME: &str = "stats.log";

/// In bytes. A longer line is not an entry of ours, and is not read into memory.
const LONGEST_LINE: usize = 1 << 20;

/// In bytes. Reading less is faster than writing a cache.
const WORTH_KEEPING: u64 = 64 << 10;

/// How many bytes at the beginning and at the end of what was read are hashed, to detect changes.
const PROOF: u64 = 4 << 10;

#[derive(Debug, Clone)]
pub struct UsageLog {
    path: PathBuf,
    cache: PathBuf,
    /// Where an older roz kept it.
    older: PathBuf,
}

impl UsageLog {
    /// `folder` is the project's folder in roz's home, `older` is roz's folder in the project.
    pub fn new(folder: &Path, older: &Path, roz_home: &Path) -> Self {
        let path = folder.join(NAME);
        let older = older.join(NAME);
        let name = bounded::sha256(path.as_os_str().as_encoded_bytes());
        let cache = roz_home.join(format!("cache/stats-{}.json", &name[..32]));
        Self { path, cache, older }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds all `entries`, or none of them. Waits for other writers at most until then.
    pub fn append(&self, entries: &[Entry], until: Instant) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let lines = json_lines::lines(entries).at(&self.path)?;
        if let Some(folder) = self.path.parent().filter(|folder| !folder.is_dir()) {
            files::make_private_folder(folder).at(folder)?;
        }
        // Some file systems have no locks.
        let _lock = files::lock(&self.path, until).ok().flatten();
        let log = Log::open(&self.path, Access::Private)?;
        if log.len()? == 0
            && let Ok(Some(older)) = files::read_whole(&self.older)
        {
            log.add(&older)?;
        }
        Ok(log.add(&lines)?)
    }

    /// As [`Self::read`], but without the cache.
    pub fn rebuild(&self) -> Result<View> {
        let _ = fs::remove_file(&self.cache);
        self.read()
    }

    /// The sum of the log; empty if there is none.
    pub fn read(&self) -> Result<View> {
        let open = |path: &Path| files::open(path, OpenOptions::new().read(true));
        let own = open(&self.path)?.filter(|(_, meta)| meta.len() > 0);
        let found = if own.is_none() { open(&self.older)? } else { own };
        let Some((file, _)) = found else { return Ok(View::default()) };
        let kept = self.kept(&file);
        let (mut view, from) = kept.map(|kept| (kept.view, kept.bytes)).unwrap_or_default();
        let read = log::each_line(&file, from..u64::MAX, LONGEST_LINE, |line| view.add_line(line))
            .at(&self.path)?;
        if read.end - from >= WORTH_KEEPING
            && let Some(proof) = proof(&file, read.end)
        {
            // If it cannot be cached, the next process only reads a little longer.
            let kept = Kept { made_by: MADE_BY, bytes: read.end, proof, view };
            let text = serde_json::to_vec(&kept).unwrap_or_default();
            let _ = cached::replace(&self.cache, &[&text]);
            view = kept.view;
        }
        view.add_line(&read.rest);
        Ok(view)
    }

    /// The cached view, if it belongs to this log.
    fn kept(&self, file: &File) -> Option<Kept> {
        let (bytes, _) = files::read(&self.cache).ok()??;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        (kept.made_by == MADE_BY && kept.proof == proof(file, kept.bytes)?).then_some(kept)
    }
}

/// A view, and the part of the log that it was made from.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    made_by: u64,
    /// How many bytes of the log the view covers.
    bytes: u64,
    /// The hash of that part's beginning and end.
    proof: String,
    view: View,
}

/// Changes whenever the code that makes views does.
const MADE_BY: u64 = cached::made_by(&[
    include_bytes!("usage_log.rs"),
    include_bytes!("core/reflection/usage/mod.rs"),
    include_bytes!("core/reflection/usage/summary.rs"),
])
.1;

fn proof(file: &File, bytes: u64) -> Option<String> {
    let mut part = vec![0; usize::try_from(bytes.min(PROOF)).ok()?];
    file.read_exact_at(&mut part, 0).ok()?;
    let first = bounded::sha256(&part);
    file.read_exact_at(&mut part, bytes - bytes.min(PROOF)).ok()?;
    Some(first + &bounded::sha256(&part))
}

#[cfg(test)]
mod tests;
