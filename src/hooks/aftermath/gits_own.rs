//! What of git's own folder runs something: the hooks, and the settings that
//! name a program. The look at the work tree leaves that folder alone, for git
//! writes there with each of its commands.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Component, Path, PathBuf},
};

use crate::{
    core::intent::{doubt::Stand, settings, state::Start},
    ledger::images::{Images, hash_of},
    world::{
        git,
        look::{self, Time},
        read_head,
    },
};

/// So many files of a folder of hooks are looked at.
const MOST: usize = 200;
/// Of a longer configuration any change counts.
const LONGEST: usize = 1 << 20;

/// How the configuration stands, of its files that are there.
#[derive(Default)]
pub(super) struct Stands {
    /// The hashes of those that lie in the project, so that there is a way back
    /// to their texts.
    pub(super) texts: Stand,
    /// What they say of what is run: of the texts the rest is nobody's business.
    pub(super) states: Stand,
}

pub(super) fn stands(project: &Path) -> Stands {
    let mut found = Stands::default();
    for (name, path) in configs(project) {
        let Some(config) = Config::read(&path) else { continue };
        if !Path::new(&name).is_absolute() {
            found.texts.insert(name.clone(), hash_of(&config.text));
        }
        found.states.insert(name, config.state());
    }
    found
}

/// What runs something and was changed since then, as paths from the project's
/// root where it lies there. `start` is of the call's beginning.
pub(super) fn changed(
    project: &Path,
    user_home: Option<&Path>,
    start: &Start,
    images: &Images,
) -> Vec<String> {
    let Some((_, common)) = git::git_dirs(project) else { return Vec::new() };
    let since = start.since;
    let mut found = Vec::new();
    let mut folders = vec![common.join("hooks")];
    for (name, path) in configs(project) {
        let config = Config::read(&path);
        let now = config.as_ref().map_or_else(nothing, Config::state);
        let before = start.of_git.as_ref();
        let before = before.map(|it| it.get(&name).cloned().unwrap_or_else(nothing));
        let is_same = before.unwrap_or_else(nothing) == now;
        // What lies in a folder that nobody ran hooks of is no hook.
        let known = start.sidecar.as_ref().and_then(|it| it.get(&name));
        let known = known.filter(|_| !is_same).and_then(|it| images.read(it));
        let said = match known {
            Some(text) => settings(&text),
            None => config.map(|it| it.settings).unwrap_or_default(),
        };
        for setting in said {
            if let Some(path) = setting.strip_prefix("core.hookspath=") {
                folders.push(match (path.strip_prefix("~/"), user_home) {
                    (Some(path), Some(home)) => home.join(path),
                    _ => project.join(path),
                });
            }
        }
        // What it leads to may have been written, and not the link.
        let is_known = start.of_git.is_some();
        if !is_same && (is_known || is_touched(&path, since) || path.symlink_metadata().is_err()) {
            found.push(name);
        }
    }
    for folder in folders {
        found.extend(hooks(&folder, since).iter().map(|it| shown(project, it)));
    }
    found.sort();
    found.dedup();
    found
}

/// The hooks in a folder that were touched; the folder itself, where one is
/// gone and nothing else tells.
fn hooks(folder: &Path, since: Time) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().take(MOST).map(|it| it.path());
    let is_hook = |it: &PathBuf| it.extension().is_none_or(|it| it != "sample");
    let found: Vec<PathBuf> =
        paths.filter(|it| is_hook(it) && !it.is_dir() && is_touched(it, since)).collect();
    if found.is_empty() && is_touched(folder, since) { vec![folder.to_owned()] } else { found }
}

fn is_touched(path: &Path, since: Time) -> bool {
    path.symlink_metadata().is_ok_and(|it| look::changed_at(&it) >= since)
}

/// The files of the configuration, the repository's and the work tree's: as they
/// are named here, and where they are.
fn configs(project: &Path) -> Vec<(String, PathBuf)> {
    let Some((own, common)) = git::git_dirs(project) else { return Vec::new() };
    let paths = [common.join("config"), own.join("config.worktree")];
    paths.map(|path| (shown(project, &path), path)).into()
}

/// A file of the configuration, read once.
struct Config {
    text: Vec<u8>,
    /// What it says of what is run.
    settings: BTreeSet<String>,
    /// Of one that is too long to be read to its end, when it was written.
    stamp: Option<String>,
}

impl Config {
    fn read(path: &Path) -> Option<Self> {
        let text = read_head(path, LONGEST)?;
        let mut stamp = None;
        if text.len() >= LONGEST {
            let meta = path.metadata().ok()?;
            if meta.len() > LONGEST as u64 {
                let mtime = (meta.mtime(), meta.mtime_nsec());
                let ctime = (meta.ctime(), meta.ctime_nsec());
                stamp = Some(format!("stamp:{}-{mtime:?}-{ctime:?}", meta.len()));
            }
        }
        Some(Self { settings: settings(&text), text, stamp })
    }

    /// By what it is told apart.
    fn state(&self) -> String {
        self.stamp.clone().unwrap_or_else(|| of_settings(&self.settings))
    }
}

/// The state of a file that says of nothing what is run, and of none.
fn nothing() -> String {
    of_settings(&BTreeSet::new())
}

fn of_settings(settings: &BTreeSet<String>) -> String {
    // No text of a setting holds the letter between them.
    hash_of(settings.iter().map(String::as_str).collect::<Vec<_>>().join("\0").as_bytes())
}

fn settings(text: &[u8]) -> BTreeSet<String> {
    settings::running(&String::from_utf8_lossy(text))
}

fn shown(project: &Path, path: &Path) -> String {
    // From a work tree of its own to the repository it goes up again.
    let goes_up = path.components().any(|it| it == Component::ParentDir);
    let real = if goes_up { path.canonicalize().ok() } else { None };
    let path = real.as_deref().unwrap_or(path);
    path.strip_prefix(project).unwrap_or(path).to_string_lossy().into_owned()
}

/// Whether the user may run the file; none where there is none.
pub(super) fn is_executable(path: &Path) -> Option<bool> {
    let meta = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
    Some(meta.permissions().mode() & 0o100 != 0)
}
