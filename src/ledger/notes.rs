//! Records in git notes: `refs/notes/roz/<machine>`, one ref per machine, so that no two machines
//! write the same ref. A note has one record per line, as in the file.
//!
//! ```text
//! refs/notes/roz/0123456789abcdef                  this machine's
//! refs/notes/roz-remote/origin/fedcba9876543210    another one's, as it was fetched
//! ```
//!
//! For each session, the note of a commit that was made here gets the records up to the newest one
//! whose lines are in the commit, unless they are in the note of an ancestor. So a chain that is
//! read from notes has no gaps, and ends with the last commit. `git notes append` in parallel loses
//! notes without an error, so notes are added under a lock, by a `git fast-import` that refuses to
//! replace what it has not seen. Notes are read again each time, because an amend or a rebase
//! copies them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt::Write as _,
    fs,
    path::Path,
    time::Instant,
};

use super::{Ledger, home_log, images};
use crate::{
    core::{
        bounded,
        intent::{
            changed_lines::{Change, LineRange, content_hash},
            ledger::{
                Record,
                chain::{Chains, Place, Problem, Verdict, What},
            },
        },
    },
    world::{
        self, cached,
        files::{self, Access, At as _},
        git::{self, feed_git, git_with},
        objects::{self, Object},
        read_ending, read_text,
    },
};

/// The refs of this machine's notes, and of other machines' notes that were fetched under these
/// names.
pub(super) const OWN: &str = "refs/notes/roz/";
pub(super) const FETCHED: &str = "refs/notes/roz-remote/";

/// How many of the newest commits are looked at after a call.
const MAX_COMMITS: usize = 20;
/// How much of the reflog is read, in bytes.
const MAX_LOG: u64 = 64 << 10;
/// How often adding or sending notes is tried when another process was faster.
pub(super) const ATTEMPTS: usize = 5;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Files(#[from] files::Error),
    #[error("this is not a git work tree, so there are no notes")]
    NoRepository,
    #[error("the branch has no remote, and there is no `origin`: `roz ledger push REMOTE`")]
    NoRemote,
    #[error("the name of a remote cannot begin with `-`")]
    IsOption,
    #[error("another clone sent its notes first, each time: run it again")]
    Overtaken,
}

pub(super) type Result<T> = std::result::Result<T, Error>;

/// The records in notes that are not in the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Noted {
    /// By session, each in the order of its chain.
    pub(super) lines: Vec<Vec<u8>>,
    /// Records that exist with two different texts.
    contradicted: Vec<Problem>,
}

impl Noted {
    /// Adds their problems to the verdict. Lines of different sessions have no order.
    pub(super) fn judge(&self, verdict: &mut Verdict) {
        let mut chains = Chains::default();
        for line in &self.lines {
            chains.add(line);
        }
        let found = chains.verdict(&[]);
        verdict.records += found.records;
        verdict.sessions += found.sessions;
        verdict.unanchored.extend(found.unanchored);
        let in_notes = |problem: Problem| Problem {
            what: What::InNotes { what: problem.what.to_string() },
            session_id: problem.session_id,
        };
        verdict.problems.extend(found.problems.into_iter().map(in_notes));
        verdict.problems.extend(self.contradicted.iter().cloned());
    }
}

/// The notes of a ref: the lines for each commit.
type Notes = BTreeMap<String, Vec<Vec<u8>>>;
type Lines<'a> = [&'a Vec<u8>];

impl Ledger {
    /// This machine's ref. Its name is random and chosen once.
    pub(super) fn own_ref(&self, until: Instant) -> Result<String> {
        let path = self.roz_home.join("machine");
        let is_id = |id: &String| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let known = || read_text(&path, 64).map(|text| text.trim().to_owned()).filter(is_id);
        if let Some(id) = known() {
            return Ok(OWN.to_owned() + &id);
        }
        let _lock = files::lock(&self.roz_home.join("machine.lock"), until)?;
        let id = known().unwrap_or_else(|| bounded::hex(&world::dice()[..8]));
        cached::replace(&path, &[id.as_bytes()]).at(&path)?;
        Ok(OWN.to_owned() + &id)
    }

