//! What a project puts into the environment by way of the client.
//!
//! The client passes the `env` of a project's settings to its hooks, so a variable says nothing
//! about who set it. A variable that such a file names counts as the project's, whatever its value:
//! the file may have changed since the client read it.

use std::path::{Path, PathBuf};

use super::file;

const FILES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
const LARGEST: u64 = 4 << 20;

/// The client's settings files in `dirs`, the project's root and the folder in which the client was
/// started. Those in `home` are the user's own.
pub(super) fn settings_files(dirs: &[&Path], home: Option<&Path>) -> Vec<PathBuf> {
    let mut dirs: Vec<_> = dirs.iter().filter(|dir| home != Some(dir)).collect();
    dirs.dedup();
    dirs.iter().flat_map(|dir| FILES.map(|text| dir.join(text))).collect()
}

/// Those of `names` that a project's client settings name (`"ROZ_HOME": …`): see [`settings_files`]
/// for `dirs` and `home`. Reads nothing if there are no `names`.
///
/// Whoever resolves `ROZ_HOME` and `ROZ_CONFIG` must pass over these.
pub fn set_by_project<'a>(
    names: impl IntoIterator<Item = &'a str>,
    dirs: &[&Path],
    home: Option<&Path>,
) -> Vec<&'a str> {
    let mut names = names.into_iter().peekable();
    if names.peek().is_none() {
        return Vec::new();
    }
    let files = settings_files(dirs, home).into_iter();
    let texts: Vec<String> = files.filter_map(|path| text(&path)).collect();
    let is_named = |name: &&str| {
        let name = format!("\"{name}\"");
        texts.iter().any(|text| text.contains(&name))
    };
    names.filter(is_named).collect()
}

/// None where the client finds nothing either.
fn text(path: &Path) -> Option<String> {
    let bytes = file::read(path, LARGEST).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
