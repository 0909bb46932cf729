//! Which intents can be selected, and which others overlap them.

use std::fmt;

use super::{
    catalogue::{Catalogue, Intent, NotFound, Problem},
    ignore::Ignore,
    overlap::overlap,
    scope::{Scope, shortened},
    target::Case,
};
use crate::core::{
    bounded,
    refusal::{Code, Refusal},
};

pub const FILE: &str = ".orchestration/active_intents.yaml";
pub const IGNORE: &str = ".orchestration/.intentignore";

pub type Refused = Box<Refusal>;

/// Finds an intent that can be selected. `closed` is the line of `.intentignore` that prevents it;
/// `tool` is the caller, for the message.
pub fn choose<'a>(
    catalogue: &'a Catalogue,
    closed: impl Fn(&str) -> Option<usize>,
    id: &str,
    tool: &str,
) -> Result<&'a Intent, Refused> {
    let intent = find(catalogue, id, tool)?;
    let shown = shortened(&intent.id);
    let refuse = |code, message: String| {
        Err(Box::new(
            Refusal::new(code, tool, message).of_intent(&shown).recovery(open(catalogue, &closed)),
        ))
    };
    if !intent.status.can_be_selected() {
        let status = bounded::line(intent.status.word(), 40);
        let message = format!("Intent {shown} is {status}, and cannot be selected.");
        return refuse(Code::IntentNotActive, message);
    }
    if let Some(line) = closed(&intent.id) {
        let message = format!("Intent {shown} cannot be selected: .intentignore, line {line}.");
        return refuse(Code::IntentIgnored, message);
    }
    Ok(intent)
}

/// In any status.
pub fn find<'a>(catalogue: &'a Catalogue, id: &str, tool: &str) -> Result<&'a Intent, Refused> {
    if let Some(problem) = catalogue.broken() {
        return Err(unreliable(problem, tool));
    }
    let shown = shortened(id);
    catalogue.find(id).map_err(|why| {
        let mut refusal = match &why {
            NotFound::Unknown { nearest } => {
                let message = format!("There is no intent `{shown}`.");
                let refusal = Refusal::new(Code::InvalidIntent, tool, message);
                match nearest {
                    Some(text) => refusal.recovery(format!("Did you mean `{}`?", shortened(text))),
                    None => refusal,
                }
            }
            NotFound::Twice(..) => {
                let message = format!("Intent {shown} is ambiguous: {why}.");
                Refusal::new(Code::SidecarInvalid, tool, message).about(FILE)
            }
        };
        refusal = refusal.of_intent(&shown).recovery(open(catalogue, |_| None));
        Box::new(refusal)
    })
}

/// The refusal for declarations that cannot be read.
pub fn unreliable(problem: &Problem, tool: &str) -> Refused {
    Unreliable::of(FILE, problem).refuses(tool)
}

/// A sidecar file with an error that makes it unusable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreliable {
    /// Relative to the project's root.
    pub file: &'static str,
    pub what: String,
}

impl Unreliable {
    pub fn of(file: &'static str, problem: &Problem) -> Self {
        Self { file, what: problem.to_string() }
    }

    /// The first unusable file. `ignore` is the parsed `.intentignore`, or why it could not be
    /// parsed.
    pub fn find(catalogue: &Catalogue, ignore: Result<&Ignore, &Problem>) -> Option<Self> {
        if let Some(problem) = catalogue.broken() {
            return Some(Self::of(FILE, problem));
        }
        match ignore {
            Err(problem) => Some(Self::of(IGNORE, problem)),
            Ok(ignore) => {
                let problem = ignore.problems().find(|problem| problem.breaks)?;
                Some(Self::of(IGNORE, &problem))
            }
        }
    }

