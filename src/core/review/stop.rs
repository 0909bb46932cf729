//! The main agent wants to stop, or a reviewer does.

use crate::core::{
    Cx, bounded,
    breaker::{self, Press},
    event::{Background, Stop},
    facts::Tree,
    outcome::{Notice, Outcome},
    review::{REVIEWER, changed_since_approval, phase::Phase, proof, state::Review},
    trace::Mark,
};

pub(super) fn on_stop(review: &mut Review, stop: &Stop, cx: Cx) -> Outcome {
    let timeout = cx.policy.review.reviewer_timeout_seconds;
    let background = stop.background.as_deref();
    match review.phase() {
        Phase::Idle => return Outcome::pass(),
        Phase::Approved => return on_approved_stop(review, stop, cx),
        Phase::Reviewing | Phase::Pending | Phase::Issues { .. } => (),
    }
    if review.phase() == Phase::Reviewing {
        review.lose_absent_reviewers(background, timeout, cx.now);
        if review.phase() == Phase::Reviewing {
            return passed(review, stop, "a reviewer is at work");
        }
    }
    let running = background.unwrap_or_default();
    // Its SubagentStart has not reached us yet.
    let is_awaited = proof::awaits_start(review, cx.now);
    let is_new_reviewer = |it: &Background| {
        is_awaited && it.agent_type == REVIEWER && !review.is_reviewer(&it.agent_id)
    };
    if running.iter().any(is_new_reviewer) {
        return passed(review, stop, "a reviewer is starting");
    }
    if !running.is_empty() && review.may_wait(timeout, cx.now) {
        return passed(review, stop, "other subagents are at work").telling_user(
            "roz: the review is still open; the agent is asked for it when its subagents are done.",
        );
    }
    if review.press(&cx.policy.circuit_breaker, cx.now) == Press::Trip {
        let blocks = review.block_count();
        return passed(review, stop, "the breaker has tripped")
            .marked(Mark::BreakerTripped { block_count: blocks })
            .telling_user(format!(
                "roz: the agent was held {} and did not get its work reviewed: the \
                 stop passes, and the work is NOT reviewed. Gated tools now ask you.",
                breaker::times(blocks)
            ));
    }
    let notice = match review.phase() {
        Phase::Issues { summary, message } => Notice::new("issues")
            .with("summary", bounded::chars(summary, 300))
            .with("who", review.finder())
            // Who gave no message has said it all.
            .with("findings", if message == summary { "" } else { message }),
        Phase::Idle | Phase::Pending | Phase::Reviewing | Phase::Approved => {
            let id = cx.policy.templates.pick(cx.roll());
            review.attempts.begin(id, cx.now);
            Notice::new(format!("block-{id}"))
        }
    };
    let notice = notice
        .with("block_count", review.block_count().to_string())
        .with("max_blocks", cx.policy.circuit_breaker.max_blocks.to_string());
    let reason = review.phase().word().to_owned();
    Outcome::object(notice).marked(Mark::StopHookCalled {
        answer: "block",
        reason,
        stop_hook_active: stop.stop_hook_active,
        block_count: review.block_count(),
        changed_since_approval: Vec::new(),
    })
}

fn on_approved_stop(review: &mut Review, stop: &Stop, cx: Cx) -> Outcome {
    let (changed, message) = changed_since_approval(&cx.facts.tree);
    let is_news = match &cx.facts.tree {
        Tree::Changed { tree, .. } => review.told_of(tree),
        Tree::Unknown(why) => review.told_of(why),
        Tree::NotAsked | Tree::Same => false,
    };
    let mut outcome = Outcome::pass().marked(Mark::StopHookCalled {
        answer: "pass",
        reason: "approved".into(),
        stop_hook_active: stop.stop_hook_active,
        block_count: review.block_count(),
        changed_since_approval: changed,
    });
    outcome.messages.extend(message.filter(|_| is_news));
    outcome
}

fn passed(review: &Review, stop: &Stop, reason: &str) -> Outcome {
    Outcome::pass().marked(Mark::StopHookCalled {
        answer: "pass",
        reason: reason.to_owned(),
        stop_hook_active: stop.stop_hook_active,
        block_count: review.block_count(),
        changed_since_approval: Vec::new(),
    })
}

/// A reviewer that has not decided is held, as often as a stop would be.
pub(super) fn on_reviewer_stop(review: &mut Review, agent: &str, cx: Cx) -> Outcome {
    let Some(reviewer) = review.reviewers.get_mut(agent) else {
        return Outcome::pass();
    };
    if reviewer.is_undecided() && reviewer.blocks < cx.policy.circuit_breaker.max_blocks {
        reviewer.blocks += 1;
        let blocks = reviewer.blocks;
        return Outcome::object(Notice::new("reviewer-hold"))
            .marked(Mark::ReviewerHeld { agent_id: agent.to_owned(), blocks });
    }
    let outcome = if reviewer.is_undecided() { "no_decision" } else { "decided" };
    review.lost_reviewer(agent);
    Outcome::pass().marked(Mark::ReviewerEnded { agent_id: agent.to_owned(), outcome })
}
