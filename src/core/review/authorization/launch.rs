//! Launches a reviewer with roz's brief and gives it a token when it starts.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::core::{
    Cx, bounded,
    event::{MADE_UP, ToolCall},
    outcome::{Notice, Outcome, Rewrite},
    policy::Mode,
    review::{
        messages,
        phase::Phase,
        reviewer::{Launch, Reviewer},
        state::{Opener, Review},
        work::Work,
    },
    tool::Tool,
    trace::Mark,
};

/// The beginning of the refusal's reason if another agent file has the reviewer's name; `last_refusal`
/// recognises it by this.
pub(crate) const NAMESAKE: &str = "an agent file has the reviewer's name";

/// Per session.
const MAX_LAUNCHES: usize = 16;

/// Replaces the agent's prompt for the reviewer with roz's brief.
pub(in crate::core::review) fn launch(review: &mut Review, call: &ToolCall, cx: Cx) -> Outcome {
    review.lose_late_reviewers(cx.policy.review.reviewer_timeout_seconds, cx.now);
    if let Some(path) = &cx.facts.shadow {
        let notice = Notice::new("replaced").with("file", path.display().to_string());
        let reason = namesake(path);
        let told = namesake_told(&reason);
        let refused = Mark::TokenRefused { agent_id: None, reason };
        return Outcome::object(notice).marked(refused).telling_user(told);
    }
    let is_told_again = review.launches.iter().any(|launch| is_same(review, launch, call, cx.now));
    if !is_told_again {
        match review.phase() {
            Phase::Reviewing if !cx.policy.review.parallel => {
                return Outcome::object(Notice::new("reviewing"));
            }
            Phase::Approved if cx.facts.work.is_approved() => {
                return Outcome::object(Notice::new("approved-already"));
            }
            _ => (),
        }
    }
    let words = match &call.tool {
        Tool::Spawn { prompt, .. } => prompt.as_str(),
        _ => "",
    };
    // The agent's words must not close their quotation.
    let quoted: String =
        bounded::plain(&bounded::chars(words, 4000).replace(['\r', '\u{2028}', '\u{2029}'], "\n"))
            .lines()
            .flat_map(|line| ["> ", line, "\n"])
            .collect();
    let prompt = Notice::new("brief")
        .with("words", quoted)
        .with("folders", messages::folders(&cx.facts.roots));
    // The reviewer has the brief in its instructions and context, too.
    let may_keep_prompt = words.trim() == format!("Review session {}.", cx.session_id);
    let rewrite = Rewrite { prompt, may_keep_prompt };
    let outcome = Outcome { rewrite: Some(rewrite), ..Outcome::default() };
    if is_told_again {
        return outcome;
    }
    review.launches.push(Launch {
        tool_use_id: call.tool_use_id.clone(),
        at: cx.now,
        answered: false,
    });
    let surplus = review.launches.len().saturating_sub(MAX_LAUNCHES);
    review.launches.drain(..surplus);
    outcome.marked(Mark::ReviewerLaunched { tool_use_id: call.tool_use_id.clone() })
}

/// Whether a hook tells of a launch again, as where it is registered twice. A made-up id says only
/// that the input is the same, so a later round may have it too.
fn is_same(review: &Review, launch: &Launch, call: &ToolCall, now: DateTime<Utc>) -> bool {
    let Some(id) = call.tool_use_id.as_ref().filter(|id| launch.tool_use_id.as_ref() == Some(*id))
    else {
        return false;
    };
    let is_under_way =
        || launch.is_open(now) || review.reviewers.values().any(Reviewer::is_at_work);
    !id.starts_with(MADE_UP) || is_under_way()
}

pub(in crate::core::review) fn awaits_start(review: &Review, now: DateTime<Utc>) -> bool {
    review.launches.iter().any(|launch| launch.is_open(now))
}

pub(in crate::core::review) fn launch_failed(review: &mut Review, call: &ToolCall) {
    review
        .launches
        .retain(|launch| launch.tool_use_id.is_none() || launch.tool_use_id != call.tool_use_id);
}

