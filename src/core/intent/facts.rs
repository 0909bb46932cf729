//! What `hooks` looked up for the intent gate.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::{
    aftermath::Aftermath,
    briefing::Briefing,
    catalogue::Catalogue,
    checks::Ended,
    ignore::Treatment,
    selection::{Missing, Unreliable},
    state::Start,
    target::Target,
    unconfirmed::Doubt,
};
use crate::{
    core::bounded,
    shell::{HOLE, How},
};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct IntentFacts {
    /// By the session's own project.
    pub declared: Declared,
    /// What the call would write.
    pub targets: Vec<Aim>,
    /// What a call that ran has read, or what it wrote looks like now: paths from the project's
    /// root, with the hash of what they hold.
    pub seen: Vec<(String, String)>,
    /// The intent that the agent is to be told of.
    pub handshake: Option<Handshake>,
    /// Projects with sidecars of their own that lie nearer to some targets.
    pub also: Vec<Nearer>,
    /// Paths of writes, as the call says them, that are nobody's.
    pub free: BTreeSet<String>,
    /// What the call's git commands would discard, where git can list it.
    pub discards: Option<Vec<Aim>>,
    /// How things stand as the call begins, where it will be looked at.
    pub start: Option<Start>,
    /// What a call that ran has really changed, where that was looked at.
    pub aftermath: Option<Aftermath>,
    /// How a call that ran came to its end.
    pub ended: Ended,
    /// When a person allowed this call, if it was asked about: what roz's own verbs wrote since is
    /// confirmed.
    pub granted: Option<DateTime<Utc>>,
    /// Texts of the sidecar that are not kept yet.
    pub unkept: Vec<String>,
    /// Lines of `.intentignore` that may not say what was meant, as a session begins.
    pub odd: Vec<String>,
    /// Why nothing can be recorded, where that matters.
    pub unwritable: Option<String>,
}

impl IntentFacts {
    pub fn of(declared: Declared) -> Self {
        Self { declared, ..Self::default() }
    }
}

/// What a project declares, and whether that can be relied on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Declared {
    pub sidecar: Sidecar,
    pub catalogue: Catalogue,
    /// Intents that `.intentignore` keeps from being selected, with its lines.
    pub closed: Vec<(String, usize)>,
    /// Files of the sidecar that say what a call made of them.
    pub doubts: Vec<Doubt>,
}

/// A project that judges some targets besides the session's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearer {
    /// As people read it.
    pub root: String,
    pub declared: Declared,
    /// Seen from its root.
    pub targets: Vec<Aim>,
}

/// What is told of a selected intent.
#[derive(Debug, Clone, PartialEq)]
pub struct Handshake {
    pub briefing: Briefing,
    /// The answer of the call that selected it has told all of it.
    pub is_told: bool,
    /// Who else may write what is the intent's, a clause each.
    pub overlaps: Vec<String>,
    /// The answer has told of them, too.
    pub are_overlaps_told: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sidecar {
    /// Nobody looked: the gate is off.
    #[default]
    NotAsked,
    Absent,
    /// It was there in this session, and the commit that is checked out has none.
    NotDeclared,
    /// It was there before this session, and nobody said that it should go.
    Missing(Missing),
    Broken(Unreliable),
    There,
}

/// A path that a call would write.
#[derive(Debug, Clone, PartialEq)]
pub struct Aim {
    pub target: Target,
    pub how: How,
    pub treatment: Treatment,
    /// A place of nobody's: a scratch folder, `/dev/null`, what git or the intents ignore.
    pub is_free: bool,
    /// In another work tree of the repository: in scope or not, and in no record of this one.
    pub is_elsewhere: bool,
    /// What the file holds now, as `sha256:…`; none where there is no file.
    pub hash: Option<String>,
    /// Who changed it last, from the ledger.
    pub changed_by: Option<String>,
}

impl Aim {
    /// As people read it.
    pub fn shown(&self) -> String {
        let text = self.target.written.text();
        let text = if text.is_empty() { "." } else { text };
        bounded::plain_line(&bounded::line(&text.replace(HOLE, "…"), 120))
    }

    /// Whether a change of it is to be recorded.
    pub fn is_tracked(&self) -> bool {
        !self.is_free && !self.is_elsewhere && self.treatment.untracked.is_none()
    }

    /// Where it really is, from the project's root.
    pub fn path(&self) -> String {
        self.target.real.text().to_owned()
    }
}
