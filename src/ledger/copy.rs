//! The ledger's copy in roz's home, where no checkout and no `git clean` comes: each record as it
//! stands in the file, and before that one, where the file cannot be written.
//!
//! ```text
//! <ROZ_HOME>/projects/<project>/agent_trace.jsonl    the copy
//! <ROZ_HOME>/projects/<project>/ahead                from which byte on the file lacks it
//! ```

use std::{
    collections::HashSet,
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use super::NAME;
use crate::{
    core::bounded,
    storage::{Error, Result},
    world::{
        self,
        files::{self, Access},
        log::Log,
    },
};

#[derive(Debug, Clone)]
pub(super) struct Copy {
    path: PathBuf,
}

/// Where roz keeps what it knows of a project.
pub fn folder_of(project: &Path, roz_home: &Path) -> PathBuf {
    let name = bounded::sha256(project.as_os_str().as_encoded_bytes());
    roz_home.join("projects").join(&name[..32])
}

impl Copy {
    pub(super) fn of(project: &Path, roz_home: &Path) -> Self {
        Self { path: folder_of(project, roz_home).join(NAME) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Whether the file lacks records that are here.
    pub(super) fn is_ahead(&self) -> bool {
        self.mark().exists()
    }

    fn mark(&self) -> PathBuf {
        self.path.with_file_name("ahead")
    }

    /// Adds a line that `file` has by now. What goes wrong costs nobody a record: the copy is
    /// made anew from the file at the next one.
    pub(super) fn add(&self, line: &[u8], file: &Path, until: Instant) {
        if file == self.path {
            return;
        }
        let added = self
            .begun(file, until)
            .and_then(|(log, is_new, _lock)| if is_new { Ok(()) } else { Ok(log.add(line)?) });
        if added.is_err() && !self.is_ahead() {
            let _ = fs::remove_file(&self.path);
        }
    }

    /// From now on records are written here, and not into `file`.
    pub(super) fn goes_ahead_of(&self, file: &Path, until: Instant) -> Result<()> {
        let (log, _, _lock) = self.begun(file, until)?;
        if !self.is_ahead() {
            let from = log.end()?;
            let written = world::cached::replace(&self.mark(), &[from.to_string().as_bytes()]);
            written.map_err(|source| Error::Io { path: self.mark(), source })?;
        }
        Ok(())
    }

    /// The copy, locked: a new one holds what `file` holds. Answers whether it is one.
    fn begun(&self, file: &Path, until: Instant) -> Result<(Log, bool, Option<File>)> {
        let folder = self.path.parent().unwrap_or(&self.path);
        if !folder.is_dir() {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|source| Error::Io { path: folder.to_owned(), source })?;
        }
        let lock = files::lock_for(&self.path, until, Access::Private)?;
        let log = Log::open(&self.path)?;
        let log = log.ok_or_else(|| self.failed(io::ErrorKind::NotFound.into()))?;
        let is_new = log.len()? == 0;
        // Something else in its place is the writer's to name.
        if is_new && let Ok(Some(text)) = files::read_whole(file) {
            log.add(&text)?;
        }
        Ok((log, is_new, lock))
    }

    /// The lines that `file` lacks and waits for.
    pub(super) fn unwritten(&self, file: &Path) -> Vec<Vec<u8>> {
        let from = world::read_text(&self.mark(), 64).and_then(|it| it.trim().parse().ok());
        let Some(from) = from else { return Vec::new() };
        let text = files::read_whole(&self.path).ok().flatten().unwrap_or_default();
        let mut known = hashes(file);
        let lines = whole_lines(text.get(from..).unwrap_or_default());
        lines.filter(|line| known.insert(bounded::sha256(line))).map(<[u8]>::to_vec).collect()
    }

    /// Puts into `file` what it lacks: of one that is gone `earlier`, and all that is here.
    pub(super) fn complete(
        &self,
        file: &Path,
        earlier: Vec<Vec<u8>>,
        is_gone: bool,
        until: Instant,
    ) -> Result<()> {
        let lock =
            if self.exists() { files::lock_for(&self.path, until, Access::Private)? } else { None };
        let mut missing = earlier;
        if is_gone {
            let text = files::read_whole(&self.path)?.unwrap_or_default();
            missing.extend(whole_lines(&text).map(<[u8]>::to_vec));
        } else {
            missing.extend(self.unwritten(file));
        }
        // Another process may have completed it while this one waited.
        let mut known = hashes(file);
        missing.retain(|line| known.insert(bounded::sha256(line)));
        if !missing.is_empty() {
            let Some(log) = Log::open(file)? else { return Ok(()) };
            let mut text = missing.join(&b'\n');
            text.push(b'\n');
            log.add(&text)?;
        }
        if self.is_ahead() {
            files::remove(&self.mark())?;
        }
        drop(lock);
        Ok(())
    }

    /// Adds what `file` has and this has not.
    pub(super) fn absorb(&self, file: &Path, until: Instant) -> Result<()> {
        let (log, is_new, _lock) = self.begun(file, until)?;
        if is_new {
            return Ok(());
        }
        let known = hashes(&self.path);
        let text = files::read_whole(file)?.unwrap_or_default();
        let missing = whole_lines(&text).filter(|line| !known.contains(&bounded::sha256(line)));
        let missing: Vec<u8> = missing.flat_map(|line| [line, b"\n"].concat()).collect();
        if missing.is_empty() { Ok(()) } else { Ok(log.add(&missing)?) }
    }

    /// Each line.
    pub(super) fn lines(&self) -> Vec<Vec<u8>> {
        let text = files::read_whole(&self.path).ok().flatten().unwrap_or_default();
        whole_lines(&text).map(<[u8]>::to_vec).collect()
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io { path: self.path.clone(), source }
    }
}

/// The lines that have an end.
fn whole_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    text[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn hashes(file: &Path) -> HashSet<String> {
    let text = files::read_whole(file).ok().flatten().unwrap_or_default();
    text.split(|byte| *byte == b'\n').map(bounded::sha256).collect()
}
