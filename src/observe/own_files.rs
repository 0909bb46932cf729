//! roz's own files before and after a call: what they said that protects, and whether they still
//! say it.
//!
//! `<ROZ_HOME>/own-files.json` has each file's identity with what it said, so that a file that is
//! as it was is not read. A call that may change something takes a link to that file as it begins,
//! and compares with it at its end. What is changed between two calls is a person's.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    core::{
        bounded,
        own_files::{Kind, Weakened},
    },
    world::{
        cached,
        file_identity::{self, Seen, Stamp},
    },
};

/// Longer ones count as unreadable.
const LONGEST: u64 = 4 << 20;

/// Files that are known, of all projects; with more, all is read anew.
const MAX_FILES: usize = 300;

/// A file to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    pub kind: Kind,
    pub path: PathBuf,
}

/// What is known of the files.
pub type Known = BTreeMap<PathBuf, File>;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct File {
    stamp: Stamp,
    /// What it says that protects: a hash of all of it, or the hooks that it names.
    says: BTreeSet<String>,
    /// A verb of roz's own wrote it so.
    #[serde(default)]
    by_roz: bool,
}

/// A file that says something else than before the call.
#[derive(Debug)]
pub struct Changed {
    pub kind: Kind,
    pub path: PathBuf,
    pub before: BTreeSet<String>,
    /// What it does not say any more.
    pub lost: Vec<String>,
}

/// A call begins. Answers the files that are not as they were at the end of the last one.
pub fn begin(home: &Path, watched: &[Watched], call: &str) -> Vec<PathBuf> {
    let (known, fresh) = refreshed(home, watched);
    if !fresh.is_empty() {
        write(home, &known);
    }
    let Some(mark) = mark(home, call) else { return fresh };
    let linked = fs::hard_link(state(home), &mark);
    if linked.as_ref().is_err_and(|err| err.kind() == io::ErrorKind::NotFound) {
        let _ = fs::create_dir_all(home.join("cache"));
    }
    if linked.is_err() {
        let _ = fs::remove_file(&mark);
        let _ = fs::copy(state(home), &mark);
    }
    fresh
}

/// A call ends. Nothing, if it was one that only reads.
pub fn end(home: &Path, watched: &[Watched], call: &str) -> Vec<Changed> {
    let Some(mark) = mark(home, call) else { return Vec::new() };
    let Some(before) = read(&mark) else { return Vec::new() };
    let _ = fs::remove_file(mark);
    let by_verbs = read(&state(home)).unwrap_or_default();
    let (known, fresh) = refreshed(home, watched);
    let mut changed = Vec::new();
    for Watched { kind, path } in watched {
        let (Some(before), Some(now)) = (before.get(path), known.get(path)) else { continue };
        // One of roz's verbs wrote it meanwhile, and it is so still.
        let is_verbs = by_verbs
            .get(path)
            .is_some_and(|file| file.by_roz && file.says == now.says && file != before);
        let lost: Vec<String> = before.says.difference(&now.says).cloned().collect();
        let is_other = !lost.is_empty() || *kind == Kind::Configuration && before.says != now.says;
        if is_other && !is_verbs {
            changed.push(Changed {
                kind: *kind,
                path: path.clone(),
                before: before.says.clone(),
                lost,
            });
        }
    }
    if !fresh.is_empty() {
        write(home, &known);
    }
    changed
}

/// What is there before one of roz's own verbs writes.
pub fn look(home: &Path, watched: &[Watched]) -> Known {
    refreshed(home, watched).0
}

/// A verb wrote what differs from `before`: that is nobody's change.
pub fn accept(home: &Path, watched: &[Watched], before: &Known) {
    let (mut known, _) = refreshed(home, watched);
    let mut is_new = false;
    for (path, file) in &mut known {
        if before.get(path).is_none_or(|before| before.says != file.says) {
            file.by_roz = true;
            is_new = true;
        }
    }
    if is_new {
        write(home, &known);
    }
}

/// Whether any call was watched yet.
pub fn has_begun(home: &Path) -> bool {
    state(home).exists()
}

/// What is known, brought up to date, and which files were not as it said.
fn refreshed(home: &Path, watched: &[Watched]) -> (Known, Vec<PathBuf>) {
    let mut known = read(&state(home)).unwrap_or_default();
    if known.len() > MAX_FILES {
        known.clear();
    }
    let mut fresh = Vec::new();
    for Watched { kind, path } in watched {
        let Seen { stamp, .. } = Seen::at(path.clone());
        match known.get_mut(path) {
            Some(file) if file.stamp == stamp => (),
            Some(file) => {
                let says = says(*kind, path, &stamp);
                if file.says != says {
                    fresh.push(path.clone());
                    (file.says, file.by_roz) = (says, false);
                }
                file.stamp = stamp;
            }
            None => {
                let says = says(*kind, path, &stamp);
                known.insert(path.clone(), File { stamp, says, by_roz: false });
                fresh.push(path.clone());
            }
        }
    }
    (known, fresh)
}

