//! Does what the gates want done outside the session, once that is saved.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    Input,
    meaning::{self, Texts},
};
use crate::{
    core::{
        event::What,
        intent::{
            ledger::{Call, Change as Changes, FileChange, MutationClass, Record},
            ranges::{Change, Changed, Opaque},
            state::InFlight,
        },
        outcome::{Effect, Outcome},
        reflection::usage::Entry,
    },
    ledger::images::{self, Images},
    observe::file_content,
    open::Roz,
    sidecar::word,
    world::{self, World, git, in_a_line, read_head},
};

/// What waiting for other writers may cost.
const PATIENCE: Duration = Duration::from_millis(300);
/// Of a larger file no line ranges are made.
const MAX_FILE: usize = 8 << 20;

/// Answers what went wrong, a line each: nothing rests on it. What the user or
/// the agent has to hear of it goes into `outcome`.
pub(super) fn act(
    effects: Vec<Effect>,
    input: &Input,
    roz: &Roz,
    world: &World,
    outcome: &mut Outcome,
) -> Vec<String> {
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
            Effect::Landed(flight) => outcome.messages.extend(scribe.landed(&flight)),
            Effect::Changed { intent_id, change } => {
                outcome.messages.extend(scribe.changed(&intent_id, *change));
            }
            Effect::Keep(paths) => scribe.keep(&paths),
            Effect::Approve(rows) => {
                if let Err(why) = roz.approve(&rows, until) {
                    outcome.messages.push(format!(
                        "roz: the approval could not be written down ({why}), so gated calls \
                         still wait."
                    ));
                }
            }
            Effect::Pass(pass) => {
                let kept = roz.keep_pass(&input.session_id, &pass, world.now);
                warnings.extend(kept.err().map(|err| in_a_line(&err)));
            }
            Effect::Revoke(id) => {
                let ended = roz.end_pass(&input.session_id, &id, goes_on(input), world.now);
                warnings.extend(ended.err().map(|err| in_a_line(&err)));
            }
            Effect::Know => {
                let noted = word::know(&roz.sidecar, &roz.home, until);
                warnings.extend(noted.err().map(|err| in_a_line(&err)));
            }
            Effect::Granted(since) => {
                let noted = word::granted(&roz.sidecar, &roz.home, since, until);
                warnings.extend(noted.err().map(|err| in_a_line(&err)));
            }
            Effect::Doubt(doubts) => {
                let noted = word::found(&roz.sidecar, &roz.home, &doubts, until);
                outcome.messages.extend(noted.err().map(|err| {
                    format!(
                        "roz: a call changed `{}`, and it could not be noted ({}): look at it, for \
                         what stands there now counts.",
                        doubts.first().map_or("", |it| &it.file),
                        in_a_line(&err)
                    )
                }));
            }
        }
    }
    if !entries.is_empty() {
        let log = roz.usage_log(&roz.library(world));
        warnings.extend(log.append(&entries, until).err().map(|err| in_a_line(&err)));
    }
    warnings
}

/// Whether a call that is answered goes on in the background.
fn goes_on(input: &Input) -> bool {
    let What::PostToolUse { call, .. } = &input.event.what else { return false };
    input.result(call).runs_on
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
    /// What was found to have changed.
    fn changed(self, intent_id: &str, change: Changes) -> Option<String> {
        let intent = Some(intent_id).filter(|it| !it.is_empty());
        let declared_class = self.declared();
        let changes = Changes { declared_class, ..change };
        self.write(intent, |call| Record::of_change(call, changes))
    }

    /// Puts the texts of the project's files aside.
    fn keep(self, paths: &[String]) {
        let images = Images::new(&self.roz.home, &self.input.session_id);
        for path in paths.iter().filter(|it| Path::new(it).is_relative()) {
            let bytes = read_head(&self.roz.project.join(path), images::LONGEST + 1);
            if let Some(bytes) = bytes {
                images.keep(&bytes);
            }
        }
    }

    /// What really changed, by what the files hold now.
    fn landed(self, flight: &InFlight) -> Option<String> {
        let answer = self.input.answer.and_then(|it| serde_json::from_str::<Value>(it.get()).ok());
        let is_one = flight.before.len() == 1;
        let images = Images::new(&self.roz.home, &self.input.session_id);
        let change = |(path, before): (&String, &Option<String>)| {
            let file = self.roz.project.join(path);
            let hash = file_content::hash(&file);
            if hash == *before {
                return None;
            }
            let text = read_head(&file, MAX_FILE);
            let answer = answer.as_ref().filter(|_| is_one);
            let kept = || images.read(before.as_deref()?);
            let known = answer.and_then(|it| meaning::before_by_tool(it, text.as_deref()));
            let known = known.or_else(kept);
            let by_tool = answer.and_then(|it| Changed::by_tool(it, text.as_deref()));
            // A patch tells nothing of what a formatter did after it.
            let by_tool = by_tool.filter(|it| meaning::fits(it, text.as_deref()));
            let mut changed = match (by_tool, &known) {
                (Some(changed), _) => changed,
                (None, Some(known)) if before.is_some() && text.is_some() => {
                    Changed::between(Some(known), text.as_deref())
                }
                (None, _) => of_texts(before.as_deref(), text.as_deref(), &file),
            };
            changed.file_hash = hash;
            changed.before_hash.clone_from(before);
            // For `roz undo`.
            for text in [known.as_deref(), text.as_deref()].into_iter().flatten() {
                images.keep(text);
            }
            let is_before_known = before.is_none() || known.is_some();
            let texts =
                Texts { before: known.filter(|_| before.is_some()), is_before_known, after: text };
            let path = path.clone();
            Some((FileChange { path, changed, mutation_class: None, evidence: None }, texts))
        };
        let (mut files, texts): (Vec<_>, Vec<_>) = flight.before.iter().filter_map(change).unzip();
        if files.is_empty() {
            return None;
        }
        meaning::weigh(&mut files, &texts);
        let declared_class = self.declared();
        let changes = Changes { files, declared_class, ..Changes::default() };
        self.write(Some(&flight.intent_id), |call| Record::of_change(call, changes))
    }

    fn write(self, intent: Option<&str>, record: impl FnOnce(&Call) -> Record) -> Option<String> {
        let (What::PreToolUse(tool) | What::PostToolUse { call: tool, .. }) =
            &self.input.event.what
        else {
            return None;
        };
        let dice = world::dice();
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
        let ledger = self.roz.own_ledger();
        let record = record(&call);
        let Err(err) = ledger.append(record.clone(), self.until) else {
            // A map that git tracks is left as the last commit has it.
            let has_map = !ledger.is_tracked(self.until);
            return has_map.then(|| meaning::map(&record, self.roz, self.until))?;
        };
        let why = in_a_line(&err);
        Some(match ledger.append_at_home(record, self.until) {
            Ok(_) => format!(
                "roz: the ledger could not be written ({why}). What this call did is kept, and \
                 will be written at the next chance."
            ),
            Err(err) => format!(
                "roz: the ledger could not be written ({why}), nor the record kept ({}): what \
                 this call did stands nowhere.",
                in_a_line(&err)
            ),
        })
    }

    /// What the call says of itself, where its tool has a field for that.
    fn declared(self) -> Option<MutationClass> {
        let What::PostToolUse { call, .. } = &self.input.event.what else { return None };
        let said = call.input.get("mutation_class")?.clone();
        serde_json::from_value(said).ok()
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
