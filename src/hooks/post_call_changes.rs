//! Finds what a call has changed, for the intent gate: compares the work tree with what the session
//! and the ledger know, and with other calls that ran at the same time.

use std::{cell::OnceCell, path::Path};

use super::{formatter, gather::deadline, intent_facts::Look};
use crate::{
    core::{
        event::{LONGEST_CALL, ToolCall},
        intent::{
            changed_lines::{Change, Changed},
            classify_changes::{self, Texts},
            ledger::Record,
            post_call_facts::{Aftermath, Found},
            scope::{Scope, Verdict},
            state::{InFlight, Start},
            target::{Kind, Target},
            unconfirmed::FILES,
        },
    },
    ledger::images::{Images, hash_of},
    observe::{
        file_content::Content,
        git_brought::{self, Brought},
        post_call_changes::{self as observe, Call, ChangedFile},
    },
    open::Roz,
    sidecar::{scan_filter::ScanFilter, target::Site, unconfirmed},
    world::changed_since,
};

/// The state before a call. `None` for tools that report their changes, unless a formatter follows.
pub(super) fn start(call: &ToolCall, roz: &Roz) -> Option<Start> {
    if call.tool.says_what_it_writes() && !formatter::concerns(call, roz) {
        return None;
    }
    let project = roz.project.as_path();
    Some(Start {
        since: changed_since::now(),
        git: git_brought::start(project),
        sidecar: Some(unconfirmed::hashes(&roz.sidecar)),
        ..Start::default()
    })
}

/// `formatted` is when the call's formatters began: only later changes are looked for, and not
/// those made while the client asked for permission.
pub(super) fn look(
    look: Look,
    call: &ToolCall,
    runs_on: bool,
    formatted: Option<changed_since::Time>,
) -> Option<Aftermath> {
    let id = call.tool_use_id.as_deref()?;
    let flight = look.session.intent.in_flight(id)?;
    let mut start = flight.start.clone()?;
    if call.tool.says_what_it_writes() {
        start.since = formatted?;
    }
    let start = &start;
    let project = look.roz.project.as_path();
    let until = deadline(&look.roz.policy, look.world);
    let mut doubts = look.doubts_of(flight, &call.name);
    if !doubts.is_empty() {
        // Committed changes are not the call's.
        let brought = Brought::since(project, &start.git, start.since, until);
        let by_git = brought.map(|brought| brought.of(FILES)).unwrap_or_default();
        doubts.retain(|doubt| !by_git.contains(&doubt.file));
    }
    let also: Vec<String> = doubts.iter().map(|doubt| doubt.file.clone()).collect();

    let images = Images::new(&look.roz.home, &look.session.session_id);
    let seen = |path: &str| {
        let of_sidecar =
            start.sidecar.as_ref().and_then(|sidecar| sidecar.get(path)).map(String::as_str);
        let seen = || look.session.intent.seen_before(look.agent, path, start.seen);
        of_sidecar.or_else(seen).map(str::to_owned)
    };
    let records = OnceCell::new();
    let is_told = |path: &str, now: Option<&Content>, is_named: bool| {
        let records: &Vec<Record> = records.get_or_init(|| look.newest());
        let own = (id, look.session.session_id.as_str());
        is_told(records, flight, own, path, now, is_named)
    };
    let looked = observe::look(
        Call {
            project,
            cwd: look.cwd,
            start,
            named: &flight.before,
            also: &also,
            seen: &seen,
            kept: &|hash| images.find(hash),
            is_told: &is_told,
            until,
        },
        &mut ScanFilter::new(project, look.ignore, &flight.intent_id, start.since),
    );
    let mut not_looked = looked.not_looked;
    if runs_on {
        not_looked = not_looked.or(Some("it runs on in the background".to_owned()));
    }
    for doubt in &mut doubts {
        let file = looked.files.iter().find(|file| file.path == doubt.file);
        let way_back = file.and_then(|file| file.way_back.as_ref());
        doubt.way_back = way_back.map(|way_back| way_back.command.clone());
    }
    let changes = found(looked.files, look, flight, &images);
    let running = running(look, id, start, &changes);
    Some(Aftermath { changes, not_looked, running, doubts })
}

