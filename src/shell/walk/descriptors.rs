//! Texts that can be read from descriptors: here-documents and process substitutions.

use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Descriptors {
    /// By path: `/dev/fd/3`.
    texts: BTreeMap<String, String>,
    next: usize,
}

impl Descriptors {
    pub(super) fn new() -> Self {
        // Bash begins there, too.
        Self { texts: BTreeMap::new(), next: 63 }
    }

    /// The text that a path such as `/dev/fd/3` refers to. `None` for files, whose content is
    /// unknown.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    pub(super) fn put(&mut self, path: String, text: String) {
        self.texts.insert(path, text);
    }

    pub(super) fn next_path(&mut self) -> String {
        self.next += 1;
        format!("/dev/fd/{}", self.next - 1)
    }
}
