//! Self-protection: an agent's tools do not play the client's part, the reviewer's or the user's.
//!
//! A rule is a row of [`RULES`]; the first that objects decides. A rule looks at what would run
//! (`commands`, `kill`, `clients`), at which paths would be written (`paths`, `settings`), at what
//! of a reviewer would be read (`reviewer`), or at what text mentions that nobody reads word by word
//! (`mentions`). Where things are is a fact ([`ProtectFacts`]), and looked up only for a call that
//! writes something.

mod accesses;
mod clients;
mod commands;
mod kill;
mod mentions;
mod paths;
mod places;
mod reviewer;
mod settings;
mod table;

pub use self::{
    accesses::{Access, Accessed, Act, Before, accesses, act_of_tool},
    paths::wants_text,
    places::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES, Places},
    settings::is_protected_variable,
    table::{Answer, Example, RULES, Rule},
};
use crate::core::{
    Cx, bounded,
    event::{Event, ToolCall},
    outcome::{Notice, Outcome},
    refusal::{Code, Refusal},
    session::Session,
    session_id::SessionId,
    trace::Mark,
};

/// What is there, and which of it a call is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProtectFacts {
    pub places: Places,
    /// What the call does to paths that any rule could be about.
    pub accessed: Vec<Accessed>,
}

/// What a rule gets to see.
#[derive(Clone, Copy)]
struct Context<'a> {
    session: &'a Session,
    session_id: &'a SessionId,
    /// The subagent whose call it is.
    agent: Option<&'a str>,
    call: &'a ToolCall<'a>,
    facts: &'a ProtectFacts,
}

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

/// Whether `word` is one of a list of words with a blank between them.
fn is_in(list: &str, word: &str) -> bool {
    let mut words = list.split(' ').filter(|it| !it.is_empty());
    words.any(|it| it == word)
}

#[cfg(test)]
mod tests;
