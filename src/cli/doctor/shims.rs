//! Tests the shims: starts a gated program and another one through them.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use serde_json::json;

use super::{Finding, Subject};
use crate::{cli::demo::Cage, core::bounded, hooks::Hook, world::World};

const CONFIG: &str = "review.gates.tools = [\"Bash:roz-canary push*\"]\n";
const PROGRAM: &str = "#!/bin/sh\necho \"ran $*\"\n";
const LINE: &str = ". ./environment; roz-canary status; roz-canary push";

pub(super) fn check(subject: &Subject) -> Option<Finding> {
    if !subject.config.policy.shims.enabled {
        return Some(Finding::warn(
            "off: what a script or a Makefile starts is not judged",
            "remove `shims.enabled = false` from the configuration",
        ));
    }
    Some(match play(&subject.binary, subject.world) {
        Ok(()) => Finding::ok("a gated program was stopped when it started, another one ran"),
        Err(why) => Finding::warn(
            format!("a gated program that a script starts is not stopped: {why}"),
            "command lines are judged anyway; report what `roz doctor --json` prints",
        ),
    })
}

fn play(binary: &Path, world: &World) -> Result<(), String> {
    let io = |err: std::io::Error| err.to_string();
    let cage = Cage::new(binary, CONFIG, world).map_err(io)?;
    cage.write("bin/roz-canary", PROGRAM).map_err(io)?;
    let (bin, environment) = (cage.project().join("bin"), cage.project().join("environment"));
    fs::set_permissions(bin.join("roz-canary"), fs::Permissions::from_mode(0o755)).map_err(io)?;
    let mut start = cage.command_of(binary);
    start.args(["hook", Hook::SessionStart.word()]).env("CLAUDE_ENV_FILE", &environment);
    let payload = json!({
        "session_id": cage.session, "cwd": cage.project(), "source": "startup",
        "hook_event_name": Hook::SessionStart.name(),
    });
    Cage::run(start, payload.to_string().as_bytes())?;
    let path = format!("{}:{}", bin.display(), world.var("PATH").unwrap_or_default());
    let mut shell = cage.command_of("/bin/sh");
    shell.args(["-c", LINE]).env("PATH", path).env("CLAUDE_CODE_SESSION_ID", &cage.session);
    let ran = Cage::run(shell, b"")?;
    let (said, why) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    match (ran.code, said.trim()) {
        (Some(126), "ran status") => Ok(()),
        (code, said) => {
            let code = code.map_or("none".to_owned(), |code| code.to_string());
            Err(bounded::line(&format!("exit code {code}, {said} {why}"), 300))
        }
    }
}
