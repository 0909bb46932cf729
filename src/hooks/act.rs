//! Carries out the gates' effects once the session is saved.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use super::Input;
use crate::{
    core::{
        event::What,
        intent::{
            changed_lines::{Change, Changed, Opaque},
            classify_changes::{self, Texts},
            ledger::{Call, Change as Changes, FileDetails, MutationClass, Record},
            state::InFlight,
        },
        outcome::{Effect, Outcome},
        reflection::usage::Entry,
    },
    ledger::{
        Appended, Ledger,
        images::{self, Images},
    },
    observe::file_content,
    open::Roz,
    sidecar::{self, unconfirmed},
    world::{self, World, git, in_a_line, read_head},
};

/// The longest wait for other writers.
const PATIENCE: Duration = Duration::from_millis(300);
/// Larger files get no line ranges.
const MAX_FILE: usize = 8 << 20;

/// Returns problems, one line each; nothing depends on them. What the user or the agent has to know
/// is added to `outcome`.
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
            Effect::Granted(since) => {
                let noted = unconfirmed::granted(&roz.sidecar, &roz.home, since, until);
                warnings.extend(noted.err().map(|err| in_a_line(&err)));
            }
            Effect::Doubt(doubts) => {
                let noted = unconfirmed::found(&roz.sidecar, &roz.home, &doubts, until);
                outcome.messages.extend(noted.err().map(|err| {
                    format!(
                        "roz: a call changed `{}`, which could not be recorded ({}): look at the \
                         file, since its present content applies.",
                        doubts.first().map_or("", |doubt| &doubt.file),
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

/// Whether the call continues in the background.
fn goes_on(input: &Input) -> bool {
    let What::PostToolUse { call, .. } = &input.event.what else { return false };
    input.result(call).runs_on
}

#[derive(Clone, Copy)]
struct Scribe<'a> {
    input: &'a Input<'a>,
    roz: &'a Roz,
    world: &'a World,
    until: Instant,
}

impl Scribe<'_> {
    fn changed(self, intent_id: &str, change: Changes) -> Option<String> {
        let intent = Some(intent_id).filter(|text| !text.is_empty());
        let declared_class = self.declared();
        let changes = Changes { declared_class, ..change };
        self.write(intent, |call| Record::of_change(call, changes))
    }

    fn keep(self, paths: &[String]) {
        let images = Images::new(&self.roz.home, &self.input.session_id);
        for path in paths.iter().filter(|path| Path::new(path).is_relative()) {
            let bytes = read_head(&self.roz.project.join(path), images::LONGEST + 1);
            if let Some(bytes) = bytes {
                images.keep(&bytes);
            }
        }
    }

    /// Compares the files with their stored earlier texts.
    fn landed(self, flight: &InFlight) -> Option<String> {
        let images = Images::new(&self.roz.home, &self.input.session_id);
        let change = |(path, before_hash): (&String, &Option<String>)| {
            let file = self.roz.project.join(path);
            let file_hash = file_content::hash(&file);
            if file_hash == *before_hash {
                return None;
            }
            let after = read_head(&file, MAX_FILE);
            let before = before_hash.as_deref().and_then(|hash| images.read(hash));
            let is_before_known = before_hash.is_none() || before.is_some();
            let mut changed = match (is_before_known, &after) {
                (true, Some(after)) => Changed::between(before.as_deref(), Some(after)),
                (_, None) if file_hash.is_none() => Changed::between(before.as_deref(), None),
                _ => Changed::unseen(Change::Modified, Opaque::Unknown),
            };
            changed.file_hash = file_hash;
            changed.before_hash.clone_from(before_hash);
            // Stored for `roz undo`.
            if let Some(after) = &after {
                images.keep(after);
            }
            let (mutation_class, evidence) = (None, None);
            let change = FileDetails { path: path.clone(), changed, mutation_class, evidence };
            Some((change, Texts { before, is_before_known, after }))
        };
        let (mut files, texts): (Vec<_>, Vec<_>) = flight.before.iter().filter_map(change).unzip();
        if files.is_empty() {
            return None;
        }
        classify_changes::weigh(&mut files, &texts);
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
            model: self.input.event.origin.model.as_deref(),
            intent_id: intent,
            revision: revision.as_deref(),
            tool_name: &tool.name,
            tool_use_id: tool.tool_use_id.as_deref(),
        };
        let ledger = self.roz.own_ledger();
        let record = record(&call);
        match ledger.append(record.clone(), self.until) {
            // A map that git tracks keeps its committed state.
            Ok(Appended { kept_back: None, .. }) if ledger.is_tracked(self.until) => None,
            Ok(Appended { kept_back: None, .. }) => map(&record, &ledger, self.roz, self.until),
            Ok(Appended { kept_back: Some(why), .. }) => Some(format!(
                "roz: the ledger could not be written ({why}). What this call did is kept, and \
                 will be written at the next chance."
            )),
            Err(err) => Some(format!(
                "roz: the ledger could not be written ({}): what this call did is recorded nowhere.",
                in_a_line(&err)
            )),
        }
    }

    /// Some tools have a field for it.
    fn declared(self) -> Option<MutationClass> {
        let What::PostToolUse { call, .. } = &self.input.event.what else { return None };
        let said = call.input.get("mutation_class")?.clone();
        serde_json::from_value(said).ok()
    }
}

/// Adds a record to the map. Returns why the map cannot be written, once.
fn map(record: &Record, ledger: &Ledger, roz: &Roz, until: Instant) -> Option<String> {
    let classes = record.metadata.roz.files.iter().map(|file| file.mutation_class);
    let has_news = |class: Option<MutationClass>| match class {
        Some(MutationClass::IntentEvolution) => true,
        // A name in the map may have changed or vanished.
        Some(MutationClass::AstRefactor) | None => ledger.map_path().exists(),
    };
    if !classes.into_iter().any(has_news) {
        return None;
    }
    let catalogue = sidecar::load(&roz.sidecar, &roz.home)?;
    ledger.update_map(&catalogue, until).map(|why| format!("roz: {why}."))
}
