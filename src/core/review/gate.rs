//! Gates on tools: a call that a pattern covers waits for an approval.

use std::path::Path;

use crate::core::{
    Cx,
    bounded::{self, TruncatedInput},
    event::ToolCall,
    facts::GatesElsewhere,
    outcome::{Notice, Outcome},
    pattern,
    policy::{Mode, ReviewPolicy, Scope},
    review::{
        changed_since_approval, is_reviewer_name,
        phase::Phase,
        proof,
        state::{GateTrigger, Reach, Review},
    },
    trace::Mark,
};
use crate::shell::HOLE;

/// Why a person is asked after `review.gates.max_denials` denials.
const OFTEN: &str = "the gate has denied often enough in this review";

/// The pattern that gates a call, and the repository whose configuration has it, if that is not the
/// session's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gated<'a> {
    pub(crate) pattern: &'a str,
    pub(crate) root: Option<&'a Path>,
}

/// What gates `call`: the session's own patterns, then those of the repositories that it goes to.
pub(crate) fn gated<'a>(
    policy: &'a ReviewPolicy,
    elsewhere: &'a [GatesElsewhere],
    call: &ToolCall,
) -> Option<Gated<'a>> {
    let own = pattern_for(&policy.gates.tools, call).filter(|_| policy.mode != Mode::Never);
    own.map(|pattern| Gated { pattern, root: None }).or_else(|| {
        elsewhere.iter().find_map(|other| {
            let pattern = pattern_among(&other.gates.tools, &other.keys, call)?;
            Some(Gated { pattern, root: Some(&other.root) })
        })
    })
}

/// Whether a pattern covers `call`: the first that does.
fn pattern_for<'a>(patterns: &'a [String], call: &ToolCall) -> Option<&'a str> {
    // The keys are made when they are first asked for.
    if patterns.is_empty() { None } else { pattern_among(patterns, call.keys(), call) }
}

fn pattern_among<'a>(patterns: &'a [String], keys: &[String], call: &ToolCall) -> Option<&'a str> {
    let covers = |pattern: &&String| {
        let is_hidden = call.may_run_anything() && pattern.starts_with("Bash:");
        is_hidden || keys.iter().any(|key| pattern::matches(pattern, key))
    };
    patterns.iter().find(covers).map(String::as_str)
}

pub(super) fn on_tool(
    review: &mut Review,
    reviewer: Option<&str>,
    call: &ToolCall,
    cx: Cx,
) -> Outcome {
    // Without these no review could ever end.
    let is_needed = call.launches().is_some_and(is_reviewer_name)
        || reviewer.is_some() && proof::says_only(call);
    if is_needed {
        return Outcome::pass();
    }
    let Some(gated) = gated(&cx.policy.review, &cx.facts.gates_elsewhere, call) else {
        return Outcome::pass();
    };
    let gate = Gate { call, pattern: gated.pattern, root: gated.root, cx };
    if reviewer.is_some() {
        return gate.object("reviewer-gate", "the reviewer may not use gated tools");
    }
    let id = call.tool_use_id.as_deref();
    let reach = review.reach(id, cx.policy, cx.now);
    if reach == Reach::InScope {
        return gate.let_through(review, cx.policy.review.gates.approval_scope);
    }
    if review.is_hot(&cx.policy.circuit_breaker, cx.now) {
        return gate.ask("breaker", "the breaker has tripped: the review was given up");
    }
    if review.is_tripped() {
        review.cool_down();
    }
    if review.was_asked(id) {
        return gate.ask("denials", OFTEN);
    }
    if review.was_denied(id) {
        return gate.deny("this call was denied already");
    }
    let reason = match (review.phase(), reach) {
        (Phase::Approved, Reach::Over(why)) => why,
        (Phase::Idle, _) => "no reviewer has approved this work",
        (Phase::Issues { .. }, _) => "the review found issues that stand",
        (Phase::Pending | Phase::Reviewing, _) | (Phase::Approved, Reach::InScope) => {
            "the review is not finished"
        }
    };
    if !review.phase().is_open() {
        review.open(cx.facts.head.as_deref(), cx.now);
    }
    review.triggered(gate.trigger());
    if review.denied(id, cx.policy.review.gates.max_denials) {
        return gate.ask("denials", OFTEN);
    }
    if let Some(beyond) = call.beyond {
        let why = beyond.why();
        return gate.deny(&format!("not all that it would run can be read beforehand: {why}"));
    }
    gate.deny(reason)
}