/// Whether the ledger already explains the file's present content. `own` are the call and its
/// session.
fn is_told(
    records: &[Record],
    flight: &InFlight,
    own: (&str, &str),
    path: &str,
    now: Option<&Content>,
    is_named: bool,
) -> bool {
    let Some(record) = records.iter().find(|record| record.touches(path)) else { return false };
    let roz = &record.metadata.roz;
    let is_other = roz.tool_use_id.as_deref() != Some(own.0) || record.session_id != own.1;
    let is_meanwhile = record.timestamp.timestamp_millis() >= flight.at.timestamp_millis();
    let details = roz.files.iter().find(|file| file.path == path);
    let says_so = details.is_some_and(|details| match now {
        Some(now) => now.hash.is_some() && details.changed.file_hash == now.hash,
        None => details.changed.change == Change::Deleted,
    });
    is_other && says_so && (is_meanwhile || !is_named)
}

fn found(files: Vec<ChangedFile>, look: Look, flight: &InFlight, images: &Images) -> Vec<Found> {
    let project = look.roz.project.as_path();
    let site = look.site();
    let mut texts = Vec::new();
    let mut found = Vec::new();
    for file in files {
        let target = target_of(&file, &site, project);
        let (before, is_before_known) = (file.before, file.is_before_known);
        let mut changed = file.changed;
        changed.before_hash = before.as_deref().map(hash_of);
        // Stored for `roz undo`.
        for text in [before.as_deref(), file.after.as_deref()].into_iter().flatten() {
            images.keep(text);
        }
        texts.push(Texts { before, is_before_known, after: file.after });
        found.push(Found {
            treatment: look.ignore.treats(&target, Some(&flight.intent_id)),
            target,
            changed,
            meaning: None,
            was_named: flight.before.contains_key(&file.path),
            is_tracked: file.is_tracked,
            at: file.at,
            way_back: file.way_back,
            path: file.path,
        });
    }
    let weighed: Vec<(&str, &Changed, &Texts)> = found
        .iter()
        .zip(&texts)
        .map(|(found, texts)| (&*found.path, &found.changed, texts))
        .collect();
    let meanings = classify_changes::meanings(&weighed);
    for (found, meaning) in found.iter_mut().zip(meanings) {
        found.meaning = Some(Box::new(meaning));
    }
    found
}

fn target_of(file: &ChangedFile, site: &Site, project: &Path) -> Target {
    let mut target = site.target(&file.path, project);
    if file.is_link {
        // The link itself changed, not its target.
        target.real = target.written.clone();
        (target.kind, target.links) = (Kind::File, 1);
    }
    target
}

/// Other running calls. Those of other sessions matter only for changes that this call was not
/// allowed to make.
fn running(look: Look, id: &str, start: &Start, changes: &[Found]) -> Vec<InFlight> {
    let world = look.world;
    let lives = |flight: &InFlight| {
        let is_over = flight.is_over || flight.is_of_earlier_prompt;
        !is_over && world.now.signed_duration_since(flight.at) < LONGEST_CALL
    };
    if changes.is_empty() {
        return Vec::new();
    }
    let own = look.session.intent.flights();
    let own = own.filter(|(other, flight)| *other != id && lives(flight));
    let mut found: Vec<InFlight> = own.map(|(_, flight)| flight.clone()).collect();
    let scope = Scope::new(&start.scope);
    let is_own = |found: &Found| found.was_named || scope.judge(&found.target) == Verdict::Inside;
    if changes.iter().all(is_own) {
        return found;
    }
    let since = world.now.checked_sub_signed(LONGEST_CALL).unwrap_or(world.now);
    let store = &look.roz.store;
    for activity in store.activity().unwrap_or_default() {
        // The newest come first.
        if activity.at < since {
            break;
        }
        if activity.id == look.session.session_id {
            continue;
        }
        let Ok(Some(stored)) = store.look_at(&activity.id) else { continue };
        if stored.session.project.as_ref() != Some(&look.roz.project) {
            continue;
        }
        let flights = stored.session.intent.flights().filter(|(_, flight)| lives(flight));
        found.extend(flights.map(|(_, flight)| flight.clone()));
    }
    found
}
