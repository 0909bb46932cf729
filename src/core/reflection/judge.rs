//! Decides which candidates of a batch `roz reflect` keeps, and why it rejects the others.
//!
//! Candidates pass these stages in order. The first stage that objects gives all its reasons:
//!
//! | stage | question | where |
//! |---|---|---|
//! | `schema` | does it say what a learning needs to say, at its length? | `candidate` |
//! | `write_gate` | is the claimed criterion plausible, and the text specific? | `specificity` |
//! | `duplicate` | is it there already, or in the batch? | `duplicate` |

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{
    candidate::{self, Batch},
    duplicate::Known,
    learning::{Learning, Origin, Scope, Status, words},
    specificity,
};
use crate::core::policy::{WriteGateMode, WriteGatePolicy};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// In the order of the batch, with unused ids. One with `supersedes` replaces a known learning.
    pub accepted: Vec<Learning>,
    pub rejected: Vec<Rejected>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rejected {
    /// In the batch, from 0.
    pub index: usize,
    /// As far as it could be read.
    pub summary: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub stage: Stage,
    pub reasons: Vec<String>,
}

words!(
    Stage { Schema = "schema", WriteGate = "write_gate", Duplicate = "duplicate" }
);

/// `known` has every readable learning in any status. New ids differ from all of them; duplicates
/// are looked for among the active ones and in the batch.
pub fn judge(
    batch: &Batch,
    known: &[Learning],
    policy: &WriteGatePolicy,
    of: &Origin,
) -> Judgement {
    let mut judgement = Judgement { warnings: batch.warnings.clone(), ..Judgement::default() };
    if batch.candidates.is_empty() {
        judgement.warnings.push(
            "`candidates` is empty: give one or more, or `roz skip WHY` where there is nothing to \
             tell"
                .to_owned(),
        );
    }
    let mut ids: HashSet<String> = known.iter().map(|learning| learning.id.clone()).collect();
    let mut texts = Known::of(known.iter().filter(|learning| learning.is_active()));
    for (index, value) in batch.candidates.iter().enumerate() {
        let read = candidate::read(value, of);
        let warn = |text: &str| format!("candidate {index}: {text}");
        judgement.warnings.extend(read.warnings.iter().map(|text| warn(text)));
        let (summary, tags) = (read.summary, read.tags);
        let reject = |stage, reasons| Rejected { index, summary, tags, stage, reasons };
        let mut learning = match read.candidate {
            Ok(learning) => learning,
            Err(reasons) => {
                judgement.rejected.push(reject(Stage::Schema, reasons));
                continue;
            }
        };
        let objections = specificity::objections(&learning);
        match policy.mode {
            WriteGateMode::Strict if !objections.is_empty() => {
                judgement.rejected.push(reject(Stage::WriteGate, objections));
                continue;
            }
            WriteGateMode::Warn => {
                judgement.warnings.extend(objections.iter().map(|objection| warn(objection)));
            }
            WriteGateMode::Strict | WriteGateMode::Off => (),
        }
        if let Some(reason) = texts.objection(&learning) {
            judgement.rejected.push(reject(Stage::Duplicate, vec![reason]));
            continue;
        }
        if let Some(problem) = unfit_to_supersede(&learning, known) {
            judgement.warnings.push(warn(&problem));
            learning.supersedes = None;
        }
        let free =
            (0..=u32::MAX).map(|salt| learning.make_id(salt)).find(|text| !ids.contains(text));
        learning.id = free.unwrap_or_default();
        ids.insert(learning.id.clone());
        texts.add(&learning);
        judgement.accepted.push(learning);
    }
    judgement
}

fn unfit_to_supersede(new: &Learning, known: &[Learning]) -> Option<String> {
    let id = new.supersedes.as_ref()?;
    let is_personal = |learning: &Learning| learning.scope == Scope::Personal;
    let is_fit = |old: &Learning| {
        old.id == *id && is_personal(old) == is_personal(new) && old.status != Status::Superseded
    };
    let whose = if is_personal(new) { "your own" } else { "the project's" };
    (!known.iter().any(is_fit)).then(|| {
        format!(
            "`{id}` is none of {whose} learnings that can be superseded: this one is kept beside"
        )
    })
}

#[cfg(test)]
mod tests;
