//! What a call has really changed: the files that it named beforehand and any others that were
//! touched in the work tree while it ran, with the lines.
//!
//! The text before the call is the copy that was kept, if its hash matches; otherwise the one in
//! the commit that was checked out when the call began. Git is asked only about touched files whose
//! change has no other explanation. Files that git itself wrote, as in a checkout, do not count as
//! changed ([`git_brought`](super::git_brought)).
//!
//! Not seen: file modes, tracked files in ignored folders, files deleted from submodules, other
//! file systems, and what a background command does after its start.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Instant,
};

use super::{file_content::Content, git_brought::Brought};
use crate::{
    core::{
        bounded,
        intent::{
            changed_lines::{Change, Changed, Opaque},
            post_call_facts::WayBack,
            state::Start,
            unconfirmed::FILES,
        },
    },
    world::{
        changed_since::{self, Scanned, Skips},
        git,
        objects::{self, Entry, Object},
        read_head, shell_word,
    },
};

/// How many changed files are reported.
const MAX_FILES: usize = 500;
/// How much of them is read in total, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// A call that has ended, and what is known about the state before it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub project: &'a Path,
    /// The folder in which the agent would run a command to restore a file.
    pub cwd: &'a Path,
    pub start: &'a Start,
    /// The files that the call named beforehand, with the hash of their content.
    pub named: &'a BTreeMap<String, Option<String>>,
    /// Changed files that the scan skips.
    pub also: &'a [String],
    /// The hash of a file's content that the agent last saw.
    pub seen: &'a dyn Fn(&str) -> Option<String>,
    /// The path of the kept text with that hash.
    pub kept: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// Whether the ledger already explains a file's content. The bool says whether the call named
    /// the file.
    pub is_told: &'a dyn Fn(&str, Option<&Content>, bool) -> bool,
    pub until: Instant,
}

#[derive(Debug, Default)]
pub struct Changes {
    pub files: Vec<ChangedFile>,
    pub not_looked: Option<String>,
}

#[derive(Debug)]
pub struct ChangedFile {
    pub path: String,
    pub changed: Changed,
    pub before: Option<Vec<u8>>,
    pub is_before_known: bool,
    pub after: Option<Vec<u8>>,
    pub is_link: bool,
    /// Whether it is in the commit that was checked out.
    pub is_tracked: bool,
    /// When it was touched, by the file system's clock; `None` if it is gone.
    pub at: Option<changed_since::Time>,
    pub way_back: Option<WayBack>,
}

/// Scans the work tree. `skips` says what to skip.
pub fn look(call: Call, skips: &mut dyn Skips) -> Changes {
    let Call { project, start, named, .. } = call;
    let scanned = changed_since::since(project, start.since, skips);
    let not_looked = scanned.stopped.map(str::to_owned);
    let brought = Brought::since(project, &start.git, start.since, call.until);
    let of_git =
        |paths: Vec<&str>| brought.as_ref().map(|brought| brought.of(paths)).unwrap_or_default();
    let head = git::head(project);
    let mut search = Search { call, head, before: BTreeMap::new(), not_looked, bytes: 0 };
    let touched = scanned.touched.keys().chain(call.also).map(String::as_str);
    let by_git = of_git(touched.filter(|path| !named.contains_key(*path)).collect());
    let mut candidates = search.candidates(&scanned, &by_git);
    if candidates.len() > MAX_FILES {
        search.not_looked = Some(format!("more than {MAX_FILES} files were touched"));
        candidates.truncate(MAX_FILES);
    }
    search.ask_git(&candidates, &scanned);
    let gone = search.gone(&scanned, skips);
    let by_git = of_git(gone.iter().map(String::as_str).collect());
    let gone = gone.into_iter().filter(|path| !by_git.contains(path));
    let gone = gone.filter(|path| !(call.is_told)(path, None, false));
    let gone = gone.map(|path| Candidate { path, ..Candidate::default() });
    let all = candidates.into_iter().chain(gone);
    let mut files: Vec<ChangedFile> =
        all.filter_map(|candidate| search.changed(candidate)).collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Changes { files, not_looked: search.not_looked }
}

#[derive(Default)]
struct Candidate {
    path: String,
    is_link: bool,
    is_new: bool,
    at: Option<changed_since::Time>,
    /// Its present content; `None` if it is gone.
    now: Option<Content>,
}

struct Before {
    text: Vec<u8>,
    is_sure: bool,
    /// Whether it is in the commit that was checked out.
    is_gits: bool,
}

