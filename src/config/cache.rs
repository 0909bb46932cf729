//! Caches the merged configuration, so that a hook parses no TOML, and the last readable text of
//! each file.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{LARGEST, Loaded, Seen};
use crate::{
    core::policy::Policy,
    world::{
        cached::{self, MadeBy, hash, replace},
        file_identity,
    },
};

/// Changes whenever the code that reads configurations does.
const MADE_BY: MadeBy = cached::made_by(&[
    include_bytes!("mod.rs"),
    include_bytes!("client_env.rs"),
    include_bytes!("confirmed_copy.rs"),
    include_bytes!("keys.rs"),
    include_bytes!("layer.rs"),
    include_bytes!("check_value.rs"),
    include_bytes!("merge.rs"),
    include_bytes!("diagnostic.rs"),
    include_bytes!("../core/policy.rs"),
    include_bytes!("../core/policy/intent.rs"),
    include_bytes!("../core/policy/reflection.rs"),
]);

const LARGEST_ENTRY: u64 = 8 << 20;

pub(super) fn read(path: &Path, seen: &Seen) -> Option<Loaded> {
    let stamps = seen.files().map(|file| &file.stamp);
    cached::read(path, MADE_BY, seen, stamps, LARGEST_ENTRY)
}

pub(super) fn finish(pending: cached::Pending, seen: &Seen, loaded: &Loaded) {
    match sparse(loaded) {
        Some(sparse) => pending.finish(MADE_BY, seen, &sparse, None),
        None => pending.finish(MADE_BY, seen, loaded, None),
    }
}

/// Drops default values to shorten what a hook reads. `None` if the result would be read
/// differently.
fn sparse(loaded: &Loaded) -> Option<Value> {
    let mut sparse = serde_json::to_value(loaded).ok()?;
    let usual = serde_json::to_value(Policy::default()).ok()?;
    let policy = sparse.get_mut("policy")?.as_object_mut()?;
    policy.retain(|name, section| {
        let usual = &usual[name];
        let is_usual = section == usual;
        if let Some((section, usual)) = section.as_object_mut().zip(usual.as_object()) {
            section.retain(|key, value| usual.get(key) != Some(value));
        }
        !is_usual
    });
    let is_same =
        serde_json::from_value::<Loaded>(sparse.clone()).is_ok_and(|again| again == *loaded);
    is_same.then_some(sparse)
}

pub(super) fn entry(roz_home: &Path, user_file: &Path, project: Option<&Path>) -> PathBuf {
    let project = project.map_or(&[][..], |project| project.as_os_str().as_encoded_bytes());
    let name = hash(&[user_file.as_os_str().as_encoded_bytes(), project]);
    roz_home.join(format!("cache/config-{name:032x}.json"))
}

pub(super) fn last_readable(roz_home: &Path, source: &Path) -> Option<String> {
    let text = file_identity::read(&copy(roz_home, source), LARGEST + 8192).ok()??;
    let text = String::from_utf8(text).ok()?;
    Some(text.strip_prefix(&heading(source))?.to_owned())
}

pub(super) fn keep_readable(roz_home: &Path, source: &Path, text: &str) {
    if last_readable(roz_home, source).as_deref() != Some(text) {
        let heading = heading(source);
        let _ = replace(&copy(roz_home, source), &[heading.as_bytes(), text.as_bytes()]);
    }
}

fn copy(roz_home: &Path, source: &Path) -> PathBuf {
    let name = hash(&[source.as_os_str().as_encoded_bytes()]);
    roz_home.join(format!("cache/readable-{name:032x}.toml"))
}

fn heading(source: &Path) -> String {
    let source = source.to_string_lossy();
    format!("# {}, when it could last be read\n", source.escape_debug())
}
