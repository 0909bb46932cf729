//! What a call has really changed: what it named beforehand, and whatever else
//! was touched in the work tree while it ran, with the lines.
//!
//! The text before is the one that was kept (`ledger::images`), where its hash
//! says that it is the one; else git's, of the commit that was checked out when
//! the call began. Git is asked only where something was touched whose change
//! nobody else has told of. [`ground`] says what is left out, [`running`] who
//! else was at work.
//!
//! Not seen: tracked files in folders that git is told to ignore; files that
//! are gone from folders of submodules; what lies on other file systems; what
//! a background command does after its start.
//!
//! Long because one search asks for each file what it was, what it is and how
//! to take it back.

mod gits_own;
mod ground;
mod running;

pub(super) use self::running::LONGEST_CALL;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use self::ground::Ground;
use super::{
    aims::{self, Content, Look},
    format,
    gather::deadline,
    meaning::{self, Texts},
};
use crate::{
    core::{
        event::ToolCall,
        intent::{
            aftermath::{Aftermath, Found, WayBack},
            doubt::{Doubt, FILES},
            ledger::Record,
            ranges::{Change, Changed, Opaque},
            state::{InFlight, Start},
            target::{Kind, Target},
        },
    },
    ledger::images::Images,
    observe::git_brought::{self, Brought},
    open::Roz,
    sidecar::{self, word},
    world::{
        git,
        mtime_scan::{self, Looked, Skips as _, Touched},
        objects::{self, Entry, Object},
        shell_word,
    },
};

/// Files whose change is told of.
const MOST: usize = 500;
/// What is read of them in all, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Folders that are gone are looked into so often.
const ROUNDS: usize = 8;

/// Tools that say themselves what they change.
const EDITS: [&str; 3] = ["Write", "Edit", "MultiEdit"];

/// How things stand as a call begins. None for the tools that say themselves
/// what they change, unless a formatter comes behind them.
pub(super) fn start(call: &ToolCall, roz: &Roz) -> Option<Start> {
    if EDITS.contains(&call.name.as_str()) && !format::concerns(call, roz) {
        return None;
    }
    let project = roz.project.as_path();
    let mut sidecar = word::stand(&roz.sidecar);
    let of_git = gits_own::stands(project);
    sidecar.extend(of_git.texts);
    Some(Start {
        since: mtime_scan::now(),
        git: git_brought::start(project),
        sidecar: Some(sidecar),
        of_git: Some(of_git.states),
        ..Start::default()
    })
}

