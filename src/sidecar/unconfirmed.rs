//! Which changes to the declared intents someone has to confirm.
//!
//! An agent's call can change its own permissions unseen, for example in a script. So each of
//! [`FILES`] is hashed before a call ([`hashes`]) and compared after it ([`changed`]). A difference
//! that roz's own commands did not make is a [`Doubt`]: every write is refused until a person
//! confirms it, or the file is restored. A change between two calls was made by a person.
//!
//! The state of a project is one file in roz's home, so that all sessions share it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

use chrono::{DateTime, SubsecRound as _, Utc};
use serde::{Deserialize, Serialize};

use super::intents_file;
use crate::{
    core::{
        bounded,
        intent::{
            selection::{FILE, Missing},
            unconfirmed::{FILES, FileHashes, UnconfirmedChange},
        },
    },
    world::{
        cached,
        files::{self, At as _, Result},
        git, objects,
    },
};

/// How many of roz's own changes are remembered.
const MOST: usize = 40;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Notes {
    doubts: BTreeMap<String, UnconfirmedChange>,
    /// roz's own changes, newest last.
    own: Vec<Own>,
    /// The commit that was checked out when a person confirmed that the intents were removed on
    /// purpose.
    let_go: Option<String>,
}

/// A change that roz made itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    pub file: String,
    pub before: Option<String>,
    pub after: Option<String>,
    pub at: DateTime<Utc>,
    /// It permits more, and a process of an agent's client asked for it, so it is valid only once a
    /// person has allowed the call ([`granted`]).
    #[serde(default)]
    pub by_agent: bool,
}

/// A file that has changed, and not by roz.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub file: &'static str,
    pub before: Option<String>,
    pub now: Option<String>,
}

/// The hashes of the files.
pub fn hashes(root: &Path) -> FileHashes {
    let hash = |file: &&str| Some(((*file).to_owned(), hash(&root.join(file))?));
    FILES.iter().filter_map(hash).collect()
}

/// The hash of a regular file; `None` if it does not exist. Anything else has one common value,
/// because it is not relied on.
fn hash(path: &Path) -> Option<String> {
    match files::read(path) {
        Ok(None) => None,
        Ok(Some((bytes, _))) => Some(bounded::hash_of(&bytes)),
        Err(files::Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotADirectory => {
            None
        }
        Err(_) => Some("unreadable".to_owned()),
    }
}

/// The files that have changed, unless roz's own changes since then explain it.
pub fn changed(
    root: &Path,
    roz_home: &Path,
    before: &FileHashes,
    since: DateTime<Utc>,
) -> Vec<Changed> {
    let now = hashes(root);
    let differing = FILES.iter().filter(|file| before.get(**file) != now.get(**file));
    let mut found: Vec<Changed> = differing
        .map(|file| Changed {
            file,
            before: before.get(*file).cloned(),
            now: now.get(*file).cloned(),
        })
        .collect();
    if !found.is_empty() {
        let notes = read(&path(root, roz_home));
        found.retain(|changed| {
            let own = notes.own(changed.file, since).filter(|own| !own.by_agent);
            !leads(own, changed.before.as_ref(), changed.now.as_ref())
        });
    }
    found
}

impl Notes {
    fn own(&self, file: &str, since: DateTime<Utc>) -> impl Iterator<Item = &Own> {
        // The times of roz's own changes are in whole seconds.
        let since = since.trunc_subsecs(0);
        self.own.iter().filter(move |own| own.file == file && own.at >= since)
    }

    /// Whether a file with this hash is unconfirmed: it is as the call left it, or as roz has
    /// changed it since.
    fn doubts(&self, doubt: &UnconfirmedChange, now: Option<&String>) -> bool {
        leads(self.own(&doubt.file, doubt.at), doubt.left.as_ref(), now)
    }
}

/// Whether roz's own changes lead from one hash to the other. A recorded change may not have been
/// made.
fn leads<'a>(
    own: impl Iterator<Item = &'a Own>,
    from: Option<&'a String>,
    to: Option<&String>,
) -> bool {
    let mut reached = vec![from];
    for step in own {
        if reached.contains(&step.before.as_ref()) {
            reached.push(step.after.as_ref());
        }
    }
    reached.contains(&to)
}

/// The files whose content is still what a call wrote, and that nobody has confirmed.
pub fn doubts(root: &Path, roz_home: &Path) -> Vec<UnconfirmedChange> {
    let notes = read(&path(root, roz_home));
    let doubts = notes.doubts.values().filter(|doubt| FILES.contains(&&*doubt.file));
    let is_unconfirmed =
        |doubt: &&UnconfirmedChange| notes.doubts(doubt, hash(&root.join(&doubt.file)).as_ref());
    doubts.filter(is_unconfirmed).cloned().collect()
}

