//! What is checked before a tool runs, in this order: the class of the call,
//! the intent, the scope, stale files, a person's word; and the breaker over
//! all of it.
//!
//! Long because the checks are one list, in one order.

use std::collections::BTreeMap;

use super::{
    catalogue::Intent,
    checks,
    class::{self, Class, Judged},
    facts::{Aim, Aims, Nearer, Sidecar},
    post_call_changes::doubting,
    scope::{Doubt, Scope, Verdict as InScope, Why},
    selection::{self, Refused, Unreliable},
    state::{InFlight, IntentState, Start},
    target,
};
use crate::{
    core::{
        Cx, bounded,
        event::{Event, ToolCall},
        outcome::{Effect, Notice, Outcome},
        policy::{Hitl, IntentPolicy, OpaqueWrites},
        refusal::{Code, Refusal},
        tool::Tool,
        trace::Mark,
    },
    shell::{HOLE, How},
};

/// The tool of roz's own server by which an intent is selected.
pub const SELECT: &str = "select_active_intent";

/// Who makes a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Agent,
    /// The reviewer runs tests, and changes nothing.
    Reviewer,
}

pub(super) fn on_tool(
    state: &mut IntentState,
    event: &Event,
    call: &ToolCall,
    caller: Caller,
    cx: Cx,
) -> Outcome {
    doubting(judged(state, event, call, caller, cx), &cx.facts.aims.new_doubts)
}

fn judged(
    state: &mut IntentState,
    event: &Event,
    call: &ToolCall,
    caller: Caller,
    cx: Cx,
) -> Outcome {
    let aims = &cx.facts.aims;
    let is_governed = match aims.sidecar {
        Sidecar::NotAsked | Sidecar::NotDeclared => false,
        Sidecar::Absent => state.had_sidecar(),
        Sidecar::There => {
            state.saw_sidecar();
            true
        }
        Sidecar::Broken(_) | Sidecar::Missing(_) => true,
    };
    if !is_governed && aims.also.is_empty() {
        return Outcome::pass();
    }
    let agent = event.origin.agent_id.as_deref();
    let check = Check { aims, call, agent, cx };
    let refuse = |state: &mut IntentState, refusal: Refusal| {
        let target = refusal.file.clone().unwrap_or_else(|| check.target());
        refuse(state, refusal, &target)
    };
    if let Some(id) = selects(call) {
        let declares = if is_governed { aims } else { &aims.also[0].aims };
        return match (Check { aims: declares, ..check }).selectable(&id) {
            Ok(()) => {
                if let Some(call) = &call.tool_use_id {
                    state.selecting(call, &id);
                }
                Outcome::pass()
            }
            Err(refusal) => refuse(state, *refusal),
        };
    }
    let judged = class::classify(call, &overrides(&cx.policy.intent), &aims.free);
    if judged.class == Class::Safe {
        if state.is_blocked() {
            state.passed();
        }
        for (path, hash) in &aims.seen {
            state.saw(agent, path, hash);
        }
        for part in &aims.parts {
            state.saw_part(agent, part);
        }
        return keeping(aims.shown().map(str::to_owned));
    }
    let nearer = aims.also.iter().flat_map(|it| &it.aims.targets);
    let is_known_write = aims.targets.iter().chain(nearer).any(|it| !it.is_free);
    let start = aims.start.as_ref().map(|it| Start {
        seen: state.seen_so_far(),
        takes_back: is_way_back(state, call),
        ..it.clone()
    });
    // A check needs no intent: what it changes all the same is told afterwards.
    let needs_none = caller == Caller::Reviewer || judged.is_check && state.selected().is_none();
    if needs_none && !is_known_write && judged.class < Class::Critical {
        if let (Some(id), Some(_)) = (&call.tool_use_id, &start) {
            let agent = agent.unwrap_or_default().to_owned();
            state.runs(id, InFlight { at: cx.now, start, agent, ..InFlight::default() });
        }
        return Outcome::pass();
    }
    match check.judge_all(state, &judged, is_governed) {
        Ok(Passed { intent_id, scope, asks }) => {
            let start = start.map(|it| Start { scope, ..it });
            let written = || aims.targets.iter().filter(|it| it.is_tracked());
            let kept = written().filter(|it| it.hash.is_some());
            let kept = keeping(kept.map(Aim::path).chain(aims.unkept.iter().cloned()));
            let command = normal(call);
            let ask = asks.filter(|_| {
                let ttl = cx.policy.intent.hitl_ttl_seconds;
                !state.is_approved(&intent_id, &command, ttl, cx.now)
            });
            if let Some(id) = &call.tool_use_id
                && is_governed
            {
                let before = written().map(|it| (it.path(), it.hash.clone())).collect();
                let check = checks::of(call, &cx.policy.intent.checks);
                let flight = InFlight::of(&intent_id, cx.now);
                let (agent, is_awaited) = (agent.unwrap_or_default().to_owned(), ask.is_some());
                let flight = InFlight { before, start, check, agent, is_awaited, ..flight };
                state.allowed(id, flight);
            }
            if let Some(id) = &call.tool_use_id
                && ask.is_some()
            {
                state.asked(id, &intent_id, &command);
            }
            match ask {
                None => kept,
                Some(why) => asking(kept, why, call, &intent_id),
            }
        }
        Err(refusal) => refuse(state, *refusal),
    }
}