    /// The records in the notes of all machines and in git's history that the file does not have.
    pub(super) fn read_notes(&self, until: Instant) -> Noted {
        let mut noted = Noted::default();
        let Some(root) = self.work_tree() else { return noted };
        let args = ["for-each-ref", "--format=%(refname)", OWN, FETCHED];
        let refs = git_with(&root, &args, &[], until).unwrap_or_default();
        let mut found = self.in_history(until);
        for name in refs.lines() {
            found.extend(read(&root, name, until).unwrap_or_default().into_values().flatten());
        }
        if found.is_empty() {
            return noted;
        }
        let id_of = |line: &[u8]| Some((Place::read(line)?.id().to_owned(), bounded::sha256(line)));
        let mut known: HashMap<String, String> = HashMap::new();
        let _ = self.each_line(|_, line| known.extend(id_of(line)));
        for line in found {
            let Some((id, hash)) = id_of(&line) else { continue };
            match known.get(&id) {
                Some(text) if *text == hash => (),
                Some(_) => {
                    let what = format!("the record {id} has another text");
                    let what = What::InNotes { what };
                    noted.contradicted.push(Problem { what, session_id: None });
                }
                None => {
                    known.insert(id, hash);
                    noted.lines.push(line);
                }
            }
        }
        noted.lines.sort_by_cached_key(|line| {
            Place::read(line).map(|place| (place.session_id.clone().into_owned(), place.seq()))
        });
        noted
    }

    /// Adds records to the notes of the commits that were made here since the last time. It is
    /// called at each event; if HEAD has not moved, it only reads two small files.
    pub fn note_commits(&self, now: i64, until: Instant) -> Result<()> {
        if !self.has_notes || !self.home.exists() {
            return Ok(());
        }
        let Some(root) = git::find_root(&self.project) else { return Ok(()) };
        let Some((own, common)) = git::git_dirs(&root) else { return Ok(()) };
        let Some(head) = git::head(&root) else { return Ok(()) };
        let log = own.join("logs/HEAD");
        let length = fs::metadata(&log).map_or(0, |meta| meta.len());
        let mark = home_log::folder_of(&self.project, &self.roz_home).join("noted");
        let state = format!("{head} {length}");
        let known = read_text(&mark, 256).unwrap_or_default();
        if known == state {
            return Ok(());
        }
        let _lock = lock(&common, until)?;
        // Another process may have done this meanwhile.
        let known = read_text(&mark, 256).unwrap_or_default();
        if known == state {
            return Ok(());
        }
        let since = known.rsplit(' ').next().and_then(|part| part.parse().ok());
        let added = length.saturating_sub(since.filter(|since| *since <= length).unwrap_or(0));
        let log = read_ending(&log, added.min(MAX_LOG)).unwrap_or_default();
        let commits = made_here(&log);
        if !commits.is_empty() {
            let new = |commit: &str, open: &Lines| committed(&self.project, commit, open, until);
            self.note(&root, &commits, new, now, until)?;
        }
        let _ = cached::replace(&mark, &[state.as_bytes()]);
        Ok(())
    }

    /// Adds every record of the log in roz's home to the note of HEAD.
    pub(super) fn note_all(&self, now: i64, until: Instant) -> Result<()> {
        let root = self.work_tree().ok_or(Error::NoRepository)?;
        let Some(head) = git::head(&root) else { return Ok(()) };
        let (_, common) = git::git_dirs(&root).ok_or(Error::NoRepository)?;
        let _lock = lock(&common, until)?;
        let all = |_: &str, open: &Lines| Ok(open.iter().map(|line| (*line).clone()).collect());
        self.note(&root, &[head], all, now, until)
    }

