//! Files whose text the caller knows (see [`super::Options::files`]): what they hold, and what of it
//! counts.

use super::super::HOLE;
use super::Walker;
use super::env::Made;
use super::origin::normal;

/// A file that runs itself (`exec sudo "$0" "$@"`) is walked within itself so many times, the last
/// time with arguments that nobody knows: they stand for all that it may be given further on.
const WITHIN: usize = 2;

/// A file whose text is walked.
#[derive(Debug)]
pub(super) struct Source {
    /// As it is named: `BASH_SOURCE`.
    pub(super) name: String,
    /// From where the line starts.
    at: Vec<String>,
}

impl Walker<'_> {
    /// What files hold as the line begins, by their paths from where it starts. Where a path may be
    /// one of several, all that is known of them.
    pub(super) fn on_disk(&self, paths: &[String]) -> Option<String> {
        let known = |path: &String| {
            let path = normal(path);
            self.options.files.iter().find(|file| normal(&file.path) == path)
        };
        let mut texts = paths.iter().filter_map(known).map(|file| file.text.as_str());
        let mut text = texts.next()?.to_owned();
        for more in texts {
            text.push('\n');
            text.push_str(more);
        }
        Some(text)
    }

    /// [`Self::on_disk`], of a path from where the line stands.
    pub(super) fn lies_on_disk(&self, path: &str) -> Option<String> {
        if self.options.files.is_empty() {
            return None;
        }
        self.on_disk(&self.located(path))
    }

    /// Walks the text of a file: of one that the project keeps, and that the line has not changed,
    /// what may run or may not does not count.
    pub(super) fn of_file<T>(&mut self, path: &str, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.kept;
        if !self.options.files.is_empty() {
            let paths = match self.made(path) {
                None => self.located(path),
                Some(Made::File(source)) => vec![source],
                Some(_) => Vec::new(),
            };
            let is_it = |path: &String| {
                let path = normal(path);
                self.options.files.iter().any(|file| file.kept && normal(&file.path) == path)
            };
            if !paths.is_empty() && paths.iter().all(is_it) {
                self.kept.get_or_insert(self.conditional);
            } else {
                self.kept = None;
            }
        }
        let at = self.located(path).iter().map(|it| normal(it).into_owned()).collect();
        self.sources.push(Source { name: path.to_owned(), at });
        let walked = walk(self);
        self.sources.pop();
        self.kept = outer;
        walked
    }

    /// The arguments with which a file is walked; `None` where nothing more would come of it.
    pub(super) fn arguments_of(&self, path: &str, given: Vec<String>) -> Option<Vec<String>> {
        let at: Vec<String> = self.located(path).iter().map(|it| normal(it).into_owned()).collect();
        let is_it = |it: &&Source| at.iter().any(|path| it.at.contains(path));
        match self.sources.iter().filter(is_it).count() {
            ..WITHIN => Some(given),
            WITHIN => Some(vec![HOLE.to_string(); given.len().max(1)]),
            _ => None,
        }
    }

    /// Whether what is being walked does not count.
    pub(super) fn is_spared(&self) -> bool {
        self.kept.is_some_and(|open| self.conditional > open)
    }
}