    pub fn refuses(&self, tool: &str) -> Refused {
        let end = if self.what.ends_with(['.', '?']) { "" } else { "." };
        let message = format!("{self}{end}");
        let refusal = Refusal::new(Code::SidecarInvalid, tool, message)
            .about(self.file)
            .recovery("Have the user fix it: `roz intent check` shows what is wrong.");
        Box::new(refusal)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The checked-out commit has them.
    pub is_in_git: bool,
}

impl Missing {
    pub fn refuses(self, tool: &str) -> Refused {
        let message = format!(
            "`{FILE}` cannot be relied on: it was there in sessions before this one, and is gone; \
             nobody has confirmed that."
        );
        let back = if self.is_in_git {
            "Have the user put it back: `git checkout -- .orchestration`."
        } else {
            "Have the user put it back."
        };
        let refusal = Refusal::new(Code::SidecarInvalid, tool, message)
            .about(FILE)
            .recovery(back)
            .recovery("If it was removed on purpose, they confirm that: `roz intent confirm`.");
        Box::new(refusal)
    }
}

impl fmt::Display for Unreliable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be relied on: {}", self.file, self.what)
    }
}

/// The command that selects the only open intent, or one of several.
pub(super) fn how_to_select(
    catalogue: &Catalogue,
    closed: impl Fn(&str) -> Option<usize> + Copy,
) -> String {
    let mut few = catalogue.open().filter(|intent| closed(&intent.id).is_none());
    match (few.next(), few.next()) {
        (None, _) => open(catalogue, closed),
        (Some(only), None) => {
            let (id, name) = (shortened(&only.id), shortened(&only.name));
            format!("Run `roz intent select {id}` ({name}), then make the call again.")
        }
        (Some(_), Some(_)) => format!(
            "Run `roz intent select ID`, then make the call again. {}",
            open(catalogue, closed)
        ),
    }
}

/// Lists the intents that can be selected, in a sentence.
pub(super) fn open(catalogue: &Catalogue, closed: impl Fn(&str) -> Option<usize>) -> String {
    const TOLD: usize = 10;
    let open = catalogue.open().filter(|intent| closed(&intent.id).is_none());
    let open: Vec<String> = open.map(|intent| shortened(&intent.id)).collect();
    let more = if open.len() > TOLD { " … (`roz intent list`)" } else { "" };
    match &open[..open.len().min(TOLD)] {
        [] => "No intent is open: ask the user for one.".to_owned(),
        few => format!("Open intents: {}{more}.", few.join(", ")),
    }
}

/// `INT-001`, `INT-002`, …
pub fn next_id(catalogue: &Catalogue) -> String {
    let number = |intent: &Intent| intent.id.strip_prefix("INT-")?.parse::<u64>().ok();
    let highest = catalogue.intents.iter().filter_map(number).max().unwrap_or(0);
    format!("INT-{:03}", highest.saturating_add(1))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    pub session_id: String,
    pub intent_id: String,
}

/// Two sessions that may write the same file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    pub with: Elsewhere,
    /// A file that both own; `None` if they have selected the same intent.
    pub witness: Option<String>,
}

/// The other sessions that may write `intent`'s files.
pub fn collisions(
    catalogue: &Catalogue,
    intent: &Intent,
    others: &[Elsewhere],
    case: Case,
) -> Vec<Collision> {
    let own = Scope::new(&intent.owned_scope);
    let collision = |elsewhere: &Elsewhere| {
        let witness = if elsewhere.intent_id == intent.id {
            None
        } else {
            let theirs = catalogue.find(&elsewhere.intent_id).ok()?;
            Some(overlap(&own, &Scope::new(&theirs.owned_scope), case)?)
        };
        Some(Collision { with: elsewhere.clone(), witness })
    };
    others.iter().filter_map(collision).collect()
}

/// Open intents that overlap with this one, each with a file that both own.
pub fn shared<'a>(catalogue: &'a Catalogue, intent: &Intent, case: Case) -> Vec<(&'a str, String)> {
    const LOOKED_AT: usize = 200;
    let own = Scope::new(&intent.owned_scope);
    let others = catalogue.open().filter(|other| other.id != intent.id).take(LOOKED_AT);
    let both = |other: &'a Intent| {
        Some((&*other.id, overlap(&own, &Scope::new(&other.owned_scope), case)?))
    };
    others.filter_map(both).collect()
}

impl fmt::Display for Collision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Elsewhere { session_id, intent_id } = &self.with;
        let intent_id = shortened(intent_id);
        match &self.witness {
            None => write!(f, "session {session_id} is working on {intent_id} too"),
            Some(path) => {
                let path = shortened(path);
                write!(f, "session {session_id} is working on {intent_id}, and both own `{path}`")
            }
        }
    }
}

#[cfg(test)]
mod tests;
