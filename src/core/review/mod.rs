//! The review gate: work is not done until an independent reviewer, the
//! subagent `roz:roz`, has looked at it.
//!
//! | from | event | to |
//! |---|---|---|
//! | any | `#roz` at the start of a prompt of the user; in mode `always`, in Idle and Approved, any prompt | Pending: a new cycle |
//! | Idle; Approved, not in scope | a gated tool | Pending: a new cycle, denied |
//! | Pending, Issues, Reviewing | a gated tool | the same, denied |
//! | Approved, in scope | a gated tool | Approved (scope `tool`: Idle) |
//! | Pending, Issues, Reviewing | SubagentStart with a launch | Reviewing |
//! | Reviewing | decide COMPLETE | Approved |
//! | Reviewing | decide ISSUES | Issues |
//! | Reviewing | the last reviewer ends undecided | Pending or Issues, as before |
//! | Reviewing | stop, a reviewer runs | Reviewing, passed |
//! | Reviewing | stop, none runs | Pending or Issues, as before, and its row |
//! | Pending, Issues | stop | the same, blocked |
//! | Pending, Issues | stop, other subagents run | the same, passed for a while |
//! | Pending, Issues | stop, `max_blocks` reached | Idle: the breaker trips |
//! | Approved, Idle | stop | the same, passed |
//! | any | `#roz:stop` by the user | Idle |
//! | Approved | decide ISSUES by a reviewer still running | Issues |
//! | any | decide by a person | Approved or Issues |
//!
//! [`state`] is the record and its arrows, [`proof`] says who may decide,
//! `gate` and `stop` are the two places where the gate objects.

mod agent_file;
pub mod attempt;
pub mod decision;
pub mod diff;
pub(crate) mod gate;
pub mod phase;
pub mod proof;
pub mod seen;
pub mod state;
mod stop;

use crate::core::{
    Cx, bounded,
    event::{Event, Sender, Source, ToolCall, What},
    facts::Tree,
    outcome::{Notice, Outcome},
    policy::Mode,
    review::{decision::Decision, phase::Phase, state::Review},
    session::SessionId,
    trace::Mark,
};

pub use self::agent_file::names_reviewer;

/// The subagent that reviews: agent `roz` of plugin `roz`.
pub const REVIEWER: &str = "roz:roz";

/// What a prompt that begins with `#roz` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Review,
    Stop,
}