/// What waits for the review, for whoever has forgotten it.
pub(super) fn waiting(review: &Review) -> String {
    let Some(trigger) = review.trigger() else { return String::new() };
    format!("`{}` waits for it (gate `{}`). ", trigger.tool_name, trigger.pattern_matched)
}

struct Gate<'a> {
    call: &'a ToolCall<'a>,
    pattern: &'a str,
    /// The repository that configures it, if that is not the session's.
    root: Option<&'a Path>,
    cx: Cx<'a>,
}

impl Gate<'_> {
    fn trigger(&self) -> GateTrigger {
        GateTrigger {
            tool_name: self.call.name.clone(),
            tool_input: TruncatedInput::of_json(self.call.json),
            triggered_at: self.cx.now,
            pattern_matched: self.pattern.to_owned(),
        }
    }

    fn let_through(&self, review: &mut Review, scope: Scope) -> Outcome {
        let id = self.call.tool_use_id.as_deref();
        // Served already: this is the same call, told by a second hook.
        let again = review.phase() == Phase::Idle;
        if !again {
            review.served(id, scope);
        }
        let (changed, message) = changed_since_approval(&self.cx.facts.tree);
        let mut outcome = Outcome::pass();
        if !again {
            outcome = outcome.marked(Mark::GateAllowed {
                tool: self.subject(),
                pattern: self.pattern.to_owned(),
                tool_use_id: self.call.tool_use_id.clone(),
                reason: "approved".into(),
                changed_since_approval: changed,
            });
            outcome.messages.extend(message);
        }
        outcome
    }

    fn deny(&self, reason: &str) -> Outcome {
        self.object("gate-deny", reason)
    }

    fn object(&self, template: &str, reason: &str) -> Outcome {
        Outcome::object(self.notice(template, reason)).marked(self.mark("deny", reason))
    }

    fn ask(&self, template: &str, reason: &str) -> Outcome {
        let template = format!("ask-{template}");
        Outcome::ask(self.notice(&template, reason)).marked(self.mark("ask", reason))
    }

    /// What the pattern covers of a line that says more than that, and whose it is.
    fn covered(&self) -> String {
        let of = self.root.map_or_else(String::new, |root| format!(" of `{}`", root.display()));
        of + &self.covered_command()
    }

    fn covered_command(&self) -> String {
        let keys = self.call.keys();
        let key = keys.iter().find(|key| pattern::matches(self.pattern, key));
        let Some(key) = key.and_then(|it| it.strip_prefix("Bash:")) else { return String::new() };
        if self.command().is_some_and(|it| it.trim() == key) {
            return String::new();
        }
        let shown = bounded::plain_line(&bounded::line(&key.replace(HOLE, "…"), 120));
        format!(", which covers `{shown}` in it")
    }

    fn notice(&self, template: &str, reason: &str) -> Notice {
        Notice::new(template)
            .with("tool", self.subject())
            .with("pattern", self.pattern)
            .with("covers", self.covered())
            .with("reason", reason)
    }

    fn mark(&self, answer: &'static str, reason: &str) -> Mark {
        Mark::GateBlocked {
            tool: self.subject(),
            pattern: self.pattern.to_owned(),
            tool_use_id: self.call.tool_use_id.clone(),
            answer,
            reason: reason.to_owned(),
        }
    }

    fn command(&self) -> Option<&str> {
        ["command", "cmd", "script"].iter().find_map(|it| self.call.text(it))
    }

    /// The call in a few words.
    fn subject(&self) -> String {
        match self.command() {
            Some(command) => format!("{}: {}", self.call.name, bounded::line(command, 200)),
            None => self.call.name.clone(),
        }
    }
}