/// Records what calls have changed. A change that a call took back is not unconfirmed any more.
pub fn found(
    root: &Path,
    roz_home: &Path,
    new: &[UnconfirmedChange],
    until: Instant,
) -> Result<()> {
    update(root, roz_home, until, |notes| {
        for doubt in new {
            let known = notes.doubts.get(&doubt.file);
            let known = known.filter(|known| notes.doubts(known, doubt.before.as_ref()));
            let before = known.map_or(&doubt.before, |known| &known.before).clone();
            if before == doubt.left {
                notes.doubts.remove(&doubt.file);
            } else {
                notes
                    .doubts
                    .insert(doubt.file.clone(), UnconfirmedChange { before, ..doubt.clone() });
            }
        }
    })
}

/// Records what roz is about to write, so that a concurrent hook knows that roz made the change.
pub fn wrote(root: &Path, roz_home: &Path, own: Own, until: Instant) -> Result<()> {
    update(root, roz_home, until, |notes| {
        notes.own.push(own);
        let excess = notes.own.len().saturating_sub(MOST);
        notes.own.drain(..excess);
    })
}

/// Records that a person allowed the call that had roz write since then. It counts for every
/// session.
pub fn granted(root: &Path, roz_home: &Path, since: DateTime<Utc>, until: Instant) -> Result<()> {
    let since = since.trunc_subsecs(0);
    let is_meant = |own: &Own| own.at >= since;
    // In most calls that a person is asked about, roz writes nothing.
    if !read(&path(root, roz_home)).own.iter().any(is_meant) {
        return Ok(());
    }
    update(root, roz_home, until, |notes| {
        for own in notes.own.iter_mut().filter(|own| is_meant(own)) {
            own.by_agent = false;
            if notes.doubts.get(&own.file).is_some_and(|doubt| doubt.left == own.after) {
                notes.doubts.remove(&own.file);
            }
        }
    })
}

/// Records that a person confirms the files as they were shown. Returns whether they are unchanged;
/// otherwise nothing is confirmed.
pub fn confirm(root: &Path, roz_home: &Path, shown: &FileHashes, until: Instant) -> Result<bool> {
    update(root, roz_home, until, |notes| {
        if hashes(root) != *shown {
            return false;
        }
        notes.doubts.clear();
        let is_gone = !shown.contains_key(FILE);
        notes.let_go = is_gone.then(|| git::head(root).unwrap_or_default());
        true
    })
}

/// How the intents were lost, if they do not exist and a person has to confirm that: a call has
/// removed them, or a session `had` them and they are still in the checked out commit.
pub fn missing(root: &Path, roz_home: &Path, had: bool, until: Instant) -> Option<Missing> {
    let notes = read(&path(root, roz_home));
    let is_taken = notes.doubts.get(FILE).is_some_and(|doubt| doubt.left.is_none());
    if !had && !is_taken {
        return None;
    }
    let commit = git::head(root);
    if !is_taken && notes.let_go.is_some_and(|at| at == commit.clone().unwrap_or_default()) {
        return None;
    }
    // If git does not answer, assume that they are in the commit.
    let is_in_git = commit.is_some_and(|commit| is_at(root, &commit, until) != Some(false));
    (is_taken || is_in_git).then_some(Missing { is_in_git })
}

/// Whether a commit has the intents. `None` if git does not answer.
fn is_at(root: &Path, commit: &str, until: Instant) -> Option<bool> {
    // Ask for the root folder too: if git has lost objects, that is missing as well.
    let found = objects::named(root, &[(commit, FILE), (commit, "")], until).ok()?;
    match &found[..] {
        [Some(_), _] => Some(true),
        [None, Some(_)] => Some(false),
        _ => None,
    }
}

fn update<T>(
    root: &Path,
    roz_home: &Path,
    until: Instant,
    change: impl FnOnce(&mut Notes) -> T,
) -> Result<T> {
    let path = path(root, roz_home);
    let folder = path.parent().unwrap_or(roz_home);
    fs::create_dir_all(folder).at(folder)?;
    let _lock = files::lock(&path.with_extension("lock"), until)?;
    let mut notes = read(&path);
    let done = change(&mut notes);
    let text = serde_json::to_vec(&notes).at(&path)?;
    cached::replace(&path, &[&text]).at(&path)?;
    Ok(done)
}

/// Reads the state. A file that cannot be read counts as empty.
fn read(path: &Path) -> Notes {
    let found = files::read(path).ok().flatten();
    found.and_then(|(bytes, _)| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn path(root: &Path, roz_home: &Path) -> PathBuf {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let name = cached::hash(&[intents_file(&root).as_os_str().as_encoded_bytes()]);
    roz_home.join(format!("sidecars/{name:032x}.json"))
}

#[cfg(test)]
mod tests;
