//! Decides what an event means, and does nothing about it.
//!
//! Invariant: no module in here reads the clock, the environment, the disk or a random number.
//! `tests/it/tidy.rs` checks this.

pub mod bounded;
pub mod breaker;
pub mod client_files;
pub mod event;
pub mod facts;
pub mod gate;
mod gate_context;
pub mod intent;
pub mod jsonc;
pub mod last_refusal;
pub mod mcp_paths;
pub mod name_words;
pub mod named_writes;
pub mod needs;
pub mod outcome;
pub mod own_files;
pub mod policy;
pub mod prompt;
pub mod protect;
pub mod reflection;
pub mod refusal;
pub mod review;
pub mod reviewer_file;
pub mod scheduled_prompts;
pub mod session;
pub mod session_id;
pub mod session_writes;
pub mod tool;
pub mod tool_pattern;
pub mod trace;
pub mod weakened_file;

pub use self::gate_context::Cx;

use chrono::{DateTime, Utc};

use crate::core::{
    event::{Event, Sender, Source, ToolCall, What},
    gate::{Gate, Project},
    intent::gate::IntentGate,
    needs::Needs,
    outcome::{Effect, Notice, Outcome, Verdict},
    policy::{Notify, Policy},
    reflection::{gate::ReflectionGate, tickets::Closing},
    review::{
        decision::{By, Decision},
        gate::ReviewGate,
        reviewer::{Posting, Refusal, Standing, Taken},
        state::Review,
    },
    session::{Asked, Session},
    trace::Mark,
};

/// In the order in which an agent meets them.
pub const GATES: &[&dyn Gate] = &[&IntentGate, &ReviewGate, &ReflectionGate];

pub fn needs(gates: &[&dyn Gate], session: &Session, event: &Event, policy: &Policy) -> Needs {
    let dirty = match &event.what {
        What::SessionStart { source } if session.trace.seq == 0 => Some(*source),
        _ => None,
    };
    let protect = protect::needs(session, event, policy);
    let mut needs = Needs { dirty, protect, ..Needs::default() };
    for gate in gates {
        gate.needs(session, event, policy, &mut needs);
    }
    needs
}

/// Asks each gate in turn, until one objects.
///
/// The order is part of the contract: self-protection, then intent (may you do this at all), review
/// (is the work reviewed), reflection (what was learned). Gates after the one that objects never
/// see the event, so the agent gets one demand at a time and no gate counts a block of another one.
pub fn decide(gates: &[&dyn Gate], session: &mut Session, event: &Event, cx: Cx) -> Outcome {
    let by_client = said_by_client(session, event);
    let event = by_client.as_ref().unwrap_or(event);
    let protected = protect::decide(session, event, cx);
    // A person is asked because the call would grant something.
    let is_grant =
        |mark: &Mark| matches!(mark, Mark::Protected { rule: "intent", answer: "ask", .. });
    if let Some(id) = event.call().and_then(|call| call.tool_use_id.as_ref())
        && protected.trace.iter().any(is_grant)
    {
        session.intent.would_grant(id, cx.now);
    }
    let mut outcome = protected.then(|| own_files::decide(cx));
    for gate in gates {
        outcome = outcome.then(|| {
            let own = gate.decide(session, event, cx);
            remind(*gate, own, session, event, cx)
        });
    }
    if event.origin.is_unattended {
        outcome = outcome.unasked();
    }
    if cx.policy.trial {
        outcome = outcome.in_trial(event);
    }
    if matches!(outcome.verdict, Verdict::Object(_)) {
        outcome.effects.retain(|effect| !matches!(effect, Effect::Pass(_)));
        if event.call().is_some() {
            outcome = reflection::refused(&mut session.reflection, outcome, cx);
        }
    } else {
        if let Some(scheduled) = event.call().and_then(ToolCall::schedules) {
            session.schedule.add(&scheduled);
        }
        // What a reviewer writes is not part of the work.
        let is_reviewer =
            event.origin.agent_id.as_deref().is_some_and(|agent| session.review.has_token(agent));
        if !cx.facts.written.is_empty() && !is_reviewer {
            let since = session.review.approved_at().max(session.review.review_started_at);
            for path in &cx.facts.written {
                session.writes.note(path, cx.now, since);
            }
            session.review.wrote();
        }
    }
    granting(session, event, &mut outcome);
    if let Some(dirty) = &cx.facts.dirty {
        session.dirty.clone_from(dirty);
    }
    if let What::Prompt { text, .. } = &event.what
        && by_client.is_some()
        && prompt::begins_with_command(text)
    {
        outcome = outcome.telling_user(
            "roz: this prompt was scheduled by the session, so its `#roz` is not taken as yours. \
             Type it again if it is.",
        );
    }
    lifecycle(session, event, &mut outcome);
    session.model.clone_from(&event.origin.model);
    tell(session, &mut outcome, cx);
    // Clients show nothing of background subagents' calls (measured on 2.1.330), so the user is
    // told at the main agent's next event.
    if event.origin.agent_id.is_none() {
        outcome.messages.extend(session.take_messages());
    }
    outcome
}