/// What a file says that protects; nothing where there is none.
fn says(kind: Kind, path: &Path, stamp: &Stamp) -> BTreeSet<String> {
    let text = |path: &Path| file_identity::read(path, LONGEST).ok().flatten();
    let one = |text: String| BTreeSet::from([text]);
    match (kind, stamp) {
        (_, Stamp::Absent) => BTreeSet::new(),
        (Kind::Binary, Stamp::File { dev, ino, size, mtime, .. }) => {
            one(format!("{dev}:{ino}:{size}:{mtime:?}"))
        }
        (Kind::Settings, _) => {
            let value = text(path).and_then(|it| serde_json::from_slice(&it).ok());
            protections(&value.unwrap_or_default())
        }
        (Kind::Configuration | Kind::Plugin | Kind::Binary, _) => {
            one(bounded::sha256(&text(path).unwrap_or_default()))
        }
    }
}

/// What settings of the client say for roz: its hooks, its plugin, and that hooks run at all.
fn protections(settings: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if settings["disableAllHooks"] != true {
        found.insert("hooks run".to_owned());
    }
    if settings["enabledPlugins"]["roz@roz"] == true {
        found.insert("the plugin `roz@roz`".to_owned());
    }
    for (event, groups) in settings["hooks"].as_object().into_iter().flatten() {
        let text = groups.to_string();
        if text.contains("roz") && text.contains("hook") {
            found.insert(format!("the hook at {event}"));
        }
    }
    found
}

fn state(home: &Path) -> PathBuf {
    home.join("own-files.json")
}

/// Where a call keeps what it began with; `roz clean` takes it away where the call never ended.
fn mark(home: &Path, call: &str) -> Option<PathBuf> {
    let is_name = call.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'-');
    (is_name && (1..=128).contains(&call.len())).then(|| home.join(format!("cache/call-{call}")))
}

fn read(path: &Path) -> Option<Known> {
    serde_json::from_slice(&file_identity::read(path, LONGEST).ok()??).ok()
}

fn write(home: &Path, known: &Known) {
    if let Ok(text) = serde_json::to_vec(known) {
        let _ = cached::replace(&state(home), &[&text]);
    }
}

/// What waits for a person, of what is still as the call left it.
pub fn unconfirmed(home: &Path) -> Vec<Weakened> {
    let text = file_identity::read(&list(home), LONGEST).ok().flatten();
    let noted: Vec<Weakened> =
        text.and_then(|it| serde_json::from_slice(&it).ok()).unwrap_or_default();
    let is_weakened = |it: &Weakened| {
        let now = says(it.kind, &it.file, &Seen::at(it.file.clone()).stamp);
        !it.before.is_subset(&now) || it.kind == Kind::Configuration && it.before != now
    };
    noted.into_iter().filter(is_weakened).collect()
}

/// Notes what a call weakened; of each file what it was at first counts.
///
/// # Errors
///
/// If it cannot be written.
pub fn note(home: &Path, new: &[Weakened]) -> io::Result<()> {
    let mut noted = unconfirmed(home);
    for it in new {
        match noted.iter_mut().find(|known| known.file == it.file) {
            Some(known) => known.what.clone_from(&it.what),
            None => noted.push(it.clone()),
        }
    }
    cached::replace(&list(home), &[&serde_json::to_vec(&noted)?])
}

/// The file waits for nobody any more.
///
/// # Errors
///
/// If the list cannot be written.
pub fn forget(home: &Path, file: &Path) -> io::Result<()> {
    let mut noted = unconfirmed(home);
    noted.retain(|it| it.file != file);
    cached::replace(&list(home), &[&serde_json::to_vec(&noted)?])
}

/// Whether anything was noted: a look at one file.
pub fn has_noted(home: &Path) -> bool {
    list(home).exists()
}

/// A person has looked at all of it, or all of it is as it was.
///
/// # Errors
///
/// If the list cannot be removed.
pub fn clear(home: &Path) -> io::Result<()> {
    match fs::remove_file(list(home)) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => Err(err),
        _ => Ok(()),
    }
}

fn list(home: &Path) -> PathBuf {
    home.join("unconfirmed.json")
}
