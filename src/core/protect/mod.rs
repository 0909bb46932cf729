//! Self-protection: an agent's tools must not act as the client, the reviewer or the user.
//!
//! Each rule is a row of [`RULES`]; the first one that objects decides. Rules look at what would
//! run (`commands`, `kill`, `clients`), which paths would be written (`paths`, `settings`), what of
//! a reviewer would be read (`reviewer`), and what unparsed text mentions (`mentions`). The
//! locations of protected things are facts ([`ProtectFacts`]), looked up only for calls that write
//! something.

mod accesses;
mod clients;
mod commands;
mod context;
mod kill;
mod mentions;
mod needs;
mod path_rules;
mod program;
mod protected_paths;
mod reviewer_transcript;
mod settings;
mod table;

use self::context::Context;
pub use self::{
    accesses::{Access, Accessed, Act, TextBefore},
    context::ProtectFacts,
    needs::{ProtectNeeds, needs},
    path_rules::wants_text,
    protected_paths::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES, Places},
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

#[derive(Debug, Clone, PartialEq)]
pub struct Objection {
    pub rule: &'static Rule,
    /// The part of the call that the rule is about.
    pub subject: String,
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

/// In the table's order.
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
    /// The last line of what the agent reads, for programs.
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
