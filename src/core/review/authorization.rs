//! Who may decide: a launch, a token and a permit, or a person at a terminal.
//!
//! - The **launch**: PreToolUse of the tool call that starts a reviewer.
//! - The **token**: made at the SubagentStart that answers an open launch,
//!   told to that subagent alone, kept as its SHA-256.
//! - The **permit**: PreToolUse of that reviewer's own Bash call that runs
//!   `roz decide`, for the verdict in its command line.
//!
//! A stolen token decides nothing without a permit.

mod launch;
mod looking;

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::core::{
    Cx, bounded,
    event::ToolCall,
    outcome::{Notice, Outcome},
    policy::Policy,
    review::{
        blocked_stops, coverage,
        decision::{By, Decision, Posted},
        phase::Phase,
        reviewer::{Claim, Permit, Posting, Refusal, Reviewer, Standing, Taken},
        state::Review,
    },
    trace::Mark,
};

pub(crate) use self::launch::NAMESAKE;
pub(super) use self::{
    launch::{awaits_start, launch, launch_failed, start},
    looking::was_shown,
};

/// Running calls of one reviewer that may decide.
const MAX_PERMITS: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) session: String,
    /// `COMPLETE` or `ISSUES`; `None` for `roz context`.
    pub(crate) verdict: Option<&'static str>,
}

pub(crate) fn said(call: &ToolCall) -> Vec<Said> {
    let runs = call.runs().filter(|run| run.program == "roz");
    runs.filter_map(|run| {
        let mut words = positionals(run.argv.get(1..)?).into_iter();
        match words.next()?.as_str() {
            "decide" => {
                let session = words.next()?;
                let verdict = words.next()?.to_uppercase();
                let verdict = ["COMPLETE", "ISSUES"].into_iter().find(|text| *text == verdict)?;
                Some(Said { session, verdict: Some(verdict) })
            }
            // Without a session, `roz context` shows the newest one.
            "context" => Some(Said { session: words.next()?, verdict: None }),
            _ => None,
        }
    })
    .collect()
}

pub(super) fn says_only(call: &ToolCall) -> bool {
    let mut runs = call.runs().peekable();
    let is_readable = call.readings.iter().all(|reading| reading.unreadable.is_none());
    is_readable
        && runs.peek().is_some()
        && runs.all(|run| {
            let verb = run.argv.get(1).map(String::as_str);
            run.program == "roz" && matches!(verb, Some("decide" | "context"))
        })
}

fn positionals(argv: &[String]) -> Vec<String> {
    const VALUED: &[&str] =
        &["-m", "--message", "-o", "--opinions", "-t", "--token", "--unseen", "--page", "--color"];
    let mut words = Vec::new();
    let mut rest = argv.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            words.extend(rest.by_ref().cloned());
        } else if VALUED.contains(&word.as_str()) {
            rest.next();
        } else if !(word.len() > 1 && word.starts_with('-')) {
            words.push(word.clone());
        }
    }
    words
}

/// Gives a reviewer's own Bash call a permit for each of its verdicts.
pub(super) fn permit(review: &mut Review, agent: &str, call: &ToolCall, cx: Cx) -> Outcome {
    let mut outcome = Outcome::pass();
    for said in said(call) {
        let own = cx.session_id.as_str();
        let names_own = !said.session.is_empty()
            && (own.starts_with(&said.session) || said.session.contains(crate::shell::HOLE));
        if !names_own {
            review.attempts.failed(blocked_stops::Outcome::BadSessionId);
            let named = bounded::line(&said.session, 128);
            let notice = Notice::new("bad-session").with("named", named.clone());
            return Outcome::object(notice)
                .marked(Mark::BadSessionId { agent_id: agent.to_owned(), named });
        }
        let Some(verdict) = said.verdict else { continue };
        let Some(reviewer) = review.reviewers.get_mut(agent) else { continue };
        let permit = Permit { verdict: verdict.to_owned(), tool_use_id: call.tool_use_id.clone() };
        if !reviewer.permits.contains(&permit) && reviewer.permits.len() < MAX_PERMITS {
            reviewer.permits.push(permit);
            outcome = outcome.marked(Mark::PermitGiven {
                agent_id: agent.to_owned(),
                verdict,
                tool_use_id: call.tool_use_id.clone(),
            });
        }
    }
    outcome
}

pub(super) fn revoke(review: &mut Review, agent: &str, call: &ToolCall) {
    if let Some(reviewer) = review.reviewers.get_mut(agent) {
        reviewer.permits.retain(|permit| permit.tool_use_id != call.tool_use_id);
    }
}

