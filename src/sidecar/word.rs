//! By whose word the sidecar says what it says: what calls left behind unseen
//! ([`Doubt`]), and what roz itself wrote, a note a project in roz's home, so
//! that a session is not widened by what another one did.
//!
//! What nobody noted is a person's. A note that cannot be read says nothing.
//!
//! Long because all that is noted of a project is one document, and each thing
//! that becomes of it one function here, with its tests.

use std::{
    collections::{BTreeMap, BTreeSet},
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
            doubt::{Doubt, FILES, Stand},
            selection,
            selection::Missing,
        },
    },
    world::{
        cached,
        files::{self, Access},
        git, objects,
    },
};

/// Changes of roz's own that are remembered.
const MOST: usize = 40;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Notes {
    /// For whoever reads it.
    project: PathBuf,
    doubts: BTreeMap<String, Doubt>,
    /// Sessions were governed by what was declared here.
    is_known: bool,
    /// The commit that was checked out then, if it had them.
    committed: Option<String>,
    /// The commit that was last asked whether it has them.
    looked_at: Option<String>,
    /// What roz made of a file in doubt, or was about to: it is so still.
    made: BTreeMap<String, Option<String>>,
    /// What roz wrote, the newest last.
    own: Vec<Own>,
}

impl Notes {
    /// Whether the file is in doubt when it holds that.
    fn doubts(&self, file: &str, hash: Option<&str>) -> bool {
        let made = self.made.get(file).map(Option::as_deref);
        self.doubts.get(file).is_some_and(|it| it.left.as_deref() == hash || made == Some(hash))
    }

    /// Which of roz's own changes says that the intents are gone for good, if
    /// none came after it.
    fn let_go(&self) -> Option<usize> {
        let last = self.own.iter().rposition(|it| it.file == selection::FILE)?;
        self.own.get(last)?.lets_go().then_some(last)
    }
}

/// A change that roz made itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    pub file: String,
    pub before: Option<String>,
    pub after: Option<String>,
    pub at: DateTime<Utc>,
    /// It grants something, and a process of an agent's client asked for it: a
    /// person's word where the call that did so was seen, and asked about.
    #[serde(default)]
    pub by_agent: bool,
    /// A person has said that it is right as it is, whatever it was.
    #[serde(default)]
    pub confirms: bool,
}

impl Own {
    fn lets_go(&self) -> bool {
        self.confirms && self.after.is_none() && !self.by_agent && self.file == selection::FILE
    }
}

/// A file that is not what it was, and not by roz.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub file: &'static str,
    pub before: Option<String>,
    pub now: Option<String>,
}

/// What the files hold.
pub fn stand(root: &Path) -> Stand {
    let hash = |file: &&str| Some(((*file).to_owned(), hash(&root.join(file))?));
    FILES.iter().filter_map(hash).collect()
}

/// Whether roz itself made the one of the other since then: at nobody's word or
/// a person's, or where `by_agent`, also at an agent's.
pub fn made(
    root: &Path,
    roz_home: &Path,
    changed: &Changed,
    since: DateTime<Utc>,
    by_agent: bool,
) -> bool {
    leads_to(&read(&path(root, roz_home)).unwrap_or_default().own, changed, since, by_agent)
}

/// A person said yes to the call that had roz write there since then: it is
/// their word for every session.
pub fn granted(
    root: &Path,
    roz_home: &Path,
    since: DateTime<Utc>,
    until: Instant,
) -> io::Result<()> {
    let since = since.trunc_subsecs(0);
    let is_meant = |it: &Own| it.at >= since && FILES.contains(&&*it.file);
    // Most calls that a person is asked about have roz write nothing.
    if !read(&path(root, roz_home)).is_some_and(|it| it.own.iter().any(is_meant)) {
        return Ok(());
    }
    update(root, roz_home, until, |notes| {
        for own in notes.own.iter_mut().filter(|it| is_meant(it)) {
            own.by_agent = false;
            notes.is_known &= !own.lets_go();
            if notes.doubts.get(&own.file).is_some_and(|it| it.left == own.after) {
                notes.doubts.remove(&own.file);
            }
        }
    })
}

/// What is in the place of a file is not told apart: nothing is relied on there.
fn hash(path: &Path) -> Option<String> {
    match files::read(path) {
        Ok(None) => None,
        Ok(Some((bytes, _))) => Some(of(&bytes)),
        Err(err) if is_no_folder(&err) => None,
        Err(_) => Some("unreadable".to_owned()),
    }
}