    /// `new` selects the lines for a commit's note, among those that are in no note of an ancestor.
    fn note(
        &self,
        root: &Path,
        commits: &[String],
        new: impl Fn(&str, &Lines) -> Result<Vec<Vec<u8>>>,
        now: i64,
        until: Instant,
    ) -> Result<()> {
        let name = self.own_ref(until)?;
        let lines = self.home.lines();
        let mut failed = None;
        for _ in 0..ATTEMPTS {
            let tip = tip(root, &name, until)?;
            let mut notes = match tip {
                Some(_) => read(root, &name, until)?,
                None => Notes::new(),
            };
            let mut changed = BTreeSet::new();
            for commit in commits {
                let held = held(root, commit, &notes, until)?;
                let is_held =
                    |line: &[u8]| Place::read(line).is_none_or(|place| held.contains(place.id()));
                let open: Vec<&Vec<u8>> = lines.iter().filter(|line| !is_held(line)).collect();
                let new = new(commit, &open)?;
                if !new.is_empty() {
                    notes.entry(commit.clone()).or_default().extend(new);
                    changed.insert(commit.clone());
                }
            }
            if changed.is_empty() {
                return Ok(());
            }
            let input = import(&name, tip.as_deref(), &notes, &changed, now);
            match feed_git(root, &["fast-import", "--quiet", "--done"], &[], &input, until) {
                Ok(_) => return Ok(()),
                Err(err) => failed = Some(err),
            }
        }
        Err(failed.map_or(Error::Overtaken, Error::Git))
    }
}

pub(super) fn lock(common: &Path, until: Instant) -> files::Result<Option<fs::File>> {
    files::lock_for(&common.join("roz-notes.lock"), until, Access::Shared)
}

/// The commits in a part of HEAD's reflog that were made here, oldest first, and not reached by a
/// pull, a checkout or a reset.
fn made_here(log: &str) -> Vec<String> {
    let is_made = |action: &str| {
        let verb = action.split_once(": ").map_or(action, |(verb, _)| verb);
        let is_step = |step: &&str| verb.contains(*step);
        let steps =
            ["(pick)", "(squash)", "(fixup)", "(reword)", "(edit)", "(continue)", "(merge)"];
        ["commit", "cherry-pick", "revert", "am"].iter().any(|text| verb.starts_with(text))
            || verb.contains("rebase") && steps.iter().any(is_step)
    };
    let mut commits: Vec<String> = Vec::new();
    for moved in git::reflog(log).filter(|moved| is_made(moved.action)) {
        commits.retain(|known| known != moved.new);
        commits.push(moved.new.to_owned());
    }
    commits.split_off(commits.len().saturating_sub(MAX_COMMITS))
}

pub(super) fn tip(root: &Path, name: &str, until: Instant) -> Result<Option<String>> {
    let found = git_with(root, &["for-each-ref", "--format=%(objectname)", name], &[], until)?;
    Ok(found.lines().next().map(str::to_owned))
}

/// Reads the notes of a ref with two processes, however many there are.
fn read(root: &Path, name: &str, until: Instant) -> Result<Notes> {
    let tree = git_with(root, &["ls-tree", "-r", "-z", "--full-tree", name], &[], until)?;
    // `100644 blob <id>\t<commit, perhaps in folders of two digits>`.
    let entry = |line: &str| {
        let (blob, path) = line.split_once('\t')?;
        Some((path.replace('/', ""), blob.split(' ').nth(2)?.to_owned()))
    };
    let entries: Vec<(String, String)> = tree.split('\0').filter_map(entry).collect();
    let asked: String = entries.iter().flat_map(|(_, blob)| [blob.as_str(), "\n"]).collect();
    let said = feed_git(root, &["cat-file", "--batch"], &[], asked.as_bytes(), until)?;
    let mut rest = said.as_slice();
    let mut notes = Notes::new();
    for (commit, _) in entries {
        let Some(Object::Text(text)) = objects::next(&mut rest, 0) else { break };
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        notes.entry(commit).or_default().extend(lines.map(<[u8]>::to_vec));
    }
    Ok(notes)
}

/// The ids of the records in the notes of a commit and its ancestors.
fn held(root: &Path, commit: &str, notes: &Notes, until: Instant) -> Result<HashSet<String>> {
    let asked: String = notes.keys().flat_map(|commit| [commit.as_str(), "\n"]).collect();
    let input = format!("{asked}^{commit}\n");
    let args = ["rev-list", "--ignore-missing", "--stdin"];
    let outside = feed_git(root, &args, &[], input.as_bytes(), until)?;
    let outside = String::from_utf8_lossy(&outside).into_owned();
    let outside: HashSet<&str> = outside.lines().collect();
    let inside = notes.iter().filter(|(commit, _)| !outside.contains(commit.as_str()));
    let lines = inside.flat_map(|(_, lines)| lines);
    Ok(lines.filter_map(|line| Some(Place::read(line)?.id().to_owned())).collect())
}

