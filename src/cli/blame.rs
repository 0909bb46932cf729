//! `roz blame`: which intent each line belongs to.

mod line_origins;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use chrono::Local;
use serde_json::{Value, json};

use self::line_origins::{Blamed, blamed};
use super::{ledger::class, say};
use crate::{
    core::{bounded, intent::ledger::Record},
    sidecar,
    world::World,
};

/// Show which intent each line of a file was written for
///
/// Combines the ledger with git's own blame. Lines are recognised by their
/// content, also after later edits, commits, amends, rebases and renames. A line
/// without a record is shown with its commit only.
///
/// Examples:
///   roz blame src/auth/login.rs
///   roz blame src/auth/login.rs:42 --why
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The file, optionally with the number of a line
    #[arg(value_name = "FILE[:LINE]")]
    place: String,
    /// Show everything that is known about why a line exists
    #[arg(long)]
    why: bool,
}

const LARGEST: usize = 16 << 20;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if args.why {
        return why(&args.place, world);
    }
    let (path, line) = place(&args.place, world)?;
    let blamed = blamed(&path, world)?;
    let (from, to) = blamed.range(line, &path)?;
    let lines: Vec<Value> = (from..to).map(|at| blamed.json(at)).collect();
    let lines_shown = &blamed.lines[from..to];
    let unaccounted = lines_shown.iter().filter(|line| line.record.is_none()).count();
    let value = json!({ "file": blamed.file, "lines": lines, "unaccounted": unaccounted });
    let heading = ["LINE", "INTENT", "SESSION", "MODEL", "CLASS", "TIME", "COMMIT", "TEXT"];
    super::said(value, say::Out::new(world).table(&heading, (from..to).map(|at| blamed.row(at))))
}

pub(super) fn why(place: &str, world: &World) -> super::Result {
    let (path, line) = self::place(place, world)?;
    let blamed = blamed(&path, world)?;
    let name = place.trim_end_matches(':');
    let line = line.ok_or_else(|| format!("name a line: `roz blame {name}:12 --why`"))?;
    let (at, _) = blamed.range(Some(line), &path)?;
    let catalogue = sidecar::load_fresh(&blamed.project).unwrap_or_default();
    let record = blamed.record(at);
    let id = record.and_then(|record| record.intent_id.as_deref());
    let intent = id.and_then(|id| catalogue.intents.iter().find(|intent| intent.id == id));
    let mut value = blamed.json(at);
    value["file"] = blamed.file.clone().into();
    value["intent"] = serde_json::to_value(intent)?;
    value["record"] = serde_json::to_value(record)?;
    let line = |text: &str, max| bounded::plain_line(&bounded::line(text, max));
    let known = &blamed.lines[at];
    let mut told = format!("{}:{}: {}\n", blamed.file, at + 1, line(known.text.trim(), 200));
    let mut tell = |name: &str, text: &str| {
        let _ = writeln!(told, "{name:<10} {}", line(text, 400));
    };
    match record {
        None => tell("intent", "none: no record of the ledger accounts for this line"),
        Some(record) => {
            let name = intent
                .map(|intent| format!(": {} ({})", intent.name, intent.status))
                .unwrap_or_default();
            tell("intent", &format!("{}{name}", id.unwrap_or("none")));
            for criterion in intent.into_iter().flat_map(|intent| &intent.acceptance_criteria) {
                tell("", &format!("- {criterion}"));
            }
            let roz = &record.metadata.roz;
            tell("session", &record.session_id);
            tell("model", model(record).unwrap_or("not known"));
            tell("tool", roz.tool_name.as_deref().unwrap_or("not known"));
            tell("time", &say::when(record.timestamp, world.now));
            let is_it = |path: &str| blamed.names.iter().any(|name| name.path == path);
            let files = roz.files.iter().filter(|file| is_it(&file.path));
            let evidence = files
                .chain(&roz.files)
                .find_map(|file| file.evidence.as_ref()?.get("step")?.as_str());
            tell("class", &format!("{} ({})", class(record), evidence.unwrap_or("no evidence")));
            tell("record", &record.id);
        }
    }
    let commit = known.commit.as_ref().map_or("not committed".to_owned(), |commit| {
        format!("{} {} ({})", short(&commit.id), commit.summary, commit.author)
    });
    tell("commit", &commit);
    super::said(value, told)
}

/// Parses `src/a.rs:12`, which may also be the name of a file.
fn place(text: &str, world: &World) -> Result<(PathBuf, Option<usize>), String> {
    let whole = world.cwd.join(text);
    let Some((path, line)) = text.rsplit_once(':').filter(|_| !whole.exists()) else {
        return Ok((whole, None));
    };
    let file = world.cwd.join(path);
    match line.parse() {
        Ok(line) => Ok((file, Some(line))),
        Err(_) if line.is_empty() || !file.is_file() => Ok((file, None)),
        Err(_) => {
            let line = bounded::line(line, 40);
            Err(format!("`{line}` is not a line: name one by its number, as in `{path}:12`"))
        }
    }
}

impl Blamed {
    fn range(&self, line: Option<usize>, path: &Path) -> Result<(usize, usize), String> {
        let has = self.lines.len();
        match line {
            None => Ok((0, has)),
            Some(line) if (1..=has).contains(&line) => Ok((line - 1, line)),
            Some(_) => Err(format!("`{}` has {}", path.display(), say::counted(has, "line"))),
        }
    }

    fn record(&self, line: usize) -> Option<&Record> {
        self.records.get(self.lines.get(line)?.record?)
    }

    fn row(&self, at: usize) -> Vec<String> {
        let cell = |text: &str, max| bounded::chars(&bounded::plain_line(text), max);
        let known = &self.lines[at];
        let commit = known.commit.as_ref().map_or("-", |commit| short(&commit.id)).to_owned();
        let of_record = match self.record(at) {
            None => ["-"; 5].map(str::to_owned),
            Some(record) => [
                cell(record.intent_id.as_deref().unwrap_or("-"), 20),
                cell(&record.session_id, 8),
                cell(model(record).unwrap_or("-"), 24),
                class(record).to_owned(),
                record.timestamp.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string(),
            ],
        };
        let [line, text] = [(at + 1).to_string(), cell(&known.text, 200)];
        [line].into_iter().chain(of_record).chain([commit, text]).collect()
    }

    fn json(&self, at: usize) -> Value {
        let known = &self.lines[at];
        let record = self.record(at);
        json!({
            "line": at + 1,
            "text": known.text,
            "intent_id": record.and_then(|record| record.intent_id.as_ref()),
            "session_id": record.map(|record| &record.session_id),
            "model": record.and_then(model),
            "mutation_class": record.and_then(|record| record.mutation_class),
            "timestamp": record.map(|record| record.timestamp),
            "record_id": record.map(|record| &record.id),
            "tool_name": record.and_then(|record| record.metadata.roz.tool_name.as_ref()),
            "accounted": record.is_some(),
            "commit": known.commit.as_ref().map(|commit| &commit.id),
            "author": known.commit.as_ref().map(|commit| &commit.author),
        })
    }
}

fn model(record: &Record) -> Option<&str> {
    let mut all = record.files.iter().flat_map(|file| &file.conversations);
    all.find_map(|conversation| conversation.contributor.model_id.as_deref())
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}
