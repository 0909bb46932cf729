//! The reflection gate: no ticket closes before what was learned is written down, and what was
//! learned comes back when it is relevant.
//!
//! | from | event | to |
//! |---|---|---|
//! | Idle | a ticket in progress is found, or its close is seen | Active |
//! | Idle, Active, Reflected, Skipped | a close is confirmed; a task completes that is not settled | Pending |
//! | Active | the session ends | Idle |
//! | Active | a close failed | Active |
//! | Idle | stop, session mode, `line_threshold` lines or more | Pending, and at once Blocked |
//! | Idle | stop, session mode, fewer lines, auto-skip | Skipped |
//! | Skipped by itself | stop, session mode, more lines than were skipped | Idle, and its row |
//! | Pending | stop, few lines, decider `always` | Skipped |
//! | Pending | stop | Blocked |
//! | Blocked | stop, count below `max_blocks` | Blocked |
//! | Pending, Blocked | stop, `max_blocks` reached | Idle: the breaker trips |
//! | Pending, Blocked | stop, other subagents run | the same, passed for a while |
//! | Pending, Blocked | `roz reflect` with something accepted | Reflected |
//! | Pending, Blocked | `roz skip` | Skipped |
//! | Idle, Active, Reflected, Skipped | `roz skip` | the same; the reason is kept for a small change |
//! | Active, Reflected, Skipped | stop | the same, passed |
//!
//! [`state`] has the record and its transitions, [`tickets`] says what closes a ticket. Subagents
//! are never held: the main agent is responsible for the work, including tickets that they closed.

pub mod candidate;
pub mod current_ticket;
pub mod decay;
pub mod duplicate;
pub mod gate;
pub mod judge;
pub mod learning;
pub mod needs;
mod record;
pub mod retrieval;
pub mod shown;
pub mod specificity;
pub mod state;
mod stop_message;
pub mod tickets;
pub mod usage;
pub mod usage_insights;

use chrono::{DateTime, Utc};

pub use self::shown::as_shown;
use crate::core::{
    Cx, bounded,
    breaker::{self, Press},
    event::{Event, STARTED, Sender, Source, Stop, ToolCall, What},
    facts::{Diff, Learned},
    outcome::{Effect, Notice, Outcome},
    policy::{Auto, Decider},
    reflection::{
        shown::{How, Time},
        state::{Mode, Reflection, Skip, Status},
        stop_message::{demand, what_is_due},
        tickets::Closing,
    },
    tool::Tool,
    trace::Mark,
};

pub fn decide(state: &mut Reflection, event: &Event, cx: Cx) -> Outcome {
    if cx.policy.reflection.enabled == Auto::Off {
        return Outcome::pass();
    }
    let learned = &cx.facts.learned;
    if learned.is_wanted {
        state.is_on(if learned.system.is_some() { Mode::Tickets } else { Mode::Session });
    }
    let by_subagent = event.origin.agent_id.is_some();
    match &event.what {
        What::SessionStart { source } => on_session_start(state, *source, cx),
        What::Prompt { sender: Sender::User, .. } => on_prompt(state, cx),
        What::PreToolUse(call) => on_tool(state, call, cx),
        What::PostToolUse { call, succeeded } => on_tool_done(state, call, *succeeded, cx),
        What::Stop(stop) if !by_subagent => on_stop(state, stop, cx),
        What::TaskCompleted { task_id, subject } => {
            on_task(state, task_id, subject, by_subagent, cx)
        }
        What::SessionEnd { .. } => on_session_end(state, cx),
        What::Prompt { .. }
        | What::Stop(_)
        | What::SubagentStart { .. }
        | What::SubagentStop { .. } => Outcome::pass(),
    }
}

/// Whether a session without tickets is asked for a reflection at its end. This does not change
/// during the session: the agent could create a marker.
pub fn is_session_mode(state: &Reflection, learned: &Learned, cx: Cx) -> bool {
    learned.is_wanted
        && cx.policy.ticketing.has("session")
        && (learned.system.is_none() || state.first_mode() == Some(Mode::Session))
        && !(state.uses_tasks() && cx.policy.ticketing.stands_for_sessions("tasks"))
}

