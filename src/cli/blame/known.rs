//! What is known of each line of a file: gathered from the ledger, from git, and
//! from what the file was called before.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Component, Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

use super::{Error, LARGEST};
use crate::{
    core::intent::{
        blame::{
            self, Line, Mark, Written,
            names::{self, Name, Turn},
        },
        ledger::Record,
    },
    ledger::Ledger,
    open::Roz,
    world::{
        World,
        blame::{self as git_blame, Commit, Origin},
        git,
        objects::{self, Object},
        read_head,
    },
};

/// How long git may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A file with what is known of its lines.
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
    if path.is_dir() {
        return Err(Error::Folder(path.to_owned()).into());
    }
    if !path.is_file() {
        return Err(Error::NoFile(path.to_owned()).into());
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(&path);
    let roz = Roz::open(world, folder)?;
    let until = Instant::now() + PATIENCE;
    let ledger = roz.ledger(folder).gathered(until);
    let text = read_head(&path, LARGEST).ok_or_else(|| Error::Unfit(path.clone()))?;
    if text.iter().take(8000).any(|it| *it == 0) {
        return Err(Error::Unfit(path).into());
    }
    let file = relative(&path, ledger.project());
    let root = git::root(folder);
    let commits = git_blame::lines(&root, &path, until).unwrap_or_default();
    // Names in the ledger begin at the project, git's at the work tree.
    let from_root = |it: &str| relative(&root.join(it), ledger.project());
    let inside = relative(&path, &root);
    let inside = Path::new(&inside);
    let turns = turns(&ledger)?;
    let mut names = names::of(&file, &turns);
    for name in commits.iter().flatten().map(|it| &it.file) {
        names::add(&mut names, from_root(name));
    }
    for name in git_blame::former_names(&root, inside, until) {
        names::add(&mut names, from_root(&name));
    }
    let (mut records, mut written) = written(&ledger, &names)?;
    let bodies = split(&text);
    let commit = |at: usize| commits.get(at).cloned().flatten();
    // Each commit begins where the one before it ended.
    let mut times: Vec<DateTime<Utc>> =
        commits.iter().flatten().filter_map(|it| it.written).collect();
    times.sort_unstable();
    times.dedup();
    let before = |commit: Option<&Commit>| match commit.map(|it| it.written) {
        None => times.last().copied(),
        Some(at) => times.iter().rev().find(|it| Some(**it) < at).copied(),
    };
    let line_of = |(at, text): (usize, _)| {
        let commit = commits.get(at).and_then(Option::as_ref);
        let committed = commit.and_then(|it| it.at);
        Line { text, committed, since: before(commit) }
    };
    let lines: Vec<Line> = bodies.iter().copied().enumerate().map(line_of).collect();
    let origins = git_blame::origins(&root, &path, until).unwrap_or_default();
    let past = Past::of(&root, &origins, until);
    let origins = past.origins(before);
    let mut found = blame::attribute(&lines, &origins, &written);
    // Somebody has moved it by other means.
    let is_lost = |found: &[Option<usize>]| {
        let says: Vec<bool> = bodies.iter().map(|it| blame::says(it)).collect();
        let lost = found.iter().zip(&says).filter(|(it, says)| **says && it.is_none()).count();
        lost * 2 > says.iter().filter(|it| **it).count()
    };
    if is_lost(&found) {
        let name =
            match most(&commits) {
                Some(commit) => git_blame::name_before(&root, inside, commit, until)
                    .map(|it| Name { path: from_root(&it), since: None, until: None }),
                None => lost_name(&ledger, &bodies, &turns)?,
            };
        if let Some(name) = name.filter(|it| !names.contains(it)) {
            names.extend(names::of(&name.path, &turns));
            (records, written) = self::written(&ledger, &names)?;
            found = blame::attribute(&lines, &origins, &written);
        }
    }
    moved_in(&mut found, &lines, &names, &mut records, &ledger)?;
    let known = bodies.iter().zip(found).enumerate().map(|(at, (text, record))| Known {
        text: String::from_utf8_lossy(text).trim_end_matches('\r').to_owned(),
        record,
        commit: commit(at),
    });
    let project = ledger.declared_at().to_owned();
    Ok(Blamed { project, file, names, lines: known.collect(), records })
}

