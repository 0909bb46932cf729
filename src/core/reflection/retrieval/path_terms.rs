//! Paths as terms: the file itself, its name, and its folder.
//!
//! Files of learnings and of queries are compared by their paths in the project. One path may be
//! relative to a subfolder, so the name counts as well.

use super::words::without_place;

/// Prefixes of the terms for files, file names and folders. No word starts with one.
const FILE: char = '/';
const NAME: char = '*';
const WITHIN: char = '>';

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Way {
    pub(super) term: String,
    /// In units of a word that only one learning has.
    pub(super) worth: f32,
    /// Otherwise it is another file in the same folder.
    pub(super) is_file: bool,
}

/// The terms of a file or folder.
pub(super) fn of_learning(path: &str) -> Vec<String> {
    let path = normal(path);
    if path.is_empty() {
        return Vec::new();
    }
    let mut terms = vec![format!("{FILE}{path}")];
    let name = name(&path);
    if name.contains('.') {
        terms.push(format!("{NAME}{name}"));
        terms.extend(folder(&path).map(|folder| format!("{WITHIN}{folder}")));
    } else {
        // The path may be a folder.
        terms.push(format!("{WITHIN}{path}"));
    }
    terms
}

pub(super) fn of_query(path: &str) -> Vec<Way> {
    let path = normal(path);
    if path.is_empty() {
        return Vec::new();
    }
    let way = |term, worth, is_file| Way { term, worth, is_file };
    let mut ways = vec![way(format!("{FILE}{path}"), 1.6, true)];
    let name = name(&path);
    if name.contains('.') {
        ways.push(way(format!("{NAME}{name}"), 1.0, false));
    }
    ways.extend(folder(&path).map(|folder| way(format!("{WITHIN}{folder}"), 0.7, false)));
    ways
}

fn normal(path: &str) -> String {
    let path = path.trim().replace('\\', "/").to_lowercase();
    let path = path.strip_prefix("./").unwrap_or(&path).trim_matches('/');
    without_place(path).to_owned()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn folder(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}
