//! What the gates answer to an event: a verdict, messages, and effects to carry out.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::{
    bounded,
    event::{Event, What},
    intent::{briefing::Briefing, ledger, state::InFlight, unconfirmed::UnconfirmedChange},
    reflection::usage,
    review::approval::Approved,
    tool_pattern,
    trace::Mark,
};

#[must_use = "the verdict in a dropped outcome has no effect"]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    pub verdict: Verdict,
    pub context: Vec<Notice>,
    /// The selected intent, told after everything else if there is room.
    pub briefing: Option<Box<Briefing>>,
    pub messages: Vec<String>,
    /// For the user, unless `notify` is `quiet`.
    pub sayings: Vec<String>,
    pub rewrite: Option<Rewrite>,
    pub trace: Vec<Mark>,
    /// Carried out once the session is saved.
    pub effects: Vec<Effect>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// A line for the project's `stats.log`.
    Log(usage::Event),
    /// A call that may have changed something has ended.
    Landed(Box<InFlight>),
    /// The same, after its changes were looked for.
    Changed { intent_id: String, change: Box<ledger::Change> },
    /// Store the content of these files of the project for a later comparison.
    Keep(Vec<String>),
    /// A call changed the sidecar's declarations.
    Doubt(Vec<UnconfirmedChange>),
    /// Rows for the approval tables of their repositories.
    Approve(Vec<Approved>),
    /// A person has allowed what roz's own commands wrote since that time.
    Granted(DateTime<Utc>),
    /// Lets programs through that a permitted call starts.
    Pass(Pass),
    /// The call with this id ended, so its pass ends.
    Revoke(String),
}

/// Lets programs through that a permitted call starts, so that nobody is asked twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    pub tool_use_id: String,
    /// The gated commands that were known beforehand.
    pub keys: Vec<String>,
    /// The gates for the unknown rest of the call.
    pub patterns: Vec<String>,
}

impl Pass {
    pub fn serves(&self, keys: &[String]) -> bool {
        keys.iter().any(|key| {
            self.keys.contains(key)
                || self.patterns.iter().any(|pattern| tool_pattern::matches(pattern, key))
        })
    }
}

/// From mildest to strictest.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Verdict {
    #[default]
    Pass,
    Ask(Notice),
    Object(Notice),
}

/// How the fields of a call that starts a subagent are changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewrite {
    pub prompt: Notice,
    /// The call's own prompt cannot influence the review.
    pub may_keep_prompt: bool,
}

/// A text for the agent: a template with values. The reply's writer renders it.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    pub template: String,
    pub fields: Vec<(&'static str, String)>,
}

impl Notice {
    pub fn new(template: impl Into<String>) -> Self {
        Self { template: template.into(), fields: Vec::new() }
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    /// The wording for a question that is denied because nobody answers.
    fn unasked(mut self) -> Self {
        if self.template.starts_with("ask-") {
            "gate-unasked".clone_into(&mut self.template);
        }
        for (_, words) in self.fields.iter_mut().filter(|(name, _)| *name == "words") {
            words.push_str(UNASKED);
        }
        self
    }
}

/// Appended to a denial of what only a person may allow.
const UNASKED: &str = " Nobody answers questions in this permission mode, so it is denied: tell the \
                       user, and go on with what does not need it.";

impl Outcome {
    pub fn pass() -> Self {
        Self::default()
    }

    pub fn object(notice: Notice) -> Self {
        Self { verdict: Verdict::Object(notice), ..Self::default() }
    }

    pub fn ask(notice: Notice) -> Self {
        Self { verdict: Verdict::Ask(notice), ..Self::default() }
    }

    pub fn marked(mut self, mark: Mark) -> Self {
        self.trace.push(mark);
        self
    }

    pub fn doing(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    pub fn telling_user(mut self, message: impl Into<String>) -> Self {
        self.messages.push(message.into());
        self
    }

    pub(super) fn with_pass(self, pass: Option<&Pass>) -> Self {
        match pass {
            Some(pass) => self.doing(Effect::Pass(pass.clone())),
            None => self,
        }
    }

    pub fn saying(mut self, message: impl Into<String>) -> Self {
        self.sayings.push(message.into());
        self
    }

    pub fn telling_agent(mut self, notice: Notice) -> Self {
        self.context.push(notice);
        self
    }

    /// Turns a question into a denial where nobody answers, because the call would wait for ever.
    /// The user, not the agent, is told what can be done.
    pub(crate) fn unasked(mut self) -> Self {
        let Verdict::Ask(notice) = self.verdict else { return self };
        let subject = self.trace.iter().find_map(|mark| mark.answered("ask"));
        self.trace.iter_mut().for_each(Mark::deny);
        let told = format!(
            "roz: a call was denied, because in this permission mode you are not asked: {}. If it is \
             right, do it yourself at a terminal; what is gated, `#roz:allow` lets through.",
            subject.unwrap_or_default()
        );
        self.verdict = Verdict::Object(notice.unasked());
        self.telling_user(told)
    }

    /// In a trial, a refusal is only recorded in the trace.
    pub(crate) fn in_trial(mut self, event: &Event) -> Self {
        if let What::PostToolUse { call, .. } = &event.what {
            self.effects.extend(call.tool_use_id.clone().map(Effect::Revoke));
        }
        let answer = match (&self.verdict, &event.what) {
            (Verdict::Pass, _) => return self,
            (Verdict::Ask(_), _) => "ask",
            (Verdict::Object(_), What::Stop(_) | What::SubagentStop { .. }) => "hold",
            (Verdict::Object(_), _) => "deny",
        };
        let (_, gate, reason, subject) =
            self.trace.iter().rev().find_map(Mark::refused).unwrap_or(("", "another", "", ""));
        let mark = Mark::WouldRefuse {
            answer,
            gate,
            subject: bounded::line(subject, 200),
            reason: bounded::line(reason, 200),
        };
        self.verdict = Verdict::Pass;
        self.messages.clear();
        self.sayings.clear();
        self.marked(mark)
    }

    /// Asks the next gate, unless this one objected.
    pub fn then(mut self, next: impl FnOnce() -> Self) -> Self {
        if let Verdict::Object(_) = self.verdict {
            return self;
        }
        let next = next();
        if next.verdict != Verdict::Pass {
            self.verdict = next.verdict;
        }
        self.context.extend(next.context);
        self.briefing = next.briefing.or(self.briefing);
        self.messages.extend(next.messages);
        self.sayings.extend(next.sayings);
        self.rewrite = next.rewrite.or(self.rewrite);
        self.trace.extend(next.trace);
        self.effects.extend(next.effects);
        self
    }
}