/// The commit that most lines are from.
fn most(commits: &[Option<Commit>]) -> Option<&str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for commit in commits.iter().flatten() {
        *counts.entry(&commit.id).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(id, _)| id)
}

/// What the ledger tells of names.
fn turns(ledger: &Ledger) -> Result<Vec<Turn>, Box<dyn std::error::Error>> {
    let mut turns = Vec::new();
    ledger.each_line(|_, line| {
        // Most records tell nothing of it, and need not be read.
        let says = |word| std::str::from_utf8(line).is_ok_and(|it| it.contains(word));
        if says("\"from\":") || says("\"deleted\"") {
            turns.extend(Record::read(line).iter().flat_map(Turn::of));
        }
    })?;
    Ok(turns)
}

/// Of a file that git does not know: one of the ledger that is there no more,
/// and nobody's doing that roz knows of, whose lines most of these are.
fn lost_name(
    ledger: &Ledger,
    lines: &[&[u8]],
    turns: &[Turn],
) -> Result<Option<Name>, Box<dyn std::error::Error>> {
    let mut gone: BTreeMap<String, Option<HashSet<Mark>>> = BTreeMap::new();
    ledger.each_line(|_, line| {
        let Some(record) = Record::read(line) else { return };
        for file in &record.files {
            let path = &file.path;
            let marks = gone.entry(path.clone()).or_insert_with(|| {
                let is_gone = ledger.project().join(path).symlink_metadata().is_err();
                is_gone.then(HashSet::new)
            });
            if let Some(marks) = marks {
                let name = Name { path: path.clone(), since: None, until: None };
                let written = Written::of(&record, &[name]);
                marks.extend(written.iter().flat_map(Written::marks));
            }
        }
    })?;
    let marks: Vec<Mark> =
        lines.iter().filter(|it| blame::says(it)).map(|it| blame::mark(it)).collect();
    let known = |all: &HashSet<Mark>| marks.iter().filter(|it| all.contains(*it)).count();
    let taken: BTreeSet<&str> = turns.iter().filter_map(|it| it.from.as_deref()).collect();
    let was_removed = |path: &str| {
        let last = turns.iter().filter(|it| it.path == path).max_by_key(|it| it.at);
        taken.contains(path) || last.is_some_and(|it| it.from.is_none())
    };
    let open = gone.into_iter().filter(|(path, _)| !was_removed(path));
    let best = open
        .filter_map(|(path, all)| Some((known(&all?), path)))
        .max_by_key(|(count, _)| *count)
        .filter(|(count, _)| count * 2 > marks.len());
    Ok(best.map(|(_, path)| Name { path, since: None, until: None }))
}

/// Lines that a record took over from other files are those' that wrote them
/// there; what stood there before any of them is the record's.
fn moved_in(
    found: &mut [Option<usize>],
    lines: &[Line],
    names: &[Name],
    records: &mut Vec<Record>,
    ledger: &Ledger,
) -> Result<(), Box<dyn std::error::Error>> {
    let sources = |mover: usize| {
        let record = records.get(mover)?;
        let until = Some(record.timestamp);
        let is_it = |path: &str| names.iter().any(|it| it.covers(path, record.timestamp));
        let files = record.metadata.roz.files.iter().filter(|it| is_it(&it.path));
        let paths = files.flat_map(names::sources).filter(|it| !is_it(it));
        let sources: Vec<Name> = paths.map(|path| Name { path, since: None, until }).collect();
        (!sources.is_empty()).then_some((mover, sources))
    };
    let movers: BTreeSet<usize> = found.iter().flatten().copied().collect();
    let movers: Vec<(usize, Vec<Name>)> = movers.into_iter().filter_map(sources).collect();
    if movers.is_empty() {
        return Ok(());
    }
    let all: Vec<Name> = movers.iter().flat_map(|(_, sources)| sources.clone()).collect();
    // Once for all of them: a ledger may be long.
    let (known, _) = written(ledger, &all)?;
    for (mover, sources) in movers {
        let (theirs, written): (Vec<Record>, Vec<Written>) =
            known.iter().filter_map(|it| Some((it.clone(), Written::of(it, &sources)?))).unzip();
        let places: Vec<usize> = (0..found.len()).filter(|it| found[*it] == Some(mover)).collect();
        let these: Vec<Line> = places.iter().filter_map(|it| lines.get(*it)).cloned().collect();
        let first = records.len();
        for (place, whose) in places.iter().zip(blame::attribute(&these, &[], &written)) {
            if let Some(whose) = whose {
                found[*place] = Some(first + whose);
            }
        }
        records.extend(theirs);
    }
    Ok(())
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|it| *it == b'\n').collect();
    lines.pop_if(|it| it.is_empty());
    lines
}

