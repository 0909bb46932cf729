//! Git commands that discard uncommitted changes, if git can list which: `git restore .`,
//! `git reset --hard`, `git clean -fd`.

use crate::{core::name_words::is_one, shell::Run};

use super::classification::options;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discard {
    /// Every change of a tracked file.
    Changes,
    /// `ignored`: also the ignored files; `others`: also those that are not ignored.
    Untracked { ignored: bool, others: bool },
}

/// What the command discards in the current work tree. `None` for other commands, and with a
/// commit, path or option whose effect is unknown.
pub fn discard(run: &Run) -> Option<Discard> {
    if run.program != "git" || !run.folders.is_empty() {
        return None;
    }
    let words: Vec<&str> = run.argv.iter().skip(1).map(String::as_str).collect();
    let (verb, rest) = words.split_first()?;
    let has_only = |known: &str| rest.iter().all(|word| is_one(known, word));
    match *verb {
        "restore" | "checkout" if rest.contains(&".") && has_only(". -- -q --quiet") => {
            Some(Discard::Changes)
        }
        "reset" if rest.contains(&"--hard") && has_only("--hard HEAD -q --quiet") => {
            Some(Discard::Changes)
        }
        "clean" if rest.iter().all(|word| word.starts_with('-')) => {
            let given = options(run);
            let has = |option: &str| given.iter().any(|text| text == option);
            let is_known = |option: &String| {
                option.len() > 2 && !option.starts_with("--")
                    || is_one("-f -d -x -X -q --force --quiet", option)
            };
            given
                .iter()
                .all(is_known)
                .then(|| Discard::Untracked { ignored: has("-x") || has("-X"), others: !has("-X") })
        }
        _ => None,
    }
}

impl Discard {
    /// Whether it discards a file with this state in `git status`: ` M`, `??`, `!!`.
    pub fn takes(self, state: &str) -> bool {
        match (self, state) {
            (Self::Changes, state) => !matches!(state, "??" | "!!"),
            (Self::Untracked { others, .. }, "??") => others,
            (Self::Untracked { ignored, .. }, "!!") => ignored,
            (Self::Untracked { .. }, _) => false,
        }
    }
}
