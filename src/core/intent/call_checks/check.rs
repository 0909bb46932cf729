//! The single checks of a call. Each refuses it or passes it to the next.

use crate::{
    core::{
        Cx, bounded,
        event::ToolCall,
        intent::{
            catalogue::Intent,
            class::{Class, Judged, Purpose},
            facts::{Aim, Declared, IntentFacts, Nearer, Sidecar},
            ledger::who_changed::UNKNOWN,
            scope::{Scope, Unsure, Verdict as InScope, Why},
            selection::{self, Refused, Unreliable},
            state::IntentState,
            target,
        },
        policy::{Hitl, OpaqueWrites},
        refusal::{Code, Refusal},
        tool::Tool,
    },
    shell::How,
};

#[derive(Default)]
pub(super) struct Passed {
    pub(super) intent_id: String,
    pub(super) scope: Vec<String>,
    /// What a person has to confirm.
    pub(super) asks: Option<String>,
}

#[derive(Clone, Copy)]
pub(super) struct Check<'a> {
    declared: &'a Declared,
    targets: &'a [Aim],
    facts: &'a IntentFacts,
    call: &'a ToolCall<'a>,
    agent: Option<&'a str>,
    cx: Cx<'a>,
}

impl<'a> Check<'a> {
    pub(super) fn new(call: &'a ToolCall<'a>, agent: Option<&'a str>, cx: Cx<'a>) -> Self {
        let facts = &cx.facts.intent;
        Self { declared: &facts.declared, targets: &facts.targets, facts, call, agent, cx }
    }

    pub(super) fn in_project(self, nearer: &'a Nearer) -> Self {
        Self { declared: &nearer.declared, targets: &nearer.targets, ..self }
    }

