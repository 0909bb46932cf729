//! What `hooks` looked up for this event.

use std::{collections::BTreeMap, path::PathBuf};

use crate::core::{
    intent::facts::IntentFacts,
    policy::GatesPolicy,
    protect::ProtectFacts,
    reflection::{
        shown::Relevant,
        state::{Baseline, Ticket},
        tickets::Closing,
    },
    review::work::Work,
    session_id::SessionId,
    weakened_file::WeakenedFile,
};
use crate::shell::Run;

/// A fact that nobody looked for, or that could not be had, says so in its own type: what to make
/// of that is for a gate to decide.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The work that a gated call is about.
    pub work: Work,
    /// All of the work that a review is about, a work tree each.
    pub works: Vec<Work>,
    /// The work trees that a review is about, for a reviewer that is launched or starts.
    pub roots: Vec<PathBuf>,
    /// What the answer to a reviewer's call showed of the work.
    pub shown: Shown,
    /// What a reviewer's call would change of the work, in words.
    pub reviewer_changes: Vec<String>,
    /// The files that are dirty as the session begins, with a hash of what they hold.
    pub dirty: Option<BTreeMap<String, String>>,
    /// Files that the call writes, as far as it names them.
    pub written: Vec<PathBuf>,
    pub second_opinions: Option<Vec<String>>,
    /// An agent file of the project or the user that bears the reviewer's name.
    pub shadow: Option<PathBuf>,
    /// A reviewer that starts cannot be told its token: its permit alone proves who decides.
    pub reviewer_unbriefed: bool,
    /// The client does not say which calls are a reviewer's own.
    pub reviewer_unwatched: bool,
    /// Sessions of this project with an open review, active within the hour.
    pub open_elsewhere: Vec<SessionId>,
    pub protect: ProtectFacts,
    pub learned: Learned,
    pub intent: IntentFacts,
    pub weakened: Vec<WeakenedFile>,
    /// The gates of the other repositories that a call goes to.
    pub gates_elsewhere: Vec<GatesElsewhere>,
}

/// The gates of a repository other than the session's that a call goes to.
#[derive(Debug, Clone, PartialEq)]
pub struct GatesElsewhere {
    pub root: PathBuf,
    pub gates: GatesPolicy,
    pub runs: Vec<Run>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learned {
    /// The project wants the gate; false also where nobody looked.
    pub is_wanted: bool,
    /// The ticket system that the project has a marker of; of those that stand in for asking each
    /// session. Where the gate is on, it was looked for.
    pub system: Option<String>,
    pub ticket: Option<Ticket>,
    pub baseline: Option<Baseline>,
    pub closings: Vec<Closing>,
    pub diff: Diff,
    /// Learnings that are relevant now, best first.
    pub relevant: Vec<Relevant>,
    /// Other sessions of this project that owe a reflection.
    pub due_elsewhere: Vec<SessionId>,
}

/// How much was changed since the session began.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Diff {
    #[default]
    NotAsked,
    /// No repository, or git did not answer.
    Unknown(String),
    /// Lines added and removed.
    Lines(u64),
}

/// What reached a reviewer with the answer to one of its calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shown {
    /// Texts that may hold diffs.
    pub diffs: Vec<String>,
    pub reads: Vec<FileLines>,
    pub outputs: Vec<FileOutput>,
    /// Where the client keeps the whole of an output of which it showed the beginning.
    pub kept_output: Option<String>,
    /// The words of the commands that ran.
    pub words: Vec<Vec<String>>,
}

/// Lines of a file that the client's own tool showed.
#[derive(Debug, Clone, PartialEq)]
pub struct FileLines {
    pub path: String,
    /// Git's id of what the file holds.
    pub blob: String,
    pub start: u64,
    pub count: u64,
    /// The file from its beginning to the last of these lines.
    pub text: String,
}

/// The output of a command that shows a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileOutput {
    pub blob: String,
    pub content: String,
    pub text: String,
}
