//! What the sidecar's two files hold, at every call and between them: what no
//! call has changed, nor roz itself, nor a person before a prompt, is in doubt.
//!
//! A file that is as it was costs one look at its inode.

use chrono::{DateTime, Utc};

use crate::{
    core::{
        event::{Event, What},
        intent::{
            doubt::{Doubt, FILES, Standing, Stood},
            facts::Aims,
        },
        session::Session,
    },
    open::Roz,
    sidecar::{
        self,
        word::{self, Changed},
    },
    world::World,
};

/// A person speaks: whatever stands there now is theirs, unless it is in doubt
/// already.
pub(super) fn spoken(session: &Session, roz: &Roz, world: &World) -> Option<Standing> {
    let is_there = || sidecar::intents_file(&roz.sidecar).symlink_metadata().is_ok();
    if !session.intent.had_sidecar() && !is_there() {
        return None;
    }
    let last = session.intent.standing();
    let stood = |file: &&str| {
        let (hash, mark) = word::look(&roz.sidecar, file, last.get(*file));
        ((*file).to_owned(), Stood { hash, mark, at: world.now })
    };
    Some(FILES.iter().map(stood).collect())
}

/// What a person has said yes to, where a call ran that they were asked about:
/// whatever roz's own verbs wrote there since, be it known here or not.
pub(super) fn granted(event: &Event, session: &Session) -> Option<DateTime<Utc>> {
    let What::PostToolUse { call, .. } = &event.what else { return None };
    session.intent.grants(call.tool_use_id.as_deref()?)
}

/// As a session begins, before a call and after it.
pub(super) fn look(event: &Event, session: &Session, roz: &Roz, world: &World, aims: &mut Aims) {
    let (project, home) = (&roz.sidecar, &roz.home);
    let last = session.intent.standing();
    // A conversation that goes on knows what it knew.
    let is_start = matches!(event.what, What::SessionStart { .. });
    if is_start && !last.is_empty() {
        return;
    }
    let grants = aims.granted.is_some();
    let mut standing = Standing::new();
    for file in FILES {
        let known = last.get(file);
        let (hash, mark) = word::look(project, file, known);
        let fresh = Stood { hash, mark, at: world.now };
        let Some(known) = known else {
            standing.insert(file.to_owned(), fresh);
            continue;
        };
        if known.hash == fresh.hash {
            standing.insert(file.to_owned(), Stood { at: known.at, ..fresh });
            continue;
        }
        let changed = Changed { file, before: known.hash.clone(), now: fresh.hash.clone() };
        let is_in_doubt = aims.doubts.iter().any(|it| it.file == file);
        let is_made = |by_agent| word::made(project, home, &changed, known.at, by_agent);
        if !is_in_doubt && is_made(grants) {
            standing.insert(file.to_owned(), fresh);
            continue;
        }
        // It is what it was, until somebody says otherwise.
        standing.insert(file.to_owned(), Stood { mark: None, ..known.clone() });
        let of_call = aims.aftermath.iter().flat_map(|it| &it.doubts);
        let mut told = of_call.chain(&aims.new_doubts).chain(&aims.doubts);
        if told.any(|it| it.file == file) {
            continue;
        }
        let doubt = Doubt {
            file: file.to_owned(),
            before: changed.before,
            left: changed.now,
            session_id: session.session_id.to_string(),
            tool_name: String::new(),
            at: world.now,
            way_back: None,
            is_nobodys: true,
        };
        if matches!(event.what, What::PreToolUse(_)) {
            aims.doubts.push(doubt.clone());
        }
        aims.new_doubts.push(doubt);
    }
    aims.standing = Some(standing);
}
