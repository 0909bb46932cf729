//! Writes `intent_map.md`, under a lock, where a file of ours stands and
//! nothing else.
//!
//! Up to where the ledger was read, and what came of it, is kept in roz's home:
//! so a record more costs no look at the records before. Where the ledger or
//! the map is not the one that was kept (git has put another one there, a
//! person has written into it), the map is made of the whole ledger.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io,
    os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::Instant,
};

use serde::{Deserialize, Serialize};

use super::FOLDER;
use crate::{
    core::{
        bounded,
        intent::{
            catalogue::Catalogue,
            ledger::Record,
            map::{self, Map, NAME, Unclear},
        },
    },
    world::{
        cached,
        files::{self, Replacement},
        log,
    },
};

const LEDGER: &str = "agent_trace.jsonl";
const LARGEST: usize = 8 << 20;
const LONGEST_LINE: usize = 16 << 20;
/// A longer ledger is not read from its beginning in passing.
const LONGEST_IN_PASSING: u64 = 64 << 20;
/// So much of the ledger before a place says that it is the same place.
const TAIL: u64 = 4096;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to write the intent map")]
    File(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("`{}` is no UTF-8, or larger than {} MiB", .0.display(), LARGEST >> 20)]
    Unfit(PathBuf),
    #[error("`{}` is a symbolic link, not a folder", .0.display())]
    NoFolder(PathBuf),
    #[error("the intent map is left as it is")]
    Unclear(#[source] Unclear),
    #[error(
        "the intent map is not that of the ledger, which is too long to read in passing: \
         `roz intent map` makes it anew"
    )]
    TooLong,
}

/// How much is made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// What came since, where it is known what was there before.
    Known,
    Beginning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    pub is_changed: bool,
    /// So many were read for it.
    pub records: u64,
}

/// What the map is made of, and how far that was read.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    made_by: (String, u64),
    ledger: Place,
    /// The SHA-256 of what was written between the marks.
    block: String,
    map: Map,
}

/// In a file: behind a whole line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    file: (u64, u64),
    end: u64,
    /// The SHA-256 of what stands before it.
    tail: String,
}

const MADE_BY: cached::MadeBy =
    cached::made_by(&[include_bytes!("map.rs"), include_bytes!("../core/intent/map.rs")]);

/// Where it lies.
pub fn path(root: &Path) -> PathBuf {
    root.join(FOLDER).join(NAME)
}