/// Asks only the review gate about a program that is about to start; the other gates have judged
/// the call that started it. The user is told at the session's next event.
pub fn decide_start(session: &mut Session, event: &Event, cx: Cx) -> Outcome {
    let mut outcome = review::decide(&mut session.review, event, cx);
    // No question can be shown while a command runs.
    if let Verdict::Ask(notice) = outcome.verdict {
        let template = "start-unasked".to_owned();
        outcome.verdict = Verdict::Object(Notice { template, ..notice });
    }
    if cx.policy.trial {
        outcome = outcome.in_trial(event);
    }
    tell(session, &mut outcome, cx);
    for message in std::mem::take(&mut outcome.messages) {
        session.tell_user(message);
    }
    outcome
}

pub fn ticket_closed(session: &mut Session, closings: &[Closing], now: DateTime<Utc>) {
    for mark in reflection::closed(&mut session.reflection, closings, now) {
        session.record(&mark, now);
    }
}

/// Passes on what the `notify` setting allows, and records the rest in the trace.
fn tell(session: &mut Session, outcome: &mut Outcome, cx: Cx) {
    let said = std::mem::take(&mut outcome.sayings);
    if cx.policy.notify == Notify::Normal {
        for message in said {
            session.tell_user(message);
        }
    }
    for mark in &outcome.trace {
        session.record(mark, cx.now);
    }
}

/// Takes the decision of a reviewer or a person.
///
/// # Errors
///
/// What is missing for it. The refusal is recorded in the trace.
pub fn post(
    session: &mut Session,
    posting: &Posting,
    policy: &Policy,
    now: DateTime<Utc>,
) -> Result<Taken, Refusal> {
    let session_id = session.session_id.to_string();
    let posted =
        review::authorization::post(&mut session.review, posting, &session_id, policy, now);
    let taken = posted.inspect_err(|refusal| {
        session.record(&Mark::DecisionRefused { reason: refusal.to_string() }, now);
    })?;
    for told in told_of(posting, &taken, &session.review, policy) {
        session.tell_user(told);
    }
    session.record(&posting.mark(&taken), now);
    if let Some(why) = &posting.unknown
        && taken.standing == Standing::Stands
    {
        session.tell_user(format!(
            "roz: the work could not be looked at, so gated calls still ask: {why}"
        ));
    }
    Ok(taken)
}

/// The user's lines about a decision.
fn told_of(posting: &Posting, taken: &Taken, review: &Review, policy: &Policy) -> Vec<String> {
    let Posting { decision, .. } = posting;
    let summary = bounded::plain_line(&bounded::chars(decision.summary(), 300));
    let counts = taken.standing == Standing::Stands;
    let found_issues = matches!(decision, Decision::Issues { .. });
    let mut told = Vec::new();
    if taken.by == By::Human {
        told.push(format!(
            "roz: {} was posted at a terminal, as a person's decision. If that was not you, type \
             `#roz:stop` and look at `roz trace`.",
            decision.verdict()
        ));
    } else if counts && policy.notify == Notify::Normal {
        let what =
            if found_issues { "the reviewer found issues" } else { "approved by the reviewer" };
        told.push(format!("roz: {what}: {summary}"));
    }
    if !taken.unseen.is_empty() {
        let unseen = review::listed(taken.unseen.iter().map(|name| bounded::plain_line(name)));
        told.push(format!("roz: approved without having been looked at: {unseen}"));
    }
    let max_rounds = policy.review.max_rounds;
    if found_issues && counts && review.rounds == max_rounds {
        let times = breaker::times(max_rounds);
        told.push(format!(
            "roz: reviewer and agent do not converge: issues were found {times}. Stops pass from \
             now on, gated calls stay closed. Still open: {summary}"
        ));
    }
    told
}