    /// Everything that the call would write in any project, except where changes do not matter.
    pub(super) fn writes(self) -> impl Iterator<Item = &'a Aim> {
        let nearer = self.facts.also.iter().flat_map(|nearer| &nearer.targets);
        self.facts.targets.iter().chain(nearer).filter(|aim| !aim.is_free)
    }

    fn refusal(self, code: Code, message: impl Into<String>) -> Refusal {
        Refusal::new(code, &self.call.name, message)
    }

    /// What repeated refusals are counted by, where a refusal names no file: the first written
    /// path, or else the call's text.
    pub(super) fn target(self) -> String {
        self.writes().next().map_or_else(|| normal(self.call), Aim::shown)
    }

    fn sidecar(self) -> Result<(), Refused> {
        let gone = || Unreliable {
            file: selection::FILE,
            what: "it was there in this session, and is gone".to_owned(),
        };
        match &self.declared.sidecar {
            Sidecar::Broken(unreliable) => Err(unreliable.refuses(&self.call.name)),
            Sidecar::Missing(missing) => Err(missing.refuses(&self.call.name)),
            Sidecar::Absent => Err(gone().refuses(&self.call.name)),
            Sidecar::NotAsked | Sidecar::NotDeclared | Sidecar::There => Ok(()),
        }
    }

    /// Whether somebody who may has confirmed the declarations.
    fn confirmed(self) -> Result<(), Refused> {
        let Some(doubt) = self.declared.doubts.first() else { return Ok(()) };
        Err(doubt.refuses(&self.call.name, self.cx.session_id.as_str()))
    }

    fn closes(self, id: &str) -> Option<usize> {
        self.declared.closed.iter().find_map(|(closed_id, line)| (closed_id == id).then_some(*line))
    }

    pub(super) fn selectable(self, id: &str) -> Result<(), Refused> {
        self.sidecar()?;
        let closes = |id: &str| self.closes(id);
        selection::choose(&self.declared.catalogue, closes, id, &self.call.name).map(drop)
    }

    /// Whether its git commands would discard only ignored files.
    pub(super) fn may_discard(self) -> bool {
        let Some(discards) = &self.facts.discards else { return false };
        discards.iter().all(|aim| aim.is_free)
    }

    fn missing(self, message: String) -> Refused {
        let refusal = self
            .refusal(Code::MissingIntent, message)
            .recovery(selection::how_to_select(&self.declared.catalogue, |text| self.closes(text)));
        Box::new(refusal)
    }

    /// Asks the session's project and those nearer to a target.
    pub(super) fn judge_all(
        self,
        state: &mut IntentState,
        judged: &Judged,
        is_governed: bool,
    ) -> Result<Passed, Refused> {
        let mut passed = if is_governed { Some(self.judge(state, judged)?) } else { None };
        for nearer in &self.facts.also {
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

    /// The cited intent has to exist in this project as well and own the targets there.
    fn judge_nearer(
        self,
        state: &IntentState,
        nearer: &Nearer,
    ) -> Result<(String, Option<String>), Refused> {
        let Nearer { root, declared, targets } = nearer;
        let check = self.in_project(nearer);
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
        let found = declared.catalogue.find(id).ok();
        let open =
            found.filter(|intent| intent.status.can_be_selected() && check.closes(id).is_none());
        let Some(intent) = open else {
            let message = format!(
                "`{root}` declares its own work, and {} is not an open intent of it.",
                bounded::line(id, 60)
            );
            let refusal = check
                .refusal(Code::IntentNotActive, message)
                .of_intent(id)
                .about(targets.first().map(Aim::shown).unwrap_or_default())
                .recovery(format!(
                    "Have the user declare it there too, or start a session in `{root}`."
                ));
            return Err(Box::new(refusal));
        };
        Ok((id.clone(), check.in_scope(intent)?))
    }

    pub(super) fn wants_person(self, judged: &Judged) -> bool {
        let mut writes = self.writes().peekable();
        let is_auto = writes.peek().is_some() && writes.all(|aim| aim.treatment.auto.is_some());
        match (judged.class, self.cx.policy.intent.hitl) {
            (_, Hitl::Off) | (Class::Safe, _) | (Class::Destructive, Hitl::Critical) => false,
            (Class::Critical, _) => true,
            (Class::Destructive, Hitl::Destructive) => !is_auto && judged.purpose != Purpose::Check,
        }
    }

    fn judge(self, state: &mut IntentState, judged: &Judged) -> Result<Passed, Refused> {
        let asked = || self.wants_person(judged).then(|| asked(judged));
        // A command that roz named for undoing an unauthorised change always passes: that change
        // may have broken the declarations.
        let takes_back = is_way_back(state, self.call);
        if !takes_back {
            self.sidecar()?;
            self.confirmed()?;
        }
        let Some(selected) = state.selected().map(|selected| selected.intent_id.clone()) else {
            return Err(self.missing("You must cite a valid active Intent ID.".to_owned()));
        };
        let intent = match self.declared.catalogue.find(&selected) {
            Ok(intent) if takes_back => {
                self.recordable(intent)?;
                let scope = intent.owned_scope.clone();
                return Ok(Passed { intent_id: selected, scope, asks: asked() });
            }
            Err(_) if takes_back => {
                return Ok(Passed { intent_id: selected, scope: Vec::new(), asks: asked() });
            }
            Ok(intent) if intent.status.can_be_selected() => intent,
            found => {
                let now =
                    found.map_or_else(|_| "gone".to_owned(), |intent| intent.status.to_string());
                let message = format!("Intent {selected} is {now}: it is no longer selected.");
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
        let is_opaque = self.targets.iter().all(|target| target.is_free)
            && judged.class == Class::Destructive
            && judged.purpose == Purpose::Change
            && !self.call.readings.is_empty();
        let why = &judged.why;
        match self.cx.policy.intent.opaque {
            OpaqueWrites::Ask if is_opaque => {
                asks = asks.or(Some(format!("What it changes cannot be known: {why}.")));
            }
            OpaqueWrites::Deny if is_opaque => {
                let message = format!("Scope Violation: what it changes cannot be known ({why}).");
                let refusal = self
                    .refusal(Code::ScopeViolation, message)
                    .recovery("Use Write or Edit, or a command that says what it writes.");
                return Err(Box::new(Self::scoped(refusal, intent)));
            }
            OpaqueWrites::Observe | OpaqueWrites::Ask | OpaqueWrites::Deny => (),
        }
        asks = asks.or_else(asked);
        Ok(Passed { intent_id: intent.id.clone(), scope: intent.owned_scope.clone(), asks })
    }

    /// Whether the ledger can record the change, if it has to.
    fn recordable(self, intent: &Intent) -> Result<(), Refused> {
        let Some(why) = &self.facts.unwritable else { return Ok(()) };
        let message = format!(
            "Nothing may change that cannot be recorded, and the ledger cannot be written: {}.",
            why.trim_end_matches('.')
        );
        Err(Box::new(
            self.refusal(Code::LedgerUnwritable, message)
                .about(".orchestration/agent_trace.jsonl")
                .of_intent(&intent.id)
                .recovery("Ask the user to fix it; then try again."),
        ))
    }

    fn scoped(refusal: Refusal, intent: &Intent) -> Refusal {
        const SHOWN: usize = 10;
        let mut refusal = refusal.of_intent(&intent.id);
        let scope = intent.owned_scope.iter().take(SHOWN).map(|text| bounded::line(text, 60));
        refusal.owned_scope = Some(scope.collect());
        refusal
    }

    /// Whether the intent owns every path that the call would write. Returns what a person has to
    /// confirm.
    fn in_scope(self, intent: &Intent) -> Result<Option<String>, Refused> {
        let scope = Scope::new(&intent.owned_scope);
        let mut asks = None;
        for aim in self.targets.iter().filter(|aim| !aim.is_free) {
            let ask = self.allowed(aim, &scope, intent)?;
            asks = asks.or(ask);
        }
        Ok(asks)
    }

    fn allowed(self, aim: &Aim, scope: &Scope, intent: &Intent) -> Result<Option<String>, Refused> {
        let shown = aim.shown();
        let refuse = |refusal: Refusal| Err(Box::new(Self::scoped(refusal.about(&*shown), intent)));
        if let Some(line) = aim.treatment.deny {
            let message =
                format!("{shown} is protected from every intent: .intentignore, line {line}.");
            return refuse(self.refusal(Code::ProtectedPath, message).recovery(
                "Leave it as it is, and name the files that you mean. Where the work needs it, \
                 ask the user: they change it, or lift that line of `.intentignore`.",
            ));
        }
        if aim.treatment.untracked.is_some() {
            return Ok(None);
        }
        let ask = aim.treatment.ask;
        let ask = ask.map(|line| {
            format!("someone has to confirm changes of {shown}: .intentignore, line {line}.")
        });
        match scope.judge(&aim.target) {
            InScope::Inside => Ok(ask),
            InScope::Ask(Unsure::HardLinks(links)) => Ok(ask
                .or(Some(format!("{shown} has {links} names, and perhaps not all are in scope.")))),
            InScope::Ask(Unsure::Opaque) => match self.cx.policy.intent.opaque {
                OpaqueWrites::Observe => Ok(ask),
                OpaqueWrites::Ask => {
                    Ok(ask.or(Some(format!("Where it writes cannot be known: {shown}."))))
                }
                OpaqueWrites::Deny => refuse(self.outside(&shown, None, intent)),
            },
            InScope::Outside { why: Why::Guarded(what), .. } => {
                let message = format!("{shown} is in nobody's scope: it is {what}.");
                let refusal = self.refusal(Code::ProtectedPath, message);
                refuse(refusal.recovery(target::instead(&shown)))
            }
            InScope::Outside { why: Why::OutsideProject, real } => {
                let really = really(real.as_deref());
                let id = &intent.id;
                let message = format!(
                    "Scope Violation: {id} is not authorized to edit {shown}{really}, which is \
                     outside of the project: write below the project's root or in the temporary \
                     folder, or ask the user to do it."
                );
                refuse(self.refusal(Code::ScopeViolation, message))
            }
            InScope::Outside { why: Why::NotOwned, real } => {
                refuse(self.outside(&shown, real.as_deref(), intent))
            }
        }
    }

    fn outside(self, file: &str, real: Option<&str>, intent: &Intent) -> Refusal {
        let (id, really) = (&intent.id, really(real));
        let message = format!("Scope Violation: {id} is not authorized to edit {file}{really}.");
        self.refusal(Code::ScopeViolation, message).recovery(format!(
            "Request scope expansion: `roz intent expand {id} {}`, or select the intent that owns \
             the file.",
            pattern_of(file)
        ))
    }

    /// Whether the agent has seen the current content of what it is about to change.
    fn fresh(self, state: &mut IntentState, intent: &Intent) -> Result<(), Refused> {
        for aim in self.targets.iter().filter(|target| !target.is_free) {
            let Some(actual) = &aim.hash else { continue };
            let path = aim.path();
            let seen = state.seen(self.agent, &path).map(str::to_owned);
            if !state.is_stale(self.agent, &path, actual, is_write(self.call, aim.how)) {
                continue;
            }
            let shown = aim.shown();
            let (found, then) = match seen {
                Some(_) => (format!("{shown} has changed since you read it."), "Read it again"),
                None => (format!("you have not read {shown}."), "Read it"),
            };
            let by = aim.changed_by.as_deref().filter(|by| seen.is_some() || *by != UNKNOWN);
            let by = by.map(|by| format!(" Changed by: {by}."));
            let message = format!("Stale File: {found}{}", by.unwrap_or_default());
            let mut refusal = self
                .refusal(Code::StaleFile, message)
                .about(shown)
                .of_intent(&intent.id)
                .recovery(format!("{then}, then write."));
            refusal.expected_hash = seen;
            refusal.actual_hash = Some(actual.clone());
            refusal.changed_by.clone_from(&aim.changed_by);
            return Err(Box::new(refusal));
        }
        Ok(())
    }
}

fn asked(judged: &Judged) -> String {
    format!("{} call: {}.", judged.class.word(), judged.why)
}

fn really(real: Option<&str>) -> String {
    real.map_or(String::new(), |real| format!(" (really {})", bounded::line(real, 120)))
}

/// As a pattern that can be copied into a scope. Of a path that is known in part or would be read as
/// another pattern, the known folder: `docs/**`.
fn pattern_of(file: &str) -> String {
    let parts = file.split_once(['\'', '…', '*', '?', '[', '{', '\\']);
    let folder = parts.and_then(|(known, _)| known.rsplit_once('/'));
    match folder {
        _ if file.starts_with(['/', '~']) => "PATTERN".to_owned(),
        Some((folder, _)) => format!("'{folder}/**'"),
        None if parts.is_some() => "PATTERN".to_owned(),
        None => format!("'{file}'"),
    }
}

/// Whether a call only undoes an earlier change, with commands that roz named.
pub(super) fn is_way_back(state: &IntentState, call: &ToolCall) -> bool {
    let takes_back = |command: &str| {
        let command = command.trim();
        let file = ["git checkout HEAD -- ", "git checkout -- ", "git restore "]
            .iter()
            .find_map(|verb| command.strip_prefix(verb));
        state.is_way_back(command)
            || file.is_some_and(|file| state.is_way_back(&format!("git restore -- {file}")))
    };
    call.tool.command().is_some_and(|line| {
        line.split(&[';', '\n']).flat_map(|part| part.split("&&")).all(takes_back)
    })
}

pub fn is_write(call: &ToolCall, how: How) -> bool {
    matches!(call.tool, Tool::Write { .. }) && how == How::Write
}

/// Identifies a call: its command without blanks, else its input.
pub(super) fn normal(call: &ToolCall) -> String {
    let text = match call.tool.command() {
        Some(command) => command.split_whitespace().collect::<Vec<_>>().join(" "),
        None => call.json.to_owned(),
    };
    match text.len() {
        ..=200 => format!("{}:{text}", call.name),
        _ => format!("{}:sha256:{}", call.name, bounded::sha256(text.as_bytes())),
    }
}
