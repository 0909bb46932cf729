//! What a file may still hold: what is copied, moved, linked or written over it under a condition
//! may not have come to that (`[ -f a ] && cp a f; bash f`). A text that the line has given the file
//! is kept beside the new one; of a file that lay on the disk its path is.

use super::env::Made;
use super::origin::normal;
use super::{Walker, limit};
use std::collections::{BTreeMap, BTreeSet};

/// By path, those that lay on the disk as the line began.
pub(super) type Besides = BTreeMap<String, BTreeSet<String>>;

impl Walker<'_> {
    /// Whether what is being walked may not run.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.conditional > 0 || self.env.has_returned()
    }

    /// A path is about to be given something else. What lies there from the disk may stay there.
    pub(super) fn may_stay(&mut self, path: &str) {
        if self.muted > 0 || path.starts_with("/dev/") {
            return;
        }
        if !self.is_in_doubt() {
            self.besides.remove(path);
            return;
        }
        let source = match self.made_at(path) {
            None => path.to_owned(),
            Some(Made::File(source)) => normal(&source).into_owned(),
            Some(Made::Text(_) | Made::Unknown) => return,
        };
        self.also_lies(path, source);
    }

    fn also_lies(&mut self, path: &str, source: String) {
        if source.starts_with("/dev/") || !self.spend(1) {
            return;
        }
        let sources = self.besides.entry(path.to_owned()).or_default();
        if sources.len() < limit::VALUES {
            sources.insert(source);
        }
    }

    /// A program brings something to a path.
    pub(super) fn is_brought(&mut self, path: String, made: Made, before: Option<Made>) {
        let before = before.filter(|_| self.is_in_doubt());
        match (made, before) {
            (Made::Text(text), Some(before @ Made::Text(_))) => {
                self.env.files.insert(path.clone(), before);
                self.holds(&path, text);
            }
            (Made::File(source), Some(before @ Made::Text(_))) => {
                self.env.files.insert(path.clone(), before);
                self.also_lies(&path, normal(&source).into_owned());
            }
            (Made::Unknown, Some(Made::Text(before))) => {
                let text = format!("{}\n{before}", super::super::HOLE);
                self.env.files.insert(path, Made::Text(text));
            }
            (made, _) => drop(self.env.files.insert(path, made)),
        }
    }

    /// The files of the disk that may still be at a path.
    pub(super) fn besides(&self, path: &str) -> Vec<String> {
        if self.besides.is_empty() {
            return Vec::new();
        }
        let located = self.located(path);
        let found = located.iter().filter_map(|path| self.besides.get(&*normal(path)));
        found.flatten().cloned().collect()
    }
}
