//! Whether declared work is kept to, and the agent's client knows the tools.

use super::Check;
use crate::{
    core::policy::Auto,
    open::Roz,
    sidecar::{self, desk::Desk},
    world::{World, in_a_line, read_text},
};

const NAME: &str = "intent gate";

pub(super) fn check(world: &World) -> Check {
    let roz = match Roz::open(world, &world.cwd) {
        Ok(roz) => roz,
        Err(err) => {
            return Check::warn(
                NAME,
                format!("it cannot be looked at: {}", in_a_line(&err)),
                "mend what is named above, and look again",
            );
        }
    };
    let root = sidecar::governing(&roz.project, &world.cwd);
    let Some(desk) = root.and_then(|it| Desk::open(&it, &roz.home)) else {
        return Check::ok(NAME, "off in this project: it declares no work (`roz init --intent`)");
    };
    if roz.policy.intent.enabled == Auto::Off {
        return Check::warn(
            NAME,
            "work is declared here, and `intent.enabled` is false: nobody is kept to it",
            "remove that line, or set it to \"auto\"",
        );
    }
    if let Some(unreliable) = desk.unreliable() {
        return Check::warn(
            NAME,
            format!("on, and every write is refused: {unreliable}"),
            "`roz intent check` shows what is wrong",
        );
    }
    let open = desk.catalogue.open().count();
    let seen = format!("on: {} declared, {open} open", desk.catalogue.intents.len());
    let servers = read_text(&desk.root().join(".mcp.json"), 1 << 20).unwrap_or_default();
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