fn is_no_folder(err: &files::Error) -> bool {
    matches!(err, files::Error::Io { source, .. } if source.kind() == io::ErrorKind::NotADirectory)
}

/// As it is compared with what texts are kept by.
pub fn of(bytes: &[u8]) -> String {
    format!("sha256:{}", bounded::sha256(bytes))
}

/// What holds just what a call left there.
pub fn doubts(root: &Path, roz_home: &Path) -> Vec<Doubt> {
    let Some(notes) = read(&path(root, roz_home)).filter(|it| !it.doubts.is_empty()) else {
        return Vec::new();
    };
    let stands = |it: &&Doubt| notes.doubts(&it.file, hash(&root.join(&it.file)).as_deref());
    let known = notes.doubts.values().filter(|it| FILES.contains(&&*it.file));
    known.filter(stands).cloned().collect()
}

/// The files that are not what they were, unless roz made all of it since then
/// at nobody's or a person's word.
pub fn changed(root: &Path, roz_home: &Path, before: &Stand, since: DateTime<Utc>) -> Vec<Changed> {
    let now = stand(root);
    let differs = |file: &&&str| before.get(**file) != now.get(**file);
    let mut found: Vec<Changed> = FILES
        .iter()
        .filter(differs)
        .map(|file| Changed {
            file,
            before: before.get(*file).cloned(),
            now: now.get(*file).cloned(),
        })
        .collect();
    if !found.is_empty() {
        let own = read(&path(root, roz_home)).unwrap_or_default().own;
        found.retain(|it| !leads_to(&own, it, since, false));
    }
    found
}

/// Whether changes of roz's own led from the one to the other.
fn leads_to(own: &[Own], changed: &Changed, since: DateTime<Utc>, by_agent: bool) -> bool {
    // The verbs' stamps have whole seconds.
    let since = since.trunc_subsecs(0);
    let mut reached = BTreeSet::from([&changed.before]);
    let counts =
        |it: &&Own| it.file == changed.file && it.at >= since && (by_agent || !it.by_agent);
    for it in own.iter().filter(counts) {
        if it.confirms || reached.contains(&it.before) {
            reached.insert(&it.after);
        }
    }
    reached.contains(&changed.now)
}

/// A session begins that is governed by what is declared here, or it is there
/// again: what a person said while it was gone was of that time.
pub fn know(root: &Path, roz_home: &Path, until: Instant) -> io::Result<()> {
    let head = git::head(root);
    let is_same = |it: &Notes| {
        let was_asked = it.committed == head || head.is_some() && it.looked_at == head;
        it.is_known && was_asked && it.let_go().is_none()
    };
    if read(&path(root, roz_home)).is_some_and(|it| is_same(&it)) {
        return Ok(());
    }
    let has_them = head.as_ref().and_then(|it| is_at(root, it, until));
    let looked_at = head.filter(|_| has_them.is_some());
    let committed = looked_at.clone().filter(|_| has_them == Some(true));
    update(root, roz_home, until, |notes| {
        notes.is_known = true;
        (notes.committed, notes.looked_at) = (committed, looked_at);
        if let Some(at) = notes.let_go() {
            notes.own[at].confirms = false;
        }
    })
}

/// Whether a commit has the intents. None: git does not say.
fn is_at(root: &Path, commit: &str, until: Instant) -> Option<bool> {
    // The folder too: where git has lost what it had, nothing is there either.
    let found = objects::at(root, commit, &[selection::FILE, ""], until).ok()?;
    match &found[..] {
        [Some(_), _] => Some(true),
        [None, Some(_)] => Some(false),
        _ => None,
    }
}

/// Where the intents are gone that were known here: how, unless that is a
/// person's word. One is that they were committed when they were known, and are
/// not any more, but not where a call of an agent has taken them away; another
/// is `roz intent confirm`. `root` is where the project really is.
pub fn missing(root: &Path, roz_home: &Path, until: Instant) -> Option<Missing> {
    let notes = read(&path_of_real(root, roz_home))?;
    let taken = notes.doubts.get(selection::FILE).filter(|it| it.left.is_none());
    if !notes.is_known && taken.is_none() {
        return None;
    }
    let head = git::head(root);
    let is_in_git = match &head {
        None => None,
        Some(_) if head == notes.committed => Some(true),
        Some(head) => is_at(root, head, until),
    };
    let is_of_call = taken.is_some();
    if is_in_git == Some(false) && notes.committed.is_some() && !is_of_call {
        // The next event need not ask again.
        let _ = update(root, roz_home, until, |notes| {
            (notes.is_known, notes.committed) = (false, None);
            notes.doubts.remove(selection::FILE);
        });
        return None;
    }
    Some(Missing { is_in_git: is_in_git == Some(true) })
}

