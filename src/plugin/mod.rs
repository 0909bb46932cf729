//! roz as a plugin of the client: the files that the client reads, built into
//! the binary, and the folder that they are written to.
//!
//! The client reads a marketplace that is a folder in place, at every session's
//! start, so the folder has to stay. It holds the binary's absolute
//! path: what PATH says in the client's environment does not matter to a hook.

mod before;
pub mod client;
pub mod extras;
pub mod json_edit;
mod place;
pub mod settings;

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use serde_json::Value;

pub use self::{before::Back, place::Place};
use crate::world::read_text;

/// The plugin as the client names it: plugin `roz` of marketplace `roz`.
pub const ID: &str = "roz@roz";
pub const MARKETPLACE: &str = "roz";
const PLUGIN: &str = "roz";

const MANIFEST: &str = ".claude-plugin/plugin.json";
const HOOKS: &str = "hooks/hooks.json";
const FILES: [(&str, &str); 7] = [
    (MANIFEST, include_str!("../../.claude-plugin/plugin.json")),
    (".claude-plugin/marketplace.json", include_str!("../../.claude-plugin/marketplace.json")),
    (HOOKS, include_str!("../../hooks/hooks.json")),
    ("agents/roz.md", include_str!("../../agents/roz.md")),
    ("skills/reflect/SKILL.md", include_str!("../../skills/reflect/SKILL.md")),
    ("skills/recall/SKILL.md", include_str!("../../skills/recall/SKILL.md")),
    ("skills/maintain/SKILL.md", include_str!("../../skills/maintain/SKILL.md")),
];
/// A link to the binary. The client puts this folder on the PATH of its Bash
/// tool: a reviewer finds `roz decide` whatever the user's PATH says.
const LINK: &str = "bin/roz";
const MAX_FILE: u64 = 1 << 20;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to access `{}`", .0.display())]
    Io(PathBuf, #[source] io::Error),
    #[error("`{}` is not UTF-8, so no hook can name it. Install the binary elsewhere", .0.display())]
    NotText(PathBuf),
    #[error("the system names no folder for a user's data. Set `HOME`")]
    NoDataDir,
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |err| Error::Io(path, err)
}

/// What is written: the built-in files, with this in them.
#[derive(Debug, Clone, Copy)]
pub struct Plugin<'a> {
    /// Absolute.
    pub binary: &'a Path,
    /// A tool call does not run where its hook cannot.
    pub strict: bool,
}

impl Plugin<'_> {
    fn files(&self) -> Result<Vec<(&'static str, String)>, Error> {
        let binary = self.binary.to_str().ok_or(Error::NotText(self.binary.to_owned()))?;
        let with = |(name, text): (&'static str, &str)| {
            let text = if name == HOOKS { self.hooks(text, binary) } else { text.to_owned() };
            (name, text)
        };
        Ok(FILES.into_iter().map(with).collect())
    }

    fn hooks(&self, text: &str, binary: &str) -> String {
        let mut document: Value = serde_json::from_str(text).expect("a test parses it");
        let events = document["hooks"].as_object_mut().expect("a test walks it");
        for (event, groups) in events {
            let groups = groups.as_array_mut().into_iter().flatten();
            let hooks = groups.filter_map(|group| group["hooks"].as_array_mut()).flatten();
            for hook in hooks {
                hook["command"] = binary.into();
                if self.strict && event == "PreToolUse" {
                    hook["onFailure"] = "block".into();
                }
            }
        }
        format!("{document:#}\n")
    }

    /// Whether the files in `folder` are these already.
    pub fn is_written(&self, folder: &Path) -> Result<bool, Error> {
        let has = |(name, text): &(&str, String)| {
            read_text(&folder.join(name), MAX_FILE).as_ref() == Some(text)
        };
        Ok(self.files()?.iter().all(has) && self.is_linked(folder))
    }

    fn is_linked(&self, folder: &Path) -> bool {
        fs::read_link(folder.join(LINK)).is_ok_and(|path| path == self.binary)
    }

    /// Writes the files that `folder` lacks or has otherwise, each whole or not
    /// at all: a session that starts meanwhile reads the old or the new one.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        for (name, text) in self.files()? {
            let path = folder.join(name);
            if read_text(&path, MAX_FILE).as_ref() != Some(&text) {
                replace(&path, |item| fs::write(item, text))?;
            }
        }
        if !self.is_linked(folder) {
            replace(&folder.join(LINK), |path| std::os::unix::fs::symlink(self.binary, path))?;
        }
        Ok(())
    }
}