/// Other stops need no look at the changes.
pub fn may_hold_stop(state: &Reflection) -> bool {
    match state.status() {
        Status::Idle | Status::Pending | Status::Blocked => true,
        Status::Skipped => state.is_auto_skipped(),
        Status::Active => !is_at_work(state),
        Status::Reflected => false,
    }
}

/// Whether the agent is working on a known ticket. A close that was only attempted does not count.
fn is_at_work(state: &Reflection) -> bool {
    state.status() == Status::Active && state.ticket().is_some()
}

fn on_session_start(state: &mut Reflection, source: Source, cx: Cx) -> Outcome {
    let learned = &cx.facts.learned;
    if !learned.is_wanted {
        return Outcome::pass();
    }
    if let Some(baseline) = &learned.baseline {
        state.began(baseline);
    }
    let mut outcome = Outcome::pass();
    if let Some(ticket) = &learned.ticket
        && state.found_ticket(ticket)
    {
        outcome = outcome.marked(Mark::TicketDetected {
            ticket_id: ticket.ticket_id.clone(),
            source: ticket.source.clone(),
        });
    }
    if state.status().is_open() {
        let notice = Notice::new("reflect-again")
            .with("what", what_is_due(state))
            .with("session", cx.session_id.to_string());
        outcome = outcome.telling_agent(notice);
    } else if let Some(other) = learned.due_elsewhere.first() {
        let more = match learned.due_elsewhere.len() - 1 {
            0 => String::new(),
            more => format!(", and so do {more} more (`roz list`)"),
        };
        // Its client may have been killed, so nobody knows whether that session is over.
        let notice =
            Notice::new("reflect-elsewhere").with("session", other.to_string()).with("more", more);
        outcome = outcome.telling_agent(notice);
    }
    // The conversation no longer has what it was shown.
    if matches!(source, Source::Compact | Source::Resume | Source::Clear) {
        state.shown().forget();
    }
    show(state, outcome, How::Title, cx)
}

fn on_prompt(state: &mut Reflection, cx: Cx) -> Outcome {
    let learned = &cx.facts.learned;
    if let Some(baseline) = &learned.baseline {
        state.began(baseline);
    }
    state.refused_for(None);
    show(state, Outcome::pass(), How::Title, cx)
}

/// A gate refused a call. A second refusal in a row for the same reason counts as a failure.
pub(super) fn refused(state: &mut Reflection, outcome: Outcome, cx: Cx) -> Outcome {
    let reason = outcome.trace.iter().find_map(|mark| mark.answered("deny"));
    if state.refused_for(reason) { show(state, outcome, How::Failure, cx) } else { outcome }
}

/// Shows the agent titles of relevant learnings that it has not seen or has forgotten; strong
/// matches with their text, but at a failure titles only.
fn show(state: &mut Reflection, mut outcome: Outcome, how: How, cx: Cx) -> Outcome {
    let mut shown = Vec::new();
    let mut ids = Vec::new();
    for learning in &cx.facts.learned.relevant {
        let whole = learning.whole.as_ref().filter(|_| how != How::Failure);
        let how = if whole.is_some() { How::Whole } else { how };
        let time = state.shown().put(&learning.id, learning.score, how);
        if time == Time::Had {
            continue;
        }
        shown.push(learning.title.clone());
        shown.extend(whole.cloned());
        if time == Time::First {
            ids.push(learning.id.clone());
            outcome = outcome.doing(Effect::Log(usage::Event::Surfaced {
                learning_id: learning.id.clone(),
                session_id: cx.session_id.to_string(),
                ticket_id: state.ticket().map(|ticket| ticket.name(cx.session_id.as_str())),
            }));
        }
    }
    if shown.is_empty() {
        return outcome;
    }
    if !ids.is_empty() {
        outcome = outcome.marked(Mark::LearningsInjected { learnings: ids });
    }
    outcome.telling_agent(Notice::new("learnings").with("learnings", shown.join("\n")))
}

fn on_tool(state: &mut Reflection, call: &ToolCall, cx: Cx) -> Outcome {
    let closings = &cx.facts.learned.closings;
    let id = call.tool_use_id.as_ref().filter(|_| cx.facts.learned.is_wanted);
    let Some(id) = id.filter(|_| !closings.is_empty()) else { return Outcome::pass() };
    state.close_intended(id, closings.clone(), cx.now);
    let intended = |closing: &Closing| Mark::TicketCloseIntended {
        tool_use_id: id.clone(),
        system: closing.system.clone(),
        tickets: closing.tickets.clone(),
    };
    closings.iter().map(intended).fold(Outcome::pass(), Outcome::marked)
}

