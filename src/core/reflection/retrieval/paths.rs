//! Paths as terms: the file itself, its name, and the folder that it lies in.
//!
//! The files that a learning names and those that a query is about are compared as the project
//! names them; one may be relative to a folder of the other, so the name counts as well.

use super::words::without_place;

/// What the terms of files begin with, those of their names, and those of folders. No word does.
const FILE: char = '/';
const NAME: char = '*';
const WITHIN: char = '>';

/// A way in which a learning can be met by a path of the query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Way {
    pub(super) term: String,
    /// What it counts, in words that only one learning has.
    pub(super) worth: f32,
    /// It is the file itself, not one beside it.
    pub(super) is_file: bool,
}

/// The terms of a file, or a folder, that a learning names.
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
        // It may be a folder itself.
        terms.push(format!("{WITHIN}{path}"));
    }
    terms
}

/// How learnings about a file are found.
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
