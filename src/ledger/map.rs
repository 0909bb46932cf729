//! `intent_map.md`, written from the records in roz's home.
//!
//! The map so far and how many bytes of the log are in it are stored next to the log, so that
//! adding a record does not read the earlier ones again.

use std::{collections::HashSet, fs, path::PathBuf, time::Instant};

use serde::{Deserialize, Serialize};

use super::{LONGEST_LINE, Ledger};
use crate::{
    core::{
        bounded,
        intent::{
            SIDECAR,
            catalogue::Catalogue,
            ledger::Record,
            map::{Map, NAME, Unclear},
        },
    },
    world::{cached, files, in_a_line, log},
};

const LARGEST: usize = 8 << 20;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to write the intent map")]
    Files(#[from] files::Error),
    #[error("`{}` is not UTF-8, or larger than {} MiB", .0.display(), LARGEST >> 20)]
    Unfit(PathBuf),
    #[error("`{}` is a symbolic link, not a folder", .0.display())]
    Link(PathBuf),
    #[error("the intent map is left as it is")]
    Unclear(#[from] Unclear),
}

/// What `map.json`, next to the log, keeps between calls.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    made_by: u64,
    /// How much of the log in roz's home it covers, in bytes.
    end: u64,
    map: Map,
    /// Why the map last could not be written. It has been reported.
    failed: Option<String>,
}

/// Changes whenever the code that makes the map does.
const MADE_BY: u64 =
    cached::made_by(&[include_bytes!("map.rs"), include_bytes!("../core/intent/map.rs")]).1;

impl Ledger {
    pub fn map_path(&self) -> PathBuf {
        self.declared_at().join(SIDECAR).join(NAME)
    }

    /// Adds the new records to the map. Returns why it cannot be written, once.
    pub fn update_map(&self, catalogue: &Catalogue, until: Instant) -> Option<String> {
        let _lock = files::lock(&self.beside_log("map.lock"), until).ok()?;
        let (file, meta) =
            files::open(self.home.path(), fs::OpenOptions::new().read(true)).ok()??;
        let kept = files::read(&self.beside_log("map.json")).ok().flatten();
        let kept = kept.and_then(|(bytes, _)| serde_json::from_slice::<Kept>(&bytes).ok());
        let kept = kept.filter(|kept| kept.made_by == MADE_BY && kept.end <= meta.len());
        let mut kept = kept.unwrap_or_default();
        let add = |line: &[u8]| {
            if let Some(record) = Record::read(line) {
                kept.map.add(&record);
            }
        };
        kept.end = log::each_line(&file, kept.end..u64::MAX, LONGEST_LINE, add).ok()?.end;
        let failed = self.put_map(&kept.map, catalogue).err().map(|err| in_a_line(&err));
        let news = failed.clone().filter(|why| kept.failed.as_ref() != Some(why));
        self.keep_map(Kept { failed, ..kept });
        news
    }

    /// Rewrites the map from all known records. Returns whether it has changed, and the number of
    /// records.
    pub fn write_map(&self, catalogue: &Catalogue, until: Instant) -> Result<(bool, u64), Error> {
        let mut kept = Kept::default();
        let mut known = HashSet::new();
        let mut add = |line: &[u8]| {
            if let Some(record) = Record::read(line)
                && known.insert(bounded::sha256(line))
            {
                kept.map.add(&record);
            }
        };
        let _lock = files::lock(&self.beside_log("map.lock"), until)?;
        kept.end = fs::metadata(self.home.path()).map_or(0, |meta| meta.len());
        self.home.lines().iter().for_each(|line| add(line));
        self.each_line(|_, line| add(line))?;
        let is_changed = self.put_map(&kept.map, catalogue)?;
        self.keep_map(kept);
        Ok((is_changed, known.len() as u64))
    }

    fn put_map(&self, map: &Map, catalogue: &Catalogue) -> Result<bool, Error> {
        let path = self.map_path();
        let folder = self.declared_at().join(SIDECAR);
        if fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_symlink()) {
            return Err(Error::Link(folder));
        }
        let found = files::read(&path)?;
        let text = String::from_utf8(found.map(|(bytes, _)| bytes).unwrap_or_default());
        let text = text.ok().filter(|text| text.len() <= LARGEST);
        let text = text.ok_or_else(|| Error::Unfit(path.clone()))?;
        let new = map.written_into(&text, catalogue)?;
        if new == text {
            return Ok(false);
        }
        files::rewrite(&path, new.as_bytes(), false)?;
        Ok(true)
    }

    /// Stores the state. If that fails, the next update reads all records.
    fn keep_map(&self, kept: Kept) {
        let text = serde_json::to_vec(&Kept { made_by: MADE_BY, ..kept }).unwrap_or_default();
        let _ = cached::replace(&self.beside_log("map.json"), &[&text]);
    }

    fn beside_log(&self, name: &str) -> PathBuf {
        self.home.path().with_file_name(name)
    }
}
