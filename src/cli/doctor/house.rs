//! What is ours: the binary, the home, the configuration.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::Check;
use crate::{
    cli::advice,
    config,
    core::{
        bounded,
        own_files::WeakenedFile,
        policy::{Mode, WriteGateMode},
    },
    hooks::{gather::config_dir, unknown_tools},
    observe::own_files,
    open,
    plugin::{is_in_build_folder, settings},
    world::{World, git, read_ending},
};

pub(super) fn checks(binary: &Path, world: &World) -> Vec<Check> {
    let sources = open::sources(world, &world.cwd);
    let config = config::load_fresh(&sources);
    let mut homes = vec![sources.roz_home.clone()];
    homes.extend(config.policy.storage.path.clone().filter(|it| *it != sources.roz_home));
    let mut checks = vec![of_binary(binary)];
    checks.extend(homes.iter().map(|it| home(it)));
    checks.extend(put_aside(&homes));
    checks.extend(crashes(&sources.roz_home));
    checks.extend(tools(&sources.roz_home));
    checks.push(configuration(&config, &sources.roz_home));
    checks.extend(unconfirmed(&sources.roz_home));
    checks.extend(weakened(&config, &Cap::new(world)));
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
        let is_there = |it: &&Path| it.symlink_metadata().is_ok();
        let parent = home.ancestors().find(is_there).unwrap_or(Path::new("/"));
        if let Some(target) = leads_nowhere(parent) {
            return Check::fail(
                "home",
                format!(
                    "`{}` is a link to `{}`, and there is no such folder: nothing can be noted, \
                     and every stop passes",
                    parent.display(),
                    target.display()
                ),
                format!("make that folder, or `rm '{}'`", parent.display()),
            );
        }
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

/// Where a link leads that leads to nothing.
fn leads_nowhere(path: &Path) -> Option<PathBuf> {
    let target = fs::read_link(path).ok().filter(|_| !path.exists())?;
    Some(path.parent().unwrap_or(Path::new("/")).join(target))
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

/// Sessions that could not be read: what they held of open gates is gone.
fn put_aside(homes: &[PathBuf]) -> Option<Check> {
    let files = homes.iter().filter_map(|it| fs::read_dir(it.join("sessions")).ok());
    let names = files.flatten().flatten().map(|it| it.path());
    let is_aside = |it: &PathBuf| it.to_string_lossy().contains(".corrupt-");
    let found: Vec<PathBuf> = names.filter(is_aside).collect();
    let first = found.first()?.display();
    Some(Check::warn(
        "sessions",
        format!("{} could not be read and began anew: `{first}`", found.len()),
        "see what wrote there; `roz clean` removes them in time",
    ))
}

fn crashes(home: &Path) -> Option<Check> {
    let path = home.join("crash.log");
    let text = read_ending(&path, 1 << 16)?;
    let last = text.lines().rev().find(|it| !it.trim().is_empty())?;
    Some(Check::warn(
        "crashes",
        format!("a hook crashed, so that gate was open: {}", bounded::plain_line(last)),
        format!("report what `{0}` says, then `rm '{0}'`", path.display()),
    ))
}

/// Tools that passed because nobody knows what they do.
fn tools(home: &Path) -> Option<Check> {
    let names = unknown_tools::called(home);
    let first = names.first()?;
    let do_what = match names.len() {
        1 => format!("`{first}` does"),
        count => format!("`{first}` and {} more tools do", count - 1),
    };
    Some(Check::warn(
        "tools",
        format!("nothing says what {do_what}, so those calls passed"),
        format!(
            "name those that run commands or write files in `review.gates.tools`; `{0}` lists \
             them all, and `rm '{0}'` forgets them",
            unknown_tools::file(home).display()
        ),
    ))
}

fn configuration(config: &config::Full, home: &Path) -> Check {
    let files: Vec<String> = config.files.iter().map(|it| format!("`{}`", it.display())).collect();
    let seen = match files.as_slice() {
        [] => "no file: the defaults apply".to_owned(),
        files => files.join(", "),
    };
    let no_templates = advice::templates(config, home);
    let suspicious = advice::tools(config);
    let all: Vec<_> = config.diagnostics.iter().chain(&no_templates).chain(&suspicious).collect();
    match all.as_slice() {
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

/// What calls made of roz's own files, and no person has looked at.
fn unconfirmed(home: &Path) -> Vec<Check> {
    let waiting = own_files::unconfirmed(home).into_iter();
    let check = |it: WeakenedFile| {
        Check::warn(
            "own files",
            format!("a {} call changed {}", it.tool, it.shown()),
            "put it back, or run `roz confirm` if it is right",
        )
    };
    waiting.map(check).collect()
}

/// The client lets a stop pass that was blocked more often than this in a row.
struct Cap {
    most: u64,
    /// Who says so, if it is not the client's default.
    said: String,
}

impl Cap {
    const NAME: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

    fn new(world: &World) -> Self {
        let (all, _) = settings::read(config_dir(world).as_deref(), &git::root(&world.cwd));
        // What the client's settings say goes over its environment.
        let by_settings = all.iter().rev().find_map(|it| {
            Some((it.variable(Self::NAME)?, format!("`{}` in `{}`", Self::NAME, it.path.display())))
        });
        let set =
            || Some((world.var(Self::NAME)?.to_owned(), format!("the variable `{}`", Self::NAME)));
        let found =
            by_settings.or_else(set).and_then(|(it, said)| Some((it.trim().parse().ok()?, said)));
        match found {
            // It switches the cap off.
            Some((0, said)) => Self { most: u64::MAX, said },
            Some((most, said)) => Self { most, said: format!(" ({said})") },
            None => Self { most: 8, said: String::new() },
        }
    }
}

/// Settings that switch a gate off.
fn weakened(config: &config::Full, cap: &Cap) -> Vec<Check> {
    /// A hook takes some milliseconds, on a busy machine a hundred.
    const LEAST_MS: u64 = 250;
    let policy = &config.policy;
    let said = |key: &str| {
        let set = config.settings.iter().find(|it| it.key.path == key);
        match set.and_then(|it| it.origins.last()) {
            Some(origin) => format!(" ({})", origin.place),
            None => String::new(),
        }
    };
    let mut checks = Vec::new();
    if policy.review.mode == Mode::Never {
        let place = said("review.mode");
        checks.push(Check::fail(
            "review gate",
            format!("`review.mode` is `never`{place}: no review is ever asked for"),
            "set it to `prompt` or `always`",
        ));
    }
    if !policy.protect.enabled {
        let place = said("protect.enabled");
        checks.push(Check::warn(
            "self-protection",
            format!("`protect.enabled` is false{place}: agents may reach for roz itself"),
            "remove that line",
        ));
    }
    let blocks = policy.circuit_breaker.max_blocks;
    let place = said("circuit_breaker.max_blocks");
    if blocks == 0 {
        checks.push(Check::warn(
            "breaker",
            format!("`circuit_breaker.max_blocks` is 0{place}: no stop is ever held"),
            "set it to 1 or more (the default is 3)",
        ));
    } else if u64::from(blocks) >= cap.most {
        let Cap { most, said } = cap;
        let remedy = if said.is_empty() {
            format!("set it below {most} (the default is 3)")
        } else {
            format!("set `{}` above {blocks}, or remove it (the default is 8)", Cap::NAME)
        };
        checks.push(Check::warn(
            "breaker",
            format!(
                "`circuit_breaker.max_blocks` is {blocks}{place}: the client itself lets a stop \
                 pass that was blocked more than {most} times in a row{said}, without a word to us"
            ),
            remedy,
        ));
    }
    let deadline = policy.hooks.deadline_ms;
    if deadline < LEAST_MS {
        let place = said("hooks.deadline_ms");
        checks.push(Check::warn(
            "deadline",
            format!(
                "`hooks.deadline_ms` is {deadline}{place}: a hook that is not done by then answers \
                 as on an error, and most gates are open"
            ),
            format!("set it to {LEAST_MS} or more (the default is 3000)"),
        ));
    }
    if policy.gate.write_gate.mode == WriteGateMode::Off {
        let place = said("gate.write_gate.mode");
        checks.push(Check::warn(
            "write gate",
            format!("`gate.write_gate.mode` is `off`{place}: nobody looks at what is learned"),
            "remove that line, or set it to `strict` or `warn`",
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
