//! Decides whether the main agent or a reviewer may stop.

use crate::core::{
    Cx, bounded,
    breaker::{self, Press},
    event::{Background, Stop},
    outcome::{Notice, Outcome},
    policy::{Mode, ReviewPolicy, Scope},
    review::{
        REVIEWER, authorization, blocked_stops,
        decision::Decision,
        phase::Phase,
        state::{GIVEN_UP, Opener, Review},
        work::{Known, Serving, Work},
    },
    trace::{Mark, StopAnswer, Word},
};

/// Other stops need no look at the work.
pub fn needs_work_at_stop(review: &Review, policy: &ReviewPolicy) -> bool {
    let is_work = policy.gates.approval_scope == Scope::Work;
    let is_always = policy.mode == Mode::Always;
    match review.phase() {
        Phase::Approved => !is_work || review.approval_is_watched(is_always),
        Phase::Pending => {
            review.opener() == Opener::Always || is_work && review.opener().is_agents_doing()
        }
        Phase::Issues { .. } => is_work && review.opener().is_agents_doing(),
        Phase::Idle | Phase::Reviewing => false,
    }
}

pub(super) fn on_stop(review: &mut Review, stop: &Stop, cx: Cx) -> Outcome {
    let timeout = cx.policy.review.reviewer_timeout_seconds;
    let background = stop.background.as_deref();
    match review.phase() {
        Phase::Idle => return Outcome::pass(),
        Phase::Approved => return on_approved_stop(review, stop, cx),
        Phase::Reviewing | Phase::Pending | Phase::Issues { .. } => (),
    }
    if review.phase() == Phase::Reviewing {
        review.lose_late_reviewers(timeout, cx.now);
        if let Some(running) = background {
            review.lose_absent_reviewers(running);
        }
        match (review.phase(), background) {
            (Phase::Reviewing, Some(_)) => return passed(review, stop, "a reviewer is at work"),
            // A client without a list of background tasks stops before its reviewer ends.
            (Phase::Reviewing, None) => return wait_for_reviewer(review, stop),
            // The agent started the review by itself, and the reviewer is gone.
            (Phase::Idle, _) => return passed(review, stop, "no review is open"),
            _ => (),
        }
    }
    let running = background.unwrap_or_default();
    // The reviewer's SubagentStart has not arrived yet.
    let is_awaited = authorization::awaits_start(review, cx.now);
    let is_new_reviewer = |task: &Background| {
        is_awaited && task.agent_type == REVIEWER && !review.is_reviewer(&task.agent_id)
    };
    if running.iter().any(is_new_reviewer) {
        return passed(review, stop, "a reviewer is starting");
    }
    if review.opener().is_agents_doing()
        && cx.policy.review.gates.approval_scope == Scope::Work
        && let Some((known, serving)) = approved_by_table(&cx.facts.works)
    {
        review.approved_by_table(known, &serving.summary, cx.now);
        return passed(review, stop, "the work is approved");
    }
    let is_left = review.moved_on && review.opener().is_agents_doing();
    if is_left && cx.policy.review.mode != Mode::Always {
        return passed(review, stop, "the user has moved on, and the gated call still waits");
    }
    if review.phase() == Phase::Pending
        && review.opener() == Opener::Always
        && review.is_untouched(&cx.facts.works)
    {
        return passed(review, stop, "nothing has changed, so there is nothing to review");
    }
    if let Phase::Issues { .. } = review.phase()
        && review.rounds >= cx.policy.review.max_rounds
    {
        return passed(review, stop, "reviewer and agent do not converge");
    }
    if !running.is_empty() && review.may_wait(timeout, cx.now) {
        return passed(review, stop, "other subagents are at work").telling_user(
            "roz: the review is still open. The agent is asked for it when its subagents are done.",
        );
    }
    held(review, stop, cx, None)
}

fn held(review: &mut Review, stop: &Stop, cx: Cx, why: Option<&str>) -> Outcome {
    if review.press(&cx.policy.circuit_breaker, cx.now) == Press::Trip {
        return tripped(review, stop);
    }
    let notice = match review.phase() {
        Phase::Issues { summary, message } => Notice::new("issues")
            .with("summary", bounded::chars(summary, 300))
            .with("who", review.finder())
            // Without a message, the summary is all.
            .with("findings", if message == summary { "" } else { message }),
        Phase::Idle | Phase::Pending | Phase::Reviewing | Phase::Approved => {
            let id = cx.policy.templates.pick(cx.roll());
            review.attempts.begin(id, cx.now);
            Notice::new(format!("block-{id}"))
        }
    };
    let is_first = review.held();
    let notice = notice
        .with("block_count", review.breaker.block_count.to_string())
        .with("max_blocks", cx.policy.circuit_breaker.max_blocks.to_string())
        .with("why", why.map(|why| format!("{why}\n\n")).unwrap_or_default());
    let mark = mark(review, stop, "block", review.phase().word());
    let outcome = Outcome::object(notice).marked(Mark::StopHookCalled(mark));
    if !is_first {
        return outcome;
    }
    outcome.telling_user(
        "roz: the agent is held until its work is reviewed. `#roz:approve` if you have looked at \
         it yourself, `#roz:stop` to end the review.",
    )
}

