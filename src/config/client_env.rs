//! What a project puts into the environment by way of the client.
//!
//! The client passes the `env` of a project's settings to its hooks, so a variable says nothing
//! about who set it. A variable that such a file names counts as the project's, whatever its value:
//! the file may have changed since the client read it.

use std::path::{Path, PathBuf};

use serde_json::Value;

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

/// Those of `names` that a project's client settings set (`"ROZ_HOME": …`): see [`settings_files`]
/// for `dirs` and `home`. Reads nothing if there are no `names`.
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
    let files: Vec<Settings> = settings_files(dirs, home).iter().map(|path| read(path)).collect();
    names.filter(|name| files.iter().any(|settings| settings.may_set(name))).collect()
}

enum Settings {
    Parsed(Value),
    /// The client may be more lenient than a parser of JSON, and `\u` may spell any name.
    Text(String),
    TooLarge,
}

fn read(path: &Path) -> Settings {
    let text = match file::read(path, LARGEST) {
        Ok(bytes) => String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(),
        Err(err) if err.kind() == std::io::ErrorKind::FileTooLarge => return Settings::TooLarge,
        Err(_) => String::new(),
    };
    let parsed = serde_json::from_str(text.trim_start_matches('\u{feff}'));
    parsed.map_or(Settings::Text(text), Settings::Parsed)
}

impl Settings {
    fn may_set(&self, name: &str) -> bool {
        match self {
            Self::Parsed(settings) => settings["env"].get(name).is_some(),
            Self::Text(text) => text.contains(name) || text.contains("\\u"),
            Self::TooLarge => true,
        }
    }
}

#[cfg(test)]
mod tests;
