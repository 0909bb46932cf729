//! Learnings in the daily logs of Total Recall, and the claims in its registers.
//!
//! | where | what |
//! |---|---|
//! | `memory/daily/YYYY-MM-DD.md` | we write a section `## Learnings`, by the *local* day as Total
//! Recall does |
//! | | we read our entries in all of them, and the notes of others |
//! | `memory/registers/*.md` | we read each claim |
//!
//! Logs are append-only: a new status is a new line, and the last one applies. Entries have the
//! format of a `learnings.md` (see [`super::markdown`]), except for the heading, which is a line of
//! a log. Claims, notes and other sections are never changed.

mod notes;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use chrono::{DateTime, FixedOffset, Local, Utc};

use super::{
    Error, MemoryBackend, Problem, Reading, Result, is_id,
    markdown::{
        format,
        parse::{self, Style},
    },
    text_file::{Held, TextFile},
};
use crate::{
    core::reflection::learning::{Learning, Status},
    world::files::{Access, At as _},
};

const SECTION: &str = "## Learnings";

/// The beginning of a daily log, as Total Recall writes it.
const TEMPLATE: &str = "\
## Decisions

## Corrections

## Commitments

## Open Loops

## Notes
";

/// The `memory` of a project.
#[derive(Debug)]
pub struct TotalRecall {
    dir: PathBuf,
    patience: Duration,
    /// Converts a time to the user's time zone.
    local: fn(DateTime<Utc>) -> DateTime<FixedOffset>,
}

impl TotalRecall {
    pub fn new(project: &Path, patience: Duration) -> Self {
        let local = |time: DateTime<Utc>| time.with_timezone(&Local).fixed_offset();
        Self { dir: project.join("memory"), patience, local }
    }

