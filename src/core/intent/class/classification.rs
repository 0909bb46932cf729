//! The class of a call with its reason, and helpers that several rules share.

use serde::{Deserialize, Serialize};

use crate::{
    core::bounded,
    shell::{HOLE, Run},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Class {
    Safe,
    Destructive,
    Critical,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub class: Class,
    /// A clause: `rm -r removes whole folders`.
    pub why: String,
    pub purpose: Purpose,
}

/// What all commands of a call have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Change,
    /// Tests, linters, type checkers, builds. What they write is looked at afterwards.
    Check,
    /// Git moves work to another branch, the stash or another repository, and edits nothing. Its
    /// changes are attributed to git.
    MoveWork,
}

impl Judged {
    pub(super) fn new(class: Class, why: impl Into<String>) -> Self {
        Self { class, why: why.into(), purpose: Purpose::Change }
    }
}

impl Class {
    pub(super) fn of(word: &str) -> Option<Self> {
        let all = [Self::Safe, Self::Destructive, Self::Critical];
        all.into_iter().find(|class| class.word().eq_ignore_ascii_case(word))
    }

    pub fn word(self) -> &'static str {
        match self {
            Class::Safe => "SAFE",
            Class::Destructive => "DESTRUCTIVE",
            Class::Critical => "CRITICAL",
        }
    }
}

pub(super) fn shown(text: &str) -> String {
    bounded::plain_line(&bounded::line(&text.replace(HOLE, "…"), 80))
}

/// `-rf` is `-r` and `-f`, `--x=y` is `--x`.
pub(super) fn options(run: &Run) -> Vec<String> {
    let mut found = Vec::new();
    if run.program == "tar"
        && let Some(letters) = run.argv.get(1).filter(|argv| !argv.starts_with('-'))
    {
        // `tar tzf x`
        found.extend(letters.chars().map(|c| format!("-{c}")));
    }
    for word in run.argv.iter().skip(1) {
        if word == "--" {
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            found.push(format!("--{}", long.split('=').next().unwrap_or_default()));
        } else if let Some(letters) = word.strip_prefix('-') {
            found.push(word.clone());
            // `-Iseconds` is not a group of letters.
            if letters.len() <= 6 {
                found.extend(letters.chars().map(|c| format!("-{c}")));
            }
        }
    }
    found
}
