//! Tells the agent about its intent when it is selected and when a conversation restarts. The
//! answer of roz's own server contains the whole briefing, because hooks may be missing there; the
//! hook adds only what the answer lacks.

use super::gather::Lookup;
use crate::{
    core::intent::{facts::Handshake, needs::BriefingNeed, selection},
    sidecar::{self, intent_store::IntentStore},
};

pub(super) fn handshake(need: &BriefingNeed, look: Lookup) -> Option<Handshake> {
    let Lookup { input, roz, .. } = look;
    let root = sidecar::governing(&roz.sidecar, look.cwd())?;
    let store = IntentStore::open(&root, &roz.home)?;
    let intent = store.choose(&need.intent_id, "roz").ok()?;
    let briefing = store.briefing(intent);
    let answer = input.answer.map_or("", |answer| answer.get());
    let mut overlaps = Vec::new();
    if need.overlaps {
        let others = roz.elsewhere(Some(&input.session_id), &root, look.world.now);
        let found = selection::collisions(&store.catalogue, intent, &others, store.case);
        overlaps.extend(found.iter().take(MOST_OVERLAPS).map(ToString::to_string));
    }
    Some(Handshake {
        is_told: briefing.is_told_by(answer),
        are_overlaps_told: overlaps.iter().all(|overlap| answer.contains(overlap.as_str())),
        briefing,
        overlaps,
    })
}

const MOST_OVERLAPS: usize = 5;