/// `formatted`: when the formatters began that were started for the call. What
/// they did is looked for, and not what somebody did while the client asked for
/// a permission.
pub(super) fn aftermath(
    look: Look,
    call: &ToolCall,
    runs_on: bool,
    formatted: Option<mtime_scan::Time>,
) -> Option<Aftermath> {
    let id = call.tool_use_id.as_deref()?;
    let flight = look.session.intent.in_flight(id)?;
    let mut start = flight.start.clone()?;
    if EDITS.contains(&call.name.as_str()) {
        start.since = formatted?;
    }
    let start = &start;
    let project = look.roz.project.as_path();
    let mut ground = Ground::new(look, flight, start.since);
    let looked = mtime_scan::since(project, start.since, &mut ground);
    let mut not_looked = looked.stopped.map(mtime_scan::Stopped::why);
    if runs_on {
        not_looked = not_looked.or(Some("it runs on in the background".to_owned()));
    }
    let images = Images::new(&look.roz.home, &look.session.session_id);
    let home = look.world.user_home.as_deref();
    let mut of_git = gits_own::changed(project, home, start, &images);
    // That the folder was touched says nothing new, where a hook was taken away again.
    of_git.retain(|it| !start.takes_back || flight.before.contains_key(it));
    let mut search = Search {
        look,
        flight,
        start,
        images: &images,
        id,
        before: BTreeMap::new(),
        is_git_silent: false,
        bytes: 0,
        doubts: Vec::new(),
        of_git,
    };
    let until = deadline(&look.roz.policy, look.world);
    let brought = Brought::since(project, &start.git, start.since, until);
    let of_git = |paths: Vec<&str>| brought.as_ref().map(|it| it.of(paths)).unwrap_or_default();
    let touched = looked.touched.iter().map(|it| it.path.as_str()).chain(FILES);
    let by_git = of_git(touched.filter(|path| !flight.before.contains_key(*path)).collect());
    search.doubts = look.doubts_of(flight, &call.name);
    search.doubts.retain(|doubt| !by_git.contains(&doubt.file));
    let mut candidates = search.candidates(&looked, &by_git);
    if candidates.len() > MOST {
        not_looked = Some(format!("more than {MOST} files were touched"));
        candidates.truncate(MOST);
    }
    let records =
        if candidates.is_empty() && looked.folders.is_empty() { Vec::new() } else { look.newest() };
    candidates.retain(|it| it.is_same || !search.is_told(it, &records));
    search.ask_git(&candidates, &looked);
    let mut gone = search.gone(&looked, &ground, &records);
    let by_git = of_git(gone.iter().map(|it| it.path.as_str()).collect());
    gone.retain(|it| !by_git.contains(&it.path));
    if search.is_git_silent {
        not_looked = not_looked.or(Some("git did not say what was there before".to_owned()));
    }
    let is_now = git::head(project);
    let mut site = look.site();
    let found = candidates.into_iter().chain(gone).filter_map(|it| {
        let (changed, is_sure, texts) = search.changed(&it)?;
        let target = target_of(&it, &mut site, project);
        let treatment = look.ignore.treats(&target, Some(&flight.intent_id));
        let way_back = search.way_back(&it, &changed, is_sure, is_now.as_deref());
        let found = Found {
            target,
            treatment,
            changed,
            meaning: None,
            was_named: it.is_named,
            is_tracked: search.before.get(&it.path).is_some_and(Option::is_some),
            at: it.at,
            way_back,
            path: it.path,
        };
        Some((found, texts))
    });
    let (mut changes, texts): (Vec<Found>, Vec<Texts>) = found.unzip();
    let files: Vec<(&str, &Changed, &Texts)> =
        changes.iter().zip(&texts).map(|(it, texts)| (&*it.path, &it.changed, texts)).collect();
    let meanings = meaning::meanings(&files);
    for (found, meaning) in changes.iter_mut().zip(meanings) {
        found.meaning = Some(Box::new(meaning));
    }
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    let running = search.running(&changes);
    let mut doubts = search.doubts;
    for doubt in &mut doubts {
        let found = changes.iter().find(|it| it.path == doubt.file);
        let way_back = found.and_then(|it| it.way_back.as_ref());
        doubt.way_back = way_back.map(|it| it.command.clone());
    }
    Some(Aftermath { changes, not_looked, running, doubts })
}

/// A file that may have changed.
#[derive(Debug)]
struct Candidate {
    path: String,
    is_named: bool,
    /// It holds what it held: perhaps it may be run now, or no more.
    is_same: bool,
    is_link: bool,
    is_new: Option<bool>,
    at: Option<mtime_scan::Time>,
    /// What it holds now; none if it is gone.
    now: Option<Content>,
}

struct Search<'a> {
    look: Look<'a>,
    flight: &'a InFlight,
    start: &'a Start,
    images: &'a Images,
    id: &'a str,
    /// What git has of a path at the commit of the beginning.
    before: BTreeMap<String, Option<Object>>,
    /// Whether git could not be asked.
    is_git_silent: bool,
    bytes: usize,
    /// Files of the sidecar that are not what they were.
    doubts: Vec<Doubt>,
    /// What git runs, or is told to run, and was touched.
    of_git: Vec<String>,
}

