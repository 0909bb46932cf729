//! Whether the client runs roz's hooks: once, with this binary.

use std::{collections::BTreeSet, path::Path};

use super::{
    Finding, Subject,
    client::{Look, Registered},
    reviewer::{is_same, version_of},
};
use crate::{
    hooks::Hook,
    plugin::{ID, client, settings},
    world::World,
};

const INSTALL: &str = "run `roz install`";

pub(super) fn check(subject: &Subject) -> Finding {
    let look = subject.client();
    let problem = broken_settings(look)
        .or_else(|| switched_off(look))
        .or_else(|| plugin_folder(look, &subject.binary, subject.world))
        .or_else(|| not_registered(look))
        .or_else(|| twice(look));
    problem.unwrap_or_else(|| {
        let is_strict = matches!(&look.folder, Some((_, Ok(found))) if found.strict);
        let strict = if is_strict { ", strict" } else { "" };
        Finding::ok(format!("plugin `{ID}` is enabled and runs this binary{strict}"))
    })
}

fn broken_settings(look: &Look) -> Option<Finding> {
    let broken = look.broken.first()?;
    let remedy = "fix it; `roz install` refuses until then";
    Some(if matches!(look.plugin, Registered::Enabled) {
        Finding::warn(broken.to_string(), remedy)
    } else {
        Finding::fail(format!("{broken}, and starts without our hooks"), remedy)
    })
}

fn switched_off(look: &Look) -> Option<Finding> {
    // The last that speaks wins; the administrator's come last.
    let found = look
        .settings
        .iter()
        .rev()
        .find_map(|setting| Some((setting, setting.switches_hooks_off()?)));
    let Some((settings, (key, true))) = found else { return None };
    Some(Finding::fail(
        format!("`{key}` in `{}` switches our hooks off", settings.path.display()),
        if settings.is_managed { "ask your administrator" } else { "remove that line" },
    ))
}

fn not_registered(look: &Look) -> Option<Finding> {
    let by_hand = look.settings.iter().find(|setting| !setting.events().is_empty());
    Some(match &look.plugin {
        Registered::Enabled => return None,
        _ if by_hand.is_some() => {
            let path =
                by_hand.map(|by_hand| by_hand.path.display().to_string()).unwrap_or_default();
            Finding::fail(
                format!("registered by hand in `{path}`, without the reviewer"),
                format!("remove those entries and {INSTALL}"),
            )
        }
        Registered::Disabled => Finding::fail(
            format!("plugin `{ID}` is installed, but disabled here"),
            format!("`claude plugin enable {ID}`"),
        ),
        Registered::No if look.client.is_none() => Finding::fail(
            "no client is set up, so nothing starts roz",
            "`roz install`, where `claude` is on PATH (`roz doctor --no-client` checks the rest)",
        ),
        Registered::No => Finding::fail("not registered with the client", INSTALL),
        Registered::Unknown(why) => {
            Finding::fail(format!("the client does not say: {why}"), INSTALL)
        }
    })
}

/// What is wrong with the files that the client reads at a session's start.
fn plugin_folder(look: &Look, binary: &Path, world: &World) -> Option<Finding> {
    let (folder, found) = look.folder.as_ref()?;
    let shown = folder.display();
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            let seen = format!("{why}: the client silently starts without our hooks");
            return Some(Finding::fail(seen, INSTALL));
        }
    };
    let [program] = found.programs.iter().collect::<Vec<_>>()[..] else {
        return Some(Finding::fail(format!("`{shown}` does not run one program"), INSTALL));
    };
    let path = program.display();
    // One without a folder is found by PATH, as in a checkout.
    let starts = if program.is_absolute() {
        is_same(program, binary) || version_of(program).is_some()
    } else {
        !world.on_path(&program.to_string_lossy()).is_empty()
    };
    let own = env!("CARGO_PKG_VERSION");
    let known: BTreeSet<String> = Hook::ALL.iter().map(|hook| hook.name().to_owned()).collect();
    if !starts {
        let seen = format!("the hooks run `{path}`, which does not start as roz does");
        Some(Finding::fail(seen, INSTALL))
    } else if found.version != own {
        let seen = format!("the plugin is of version {}, this binary of {own}", found.version);
        Some(Finding::fail(seen, format!("update the binary if it is older, then {INSTALL}")))
    } else if found.events != known {
        let events: Vec<_> = found.events.symmetric_difference(&known).cloned().collect();
        let events = events.join(", ");
        Some(Finding::fail(format!("`{shown}` does not agree with this roz on {events}"), INSTALL))
    } else if program.is_absolute() && !is_same(program, binary) {
        Some(Finding::warn(format!("the hooks run `{path}`, not this binary"), INSTALL))
    } else if let Some(Ok(version)) = &look.version
        && found.strict
        && *version < client::STRICT_SINCE
    {
        Some(Finding::warn(
            format!(
                "strict, but Claude Code {version} does not support that: it lets a tool call pass \
                 if roz cannot run"
            ),
            format!("update the client to {} or newer", client::STRICT_SINCE),
        ))
    } else {
        None
    }
}

fn twice(look: &Look) -> Option<Finding> {
    let all = settings::seconds(&look.settings);
    (!all.is_empty()).then(|| {
        Finding::fail(
            format!("every hook runs {} times: also by {}", all.len() + 1, all.join(", ")),
            format!("remove those `roz hook` entries or plugins, and keep plugin `{ID}`"),
        )
    })
}