/// Whether a person has said that the intents are gone for good.
pub fn is_let_go(root: &Path, roz_home: &Path) -> bool {
    let notes = read(&path(root, roz_home)).unwrap_or_default();
    let taken = notes.doubts.get(selection::FILE).is_some_and(|it| it.left.is_none());
    !taken && notes.let_go().is_some()
}

/// Whether the place is known, and what became of it is a person's to say.
pub fn is_known(root: &Path, roz_home: &Path) -> bool {
    read(&path(root, roz_home)).is_some_and(|it| it.is_known || !it.doubts.is_empty())
}

/// Notes what calls left behind. What one took back is in doubt no more.
pub fn found(root: &Path, roz_home: &Path, new: &[Doubt], until: Instant) -> io::Result<()> {
    update(root, roz_home, until, |notes| {
        for it in new {
            let is_known = notes.doubts(&it.file, it.before.as_deref());
            let known = notes.doubts.get(&it.file).filter(|_| is_known);
            let before = known.map_or(&it.before, |known| &known.before).clone();
            notes.made.remove(&it.file);
            if before == it.left {
                notes.doubts.remove(&it.file);
            } else {
                notes.doubts.insert(it.file.clone(), Doubt { before, ..it.clone() });
            }
        }
    })
}

/// Notes what roz is about to write, or wrote: a hook that looks meanwhile knows
/// whose change it sees. What was in doubt is so still, whether the change comes
/// or not.
pub fn wrote(root: &Path, roz_home: &Path, own: Own, until: Instant) -> io::Result<()> {
    update(root, roz_home, until, |notes| {
        if notes.doubts(&own.file, own.before.as_deref())
            && let Some(doubt) = notes.doubts.get_mut(&own.file)
        {
            doubt.left.clone_from(&own.before);
            notes.made.insert(own.file.clone(), own.after.clone());
        }
        notes.own.push(own);
    })
}

/// A person says that the files are right as they were shown. Answers whether
/// they are so still; else nothing is confirmed.
pub fn confirm(
    root: &Path,
    roz_home: &Path,
    shown: &Stand,
    by_agent: bool,
    now: DateTime<Utc>,
    until: Instant,
) -> io::Result<bool> {
    update(root, roz_home, until, |notes| {
        let mut stand = stand(root);
        if stand != *shown {
            return false;
        }
        notes.doubts.clear();
        notes.made.clear();
        // What an agent's process says counts once a person said yes to it.
        notes.is_known &= by_agent || stand.contains_key(selection::FILE);
        notes.own.extend(FILES.iter().map(|file| Own {
            file: (*file).to_owned(),
            before: None,
            after: stand.remove(*file),
            at: now,
            by_agent,
            confirms: true,
        }));
        true
    })
}

fn update<T>(
    root: &Path,
    roz_home: &Path,
    until: Instant,
    change: impl FnOnce(&mut Notes) -> T,
) -> io::Result<T> {
    let path = path(root, roz_home);
    fs::create_dir_all(path.parent().unwrap_or(roz_home))?;
    let lock = path.with_extension("lock");
    let _lock = files::lock_for(&lock, until, Access::Private).map_err(io::Error::other)?;
    let mut notes = read(&path).unwrap_or_default();
    let done = change(&mut notes);
    root.clone_into(&mut notes.project);
    let excess = notes.own.len().saturating_sub(MOST);
    notes.own.drain(..excess);
    cached::replace(&path, &[&serde_json::to_vec(&notes)?])?;
    Ok(done)
}

fn read(path: &Path) -> Option<Notes> {
    let (bytes, _) = files::read(path).ok()??;
    serde_json::from_slice(&bytes).ok()
}

fn path(root: &Path, roz_home: &Path) -> PathBuf {
    path_of_real(&root.canonicalize().unwrap_or_else(|_| root.to_owned()), roz_home)
}

fn path_of_real(root: &Path, roz_home: &Path) -> PathBuf {
    let name = cached::hash(&[intents_file(root).as_os_str().as_encoded_bytes()]);
    roz_home.join(format!("sidecars/{name:032x}.json"))
}

#[cfg(test)]
mod tests;
