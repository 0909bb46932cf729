//! Judges what a call has changed, by the same scope as what it announced: for scripts, `make`, and
//! commands that hide what they write.
//!
//! The change is already made, so nothing is refused. The ledger records a violation; the agent and
//! the user are told, with a command that undoes the change. That exact command passes the scope.
//!
//! Changes that another running call was allowed to make are left to that call.

use super::{
    ledger::{self, Change, FileDetails},
    post_call_facts::{Aftermath, Found, WayBack},
    scope::{Scope, Verdict, Why},
    state::{InFlight, IntentState},
    target::{guarded, is_lock_file},
    unconfirmed::FILES,
};
use crate::core::{
    Cx, bounded, client_files,
    event::ToolCall,
    outcome::{Effect, Notice, Outcome},
    refusal::{Code, Refusal},
    trace::Mark,
};

const SHOWN: usize = 10;

pub(super) fn decide(
    state: &mut IntentState,
    flight: &InFlight,
    agent: Option<&str>,
    call: &ToolCall,
    aftermath: &Aftermath,
    cx: Cx,
) -> Outcome {
    let catalogue = &cx.facts.intent.declared.catalogue;
    let scope = flight.start.as_ref().filter(|_| flight.is_for_an_intent());
    let scope = scope.map(|scope| Scope::new(&scope.scope));
    let intent_of = |other: &InFlight| catalogue.find(&other.intent_id).ok();
    let scope_of = |other| intent_of(other).map(|intent| Scope::new(&intent.owned_scope));
    let running: Vec<(&InFlight, Option<Scope>)> =
        aftermath.running.iter().map(|other| (other, scope_of(other))).collect();
    let takes_back = flight.start.as_ref().is_some_and(|start| start.takes_back);
    let mut outcome = Outcome::pass();
    if !aftermath.doubts.is_empty() {
        outcome = outcome.doing(Effect::Doubt(aftermath.doubts.clone()));
    }
    let mut files = Vec::new();
    let mut wrong: Vec<(Code, &Found)> = Vec::new();
    for found in &aftermath.changes {
        if running.iter().any(|(other, own)| other.may_have_changed(found, flight, own.as_ref())) {
            continue;
        }
        if found.is_client_settings() && !found.was_named {
            // The client writes its settings when the user permanently allows a command.
            outcome = outcome.telling_user(format!(
                "roz: `{}` changed while {} ran. If you have not just allowed something, look at \
                 it.",
                bounded::plain_line(&found.path),
                bounded::line(&call.name, 60),
            ));
            continue;
        }
        // The agent knows the new content of a file that it knew before.
        if let Some(hash) = &found.changed.file_hash
            && state.seen(agent, &found.path).is_some()
        {
            state.saw(agent, &found.path, hash);
        }
        let objection = match &scope {
            _ if takes_back && found.was_named => None,
            Some(scope) => found.objection(scope),
            None => found.objection_without_intent(),
        };
        wrong.extend(objection.map(|code| (code, found)));
        if flight.is_for_an_intent() || objection.is_some() {
            files.push(FileDetails {
                path: found.path.clone(),
                changed: found.changed.clone(),
                mutation_class: found.meaning.as_ref().map(|meaning| meaning.class),
                evidence: found
                    .meaning
                    .as_ref()
                    .and_then(|meaning| serde_json::to_value(&meaning.evidence).ok()),
            });
        }
    }
    let violation = (!wrong.is_empty()).then(|| violation(&wrong, flight, call));
    let not_looked = aftermath.not_looked.clone().filter(|_| flight.is_for_an_intent());
    if let Some(refusal) = &violation {
        for way in wrong.iter().filter_map(|(_, found)| found.way_back.as_ref()) {
            state.told_way_back(&way.command);
        }
        let notice = Notice::new("intent-aftermath")
            .with("words", refusal.message.clone())
            .with("recovery", refusal.recovery.join("\n"))
            .with("json", refusal.json());
        let subject = bounded::line(&refusal.message, 200);
        outcome = outcome
            .telling_user(format!("roz: {}", bounded::line(&refusal.message, 400)))
            .telling_agent(notice)
            .marked(Mark::IntentRefused {
                code: refusal.code.to_string(),
                answer: "told",
                subject,
            });
    }
    if files.is_empty() && violation.is_none() && not_looked.is_none() {
        return outcome;
    }
    let violation = violation.as_ref().map(ledger::Refusal::from);
    let change = Change { files, not_looked, violation, ..Change::default() };
    let intent_id = flight.intent_id.clone();
    outcome.doing(Effect::Changed { intent_id, change: Box::new(change) })
}

