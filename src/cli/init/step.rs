//! What `roz init` does to a file: makes it where there is none, adds to what
//! can be added to, and leaves the rest to the user.

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
    /// There was nothing in it to copy.
    Empty(String),
    /// It has another text than a second file for these, and was left so.
    Differs(String, String, Vec<String>),
    /// It is left as it is: why, and what to put into it.
    ByHand(String, String, String),
    /// Git tracks these no more; they are where they were.
    Untracked(Vec<String>),
    /// What was added, and what could not be, a line each.
    Partly(String, String, Vec<String>),
}

/// A file of the project, if there is none of that name yet.
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

/// The lines that a file does not have yet. A line is there, whatever stands
/// between and around its words.
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
        old.lines().map(words).any(|it| wanted.iter().all(|word| it.contains(word)))
    };
    let missing: Vec<&str> = wanted.iter().map(String::as_str).filter(|it| !has(it)).collect();
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
    let written = files::open_for(path, options, Access::Shared).and_then(|it| {
        let Some((mut file, _)) = it else { return Ok(()) };
        let written = file.write_all(text.as_bytes());
        written.map_err(|source| files::Error::Io { path: path.to_owned(), source })
    });
    written.map_err(|err| in_a_line(&err))
}

/// What stands in a file, or nothing; or why that cannot be known.
pub(super) fn text_of(path: &Path) -> Result<String, String> {
    let found = files::read(path).map_err(|err| in_a_line(&err))?;
    let Some((bytes, _)) = found else { return Ok(String::new()) };
    if bytes.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    String::from_utf8(bytes).map_err(|_| "it is no UTF-8".to_owned())
}

impl Step {
    pub(super) fn is_done(&self) -> bool {
        !matches!(self, Self::ByHand(..) | Self::Partly(..))
    }

    /// The file that it is about.
    pub(super) fn file(&self) -> &str {
        match self {
            Self::Wrote(name)
            | Self::Added(name, _)
            | Self::Kept(name)
            | Self::Empty(name)
            | Self::Differs(name, ..)
            | Self::ByHand(name, ..)
            | Self::Partly(name, ..) => name,
            Self::Untracked(names) => names.first().map_or("", String::as_str),
        }
    }

    pub(super) fn told(&self) -> String {
        match self {
            Self::Wrote(name) => format!("Wrote {name}.\n"),
            Self::Added(name, what) => format!("Added to {name}: {what}.\n"),
            Self::Kept(name) => format!("Kept {name} as it is.\n"),
            Self::Untracked(names) => {
                format!("Git tracks {} no more; commit that.\n", names.join(" and "))
            }
            Self::Empty(name) => format!("There is no learning in {name} to copy.\n"),
            Self::Differs(name, other, ids) => {
                let ids = ids.join(", ");
                format!("{name} keeps its own text where {other} has another one: {ids}.\n")
            }
            Self::ByHand(name, why, what) => {
                format!("Left {name} alone: {why}. Put into it by hand:\n{}\n", what.trim_end())
            }
            Self::Partly(name, what, problems) => {
                let problems = problems.join("\n  ");
                format!("Added to {name}: {what}. This could not be:\n  {problems}\n")
            }
        }
    }

    pub(super) fn as_json(&self) -> Value {
        match self {
            Self::Wrote(name) => json!({ "file": name, "did": "wrote" }),
            Self::Added(name, what) => json!({ "file": name, "did": "added", "what": what }),
            Self::Kept(name) => json!({ "file": name, "did": "kept" }),
            Self::Untracked(names) => json!({ "file": names.first(), "did": "untracked" }),
            Self::Empty(name) => json!({ "file": name, "did": "nothing" }),
            Self::Differs(name, other, ids) => {
                json!({ "file": name, "did": "kept", "differs_from": other, "ids": ids })
            }
            Self::ByHand(name, why, what) => {
                json!({ "file": name, "did": "left", "why": why, "by_hand": what })
            }
            Self::Partly(name, what, problems) => {
                json!({ "file": name, "did": "added", "what": what, "problems": problems })
            }
        }
    }
}
