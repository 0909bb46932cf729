//! `roz doctor --client`: whether another agent runs roz's hooks, and what it can do with them.

use std::path::Path;

use serde_json::{Value, json};

use super::{Check, Status};
use crate::{
    cli::{cage::Cage, install::agents},
    clients::{Capability, Client},
    hooks::Hook,
    world::World,
};

const CONFIG: &str = "[review.gates]\ntools = [\"Bash:git push*\"]\n";

pub(super) fn checks(client: &dyn Client, binary: &Path, world: &World) -> Vec<Check> {
    vec![program(client, world), files(client, world), can(client), canary(client, binary, world)]
}

fn program(client: &dyn Client, world: &World) -> Check {
    const NAME: &str = "client";
    let program = client.setup().map_or_else(|| client.name(), |setup| setup.program);
    match world.on_path(program).first() {
        Some(path) => Check::ok(NAME, format!("{} is `{}`", client.title(), path.display())),
        None => Check::warn(
            NAME,
            format!("{} is not here", client.title()),
            format!("put `{program}` on PATH"),
        ),
    }
}

fn files(client: &dyn Client, world: &World) -> Check {
    const NAME: &str = "hooks";
    let install = format!("`roz install --client {}`", client.name());
    let planned = match agents::plan(client, world) {
        Ok(planned) => planned,
        Err(err) => return Check::fail(NAME, err.to_string(), install),
    };
    let unreadable = planned.iter().find(|file| file.is_unreadable());
    if let Some(file) = unreadable {
        let seen = format!("`{}` cannot be read as the client expects it", file.path.display());
        return Check::fail(NAME, seen, format!("fix it, then {install}"));
    }
    match planned.iter().find(|file| !file.is_done()) {
        Some(file) => Check::fail(NAME, format!("`{}` lacks roz", file.path.display()), install),
        None => Check::ok(NAME, format!("all {} files are as roz writes them", planned.len())),
    }
}

fn can(client: &dyn Client) -> Check {
    let listed = |can: bool| {
        let all = Capability::ALL.into_iter().filter(|it| client.can(*it) == can);
        all.map(Capability::about).collect::<Vec<_>>().join(", ")
    };
    let brake = client.stop_brake().map_or_else(
        || "obeys every hold".to_owned(),
        |most| format!("obeys {most} holds in a row"),
    );
    let cannot = listed(false);
    let cannot = if cannot.is_empty() { cannot } else { format!("; does not: {cannot}") };
    Check {
        name: "can",
        status: Status::Ok,
        seen: format!("{}, {brake}{cannot}", listed(true)),
        remedy: None,
    }
}

/// Recorded payloads of the client, through real hook processes.
fn canary(client: &dyn Client, binary: &Path, world: &World) -> Check {
    const NAME: &str = "canary";
    const REMEDY: &str =
        "reinstall roz; if that does not help, report what `roz doctor --json` says";
    let cage = match Cage::new(binary, "canary", CONFIG, world) {
        Ok(cage) => cage,
        Err(err) => return Check::fail(NAME, format!("no temporary home for it: {err}"), REMEDY),
    };
    let mut slowest: f64 = 0.0;
    for (hook, payload) in client.recorded() {
        let Ok(mut payload) = serde_json::from_str::<Value>(payload) else { continue };
        for field in ["session_id", "sessionId"] {
            if payload.get(field).is_some() {
                payload[field] = cage.session.as_str().into();
            }
        }
        payload["cwd"] = json!(cage.project());
        for field in ["prompt", "submitted_prompt"] {
            if payload.get(field).is_some() {
                payload[field] = "#roz".into();
            }
        }
        if payload["tool_input"].get("command").is_some() {
            payload["tool_input"]["command"] = "git push".into();
        }
        let said = cage.hook_of(client.name(), *hook, &payload);
        slowest = slowest.max(said.ms);
        let seen = match said.answer {
            Ok(answer) => answer.to_string(),
            Err(why) => return Check::fail(NAME, format!("{}: {why}", hook.name()), REMEDY),
        };
        let objects = ["\"deny\"", "\"block\""].iter().any(|word| seen.contains(word));
        if objects != matches!(hook, Hook::PreToolUse | Hook::Stop) {
            return Check::fail(NAME, format!("{} was answered {seen}", hook.name()), REMEDY);
        }
    }
    let seen = format!(
        "{} recorded payloads through real hooks: a push was denied, a stop held; {slowest:.1} ms \
         at worst",
        client.recorded().len()
    );
    Check::ok(NAME, seen)
}
