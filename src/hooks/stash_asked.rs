//! What git says of stashes, asked once a call: the line has not run yet, so that
//! each of its stashes is told the same.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Instant,
};

use crate::world::git::{self, Untracked};

/// Of a repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    Uncommitted(Untracked),
    Staged,
    Assumed,
    /// The commits of its stashes.
    Stashes,
    /// What the stash of that name brings.
    Brings(String),
}

/// None: git does not say.
type Answer = Option<Vec<String>>;

pub(super) struct Asked {
    until: Instant,
    known: RefCell<BTreeMap<(PathBuf, Question), Answer>>,
}

impl Asked {
    pub(super) fn new(until: Instant) -> Self {
        Self { until, known: RefCell::default() }
    }

    pub(super) fn of(&self, root: &Path, question: Question) -> Answer {
        let key = (root.to_owned(), question);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let told = match &key.1 {
            Question::Uncommitted(untracked) => git::uncommitted(root, *untracked, self.until),
            Question::Staged => git::staged(root, self.until),
            Question::Assumed => git::assumed(root, self.until),
            Question::Stashes => git::stashes(root, self.until),
            Question::Brings(name) => git::stashed(root, name, self.until),
        };
        let told = told.ok();
        self.known.borrow_mut().insert(key, told.clone());
        told
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::world::process;

    #[test]
    fn git_is_asked_once_a_repository() {
        let made = tempfile::tempdir().unwrap();
        let until = Instant::now() + Duration::from_mins(1);
        let repository = |name: &str| {
            let root = made.path().join(name);
            for args in [&["init", "-q"][..], &["commit", "-q", "--allow-empty", "-m", "first"]] {
                std::fs::create_dir_all(&root).unwrap();
                let mut git = process::command("git");
                git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
                git.current_dir(&root);
                assert!(process::run(git, until).unwrap().ok, "{args:?}");
            }
            std::fs::write(root.join("a"), "").unwrap();
            root
        };
        let (one, other) = (repository("one"), repository("other"));
        let asked = Asked::new(until);
        let files = |root: &Path| asked.of(root, Question::Uncommitted(Untracked::Some));
        assert_eq!(files(&one).unwrap(), ["a"]);
        for root in [&one, &other] {
            std::fs::write(root.join("b"), "").unwrap();
        }
        assert_eq!(files(&one).unwrap(), ["a"]);
        assert_eq!(files(&other).unwrap(), ["a", "b"]);
        assert!(asked.of(&one, Question::Stashes).unwrap().is_empty());
        assert_eq!(asked.of(&made.path().join("none"), Question::Stashes), None);
    }
}
