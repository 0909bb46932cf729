//! The ledger in roz's home, which is safe from checkouts and `git clean`. Every record is written
//! here first, and from here into the project's file.
//!
//! ```text
//! <ROZ_HOME>/projects/<project>/agent_trace.jsonl    every record of the project
//! <ROZ_HOME>/projects/<project>/ahead                up to which byte the project's file has them
//! <ROZ_HOME>/ledger/<project>/<session>.json         a session's last record
//! ```

use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    time::Instant,
};

use serde::{Deserialize, Serialize};

use super::{LONGEST_LINE, NAME};
use crate::{
    core::{
        bounded,
        intent::ledger::{
            Record,
            chain::{Head, Place},
        },
        session::SessionId,
    },
    world::{
        self, cached,
        files::{self, Access, At as _, Result},
        log::Log,
    },
};

/// How far from the end a session's last record is looked for if its file names one, in bytes.
const NEAR: u64 = 256 << 10;

#[derive(Debug, Clone)]
pub(super) struct HomeLog {
    path: PathBuf,
    /// The folder with a file for each session.
    heads: PathBuf,
}

/// The log, locked until this is dropped.
pub(super) struct Locked<'a> {
    home: &'a HomeLog,
    log: Log,
    _lock: Option<File>,
}

/// The file of a session's last record.
#[derive(Debug, Serialize, Deserialize)]
struct HeadFile {
    version: u32,
    last: Option<Head>,
}

/// Where roz keeps what it knows of a project.
pub fn folder_of(project: &Path, roz_home: &Path) -> PathBuf {
    roz_home.join("projects").join(name_of(project))
}

fn name_of(project: &Path) -> String {
    bounded::sha256(project.as_os_str().as_encoded_bytes())[..32].to_owned()
}

impl HomeLog {
    pub(super) fn new(project: &Path, roz_home: &Path) -> Self {
        let heads = roz_home.join("ledger").join(name_of(project));
        Self { path: folder_of(project, roz_home).join(NAME), heads }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Waits for other writers at most until then. A new log begins with the content of `file`.
    pub(super) fn lock(&self, file: &Path, until: Instant) -> Result<Locked<'_>> {
        let folder = self.path.parent().unwrap_or(&self.path);
        if !folder.is_dir() {
            files::make_private_folder(folder).at(folder)?;
        }
        let lock = files::lock(&self.path, until)?;
        let log = Log::open(&self.path, Access::Private)?;
        drop_torn(&log)?;
        // The code that writes the file reports anything else in its place.
        if log.len()? == 0
            && let Ok(Some(text)) = files::read_whole(file)
        {
            log.add(&text)?;
            drop_torn(&log)?;
            drop_torn(&Log::open(file, Access::Shared)?)?;
        }
        Ok(Locked { home: self, log, _lock: lock })
    }

    /// Whether the project's file lacks records of the log.
    pub(super) fn is_ahead(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|meta| meta.len() > self.handed_over())
    }

    fn handed_over(&self) -> u64 {
        let text = world::read_text(&self.mark(), 64);
        text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    fn mark(&self) -> PathBuf {
        self.path.with_file_name("ahead")
    }

    /// The lines that have not been copied to `file` yet.
    pub(super) fn unwritten(&self, file: &Path) -> Vec<Vec<u8>> {
        let from = usize::try_from(self.handed_over()).unwrap_or(usize::MAX);
        if self.is_ahead() { self.missing_in(file, from) } else { Vec::new() }
    }

    /// The lines from an offset on that `file` does not have.
    pub(super) fn missing_in(&self, file: &Path, from: usize) -> Vec<Vec<u8>> {
        let text = files::read_whole(&self.path).ok().flatten().unwrap_or_default();
        missing(text.get(from..).unwrap_or_default(), file)
    }

    pub(super) fn lines(&self) -> Vec<Vec<u8>> {
        let text = files::read_whole(&self.path).ok().flatten().unwrap_or_default();
        whole_lines(&text).map(<[u8]>::to_vec).collect()
    }

    /// The last record of each session that wrote on this machine. If a writer was killed, the file
    /// of its session may lack the last record of the log.
    pub(super) fn session_heads(&self) -> Vec<Head> {
        let entries = fs::read_dir(&self.heads).into_iter().flatten().flatten();
        let heads = entries.filter_map(|entry| read_head(&entry.path()));
        let mut heads: BTreeMap<String, Head> =
            heads.map(|head| (head.session_id.clone(), head)).collect();
        for line in self.lines() {
            let Some(place) = Place::read(&line) else { continue };
            if let Some(head) = heads.get_mut(&*place.session_id)
                && place.seq() > head.seq
            {
                *head = place.head(&line);
            }
        }
        heads.into_values().collect()
    }

    fn head_path(&self, session: &SessionId) -> PathBuf {
        self.heads.join(format!("{session}.json"))
    }
}

