//! What of git's own folder runs something: the hooks, and the settings that
//! name a program. The look at the work tree leaves that folder alone, for git
//! writes there with each of its commands.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use crate::{
    core::intent::{doubt::Stand, settings},
    ledger::images::{Images, hash_of},
    world::{
        git,
        look::{self, Time},
        read_head,
    },
};

/// So many files of a folder of hooks are looked at.
const MOST: usize = 200;
/// A longer configuration is looked at so far.
const LONGEST: usize = 1 << 20;

/// How the configuration stands.
pub(super) fn stand(project: &Path) -> Stand {
    let common = git::git_dirs(project).map(|it| it.1);
    let config = common.map(|it| config(project, &it));
    let known = config.and_then(|(name, path)| Some((name, hash_of(&text(&path)?))));
    known.into_iter().collect()
}

/// What runs something and was changed since then, as paths from the project's
/// root where it lies there. `before` is what [`stand`] said, where it was asked.
pub(super) fn changed(
    project: &Path,
    before: Option<&Stand>,
    images: &Images,
    since: Time,
) -> Vec<String> {
    let Some((_, common)) = git::git_dirs(project) else { return Vec::new() };
    let mut found = Vec::new();
    let mut folders = vec![common.join("hooks")];
    let (name, path) = config(project, &common);
    let now = text(&path).unwrap_or_default();
    let before = before.and_then(|it| it.get(&name));
    let known = before.and_then(|hash| images.read(hash));
    let settings = |text: &[u8]| settings::running(&String::from_utf8_lossy(text));
    let is_same = before.is_some_and(|it| *it == hash_of(&now));
    if !is_same
        && is_touched(&path, since)
        && settings(known.as_deref().unwrap_or_default()) != settings(&now)
    {
        found.push(name);
    }
    // What lies in a folder that nobody ran hooks of is no hook.
    for setting in settings(known.as_ref().unwrap_or(&now)) {
        if let Some(path) = setting.strip_prefix("core.hookspath=") {
            folders.push(project.join(path.trim_matches('"')));
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

/// The repository's configuration: as it is named here, and where it is.
fn config(project: &Path, common: &Path) -> (String, PathBuf) {
    let path = common.join("config");
    (shown(project, &path), path)
}

fn text(path: &Path) -> Option<Vec<u8>> {
    read_head(path, LONGEST)
}

fn shown(project: &Path, path: &Path) -> String {
    path.strip_prefix(project).unwrap_or(path).to_string_lossy().into_owned()
}

/// Whether the user may run the file; none where there is none.
pub(super) fn is_executable(path: &Path) -> Option<bool> {
    let meta = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
    Some(meta.permissions().mode() & 0o100 != 0)
}
