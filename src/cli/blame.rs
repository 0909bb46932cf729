//! `roz blame` and `roz why`: which intent a line is there for.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Component, Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{Done, say};
use crate::{
    core::{
        bounded,
        intent::{
            blame::{self, Line, Written},
            ledger::{MutationClass, Record},
        },
    },
    ledger::Ledger,
    open::Roz,
    sidecar,
    world::{
        World,
        blame::{self as git_blame, Commit, Origin},
        git,
        objects::{self, Object},
        read_head,
    },
};

/// Show for each line which intent it is there for
///
/// From the ledger and git's own blame: lines are found again through later
/// edits, commits, amends, rebases and renames by what they say, whatever line
/// they are on. A line that no record accounts for is shown with its commit
/// alone.
///
/// Examples:
///   roz blame src/auth/login.rs
///   roz blame src/auth/login.rs:42
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The file, and perhaps a line of it
    #[arg(value_name = "FILE[:LINE]")]
    place: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Tell all that is known of why a line is there
///
/// Example:
///   roz why src/auth/login.rs:42
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Why {
    #[arg(value_name = "FILE:LINE")]
    place: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("there is no file `{}`", .0.display())]
    NoFile(PathBuf),
    #[error("`{}` is binary, or larger than {} MiB", .0.display(), LARGEST >> 20)]
    Unfit(PathBuf),
    #[error("`{}` has {has} lines", path.display())]
    NoLine { path: PathBuf, has: usize },
    #[error("name a line: `roz why {0}:12`")]
    WhichLine(String),
}

const LARGEST: usize = 16 << 20;
/// How long git may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A file with what is known of its lines.
struct Blamed {
    project: PathBuf,
    file: String,
    lines: Vec<Known>,
    records: Vec<Record>,
}

struct Known {
    text: String,
    /// By its number in `records`.
    record: Option<usize>,
    commit: Option<Commit>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let (path, line) = place(&args.place, world);
    let blamed = blamed(&path, world)?;
    let (from, to) = blamed.range(line, &path)?;
    if args.json {
        let lines: Vec<Value> = (from..to).map(|it| blamed.json(it)).collect();
        let unaccounted = blamed.lines[from..to].iter().filter(|it| it.record.is_none()).count();
        say::print_json(&json!({
            "file": blamed.file, "lines": lines, "unaccounted": unaccounted,
        }))?;
        return Ok(Done::Well);
    }
    let rows: Vec<Vec<String>> = (from..to).map(|it| blamed.row(it)).collect();
    let heading = ["LINE", "INTENT", "SESSION", "MODEL", "CLASS", "TIME", "COMMIT", "TEXT"];
    say::print(&say::Out::new(world).table(&heading, &rows))?;
    Ok(Done::Well)
}

pub(super) fn why(args: &Why, world: &World) -> super::Result {
    let (path, line) = place(&args.place, world);
    let line = line.ok_or_else(|| Error::WhichLine(args.place.clone()))?;
    let blamed = blamed(&path, world)?;
    let (at, _) = blamed.range(Some(line), &path)?;
    let catalogue = sidecar::load_fresh(&blamed.project).unwrap_or_default();
    let record = blamed.record(at);
    let id = record.and_then(|it| it.intent_id.as_deref());
    let intent = id.and_then(|id| catalogue.intents.iter().find(|it| it.id == id));
    if args.json {
        let mut value = blamed.json(at);
        value["file"] = blamed.file.clone().into();
        value["intent"] = serde_json::to_value(intent)?;
        value["record"] = serde_json::to_value(record)?;
        say::print_json(&value)?;
        return Ok(Done::Well);
    }
    let line = |text: &str, max| bounded::plain_line(&bounded::line(text, max));
    let known = &blamed.lines[at];
    let mut told = format!("{}:{}: {}\n", blamed.file, at + 1, line(known.text.trim(), 200));
    let mut tell = |name: &str, text: &str| {
        let _ = writeln!(told, "{name:<10} {}", line(text, 400));
    };
    match record {
        None => tell("intent", "none: no record of the ledger accounts for this line"),
        Some(record) => {
            let name =
                intent.map(|it| format!(": {} ({})", it.name, it.status)).unwrap_or_default();
            tell("intent", &format!("{}{name}", id.unwrap_or("none")));
            for it in intent.into_iter().flat_map(|it| &it.acceptance_criteria) {
                tell("", &format!("- {it}"));
            }
            let roz = &record.metadata.roz;
            tell("session", &record.session_id);
            tell("model", model(record).unwrap_or("not known"));
            tell("tool", roz.tool_name.as_deref().unwrap_or("not known"));
            tell("time", &say::when(record.timestamp, world.now));
            let evidence =
                roz.files.iter().find_map(|it| it.evidence.as_ref()?.get("step")?.as_str());
            tell("class", &format!("{} ({})", class(record), evidence.unwrap_or("no evidence")));
            tell("record", &record.id);
        }
    }
    match &known.commit {
        Some(it) => tell("commit", &format!("{} {} ({})", short(&it.id), it.summary, it.author)),
        None => tell("commit", "not committed"),
    }
    say::print(&told)?;
    Ok(Done::Well)
}