impl Locked<'_> {
    /// Adds a record after its session's last one. Returns its position and its line.
    pub(super) fn append(&self, mut record: Record) -> Result<(Head, Vec<u8>)> {
        let invalid = |err| io::Error::new(ErrorKind::InvalidInput, err);
        let session: SessionId = record.session_id.parse().map_err(invalid).at(&self.home.path)?;
        let last = self.last(&session)?;
        let seq = last.as_ref().map_or(0, |head| head.seq).saturating_add(1);
        let prev = last.map(|head| head.hash);
        record.follow(seq, prev);
        let mut line = serde_json::to_vec(&record).at(&self.home.path)?;
        if line.len() > LONGEST_LINE {
            let what = format!("a record of {} bytes is longer than a line may be", line.len());
            Err(io::Error::new(ErrorKind::InvalidInput, what)).at(&self.home.path)?;
        }
        let hash = bounded::sha256(&line);
        line.push(b'\n');
        self.log.add(&line)?;
        let head = Head { session_id: record.session_id, hash, id: record.id, seq };
        // If that fails, the record is found in the log.
        let file = HeadFile { version: 1, last: Some(head.clone()) };
        let text = serde_json::to_vec(&file).unwrap_or_default();
        let _ = cached::replace(&self.home.head_path(&session), &[&text]);
        Ok((head, line))
    }

    /// The session's last record. Its file may be one record behind; without a file the whole log
    /// is read. Lines that were imported from a project's file have no order, so the highest number
    /// counts.
    fn last(&self, session: &SessionId) -> Result<Option<Head>> {
        let head = |line: &[u8]| {
            // Most lines belong to other sessions, and this check is cheaper than parsing.
            std::str::from_utf8(line).ok().filter(|text| text.contains(session.as_str()))?;
            let place = Place::read(line)?;
            (place.session_id == session.as_str()).then(|| place.head(line))
        };
        let known = read_head(&self.home.head_path(session));
        let tail = self.log.tail(if known.is_some() { NEAR } else { u64::MAX })?;
        let near = tail.split(|byte| *byte == b'\n').filter_map(head);
        Ok(near.chain(known).max_by_key(|head| head.seq))
    }

    /// Adds to `file` what it lacks, or everything if it does not exist.
    pub(super) fn hand_over(&self, file: &Path) -> Result<()> {
        let log = Log::open(file, Access::Shared)?;
        drop_torn(&log)?;
        let missing = if log.len()? == 0 { self.home.lines() } else { self.home.unwritten(file) };
        if !missing.is_empty() {
            let mut text = missing.join(&b'\n');
            text.push(b'\n');
            log.add(&text)?;
        }
        self.mark_handed_over()
    }

    /// Records that the project's file is complete.
    pub(super) fn mark_handed_over(&self) -> Result<()> {
        let length = self.log.len()?.to_string();
        cached::replace(&self.home.mark(), &[length.as_bytes()]).at(&self.home.mark())
    }

    /// Adds the records that are only in `file` to the log.
    pub(super) fn absorb(&self, file: &Path) -> Result<()> {
        let text = files::read_whole(file)?.unwrap_or_default();
        let missing = missing(&text, &self.home.path);
        let text: Vec<u8> = missing.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect();
        if text.is_empty() { Ok(()) } else { self.log.add(&text) }
    }
}

fn read_head(path: &Path) -> Option<Head> {
    let (bytes, _) = files::read(path).ok()??;
    serde_json::from_slice::<HeadFile>(&bytes).ok()?.last
}

/// Removes the partial line that a killed writer left at the end. A record that lacks only its
/// newline is kept.
pub(super) fn drop_torn(log: &Log) -> Result<()> {
    let length = log.len()?;
    if log.end()? == length {
        return Ok(());
    }
    let tail = log.tail(LONGEST_LINE as u64)?;
    let line = tail.rsplit(|byte| *byte == b'\n').next().unwrap_or(&tail);
    if Place::read(line).is_none() {
        log.cut(length - line.len() as u64)?;
    }
    Ok(())
}

/// The lines that end with a newline.
fn whole_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    text[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// The lines of `text` that `file` does not have, without duplicates.
fn missing(text: &[u8], file: &Path) -> Vec<Vec<u8>> {
    let other = files::read_whole(file).ok().flatten().unwrap_or_default();
    let mut known: HashSet<String> =
        other.split(|byte| *byte == b'\n').map(bounded::sha256).collect();
    let is_new = |line: &&[u8]| known.insert(bounded::sha256(line));
    whole_lines(text).filter(is_new).map(<[u8]>::to_vec).collect()
}
