//! Questions to the review's record.

use std::path::Path;

use chrono::{DateTime, Utc};

use super::Review;
use crate::core::review::{
    decision::{By, Decision, Posted},
    messages,
    phase::Phase,
    reviewer::Reviewer,
    trigger::{GateTrigger, Opener},
    work::Work,
};

impl Review {
    pub fn phase(&self) -> Phase<'_> {
        if !self.enabled {
            return Phase::Idle;
        }
        match &self.decision {
            Decision::Complete { .. } => Phase::Approved,
            _ if self.reviewers.values().any(Reviewer::is_at_work) => Phase::Reviewing,
            Decision::Issues { summary, message_to_agent } => {
                Phase::Issues { summary, message: message_to_agent }
            }
            Decision::Pending => Phase::Pending,
        }
    }

    /// In an older document, a cycle without a waiting call was opened by `#roz`.
    pub fn opener(&self) -> Opener {
        let guess = if self.gate_trigger.is_some() { Opener::Gate } else { Opener::Person };
        self.opener.unwrap_or(guess)
    }

    pub fn trigger(&self) -> Option<&GateTrigger> {
        self.gate_trigger.as_ref()
    }

    pub fn approved_at(&self) -> Option<DateTime<Utc>> {
        self.approval.as_ref().and(self.gate_approved_at)
    }

    /// Notes that the user was told about the state `tree`. Returns whether that is new.
    pub(in crate::core::review) fn told_of(&mut self, tree: &str) -> bool {
        let Some(approval) = &mut self.approval else { return false };
        let is_news = approval.told.as_deref() != Some(tree);
        approval.told = Some(tree.to_owned());
        is_news
    }

    /// Oldest first.
    pub fn decisions_of_cycle(&self) -> impl DoubleEndedIterator<Item = &Posted> {
        self.decision_history.iter().filter(|posted| posted.cycle == self.cycle)
    }

    /// Returns whether this is the first blocked stop of the cycle.
    pub(in crate::core::review) fn held(&mut self) -> bool {
        !std::mem::replace(&mut self.was_held, true) && self.breaker.block_count == 1
    }

    pub(crate) fn finder(&self) -> &'static str {
        match self.decisions_of_cycle().next_back().map(|posted| &posted.by) {
            Some(By::Human) => "a person",
            Some(By::Reviewer(_)) | None => "the reviewer",
        }
    }

    pub(in crate::core::review) fn is_former(&self, agent: &str) -> bool {
        self.former_reviewers.iter().any(|former| former == agent)
    }

    pub fn has_token(&self, agent: &str) -> bool {
        self.reviewers.contains_key(agent)
    }

    /// Also after its review.
    pub fn is_reviewer(&self, agent: &str) -> bool {
        self.has_token(agent) || self.is_former(agent)
    }

    /// The last one of several.
    pub fn reviewer_at_work(&self) -> Option<&str> {
        let at_work = self.reviewers.iter().filter(|(_, reviewer)| reviewer.is_at_work());
        at_work.max_by_key(|(_, reviewer)| reviewer.started_at).map(|(agent, _)| agent.as_str())
    }

    /// The tree of a work tree when the reviewer at work started.
    pub fn tree_at_start(&self, root: &Path) -> Option<&str> {
        let reviewer = self.reviewers.get(self.reviewer_at_work()?)?;
        reviewer.began_with.get(root).map(String::as_str)
    }

    pub fn reviewer_ids(&self) -> impl Iterator<Item = &str> {
        self.reviewers.keys().chain(&self.former_reviewers).map(String::as_str)
    }

    /// Whether a stop has to check for changes since the approval.
    pub fn approval_is_watched(&self, is_always: bool) -> bool {
        let is_fresh = match (self.last_prompt_at, self.gate_approved_at) {
            (Some(prompt), Some(approved)) => prompt <= approved,
            _ => true,
        };
        self.phase() == Phase::Approved
            && (is_always || self.opener() == Opener::Person && is_fresh)
    }

    pub(in crate::core::review) fn is_untouched(&self, works: &[Work]) -> bool {
        let is_same = |work: &Work| match work {
            Work::Known(known) => self.before.get(&known.root) == Some(&known.tree),
            Work::NoRepository => !self.is_written,
            Work::NotAsked | Work::Unknown(_) => false,
        };
        !works.is_empty() && works.iter().all(is_same)
    }

    pub(in crate::core::review) fn why_new(&self, work: &Work) -> Option<String> {
        match work {
            Work::Known(known) if known.needs_approval() => Some(messages::why_new(known)),
            Work::NoRepository if self.is_written => {
                Some("files were written since the approval".to_owned())
            }
            Work::Known(_) | Work::NoRepository | Work::NotAsked | Work::Unknown(_) => None,
        }
    }

    /// Whether a reviewer that the agent launched early ended without a decision. It may still
    /// decide.
    pub(in crate::core::review) fn is_ahead_of_time(&self) -> bool {
        self.phase() == Phase::Idle
            && self.opener == Some(Opener::Launch)
            && self.approval.is_none()
    }
}
