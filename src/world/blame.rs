//! What git knows about each line of a file: the commit that added it, and the name of the file at
//! that time.

use std::{collections::HashMap, path::Path, time::Instant};

use chrono::{DateTime, Utc};

use super::git::{self, Error};

/// A commit that added a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    pub author: String,
    /// The commit date, which a rebase or an amend changes.
    pub at: Option<DateTime<Utc>>,
    /// The author date, which does not change.
    pub written: Option<DateTime<Utc>>,
    pub summary: String,
    /// From the work tree's root.
    pub file: String,
}

/// The commit of a line, and the line's number in that commit. Lines that are not committed have no
/// commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub commit: Commit,
    /// From 1.
    pub line: usize,
}

/// The origin of each line of the file as it is in the work tree. Empty if git does not know the
/// file. With `-w` among the options, commits that only changed whitespace are skipped.
pub fn origins(
    root: &Path,
    file: &Path,
    options: &[&str],
    until: Instant,
) -> Result<Vec<Option<Origin>>, Error> {
    let file = file.to_string_lossy();
    let args = [&["blame", "--porcelain"], options, &["--", &file]].concat();
    match git::git_with(root, &args, &[], until) {
        Ok(text) => Ok(parse(&text)),
        // Neither in the commit that is checked out nor in the index.
        Err(Error::Git { .. }) => Ok(Vec::new()),
        Err(err) => Err(err),
    }
}

fn parse(text: &str) -> Vec<Option<Origin>> {
    let mut known: HashMap<String, Commit> = HashMap::new();
    let mut lines = Vec::new();
    let mut now: Option<(String, usize)> = None;
    for line in text.split('\n') {
        if line.starts_with('\t') {
            let origin = now.take().and_then(|(id, line)| {
                let commit =
                    known.get(&id).filter(|commit| commit.id.bytes().any(|byte| byte != b'0'))?;
                Some(Origin { commit: commit.clone(), line })
            });
            lines.push(origin);
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match &now {
            None => {
                let is_id = word.len() >= 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
                if !is_id {
                    continue;
                }
                let commit = known.entry(word.to_owned()).or_default();
                word.clone_into(&mut commit.id);
                let line = rest.split(' ').next().and_then(|part| part.parse().ok()).unwrap_or(0);
                now = Some((word.to_owned(), line));
            }
            Some((id, _)) => {
                let Some(commit) = known.get_mut(id) else { continue };
                match word {
                    "author" => rest.clone_into(&mut commit.author),
                    "summary" => rest.clone_into(&mut commit.summary),
                    "filename" => rest.clone_into(&mut commit.file),
                    "committer-time" => commit.at = time(rest),
                    "author-time" => commit.written = time(rest),
                    _ => (),
                }
            }
        }
    }
    lines
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(text.parse().ok()?, 0)
}

#[cfg(test)]
mod tests;