/// A person is asked.
fn asking(kept: Outcome, why: String, call: &ToolCall, intent_id: &str) -> Outcome {
    let refusal = Refusal::new(Code::HitlRequired, &call.name, why)
        .of_intent(intent_id)
        .recovery("A person has to say yes, or to run it at a terminal of their own.");
    let mark = Mark::IntentRefused {
        code: refusal.code.word(),
        answer: "ask",
        subject: bounded::line(&refusal.message, 200),
    };
    let effects = kept.effects;
    Outcome { effects, ..Outcome::ask(words(&refusal)).marked(mark) }
}

/// A pass, after which the texts of these files are put aside.
fn keeping(paths: impl Iterator<Item = String>) -> Outcome {
    let paths: Vec<String> = paths.collect();
    if paths.is_empty() { Outcome::pass() } else { Outcome::pass().doing(Effect::Keep(paths)) }
}

/// Whether a call is, word for word, one that takes a change back.
fn is_way_back(state: &IntentState, call: &ToolCall) -> bool {
    call.tool.command().is_some_and(|it| state.is_way_back(it))
}

/// The intent that a call of roz's own tool selects.
pub fn selects(call: &ToolCall) -> Option<String> {
    let is_it = class::is_own_server(&call.name) && call.name.ends_with(SELECT);
    is_it.then(|| call.text("intent_id").unwrap_or_default().trim().to_owned())
}

/// Whether a call replaces all that a file holds, as the client's own tool does.
pub fn is_write(call: &ToolCall, how: How) -> bool {
    matches!(call.tool, Tool::Write { .. }) && how == How::Write
}

fn overrides(policy: &IntentPolicy) -> BTreeMap<String, Class> {
    let class = |word: &str| match word.to_ascii_lowercase().as_str() {
        "safe" => Some(Class::Safe),
        "destructive" => Some(Class::Destructive),
        "critical" => Some(Class::Critical),
        _ => None,
    };
    let classes = policy.classes.iter();
    classes.filter_map(|(tool, word)| Some((tool.clone(), class(word)?))).collect()
}

/// A call's text, for telling one from another: a command without its blanks,
/// else the input.
fn normal(call: &ToolCall) -> String {
    let text = match call.tool.command() {
        Some(command) => command.split_whitespace().collect::<Vec<_>>().join(" "),
        None => call.json.to_owned(),
    };
    if text.len() <= 200 {
        format!("{}:{text}", call.name)
    } else {
        format!("{}:sha256:{}", call.name, bounded::sha256(text.as_bytes()))
    }
}

fn asked(judged: &Judged) -> String {
    format!("{} call: {}.", judged.class.word(), judged.why)
}

