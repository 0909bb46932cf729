//! What is ours: the binary, the home, the configuration.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::Check;
use crate::{
    config,
    core::policy::{Mode, Policy},
    open,
    plugin::is_in_build_folder,
    world::{World, git},
};

pub(super) fn checks(binary: &Path, world: &World) -> Vec<Check> {
    let sources = open::sources(world, &world.cwd);
    let config = config::load_fresh(&sources);
    let mut homes = vec![sources.roz_home.clone()];
    homes.extend(config.policy.storage.path.clone().filter(|it| *it != sources.roz_home));
    let mut checks = vec![of_binary(binary)];
    checks.extend(homes.iter().map(|it| home(it)));
    checks.push(configuration(&config));
    checks.extend(weakened(&config.policy));
    checks.push(of_git(world));
    checks
}

fn of_binary(binary: &Path) -> Check {
    let seen = format!("roz {}, `{}`", env!("CARGO_PKG_VERSION"), binary.display());
    if is_in_build_folder(binary) {
        return Check::warn(
            "binary",
            format!("{seen}, in a build folder: when that is cleaned, the gates are open"),
            "install it: `./install.sh`",
        );
    }
    Check::ok("binary", seen)
}

fn home(home: &Path) -> Check {
    let shown = home.display();
    if !home.exists() {
        let parent = home.ancestors().find(|it| it.exists()).unwrap_or(Path::new("/"));
        return match is_writable(parent) {
            Ok(()) => Check::ok("home", format!("`{shown}` will be made by the first session")),
            Err(why) => Check::fail(
                "home",
                format!("`{shown}` cannot be made: {why}"),
                format!(
                    "make `{}` writable, or set `ROZ_HOME` to a folder that is",
                    parent.display()
                ),
            ),
        };
    }
    if let Err(why) = is_writable(home) {
        return Check::fail(
            "home",
            format!("`{shown}` cannot be written: {why}"),
            "make it a folder of yours with room in it, or set `ROZ_HOME` to one that is",
        );
    }
    let open = readable_by_others(home);
    if open.is_empty() {
        return Check::ok("home", format!("`{shown}` is writable and private"));
    }
    let named: Vec<String> = open.iter().take(3).map(|it| format!("`{}`", it.display())).collect();
    Check::warn(
        "home",
        format!("others may read {} of yours: {}", open.len(), named.join(", ")),
        format!("chmod -R go= '{shown}'"),
    )
}

fn is_writable(folder: &Path) -> Result<(), String> {
    if !folder.is_dir() {
        return Err(format!("`{}` is no folder", folder.display()));
    }
    // It has no name, so it leaves nothing behind.
    let mut file = tempfile::tempfile_in(folder).map_err(|err| err.to_string())?;
    file.write_all(&[0; 4096]).and_then(|()| file.sync_data()).map_err(|err| err.to_string())
}

/// The home and the session files in it that others than the user may read.
fn readable_by_others(home: &Path) -> Vec<PathBuf> {
    const LOOKED_AT: usize = 10_000;
    let sessions = home.join("sessions");
    let files = fs::read_dir(&sessions).into_iter().flatten().flatten().take(LOOKED_AT);
    let is_open = |it: &PathBuf| {
        it.symlink_metadata()
            .is_ok_and(|it| !it.is_symlink() && it.permissions().mode() & 0o077 != 0)
    };
    let all = [home.to_owned(), sessions].into_iter().chain(files.map(|it| it.path()));
    let all: Vec<PathBuf> = all.filter(is_open).collect();
    // A closed folder closes what is in it.
    if all.contains(&home.to_owned()) { all } else { Vec::new() }
}

fn configuration(config: &config::Full) -> Check {
    let files: Vec<String> = config.files.iter().map(|it| format!("`{}`", it.display())).collect();
    let seen = match files.as_slice() {
        [] => "no file: the defaults apply".to_owned(),
        files => files.join(", "),
    };
    match config.diagnostics.as_slice() {
        [] => Check::ok("configuration", seen),
        [first, rest @ ..] => {
            let more = match rest.len() {
                0 => String::new(),
                n => format!(" (and {n} more)"),
            };
            Check::warn(
                "configuration",
                format!("{first}{more}"),
                "mend it; `roz config check` shows all of it",
            )
        }
    }
}

/// Settings that switch a gate off.
fn weakened(policy: &Policy) -> Vec<Check> {
    /// The client lets a stop pass that was blocked more often than this.
    const CLIENTS_CAP: u32 = 8;
    let mut checks = Vec::new();
    if policy.review.mode == Mode::Never {
        checks.push(Check::fail(
            "review gate",
            "`review.mode` is `never`: no review is ever asked for",
            "set it to `prompt` or `always`",
        ));
    }
    if !policy.protect.enabled {
        checks.push(Check::warn(
            "self-protection",
            "`protect.enabled` is false: agents may reach for roz itself",
            "remove that line",
        ));
    }
    let blocks = policy.circuit_breaker.max_blocks;
    if blocks == 0 {
        checks.push(Check::warn(
            "breaker",
            "`circuit_breaker.max_blocks` is 0: no stop is ever held",
            "set it to 1 or more (the default is 3)",
        ));
    } else if blocks >= CLIENTS_CAP {
        checks.push(Check::warn(
            "breaker",
            format!(
                "`circuit_breaker.max_blocks` is {blocks}: the client itself lets a stop pass that \
                 was blocked more than {CLIENTS_CAP} times in a row, without a word to us"
            ),
            format!("set it below {CLIENTS_CAP} (the default is 3)"),
        ));
    }
    checks
}

fn of_git(world: &World) -> Check {
    let root = git::root(&world.cwd);
    match world.on_path("git").first() {
        Some(git) => Check::ok("git", format!("`{}`", git.display())),
        None if root.join(".git").exists() => Check::warn(
            "git",
            "`git` is not on PATH: what was approved cannot be told from what is there",
            "install git",
        ),
        None => Check::ok("git", "not on PATH, and this is no git project"),
    }
}
