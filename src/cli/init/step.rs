//! What `roz init` does to a file: creates it, adds to it, or leaves it to the user.

use std::{fs, fs::OpenOptions, io::Write as _, path::Path};

use serde::Serialize;

use crate::world::{
    files::{self, Access},
    in_a_line,
};

/// The largest file that lines are added to, in bytes.
const LARGEST: usize = 4 << 20;

#[derive(Serialize)]
#[serde(tag = "did", rename_all = "snake_case")]
pub(super) enum Step {
    Wrote { file: String },
    Added { file: String, what: String },
    Kept { file: String },
    Left { file: String, why: String, by_hand: String },
    Untracked { file: String },
}

pub(super) fn new_file(project: &Path, name: &str, text: &str) -> Step {
    let path = project.join(name);
    if fs::symlink_metadata(&path).is_ok() {
        return Step::Kept { file: name.to_owned() };
    }
    let file = name.to_owned();
    match put(&path, OpenOptions::new().write(true).create_new(true), text) {
        Ok(()) => Step::Wrote { file },
        Err(why) => Step::Left { file, why, by_hand: text.to_owned() },
    }
}

/// Adds the lines that a file does not have yet. A line that contains all words of one counts as
/// that line.
pub(super) fn lines(project: &Path, name: &str, wanted: &[String]) -> Step {
    let (path, file) = (project.join(name), name.to_owned());
    let by_hand = wanted.join("\n");
    let old = match text_of(&path) {
        Ok(old) => old,
        Err(why) => return Step::Left { file, why, by_hand },
    };
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let has = |wanted: &str| {
        let wanted = words(wanted);
        old.lines().map(words).any(|line| wanted.iter().all(|word| line.contains(word)))
    };
    let missing: Vec<&str> = wanted.iter().map(String::as_str).filter(|text| !has(text)).collect();
    if missing.is_empty() {
        return Step::Kept { file };
    }
    let gap = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
    let lines = format!("{gap}{}\n", missing.join("\n"));
    let lines = if old.contains("\r\n") { lines.replace('\n', "\r\n") } else { lines };
    match put(&path, OpenOptions::new().append(true).create(true), &lines) {
        Ok(()) => Step::Added { file, what: missing.join(", ") },
        Err(why) => Step::Left { file, why, by_hand },
    }
}

fn put(path: &Path, options: &mut OpenOptions, text: &str) -> Result<(), String> {
    let written = files::open_for(path, options, Access::Shared).and_then(|opened| {
        let Some((mut file, _)) = opened else { return Ok(()) };
        let written = file.write_all(text.as_bytes());
        written.map_err(|source| files::Error::Io { path: path.to_owned(), source })
    });
    written.map_err(|err| in_a_line(&err))
}

/// The text of a file, empty if it does not exist; or why it cannot be read.
pub(super) fn text_of(path: &Path) -> Result<String, String> {
    let found = files::read(path).map_err(|err| in_a_line(&err))?;
    let Some((bytes, _)) = found else { return Ok(String::new()) };
    if bytes.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

impl Step {
    pub(super) fn is_done(&self) -> bool {
        !matches!(self, Self::Left { .. })
    }

    pub(super) fn told(&self) -> String {
        match self {
            Self::Wrote { file } => format!("Wrote {file}.\n"),
            Self::Added { file, what } => format!("Added to {file}: {what}.\n"),
            Self::Kept { file } => format!("Kept {file}.\n"),
            Self::Untracked { file } => format!("Git no longer tracks {file}; commit that.\n"),
            Self::Left { file, why, by_hand } => {
                format!("Left {file} alone: {why}. Add by hand:\n{}\n", by_hand.trim_end())
            }
        }
    }
}
