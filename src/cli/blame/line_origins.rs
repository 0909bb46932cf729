//! Gathers what is known about each line of a file, from the ledger, from git, and from the file's
//! earlier names.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

use super::LARGEST;
use crate::{
    core::intent::{
        blame::{
            self, Line, Written,
            earlier_names::{self, Name, Turn},
        },
        ledger::Record,
    },
    open::Roz,
    world::{
        World,
        blame::{self as git_blame, Commit, Origin},
        git,
        objects::{self, Object},
        read_head,
    },
};

const PATIENCE: Duration = Duration::from_mins(1);

pub(super) struct Blamed {
    pub(super) project: PathBuf,
    pub(super) file: String,
    pub(super) names: Vec<Name>,
    pub(super) lines: Vec<Known>,
    pub(super) records: Vec<Record>,
}

pub(super) struct Known {
    pub(super) text: String,
    /// By its number in `records`.
    pub(super) record: Option<usize>,
    pub(super) commit: Option<Commit>,
}

pub(super) fn blamed(path: &Path, world: &World) -> Result<Blamed, Box<dyn std::error::Error>> {
    let shown = path.display();
    if path.is_dir() {
        return Err(format!("`{shown}` is a folder: name a file in it").into());
    }
    if !path.is_file() {
        return Err(format!("there is no file `{shown}`").into());
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(&path);
    let roz = Roz::open(world, folder)?;
    let until = Instant::now() + PATIENCE;
    let ledger = roz.ledger(folder).gathered(until);
    let text = read_head(&path, LARGEST);
    let text = text.filter(|text| !text.iter().take(8000).any(|byte| *byte == 0));
    let text =
        text.ok_or_else(|| format!("`{shown}` is binary, or larger than {} MiB", LARGEST >> 20))?;
    let file = relative(&path, ledger.project());
    let root = git::root(folder);
    let commits = git_blame::origins(&root, &path, &[], until).unwrap_or_default();
    let commits: Vec<Option<Commit>> =
        commits.into_iter().map(|origin| Some(origin?.commit)).collect();
    // Paths in the ledger are relative to the project, git's to the work tree.
    let from_root = |name: &str| relative(&root.join(name), ledger.project());
    let all = ledger.records()?;
    let turns: Vec<Turn> = all.iter().flat_map(Turn::of).collect();
    let mut names = earlier_names::of(&file, &turns);
    for name in commits.iter().flatten().map(|commit| &commit.file) {
        earlier_names::add(&mut names, from_root(name));
    }
    let wrote = |record: Record| Written::of(&record, &names).map(|written| (record, written));
    let (records, written): (Vec<Record>, Vec<Written>) = all.into_iter().filter_map(wrote).unzip();
    let bodies = split(&text);
    // The work for a commit begins when the previous one is made.
    let mut times: Vec<DateTime<Utc>> =
        commits.iter().flatten().filter_map(|commit| commit.written).collect();
    times.sort_unstable();
    times.dedup();
    let before = |commit: Option<&Commit>| match commit.map(|commit| commit.written) {
        None => times.last().copied(),
        Some(at) => times.iter().rev().find(|time| Some(**time) < at).copied(),
    };
    let line_of = |(at, text): (usize, _)| {
        let commit = commits.get(at).and_then(Option::as_ref);
        let committed = commit.and_then(|commit| commit.at);
        Line { text, committed, since: before(commit) }
    };
    let lines: Vec<Line> = bodies.iter().copied().enumerate().map(line_of).collect();
    let origins = git_blame::origins(&root, &path, &["-w"], until).unwrap_or_default();
    let past = left(&root, &origins, until);
    let origins: Vec<blame::Origin> = past.iter().map(|left| left.origin(before)).collect();
    let found = blame::attribute(&lines, &origins, &written);
    let known = bodies.iter().zip(found).enumerate().map(|(at, (text, record))| Known {
        text: String::from_utf8_lossy(text).trim_end_matches('\r').to_owned(),
        record,
        commit: commits.get(at).cloned().flatten(),
    });
    let project = ledger.declared_at().to_owned();
    Ok(Blamed { project, file, names, lines: known.collect(), records })
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    lines.pop_if(|line| line.is_empty());
    lines
}

/// The file in a commit.
struct Left<'a> {
    commit: &'a Commit,
    text: Vec<u8>,
    /// The lines that it added, by their numbers then and now.
    came: Vec<(usize, usize)>,
}

/// The file in the commits that its lines come from, oldest first.
fn left<'a>(root: &Path, origins: &'a [Option<Origin>], until: Instant) -> Vec<Left<'a>> {
    /// How many commits are looked up: those with the most lines.
    const MOST: usize = 100;
    let mut commits: BTreeMap<&str, Left> = BTreeMap::new();
    for (now, origin) in origins.iter().enumerate() {
        let Some(Origin { commit, line }) = origin else { continue };
        let left = Left { commit, text: Vec::new(), came: Vec::new() };
        let left = commits.entry(&commit.id).or_insert(left);
        left.came.push((line.saturating_sub(1), now));
    }
    let mut commits: Vec<Left> = commits.into_values().collect();
    commits.sort_by_key(|left| std::cmp::Reverse(left.came.len()));
    commits.truncate(MOST);
    commits.sort_by_key(|left| left.commit.written);
    let name = |left: &Left<'a>| (left.commit.id.as_str(), left.commit.file.as_str());
    let names: Vec<(&str, &str)> = commits.iter().map(name).collect();
    let texts = objects::named(root, &names, until).unwrap_or_default();
    let known = commits.into_iter().zip(texts).filter_map(|(left, object)| match object {
        Some(Object::Text(text)) => Some(Left { text, ..left }),
        _ => None,
    });
    known.collect()
}

impl Left<'_> {
    /// `before` is when the work for a commit began, if known.
    fn origin(
        &self,
        before: impl Fn(Option<&Commit>) -> Option<DateTime<Utc>>,
    ) -> blame::Origin<'_> {
        let old = |text| Line { text, committed: self.commit.at, since: None };
        let mut lines: Vec<Line> = split(&self.text).into_iter().map(old).collect();
        for (then, _) in &self.came {
            if let Some(line) = lines.get_mut(*then) {
                line.since = before(Some(self.commit));
            }
        }
        blame::Origin { lines, came: self.came.clone() }
    }
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}