/// Makes a file beside `path`, then puts it in its place.
fn replace(path: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), Error> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent).map_err(at(parent))?;
    let temporary = path.with_extension("new");
    // A link in its place is not written through.
    let _ = fs::remove_file(&temporary);
    make(&temporary).map_err(at(&temporary))?;
    fs::rename(&temporary, path).map_err(at(path))
}

/// Writes a file of the client's, whole or not at all: a link stays one, and so do permissions.
pub fn put(path: &Path, text: &str) -> io::Result<()> {
    if path.exists() {
        return before::overwrite(path, text);
    }
    fs::write(path, text)
}

/// Makes a file that only the user may read.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// What a plugin's folder makes the client run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub version: String,
    /// The programs of all hooks: one, if all is well.
    pub programs: BTreeSet<PathBuf>,
    /// The client's names.
    pub events: BTreeSet<String>,
    pub strict: bool,
    /// What `roz` is in the client's Bash tool.
    pub linked: Option<PathBuf>,
}

/// Reads the plugin in `folder`.
///
/// # Errors
///
/// What is missing, in words.
pub fn read(folder: &Path) -> Result<Found, String> {
    let document = |name: &str| -> Result<Value, String> {
        let path = folder.join(name);
        let text = read_text(&path, MAX_FILE);
        let text = text.ok_or_else(|| format!("`{}` cannot be read", path.display()))?;
        serde_json::from_str(&text).map_err(|err| format!("`{}`: {err}", path.display()))
    };
    let manifest = document(MANIFEST)?;
    let hooks = document(HOOKS)?;
    let mut found = Found {
        version: manifest["version"].as_str().unwrap_or_default().to_owned(),
        programs: BTreeSet::new(),
        events: BTreeSet::new(),
        strict: false,
        linked: folder.join(LINK).canonicalize().ok(),
    };
    for (event, groups) in hooks["hooks"].as_object().into_iter().flatten() {
        let groups = groups.as_array().into_iter().flatten();
        for hook in groups.filter_map(|group| group["hooks"].as_array()).flatten() {
            if let Some(program) = hook["command"].as_str() {
                found.programs.insert(program.into());
                found.events.insert(event.clone());
            }
            found.strict |= hook["onFailure"] == "block";
        }
    }
    Ok(found)
}

/// Whether a marketplace's folder is an earlier roz's, or that of another
/// program of this name. One that is gone was nobody's.
pub fn is_of_roz(folder: &Path) -> bool {
    let document = |path: PathBuf| -> Option<Value> {
        serde_json::from_str(&read_text(&path, MAX_FILE)?).ok()
    };
    let Some(marketplace) = document(folder.join(".claude-plugin/marketplace.json")) else {
        return !folder.exists();
    };
    let mut plugins = marketplace["plugins"].as_array().into_iter().flatten();
    plugins.any(|plugin| {
        let source = plugin["source"].as_str().unwrap_or(".");
        let hooks = document(folder.join(source).join(HOOKS)).unwrap_or_default();
        let groups = hooks["hooks"].as_object().into_iter().flatten();
        let groups = groups.filter_map(|(_, value)| value.as_array()).flatten();
        let mut hooks = groups.filter_map(|group| group["hooks"].as_array()).flatten();
        plugin["name"] == PLUGIN && hooks.any(settings::runs_roz)
    })
}

/// Whether a binary is where a build puts it: cleaning removes it.
pub fn is_in_build_folder(binary: &Path) -> bool {
    let words: Vec<_> = binary.iter().map(|name| name.to_string_lossy()).collect();
    let is_profile = |text: &str| text == "debug" || text == "release";
    words.iter().enumerate().any(|(at, word)| {
        let below = words.iter().skip(at + 1).take(2);
        word == "target" && below.into_iter().any(|text| is_profile(text))
    })
}

#[cfg(test)]
mod tests;
