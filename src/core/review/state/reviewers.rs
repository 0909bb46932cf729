//! Records reviewers: started, working, ended.

use chrono::{DateTime, Utc};

use super::{MAX_IDS, Review, keep_newest};
use crate::core::{
    event::Background,
    policy,
    review::{blocked_stops::Outcome, decision::Decision, reviewer::Reviewer, trigger::Opener},
};

impl Review {
    /// The subagent never gets a token (again).
    pub(in crate::core::review) fn exclude(&mut self, agent: &str) {
        if !self.is_former(agent) {
            self.former_reviewers.push(agent.to_owned());
            keep_newest(&mut self.former_reviewers, MAX_IDS);
        }
    }

    /// A reviewer gets a token. Reviewers that ended undecided lose theirs.
    pub(in crate::core::review) fn started(&mut self, agent: &str, reviewer: Reviewer) {
        let gone = self.reviewers.iter().filter(|(_, other)| other.has_ended);
        let gone: Vec<String> = gone.map(|(id, _)| id.clone()).collect();
        for id in gone {
            self.reviewers.remove(&id);
            self.exclude(&id);
        }
        self.reviewers.insert(agent.to_owned(), reviewer);
        self.attempts.spawned();
    }

    /// A reviewer is gone: the review returns to its state before. `outcome` is recorded for the
    /// attempt unless the reviewer has decided.
    pub(in crate::core::review) fn lose_reviewer(&mut self, agent: &str, outcome: Outcome) {
        let Some(reviewer) = self.reviewers.get_mut(agent) else { return };
        if reviewer.has_ended {
            return;
        }
        let was_undecided = reviewer.is_undecided();
        if was_undecided {
            reviewer.has_ended = true;
        } else {
            self.reviewers.remove(agent);
            self.exclude(agent);
        }
        let any_at_work = self.reviewers.values().any(Reviewer::is_at_work);
        if !self.enabled || any_at_work || !was_undecided {
            return;
        }
        self.attempts.failed(outcome);
        if self.opener() == Opener::Launch && self.decision == Decision::Pending {
            // Nobody asked for this review, so there is none now. The token is kept.
            self.enabled = false;
        }
    }

    pub(in crate::core::review) fn lose_late_reviewers(
        &mut self,
        timeout_seconds: u64,
        now: DateTime<Utc>,
    ) {
        let is_late =
            |reviewer: &Reviewer| policy::later(reviewer.started_at, timeout_seconds) <= now;
        let mut at_work = self.reviewers.values().filter(|reviewer| reviewer.is_at_work());
        // If one of them is in time, all are waited for.
        if at_work.all(is_late) {
            self.lose(&Outcome::TimedOut, |_, reviewer| reviewer.is_at_work());
        }
    }

    /// `running` is the client's list.
    pub(in crate::core::review) fn lose_absent_reviewers(&mut self, running: &[Background]) {
        let is_running = |id: &str| running.iter().any(|task| task.agent_id == id);
        self.lose(&Outcome::NoDecision, |id, _| !is_running(id));
    }

    fn lose(&mut self, outcome: &Outcome, is_lost: impl Fn(&str, &Reviewer) -> bool) {
        let lost = self.reviewers.iter().filter(|(id, reviewer)| is_lost(id, reviewer));
        let lost: Vec<String> = lost.map(|(id, _)| id.clone()).collect();
        for agent in lost {
            self.lose_reviewer(&agent, outcome.clone());
        }
    }
}
