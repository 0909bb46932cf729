//! What the agent is told of the intent that it works on: when it was selected, and when a
//! conversation begins again. roz's own server answers a selection with the whole context, for it
//! may have no hooks around it. The hook adds what is not in the answer: nothing is told twice, and
//! nothing is lost if the answer was thrown away.

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

/// Of more there is no use in telling.
const MOST_OVERLAPS: usize = 5;
