//! The work: the difference between a base and the present state of a repository, and whether it is
//! the work that was approved.
//!
//! `observe::work` asks git and fills in these values; what they mean is decided here.

use std::path::PathBuf;

use crate::shell::HOLE;

/// A repository's work, as a gate sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Work {
    #[default]
    NotAsked,
    /// The folder is in no git work tree.
    NoRepository,
    /// Git could not tell, and why, with the remedy.
    Unknown(String),
    Known(Box<Known>),
}

/// The present state of a work tree beside what is approved of its repository.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// The root of the work tree.
    pub root: PathBuf,
    /// The git tree of the present state.
    pub tree: String,
    /// The tree that the next review compares with.
    pub base: String,
    /// The tree in which the branch left the default branch.
    pub fork: String,
    pub head: Option<String>,
    pub branch: Option<String>,
    /// The approval that serves.
    pub approval: Option<Serving>,
    /// Nothing differs from the default branch.
    pub is_empty: bool,
    /// There were approvals, and their time is over.
    pub has_expired: bool,
    /// The newest approval that `changed` is compared with; none: `changed` is the whole work.
    pub compared_with: Option<String>,
    pub changed: Vec<Changed>,
    /// Files of which the approved version is in the work tree, and not in what is pushed.
    pub uncommitted: Vec<String>,
    /// Files that are pushed as nobody has approved them and as the work tree does not have them:
    /// of a branch that is not checked out.
    pub elsewhere: Vec<String>,
    /// Untracked files that no session is known to have written: not part of the work.
    pub left_out: Vec<String>,
}

impl Known {
    /// Whether there is work, and no approval covers it.
    pub fn needs_approval(&self) -> bool {
        self.approval.is_none() && !self.is_empty
    }
}

/// An approval in the table that covers the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serving {
    pub id: String,
    pub summary: String,
    /// Only a person takes it back.
    pub is_by_person: bool,
}

/// A file that is not as it was approved, and who changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    pub by: Author,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Author {
    /// This session, or nobody looked.
    #[default]
    Session,
    Other(String),
    /// No tool of a session that roz knows of.
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

    /// Whether an approval covers the work; an empty one needs none.
    pub fn is_approved(&self) -> bool {
        self.known().is_some_and(|known| !known.needs_approval())
    }
}

/// A path in which the present state differs from the approved one.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// The present state has the path.
    pub is_there: bool,
    /// The default branch has the path in the same state; so too where both have no such file.
    pub is_default: bool,
    /// What is pushed has the path as a base has it: the fork, or what an earlier review was
    /// compared with.
    pub is_base: bool,
    /// Against the default branch the added and removed lines are those that were approved.
    pub has_same_hunks: bool,
    /// The approval was made on this branch, or on an ancestor of what is checked out.
    pub is_here: bool,
}

impl Difference {
    /// Whether the path is still the approved work.
    ///
    /// A file that is gone counts as the default branch's only elsewhere (another branch was
    /// checked out): here somebody has deleted what was approved.
    pub fn is_same_work(self) -> bool {
        self.has_same_hunks || self.is_default && (self.is_there || !self.is_here)
    }

    /// Whether the path may be pushed under the approval: approved, or what was there before.
    pub fn may_be_pushed(self) -> bool {
        self.has_same_hunks || self.is_default || self.is_base
    }
}

/// What roz itself writes beside a project, and what an enabled ticket system keeps: no part of the
/// work. A configuration is.
pub fn is_record(path: &str, ticket_folders: &[String]) -> bool {
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let is_config = |path: &str| path.ends_with("/config.toml");
    [".roz", ".grove"].iter().any(|folder| below(folder)) && !is_config(path)
        || below(".orchestration")
        || ticket_folders.iter().any(|folder| below(folder.trim_end_matches('/')))
}

/// What a `git push` takes along. Nothing, where it only deletes remote branches or pushes notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Push {
    /// What is checked out: no ref is named, or more than the named ones.
    pub head: bool,
    /// Refs of this side, by name.
    pub refs: Vec<String>,
}

impl Push {
    pub fn add(&mut self, other: Self) {
        self.head |= other.head;
        self.refs.extend(other.refs);
    }
}

/// What a command line pushes, where it is a `git push`: `words` without the program's name and its
/// global options.
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
        // `:` alone pushes all branches that both sides have. What only the running line knows is
        // taken for what is checked out.
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
