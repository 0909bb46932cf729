//! Whether the client runs roz's hooks once, and with this binary.

use std::path::Path;

use super::{
    Finding, Subject,
    client::{Look, connected},
    reviewer::{is_same, version_of},
};
use crate::{
    plugin::{ID, claude_program, read_settings},
    world::World,
};

const INSTALL: &str = "run `roz install`";

pub(super) fn check(subject: &Subject) -> Option<Finding> {
    let look = subject.client();
    let problem = switched_off(look)
        .or_else(|| plugin_folder(look, &subject.binary, subject.world))
        .or_else(|| not_registered(look, subject.world))
        .or_else(|| twice(look));
    let is_strict = matches!(&look.folder, Some((_, Ok(found))) if found.strict);
    let strict = if is_strict { ", strict" } else { "" };
    let well = || Finding::ok(format!("plugin `{ID}` is enabled and runs this binary{strict}"));
    // Other agents, which have no plugin, are told by the check of the client.
    problem.or_else(|| (look.plugin == Ok(Some(true))).then(well))
}

/// Whether hooks are switched off by a setting, or a file with them is ignored.
fn switched_off(look: &Look) -> Option<Finding> {
    if let Some(broken) = look.broken.first() {
        let remedy = "fix it; `roz install` refuses until then";
        return Some(if look.plugin == Ok(Some(true)) {
            Finding::warn(broken.to_string(), remedy)
        } else {
            Finding::fail(format!("{broken}, and starts without our hooks"), remedy)
        });
    }
    // The last setting wins; the administrator's come last.
    let mut all = look.settings.iter().rev();
    let (settings, (key, is_off)) =
        all.find_map(|setting| Some((setting, setting.switches_hooks_off()?)))?;
    is_off.then(|| {
        Finding::fail(
            format!("`{key}` in `{}` switches our hooks off", settings.path.display()),
            if settings.is_managed { "ask your administrator" } else { "remove that line" },
        )
    })
}

fn not_registered(look: &Look, world: &World) -> Option<Finding> {
    let by_hand = look.settings.iter().find(|setting| !setting.events().is_empty());
    Some(match (&look.plugin, by_hand) {
        (Ok(Some(true)), _) => return None,
        (_, Some(by_hand)) => Finding::fail(
            format!("registered by hand in `{}`, without the reviewer", by_hand.path.display()),
            format!("remove those entries and {INSTALL}"),
        ),
        (Ok(Some(false)), _) => Finding::fail(
            format!("plugin `{ID}` is installed, but disabled here"),
            format!("`claude plugin enable {ID}`"),
        ),
        (Ok(None), _) if look.client.is_none() && connected(world).is_some() => return None,
        (Ok(None), _) if look.client.is_none() => Finding::fail(
            "no client is set up, so nothing starts roz",
            "`roz install`, where `claude` is on PATH (`roz doctor --no-client` checks the rest)",
        ),
        (Ok(None), _) => Finding::fail("not registered with the client", INSTALL),
        (Err(why), _) => Finding::fail(format!("the client does not say: {why}"), INSTALL),
    })
}

/// What is wrong with the files that the client reads at a session's start.
fn plugin_folder(look: &Look, binary: &Path, world: &World) -> Option<Finding> {
    let (folder, found) = look.folder.as_ref()?;
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            let seen = format!("{why}: the client silently starts without our hooks");
            return Some(Finding::fail(seen, INSTALL));
        }
    };
    let Some(program) = &found.program else {
        let seen = format!("`{}` does not run one program", folder.display());
        return Some(Finding::fail(seen, INSTALL));
    };
    let path = program.display();
    // A name without a folder is found on PATH, as in a checkout.
    let is_other = program.is_absolute() && !is_same(program, binary);
    let starts = if program.is_absolute() {
        !is_other || version_of(program).is_some()
    } else {
        !world.on_path(&program.to_string_lossy()).is_empty()
    };
    let own = env!("CARGO_PKG_VERSION");
    if !starts {
        let seen = format!("the hooks run `{path}`, which does not start as roz does");
        Some(Finding::fail(seen, INSTALL))
    } else if found.version != own {
        let seen = format!("the plugin is of version {}, this binary of {own}", found.version);
        Some(Finding::fail(seen, format!("update the binary if it is older, then {INSTALL}")))
    } else if is_other {
        Some(Finding::warn(format!("the hooks run `{path}`, not this binary"), INSTALL))
    } else if let Some((_, Ok(version))) = &look.client
        && found.strict
        && *version < claude_program::STRICT_SINCE
    {
        Some(Finding::warn(
            format!(
                "strict, but Claude Code {version} does not support that: it lets a tool call pass \
                 if roz cannot run"
            ),
            format!("update the client to {} or newer", claude_program::STRICT_SINCE),
        ))
    } else {
        None
    }
}

fn twice(look: &Look) -> Option<Finding> {
    let all = read_settings::seconds(&look.settings);
    (!all.is_empty()).then(|| {
        Finding::fail(
            format!("every hook runs {} times: also by {}", all.len() + 1, all.join(", ")),
            format!("remove those `roz hook` entries or plugins, and keep plugin `{ID}`"),
        )
    })
}
