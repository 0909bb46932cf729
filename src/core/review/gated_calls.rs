//! Gated calls: calls that match a pattern need an approval.

use crate::core::{
    Cx,
    bounded::{self, TruncatedInput},
    event::{MADE_UP, STARTED, TOO_LONG, ToolCall},
    facts::GatesElsewhere,
    outcome::{Effect, Notice, Outcome, Pass},
    policy::{Mode, ReviewPolicy, Scope},
    review::{
        authorization,
        gate_patterns::{covering, covering_runs},
        is_reviewer_name, messages,
        phase::Phase,
        state::{GIVEN_UP, GateTrigger, Opener, Reach, Review},
    },
    tool_pattern,
    trace::{GateAnswer, Mark, Word},
};
use crate::shell::{self, Certainty, HOLE};

pub(crate) use super::gate_patterns::Gated;

pub(crate) const ALLOWED: &str = "allowed by a person";

/// Applies the session's patterns, then those of the repositories that the call affects.
pub(crate) fn gated<'a>(
    policy: &'a ReviewPolicy,
    elsewhere: &'a [GatesElsewhere],
    call: &ToolCall,
) -> Vec<Gated<'a>> {
    let is_on = policy.mode != Mode::Never;
    let own = if is_on { covering(&policy.gates, call) } else { Vec::new() };
    let others = elsewhere.iter().flat_map(|other| covering_runs(other, call));
    own.into_iter().chain(others).collect()
}

pub(super) fn on_tool(
    review: &mut Review,
    reviewer: Option<&str>,
    call: &ToolCall,
    cx: Cx,
) -> Outcome {
    // A reviewer could not be launched or decide without these.
    let is_needed = call.launches().is_some_and(is_reviewer_name)
        || reviewer.is_some() && authorization::says_only(call);
    if is_needed {
        return Outcome::pass();
    }
    let all = gated(&cx.policy.review, &cx.facts.gates_elsewhere, call);
    let Some(gated) = all.first() else {
        return Outcome::pass();
    };
    let gate = Gate { call, gated, pass: pass(call, &all), cx };
    if reviewer.is_some() {
        return gate.object("reviewer-gate", "the reviewer may not use gated tools");
    }
    let id = call.tool_use_id.as_deref();
    if all.iter().all(|gated| review.is_allowed(gated.pattern, id, cx.now)) {
        return gate.let_through_by_person(review);
    }
    review.lose_late_reviewers(cx.policy.review.reviewer_timeout_seconds, cx.now);
    let reach = review.reach(id, &cx.facts.work, cx.policy, cx.now);
    let is_open = match review.phase() {
        Phase::Idle | Phase::Approved => true,
        Phase::Pending | Phase::Issues { .. } => review.opener().is_agents_doing(),
        Phase::Reviewing => false,
    };
    if reach == Reach::InScope && is_open {
        return gate.let_through(review, cx.policy.review.gates.approval_scope);
    }
    if review.breaker.is_hot(&cx.policy.circuit_breaker, cx.now) {
        return gate.ask("breaker", GIVEN_UP);
    }
    if let Reach::Unknown(why) = &reach
        && review.phase() != Phase::Reviewing
    {
        return gate.ask("unknown", why);
    }
    // A started program or a call without an id of its own is denied each time.
    let id = id.filter(|id| *id != STARTED && !id.starts_with(MADE_UP));
    let (template, reason) = match (review.phase(), reach) {
        (Phase::Reviewing, _) => ("gate-reviewing", "a reviewer is at work".to_owned()),
        (Phase::Issues { summary, .. }, _) => {
            let summary = bounded::plain_line(&bounded::chars(summary, 200));
            ("gate-deny", format!("the reviewer found issues: {summary}"))
        }
        (_, Reach::Over(why) | Reach::Unknown(why)) => ("gate-deny", why),
        (_, Reach::InScope) => ("gate-deny", "the review is not finished".to_owned()),
    };
    let is_new = !review.phase().is_open();
    if is_new {
        review.open(Opener::Gate, cx.now);
    }
    if !review.was_denied(id) {
        review.triggered(gate.trigger());
        review.denied(id);
    }
    if review.denials > cx.policy.review.gates.max_denials {
        return gate.ask("denials", "the gate has denied often enough in this review");
    }
    let reason = if call.may_run_anything {
        format!("not all that it would run can be read beforehand: {TOO_LONG}")
    } else {
        reason
    };
    let outcome = gate.object(template, &reason);
    if !is_new {
        return outcome;
    }
    outcome.saying(format!(
        "roz: `{}` waits for a review. `#roz:allow` lets it through once, `#roz:approve` if you \
         have looked at the work yourself.",
        gate.subject_in_short()
    ))
}

/// Permits the programs that a gated call starts. Where unknown parts of a call are gated, there
/// are patterns instead of keys.
fn pass(call: &ToolCall, all: &[Gated]) -> Option<Pass> {
    const MOST: usize = 100;
    let tool_use_id = call.tool_use_id.clone().filter(|id| id != STARTED)?;
    let is_gated =
        |key: &&String| all.iter().any(|gated| tool_pattern::matches(gated.pattern, key));
    let runs = || call.runs().filter(|run| run.certainty != Certainty::Opaque);
    let known: Vec<String> = runs().flat_map(shell::Run::keys).collect();
    let is_known = |key: &String| !key.contains(HOLE) && known.contains(key);
    let keys = call.keys().iter().filter(is_gated).filter(|key| is_known(key)).take(MOST);
    let keys: Vec<String> = keys.cloned().collect();
    let unknown = all.iter().filter(|gated| !gated.key.as_ref().is_some_and(is_known));
    let mut patterns: Vec<String> = unknown.map(|gated| gated.pattern.to_owned()).collect();
    patterns.retain(|pattern| pattern.starts_with("Bash:"));
    (!keys.is_empty() || !patterns.is_empty()).then_some(Pass { tool_use_id, keys, patterns })
}