impl Search<'_> {
    fn project(&self) -> &Path {
        &self.look.roz.project
    }

    fn candidates(&mut self, looked: &Looked, by_git: &BTreeSet<String>) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        let touched: BTreeMap<&str, &Touched> =
            looked.touched.iter().map(|it| (it.path.as_str(), it)).collect();
        let named = self.flight.before.keys().map(String::as_str);
        let doubts = self.doubts.iter().map(|it| &it.file);
        let own: Vec<String> = doubts.chain(&self.of_git).cloned().collect();
        let paths: BTreeSet<&str> =
            named.chain(touched.keys().copied()).chain(own.iter().map(String::as_str)).collect();
        for path in paths {
            if found.len() > MOST {
                break;
            }
            if by_git.contains(path) {
                continue;
            }
            let touched = touched.get(path);
            let is_link = touched.is_some_and(|it| it.is_link);
            let file = self.project().join(path);
            let now = self.content(&file, is_link);
            let before = self.flight.before.get(path);
            let hash = now.as_ref().and_then(Content::hash);
            let is_same = match before {
                Some(before) => before.as_deref() == hash,
                None if now.is_none() => !own.iter().any(|it| it == path),
                None => hash.is_some() && self.seen(path) == hash,
            };
            // The look leaves out what git runs: that it was touched is known already.
            let is_touched = touched.is_some() || self.of_git.iter().any(|it| it == path);
            if is_same && (!is_touched || is_link || before == Some(&None)) {
                continue;
            }
            let meta = file.symlink_metadata().ok();
            let is_new = match touched {
                Some(touched) => touched.is_new,
                None => meta.as_ref().and_then(|it| mtime_scan::is_new(it, self.start.since)),
            };
            found.push(Candidate {
                path: path.to_owned(),
                is_named: before.is_some(),
                is_same,
                is_link,
                is_new,
                at: meta.map(|it| mtime_scan::changed_at(&it)),
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
        if self.bytes > MOST_BYTES {
            return file.symlink_metadata().ok().map(|_| Content::default());
        }
        let content = aims::content(file)?;
        self.bytes += content.bytes.as_ref().map_or(0, Vec::len);
        Some(content)
    }

    /// What the agent knew the file to hold when the call began.
    fn seen(&self, path: &str) -> Option<&str> {
        if let Some(hash) = self.start.sidecar.as_ref().and_then(|it| it.get(path)) {
            return Some(hash);
        }
        self.look.session.intent.seen_before(self.look.agent, path, self.start.seen)
    }

    /// Whether the ledger says already how the file came to hold what it holds.
    fn is_told(&self, it: &Candidate, records: &[Record]) -> bool {
        let Some(record) = records.iter().find(|record| record.touches(&it.path)) else {
            return false;
        };
        let roz = &record.metadata.roz;
        let is_other = roz.tool_use_id.as_deref() != Some(self.id)
            || record.session_id != self.look.session.session_id.as_str();
        let is_meanwhile = record.timestamp.timestamp_millis() >= self.flight.at.timestamp_millis();
        let details = roz.files.iter().find(|file| file.path == it.path);
        let says_so = details.is_some_and(|details| match &it.now {
            Some(now) => now.hash().is_some() && details.changed.file_hash.as_deref() == now.hash(),
            None => details.changed.change == Change::Deleted,
        });
        is_other && says_so && (is_meanwhile || !it.is_named)
    }

    /// One question for all that may have been there before.
    fn ask_git(&mut self, candidates: &[Candidate], looked: &Looked) {
        let Some(head) = self.start.git.head.as_deref() else { return };
        let mut asked: Vec<&Candidate> =
            candidates.iter().filter(|it| !Path::new(&it.path).is_absolute()).collect();
        if asked.is_empty() && looked.folders.is_empty() {
            return;
        }
        // Git's answer is cut somewhere: small ones first.
        asked.sort_by_key(|it| it.now.as_ref().map_or(0, |it| it.length));
        let folders = looked.folders.iter().map(String::as_str).take(MOST);
        // A folder says which of its files may be run.
        let holding = asked.iter().map(|it| folder_of(&it.path));
        let folders: BTreeSet<&str> = folders.chain(holding).collect();
        let asked = asked.iter().map(|it| it.path.as_str());
        let paths: Vec<&str> = folders.into_iter().chain(asked).collect();
        self.ask(head, &paths);
    }

    fn ask(&mut self, head: &str, paths: &[&str]) {
        let until = deadline(&self.look.roz.policy, self.look.world);
        match objects::at(self.project(), head, paths, until) {
            Ok(found) => self.before.extend(paths.iter().map(|it| (*it).to_owned()).zip(found)),
            Err(_) => self.is_git_silent = true,
        }
    }

    /// Files that git has in folders that were touched, and that are not there
    /// any more.
    fn gone(&mut self, looked: &Looked, ground: &Ground, records: &[Record]) -> Vec<Candidate> {
        let Some(head) = self.start.git.head.clone() else { return Vec::new() };
        let mut folders = looked.folders.clone();
        let mut gone = Vec::new();
        for _ in 0..ROUNDS {
            let mut deeper = Vec::new();
            for folder in &folders {
                let Some(Some(Object::Folder(names))) = self.before.get(folder) else { continue };
                for Entry { name, is_folder, .. } in names {
                    let path =
                        if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                    let is_there = self.project().join(&path).symlink_metadata().is_ok();
                    if is_there || self.flight.before.contains_key(&path) {
                        continue;
                    }
                    if *is_folder {
                        if !ground.folder(&path) {
                            deeper.push(path);
                        }
                    } else if !ground.file(&path) && gone.len() < MOST {
                        gone.push(Candidate {
                            path,
                            is_named: false,
                            is_same: false,
                            is_link: false,
                            is_new: None,
                            at: None,
                            now: None,
                        });
                    }
                }
            }
            if deeper.is_empty() || gone.len() >= MOST {
                break;
            }
            self.ask(&head, &deeper.iter().map(String::as_str).collect::<Vec<_>>());
            folders = deeper;
        }
        gone.retain(|it| !self.is_told(it, records));
        // Their texts were not asked for, and are there.
        for it in &gone {
            self.before.entry(it.path.clone()).or_insert(Some(Object::Other));
        }
        gone
    }

    /// The text before, and whether it is known to be the one.
    fn text_before(&self, it: &Candidate) -> Option<(Vec<u8>, bool)> {
        let hash = match self.flight.before.get(&it.path) {
            Some(hash) => hash.as_deref(),
            None => self.seen(&it.path),
        };
        let of_git = match self.before.get(&it.path) {
            Some(Some(Object::Text(text))) => Some(text),
            _ => None,
        };
        if let Some(hash) = hash {
            if let Some(text) = self.images.read(hash) {
                return Some((text, true));
            }
            let text = of_git?;
            let is_it = [text.clone(), with_crlf(text)].into_iter().find(|it| hash_of(it) == hash);
            return is_it.map(|it| (it, true));
        }
        let text = of_git?;
        // A checkout may give lines other ends.
        let has_crlf = |it: &Vec<u8>| it.windows(2).any(|it| it == b"\r\n");
        let now = it.now.as_ref().and_then(|it| it.bytes.as_ref());
        let is_converted = now.is_some_and(has_crlf) && !has_crlf(text);
        Some((if is_converted { with_crlf(text) } else { text.clone() }, false))
    }

    /// What became of a file; none if nothing did.
    fn changed(&self, it: &Candidate) -> Option<(Changed, bool, Texts)> {
        let was_of_sidecar = || {
            let doubt = self.doubts.iter().find(|doubt| doubt.file == it.path)?;
            Some(doubt.before.is_some())
        };
        let is_known = || {
            let is_in_git = self.before.get(&it.path).is_some_and(Option::is_some);
            is_in_git || self.seen(&it.path).is_some() || it.is_new != Some(true)
        };
        let named = self.flight.before.get(&it.path);
        let was_there = named.map(Option::is_some).or_else(was_of_sidecar);
        let was_there = was_there.unwrap_or_else(is_known);
        let before = if was_there { self.text_before(it) } else { None };
        let is_sure = before.as_ref().is_some_and(|(_, is_sure)| *is_sure);
        let mut changed = match (&it.now, was_there, &before) {
            (None, false, _) => return None,
            (None, true, Some((text, _))) => Changed::between(Some(text), None),
            (None, true, None) => Changed::unseen(Change::Deleted, Opaque::Unknown),
            (Some(now), false, _) => match &now.bytes {
                Some(bytes) => Changed::between(None, Some(bytes)),
                None => Changed::unseen(Change::Created, Opaque::TooLarge),
            },
            (Some(now), true, before) => match (&now.bytes, before) {
                (Some(bytes), Some((text, _))) => Changed::between(Some(text), Some(bytes)),
                (None, _) => Changed::unseen(Change::Modified, Opaque::TooLarge),
                (_, None) => Changed::unseen(Change::Modified, Opaque::Unknown),
            },
        };
        // It was touched, and holds what it held.
        let is_mode = it.is_same || changed.change == Change::Unchanged;
        if is_mode {
            // Of a hook that git does not have nobody says whether it could be run.
            let is_of_git = self.of_git.contains(&it.path);
            if !is_of_git || self.mode_in_git(&it.path).is_some() {
                self.mode_before(it)?;
            }
            changed = Changed::of_mode();
        }
        changed.file_hash = it.now.as_ref().and_then(|it| it.hash().map(str::to_owned));
        let texts = Texts {
            is_before_known: before.is_some() || !was_there,
            before: before.map(|(text, _)| text),
            after: it.now.as_ref().and_then(|it| it.bytes.clone()),
        };
        let is_new = !was_there && (it.is_named || was_of_sidecar().is_some());
        Some((changed, is_sure || is_new || is_mode, texts))
    }

    /// Whether git has the file as one that may be run, where it is another now.
    fn mode_before(&self, it: &Candidate) -> Option<bool> {
        let before = self.mode_in_git(&it.path)?;
        let now = gits_own::is_executable(&self.project().join(&it.path))?;
        (before != now).then_some(before)
    }

    fn mode_in_git(&self, path: &str) -> Option<bool> {
        let Some(Some(Object::Folder(entries))) = self.before.get(folder_of(path)) else {
            return None;
        };
        let name = path.rsplit('/').next()?;
        let entry = entries.iter().find(|it| it.name == name && !it.is_folder)?;
        Some(entry.is_executable)
    }

    fn way_back(
        &self,
        it: &Candidate,
        changed: &Changed,
        is_sure: bool,
        is_now: Option<&str>,
    ) -> Option<WayBack> {
        // What takes back a scope says of which project it is.
        let is_of_sidecar = self.doubts.iter().any(|doubt| doubt.file == it.path);
        let is_at_root = self.look.cwd == self.project() && !is_of_sidecar;
        let path = Path::new(&it.path);
        if path.is_absolute() {
            return None;
        }
        let from_here = if is_at_root { it.path.clone() } else { text(&self.project().join(path)) };
        let from_here = word(&from_here);
        let command = match changed.change {
            Change::Created => format!("rm {from_here}"),
            Change::Modified
                if *changed
                    == (Changed { file_hash: changed.file_hash.clone(), ..Changed::of_mode() }) =>
            {
                let sign = if self.mode_before(it)? { '+' } else { '-' };
                format!("chmod {sign}x {from_here}")
            }
            Change::Unchanged => return None,
            Change::Modified | Change::Deleted => {
                let hash = match self.flight.before.get(&it.path) {
                    Some(hash) => hash.as_deref(),
                    None => self.seen(&it.path),
                };
                let image = hash.and_then(|it| self.images.find(it));
                // What git has is the way back only to what git has.
                let is_as_committed = match (self.before.get(&it.path), hash) {
                    (Some(Some(_)), None) => true,
                    (Some(Some(Object::Text(text))), Some(hash)) => {
                        hash_of(text) == hash || hash_of(&with_crlf(text)) == hash
                    }
                    _ => false,
                };
                match (is_as_committed, image) {
                    (true, _) => {
                        let there = if is_at_root {
                            String::new()
                        } else {
                            format!(" -C {}", shell_word(&text(self.project())))
                        };
                        let moved = self.start.git.head.as_deref().filter(|it| Some(*it) != is_now);
                        let commit = moved.map(|it| format!(" {it}")).unwrap_or_default();
                        format!("git{there} checkout{commit} -- {}", word(&it.path))
                    }
                    (_, Some(image)) => format!("cp {} {from_here}", shell_word(&text(&image))),
                    (_, None) => return None,
                }
            }
        };
        Some(WayBack { command, is_sure })
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |it| it.0)
}

fn target_of(it: &Candidate, site: &mut sidecar::target::Site, project: &Path) -> Target {
    let mut target = site.target(&it.path, project);
    if it.is_link {
        // It is the link that was changed, not where it leads.
        target.real = target.written.clone();
        (target.kind, target.links) = (Kind::File, 1);
    }
    target
}

fn with_crlf(text: &[u8]) -> Vec<u8> {
    let mut res = Vec::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive(|it| *it == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(bare) if !bare.ends_with(b"\r") => {
                res.extend_from_slice(bare);
                res.extend_from_slice(b"\r\n");
            }
            _ => res.extend_from_slice(line),
        }
    }
    res
}

fn hash_of(bytes: &[u8]) -> String {
    crate::ledger::images::hash_of(bytes)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A path as a word that no program takes for an option.
fn word(path: &str) -> String {
    if path.starts_with('-') { shell_word(&format!("./{path}")) } else { shell_word(path) }
}