    /// Whether a project uses Total Recall: it has the rules, or, if the rules are in a plugin of
    /// the client, the files that `/recall-init` creates.
    pub fn is_in(project: &Path) -> bool {
        const SIGNS: [&str; 5] = [
            "rules/total-recall.md",
            ".claude/rules/total-recall.md",
            "memory/.recall",
            "memory/registers/_index.md",
            "memory/registers/open-loops.md",
        ];
        project.join("memory").is_dir() && SIGNS.iter().any(|text| project.join(text).exists())
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The log of the day of the learning.
    fn log_of(&self, learning: &Learning) -> TextFile {
        let day = (self.local)(learning.created_at).format("%Y-%m-%d");
        self.file(self.dir.join(format!("daily/{day}.md")))
    }

    fn file(&self, path: PathBuf) -> TextFile {
        TextFile { path, access: Access::Shared, patience: self.patience }
    }

    /// The markdown files of a folder, by name.
    fn files(&self, folder: &str) -> Result<Vec<TextFile>> {
        let dir = self.dir.join(folder);
        let entries = match fs::read_dir(&dir) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.at(&dir)?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.at(&dir)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.ends_with(".md") && !name.starts_with(['.', '_']) {
                files.push(self.file(path));
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// Our learnings, and those that others wrote.
    fn read(&self) -> Result<(Reading, Vec<Learning>)> {
        let (mut ours, mut others) = (Reading::default(), Vec::new());
        let days = self.files("daily")?.into_iter().map(|file| (file, true));
        let registers = self.files("registers")?.into_iter().map(|file| (file, false));
        for (file, is_day) in days.chain(registers) {
            let bytes = match file.read() {
                Ok(Some(bytes)) => bytes,
                Ok(None) => continue,
                // A file that cannot be read must not hide the others.
                Err(err) => {
                    let place = file.path.display().to_string();
                    ours.problems.push(Problem { place, what: err.to_string() });
                    continue;
                }
            };
            if is_day {
                parse::parse(&bytes, Style::Log).read_into(&mut ours, &file.path);
                others.extend(notes::of_day(&file.path, &bytes, self.local));
            } else {
                let modified = fs::metadata(&file.path).and_then(|metadata| metadata.modified());
                let modified = modified.unwrap_or(SystemTime::UNIX_EPOCH);
                others.extend(notes::of_register(&file.path, &bytes, modified.into()));
            }
        }
        let is_new =
            |learning: &Learning| !ours.learnings.iter().any(|other| other.id == learning.id);
        others.retain(is_new);
        Ok((ours, others))
    }
}

impl MemoryBackend for TotalRecall {
    fn name(&self) -> &'static str {
        "total-recall"
    }

    fn write(&self, learning: &Learning) -> Result<()> {
        if !is_id(&learning.id) {
            return Err(Error::BadId { id: learning.id.clone() });
        }
        let local = (self.local)(learning.created_at);
        let log = self.log_of(learning);
        let held = log.hold()?;
        if parse::ids(&held.bytes, Style::Log).any(|text| text == learning.id) {
            return Err(Error::Exists { id: learning.id.clone() });
        }
        let mut entry = String::new();
        format::entry(learning, &local.format("[%H:%M] ").to_string(), &mut entry);
        if held.bytes.is_empty() {
            let day = local.format("%Y-%m-%d");
            return held.append(&format!("# {day}\n\n{TEMPLATE}\n{SECTION}\n\n{entry}"));
        }
        into_section(held, &entry)
    }

    fn all(&self) -> Result<Reading> {
        let (mut reading, others) = self.read()?;
        reading.learnings.extend(others);
        reading.sort();
        Ok(reading)
    }

    fn mark(&self, id: &str, status: Status) -> Result<()> {
        for log in self.files("daily")? {
            let is_here = |bytes: &[u8]| {
                let parsed = parse::parse(bytes, Style::Log);
                let found = parsed.entries.into_iter().find(|entry| entry.id == id);
                found.and_then(|entry| entry.learning.ok()).map(|learning| learning.status)
            };
            let Ok(Some(bytes)) = log.read() else { continue };
            if is_here(&bytes).is_none() {
                continue;
            }
            let held = log.hold()?;
            return match is_here(&held.bytes) {
                Some(now) if now == status => Ok(()),
                _ => into_section(held, &format!("- **Status:** {status} ^{}\n", format::mark(id))),
            };
        }
        if self.read()?.1.iter().any(|learning| learning.id == id) {
            return Err(Error::ReadOnly { path: self.dir.clone() });
        }
        Err(Error::NoSuch { id: id.to_owned() })
    }

    fn ping(&self) -> Result<()> {
        let meta = fs::metadata(&self.dir).at(&self.dir)?;
        if !meta.is_dir() {
            Err(io::Error::from(io::ErrorKind::NotADirectory)).at(&self.dir)?;
        }
        self.files("daily").map(drop)
    }
}

/// Adds `lines` at the end of our section, which is created if needed.
fn into_section(held: Held, lines: &str) -> Result<()> {
    let bytes = &held.bytes;
    let all: Vec<_> = parse::lines(bytes).collect();
    let is_ours = |line: &&parse::Line| line.text.is_some_and(|text| text.trim_end() == SECTION);
    let Some(section) = all.iter().rfind(is_ours).map(|line| line.number) else {
        let end = if bytes.ends_with(b"\n") { "" } else { "\n" };
        return held.append(&format!("{end}\n{SECTION}\n\n{lines}"));
    };
    let is_heading = |line: &&parse::Line| {
        let level = line.text.map(|text| text.find(|c| c != '#').unwrap_or(text.len()));
        matches!(level, Some(1 | 2))
            && line.text.is_some_and(|text| text.trim_start_matches('#').starts_with(' '))
    };
    let after = all[section..].iter().find(is_heading).map(|line| line.start);
    let Some(at) = after else {
        let end = if bytes.ends_with(b"\n") { "" } else { "\n" };
        let gap = if lines.starts_with('[') { "\n" } else { "" };
        return held.append(&format!("{end}{gap}{lines}"));
    };
    let mut changed = bytes[..at].to_vec();
    if !changed.ends_with(b"\n\n") {
        changed.push(b'\n');
    }
    changed.extend_from_slice(lines.as_bytes());
    changed.push(b'\n');
    changed.extend_from_slice(&bytes[at..]);
    held.replace(&changed)
}

#[cfg(test)]
mod tests;
