//! Whether a reviewer can do its work: nobody else has its name, and it can run `roz decide`.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use super::{Finding, Subject, client::Look};
use crate::{
    hooks::gather::shadow,
    plugin::{claude_program::Version, read_settings::Settings},
    world::{find_on, process},
};

pub(super) fn check(subject: &Subject) -> Option<Finding> {
    let look = subject.client();
    let namesake = shadow(&[look.project.as_path()], subject.world).map(|path| {
        Finding::fail(
            format!("`{}` has the reviewer's name, so no reviewer gets a token", path.display()),
            "rename or remove that agent",
        )
    });
    // `deny` has priority over `ask`, and `ask` over `allow`.
    let finding = namesake
        .or_else(|| rule(look, "deny"))
        .or_else(|| other_roz(subject))
        .or_else(|| rule(look, "ask"))
        .or_else(|| not_allowed(look))
        .unwrap_or_else(|| Finding::ok("can run `roz context` and `roz decide`"));
    Some(finding)
}

const COMMANDS: [&str; 2] = ["roz context", "roz decide"];
const HEADLESS: &str = "in headless mode (`claude -p`) reviews can never finish";

fn rule(look: &Look, list: &str) -> Option<Finding> {
    let of = |setting: &Settings| {
        let rule = COMMANDS.into_iter().find_map(|program| setting.rule_about(list, program))?;
        Some(format!("`{rule}` in `{}`", setting.path.display()))
    };
    let rule = look.settings.iter().find_map(of)?;
    let remedy = format!("remove that rule from `permissions.{list}`");
    Some(if list == "deny" {
        Finding::fail(format!("{rule} denies reviewers: no review can end"), remedy)
    } else {
        Finding::warn(format!("{rule} asks before a reviewer can decide: {HEADLESS}"), remedy)
    })
}

fn not_allowed(look: &Look) -> Option<Finding> {
    if look.client.is_none() {
        return Some(Finding::warn("not checked: there is no client", "`roz install`"));
    }
    let lets_run = |program: &&str| look.settings.iter().any(|setting| setting.lets_run(program));
    (!COMMANDS.iter().all(lets_run)).then(|| {
        Finding::warn(
            format!("the client asks before a reviewer can decide: {HEADLESS}"),
            "`roz install --permissions`",
        )
    })
}

/// Reports if `roz` is another program for reviewers.
fn other_roz(subject: &Subject) -> Option<Finding> {
    let (look, binary) = (subject.client(), &subject.binary);
    let by_settings = look.settings.iter().rev().find_map(|setting| setting.variable("PATH"));
    let found = by_settings
        .as_ref()
        .map_or_else(|| subject.world.on_path("roz"), |path| find_on(path, "roz"));
    // The plugin's own folder is on the client's PATH too, after all others.
    let linked = look.folder.as_ref().and_then(|(_, found)| found.as_ref().ok()?.linked.clone());
    let folder = binary.parent().unwrap_or(Path::new("/")).display();
    let Some(first) = found.first().or(linked.as_ref()) else {
        return Some(Finding::warn(
            "`roz` is not on the client's PATH, so reviewers cannot run `roz decide`",
            format!("put `{folder}` on PATH, or run `roz install`"),
        ));
    };
    // A program that a project's settings name is not started.
    let version = if by_settings.is_none() { version_of(first) } else { None };
    if is_same(first, binary) || version == env!("CARGO_PKG_VERSION").parse().ok() {
        return None;
    }
    let version = version.map_or("not this roz".to_owned(), |version| format!("roz {version}"));
    Some(Finding::fail(
        format!("reviewers run `{}`, which is {version}: no review can end", first.display()),
        format!("remove it, or put `{folder}` before it on PATH"),
    ))
}

/// The output of `--version`, if the program is a roz.
pub(super) fn version_of(program: &Path) -> Option<Version> {
    let mut command = process::command(program);
    command.arg("--version");
    let ran = process::run(command, Instant::now() + Duration::from_secs(5)).ok()?;
    String::from_utf8_lossy(&ran.stdout).trim().strip_prefix("roz ")?.parse().ok()
}

pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().is_some_and(|path| other.canonicalize().ok() == Some(path))
}