impl InFlight {
    /// Whether another call may have made the change, and will report it when it ends.
    fn may_have_changed(&self, found: &Found, own: &InFlight, scope: Option<&Scope>) -> bool {
        if let Some(before) = self.before.get(&found.path) {
            return !found.was_named && *before != found.changed.file_hash;
        }
        let Some(start) = &self.start else { return false };
        // It finds the change itself unless the file was touched before it began.
        let will_find = found.at.is_none_or(|at| at >= start.since);
        let is_its_own =
            || scope.is_some_and(|scope| scope.judge(&found.target) == Verdict::Inside);
        self.intent_id != own.intent_id && will_find && !found.was_named && is_its_own()
    }
}

impl Found {
    fn is_client_settings(&self) -> bool {
        let mut parts = self.path.rsplit('/');
        parts.next() == Some("settings.local.json")
            && parts.next().is_some_and(client_files::is_folder)
    }

    fn objection(&self, scope: &Scope) -> Option<Code> {
        if self.treatment.deny.is_some() {
            return Some(Code::ProtectedPath);
        }
        if self.is_lock_file() {
            return None;
        }
        match scope.judge(&self.target) {
            Verdict::Outside { why: Why::Guarded(_), .. } => Some(Code::ProtectedPath),
            Verdict::Outside { .. } => Some(Code::ScopeViolation),
            // No question was asked, because the write was not known beforehand.
            Verdict::Inside | Verdict::Ask(_) => {
                let is_asked_about = self.treatment.ask.is_some() && !self.was_named;
                is_asked_about.then_some(Code::HitlRequired)
            }
        }
    }

    fn objection_without_intent(&self) -> Option<Code> {
        let is_protected = self.treatment.deny.is_some()
            || self.target.guarded.is_some()
            || guarded(self.target.real.text()).is_some();
        if is_protected {
            return Some(Code::ProtectedPath);
        }
        (self.is_tracked && !self.is_lock_file()).then_some(Code::MissingIntent)
    }

    /// Whether a tool recorded its choices in the file, as any build may.
    fn is_lock_file(&self) -> bool {
        is_lock_file(&self.path) && !self.was_named
    }

    fn shown(&self) -> String {
        bounded::plain_line(&bounded::line(&self.path, 120))
    }
}

fn violation(wrong: &[(Code, &Found)], flight: &InFlight, call: &ToolCall) -> Refusal {
    let id = bounded::line(&flight.intent_id, 60);
    let listed = |code: Code| {
        let of_it = || wrong.iter().filter(|(item, _)| *item == code).map(|(_, found)| found);
        let shown: Vec<String> = of_it().take(SHOWN).map(|found| found.shown()).collect();
        let more = of_it().count().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!shown.is_empty()).then(|| shown.join(", ") + &more)
    };
    let call_name = bounded::line(&call.name, 60);
    // The most serious first; it gives the record its code.
    let sentences = [
        (Code::ProtectedPath, "is in nobody's scope".to_owned()),
        (Code::ScopeViolation, format!("Scope Violation: {id} is not authorized to edit it")),
        (Code::HitlRequired, "a person is to be asked before it is changed".to_owned()),
        (Code::MissingIntent, "You must cite a valid active Intent ID to change it".to_owned()),
    ];
    let told: Vec<(Code, String)> = sentences
        .into_iter()
        .filter_map(|(code, what)| Some((code, format!("{} ({what}).", listed(code)?))))
        .collect();
    let code = told.first().map_or(Code::ScopeViolation, |(code, _)| *code);
    let told: Vec<String> = told.into_iter().map(|(_, text)| text).collect();
    let message = format!(
        "This {call_name} call has changed what it had no right to: {} Take it back, or tell the \
         user.",
        told.join(" ")
    );
    let mut refusal = Refusal::new(code, &call.name, message);
    if let Some((_, first)) = wrong.iter().find(|(item, _)| *item == code) {
        refusal = refusal.about(first.shown());
        refusal.actual_hash.clone_from(&first.changed.file_hash);
    }
    if flight.is_for_an_intent() {
        refusal = refusal.of_intent(&flight.intent_id);
    }
    if let Some(start) = &flight.start {
        let scope = start.scope.iter().take(SHOWN).map(|text| bounded::line(text, 60));
        refusal.owned_scope = Some(scope.collect()).filter(|_| flight.is_for_an_intent());
    }
    if wrong.iter().any(|(_, found)| FILES.contains(&&*found.path)) {
        refusal = refusal.recovery(
            "Until then every write is refused. The user may confirm its present content: `roz \
             intent confirm` asks them.",
        );
    }
    for (_, found) in wrong.iter().take(SHOWN) {
        refusal = refusal.recovery(match &found.way_back {
            Some(WayBack { command, is_sure: true }) => format!("To take it back: `{command}`"),
            Some(WayBack { command, is_sure: false }) => format!(
                "To take it back: `{command}`, unless there was work in {} that was not \
                 committed: then ask the user.",
                found.shown()
            ),
            None => format!("What {} was before is not known: ask the user.", found.shown()),
        });
    }
    refusal
}

#[cfg(test)]
mod tests;