pub fn uses_tasks(call: &ToolCall) -> bool {
    call.tool == Tool::TaskList
}

fn on_tool_done(state: &mut Reflection, call: &ToolCall, succeeded: bool, cx: Cx) -> Outcome {
    // Refused and failed calls do not count as a use of tasks.
    if succeeded && cx.facts.learned.is_wanted && uses_tasks(call) {
        state.uses_task_tools();
    }
    // A lesson helps at the mistake.
    let outcome = show(state, Outcome::pass(), How::Failure, cx);
    let Some(id) = &call.tool_use_id else { return outcome };
    let Some(closings) = state.close_ended(id) else { return outcome };
    if succeeded {
        state.closed_tickets(&closings, cx.now);
    }
    closings.iter().map(|closing| close_mark(id, closing, succeeded)).fold(outcome, Outcome::marked)
}

fn close_mark(tool_use_id: &str, closing: &Closing, succeeded: bool) -> Mark {
    let Closing { system, tickets } = closing.clone();
    let tool_use_id = tool_use_id.to_owned();
    if succeeded {
        Mark::TicketClosed { tool_use_id, system, tickets }
    } else {
        Mark::TicketCloseFailed { tool_use_id, system, tickets }
    }
}

pub(super) fn closed(
    state: &mut Reflection,
    closings: &[Closing],
    now: DateTime<Utc>,
) -> Vec<Mark> {
    state.closed_tickets(closings, now);
    closings.iter().map(|closing| close_mark(STARTED, closing, true)).collect()
}

fn on_stop(state: &mut Reflection, stop: &Stop, cx: Cx) -> Outcome {
    let learned = &cx.facts.learned;
    let lines = match learned.diff {
        Diff::Lines(lines) => Some(lines),
        Diff::NotAsked | Diff::Unknown(_) => None,
    };
    let skip = &cx.policy.gate.auto_skip;
    let is_small = lines.is_some_and(|line| skip.covers(line));
    match state.status() {
        Status::Reflected => return Outcome::pass(),
        // A close that is not known to have worked does not count: without a ticket the session is
        // asked like any other.
        Status::Active if is_at_work(state) => return Outcome::pass(),
        Status::Skipped if !state.is_auto_skipped() => return Outcome::pass(),
        Status::Idle | Status::Active | Status::Skipped => {
            // `NotAsked`: another gate holds this stop.
            if !is_session_mode(state, learned, cx) || learned.diff == Diff::NotAsked {
                return Outcome::pass();
            }
            if let Some(lines) = lines.filter(|_| is_small) {
                // The same lines are skipped only once.
                return match state.skip() {
                    Some(skip)
                        if state.is_auto_skipped() && lines <= skip.lines_changed.unwrap_or(0) =>
                    {
                        Outcome::pass()
                    }
                    _ => pass_small(state, lines, cx),
                };
            }
            if lines == Some(0) || state.breaker.is_hot(&cx.policy.circuit_breaker, cx.now) {
                return Outcome::pass();
            }
            if others_run(state, stop, cx) {
                return Outcome::pass();
            }
            state.skip_is_outgrown();
            state.due();
        }
        Status::Pending | Status::Blocked => {
            if state.status() == Status::Pending
                && skip.decider == Decider::Always
                && is_small
                && let Some(lines) = lines
            {
                return pass_small(state, lines, cx);
            }
            if others_run(state, stop, cx) {
                return passed(state, "other subagents are at work", lines);
            }
        }
    }
    let due = match &learned.diff {
        Diff::Unknown(why) if state.closed().is_empty() && state.closed_unnamed().is_empty() => {
            format!("what this session changed is not known ({why})")
        }
        _ => what_is_due(state),
    };
    let breaker = &cx.policy.circuit_breaker;
    if state.press(breaker, cx.now) == Press::Trip {
        let blocks = state.block_count();
        return passed(state, "the breaker has tripped", lines)
            .marked(Mark::ReflectionBreakerTripped { block_count: blocks })
            .telling_user(format!(
                "roz: {due}, and nothing was written down: the stop passes without it. The gate \
                 held the agent {}, and holds no stop for {} seconds from then on.",
                breaker::times(blocks),
                breaker.cooldown_seconds
            ));
    }
    let small = lines.filter(|_| is_small);
    let notice = demand(state, due, state.block_count(), small, cx);
    Outcome::object(notice).marked(Mark::ReflectionStop {
        answer: "block",
        reason: state.status().word().to_owned(),
        block_count: state.block_count(),
        lines_changed: lines,
    })
}