struct Search<'a> {
    call: Call<'a>,
    head: Option<String>,
    /// The objects at these paths in the commit that was checked out when the call began.
    before: BTreeMap<String, Option<Object>>,
    not_looked: Option<String>,
    bytes: usize,
}

impl Search<'_> {
    fn candidates(&mut self, scanned: &Scanned, by_git: &BTreeSet<String>) -> Vec<Candidate> {
        let Call { project, named, also, .. } = self.call;
        let mut found: Vec<Candidate> = Vec::new();
        let touched = &scanned.touched;
        let paths = named.keys().chain(also).chain(touched.keys()).map(String::as_str);
        let paths: BTreeSet<&str> = paths.filter(|path| !by_git.contains(*path)).collect();
        for path in paths {
            if found.len() > MAX_FILES {
                break;
            }
            let is_link = touched.get(path) == Some(&true);
            let file = project.join(path);
            let now = self.content(&file, is_link);
            let hash = now.as_ref().and_then(|now| now.hash.as_deref());
            let named_hash = named.get(path);
            let is_same = match named_hash {
                Some(before) => before.as_deref() == hash,
                None if now.is_none() => !also.iter().any(|text| text == path),
                None => hash.is_some() && (self.call.seen)(path).as_deref() == hash,
            };
            if is_same || (self.call.is_told)(path, now.as_ref(), named_hash.is_some()) {
                continue;
            }
            let (meta, since) = (file.symlink_metadata().ok(), self.call.start.since);
            found.push(Candidate {
                path: path.to_owned(),
                is_link,
                is_new: meta.as_ref().is_some_and(|meta| changed_since::is_new(meta, since)),
                at: meta.as_ref().map(changed_since::changed_at),
                now,
            });
        }
        found
    }

    fn content(&mut self, file: &Path, is_link: bool) -> Option<Content> {
        if is_link {
            let text = file.read_link().ok()?;
            return Some(Content::of(text.as_os_str().as_encoded_bytes().to_vec()));
        }
        if self.bytes > MAX_BYTES {
            return file.symlink_metadata().ok().map(|_| Content::default());
        }
        let content = Content::read(file)?;
        self.bytes += content.bytes.as_ref().map_or(0, Vec::len);
        Some(content)
    }

    /// Looks up all files that may have existed before with one git command.
    fn ask_git(&mut self, candidates: &[Candidate], scanned: &Scanned) {
        let mut asked: Vec<&Candidate> = candidates
            .iter()
            .filter(|candidate| !Path::new(&candidate.path).is_absolute())
            .collect();
        // Git's output is limited: ask for small files first.
        let length = |content: &Content| content.bytes.as_ref().map_or(usize::MAX, Vec::len);
        asked.sort_by_key(|candidate| candidate.now.as_ref().map(length));
        let folders = scanned.folders.iter().map(String::as_str).take(MAX_FILES);
        let paths: Vec<&str> =
            folders.chain(asked.iter().map(|candidate| candidate.path.as_str())).collect();
        self.ask(&paths);
    }

    fn ask(&mut self, paths: &[&str]) {
        let Some(head) = self.call.start.git.head.as_deref().filter(|_| !paths.is_empty()) else {
            return;
        };
        let names: Vec<(&str, &str)> = paths.iter().map(|path| (head, *path)).collect();
        let found = objects::named(self.call.project, &names, self.call.until);
        if found.is_err() {
            let why = "git did not say what was there before";
            self.not_looked.get_or_insert_with(|| why.to_owned());
        }
        let paths = paths.iter().map(|path| (*path).to_owned());
        self.before.extend(paths.zip(found.unwrap_or_default()));
    }

    /// Tracked files in touched folders that no longer exist.
    fn gone(&mut self, scanned: &Scanned, skips: &dyn Skips) -> Vec<String> {
        let mut folders = scanned.folders.clone();
        let mut gone = Vec::new();
        while !folders.is_empty() && gone.len() < MAX_FILES {
            let mut deeper = Vec::new();
            for folder in &folders {
                let Some(Some(Object::Folder(names))) = self.before.get(folder) else { continue };
                for Entry { name, is_folder, .. } in names {
                    let path =
                        if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                    let is_there = self.call.project.join(&path).symlink_metadata().is_ok();
                    if is_there || self.call.named.contains_key(&path) {
                        continue;
                    }
                    if *is_folder && !skips.folder(&path) {
                        deeper.push(path);
                    } else if !is_folder && !skips.file(&path) {
                        gone.push(path);
                    }
                }
            }
            self.ask(&deeper.iter().map(String::as_str).collect::<Vec<_>>());
            folders = deeper;
        }
        gone.truncate(MAX_FILES);
        // Their texts have not been read yet.
        for path in &gone {
            self.before.entry(path.clone()).or_insert(Some(Object::Other));
        }
        gone
    }

    fn hash_before(&self, path: &str) -> Option<String> {
        match self.call.named.get(path) {
            Some(hash) => hash.clone(),
            None => (self.call.seen)(path),
        }
    }

    fn before(&self, candidate: &Candidate) -> Option<Before> {
        let of_git = match self.before.get(&candidate.path) {
            Some(Some(Object::Text(text))) => Some((text.clone(), true)),
            _ => None,
        };
        let Some(hash) = self.hash_before(&candidate.path) else {
            return of_git.map(|(text, is_gits)| Before { text, is_sure: false, is_gits });
        };
        let kept = || Some((read_head(&(self.call.kept)(&hash)?, MAX_BYTES)?, false));
        let is_it = |pair: &(Vec<u8>, bool)| bounded::hash_of(&pair.0) == hash;
        let found = of_git.filter(is_it).or_else(|| kept().filter(is_it));
        found.map(|(text, is_gits)| Before { text, is_sure: true, is_gits })
    }

    fn changed(&self, candidate: Candidate) -> Option<ChangedFile> {
        let named = self.call.named.get(&candidate.path);
        let of_sidecar = FILES.contains(&candidate.path.as_str());
        let is_tracked = self.before.get(&candidate.path).is_some_and(Option::is_some);
        let seen = (self.call.seen)(&candidate.path);
        let was_there = match named {
            Some(before) => before.is_some(),
            None if of_sidecar => seen.is_some(),
            None => is_tracked || seen.is_some() || !candidate.is_new,
        };
        let before = if was_there { self.before(&candidate) } else { None };
        let text = before.as_ref().map(|before| before.text.as_slice());
        let change = match (&candidate.now, was_there) {
            (None, false) => return None,
            (None, true) => Change::Deleted,
            (Some(_), false) => Change::Created,
            (Some(_), true) => Change::Modified,
        };
        let mut changed = match (text, candidate.now.as_ref().map(|now| now.bytes.as_deref())) {
            (_, Some(None)) => Changed::unseen(change, Opaque::TooLarge),
            (None, _) if was_there => Changed::unseen(change, Opaque::Unknown),
            (text, now) => Changed::between(text, now.flatten()),
        };
        if changed.change == Change::Unchanged {
            return None;
        }
        let is_new = !was_there && (named.is_some() || of_sidecar);
        let is_sure = is_new || before.as_ref().is_some_and(|before| before.is_sure);
        let way_back = self.way_back(&candidate.path, changed.change, before.as_ref());
        let way_back = way_back.map(|command| WayBack { command, is_sure });
        changed.file_hash = candidate.now.as_ref().and_then(|now| now.hash.clone());
        Some(ChangedFile {
            changed,
            is_before_known: before.is_some() || !was_there,
            before: before.map(|before| before.text),
            after: candidate.now.and_then(|now| now.bytes),
            is_link: candidate.is_link,
            is_tracked,
            at: candidate.at,
            way_back,
            path: candidate.path,
        })
    }

    fn way_back(&self, path: &str, change: Change, before: Option<&Before>) -> Option<String> {
        let Call { project, cwd, start, .. } = self.call;
        if Path::new(path).is_absolute() {
            return None;
        }
        // A command that restores a scope has to name the project.
        let is_at_root = cwd == project && !FILES.contains(&path);
        let there = || project.join(path).to_string_lossy().into_owned();
        let from_here = word(&if is_at_root { path.to_owned() } else { there() });
        if change == Change::Created {
            return Some(format!("rm {from_here}"));
        }
        let hash = self.hash_before(path);
        // Git can restore a file only to the committed content.
        let is_as_committed = match before {
            Some(before) => before.is_gits,
            None => hash.is_none() && self.before.get(path).is_some_and(Option::is_some),
        };
        if !is_as_committed {
            let kept = (self.call.kept)(&hash?)?;
            return Some(format!("cp {} {from_here}", shell_word(&kept.to_string_lossy())));
        }
        let folder = shell_word(&project.to_string_lossy());
        let there = if is_at_root { String::new() } else { format!(" -C {folder}") };
        let moved =
            start.git.head.as_deref().filter(|before| Some(*before) != self.head.as_deref());
        let source = moved.map(|commit| format!(" --source={commit}")).unwrap_or_default();
        Some(format!("git{there} restore{source} -- {}", word(path)))
    }
}

/// A path as a shell word that is not mistaken for an option.
fn word(path: &str) -> String {
    if path.starts_with('-') { shell_word(&format!("./{path}")) } else { shell_word(path) }
}