/// Makes the map that of the ledger.
///
/// # Errors
///
/// If something else is in the place of one of the files, or it is not clear
/// which text in the map is roz's: then nothing is changed.
pub fn update(
    root: &Path,
    roz_home: &Path,
    catalogue: &Catalogue,
    until: Instant,
    from: From,
) -> Result<Written, Error> {
    let folder = root.join(FOLDER);
    if fs::symlink_metadata(&folder).is_ok_and(|it| it.is_symlink()) {
        return Err(Error::NoFolder(folder));
    }
    let path = path(root);
    let file = |err: files::Error| Error::File(Box::new(err));
    let stem = stem(&path, roz_home).map_err(|err| Error::File(Box::new(err)))?;
    let _lock = files::lock(&stem.with_extension("lock"), until).map_err(file)?;
    let found = files::read(&path).map_err(file)?;
    let mode = found.as_ref().map(|(_, meta)| meta.permissions().mode() & 0o7777);
    let bytes = found.map(|(bytes, _)| bytes).unwrap_or_default();
    let text = String::from_utf8(bytes).ok().filter(|it| it.len() <= LARGEST);
    let text = text.ok_or_else(|| Error::Unfit(path.clone()))?;
    let block = map::block(&text).map_err(Error::Unclear)?;

    let ledger_path = folder.join(LEDGER);
    let ledger = files::open(&ledger_path, OpenOptions::new().read(true)).map_err(file)?;
    let kept_path = stem.with_extension("json");
    let block = block.map(|it| bounded::sha256(&text.as_bytes()[it]));
    let kept = block.zip(ledger.as_ref()).and_then(|(block, (ledger, meta))| {
        let (bytes, _) = files::read(&kept_path).ok()??;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        let is_ours = (kept.made_by.0.as_str(), kept.made_by.1) == MADE_BY && kept.block == block;
        (is_ours && kept.ledger.is_in(ledger, meta)).then_some(kept)
    });
    let (mut map, mut end) = match kept.filter(|_| from == From::Known) {
        Some(kept) => (kept.map, kept.ledger.end),
        None => (Map::default(), 0),
    };
    let is_long = ledger.as_ref().is_some_and(|(_, meta)| meta.len() > LONGEST_IN_PASSING);
    if end == 0 && is_long && from == From::Known {
        return Err(Error::TooLong);
    }
    let mut records = 0;
    if let Some((ledger, _)) = &ledger {
        let add = |line: &[u8]| {
            if let Some(record) = Record::read(line) {
                records += 1;
                map.add(&record);
            }
        };
        let at = |source| files::Error::Io { path: ledger_path.clone(), source };
        let read = log::each_line(ledger, end, LONGEST_LINE, add);
        end = read.map_err(|err| file(at(err)))?.end;
    }
    let new = map.written_into(&text, catalogue).map_err(Error::Unclear)?;
    let is_changed = new != text;
    if is_changed {
        let tmp = folder.join(format!(".{NAME}.{}.tmp", std::process::id()));
        replace(&path, &tmp, new.as_bytes(), mode.or(Some(0o644))).map_err(file)?;
    }
    // Without it the next one reads the ledger from its beginning.
    let block = map::block(&new).ok().flatten().map(|it| bounded::sha256(&new.as_bytes()[it]));
    let place = ledger.and_then(|(it, meta)| Place::of(&it, &meta, end).ok());
    if let (Some(block), Some(ledger)) = (block, place) {
        let made_by = (MADE_BY.0.to_owned(), MADE_BY.1);
        let kept = Kept { made_by, ledger, block, map };
        let tmp = stem.with_extension(format!("{}.tmp", std::process::id()));
        if let Ok(bytes) = serde_json::to_vec(&kept) {
            let _ = replace(&kept_path, &tmp, &bytes, Some(0o600));
        }
    }
    Ok(Written { is_changed, records })
}

/// Whether a session is to be told what is wrong with the map, `why`; none:
/// nothing. Once is enough.
pub fn is_news(root: &Path, roz_home: &Path, session: &str, why: Option<&str>) -> bool {
    let Ok(stem) = stem(&path(root), roz_home) else { return why.is_some() };
    let mark = stem.with_extension("told");
    let Some(why) = why else {
        let _ = fs::remove_file(mark);
        return false;
    };
    let told = format!("{session}\n{why}");
    let is_known =
        files::read(&mark).is_ok_and(|it| it.is_some_and(|(it, _)| it == told.as_bytes()));
    if !is_known {
        let tmp = stem.with_extension(format!("told.{}.tmp", std::process::id()));
        let _ = replace(&mark, &tmp, told.as_bytes(), Some(0o600));
    }
    !is_known
}

/// Of the files in roz's home that are about a map.
fn stem(path: &Path, roz_home: &Path) -> io::Result<PathBuf> {
    let folder = roz_home.join("cache");
    fs::create_dir_all(&folder)?;
    let name = cached::hash(&[path.as_os_str().as_encoded_bytes()]);
    Ok(folder.join(format!("map-{name:032x}")))
}

fn replace(path: &Path, tmp: &Path, bytes: &[u8], mode: Option<u32>) -> files::Result<()> {
    let new = Replacement { bytes, modified: None, durable: false, mode };
    files::replace(path, tmp, &new).map(drop)
}

impl Place {
    fn of(file: &File, meta: &Metadata, end: u64) -> io::Result<Self> {
        let mut tail = vec![0; usize::try_from(end.min(TAIL)).unwrap_or(0)];
        file.read_exact_at(&mut tail, end - end.min(TAIL))?;
        Ok(Self { file: (meta.dev(), meta.ino()), end, tail: bounded::sha256(&tail) })
    }

    fn is_in(&self, file: &File, meta: &Metadata) -> bool {
        self.end <= meta.len() && Self::of(file, meta, self.end).is_ok_and(|it| it == *self)
    }
}