pub fn decide(review: &mut Review, event: &Event, cx: Cx) -> Outcome {
    match &event.what {
        What::SessionStart { source } => on_session_start(review, *source, cx),
        What::Prompt { text, sender: Sender::User } => on_prompt(review, event, text, cx),
        What::Prompt { text, sender: Sender::Client } => on_client_prompt(review, text),
        What::PreToolUse(call) => on_tool(review, event, call, cx),
        What::PostToolUse { call, succeeded } => on_tool_done(review, event, call, *succeeded),
        What::SubagentStart { agent_id, agent_type } if agent_type == REVIEWER => {
            if let Some(found) = &cx.facts.second_opinions {
                review.found_second_opinions(found);
            }
            proof::start(review, agent_id, cx)
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

/// The command that a prompt begins with. `#roz` is a word: `#rozzz` is none.
pub fn command(prompt: &str) -> Option<Command> {
    fn word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
        let head = text.get(..word.len())?;
        let rest = &text[word.len()..];
        let ends = rest.chars().next().is_none_or(|c| c.is_whitespace() || c == ':');
        (head.eq_ignore_ascii_case(word) && ends).then_some(rest)
    }
    let text = prompt.trim_start();
    match word(text, "#roz:stop") {
        Some(_) => Some(Command::Stop),
        None => word(text, "#roz").map(|_| Command::Review),
    }
}

/// Whether a prompt of the user may ask for a review.
pub fn may_ask(mode: Mode, prompt: &str) -> bool {
    match mode {
        Mode::Always => true,
        Mode::Prompt => command(prompt).is_some(),
        Mode::Never => false,
    }
}

fn on_session_start(review: &mut Review, source: Source, cx: Cx) -> Outcome {
    if let Some(found) = &cx.facts.second_opinions {
        review.found_second_opinions(found);
    }
    match source {
        // The conversation has forgotten what was demanded of it.
        Source::Compact | Source::Resume if review.phase().is_open() => {
            let phase = review.phase();
            let findings = match review.decision() {
                Decision::Issues { message_to_agent, .. } => {
                    format!("\nWhat {} found:\n{message_to_agent}", review.finder())
                }
                Decision::Pending | Decision::Complete { .. } => String::new(),
            };
            let next = match phase {
                Phase::Reviewing => "A reviewer is at work: wait for its end.".to_owned(),
                Phase::Idle | Phase::Pending | Phase::Issues { .. } | Phase::Approved => format!(
                    "Before you stop, spawn the reviewer: Agent tool, subagent_type \"{REVIEWER}\", \
                     run_in_background false, prompt \"Review session {}.\"",
                    cx.session_id
                ),
            };
            let notice = Notice::new("again")
                .with("state", phase.word())
                .with("next", next)
                .with("findings", findings)
                .with("gate", gate::waiting(review));
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

fn on_prompt(review: &mut Review, event: &Event, text: &str, cx: Cx) -> Outcome {
    let (is_idle, is_open) = (review.phase() == Phase::Idle, review.phase().is_open());
    if !review.prompted(text, event.origin.prompt_id.as_deref(), cx.now) {
        return Outcome::pass();
    }
    let asks_for_review = match (cx.policy.review.mode, command(text)) {
        (_, Some(Command::Stop)) => {
            review.end();
            let outcome = Outcome::pass().marked(Mark::PromptReceived {
                prompt: bounded::line(text, 200),
                asks_for_review: false,
            });
            return if is_idle {
                outcome.telling_user("roz: no review was open.")
            } else {
                outcome
                    .marked(Mark::ReviewEnded { by: "user" })
                    .telling_user("roz: the review is ended at your word; nothing holds the agent.")
            };
        }
        (Mode::Prompt | Mode::Always, Some(Command::Review)) => true,
        (Mode::Always, None) => !is_open,
        (Mode::Never, _) | (Mode::Prompt, None) => false,
    };
    if asks_for_review {
        review.open(cx.facts.head.as_deref(), cx.now);
    }
    Outcome::pass()
        .marked(Mark::PromptReceived { prompt: bounded::line(text, 200), asks_for_review })
}

fn on_client_prompt(review: &Review, text: &str) -> Outcome {
    if review.phase() == Phase::Idle {
        return Outcome::pass();
    }
    Outcome::pass().marked(Mark::ClientPrompt { prompt: bounded::line(text, 200) })
}

fn on_tool(review: &mut Review, event: &Event, call: &ToolCall, cx: Cx) -> Outcome {
    let reviewer = event.origin.agent_id.as_deref().filter(|it| review.is_reviewer(it));
    let outcome = gate::on_tool(review, reviewer, call, cx);
    outcome.then(|| match (call.launches(), reviewer) {
        (Some(kind), _) if is_reviewer_name(kind) => proof::launch(review, call, cx),
        (_, Some(agent)) => proof::permit(review, agent, call, cx),
        _ => Outcome::pass(),
    })
}

fn is_reviewer_name(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(REVIEWER)
}

fn on_tool_done(review: &mut Review, event: &Event, call: &ToolCall, succeeded: bool) -> Outcome {
    if let Some(agent) = &event.origin.agent_id {
        proof::revoke(review, agent, call);
    }
    if !succeeded {
        proof::launch_failed(review, call);
    }
    match &call.tool_use_id {
        Some(id) if review.ended(id) => Outcome::pass().marked(Mark::ToolCompleted {
            tool: call.name.clone(),
            tool_use_id: call.tool_use_id.clone(),
            succeeded,
        }),
        _ => Outcome::pass(),
    }
}

/// What was found in this cycle so far, for the next reviewer.
pub fn earlier_findings(review: &Review) -> String {
    let found = review.decisions_of_cycle().filter_map(|it| match &it.decision {
        Decision::Issues { summary, message_to_agent } => {
            let said = if message_to_agent == summary { "" } else { message_to_agent.as_str() };
            Some(format!("- {summary}\n{said}").trim_end().to_owned())
        }
        Decision::Pending | Decision::Complete { .. } => None,
    });
    found.collect::<Vec<_>>().join("\n")
}

fn second_opinions(review: &Review) -> String {
    match review.second_opinions() {
        [] => "no other model's program is on PATH".to_owned(),
        found => found.join(", "),
    }
}

/// What the work tree became since it was approved: for the trace, and in
/// words for the user.
fn changed_since_approval(tree: &Tree) -> (Vec<String>, Option<String>) {
    const NAMED: usize = 10;
    let files = match tree {
        Tree::Changed { files, .. } => files,
        Tree::Unknown(why) => {
            let why = bounded::chars(why, 300);
            let message =
                format!("roz: the work could not be compared with what was approved: {why}");
            return (vec![format!("(not known: {why})")], Some(message));
        }
        Tree::NotAsked | Tree::Same => return (Vec::new(), None),
    };
    let named: Vec<String> = files.iter().take(NAMED).map(|it| bounded::plain_line(it)).collect();
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "roz: changed after the approval, so no reviewer has seen it: {}{more}.",
        named.join(", ")
    );
    (named, Some(message))
}

#[cfg(test)]
mod tests;