/// Lets one gated call through, as `#roz:allow` does. Returns the message for the person.
pub fn allow_once(session: &mut Session, now: DateTime<Utc>) -> String {
    let (told, pattern) = review::prompt_commands::allow_once(&mut session.review, now);
    session.record(&Mark::CallAllowed { by: "terminal", pattern }, now);
    session.tell_user(
        "roz: a gated call was let through at a terminal (`roz allow`). If that was not you, look \
         at `roz trace`."
            .to_owned(),
    );
    told
}

/// A prompt that this session scheduled arrives unmarked, like one of the user's. Returns the event
/// corrected to come from the client.
fn said_by_client(session: &mut Session, event: &Event) -> Option<Event<'static>> {
    match &event.what {
        What::Prompt { text, sender: Sender::User }
            if session.schedule.takes(text, event.origin.prompt_id.as_deref()) =>
        {
            let what = What::Prompt { text: text.clone(), sender: Sender::Client };
            Some(Event { origin: event.origin.clone(), what })
        }
        What::Stop(stop) => {
            if let Some(listed) = &stop.scheduled {
                session.schedule.replace(listed);
            }
            None
        }
        _ => None,
    }
}

/// Tracks the user's answers to questions: the client does not report them.
fn granting(session: &mut Session, event: &Event, outcome: &mut Outcome) {
    let agent_id = &event.origin.agent_id;
    match &event.what {
        What::PreToolUse(call) => {
            let id = &call.tool_use_id;
            // An agent runs one command after the other: an earlier call that was asked about and
            // did not run was declined.
            if !call.readings.is_empty() {
                let declined = session.declined(agent_id.as_deref(), id.as_deref());
                outcome.effects.extend(declined.into_iter().map(Effect::Revoke));
            }
            let about = outcome.trace.iter().find_map(|mark| mark.answered("ask"));
            if let (Verdict::Ask(_), Some(id), Some(about)) = (&outcome.verdict, id, about) {
                let has_pass =
                    outcome.effects.iter().any(|effect| matches!(effect, Effect::Pass(_)));
                let (tool_use_id, agent_id) = (id.clone(), agent_id.clone());
                session.asks(Asked { tool_use_id, about, agent_id, has_pass });
            }
        }
        What::PostToolUse { call, .. } => {
            let asked = call.tool_use_id.as_deref().and_then(|id| session.asked_and_ran(id));
            let Some(Asked { tool_use_id, about, has_pass, .. }) = asked else { return };
            if has_pass {
                outcome.effects.push(Effect::Revoke(tool_use_id.clone()));
            }
            let tool = call.name.clone();
            outcome.trace.insert(0, Mark::CallGranted { tool, tool_use_id, about });
        }
        _ => (),
    }
}

/// Reminds the agent of what a gate waits for when a session resumes, unless the gate did.
fn remind(gate: &dyn Gate, own: Outcome, session: &Session, event: &Event, cx: Cx) -> Outcome {
    let has_forgotten =
        matches!(event.what, What::SessionStart { source: Source::Resume | Source::Compact });
    if !has_forgotten || !own.context.is_empty() {
        return own;
    }
    let project = Project { reflection: cx.facts.learned.is_wanted, ..Project::default() };
    let status = gate.status(Some(session), &project, cx.policy);
    let Some(waits_for) = status.waits_for.filter(|_| status.on) else { return own };
    let notice = Notice::new("waiting").with("gate", status.gate).with("waits_for", waits_for);
    own.telling_agent(notice.with("next", status.next.unwrap_or_default()))
}

/// Records the start and the end of the session.
fn lifecycle(session: &mut Session, event: &Event, outcome: &mut Outcome) {
    session.has_ended = matches!(event.what, What::SessionEnd { .. }) && session.trace.seq > 0;
    match &event.what {
        What::SessionStart { source } => {
            let source = format!("{source:?}").to_lowercase();
            outcome.trace.insert(0, Mark::SessionStart { source });
        }
        What::SessionEnd { reason } if session.trace.seq > 0 => {
            let reason = bounded::line(reason, 60);
            outcome.trace.push(Mark::SessionEnd { reason });
        }
        _ => (),
    }
}

#[cfg(test)]
mod tests;
