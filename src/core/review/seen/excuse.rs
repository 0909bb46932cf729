//! Files that need not be seen: generated ones, and those that the reviewer excuses with a reason.

use glob::{MatchOptions, Pattern};
use serde::{Deserialize, Serialize};

/// Files that a reviewer did not look at, and why: `--unseen "GLOB: reason"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excuse {
    /// A file, a folder with everything below it, or a glob.
    pub glob: String,
    pub reason: String,
}

impl Excuse {
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once(": ").or_else(|| text.split_once(':'));
        let (glob, reason) =
            parts.map_or((text.trim(), ""), |(glob, reason)| (glob.trim(), reason.trim()));
        if glob.is_empty() || reason.is_empty() {
            return Err(format!("`{text}` lacks a file or a reason: write `PATH: reason`"));
        }
        Ok(Self { glob: glob.to_owned(), reason: reason.to_owned() })
    }

    /// `path` is relative to the work tree.
    pub fn covers(&self, path: &str) -> bool {
        let glob = self.glob.trim_start_matches("./").trim_end_matches('/');
        let is_within =
            path.strip_prefix(glob).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        is_within || glob.contains(['*', '?', '[']) && matches(glob, path)
    }
}

/// A glob without a slash matches the file's name: `*.lock` covers `web/yarn.lock`.
pub fn is_generated(globs: &[String], path: &str) -> bool {
    globs.iter().any(|glob| matches(glob, path))
}

fn matches(glob: &str, path: &str) -> bool {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    let name = path.rsplit('/').next().unwrap_or(path);
    let subject = if glob.contains('/') { path } else { name };
    Pattern::new(glob).is_ok_and(|pattern| pattern.matches_with(subject, options))
}

#[cfg(test)]
mod tests;
