//! `stats.log`: what became of a project's learnings, one event per line, in roz's home. An older roz
//! had it in the project's folder, where every shown learning changed a tracked file; such a log is
//! taken over once, and left as it is.
//!
//! Lines are only added, whole, in one write at the file's end, so that processes side by side lose
//! nothing. Reading costs what is new: what the rest adds up to is kept in `<ROZ_HOME>/cache/`, with
//! the hash of its beginning and its end. A log that begins or goes on otherwise is read anew.

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
    storage::{Result, journal},
    world::{
        cached,
        files::{self, Access, At as _},
        log::{self, Log},
    },
};

pub const NAME: &str = "stats.log";

/// In bytes. A longer line is not an entry of ours, and is not read into memory.
const LONGEST_LINE: usize = 1 << 20;

/// What is read faster than a cache would be written.
const WORTH_KEEPING: u64 = 64 << 10;

/// Of the beginning and of the end of what was read, as proof that it is still that.
const PROOF: u64 = 4 << 10;

#[derive(Debug, Clone)]
pub struct UsageLog {
    path: PathBuf,
    cache: PathBuf,
    /// Where an older roz had it.
    older: PathBuf,
}

impl UsageLog {
    /// `folder` is where roz keeps what it knows of the project, `older` where the project keeps
    /// what is roz's.
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

    /// Adds `entries`, or none of them. Waits for other writers until then at most.
    pub fn append(&self, entries: &[Entry], until: Instant) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let lines = journal::lines(entries).at(&self.path)?;
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

    /// The same as [`Self::read`], from the first line on.
    pub fn rebuild(&self) -> Result<View> {
        let _ = fs::remove_file(&self.cache);
        self.read()
    }

    /// What the log adds up to; of a log that is not there, nothing.
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
            // It is a view: without it the next one reads a little longer.
            let kept = Kept { made_by: MADE_BY, bytes: read.end, proof, view };
            let text = serde_json::to_vec(&kept).unwrap_or_default();
            let _ = cached::replace(&self.cache, &[&text]);
            view = kept.view;
        }
        view.add_line(&read.rest);
        Ok(view)
    }

    /// The view of the beginning of this very log.
    fn kept(&self, file: &File) -> Option<Kept> {
        let (bytes, _) = files::read(&self.cache).ok()??;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        (kept.made_by == MADE_BY && kept.proof == proof(file, kept.bytes)?).then_some(kept)
    }
}

/// A view, and what it was made of.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    made_by: u64,
    /// How much of the log is in the view.
    bytes: u64,
    /// The hash of that part's beginning and end.
    proof: String,
    view: View,
}

/// Changes whenever the code that makes views does.
const MADE_BY: u64 = cached::made_by(&[
    include_bytes!("usage_log.rs"),
    include_bytes!("core/reflection/usage/mod.rs"),
    include_bytes!("core/reflection/usage/view.rs"),
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