/// `src/a.rs:12`; a file may be called so, too.
fn place(text: &str, world: &World) -> (PathBuf, Option<usize>) {
    let whole = world.cwd.join(text);
    let split = text.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
    match split {
        Some((path, line)) if !whole.exists() => (world.cwd.join(path), Some(line)),
        _ => (whole, None),
    }
}

fn blamed(path: &Path, world: &World) -> Result<Blamed, Box<dyn std::error::Error>> {
    if !path.is_file() {
        return Err(Error::NoFile(path.to_owned()).into());
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(&path);
    let roz = Roz::open(world, folder)?;
    let ledger = roz.ledger(folder);
    let text = read_head(&path, LARGEST).ok_or_else(|| Error::Unfit(path.clone()))?;
    if text.iter().take(8000).any(|it| *it == 0) {
        return Err(Error::Unfit(path).into());
    }
    let file = relative(&path, ledger.project());
    let until = Instant::now() + PATIENCE;
    let root = git::root(folder);
    let commits = git_blame::lines(&root, &path, until).unwrap_or_default();
    // Names in the ledger begin at the project, git's at the work tree.
    let from_root = |it: &str| relative(&root.join(it), ledger.project());
    let mut names = vec![file.clone()];
    names.extend(commits.iter().flatten().map(|it| from_root(&it.file)));
    let inside = relative(&path, &root);
    names.extend(
        git_blame::former_names(&root, Path::new(&inside), until).iter().map(|it| from_root(it)),
    );
    names.sort();
    names.dedup();
    let (records, written) = written(&ledger, &names)?;
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
    let lines: Vec<Line> = bodies
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let commit = commits.get(at).and_then(Option::as_ref);
            Line { text, committed: commit.and_then(|it| it.at), since: before(commit) }
        })
        .collect();
    let origins = git_blame::origins(&root, &path, until).unwrap_or_default();
    let past = Past::of(&root, &origins, until);
    let found = blame::attribute(&lines, &past.origins(before), &written);
    let known = bodies.iter().zip(found).enumerate().map(|(at, (text, record))| Known {
        text: String::from_utf8_lossy(text).trim_end_matches('\r').to_owned(),
        record,
        commit: commit(at),
    });
    Ok(Blamed { project: ledger.project().to_owned(), file, lines: known.collect(), records })
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
    names: &[String],
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

impl Blamed {
    fn range(&self, line: Option<usize>, path: &Path) -> Result<(usize, usize), Error> {
        match line {
            None => Ok((0, self.lines.len())),
            Some(line) if line > 0 && line <= self.lines.len() => Ok((line - 1, line)),
            Some(_) => Err(Error::NoLine { path: path.to_owned(), has: self.lines.len() }),
        }
    }

    fn record(&self, line: usize) -> Option<&Record> {
        self.records.get(self.lines.get(line)?.record?)
    }

    fn row(&self, at: usize) -> Vec<String> {
        let cell = |text: &str, max| bounded::chars(&bounded::plain_line(text), max);
        let known = &self.lines[at];
        let commit = known.commit.as_ref().map_or("-", |it| short(&it.id)).to_owned();
        let mut row = vec![(at + 1).to_string()];
        match self.record(at) {
            None => row.extend((0..5).map(|_| "-".to_owned())),
            Some(it) => {
                let time = it.timestamp.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M");
                row.extend([
                    cell(it.intent_id.as_deref().unwrap_or("-"), 20),
                    cell(&it.session_id, 8),
                    cell(model(it).unwrap_or("-"), 24),
                    class(it).to_owned(),
                    time.to_string(),
                ]);
            }
        }
        row.extend([commit, cell(&known.text, 200)]);
        row
    }

    fn json(&self, at: usize) -> Value {
        let known = &self.lines[at];
        let record = self.record(at);
        json!({
            "line": at + 1,
            "text": known.text,
            "intent_id": record.and_then(|it| it.intent_id.as_ref()),
            "session_id": record.map(|it| &it.session_id),
            "model": record.and_then(model),
            "mutation_class": record.and_then(|it| it.mutation_class),
            "timestamp": record.map(|it| it.timestamp),
            "record_id": record.map(|it| &it.id),
            "tool_name": record.and_then(|it| it.metadata.roz.tool_name.as_ref()),
            "accounted": record.is_some(),
            "commit": known.commit.as_ref().map(|it| &it.id),
            "author": known.commit.as_ref().map(|it| &it.author),
        })
    }
}

fn model(record: &Record) -> Option<&str> {
    let mut all = record.files.iter().flat_map(|it| &it.conversations);
    all.find_map(|it| it.contributor.model_id.as_deref())
}

fn class(record: &Record) -> &'static str {
    match record.mutation_class {
        Some(MutationClass::AstRefactor) => "refactor",
        Some(MutationClass::IntentEvolution) => "evolution",
        None => "-",
    }
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}
