//! Whether agents are limited to declared work, and whether the ledger is intact.

use std::time::{Duration, Instant};

use super::{Finding, Subject};
use crate::{
    core::{intent::ignore::Ignore, policy::Auto},
    open::Roz,
    sidecar::{self, intent_store::IntentStore},
    world::{World, in_a_line},
};

/// `None` if roz cannot be opened: other checks say why.
pub(super) fn check(subject: &Subject) -> Option<Finding> {
    let roz = subject.roz.as_ref().ok()?;
    let gate = gate(roz, subject.world);
    Some(if gate.remedy.is_some() { gate } else { ledger(roz, subject.world).unwrap_or(gate) })
}

fn gate(roz: &Roz, world: &World) -> Finding {
    let root = sidecar::governing(&roz.sidecar, &world.cwd);
    let Some(store) = root.and_then(|root| IntentStore::open(&root, &roz.home)) else {
        return Finding::ok("off: this project declares no work (`roz init --intent`)");
    };
    if roz.policy.intent.enabled == Auto::Off {
        return Finding::warn(
            "this project declares work, but `intent.enabled` is false, so nothing is enforced",
            "remove that line, or set it to \"auto\"",
        );
    }
    if let Some(unreliable) = store.unreliable() {
        return Finding::warn(
            format!("every write is refused: {unreliable}"),
            "`roz intent check` shows what is wrong",
        );
    }
    if let Some(doubt) = store.doubts().first() {
        return Finding::warn(
            format!(
                "every write is refused: a call of session {} changed `{}`",
                doubt.session_id, doubt.file
            ),
            "put it back, or look at it and run `roz intent confirm`",
        );
    }
    if let Some(odd) = store.ignore.iter().flat_map(Ignore::problems).next() {
        return Finding::warn(
            format!("`.intentignore` may not mean what you think: {odd}"),
            "`roz intent check` shows how each line is read",
        );
    }
    let open = store.catalogue.open().count();
    Finding::ok(format!("on: {} declared, {open} open", store.catalogue.intents.len()))
}

fn ledger(roz: &Roz, world: &World) -> Option<Finding> {
    /// In bytes; `roz ledger verify` takes a second for this much.
    const MOST: u64 = 64 << 20;
    let ledger = roz.ledger(&world.cwd);
    let until = Instant::now() + Duration::from_secs(10);
    if ledger.is_tracked(until) {
        return Some(Finding::warn(
            "git tracks the ledger, so roz only reads it and keeps new records in its home",
            "`roz init --intent --untrack` makes git ignore it; no record is lost",
        ));
    }
    if ledger.path().metadata().ok()?.len() > MOST {
        return None;
    }
    let shown = ledger.path().display().to_string();
    match ledger.gathered(until).verify(until) {
        Ok(verdict) if verdict.problems.is_empty() => None,
        Ok(_) => Some(Finding::warn(
            format!("the ledger `{shown}` is not as it was written"),
            "`roz ledger verify` names each line",
        )),
        Err(err) => Some(Finding::warn(
            format!("the ledger cannot be read: {}", in_a_line(&err)),
            format!("make `{shown}` a file that you can read"),
        )),
    }
}
