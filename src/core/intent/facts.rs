//! What `hooks` looked up for the intent gate.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::{
    briefing::Briefing,
    catalogue::Catalogue,
    check_commands::Ended,
    ignore::Treatment,
    post_call_facts::Aftermath,
    selection::{Missing, Unreliable},
    state::Start,
    target::Target,
    unconfirmed::UnconfirmedChange,
};
use crate::{
    core::bounded,
    shell::{HOLE, How},
};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct IntentFacts {
    /// By the session's project.
    pub declared: Declared,
    pub targets: Vec<Aim>,
    /// Content hashes of what a call has read or written, by path from the project's root.
    pub seen: Vec<(String, String)>,
    /// The intent that the agent has to be told about.
    pub handshake: Option<Handshake>,
    /// Projects with their own sidecars that are nearer to some targets.
    pub also: Vec<Nearer>,
    /// Paths, as the call writes them, whose changes do not matter.
    pub free: BTreeSet<String>,
    /// What the call's git commands would discard; `None` where git cannot list it.
    pub discards: Option<Vec<Aim>>,
    /// The state before the call, for calls that are looked at afterwards.
    pub start: Option<Start>,
    pub aftermath: Option<Aftermath>,
    pub ended: Ended,
    /// When a person allowed this call. It confirms what roz's own commands have written since.
    pub granted: Option<DateTime<Utc>>,
    /// Sidecar texts that are not stored yet.
    pub unkept: Vec<String>,
    /// Lines of `.intentignore` that may not mean what their author wanted, at the start of a
    /// session.
    pub odd: Vec<String>,
    /// Why the ledger cannot be written.
    pub unwritable: Option<String>,
}

impl IntentFacts {
    pub fn of(declared: Declared) -> Self {
        Self { declared, ..Self::default() }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Declared {
    pub sidecar: Sidecar,
    pub catalogue: Catalogue,
    /// Intents that `.intentignore` closes, with its lines.
    pub closed: Vec<(String, usize)>,
    /// Sidecar files that a call changed.
    pub doubts: Vec<UnconfirmedChange>,
}

/// Another project that judges some of the targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearer {
    pub root: String,
    pub declared: Declared,
    /// Relative to its root.
    pub targets: Vec<Aim>,
}

/// What the agent is told when an intent is selected.
#[derive(Debug, Clone, PartialEq)]
pub struct Handshake {
    pub briefing: Briefing,
    /// The answer to the selecting call contained the briefing.
    pub is_told: bool,
    /// Clauses that say who else may write the intent's files.
    pub overlaps: Vec<String>,
    /// The answer contained the overlaps, too.
    pub are_overlaps_told: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sidecar {
    /// Not looked up because the gate is off.
    #[default]
    NotAsked,
    Absent,
    /// Declared earlier in this session; the checked-out commit declares none.
    NotDeclared,
    /// Declared before this session, and removed without a person's consent.
    Missing(Missing),
    Broken(Unreliable),
    There,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Aim {
    pub target: Target,
    pub how: How,
    pub treatment: Treatment,
    /// Changes do not matter here: scratch folders, `/dev/null`, ignored files.
    pub is_free: bool,
    /// In another work tree of the repository: the scope applies, but this project's ledger does
    /// not record it.
    pub is_elsewhere: bool,
    /// `sha256:…` of the current content; `None` where there is no file.
    pub hash: Option<String>,
    /// According to the ledger.
    pub changed_by: Option<String>,
}

impl Aim {
    pub fn shown(&self) -> String {
        let text = self.target.written.text();
        let text = if text.is_empty() { "." } else { text };
        bounded::plain_line(&bounded::line(&text.replace(HOLE, "…"), 120))
    }

    pub fn is_tracked(&self) -> bool {
        !self.is_free && !self.is_elsewhere && self.treatment.untracked.is_none()
    }

    /// The real path, relative to the project's root.
    pub fn path(&self) -> String {
        self.target.real.text().to_owned()
    }
}
