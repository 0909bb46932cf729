//! What `roz init` does to a file: creates it, adds to it, or leaves it to the user.

use std::{fs, fs::OpenOptions, io::Write as _, path::Path};

use serde_json::{Value, json};

use crate::world::{
    files::{self, Access},
    in_a_line,
};

/// The largest file that lines are added to, in bytes.
const LARGEST: usize = 4 << 20;

/// What became of a file.
pub(super) enum Step {
    Wrote(String),
    /// With what was added.
    Added(String, String),
    Kept(String),
    /// It is left as it is: why, and what to put into it.
    ByHand(String, String, String),
    /// Git tracks these no more; they are where they were.
    Untracked(Vec<String>),
}

/// Creates a file of the project, unless it exists.
pub(super) fn new_file(project: &Path, name: &str, text: &str) -> Step {
    let path = project.join(name);
    if fs::symlink_metadata(&path).is_ok() {
        return Step::Kept(name.to_owned());
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    match put(&path, &mut options, text) {
        Ok(()) => Step::Wrote(name.to_owned()),
        Err(why) => Step::ByHand(name.to_owned(), why, text.to_owned()),
    }
}

/// Adds the lines that a file does not have yet. A line that has all the words of one counts as it.
pub(super) fn lines(project: &Path, name: &str, wanted: &[String]) -> Step {
    let path = project.join(name);
    let all = wanted.join("\n");
    let old = match text_of(&path) {
        Ok(old) => old,
        Err(why) => return Step::ByHand(name.to_owned(), why, all),
    };
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let has = |wanted: &str| {
        let wanted = words(wanted);
        old.lines().map(words).any(|line| wanted.iter().all(|word| line.contains(word)))
    };
    let missing: Vec<&str> = wanted.iter().map(String::as_str).filter(|text| !has(text)).collect();
    if missing.is_empty() {
        return Step::Kept(name.to_owned());
    }
    let gap = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
    let lines = format!("{gap}{}\n", missing.join("\n"));
    let lines = if old.contains("\r\n") { lines.replace('\n', "\r\n") } else { lines };
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    match put(&path, &mut options, &lines) {
        Ok(()) => Step::Added(name.to_owned(), missing.join(", ")),
        Err(why) => Step::ByHand(name.to_owned(), why, all),
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
        !matches!(self, Self::ByHand(..))
    }

    pub(super) fn told(&self) -> String {
        match self {
            Self::Wrote(name) => format!("Wrote {name}.\n"),
            Self::Added(name, what) => format!("Added to {name}: {what}.\n"),
            Self::Kept(name) => format!("Kept {name}.\n"),
            Self::Untracked(names) => {
                format!("Git no longer tracks {}; commit that.\n", names.join(" and "))
            }
            Self::ByHand(name, why, what) => {
                format!("Left {name} alone: {why}. Add by hand:\n{}\n", what.trim_end())
            }
        }
    }

    pub(super) fn as_json(&self) -> Value {
        match self {
            Self::Wrote(name) => json!({ "file": name, "did": "wrote" }),
            Self::Added(name, what) => json!({ "file": name, "did": "added", "what": what }),
            Self::Kept(name) => json!({ "file": name, "did": "kept" }),
            Self::Untracked(names) => json!({ "file": names.first(), "did": "untracked" }),
            Self::ByHand(name, why, what) => {
                json!({ "file": name, "did": "left", "why": why, "by_hand": what })
            }
        }
    }
}
