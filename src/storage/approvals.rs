//! The table of approvals of a repository: `<ROZ_HOME>/approvals/<repository>.jsonl`.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use chrono::{DateTime, Utc};

use super::{Result, json_lines};
use crate::{
    core::review::approval::{self, Row, Table},
    world::{
        cached,
        files::{self, Access, At as _},
        log::Log,
    },
};

/// The table of one repository, by its key (`observe::work::Repository::key`).
#[derive(Debug)]
pub struct Approvals {
    path: PathBuf,
}

impl Approvals {
    pub fn of(home: &Path, key: &str) -> Self {
        Self { path: folder(home).join(format!("{key}.jsonl")) }
    }

    /// The keys of the repositories that have a table.
    pub fn keys(home: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder(home)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned)).collect()
    }

    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Reads the table. If the file exists but cannot be read, it is unknown what is approved.
    pub fn table(&self) -> Result<Table> {
        Ok(Table::of(self.rows()?))
    }

    fn rows(&self) -> Result<Vec<Row>> {
        let bytes = files::read_whole(&self.path)?.unwrap_or_default();
        Ok(json_lines::entries(&bytes).collect())
    }

    /// Adds rows, and returns once they are on the disk.
    pub fn append(&self, rows: &[Row], until: Instant) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        files::make_private_folder(folder).at(folder)?;
        let _lock = files::lock(&self.path.with_extension("lock"), until)?;
        let log = Log::open(&self.path, Access::Private)?;
        log.add(&json_lines::lines(rows).at(&self.path)?)?;
        Ok(log.sync()?)
    }

    /// Removes approvals older than `before`. Returns whether any are left.
    pub fn clean(&self, before: DateTime<Utc>, until: Instant) -> Result<bool> {
        let _lock = files::lock(&self.path.with_extension("lock"), until)?;
        let rows = self.rows()?;
        let kept = approval::kept(rows.clone(), before);
        if kept != rows {
            let bytes = json_lines::lines(&kept).at(&self.path)?;
            cached::replace(&self.path, &[&bytes]).at(&self.path)?;
        }
        Ok(kept.iter().any(|row| matches!(row, Row::Approved(_))))
    }
}

fn folder(home: &Path) -> PathBuf {
    home.join("approvals")
}
