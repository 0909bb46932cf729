//! The work: the difference between a base and the present state of a repository, and whether it
//! was approved.
//!
//! `observe::work` asks git and fills in these values; what they mean is decided here.

use std::path::PathBuf;

use crate::shell::HOLE;

#[derive(Debug, Clone, Default, PartialEq)]
pub enum Work {
    #[default]
    NotAsked,
    NoRepository,
    /// Git failed; says why, and what to do.
    Unknown(String),
    Known(Box<Known>),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    pub root: PathBuf,
    /// The git tree of the present state.
    pub tree: String,
    /// The tree that the next review compares with.
    pub base: String,
    /// The tree at which the branch left the default branch.
    pub fork: String,
    pub head: Option<String>,
    pub branch: Option<String>,
    pub approval: Option<Serving>,
    pub is_empty: bool,
    pub has_expired: bool,
    /// The newest approval that `changed` is compared with; `None`: `changed` is the whole work.
    pub compared_with: Option<String>,
    pub changed: Vec<Changed>,
    /// Files whose approved version is in the work tree but not in what is pushed.
    pub uncommitted: Vec<String>,
    /// Pushed files of a branch that is not checked out, in a version that was not approved.
    pub elsewhere: Vec<String>,
    /// Untracked files that no session is known to have written, so they are not part of the work.
    pub left_out: Vec<String>,
}

impl Known {
    pub fn needs_approval(&self) -> bool {
        self.approval.is_none() && !self.is_empty
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serving {
    pub id: String,
    pub summary: String,
    /// Only a person withdraws it.
    pub is_by_person: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    pub by: Author,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Author {
    /// This session, or it was not looked up.
    #[default]
    Session,
    Other(String),
    Unknown,
}

impl Work {
    pub fn known(&self) -> Option<&Known> {
        match self {
            Work::Known(known) => Some(known),
            Work::NotAsked | Work::NoRepository | Work::Unknown(_) => None,
        }
    }

    pub fn why_unknown(&self) -> Option<&str> {
        match self {
            Work::Unknown(why) => Some(why),
            Work::Known(_) | Work::NoRepository | Work::NotAsked => None,
        }
    }

    /// An empty work needs no approval.
    pub fn is_approved(&self) -> bool {
        self.known().is_some_and(|known| !known.needs_approval())
    }
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// The path exists in the present state.
    pub is_there: bool,
    /// The path is as in the default branch, perhaps missing in both.
    pub is_default: bool,
    /// What is pushed has the path as the fork or the base of an earlier review has it.
    pub is_base: bool,
    /// The lines added and removed against the default branch are the approved ones.
    pub has_same_hunks: bool,
    /// The approval was made on this branch or on an ancestor of the checked-out commit.
    pub is_here: bool,
}

impl Difference {
    /// A missing file counts as the default branch's only after another branch was checked out: on
    /// this branch, approved work was deleted.
    pub fn is_same_work(self) -> bool {
        self.has_same_hunks || self.is_default && (self.is_there || !self.is_here)
    }

    /// Approved, or unchanged.
    pub fn may_be_pushed(self) -> bool {
        self.has_same_hunks || self.is_default || self.is_base
    }
}

/// Files that roz or an enabled ticket system writes in the project are not part of the work,
/// except for a configuration.
pub fn is_record(path: &str, ticket_folders: &[String]) -> bool {
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let is_config = |path: &str| path.ends_with("/config.toml");
    [".roz", ".grove"].iter().any(|folder| below(folder)) && !is_config(path)
        || below(".orchestration")
        || ticket_folders.iter().any(|folder| below(folder.trim_end_matches('/')))
}

/// Empty if the push only deletes remote branches or pushes notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Push {
    /// The checked-out commit is pushed, because no ref is named or for other refs as well.
    pub head: bool,
    /// Names of local refs.
    pub refs: Vec<String>,
}

impl Push {
    pub fn add(&mut self, other: Self) {
        self.head |= other.head;
        self.refs.extend(other.refs);
    }
}

/// `words` has neither the program's name nor its global options. `None` if this is not a
/// `git push`.
pub fn push(words: &[&str]) -> Option<Push> {
    const VALUED: &[&str] = &["-o", "--push-option", "--repo", "--receive-pack", "--exec"];
    let (first, rest) = words.split_first()?;
    if *first != "push" {
        return None;
    }
    let (mut named, mut deletes, mut push) = (Vec::new(), false, Push::default());
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match *word {
            "-d" | "--delete" => deletes = true,
            "--all" | "--branches" | "--mirror" | "--tags" | "--follow-tags" => push.head = true,
            option if VALUED.contains(&option) => {
                words.next();
            }
            option if option.starts_with('-') => (),
            name => named.push(name),
        }
    }
    let mut specs = named.into_iter().skip(1).peekable();
    push.head |= specs.peek().is_none();
    while let Some(spec) = specs.next() {
        let spec = if spec == "tag" { specs.next().unwrap_or(spec) } else { spec };
        let spec = spec.trim_start_matches('+');
        let source = spec.split(':').next().unwrap_or_default();
        // `:` alone pushes all matching branches. Unknown refs count as the checked-out commit.
        if deletes || source.starts_with("refs/notes/") {
            continue;
        }
        if spec == ":" || source.contains([HOLE, '*']) || source == "@" {
            push.head = true;
        } else if !source.is_empty() {
            push.refs.push(source.to_owned());
        }
    }
    Some(push)
}

#[cfg(test)]
mod tests;