fn others_run(state: &mut Reflection, stop: &Stop, cx: Cx) -> bool {
    let runs = stop.background.as_ref().is_some_and(|background| !background.is_empty());
    runs && state.may_wait(cx.policy.review.reviewer_timeout_seconds, cx.now)
}

fn pass_small(state: &mut Reflection, lines: u64, cx: Cx) -> Outcome {
    let tickets = state.tickets(cx.session_id.as_str());
    let is_news = state.is_news(lines);
    let skip = state.auto_skipped(lines, cx.now);
    let outcome = Outcome::pass().marked(skip_mark(&skip, true));
    if !is_news {
        return outcome;
    }
    outcome.doing(Effect::Log(skip_event(&skip, cx.session_id.to_string(), &tickets)))
}

pub fn skip_mark(skip: &Skip, was_due: bool) -> Mark {
    Mark::Skip {
        reason: bounded::chars(&skip.reason, 500),
        decider: skip.decider.to_string(),
        lines_changed: skip.lines_changed,
        was_due,
    }
}

pub fn skip_event(skip: &Skip, session_id: String, tickets: &[String]) -> usage::Event {
    let (ticket_id, tickets) = usage::fields(tickets);
    usage::Event::Skip {
        session_id,
        ticket_id,
        tickets,
        reason: bounded::chars(&skip.reason, 500),
        decider: skip.decider.to_string(),
        lines_changed: skip.lines_changed,
    }
}

fn passed(state: &Reflection, reason: &str, lines_changed: Option<u64>) -> Outcome {
    Outcome::pass().marked(Mark::ReflectionStop {
        answer: "pass",
        reason: reason.to_owned(),
        block_count: state.block_count(),
        lines_changed,
    })
}

/// Holds a task's completion until a reflection, at most `max_blocks` times. A subagent's task
/// completes, and the main agent reflects on it.
fn on_task(state: &mut Reflection, id: &str, subject: &str, by_subagent: bool, cx: Cx) -> Outcome {
    let learned = &cx.facts.learned;
    if !learned.is_wanted || !cx.policy.ticketing.has("tasks") {
        return Outcome::pass();
    }
    state.uses_task_tools();
    let id = bounded::line(id, 200);
    let subject = bounded::line(subject, 200);
    let mark =
        |answer| Mark::TaskCompleted { task_id: id.clone(), subject: subject.clone(), answer };
    let Some(blocks) = state.task_completed(&id) else {
        return Outcome::pass().marked(mark("pass"));
    };
    let closing = [Closing { system: "tasks".to_owned(), tickets: vec![id.clone()] }];
    if by_subagent {
        state.closed_tickets(&closing, cx.now);
        return Outcome::pass().marked(mark("pass"));
    }
    if blocks >= cx.policy.circuit_breaker.max_blocks {
        state.task_given_up(&id);
        return Outcome::pass().marked(mark("pass")).telling_user(format!(
            "roz: task {id} was held open {blocks} times and nothing was written down: it is \
             completed without a reflection."
        ));
    }
    state.closed_tickets(&closing, cx.now);
    if cx.policy.gate.auto_skip.decider == Decider::Always
        && let Diff::Lines(lines) = learned.diff
        && cx.policy.gate.auto_skip.covers(lines)
    {
        return pass_small(state, lines, cx).marked(mark("pass"));
    }
    state.task_held(&id);
    let due = format!("task {id} ({subject}) is not completed before it");
    let notice = demand(state, due, blocks + 1, None, cx);
    Outcome::object(notice).marked(mark("block"))
}

fn on_session_end(state: &mut Reflection, cx: Cx) -> Outcome {
    let session_id = cx.session_id.to_string();
    let dismissed = state.ended().into_iter().map(|learning_id| {
        Effect::Log(usage::Event::Dismissed { learning_id, session_id: session_id.clone() })
    });
    Outcome { effects: dismissed.collect(), ..Outcome::pass() }
}

#[cfg(test)]
mod tests;