pub(in crate::core::review) fn start(review: &mut Review, agent: &str, cx: Cx) -> Outcome {
    if agent.is_empty() || review.reviewers.contains_key(agent) {
        return Outcome::pass();
    }
    if let Some(path) = &cx.facts.shadow {
        let reason = namesake(path);
        return no_token(review, agent, &reason).telling_user(namesake_told(&reason));
    }
    // A start follows its launch.
    let launch = review.launches.iter().position(|launch| launch.is_open(cx.now));
    let resumed = "this subagent was not started by a fresh call of the Agent tool";
    let Some(launch) = launch.filter(|_| !review.is_former(agent)) else {
        return no_token(review, agent, resumed);
    };
    if review.phase() == Phase::Reviewing && !cx.policy.review.parallel {
        // Two reviewers were launched together.
        review.launches[launch].answered = true;
        return no_token(review, agent, "a reviewer is already at work");
    }
    // The agent asks for a review early.
    if !review.phase().is_open() {
        if let Some(reason) = why_no_review(review, cx) {
            review.launches[launch].answered = true;
            return no_token(review, agent, reason);
        }
        review.open(Opener::Launch, cx.now);
    }
    if review.works.is_empty() {
        review.works.clone_from(&cx.facts.roots);
    }
    let launch = &mut review.launches[launch];
    launch.answered = true;
    let token = bounded::hex(&cx.dice[16..]);
    let trees = cx.facts.works.iter().filter_map(Work::known);
    let is_unbriefed = cx.facts.reviewer_unbriefed;
    let mut proof = json!({
        "launched_at": launch.at,
        "tool_use_id": launch.tool_use_id,
        "agent_files": "none bears the reviewer's name",
    });
    if is_unbriefed {
        proof["proof"] = "permit".into();
    }
    let reviewer = Reviewer {
        started_at: cx.now,
        token_sha256: bounded::sha256(token.as_bytes()),
        is_unbriefed,
        is_unwatched: cx.facts.reviewer_unwatched,
        began_with: trees.map(|known| (known.root.clone(), known.tree.clone())).collect(),
        session_id: cx.session_id.to_string(),
        proof: proof.clone(),
        ..Reviewer::default()
    };
    review.started(agent, reviewer);
    let findings = Some(messages::earlier_findings(review)).filter(|found| !found.is_empty());
    let second_opinions = match cx.facts.second_opinions.as_slice() {
        [] => "no other model's program is on PATH".to_owned(),
        found => found.join(", "),
    };
    let notice = Notice::new("reviewer")
        .with("token", token)
        .with("folders", messages::folders(&review.works))
        .with("findings", findings.unwrap_or_else(|| "none so far".to_owned()))
        .with("second_opinions", second_opinions);
    Outcome::pass()
        .telling_agent(notice)
        .marked(Mark::ReviewerStarted { agent_id: agent.to_owned(), proof })
}

fn namesake(path: &Path) -> String {
    format!("{NAMESAKE}: `{}`", path.display())
}

fn namesake_told(reason: &str) -> String {
    format!(
        "roz: {reason}, so the reviewer may not be ours: it gets no token. Rename or remove that \
         agent."
    )
}

/// Why a reviewer that starts early opens no review.
fn why_no_review(review: &Review, cx: Cx) -> Option<&'static str> {
    if cx.policy.review.mode == Mode::Never {
        return Some("reviews are switched off (`review.mode`)");
    }
    let works = &cx.facts.works;
    let is_same = !works.is_empty() && works.iter().all(Work::is_approved);
    (review.phase() == Phase::Approved && is_same).then_some("the work is approved already")
}

/// Such a reviewer may look but never gets a token, and messages to it are refused, because a later
/// launch is not for a subagent with another brief.
fn no_token(review: &mut Review, agent: &str, reason: &str) -> Outcome {
    review.exclude(agent);
    Outcome::pass()
        .telling_agent(Notice::new("no-token").with("reason", reason))
        .marked(Mark::TokenRefused { agent_id: Some(agent.to_owned()), reason: reason.to_owned() })
}
