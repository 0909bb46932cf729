//! Whether declared work is kept to, and the agent's client knows the tools.

use std::time::{Duration, Instant};

use super::Check;
use crate::{
    core::{intent::ignore::Ignore, policy::Auto},
    open::Roz,
    sidecar::{self, store::IntentStore},
    world::{World, in_a_line, read_text},
};

const NAME: &str = "intent gate";

pub(super) fn checks(world: &World) -> Vec<Check> {
    match Roz::open(world, &world.cwd) {
        Ok(roz) => [gate(&roz, world)].into_iter().chain(ledger(&roz, world)).collect(),
        Err(err) => vec![Check::warn(
            NAME,
            format!("it cannot be looked at: {}", in_a_line(&err)),
            "mend what is named above, and look again",
        )],
    }
}

/// None where there is no ledger.
fn ledger(roz: &Roz, world: &World) -> Option<Check> {
    const NAME: &str = "ledger";
    const PATIENCE: Duration = Duration::from_secs(10);
    /// `roz ledger verify` takes a second for so much.
    const MOST: u64 = 64 << 20;
    let ledger = roz.ledger(&world.cwd);
    let until = Instant::now() + PATIENCE;
    if ledger.is_tracked(until) {
        return Some(Check::warn(
            NAME,
            "git tracks it, so roz only reads it and keeps new records in its home",
            "`roz init --intent --untrack` has git ignore it; no record is lost",
        ));
    }
    let length = ledger.path().metadata().ok()?.len();
    let shown = ledger.path().display().to_string();
    if length > MOST {
        return Some(Check::ok(NAME, format!("{} MB: `roz ledger verify` reads it", length >> 20)));
    }
    Some(match ledger.gathered(until).verify(until) {
        Ok(verdict) if !verdict.problems.is_empty() => Check::warn(
            NAME,
            format!("`{shown}` is not as it was written: {}", verdict.problems.len()),
            "`roz ledger verify` names each line",
        ),
        Ok(_) => Check::ok(NAME, format!("`{shown}` is as it was written")),
        Err(err) => Check::warn(
            NAME,
            format!("it cannot be read: {}", in_a_line(&err)),
            format!("make `{shown}` a file that you may read"),
        ),
    })
}

fn gate(roz: &Roz, world: &World) -> Check {
    let root = sidecar::governing(&roz.sidecar, &world.cwd);
    let Some(store) = root.and_then(|it| IntentStore::open(&it, &roz.home)) else {
        return Check::ok(NAME, "off in this project: it declares no work (`roz init --intent`)");
    };
    if roz.policy.intent.enabled == Auto::Off {
        return Check::warn(
            NAME,
            "work is declared here, and `intent.enabled` is false: nobody is kept to it",
            "remove that line, or set it to \"auto\"",
        );
    }
    if let Some(unreliable) = store.unreliable() {
        return Check::warn(
            NAME,
            format!("on, and every write is refused: {unreliable}"),
            "`roz intent check` shows what is wrong",
        );
    }
    if let Some(doubt) = store.doubts().first() {
        return Check::warn(
            NAME,
            format!(
                "on, and every write is refused: a call of session {} changed `{}`",
                doubt.session_id, doubt.file
            ),
            "put it back, or look at it and run `roz intent confirm`",
        );
    }
    if let Some(odd) = store.ignore.iter().flat_map(Ignore::problems).next() {
        return Check::warn(
            NAME,
            format!("on; `.intentignore` may not say what was meant: {odd}"),
            "`roz intent check` shows how each line was read",
        );
    }
    let open = store.catalogue.open().count();
    let seen = format!("on: {} declared, {open} open", store.catalogue.intents.len());
    let servers = read_text(&store.root().join(".mcp.json"), 1 << 20).unwrap_or_default();
    let has_server = serde_json::from_str::<serde_json::Value>(&servers)
        .is_ok_and(|it| it["mcpServers"]["roz"].is_object());
    if has_server {
        return Check::ok(NAME, seen);
    }
    Check::ok(
        NAME,
        format!("{seen} (agents select by `roz intent select`: `.mcp.json` names no `roz`)"),
    )
}