/// The records of each session up to the newest one whose lines are in the commit.
fn committed(project: &Path, commit: &str, open: &Lines, until: Instant) -> Result<Vec<Vec<u8>>> {
    /// How many of the newest records of a session are checked.
    const MOST: usize = 500;
    let mut sessions: BTreeMap<String, Vec<(Record, &Vec<u8>)>> = BTreeMap::new();
    for line in open {
        let Some(record) = Record::read(line) else { continue };
        sessions.entry(record.session_id.clone()).or_default().push((record, line));
    }
    let newest = sessions.values().flat_map(|records| records.iter().rev().take(MOST));
    let paths: BTreeSet<&str> =
        newest.flat_map(|(record, _)| &record.files).map(|file| file.path.as_str()).collect();
    let names: Vec<(&str, &str)> = paths.iter().map(|path| (commit, *path)).collect();
    let texts = objects::named(project, &names, until)?;
    let texts: HashMap<&str, &Option<Object>> = paths.iter().copied().zip(&texts).collect();
    let mut found = Vec::new();
    for records in sessions.values() {
        let newest = records.iter().rev().take(MOST).position(|(record, _)| is_in(record, &texts));
        let Some(newest) = newest else { continue };
        let up_to = records.len() - newest;
        found.extend(records[..up_to].iter().map(|(_, line)| (*line).clone()));
    }
    Ok(found)
}

/// Whether a commit contains the result of a record in at least one file.
fn is_in(record: &Record, texts: &HashMap<&str, &Option<Object>>) -> bool {
    record.metadata.roz.files.iter().any(|details| {
        let is_deletion = details.changed.change == Change::Deleted;
        let text = match texts.get(details.path.as_str()) {
            Some(Some(Object::Text(text))) => text,
            // The text is too long to be compared.
            Some(Some(_)) => return !is_deletion,
            Some(None) => return is_deletion,
            None => return false,
        };
        let is_same = |hash: &String| *hash == images::hash_of(text);
        if details.changed.file_hash.as_ref().is_some_and(is_same) {
            return true;
        }
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let files = record.files.iter().filter(|file| file.path == details.path);
        let mut ranges = files
            .flat_map(|file| &file.conversations)
            .flat_map(|conversation| &conversation.ranges);
        ranges.any(|range| has(&lines, range))
    })
}

/// Whether the lines of a range are anywhere in a text.
fn has(lines: &[&[u8]], range: &LineRange) -> bool {
    /// How many lines are hashed.
    const MOST: usize = 200_000;
    let length = range.end_line.saturating_sub(range.start_line).saturating_add(1);
    let Ok(length) = usize::try_from(length) else { return false };
    let is_it = |window: &&[&[u8]]| content_hash(window.iter().copied()) == range.content_hash;
    let start = usize::try_from(range.start_line.saturating_sub(1)).unwrap_or(usize::MAX);
    let in_place = start.checked_add(length).and_then(|end| lines.get(start..end));
    in_place.is_some_and(|window| is_it(&window))
        || lines.windows(length).take(MOST / length + 1).any(|window| is_it(&window))
}

/// The input of `git fast-import`: one commit on top of `tip`. It refuses if the ref has moved.
fn import(
    name: &str,
    tip: Option<&str>,
    notes: &Notes,
    changed: &BTreeSet<String>,
    now: i64,
) -> Vec<u8> {
    let mut head = format!("commit {name}\ncommitter roz <roz@localhost> {now} +0000\ndata 0\n\n");
    if let Some(tip) = tip {
        let _ = writeln!(head, "from {tip}");
    }
    let mut input = head.into_bytes();
    for (commit, lines) in notes.iter().filter(|(commit, _)| changed.contains(*commit)) {
        let mut text = lines.join(&b'\n');
        text.push(b'\n');
        input.extend(format!("N inline {commit}\ndata {}\n", text.len()).into_bytes());
        input.extend(text);
        input.push(b'\n');
    }
    input.extend(b"done\n");
    input
}
