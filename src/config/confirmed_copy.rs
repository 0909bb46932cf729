//! The user's configuration as last confirmed by a person. If a call made it laxer, this copy
//! applies until `roz confirm`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    LARGEST,
    keys::{KEYS, May},
    layer,
    merge::{Author, Draft},
};
use crate::{
    core::tool_pattern,
    world::{cached, file_identity},
};

/// The copy that applies instead of the user's file. It exists only while a change waits for
/// confirmation.
pub(super) fn path(roz_home: &Path, user_file: &Path) -> PathBuf {
    named(roz_home, user_file, "held")
}

fn named(roz_home: &Path, user_file: &Path, what: &str) -> PathBuf {
    let name = cached::hash(&[user_file.as_os_str().as_encoded_bytes()]);
    roz_home.join(format!("confirmed/{what}-{name:032x}.toml"))
}

/// For a text that a person wrote between two calls.
pub fn keep_confirmed(roz_home: &Path, user_file: &Path) {
    if path(roz_home, user_file).exists() {
        return;
    }
    let text = read(user_file);
    let copy = named(roz_home, user_file, "config");
    if !copy.exists() || read(&copy) != text {
        let _ = cached::replace(&copy, &[text.as_bytes()]);
    }
}

/// One clause for each key that is laxer than in the confirmed copy.
pub fn laxer(roz_home: &Path, user_file: &Path, home: Option<&Path>) -> Vec<String> {
    let held = path(roz_home, user_file);
    let copy = if held.exists() { held } else { named(roz_home, user_file, "config") };
    laxer_than(&read(&copy), &read(user_file), user_file, home)
}

/// Makes the confirmed copy apply.
///
/// # Errors
///
/// If it cannot be written.
pub fn hold(roz_home: &Path, user_file: &Path) -> io::Result<()> {
    let held = path(roz_home, user_file);
    if held.exists() {
        return Ok(());
    }
    let text = read(&named(roz_home, user_file, "config"));
    cached::replace(&held, &[text.as_bytes()])
}

/// Makes the user's file apply again.
///
/// # Errors
///
/// If the copy cannot be removed.
pub fn release(roz_home: &Path, user_file: &Path) -> io::Result<()> {
    match fs::remove_file(path(roz_home, user_file)) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(err),
        _ => (),
    }
    keep_confirmed(roz_home, user_file);
    Ok(())
}

fn read(path: &Path) -> String {
    let bytes = file_identity::read(path, LARGEST).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An agent's call may change only what a project's file may change over `before`.
fn laxer_than(before: &str, after: &str, file: &Path, home: Option<&Path>) -> Vec<String> {
    let settings = |text: &str| {
        let layer = layer::parse(text, file, home).ok()?;
        let mut draft = Draft::new(file);
        draft.lay(layer, Author::User);
        Some(draft.finish().2)
    };
    let before = settings(before).or_else(|| settings("")).unwrap_or_default();
    let Some(after) = settings(after) else { return vec!["it is not TOML any more".to_owned()] };
    let changed = KEYS.iter().zip(before.iter().zip(&after)).filter_map(|(key, (was, is))| {
        let (was, is) = (&was.value, &is.value);
        let is_fine = was == is
            || match key.project {
                May::Set => true,
                May::Add => adds(was, is),
                May::Only(_) | May::Stricter => key.is_stricter(is, was),
                May::StartProgram | May::Nothing => false,
            };
        (!is_fine).then(|| format!("`{}` was {was}, is {is}", key.path))
    });
    changed.collect()
}

/// Whether a list only grew, and not by an exclusion.
fn adds(was: &Value, is: &Value) -> bool {
    let (Value::Array(was), Value::Array(is)) = (was, is) else { return false };
    let excludes = |item: &Value| item.as_str().and_then(tool_pattern::exclusion).is_some();
    is.starts_with(was) && !is[was.len()..].iter().any(excludes)
}

#[cfg(test)]
mod tests;
