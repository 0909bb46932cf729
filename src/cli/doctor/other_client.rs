//! `roz doctor --client`: whether another agent runs roz's hooks, and what it can do with them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Check, Finding};
use crate::{
    cli::{demo::Cage, install::other_clients},
    clients::{Capability, Client},
    hooks::Hook,
    plugin::json_edit::Document,
    world::{World, git, read_text},
};

const CONFIG: &str = "[review.gates]\ntools = [\"Bash:git push*\"]\n";

pub(super) fn checks(client: &dyn Client, binary: &Path, world: &World) -> Vec<Check> {
    let [can, cannot] = abilities(client);
    let findings = [
        ("client", program(client, world)),
        ("hooks", switched_off(client, world).unwrap_or_else(|| files(client, world))),
        ("reviewer", reviewer(binary, world)),
        ("can", can),
        ("cannot", cannot),
        ("canary", canary(client, binary, world)),
    ];
    findings.into_iter().map(|(name, finding)| Check { name, finding }).collect()
}

fn program(client: &dyn Client, world: &World) -> Finding {
    let program = client.setup().map_or_else(|| client.name(), |setup| setup.program);
    match world.on_path(program).first() {
        Some(path) => Finding::ok(format!("{} is `{}`", client.title(), path.display())),
        None => Finding::warn(
            format!("{} is not here", client.title()),
            format!("put `{program}` on PATH"),
        ),
    }
}

/// By a key of the client's settings, of the user or of this project.
fn switched_off(client: &dyn Client, world: &World) -> Option<Finding> {
    let setup = client.setup()?;
    let (name, key, off) = setup.off?;
    let folders = [other_clients::folder(setup, world)?, git::root(&world.cwd).join(setup.folder)];
    let is_off = |path: &PathBuf| {
        let text = read_text(path, 4 << 20).unwrap_or_default();
        let said = if path.extension().is_some_and(|extension| extension == "toml") {
            toml::from_str(&text).unwrap_or_default()
        } else {
            Document::parse_with_comments(&text).map(|text| text.value()).unwrap_or_default()
        };
        said.pointer(key) == Some(&Value::Bool(off))
    };
    let path = folders.map(|folder| folder.join(name)).into_iter().find(is_off)?;
    let key = key.trim_start_matches('/').replace('/', ".");
    Some(Finding::fail(
        format!("`{key}` in `{}` switches the hooks off", path.display()),
        "remove that line",
    ))
}

fn reviewer(binary: &Path, world: &World) -> Finding {
    if !world.on_path("roz").is_empty() {
        return Finding::ok("can run `roz context` and `roz decide`");
    }
    let folder = binary.parent().unwrap_or(Path::new("/")).display();
    Finding::warn(
        "`roz` is not on PATH, so reviewers cannot run `roz decide`",
        format!("put `{folder}` on PATH, in login shells too"),
    )
}

fn files(client: &dyn Client, world: &World) -> Finding {
    let install = format!("`roz install --client {}`", client.name());
    let planned = match other_clients::plan(client, world) {
        Ok(planned) => planned,
        Err(err) => return Finding::fail(err.to_string(), install),
    };
    if let Some(trouble) = planned.iter().find_map(other_clients::Planned::trouble) {
        return Finding::fail(trouble, format!("fix it, then {install}"));
    }
    match planned.iter().find(|file| !file.is_done()) {
        Some(file) => Finding::fail(
            format!("`{}` differs from what roz writes", file.path.display()),
            install,
        ),
        None => Finding::ok(format!("all {} files are as roz writes them", planned.len())),
    }
}

fn abilities(client: &dyn Client) -> [Finding; 2] {
    let listed = |can: bool| {
        let all = Capability::ALL.into_iter().filter(|capability| client.can(*capability) == can);
        all.map(Capability::about).collect::<Vec<_>>().join(", ")
    };
    let brake = client.stop_brake().map_or_else(
        || "obeys every hold".to_owned(),
        |most| format!("obeys {most} holds in a row"),
    );
    let cannot = Finding::warn(format!("it never {}", listed(false)), "see docs/clients.md");
    [Finding::ok(format!("{}, {brake}", listed(true))), cannot]
}

fn canary(client: &dyn Client, binary: &Path, world: &World) -> Finding {
    const REMEDY: &str =
        "reinstall roz; if that does not help, report what `roz doctor --json` says";
    let cage = match Cage::new(binary, CONFIG, world) {
        Ok(cage) => cage,
        Err(err) => return Finding::fail(format!("no temporary home for it: {err}"), REMEDY),
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
        let (said, ms) = cage.hook(&["hook", hook.word(), "--client", client.name()], &payload);
        slowest = slowest.max(ms);
        let seen = match said {
            Ok(answer) => answer.to_string(),
            Err(why) => return Finding::fail(format!("{}: {why}", hook.name()), REMEDY),
        };
        let objects = ["\"deny\"", "\"block\""].iter().any(|word| seen.contains(word));
        if objects != matches!(hook, Hook::PreToolUse | Hook::Stop) {
            return Finding::fail(format!("{} was answered {seen}", hook.name()), REMEDY);
        }
    }
    let seen = format!(
        "{} recorded payloads through real hooks: a push was denied, a stop held; {slowest:.1} ms \
         at worst",
        client.recorded().len()
    );
    Finding::ok(seen)
}
