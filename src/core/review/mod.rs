//! The review gate: work is not done until an independent reviewer, the
//! subagent `roz:roz`, has looked at it.
//!
//! | from | event | to |
//! |---|---|---|
//! | any but Reviewing | `#roz` at the start of a user's prompt | Pending: a new cycle |
//! | Reviewing | `#roz` | Reviewing: counts 0, the reviewer continues |
//! | Idle; Approved, new work | mode `always`: a user's prompt | Pending: a new cycle |
//! | Idle; Approved, the same work | a gated tool, an approval serves | Approved (scope `tool`: Idle once it has succeeded) |
//! | Idle, none serves; Approved, new work | a gated tool | Pending: a new cycle, denied |
//! | Pending, Issues, opened by a gate or a launch | a gated tool, an approval serves | the same, passed |
//! | Pending, Issues | a gated tool | the same, denied |
//! | Reviewing | a gated tool; another launch | Reviewing, denied |
//! | Idle, the breaker tripped not long ago | a gated tool | Idle, asked |
//! | Approved, the same work | a launch of the reviewer | Approved, denied |
//! | Idle; Approved, new work | SubagentStart with a launch | Reviewing: a new cycle, ahead of time |
//! | Pending, Issues | SubagentStart with a launch | Reviewing |
//! | Reviewing | decide COMPLETE | Approved |
//! | Reviewing | decide ISSUES | Issues: blocks 0, rounds + 1 |
//! | Reviewing | the last reviewer ends undecided; SessionStart (startup, resume, clear) | as before it started |
//! | Reviewing | stop, gated tool or launch, the last reviewer is late | as before it started, and its row |
//! | Reviewing | stop, a reviewer in `background_tasks` | Reviewing, passed |
//! | Reviewing, the client lists no tasks | stop | Reviewing, held, not counted |
//! | Reviewing | stop, none in `background_tasks` | as before it started, and its row |
//! | Pending, Issues, opened by a gate or a launch | stop, an approval serves | Approved |
//! | Pending, opened by mode `always` | stop, nothing has changed | Pending, passed |
//! | Pending, Issues | stop | the same, held |
//! | Pending, Issues | stop, other subagents run | the same, passed for a while |
//! | Pending, Issues, opened by a gate or a launch, mode not `always` | a user's prompt | the same: stops pass from now on |
//! | Pending, Issues | a user's prompt | the same: blocks and rounds 0 |
//! | Pending, Issues | stop, `max_blocks` reached | Idle: the breaker trips |
//! | Issues | ISSUES for the `max_rounds`-th time | Issues: stops pass from now on |
//! | Approved, watched | stop, new work | Pending: a new cycle, held |
//! | Approved otherwise, Idle | stop | the same, passed |
//! | any | `#roz:stop` | Idle |
//! | any | `#roz:approve`; COMPLETE by a person | Approved |
//! | any | `#roz:allow` | the same: one gated call goes through |
//! | Approved by a reviewer | ISSUES by another one | Issues: the approval is withdrawn |
//!
//! [`state`] has the record and its transitions, [`work`] what is reviewed, [`approval`] what is
//! approved, [`proof`] who may decide, [`coverage`] whether a reviewer has looked; `gate` and
//! `stop` are the two places where the gate objects, `people` handles prompts.

pub mod approval;
pub mod authorization;
pub mod blocked_stops;
pub mod coverage;
pub mod decision;
pub mod diff;
pub mod gate;
pub mod gate_patterns;
pub(crate) mod gated_calls;
mod messages;
pub mod needs;
pub mod phase;
pub mod prompt_commands;
pub mod reviewer;
pub mod reviewer_commands;
pub mod seen;
pub mod state;
mod stop;
mod trigger;
pub mod work;

use crate::core::{
    Cx, bounded,
    event::{Event, STARTED, Sender, Source, ToolCall, What},
    outcome::{Effect, Notice, Outcome},
    policy::Mode,
    prompt::{Command, command},
    review::{decision::Decision, phase::Phase, state::Review},
    session_id::SessionId,
    trace::Mark,
};

pub(crate) use self::{authorization::NAMESAKE, messages::listed};
pub use self::{
    messages::{earlier_findings, why_new},
    stop::needs_work_at_stop,
};
pub use crate::core::tool::{REVIEWER, is_reviewer_name};

