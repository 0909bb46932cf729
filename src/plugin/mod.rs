//! roz as a plugin of the client: the files that the client reads, which are built into the binary,
//! and the folder that they are written to.
//!
//! The client reads a marketplace in a folder directly, at every session's start, so the folder has
//! to stay. It contains the absolute path of the binary, so that a hook does not depend on PATH.

mod backup;
pub mod claude_program;
pub mod json_edit;
pub mod permission_rules;
mod place;
pub mod read_settings;

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use serde_json::Value;

pub use self::place::Place;
use crate::world::{
    files::{self, At as _, Replacement},
    read_text,
};

/// The plugin as the client names it: plugin `roz` of marketplace `roz`.
pub const ID: &str = "roz@roz";
pub const MARKETPLACE: &str = "roz";
const PLUGIN: &str = "roz";

const MANIFEST: &str = ".claude-plugin/plugin.json";
const MARKET: &str = ".claude-plugin/marketplace.json";
const HOOKS: &str = "hooks/hooks.json";
const FILES: [(&str, &str); 7] = [
    (MANIFEST, include_str!("../../.claude-plugin/plugin.json")),
    (MARKET, include_str!("../../.claude-plugin/marketplace.json")),
    (HOOKS, include_str!("../../hooks/hooks.json")),
    ("agents/roz.md", include_str!("../../agents/roz.md")),
    ("skills/reflect/SKILL.md", include_str!("../../skills/reflect/SKILL.md")),
    ("skills/recall/SKILL.md", include_str!("../../skills/recall/SKILL.md")),
    ("skills/maintain/SKILL.md", include_str!("../../skills/maintain/SKILL.md")),
];
/// A link to the binary. The client puts this folder on the PATH of its Bash tool, so a reviewer
/// finds `roz decide` whatever the user's PATH is.
const LINK: &str = "bin/roz";
const MAX_FILE: u64 = 1 << 20;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    File(Box<dyn std::error::Error + Send + Sync>),
    #[error("`{}` is not UTF-8, so no hook can name it. Install the binary elsewhere", .0.display())]
    NotText(PathBuf),
    #[error("the system names no folder for a user's data. Set `HOME`")]
    NoDataDir,
    #[error("failed to tell which file roz is")]
    Binary(#[source] std::io::Error),
}

pub type Result<T> = std::result::Result<T, Error>;

pub(crate) fn failed(err: files::Error) -> Error {
    Error::File(Box::new(err))
}

/// The values that are filled into the built-in files.
#[derive(Debug, Clone, Copy)]
pub struct Plugin<'a> {
    pub binary: &'a Path,
    /// Whether a tool call is refused if its hook cannot run.
    pub strict: bool,
}

impl Plugin<'_> {
    fn files(&self) -> Result<Vec<(&'static str, String)>> {
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

    /// Writes the files that are missing in `folder` or differ, each atomically, so that a session
    /// that starts meanwhile reads the old or the new one. Returns whether there were any.
    pub fn write(&self, folder: &Path) -> Result<bool> {
        let mut any = false;
        for (name, text) in self.files()? {
            let path = folder.join(name);
            if read_text(&path, MAX_FILE).as_ref() != Some(&text) {
                put(&path, &text)?;
                any = true;
            }
        }
        let link = folder.join(LINK);
        if fs::read_link(&link).is_ok_and(|path| path == self.binary) {
            return Ok(any);
        }
        let temporary = folder.join("bin/new");
        let _ = fs::remove_file(&temporary);
        fs::create_dir_all(folder.join("bin"))
            .and_then(|()| std::os::unix::fs::symlink(self.binary, &temporary))
            .and_then(|()| fs::rename(&temporary, &link))
            .at(&link)
            .map_err(failed)?;
        Ok(true)
    }
}

/// Writes a file atomically, and creates its folder. Links and permissions are kept; only the user
/// has access to a new file.
pub fn put(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).at(folder).map_err(failed)?;
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mode = path.metadata().ok().map(|meta| meta.permissions().mode());
    let new = Replacement { bytes: text.as_bytes(), modified: None, durable: false, mode };
    files::replace(&path, &path.with_extension("roz-new"), &new).map_err(failed)
}

/// What the client runs because of a plugin's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub version: String,
    /// The program of all hooks; `None` if they differ.
    pub program: Option<PathBuf>,
    pub strict: bool,
    /// The program that `roz` starts in the client's Bash tool.
    pub linked: Option<PathBuf>,
}

/// Reads the plugin in `folder`, or says what is missing.
pub fn read(folder: &Path) -> std::result::Result<Found, String> {
    let manifest = document(folder, MANIFEST)?;
    let hooks = document(folder, HOOKS)?;
    let programs: BTreeSet<&str> =
        hooks_of(&hooks).filter_map(|(_, hook)| hook["command"].as_str()).collect();
    Ok(Found {
        version: manifest["version"].as_str().unwrap_or_default().to_owned(),
        program: programs.first().filter(|_| programs.len() == 1).map(PathBuf::from),
        strict: hooks_of(&hooks).any(|(_, hook)| hook["onFailure"] == "block"),
        linked: folder.join(LINK).canonicalize().ok(),
    })
}

fn document(folder: &Path, name: &str) -> std::result::Result<Value, String> {
    let path = folder.join(name);
    let text = read_text(&path, MAX_FILE);
    let text = text.ok_or_else(|| format!("`{}` cannot be read", path.display()))?;
    serde_json::from_str(&text).map_err(|err| format!("`{}`: {err}", path.display()))
}

pub fn hooks_of(document: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let events = document["hooks"].as_object().into_iter().flatten();
    events.flat_map(|(event, groups)| {
        let groups = groups.as_array().into_iter().flatten();
        let hooks = groups.filter_map(|group| group["hooks"].as_array()).flatten();
        hooks.map(move |hook| (event.as_str(), hook))
    })
}

/// Whether a marketplace's folder contains only a roz, so that it may be replaced. A folder that
/// does not exist may be, too.
pub fn is_of_roz(folder: &Path) -> bool {
    let Ok(marketplace) = document(folder, MARKET) else { return !folder.exists() };
    let plugins = marketplace["plugins"].as_array();
    plugins.is_some_and(|plugins| matches!(&plugins[..], [only] if only["name"] == PLUGIN))
}

/// Whether a binary is in a build folder, from which it may be cleaned.
pub fn is_in_build_folder(binary: &Path) -> bool {
    let names: Vec<_> = binary.iter().collect();
    let is_profile = |name: &&OsStr| *name == "debug" || *name == "release";
    names
        .iter()
        .enumerate()
        .any(|(at, name)| *name == "target" && names.iter().skip(at + 1).take(2).any(is_profile))
}

#[cfg(test)]
mod tests;
