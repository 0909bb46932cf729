//! What git says of each line of a file: the commit that it came with, and what the file was called
//! then.

use std::{collections::HashMap, path::Path, time::Instant};

use chrono::{DateTime, Utc};

use super::git::{self, Error};

/// A line's commit; none: it is not committed.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Of each line of the file as it is in the work tree, from the first. Empty where git knows no
/// such file.
pub fn lines(root: &Path, file: &Path, until: Instant) -> Result<Vec<Option<Commit>>, Error> {
    // No `-C`, and no file of commits to pass over: what git says anybody can ask it for.
    Ok(commits(asked(root, file, &[], until)?))
}

/// Where a line stood in the file that its commit left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub commit: Commit,
    /// From 1.
    pub line: usize,
}

/// As [`lines`]: the commits that brought them, and not those that moved blanks.
pub fn origins(root: &Path, file: &Path, until: Instant) -> Result<Vec<Option<Origin>>, Error> {
    asked(root, file, &["-w"], until)
}

fn commits(origins: Vec<Option<Origin>>) -> Vec<Option<Commit>> {
    origins.into_iter().map(|origin| origin.map(|origin| origin.commit)).collect()
}

fn asked(
    root: &Path,
    file: &Path,
    how: &[&str],
    until: Instant,
) -> Result<Vec<Option<Origin>>, Error> {
    let file = file.to_string_lossy();
    let args = [&["blame", "--porcelain"], how, &["--", &file]].concat();
    match git::git_with(root, &args, &[], until) {
        Ok(text) => Ok(parse(&text)),
        // Neither in the commit that is checked out nor in the index.
        Err(Error::Git { .. }) => Ok(Vec::new()),
        Err(err) => Err(err),
    }
}

/// The names that the file had, newest first; without its own.
pub fn former_names(root: &Path, file: &Path, until: Instant) -> Vec<String> {
    let file = file.to_string_lossy();
    let args = [
        "log",
        "--follow",
        "--name-status",
        "-z",
        "--format=",
        "-n",
        "2000",
        "--diff-filter=R",
        "--",
        &file,
    ];
    let text = git::git_with(root, &args, &[], until).unwrap_or_default();
    let mut fields = text.split('\0').map(str::trim);
    let mut names = Vec::new();
    while let Some(field) = fields.next() {
        if field.starts_with('R') {
            names.extend(fields.next().map(str::to_owned));
            fields.next();
        }
    }
    // What is moved and not committed yet.
    let args = ["diff", "--name-status", "-z", "-M", "--diff-filter=R", "HEAD"];
    let text = git::git_with(root, &args, &[], until).unwrap_or_default();
    let fields: Vec<&str> = text.split('\0').collect();
    for items in fields.chunks(3) {
        if let [_, old, new] = items
            && **new == *file
        {
            names.push((*old).to_owned());
        }
    }
    names
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
                known.entry(word.to_owned()).or_insert_with(|| Commit {
                    id: word.to_owned(),
                    author: String::new(),
                    at: None,
                    written: None,
                    summary: String::new(),
                    file: String::new(),
                });
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
