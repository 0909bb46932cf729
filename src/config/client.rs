//! What a project puts into the environment by way of the client.
//!
//! The client passes the `env` of a project's settings to its hooks, so a
//! variable says nothing about who set it. A variable that such a file names
//! counts as the project's, whatever its value: the file may have changed
//! since the client read it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file;

const FILES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
const LARGEST: u64 = 4 << 20;

/// The client's settings files in `dirs`, the project's root and the folder in
/// which the client was started. Those in `home` are the user's own.
pub(super) fn settings_files(dirs: &[&Path], home: Option<&Path>) -> Vec<PathBuf> {
    let mut dirs: Vec<_> = dirs.iter().filter(|it| home != Some(it)).collect();
    dirs.dedup();
    dirs.iter().flat_map(|dir| FILES.map(|it| dir.join(it))).collect()
}

/// Those of `names` that a project's client settings set: see
/// [`settings_files`] for `dirs` and `home`. Reads nothing if there are no
/// `names`.
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
    let files: Vec<_> =
        settings_files(dirs, home).iter().filter_map(|it| Settings::read(it)).collect();
    names.filter(|name| files.iter().any(|it| it.may_set(name))).collect()
}

enum Settings {
    Env(Value),
    /// The client may be more lenient than we are.
    NoJson(String),
    TooLarge,
}

impl Settings {
    /// None where the client finds nothing either.
    fn read(path: &Path) -> Option<Self> {
        let bytes = match file::read(path, LARGEST) {
            Ok(bytes) => bytes?,
            Err(err) if err.kind() == std::io::ErrorKind::FileTooLarge => {
                return Some(Settings::TooLarge);
            }
            Err(_) => return None,
        };
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        Some(match serde_json::from_slice::<Value>(text) {
            Ok(mut it) => Settings::Env(it.get_mut("env").map(Value::take).unwrap_or_default()),
            Err(_) => Settings::NoJson(String::from_utf8_lossy(text).into_owned()),
        })
    }

    fn may_set(&self, name: &str) -> bool {
        match self {
            Settings::Env(env) => env.get(name).is_some(),
            // `\u` may spell any name.
            Settings::NoJson(text) => text.contains(name) || text.contains("\\u"),
            Settings::TooLarge => true,
        }
    }
}

#[cfg(test)]
mod tests;
