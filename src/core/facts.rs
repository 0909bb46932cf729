//! What `hooks` looked up about an event, before the gates decide.

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

/// A fact that was not looked up, or could not be, says so in its own type; the gate decides what
/// that means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The work that a gated call is about.
    pub work: Work,
    /// One per work tree of the review.
    pub works: Vec<Work>,
    /// The work trees of a review, for a reviewer that is launched or starts.
    pub roots: Vec<PathBuf>,
    /// What a reviewer saw of the work in a call's answer.
    pub shown: Shown,
    /// Clauses that say how a reviewer's call would change the work.
    pub reviewer_changes: Vec<String>,
    /// Dirty files at the start of the session, with a hash of their content.
    pub dirty: Option<BTreeMap<String, String>>,
    pub written: Vec<PathBuf>,
    /// Programs of other models that a reviewer may ask.
    pub second_opinions: Vec<String>,
    /// An agent file of the project or the user that has the reviewer's name.
    pub shadow: Option<PathBuf>,
    /// A reviewer that starts cannot be told its token, so it decides with its permit alone.
    pub reviewer_unbriefed: bool,
    /// The client does not report which calls are a reviewer's own.
    pub reviewer_unwatched: bool,
    /// Sessions of this project with an open review that were active within the hour.
    pub open_elsewhere: Vec<SessionId>,
    pub protect: ProtectFacts,
    pub learned: Learned,
    pub intent: IntentFacts,
    pub weakened: Vec<WeakenedFile>,
    pub gates_elsewhere: Vec<GatesElsewhere>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct GatesElsewhere {
    pub root: PathBuf,
    pub gates: GatesPolicy,
    pub runs: Vec<Run>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learned {
    /// Also false where this was not looked up.
    pub is_wanted: bool,
    /// The ticket system whose marker the project has. With one, sessions are not asked for a
    /// reflection at their end. Looked up where the gate is on.
    pub system: Option<String>,
    pub ticket: Option<Ticket>,
    pub baseline: Option<Baseline>,
    pub closings: Vec<Closing>,
    pub diff: Diff,
    /// Best first.
    pub relevant: Vec<Relevant>,
    pub due_elsewhere: Vec<SessionId>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub enum Diff {
    #[default]
    NotAsked,
    /// No repository, or git failed; says why.
    Unknown(String),
    /// Added plus removed lines.
    Lines(u64),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shown {
    pub diffs: Vec<String>,
    pub reads: Vec<FileLines>,
    pub outputs: Vec<FileOutput>,
    /// Where the client saved an output of which it showed only the beginning.
    pub kept_output: Option<String>,
    pub words: Vec<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FileLines {
    pub path: String,
    pub blob: String,
    pub start: u64,
    pub count: u64,
    /// The file up to the last of these lines.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FileOutput {
    pub blob: String,
    pub content: String,
    pub text: String,
}
