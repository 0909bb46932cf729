//! Self-protection: an agent's tools do not play the client's part, the reviewer's or the user's.
//!
//! A rule is a row of [`RULES`]; the first that objects decides. A rule looks at what would run
//! (`commands`, `kill`, `clients`), at which paths would be written (`paths`, `settings`), at what
//! of a reviewer would be read (`reviewer`), or at what text mentions that nobody reads word by
//! word (`mentions`). Where things are is a fact ([`ProtectFacts`]), and looked up only for a call
//! that writes something.

mod accesses;
mod clients;
mod commands;
mod context;
mod kill;
mod mentions;
mod paths;
mod places;
mod program;
mod reviewer;
mod settings;
mod table;

use self::context::Context;
pub use self::{
    accesses::{Access, Accessed, Act, TextBefore, accesses, act_of_tool},
    context::ProtectFacts,
    paths::wants_text,
    places::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES, Places},
    settings::is_protected_variable,
    table::{Answer, Example, RULES, Rule},
};
use crate::core::{
    Cx, bounded,
    event::Event,
    outcome::{Notice, Outcome},
    refusal::{Code, Refusal},
    session::Session,
    trace::Mark,
};

/// A rule that objects to a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Objection {
    pub rule: &'static Rule,
    /// What of the call it is about.
    pub subject: String,
    /// The tool of the call.
    pub tool: String,
}

pub fn decide(session: &Session, event: &Event, cx: Cx) -> Outcome {
    if !cx.policy.protect.enabled {
        return Outcome::pass();
    }
    match objections(session, event, cx).next() {
        Some(objection) => objection.outcome(),
        None => Outcome::pass(),
    }
}

/// Every rule that objects to a call, in the table's order.
pub fn objections<'a>(
    session: &'a Session,
    event: &'a Event<'a>,
    cx: Cx<'a>,
) -> impl Iterator<Item = Objection> {
    let agent = event.origin.agent_id.as_deref();
    event.call().into_iter().flat_map(move |call| {
        let facts = &cx.facts.protect;
        let context = Context { session, session_id: cx.session_id, agent, call, facts };
        RULES.iter().filter_map(move |rule| {
            let subject = bounded::line(&(rule.objects)(context)?, 160);
            Some(Objection { rule, subject, tool: call.name.clone() })
        })
    })
}

impl Objection {
    /// One line for programs: the last one of what the agent reads.
    pub fn json(&self) -> String {
        let Rule { code, name, instead, .. } = self.rule;
        let mut refusal = Refusal::new(*code, &self.tool, format!("{name}: {}", self.subject));
        if *code == Code::ProtectedPath {
            refusal = refusal.about(self.subject.clone());
        }
        refusal.rule = Some(name);
        refusal.recovery.push((*instead).to_owned());
        refusal.json()
    }

    fn outcome(&self) -> Outcome {
        let notice = Notice::new("protected")
            .with("rule", self.rule.name)
            .with("words", self.rule.instead)
            .with("json", self.json());
        let answer = self.rule.answer.word();
        let outcome = match self.rule.answer {
            Answer::Deny => Outcome::object(notice),
            Answer::Ask => Outcome::ask(notice),
        };
        let (rule, subject) = (self.rule.name, self.subject.clone());
        outcome.marked(Mark::Protected { rule, answer, subject })
    }
}

#[cfg(test)]
mod tests;