pub fn decide(review: &mut Review, event: &Event, cx: Cx) -> Outcome {
    match &event.what {
        What::SessionStart { source } => on_session_start(review, *source, cx),
        What::Prompt { text, sender: Sender::User } => {
            prompt_commands::on_prompt(review, event, text, cx)
        }
        What::Prompt { text, sender: Sender::Client } => on_client_prompt(review, text),
        What::PreToolUse(call) => on_tool(review, event, call, cx),
        What::PostToolUse { call, succeeded } => on_tool_done(review, event, call, *succeeded, cx),
        What::SubagentStart { agent_id, agent_type } if agent_type == REVIEWER => {
            authorization::start(review, agent_id, cx)
        }
        What::SubagentStop { agent_id, agent_type, .. } if agent_type == REVIEWER => {
            stop::on_reviewer_stop(review, agent_id, cx)
        }
        What::Stop(stop) => stop::on_stop(review, stop, cx),
        What::SessionEnd { .. } => {
            review.session_ended();
            Outcome::pass()
        }
        What::SubagentStart { .. } | What::SubagentStop { .. } | What::TaskCompleted { .. } => {
            Outcome::pass()
        }
    }
}

pub fn may_ask(mode: Mode, prompt: &str) -> bool {
    match mode {
        Mode::Always => true,
        Mode::Prompt => command(prompt) == Some(Command::Review),
        Mode::Never => false,
    }
}

fn on_session_start(review: &mut Review, source: Source, cx: Cx) -> Outcome {
    if matches!(source, Source::Startup | Source::Resume | Source::Clear) {
        // The client that ran them has ended.
        review.lose_absent_reviewers(&[]);
    }
    match source {
        // The conversation no longer has the demand.
        Source::Compact | Source::Resume if review.phase().is_open() => {
            let phase = review.phase();
            let findings = match &review.decision {
                Decision::Issues { message_to_agent, .. } => {
                    format!("\nWhat {} found:\n{message_to_agent}", review.finder())
                }
                Decision::Pending | Decision::Complete { .. } => String::new(),
            };
            let next = match phase {
                Phase::Reviewing => "A reviewer is at work: wait for its end.".to_owned(),
                Phase::Idle | Phase::Pending | Phase::Issues { .. } | Phase::Approved => format!(
                    "Before you stop, start the reviewer: the subagent \"{REVIEWER}\", not in the \
                     background, with the prompt \"Review session {}.\"",
                    cx.session_id
                ),
            };
            let notice = Notice::new("again")
                .with("state", phase.word())
                .with("next", next)
                .with("findings", findings)
                .with("gate", gated_calls::waiting(review));
            Outcome::pass().telling_agent(notice)
        }
        Source::Fork if !cx.facts.open_elsewhere.is_empty() => {
            let ids: Vec<&str> = cx.facts.open_elsewhere.iter().map(SessionId::as_str).collect();
            Outcome::pass().telling_user(format!(
                "roz: this session starts without a review; one is still open in session {} of \
                 this project.",
                ids.join(", ")
            ))
        }
        Source::Startup
        | Source::Resume
        | Source::Clear
        | Source::Compact
        | Source::Fork
        | Source::Other => Outcome::pass(),
    }
}

fn on_client_prompt(review: &Review, text: &str) -> Outcome {
    if review.phase() == Phase::Idle {
        return Outcome::pass();
    }
    Outcome::pass().marked(Mark::ClientPrompt { prompt: bounded::line(text, 200) })
}

fn on_tool(review: &mut Review, event: &Event, call: &ToolCall, cx: Cx) -> Outcome {
    let reviewer = event.origin.agent_id.as_deref().filter(|agent| review.is_reviewer(agent));
    if reviewer.is_some_and(|agent| review.has_token(agent))
        && let Some(change) = cx.facts.reviewer_changes.first()
    {
        return Outcome::object(Notice::new("reviewer-writes").with("change", change.clone()));
    }
    let outcome = gated_calls::on_tool(review, reviewer, call, cx);
    outcome.then(|| match (call.launches(), reviewer) {
        (Some(kind), _) if is_reviewer_name(kind) => authorization::launch(review, call, cx),
        (_, Some(agent)) => authorization::permit(review, agent, call, cx),
        _ => Outcome::pass(),
    })
}

fn on_tool_done(
    review: &mut Review,
    event: &Event,
    call: &ToolCall,
    succeeded: bool,
    cx: Cx,
) -> Outcome {
    if let Some(agent) = &event.origin.agent_id {
        authorization::revoke(review, agent, call);
        authorization::was_shown(review, agent, &cx.facts.shown, succeeded);
    }
    if !succeeded {
        authorization::launch_failed(review, call);
    }
    // These programs cannot be told apart from those of this call.
    if review.is_running(Some(STARTED)) && messages::command(&call.input).is_some() {
        review.ended(STARTED, succeeded);
    }
    match &call.tool_use_id {
        Some(id) if review.ended(id, succeeded) => {
            Outcome::pass().doing(Effect::Revoke(id.clone())).marked(Mark::ToolCompleted {
                tool: call.name.clone(),
                tool_use_id: call.tool_use_id.clone(),
                succeeded,
            })
        }
        _ => Outcome::pass(),
    }
}

#[cfg(test)]
mod tests;
