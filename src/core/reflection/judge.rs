//! Candidates in, learnings out: what `roz reflect` keeps of a batch, and what
//! is wrong with the rest.
//!
//! Each candidate is asked in this order, and the first stage that objects
//! gives its reasons, all of them:
//!
//! | stage | question | where |
//! |---|---|---|
//! | `schema` | does it say what a learning needs to say, at its length? | `candidate` |
//! | `write_gate` | is the claimed criterion plausible, and the text specific? | `specificity` |
//! | `duplicate` | is it there already, or in the batch? | `duplicate` |

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    candidate::{self, Batch, Candidate},
    duplicate::Known,
    learning::{Learning, Scope, Status},
    specificity,
};
use crate::core::policy::{WriteGateMode, WriteGatePolicy};

/// More than anybody learns from one ticket.
pub const MOST_CANDIDATES: usize = 50;

/// Whence a batch comes: what its learnings keep of that.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    pub now: DateTime<Utc>,
    pub session_id: Option<&'a str>,
    pub ticket_id: Option<&'a str>,
    /// `CARGO_PKG_VERSION` of the binary.
    pub roz_version: &'a str,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// In the order of the batch, each with an id that is not taken. One with
    /// `supersedes` takes the place of a learning that is known.
    pub accepted: Vec<Learning>,
    /// In the order of the batch.
    pub rejected: Vec<Rejected>,
    /// For the agent, a sentence each.
    pub warnings: Vec<String>,
}

/// A candidate that was not taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rejected {
    /// Its place in the batch, from 0.
    pub index: usize,
    /// What could be read of its summary.
    pub summary: String,
    /// Those that could be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub stage: Stage,
    /// A sentence each; never empty.
    pub reasons: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    Schema,
    WriteGate,
    Duplicate,
}

impl Stage {
    pub fn word(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::WriteGate => "write_gate",
            Self::Duplicate => "duplicate",
        }
    }
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// Judges each candidate of `batch` against `known`: every learning that can
/// be read, whatever its status. Ids are told from all of them; duplicates are
/// sought among the active ones, and in the batch.
pub fn judge(
    batch: &Batch,
    known: &[Learning],
    policy: &WriteGatePolicy,
    of: &Origin,
) -> Judgement {
    let mut judgement = Judgement { warnings: batch.warnings.clone(), ..Judgement::default() };
    if batch.candidates.is_empty() {
        let used =
            if batch.learnings_used.is_empty() { "" } else { "; `roz ref ID` notes what helped" };
        judgement.warnings.push(format!(
            "`candidates` is empty, so nothing of this is taken: give one or more, or `roz skip \
             WHY` where there is nothing to tell{used}"
        ));
    }
    let mut ids: HashSet<String> = known.iter().map(|it| it.id.clone()).collect();
    let mut texts = Known::of(known.iter().filter(|it| it.is_active()));
    for (index, value) in batch.candidates.iter().enumerate() {
        let mut read = candidate::read(value);
        if index >= MOST_CANDIDATES {
            read.reasons = vec![format!(
                "a batch holds at most {MOST_CANDIDATES} candidates; this is number {}",
                index + 1
            )];
        }
        let reject = |stage, reasons| Rejected {
            index,
            summary: read.summary.clone(),
            tags: read.tags.clone(),
            stage,
            reasons,
        };
        let warn = |text: &str| format!("candidate {index}: {text}");
        judgement.warnings.extend(read.warnings.iter().map(|it| warn(it)));
        let candidate = match read.candidate {
            Some(candidate) if read.reasons.is_empty() => candidate,
            _ => {
                judgement.rejected.push(reject(Stage::Schema, read.reasons.clone()));
                continue;
            }
        };
        let objections = specificity::objections(&candidate);
        match policy.mode {
            WriteGateMode::Strict if !objections.is_empty() => {
                judgement.rejected.push(reject(Stage::WriteGate, objections));
                continue;
            }
            WriteGateMode::Warn => {
                judgement.warnings.extend(objections.iter().map(|it| warn(it)));
            }
            WriteGateMode::Strict | WriteGateMode::Off => (),
        }
        let replaced = candidate.supersedes.as_deref();
        if let Some(reason) = texts.objection(&candidate, replaced) {
            judgement.rejected.push(reject(Stage::Duplicate, vec![reason]));
            continue;
        }
        let mut learning = learning(candidate, of);
        if let Some(problem) = unfit_to_supersede(&learning, known) {
            judgement.warnings.push(warn(&problem));
            learning.supersedes = None;
        }
        let replaced = learning.supersedes.as_deref().unwrap_or_default();
        for twin in texts.twins(replaced) {
            judgement.warnings.push(warn(&format!(
                "`{twin}` says what `{replaced}` said, and is still there: `roz learn archive \
                 {twin}` puts it away"
            )));
        }
        let free = (0..=u32::MAX).map(|salt| learning.make_id(salt)).find(|it| !ids.contains(it));
        learning.id = free.unwrap_or_default();
        ids.insert(learning.id.clone());
        texts.add(&learning);
        judgement.accepted.push(learning);
    }
    judgement
}

/// Why the learning that `new` is to replace cannot be replaced.
fn unfit_to_supersede(new: &Learning, known: &[Learning]) -> Option<String> {
    let id = new.supersedes.as_deref()?;
    match known.iter().find(|it| it.id == id) {
        None => Some(format!(
            "there is no learning `{id}` to supersede, so this one is kept beside the others"
        )),
        Some(it) if (it.scope == Scope::Personal) != (new.scope == Scope::Personal) => {
            let [whose, other] = if it.scope == Scope::Personal {
                ["yours in every project", "of scope `personal`"]
            } else {
                ["the project's", "of the project"]
            };
            Some(format!(
                "`{id}` is {whose}, and only a learning {other} can supersede it; this one is kept \
                 beside it"
            ))
        }
        Some(it) if it.status == Status::Superseded => {
            Some(format!("`{id}` has been superseded already, so this one is kept beside it"))
        }
        Some(_) => None,
    }
}

/// Without an id yet.
fn learning(candidate: Candidate, of: &Origin) -> Learning {
    Learning {
        id: String::new(),
        category: candidate.category,
        summary: candidate.summary,
        detail: candidate.detail,
        scope: candidate.scope,
        confidence: candidate.confidence,
        status: Status::Active,
        criteria: candidate.criteria,
        tags: candidate.tags,
        context_files: candidate.context_files,
        relevance: candidate.relevance,
        ticket_id: of.ticket_id.map(str::to_owned),
        session_id: of.session_id.map(str::to_owned),
        supersedes: candidate.supersedes,
        created_at: of.now,
        roz_version: Some(of.roz_version.to_owned()),
    }
}

#[cfg(test)]
mod tests;