/// # Errors
///
/// Says what is missing; nothing is changed then.
pub fn post(
    review: &mut Review,
    posting: &Posting,
    session_id: &str,
    policy: &Policy,
    now: DateTime<Utc>,
) -> Result<Taken, Refusal> {
    let verdict = posting.decision.verdict();
    let is_approval = matches!(posting.decision, Decision::Complete { .. });
    let mut report = coverage::Report::default();
    let (by, proof, standing) = match &posting.claim {
        Claim::Human => {
            (By::Human, json!("a terminal, and no agent's environment"), Standing::Stands)
        }
        Claim::Prompt => (By::Human, json!("a prompt of the user"), Standing::Stands),
        Claim::Token(_) | Claim::Permit => {
            let (agent, reviewer) = claimant(review, &posting.claim, verdict)?;
            let permit = reviewer.permits.iter().find(|permit| permit.verdict == verdict);
            let permit = permit.ok_or(Refusal::NoPermit)?;
            let mut proof = json!({ "started": reviewer.proof, "permit": permit.tool_use_id });
            if let Claim::Token(_) = &posting.claim {
                proof["token_sha256"] = reviewer.token_sha256.as_str().into();
            }
            if is_approval {
                report = coverage::check(reviewer, posting, review.trigger(), &policy.review)?;
            }
            let agent = agent.to_owned();
            let standing = standing(review, &agent, reviewer.started_at, &posting.decision);
            let used = permit.tool_use_id.clone();
            if let Some(reviewer) = review.reviewers.get_mut(&agent) {
                reviewer.last_word = Some(verdict.to_owned());
                // Each call decides once.
                reviewer.permits.retain(|permit| permit.tool_use_id != used);
            }
            (By::Reviewer(agent), proof, standing)
        }
    };
    let posted = Posted {
        decision: posting.decision.clone(),
        posted_at: now,
        by: by.clone(),
        cycle: review.cycle,
        proof,
        tree: posting.tree(),
    };
    let mut taken = Taken {
        by,
        standing,
        approvals: Vec::new(),
        withdrawn: Vec::new(),
        seen: report.seen,
        unseen: report.unseen,
    };
    let has_effect = taken.standing == Standing::Stands;
    if has_effect && is_approval {
        let waiting = review.trigger().filter(|_| review.phase().is_open());
        let key = waiting.and_then(|trigger| trigger.key.as_deref());
        taken.approvals = posting.rows(&taken, session_id, key, now);
    } else if has_effect {
        let serving = posting.knowns().filter_map(|known| known.approval.as_ref());
        let serving = serving.filter(|serving| taken.by == By::Human || !serving.is_by_person);
        taken.withdrawn = review.withdrawable(&taken.by);
        taken.withdrawn.extend(serving.map(|serving| serving.id.clone()));
        taken.withdrawn.dedup();
    }
    let rows = taken.approvals.iter().map(|row| row.id.clone()).collect();
    if has_effect {
        review.decided(posted, rows);
    } else {
        review.record(posted);
    }
    if posting.claim == Claim::Prompt {
        review.approved_at_prompt();
    }
    Ok(taken)
}

/// Finds the deciding reviewer by its token, or by a permit for this verdict if it could not be
/// told a token.
fn claimant<'a>(
    review: &'a Review,
    claim: &Claim,
    verdict: &str,
) -> Result<(&'a str, &'a Reviewer), Refusal> {
    let mut reviewers = review.reviewers.iter();
    let (found, refusal) = if let Claim::Token(token) = claim {
        let digest = bounded::sha256(token.trim().as_bytes());
        (reviewers.find(|(_, reviewer)| reviewer.token_sha256 == digest), Refusal::UnknownToken)
    } else {
        let has_permit = |reviewer: &Reviewer| {
            reviewer.is_unbriefed && reviewer.permits.iter().any(|permit| permit.verdict == verdict)
        };
        (reviewers.find(|(_, reviewer)| has_permit(reviewer)), Refusal::NoToken)
    };
    found.map(|(agent, reviewer)| (agent.as_str(), reviewer)).ok_or(refusal)
}

/// Whether a reviewer's decision replaces the last one.
fn standing(
    review: &Review,
    agent: &str,
    started_at: DateTime<Utc>,
    decision: &Decision,
) -> Standing {
    if let Decision::Issues { .. } = decision {
        if review.is_approved_by_person() {
            return Standing::Recorded("a person has approved the work");
        }
        return Standing::Stands;
    }
    match review.phase() {
        Phase::Approved => return Standing::Recorded("the work is approved already"),
        Phase::Idle if !review.breaker.is_tripped && !review.is_ahead_of_time() => {
            return Standing::Recorded("no review is open");
        }
        Phase::Idle | Phase::Pending | Phase::Reviewing | Phase::Issues { .. } => (),
    }
    // An approval does not override issues that another reviewer found at the same time, unless that
    // one has taken them back.
    let mut heard: Vec<&By> = Vec::new();
    for posted in review.decisions_of_cycle().rev() {
        if posted.by == By::Reviewer(agent.to_owned()) || heard.contains(&&posted.by) {
            continue;
        }
        heard.push(&posted.by);
        if started_at <= posted.posted_at && matches!(posted.decision, Decision::Issues { .. }) {
            return Standing::Recorded("another reviewer found issues at the same time");
        }
    }
    Standing::Stands
}
