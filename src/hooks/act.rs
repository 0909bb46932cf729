//! Does what the gates want done outside the session, once that is saved.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{aims, wire::Input};
use crate::{
    core::{
        event::What,
        intent::{
            catalogue::Status,
            ledger::{Call, Change as Changes, FileChange, Record},
            ranges::{Change, Changed, Opaque},
            state::InFlight,
        },
        outcome::Effect,
        reflection::usage::Entry,
        refusal::Refusal,
    },
    ledger::Ledger,
    open::Roz,
    sidecar::{self, edit},
    world::{World, git, in_a_line, read_head},
};

/// What waiting for other writers may cost.
const PATIENCE: Duration = Duration::from_millis(300);
/// Of a larger file no line ranges are made.
const MAX_FILE: usize = 8 << 20;

/// Answers what went wrong, a line each: nothing rests on it.
pub(super) fn act(effects: Vec<Effect>, input: &Input, roz: &Roz, world: &World) -> Vec<String> {
    if effects.is_empty() {
        return Vec::new();
    }
    let until = Instant::now() + PATIENCE;
    let mut entries = Vec::new();
    let mut warnings = Vec::new();
    let scribe = Scribe { input, roz, world, until };
    for effect in effects {
        match effect {
            Effect::Log(event) => entries.push(Entry::new(world.now, event)),
            Effect::Select(id) => {
                let change = edit::Change::Status { id, status: Status::InProgress };
                let now = world.now.to_rfc3339();
                let cwd = input.cwd.as_deref().unwrap_or(&world.cwd);
                if let Some(root) = sidecar::governing(&roz.project, cwd) {
                    let done = edit::change(&root, &roz.home, &change, &now, until);
                    warnings.extend(done.err().map(|err| in_a_line(&err)));
                }
            }
            Effect::Refused(refusal) => warnings.extend(scribe.refused(&refusal)),
            Effect::Landed(flight) => warnings.extend(scribe.landed(&flight)),
        }
    }
    if !entries.is_empty() {
        let log = roz.usage_log(&roz.library(world));
        warnings.extend(log.append(&entries, until).err().map(|err| in_a_line(&err)));
    }
    warnings
}

/// Writes the ledger.
#[derive(Clone, Copy)]
struct Scribe<'a> {
    input: &'a Input<'a>,
    roz: &'a Roz,
    world: &'a World,
    until: Instant,
}

impl Scribe<'_> {
    fn refused(self, refusal: &Refusal) -> Option<String> {
        let intent = refusal.intent_id.as_deref();
        self.write(intent, |call| Record::of_refusal(call, refusal.into()))
    }

    /// What really changed, by what the files hold now.
    fn landed(self, flight: &InFlight) -> Option<String> {
        let answer = self.input.answer.and_then(|it| serde_json::from_str::<Value>(it.get()).ok());
        let is_one = flight.before.len() == 1;
        let change = |(path, before): (&String, &Option<String>)| {
            let file = self.roz.project.join(path);
            if aims::hash(&file) == *before {
                return None;
            }
            let text = read_head(&file, MAX_FILE);
            let answer = answer.as_ref().filter(|_| is_one);
            let by_tool = answer.and_then(|it| Changed::by_tool(it, text.as_deref()));
            let changed =
                by_tool.unwrap_or_else(|| of_texts(before.as_deref(), text.as_deref(), &file));
            Some(FileChange { path: path.clone(), changed, mutation_class: None, evidence: None })
        };
        let files: Vec<FileChange> = flight.before.iter().filter_map(change).collect();
        if files.is_empty() {
            return None;
        }
        let changes = Changes { files, ..Changes::default() };
        self.write(Some(&flight.intent_id), |call| Record::of_change(call, changes))
    }

    fn write(self, intent: Option<&str>, record: impl FnOnce(&Call) -> Record) -> Option<String> {
        let (What::PreToolUse(tool) | What::PostToolUse { call: tool, .. }) =
            &self.input.event.what
        else {
            return None;
        };
        let dice = self.world.dice();
        let revision = git::head(&self.roz.project);
        let call = Call {
            now: self.world.now,
            dice: &dice,
            session_id: &self.input.session_id,
            agent_id: self.input.event.origin.agent_id.as_deref(),
            intent_id: intent,
            model: None,
            revision: revision.as_deref(),
            tool_name: &tool.name,
            tool_use_id: tool.tool_use_id.as_deref(),
        };
        let ledger = Ledger::new(&self.roz.project, &self.roz.home);
        ledger.append(record(&call), self.until).err().map(|err| in_a_line(&err))
    }
}

/// A file that was not there is new as a whole; of another the text before is
/// not known.
fn of_texts(before: Option<&str>, after: Option<&[u8]>, file: &Path) -> Changed {
    match (before, after) {
        (None, Some(_)) => Changed::between(None, after),
        (_, None) if !file.exists() => Changed::unseen(Change::Deleted, Opaque::Unknown),
        _ => Changed::unseen(Change::Modified, Opaque::Unknown),
    }
}