/// The reminder after a compaction.
pub(super) fn waiting(review: &Review) -> String {
    let Some(trigger) = review.trigger() else { return String::new() };
    format!("`{}` waits for it (gate `{}`). ", trigger.tool_name, trigger.pattern_matched)
}

struct Gate<'a> {
    call: &'a ToolCall<'a>,
    gated: &'a Gated<'a>,
    pass: Option<Pass>,
    cx: Cx<'a>,
}

impl Gate<'_> {
    fn trigger(&self) -> GateTrigger {
        GateTrigger {
            tool_name: self.call.name.clone(),
            tool_input: TruncatedInput::of_json(self.call.json),
            triggered_at: self.cx.now,
            pattern_matched: self.gated.pattern.to_owned(),
            key: self.gated.key.clone(),
            root: self.cx.facts.work.known().map(|known| known.root.clone()),
        }
    }

    fn let_through(&self, review: &mut Review, scope: Scope) -> Outcome {
        let id = self.call.tool_use_id.as_deref();
        // A hook that is registered twice reports a call twice.
        if review.is_running(id) {
            return Outcome::pass();
        }
        review.served(id, scope, &self.cx.facts.work);
        let (changed, message) = match scope {
            Scope::Work => (Vec::new(), None),
            Scope::Session | Scope::Prompt | Scope::Tool => {
                messages::changed_since_approval(&self.cx.facts.work)
            }
        };
        let mut outcome = self.passed("approved", changed);
        // An approval for one call is used up by it. Other approvals are checked again when the
        // program starts, because the work may have changed.
        if scope == Scope::Tool {
            outcome = outcome.with_pass(self.pass.as_ref());
        }
        outcome.messages.extend(message);
        outcome
    }

    fn let_through_by_person(&self, review: &mut Review) -> Outcome {
        let id = self.call.tool_use_id.as_deref();
        if review.is_running(id) {
            return Outcome::pass();
        }
        review.allowed(id);
        self.passed(ALLOWED, Vec::new()).with_pass(self.pass.as_ref()).saying(format!(
            "roz: `{}` goes through once, as you allowed.",
            self.subject_in_short()
        ))
    }

    fn passed(&self, reason: &str, changed_since_approval: Vec<String>) -> Outcome {
        let mark = GateAnswer { changed_since_approval, ..self.mark("pass", reason) };
        Outcome::pass().marked(Mark::GateAllowed(mark))
    }

    fn object(&self, template: &str, reason: &str) -> Outcome {
        let mark = Mark::GateBlocked(self.mark("deny", reason));
        // Only used in a trial, in which the call runs, so that its shim does not count it a second
        // time.
        Outcome::object(self.notice(template, reason)).marked(mark).with_pass(self.pass.as_ref())
    }

    fn ask(&self, template: &str, reason: &str) -> Outcome {
        let notice = self.notice(&format!("ask-{template}"), reason);
        let asked = Outcome::ask(notice).marked(Mark::GateBlocked(self.mark("ask", reason)));
        // A person permits all of the call.
        match self.pass.clone() {
            Some(mut pass) => {
                pass.patterns.push(self.gated.pattern.to_owned());
                asked.doing(Effect::Pass(pass))
            }
            None => asked,
        }
    }

    /// The part of a longer line that the pattern matches, and who configured it.
    fn covered(&self) -> String {
        let Gated { key, root, .. } = self.gated;
        let of = root.map_or_else(String::new, |root| format!(" of `{}`", root.display()));
        match key.as_deref().and_then(|key| key.strip_prefix("Bash:")) {
            Some(key) if self.command().is_none_or(|line| line.trim() != key) => {
                let shown = bounded::plain_line(&bounded::line(&key.replace(HOLE, "…"), 120));
                format!("{of}, which covers `{shown}` in it")
            }
            _ => of,
        }
    }

    fn notice(&self, template: &str, reason: &str) -> Notice {
        Notice::new(template)
            .with("tool", self.subject())
            .with("pattern", self.gated.pattern)
            .with("covers", self.covered())
            .with("reason", reason)
    }

    fn mark(&self, answer: Word, reason: &str) -> GateAnswer {
        GateAnswer {
            tool: self.subject(),
            pattern: self.gated.pattern.to_owned(),
            tool_use_id: self.call.tool_use_id.clone(),
            answer,
            reason: reason.to_owned(),
            changed_since_approval: Vec::new(),
        }
    }

    fn command(&self) -> Option<&str> {
        messages::command(&self.call.input)
    }

    fn subject_in_short(&self) -> String {
        bounded::line(self.command().unwrap_or(&self.call.name), 100)
    }

    fn subject(&self) -> String {
        match self.command() {
            Some(command) => format!("{}: {}", self.call.name, bounded::line(command, 200)),
            None => self.call.name.clone(),
        }
    }
}
