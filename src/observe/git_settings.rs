//! What git runs: its hooks, and the settings that name a program. The look at the work tree
//! leaves git's folder alone, for git writes there with each of its commands.

use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};

use super::file_content::hash_of;
use crate::{
    core::intent::{doubt::Stand, settings},
    world::{
        git,
        mtime_scan::{self, Time},
        read_head,
    },
};

/// Files of a folder of hooks that are looked at.
const MAX_HOOKS: usize = 200;
/// What is read of a configuration.
const LONGEST: usize = 1 << 20;

/// Git's configuration as a call begins, by the names of its files.
#[derive(Default)]
pub struct GitSettings {
    /// The hashes of their texts, so that there is a way back to them.
    pub texts: Stand,
    /// The hashes of what they say of what is run: the rest is of no interest.
    pub running: Stand,
}

impl GitSettings {
    pub fn of(project: &Path) -> Self {
        let mut found = Self::default();
        for (name, path) in files(project) {
            let Some(text) = read_head(&path, LONGEST) else { continue };
            if !Path::new(&name).is_absolute() {
                found.texts.insert(name.clone(), hash_of(&text));
            }
            found.running.insert(name, of_settings(&running(&text)));
        }
        found
    }
}

/// What runs something and was changed since then, as paths from the project's root where it is
/// in there.
pub fn changed(
    project: &Path,
    user_home: Option<&Path>,
    before: &Stand,
    since: Time,
) -> Vec<String> {
    let Some((_, common)) = git::git_dirs(project) else { return Vec::new() };
    let mut folders = vec![common.join("hooks")];
    let mut found = Vec::new();
    let nothing = of_settings(&BTreeSet::new());
    for (name, path) in files(project) {
        let settings = running(&read_head(&path, LONGEST).unwrap_or_default());
        let hooks = settings.iter().filter_map(|it| it.strip_prefix("core.hookspath="));
        folders.extend(hooks.map(|path| match (path.strip_prefix("~/"), user_home) {
            (Some(path), Some(home)) => home.join(path),
            _ => project.join(path),
        }));
        if *before.get(&name).unwrap_or(&nothing) != of_settings(&settings) {
            found.push(name);
        }
    }
    let hooks = folders.iter().flat_map(|folder| touched_hooks(folder, since));
    found.extend(hooks.map(|hook| shown(project, &hook)));
    found
}

/// The hooks in a folder that were touched; the folder itself where one is gone and nothing else
/// tells.
fn touched_hooks(folder: &Path, since: Time) -> Vec<PathBuf> {
    let is_touched = |path: &Path| {
        path.symlink_metadata().is_ok_and(|meta| mtime_scan::changed_at(&meta) >= since)
    };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let hooks = entries.flatten().take(MAX_HOOKS).map(|entry| entry.path());
    let hooks = hooks.filter(|path| path.extension().is_none_or(|it| it != "sample"));
    let found: Vec<PathBuf> = hooks.filter(|path| !path.is_dir() && is_touched(path)).collect();
    if found.is_empty() && is_touched(folder) { vec![folder.to_owned()] } else { found }
}

/// The repository's configuration and the work tree's, with the name of each.
fn files(project: &Path) -> Vec<(String, PathBuf)> {
    let Some((own, common)) = git::git_dirs(project) else { return Vec::new() };
    let files = [common.join("config"), own.join("config.worktree")];
    files.into_iter().map(|path| (shown(project, &path), path)).collect()
}

fn running(text: &[u8]) -> BTreeSet<String> {
    settings::running(&String::from_utf8_lossy(text))
}

fn of_settings(settings: &BTreeSet<String>) -> String {
    hash_of(settings.iter().map(String::as_str).collect::<Vec<_>>().join("\0").as_bytes())
}

fn shown(project: &Path, path: &Path) -> String {
    // From a linked work tree to the repository it goes up again.
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    let real = if goes_up { path.canonicalize().ok() } else { None };
    let path = real.as_deref().unwrap_or(path);
    path.strip_prefix(project).unwrap_or(path).to_string_lossy().into_owned()
}