fn tripped(review: &Review, stop: &Stop) -> Outcome {
    let blocks = review.breaker.block_count;
    let times = breaker::times(blocks);
    let told = match &review.decision {
        Decision::Issues { summary, .. } => format!(
            "roz: the agent was held {times} and has not fixed what {} found, so its stop passes. \
             Still open: {}\nGated calls now ask you.",
            review.finder(),
            bounded::chars(summary, 300)
        ),
        Decision::Pending | Decision::Complete { .. } => format!(
            "roz: the agent was held {times} and did not get its work reviewed, so its stop \
             passes. The work is NOT reviewed. Gated calls now ask you."
        ),
    };
    passed(review, stop, GIVEN_UP)
        .marked(Mark::BreakerTripped { block_count: blocks })
        .telling_user(told)
}

fn wait_for_reviewer(review: &Review, stop: &Stop) -> Outcome {
    let mark = mark(review, stop, "block", "a reviewer is at work");
    Outcome::object(Notice::new("wait-for-reviewer")).marked(Mark::StopHookCalled(mark))
}

/// The first work tree with an approval, if all work is approved.
fn approved_by_table(works: &[Work]) -> Option<(&Known, &Serving)> {
    let mut known = works.iter().filter(|_| works.iter().all(Work::is_approved));
    known.find_map(|work| Some((work.known()?, work.known()?.approval.as_ref()?)))
}

fn on_approved_stop(review: &mut Review, stop: &Stop, cx: Cx) -> Outcome {
    let is_always = cx.policy.review.mode == Mode::Always;
    let is_work = cx.policy.review.gates.approval_scope == Scope::Work;
    if is_work
        && review.approval_is_watched(is_always)
        && let Some(why) = cx.facts.works.iter().find_map(|work| review.why_new(work))
    {
        let opener = review.opener();
        review.open(opener, cx.now);
        return held(review, stop, cx, Some(&format!("This is new work: {why}.")));
    }
    // Unknown work blocks nobody, and is reported.
    let is_unknown = |work: &&Work| matches!(work, Work::Unknown(_));
    let mut works = cx.facts.works.iter();
    let work = if is_work { works.find(is_unknown) } else { works.next() };
    let (changed, message) = work.map(super::messages::changed_since_approval).unwrap_or_default();
    let is_news = match work {
        Some(Work::Known(known)) => review.told_of(&known.tree),
        Some(Work::Unknown(why)) => review.told_of(why),
        Some(Work::NotAsked | Work::NoRepository) | None => false,
    };
    let mark = mark(review, stop, "pass", "approved");
    let mark = StopAnswer { changed_since_approval: changed, ..mark };
    let mut outcome = Outcome::pass().marked(Mark::StopHookCalled(mark));
    outcome.messages.extend(message.filter(|_| is_news));
    outcome
}

fn passed(review: &Review, stop: &Stop, reason: &str) -> Outcome {
    Outcome::pass().marked(Mark::StopHookCalled(mark(review, stop, "pass", reason)))
}

fn mark(review: &Review, stop: &Stop, answer: Word, reason: &str) -> StopAnswer {
    StopAnswer {
        answer,
        reason: reason.to_owned(),
        stop_hook_active: stop.stop_hook_active,
        block_count: review.breaker.block_count,
        changed_since_approval: Vec::new(),
    }
}

/// Blocks a reviewer that has not decided, as often as a stop.
pub(super) fn on_reviewer_stop(review: &mut Review, agent: &str, cx: Cx) -> Outcome {
    let Some(reviewer) = review.reviewers.get_mut(agent) else {
        return Outcome::pass();
    };
    let can_be_held = !reviewer.is_unwatched;
    if can_be_held
        && reviewer.is_at_work()
        && reviewer.blocks < cx.policy.circuit_breaker.max_blocks
    {
        reviewer.blocks += 1;
        let blocks = reviewer.blocks;
        return Outcome::object(Notice::new("reviewer-hold"))
            .marked(Mark::ReviewerHeld { agent_id: agent.to_owned(), blocks });
    }
    let outcome = if reviewer.is_undecided() { "no_decision" } else { "decided" };
    review.lose_reviewer(agent, blocked_stops::Outcome::NoDecision);
    Outcome::pass().marked(Mark::ReviewerEnded { agent_id: agent.to_owned(), outcome })
}