/// A call that passed every check.
#[derive(Default)]
struct Passed {
    intent_id: String,
    scope: Vec<String>,
    /// What a person has to say yes to.
    asks: Option<String>,
}

#[derive(Clone, Copy)]
struct Check<'a> {
    aims: &'a Aims,
    call: &'a ToolCall<'a>,
    agent: Option<&'a str>,
    cx: Cx<'a>,
}

impl Check<'_> {
    fn refusal(self, code: Code, message: impl Into<String>) -> Refusal {
        Refusal::new(code, &self.call.name, message)
    }

    /// What the breaker counts by, where a refusal is about no file: what the
    /// call would write first, else its words.
    fn target(self) -> String {
        let nearer = self.aims.also.iter().flat_map(|it| &it.aims.targets);
        let mut targets = self.aims.targets.iter().chain(nearer).filter(|it| !it.is_free);
        targets.next().map_or_else(|| normal(self.call), Aim::shown)
    }

    fn sidecar(self) -> Result<(), Refused> {
        let gone = || Unreliable {
            file: selection::FILE,
            what: "it was there in this session, and is gone".to_owned(),
        };
        match &self.aims.sidecar {
            Sidecar::Broken(unreliable) => Err(unreliable.refuses(&self.call.name)),
            Sidecar::Missing(missing) => Err(missing.refuses(&self.call.name)),
            Sidecar::Absent => Err(gone().refuses(&self.call.name)),
            Sidecar::NotAsked | Sidecar::NotDeclared | Sidecar::There => Ok(()),
        }
    }

    /// Whether what is declared is somebody's word who may give it.
    fn confirmed(self) -> Result<(), Refused> {
        let Some(doubt) = self.aims.doubts.first() else { return Ok(()) };
        Err(doubt.refuses(&self.call.name, self.cx.session_id.as_str()))
    }

    fn closes(self, id: &str) -> Option<usize> {
        self.aims.closed.iter().find_map(|(it, line)| (it == id).then_some(*line))
    }

    fn selectable(self, id: &str) -> Result<(), Refused> {
        self.sidecar()?;
        let closes = |id: &str| self.closes(id);
        selection::choose(&self.aims.catalogue, closes, id, &self.call.name).map(drop)
    }

    fn missing(self, message: String) -> Refused {
        let refusal = self
            .refusal(Code::MissingIntent, message)
            .recovery(selection::how_to_select(&self.aims.catalogue, |it| self.closes(it)));
        Box::new(refusal)
    }

    /// By the session's project, and by those that lie nearer to a target.
    fn judge_all(
        self,
        state: &mut IntentState,
        judged: &Judged,
        is_governed: bool,
    ) -> Result<Passed, Refused> {
        let mut passed = if is_governed { Some(self.judge(state, judged)?) } else { None };
        for nearer in &self.aims.also {
            let (intent_id, asks) = self.judge_nearer(state, nearer)?;
            let passed = passed.get_or_insert(Passed { intent_id, ..Passed::default() });
            passed.asks = passed.asks.take().or(asks);
        }
        let mut passed = passed.unwrap_or_default();
        if !is_governed && self.wants_person(judged) {
            passed.asks = passed.asks.or_else(|| Some(asked(judged)));
        }
        Ok(passed)
    }

    /// The intent that is cited has to be one that this project declares, too,
    /// and to own the targets there.
    fn judge_nearer(
        self,
        state: &IntentState,
        nearer: &Nearer,
    ) -> Result<(String, Option<String>), Refused> {
        let Nearer { root, aims } = nearer;
        let check = Check { aims, ..self };
        check.sidecar().and_then(|()| check.confirmed()).map_err(|mut refusal| {
            refusal.message = format!("In `{root}`: {}", refusal.message);
            refusal
        })?;
        let Some(selected) = state.selected() else {
            let message = format!(
                "You must cite a valid active Intent ID. `{root}` declares its own work, and this \
                 call writes there."
            );
            return Err(check.missing(message));
        };
        let id = &selected.intent_id;
        let found = aims.catalogue.find(id).ok();
        let open = found.filter(|it| it.status.can_be_selected() && check.closes(id).is_none());
        let Some(intent) = open else {
            let message = format!(
                "`{root}` declares its own work, and {} is no open intent of it.",
                bounded::line(id, 60)
            );
            let refusal = check
                .refusal(Code::IntentNotActive, message)
                .of_intent(id)
                .about(aims.targets.first().map(Aim::shown).unwrap_or_default())
                .recovery(format!(
                    "Have the user declare it there too, or start a session in `{root}`."
                ));
            return Err(Box::new(refusal));
        };
        Ok((id.clone(), check.in_scope(intent)?))
    }

    fn wants_person(self, judged: &Judged) -> bool {
        let nearer = self.aims.also.iter().flat_map(|it| &it.aims.targets);
        let mut targets =
            self.aims.targets.iter().chain(nearer).filter(|it| !it.is_free).peekable();
        let is_auto = targets.peek().is_some() && targets.all(|it| it.treatment.auto.is_some());
        match (judged.class, self.cx.policy.intent.hitl) {
            (_, Hitl::Off) | (Class::Safe, _) | (Class::Destructive, Hitl::Critical) => false,
            (Class::Critical, _) => true,
            (Class::Destructive, Hitl::Destructive) => !is_auto && !judged.is_check,
        }
    }

    fn judge(self, state: &mut IntentState, judged: &Judged) -> Result<Passed, Refused> {
        // A command that roz named leads out of the scope, and back.
        if is_way_back(state, self.call) {
            return self.takes_back(state, judged);
        }
        self.sidecar()?;
        self.confirmed()?;
        let Some(selected) = state.selected().map(|it| it.intent_id.clone()) else {
            return Err(self.missing("You must cite a valid active Intent ID.".to_owned()));
        };
        let intent = match self.aims.catalogue.find(&selected) {
            Ok(intent) if intent.status.can_be_selected() => intent,
            found => {
                let now = found.map_or_else(|_| "gone".to_owned(), |it| it.status.to_string());
                let message = format!("Intent {selected} is {now}: it is selected no more.");
                state.deselect();
                return Err(Box::new(
                    self.refusal(Code::IntentNotActive, message)
                        .of_intent(&selected)
                        .recovery("Select an open intent."),
                ));
            }
        };
        self.recordable(intent)?;
        let mut asks = self.in_scope(intent)?;
        self.fresh(state, intent)?;
        let is_opaque = self.aims.targets.iter().all(|it| it.is_free)
            && judged.class == Class::Destructive
            && !judged.is_check
            && !self.call.readings.is_empty();
        if is_opaque {
            match self.cx.policy.intent.opaque {
                OpaqueWrites::Observe => (),
                OpaqueWrites::Ask => {
                    asks =
                        asks.or(Some(format!("What it changes cannot be known: {}.", judged.why)));
                }
                OpaqueWrites::Deny => {
                    let message = format!(
                        "Scope Violation: what it changes cannot be known ({}).",
                        judged.why
                    );
                    return Err(Box::new(Self::scoped(
                        self.refusal(Code::ScopeViolation, message)
                            .recovery("Use Write or Edit, or a command that says what it writes."),
                        intent,
                    )));
                }
            }
        }
        if self.wants_person(judged) {
            asks = asks.or_else(|| Some(asked(judged)));
        }
        Ok(Passed { intent_id: intent.id.clone(), scope: intent.owned_scope.clone(), asks })
    }

    /// What a call before it had no right to is taken back whatever is declared
    /// now: perhaps it is that which was changed.
    fn takes_back(self, state: &IntentState, judged: &Judged) -> Result<Passed, Refused> {
        let Some(selected) = state.selected() else {
            return Err(self.missing("You must cite a valid active Intent ID.".to_owned()));
        };
        let intent = self.aims.catalogue.find(&selected.intent_id).ok();
        if let Some(intent) = intent {
            self.recordable(intent)?;
        }
        Ok(Passed {
            intent_id: selected.intent_id.clone(),
            scope: intent.map(|it| it.owned_scope.clone()).unwrap_or_default(),
            asks: self.wants_person(judged).then(|| asked(judged)),
        })
    }

    /// Whether the change will stand in the ledger, where it has to.
    fn recordable(self, intent: &Intent) -> Result<(), Refused> {
        let Some(why) = &self.aims.unwritable else { return Ok(()) };
        let message = format!(
            "Nothing may change that cannot be recorded, and the ledger cannot be written: {}.",
            why.trim_end_matches('.')
        );
        Err(Box::new(
            self.refusal(Code::LedgerUnwritable, message)
                .about(".orchestration/agent_trace.jsonl")
                .of_intent(&intent.id)
                .recovery("Ask the user to mend it; then try again."),
        ))
    }

    fn scoped(refusal: Refusal, intent: &Intent) -> Refusal {
        const SHOWN: usize = 10;
        let mut refusal = refusal.of_intent(&intent.id);
        let scope = intent.owned_scope.iter().take(SHOWN).map(|it| bounded::line(it, 60));
        refusal.owned_scope = Some(scope.collect());
        refusal
    }

    /// Whether every path that the call would write is the intent's; what a
    /// person has to be asked about.
    fn in_scope(self, intent: &Intent) -> Result<Option<String>, Refused> {
        let scope = Scope::new(&intent.owned_scope);
        let mut asks = None;
        for aim in self.aims.targets.iter().filter(|it| !it.is_free) {
            let shown = aim.shown();
            if let Some(line) = aim.treatment.deny {
                let message =
                    format!("{shown} is protected from every intent: .intentignore, line {line}.");
                let refusal = self.refusal(Code::ProtectedPath, message).about(&*shown).recovery(
                    "Leave it as it is, and name the files that you mean. Where the work needs \
                     it, ask the user: they change it, or lift that line of `.intentignore`.",
                );
                return Err(Box::new(Self::scoped(refusal, intent)));
            }
            if aim.treatment.untracked.is_some() {
                continue;
            }
            if let Some(line) = aim.treatment.ask {
                asks = asks
                    .or(Some(format!("{shown} is to be asked about: .intentignore, line {line}.")));
            }
            match scope.judge(&aim.target) {
                InScope::Inside => (),
                InScope::Ask(Doubt::HardLinks(links)) => {
                    asks = asks.or(Some(format!(
                        "{shown} has {links} names, and perhaps not all are in scope."
                    )));
                }
                InScope::Ask(Doubt::Opaque(_)) => match self.cx.policy.intent.opaque {
                    OpaqueWrites::Observe => (),
                    OpaqueWrites::Ask => {
                        asks = asks.or(Some(format!("Where it writes cannot be known: {shown}.")));
                    }
                    OpaqueWrites::Deny => return Err(Box::new(self.outside(intent, &shown, None))),
                },
                InScope::Outside(reason) => {
                    if let Why::Guarded(what) = &reason.why {
                        let message = format!("{shown} is in nobody's scope: it is {what}.");
                        let refusal = self.refusal(Code::ProtectedPath, message).about(&*shown);
                        let refusal = refusal.recovery(target::instead(&shown));
                        return Err(Box::new(Self::scoped(refusal, intent)));
                    }
                    let really = reason.written.is_some().then_some(reason.path.as_str());
                    return Err(Box::new(self.outside(intent, &shown, really)));
                }
            }
        }
        Ok(asks)
    }

    fn outside(self, intent: &Intent, file: &str, really: Option<&str>) -> Refusal {
        let really = really.map(|it| format!(" (really {})", bounded::line(it, 120)));
        // A path that is known in part.
        let perhaps = file.contains('…').then(|| " (it may write outside the scope)".to_owned());
        let message = format!(
            "Scope Violation: {} is not authorized to edit {file}{}. Request scope expansion.",
            intent.id,
            really.or(perhaps).unwrap_or_default()
        );
        let refusal = self.refusal(Code::ScopeViolation, message).about(file).recovery(format!(
            "`roz intent expand {} {}` asks the user for it, or select the intent that owns \
                 this file.",
            intent.id,
            pattern_of(file)
        ));
        Self::scoped(refusal, intent)
    }

    /// Whether the agent knows what it is about to change.
    fn fresh(self, state: &mut IntentState, intent: &Intent) -> Result<(), Refused> {
        for aim in self.aims.targets.iter().filter(|it| !it.is_free) {
            let Some(actual) = &aim.hash else { continue };
            let path = aim.path();
            let seen = state.seen(self.agent, &path).map(str::to_owned);
            // The tool sees to it that what it replaces is there; the agent has
            // seen these lines as they are.
            let is_write = is_write(self.call, aim.how);
            if !state.is_stale(self.agent, &path, actual, is_write)
                || state.has_seen_lines(self.agent, &path, actual, &aim.replaces)
            {
                continue;
            }
            let unseen = state.unseen_from(self.agent, &path, actual);
            state.went_stale(&path);
            let shown = aim.shown();
            let by = aim.changed_by.as_deref().map(|it| format!(" Changed by: {it}."));
            let by = by.unwrap_or_default();
            let message = match &seen {
                Some(seen) if seen == actual => {
                    format!(
                        "Stale File: {shown} is there, and you have read only a part of it.{by}"
                    )
                }
                Some(_) => format!("Stale File: {shown} has changed since you read it.{by}"),
                None => format!("Stale File: {shown} is there, and you have not read it.{by}"),
            };
            let mut refusal = self
                .refusal(Code::StaleFile, message)
                .about(&*shown)
                .of_intent(&intent.id)
                .recovery(match unseen {
                    // Reading it again shows the same piece of a long file again.
                    Some(line) => format!(
                        "Read the rest of it as well, in pieces (`offset`: {line} is the first \
                         line that you have not seen), then write; for an Edit, the lines that \
                         it replaces are enough."
                    ),
                    None => "Read it again, then write.".to_owned(),
                });
            refusal.expected_hash = seen;
            refusal.actual_hash = Some(actual.clone());
            refusal.changed_by.clone_from(&aim.changed_by);
            return Err(Box::new(refusal));
        }
        Ok(())
    }
}

