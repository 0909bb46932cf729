//! Self-protection: an agent's tools do not play the client's part, the
//! reviewer's or the user's.
//!
//! A rule is a row of [`RULES`]; the first that objects ends the round. What a
//! row looks at: `commands` at what would run, `paths` at what would be
//! written, `settings` at what that would make of the client's settings.
//! What lies where is a fact ([`Ground`]) that the shell gathers, and only for
//! calls that touch anything ([`touches`]).

mod apart;
mod changing;
mod clients;
mod code;
mod commands;
mod find;
mod gone;
mod handed;
mod joined;
mod kill;
mod left_out;
mod nearby;
mod paths;
mod place;
mod regex;
mod reviewer;
mod served;
mod settings;
mod table;
mod touch;
mod words;

pub use self::{
    find::{Found, reach},
    nearby::Nearby,
    paths::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES, wants_text},
    place::{Before, Ground, Touched},
    table::{Answer, Example, RULES, Rule},
    touch::{Act, Touch, touches},
};
use crate::core::{
    Cx, bounded,
    event::{Event, ToolCall, What},
    outcome::{Notice, Outcome},
    refusal::{Code, Refusal},
    session::{Session, SessionId},
    trace::Mark,
};
use crate::shell::{Find, Reading};

/// What a rule looks at.
#[derive(Clone, Copy)]
struct Scene<'a> {
    session: &'a Session,
    session_id: &'a SessionId,
    /// The subagent whose call it is.
    agent: Option<&'a str>,
    call: &'a ToolCall<'a>,
    ground: &'a Ground,
}

/// A rule that objects to a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Objection {
    pub rule: &'static Rule,
    /// What of the call it is about.
    pub subject: String,
    /// The tool of the call.
    pub tool: String,
    /// The call does not name the subject: a search of it finds that.
    pub is_found: bool,
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
    let call = match &event.what {
        What::PreToolUse(call) => Some(call),
        _ => None,
    };
    let agent = event.origin.agent_id.as_deref();
    call.into_iter().flat_map(move |call| {
        let ground = &cx.facts.ground;
        let scene = Scene { session, session_id: cx.session_id, agent, call, ground };
        RULES.iter().filter_map(move |rule| {
            let subject = (rule.objects)(scene)?;
            let is_found = rule.code == Code::ProtectedPath && is_found(call, &subject);
            let (subject, tool) = (bounded::line(&subject, 160), call.name.clone());
            Some(Objection { rule, subject, tool, is_found })
        })
    })
}

/// Whether a path is one that a search of the call comes to, and that no word of it writes.
fn is_found(call: &ToolCall, path: &str) -> bool {
    let becomes = |it: &Find| !it.acts.is_empty() || !it.below.is_empty();
    let names = |it: &Reading| it.writes.iter().any(|write| write.path == path);
    call.readings.iter().flat_map(|it| &it.finds).any(becomes) && !call.readings.iter().any(names)
}

impl Objection {
    /// Why, and what to do instead.
    pub fn instead(&self) -> String {
        let folder = match self.rule.name {
            "settings" => ".claude",
            "project-config" => ".roz",
            "orchestration" => ".orchestration",
            _ => "",
        };
        let instead = self.rule.instead;
        if !self.is_found || folder.is_empty() {
            return instead.to_owned();
        }
        format!(
            "{instead} This line does not name the file, its search finds it: leave that folder out, as with `-not -path './{folder}/*'`."
        )
    }

    /// One line for programs: the last one of what the agent reads.
    pub fn json(&self) -> String {
        let Rule { code, name, .. } = self.rule;
        let mut refusal = Refusal::new(*code, &self.tool, format!("{name}: {}", self.subject));
        if *code == Code::ProtectedPath {
            refusal = refusal.about(self.subject.clone());
        }
        refusal.rule = Some(name);
        refusal.recovery.push(self.instead());
        refusal.json()
    }

    fn outcome(&self) -> Outcome {
        let notice = Notice::new("protected")
            .with("rule", self.rule.name)
            .with("words", self.instead())
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

/// Whether `word` is one of a short list of words, each a blank apart; for a
/// long one there is [`words::Words`].
fn is_in(list: &str, word: &str) -> bool {
    let (list, word) = (list.as_bytes(), word.as_bytes());
    let mut at = 0;
    while at + word.len() <= list.len() {
        let end = at + word.len();
        let ends = list.get(end).is_none_or(|it| *it == b' ');
        if ends && !word.is_empty() && &list[at..end] == word {
            return true;
        }
        while at < list.len() && list[at] != b' ' {
            at += 1;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests;
