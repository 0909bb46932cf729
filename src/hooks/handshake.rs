//! What the agent is told of the intent that it is at, where it has to be told:
//! when it was selected, and when a conversation begins again.
//!
//! roz's own server answers a selection with the whole context, for it may have
//! no hooks around it; `roz intent select` prints it. The hook looks at what
//! was answered and adds what is not in it: nothing is told twice, and nothing
//! is lost if the answer was thrown away.

use std::path::Path;

use super::Input;
use crate::{
    core::{
        event::{Source, What},
        intent::{facts::Handshake, selection},
        policy::{Auto, Lifetime},
        review::REVIEWER,
        session::Session,
    },
    open::Roz,
    sidecar::{self, store::IntentStore},
    world::World,
};

pub(super) fn handshake(
    input: &Input,
    session: &Session,
    cwd: &Path,
    roz: &Roz,
    world: &World,
) -> Option<Handshake> {
    if roz.policy.intent.enabled == Auto::Off {
        return None;
    }
    let state = &session.intent;
    let is_main = input.event.origin.agent_id.is_none();
    let owed = || state.owed().filter(|_| is_main);
    let mut is_start = false;
    let id = match &input.event.what {
        What::SessionStart { source } => {
            is_start = true;
            // The prompt that follows ends it.
            let ends = *source == Source::Resume && roz.policy.intent.lifetime == Lifetime::Turn;
            state.selected().filter(|_| !ends).map(|it| it.intent_id.as_str())
        }
        What::PostToolUse { call, succeeded } => {
            let selects = call.tool_use_id.as_deref().and_then(|it| state.would_select(it));
            selects.filter(|_| *succeeded).or_else(owed)
        }
        What::Prompt { .. } => owed(),
        // It is at the intent of the agent that started it.
        What::SubagentStart { agent_type, .. } if agent_type != REVIEWER => {
            is_start = true;
            state.selected().map(|it| it.intent_id.as_str())
        }
        _ => None,
    }?;
    let root = sidecar::governing(&roz.sidecar, cwd)?;
    let store = IntentStore::open(&root, &roz.home)?;
    let intent = store.choose(id, "roz").ok()?;
    let briefing = store.briefing(intent);
    let answer = input.answer.map_or("", |it| it.get());
    let mut overlaps = Vec::new();
    if !is_start {
        let others = roz.elsewhere(Some(&input.session_id), &root, world.now);
        let found = selection::collisions(&store.catalogue, intent, &others, store.case);
        overlaps.extend(found.iter().take(MOST_OVERLAPS).map(ToString::to_string));
    }
    Some(Handshake {
        is_told: briefing.is_told_by(answer),
        are_overlaps_told: overlaps.iter().all(|it| answer.contains(it.as_str())),
        briefing,
        overlaps,
    })
}

/// Of more there is no use in telling.
const MOST_OVERLAPS: usize = 5;
