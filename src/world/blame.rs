//! What git says of each line of a file: the commit that it came with, and what the file was called
//! then.

use std::{collections::HashMap, path::Path, time::Instant};

use chrono::{DateTime, Utc};

use super::git::{self, Error};

/// A commit that brought a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    pub author: String,
    /// When it was committed, be it again: a rebase and an amend count.
    pub at: Option<DateTime<Utc>>,
    /// When it was first committed: that it keeps.
    pub written: Option<DateTime<Utc>>,
    pub summary: String,
    /// From the work tree's root.
    pub file: String,
}

/// A line's commit, and where it stood in the file that this left; none: it is not committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub commit: Commit,
    /// From 1.
    pub line: usize,
}

/// Of each line of the file as it is in the work tree, from the first. Empty where git knows no
/// such file. With `-w` among the options, commits that moved blanks are passed over.
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