/// The file as its commits left it.
struct Past<'a>(Vec<Left<'a>>);

/// As one of them left it.
struct Left<'a> {
    commit: &'a Commit,
    text: Vec<u8>,
    /// Lines that it brought, by their number then and now.
    came: Vec<(usize, usize)>,
}

impl<'a> Past<'a> {
    /// Of so many commits, those that most lines are from.
    const MOST: usize = 100;

    fn of(root: &Path, origins: &'a [Option<Origin>], until: Instant) -> Self {
        let mut commits: BTreeMap<&str, Left> = BTreeMap::new();
        for (now, origin) in origins.iter().enumerate() {
            let Some(Origin { commit, line }) = origin else { continue };
            let left = Left { commit, text: Vec::new(), came: Vec::new() };
            let left = commits.entry(&commit.id).or_insert(left);
            left.came.push((line.saturating_sub(1), now));
        }
        let mut commits: Vec<Left> = commits.into_values().collect();
        commits.sort_by_key(|it| std::cmp::Reverse(it.came.len()));
        commits.truncate(Self::MOST);
        commits.sort_by_key(|it| it.commit.written);
        let name = |it: &Left<'a>| (it.commit.id.as_str(), it.commit.file.as_str());
        let names: Vec<(&str, &str)> = commits.iter().map(name).collect();
        let texts = objects::named(root, &names, until).unwrap_or_default();
        let known = commits.into_iter().zip(texts).filter_map(|(left, object)| match object {
            Some(Object::Text(text)) => Some(Left { text, ..left }),
            _ => None,
        });
        Self(known.collect())
    }

    /// `before`: when a commit's work began, as far as is known.
    fn origins(
        &self,
        before: impl Fn(Option<&Commit>) -> Option<DateTime<Utc>>,
    ) -> Vec<blame::Origin<'_>> {
        let mut origins = Vec::new();
        for Left { commit, text, came } in &self.0 {
            let old = |text| Line { text, committed: commit.at, since: None };
            let mut lines: Vec<Line> = split(text).into_iter().map(old).collect();
            for (then, _) in came {
                if let Some(line) = lines.get_mut(*then) {
                    line.since = before(Some(commit));
                }
            }
            origins.push(blame::Origin { lines, came: came.clone() });
        }
        origins
    }
}

/// The records that wrote into a file of these names, oldest first, and what.
fn written(
    ledger: &Ledger,
    names: &[Name],
) -> Result<(Vec<Record>, Vec<Written>), Box<dyn std::error::Error>> {
    let mut found: Vec<(Record, Written)> = Vec::new();
    ledger.each_line(|_, line| {
        if let Some(record) = Record::read(line)
            && let Some(written) = Written::of(&record, names)
        {
            found.push((record, written));
        }
    })?;
    // Branches that were merged may stand one behind the other.
    found.sort_by_key(|(record, _)| record.timestamp);
    Ok(found.into_iter().unzip())
}

fn relative(path: &Path, root: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts = inside.components().filter_map(|it| match it {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}
