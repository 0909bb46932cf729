//! Whether a reviewer can do its work: nobody else has its name, and it can run `roz decide`.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use super::{Finding, Subject, client::Look};
use crate::{
    hooks::gather::shadow,
    plugin::client::Version,
    world::{find_on, process},
};

pub(super) fn check(subject: &Subject) -> Finding {
    let look = subject.client();
    let namesake = shadow(&[look.project.as_path()], subject.world).map(|path| {
        Finding::fail(
            format!("`{}` has the reviewer's name, so no reviewer gets a token", path.display()),
            "rename or remove that agent",
        )
    });
    // What denies comes first, then what asks, then what allows.
    namesake
        .or_else(|| rule(look, "deny"))
        .or_else(|| other_roz(subject))
        .or_else(|| rule(look, "ask"))
        .or_else(|| not_allowed(look))
        .unwrap_or_else(|| Finding::ok("can run `roz context` and `roz decide`"))
}

const COMMANDS: [&str; 2] = ["roz context", "roz decide"];

fn rule(look: &Look, list: &str) -> Option<Finding> {
    let of = |program| {
        look.settings
            .iter()
            .find_map(|setting| Some((setting.path.display(), setting.rule_about(list, program)?)))
    };
    let (path, rule) = COMMANDS.into_iter().find_map(of)?;
    let remedy = format!("remove that rule from `permissions.{list}`");
    Some(if list == "deny" {
        Finding::fail(format!("`{rule}` in `{path}` denies reviewers: no review can end"), remedy)
    } else {
        let seen = format!("`{rule}` in `{path}` asks before a reviewer can decide: {HEADLESS}");
        Finding::warn(seen, remedy)
    })
}

const HEADLESS: &str = "in headless mode (`claude -p`) reviews can never finish";

fn not_allowed(look: &Look) -> Option<Finding> {
    look.client.as_ref()?;
    let lets_run = |program: &&str| look.settings.iter().any(|setting| setting.lets_run(program));
    (!COMMANDS.iter().all(lets_run)).then(|| {
        Finding::warn(
            format!("the client asks before a reviewer can decide: {HEADLESS}"),
            "`roz install --permissions`",
        )
    })
}

/// Another program that reviewers run when they say `roz`.
fn other_roz(subject: &Subject) -> Option<Finding> {
    let (look, binary) = (subject.client(), &subject.binary);
    let by_settings = look.settings.iter().rev().find_map(|setting| setting.path_variable());
    let found = by_settings
        .map_or_else(|| subject.world.on_path("roz"), |by_setting| find_on(by_setting, "roz"));
    let folder = binary.parent().unwrap_or(Path::new("/")).display();
    let Some(first) = found.first() else {
        let linked =
            look.folder.as_ref().and_then(|(_, found)| found.as_ref().ok()?.linked.as_deref());
        let is_linked = linked.is_some_and(|linked| is_same(linked, binary));
        return (!is_linked).then(|| {
            Finding::warn(
                "`roz` is not on the client's PATH, so reviewers cannot run `roz decide`",
                format!("put `{folder}` on PATH, or run `roz install`"),
            )
        });
    };
    if is_same(first, binary) {
        return None;
    }
    let shown = first.display();
    let remedy = format!("remove it, or put `{folder}` before it on PATH");
    // A program that a project's settings name is not started.
    let version = if by_settings.is_none() { version_of(first) } else { None };
    Some(match version {
        Some(version) if version.to_string() == env!("CARGO_PKG_VERSION") => {
            Finding::warn(format!("reviewers run `{shown}`, another copy of roz"), remedy)
        }
        Some(version) => {
            let seen =
                format!("reviewers run `{shown}`, which is roz {version}: no review can end");
            Finding::fail(seen, remedy)
        }
        None => {
            let seen = format!("reviewers run `{shown}`, which is not this roz: no review can end");
            Finding::fail(seen, remedy)
        }
    })
}

/// What `--version` says, if the program is a roz.
pub(super) fn version_of(program: &Path) -> Option<Version> {
    let mut command = process::command(program);
    command.arg("--version");
    let ran = process::run(command, Instant::now() + Duration::from_secs(5)).ok()?;
    String::from_utf8_lossy(&ran.stdout).trim().strip_prefix("roz ")?.parse().ok()
}

pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().is_some_and(|path| other.canonicalize().ok() == Some(path))
}