/// A path of the project as a pattern to copy.
fn pattern_of(file: &str) -> String {
    let is_known = !file.starts_with(['/', '~']) && !file.contains(['\'', '…', '*', '?', '[']);
    if is_known { format!("'{file}'") } else { "PATTERN".to_owned() }
}

fn words(refusal: &Refusal) -> Notice {
    Notice::new("intent")
        .with("words", refusal.message.clone())
        .with("recovery", refusal.recovery.join(" "))
        .with("json", refusal.json())
}

/// Objects; from the third time on it is the user's to say.
fn refuse(state: &mut IntentState, mut refusal: Refusal, target: &str) -> Outcome {
    let is_circuit = state.refused(refusal.code, target);
    if is_circuit {
        refusal.message = format!(
            "This is refused for the third time in a row ({}): {}",
            refusal.code.word(),
            refusal.message
        );
        refusal.code = Code::CircuitOpen;
        refusal.recovery = vec!["Stop, and ask the user what to do.".to_owned()];
    }
    let mark = Mark::IntentRefused {
        code: refusal.code.word(),
        answer: "deny",
        subject: bounded::line(&refusal.message, 200),
    };
    Outcome::object(words(&refusal)).marked(mark)
}

impl Aim {
    /// As people read it.
    pub fn shown(&self) -> String {
        let text = self.target.written.text();
        let text = if text.is_empty() { "." } else { text };
        bounded::plain_line(&bounded::line(&text.replace(HOLE, "…"), 120))
    }

    /// Whether a change of it is to be recorded.
    pub fn is_tracked(&self) -> bool {
        !self.is_free && !self.is_elsewhere && self.treatment.untracked.is_none()
    }

    /// Where it really is, from the project's root.
    pub fn path(&self) -> String {
        self.target.real.text().to_owned()
    }
}
