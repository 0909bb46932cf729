//! `roz eval`: how well retrieval finds what is relevant, and keeps silent.

mod baselines;
mod set;

use std::fmt;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use self::set::{Labelled, Part, Project};
use super::{Done, say};
use crate::{
    core::{
        policy::RetrievalPolicy,
        reflection::{
            learning::Scope,
            retrieval::{Occasion, Query},
        },
    },
    world::World,
};

/// Measure which learnings come back, on labelled queries
///
/// Beside roz: plain keyword matching, and the formula that is usual. The
/// built-in set is of invented projects: those that retrieval is tuned on, and
/// those by other authors. Of these, nobody has looked at the ones that are held
/// out (they are written as in public trackers) and at those of strangers (who
/// knew of the format alone).
///
/// recall@5: of the learnings that must come back, the share among the first
/// five; the mean over queries that have any. Of all: the same, those that may
/// come back counted in. precision: of what was shown, the share that helps
/// (must or may); the mean over queries that were shown anything. noise: of all
/// that was shown to all queries, the share that does not help. MRR: one over
/// the place of the first that must come back, the mean. silent: of the queries
/// for which nothing helps, the share that got nothing. What there is no query
/// for, or nothing shown, is `-` (in JSON: null).
#[derive(Debug, clap::Args)]
#[command(after_long_help = FORMAT)]
pub(super) struct Args {
    /// A labelled set of your own, in TOML as below, instead of the built-in one
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Which part of the set
    #[arg(long, value_enum, default_value_t = Split::All)]
    split: Split,
    /// Name what was missed and what was noise, query by query
    #[arg(long)]
    misses: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print what `tests/retrieval/fit.py` fits the model of likelihood to
    #[arg(long, hide = true)]
    traits: bool,
}

/// What `--set` reads. TOML may be indented, so it works as it stands here,
/// where no line of it is folded.
const FORMAT: &str = "\
A set of your own:
  # The name it has in the table; with `held_out = true` it is no part of
  # `--split dev`, but of `--split held-out`.
  project = \"mine\"

  # May have, too: age_days = 90, files = [\"tests/db.rs\"], relevance = \"…\"
  [[learning]]
  id = \"port\"
  category = \"pitfall\"
  summary = \"cargo test hangs when port 5432 is taken by a local Postgres\"
  detail = \"tests/db.rs binds 5432; stop the service or set PGPORT=5433 first.\"
  tags = [\"tests\", \"postgres\"]

  # What is known: text (a prompt), title and description (of a ticket),
  # branch, tags, paths. Which learnings must come back (relevant), may
  # (also), are only near (near). kind: a word of yours about the query.
  [[query]]
  id = \"hangs\"
  text = \"cargo test hangs, and something is at port 5432\"
  relevant = [\"port\"]

  [[query]]
  id = \"theme\"
  title = \"A dark theme for the settings\"
  relevant = []
";

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Split {
    All,
    /// What retrieval was tuned on; of your own, what is not held out
    Dev,
    /// What nobody has looked at, written as in public trackers; of your own,
    /// what says `held_out = true`
    HeldOut,
    /// What it was not, and has been looked at
    Seen,
    /// What nobody has looked at, by authors who knew of the format alone
    Strangers,
}

impl Split {
    fn has(self, part: Part) -> bool {
        match self {
            Split::All => true,
            Split::Dev => matches!(part, Part::Dev | Part::Own),
            Split::Seen => part == Part::Seen,
            Split::HeldOut => matches!(part, Part::HeldOut | Part::OwnHeldOut),
            Split::Strangers => part == Part::Strangers,
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("`{set}` is no part of `--split {split}`. Its `held_out` says which part it is")]
struct NoPart {
    set: String,
    split: Split,
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Split::All => "all",
            Split::Dev => Part::Dev.name(),
            Split::Seen => Part::Seen.name(),
            Split::HeldOut => Part::HeldOut.name(),
            Split::Strangers => Part::Strangers.name(),
        })
    }
}

const METHODS: [(&str, Method); 3] =
    [("roz", ours), ("keywords", baselines::keywords), ("usual", baselines::usual)];

/// The ids of what is shown, best first.
type Method = fn(&Query, &Project, DateTime<Utc>) -> Vec<String>;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let projects = match &args.set {
        Some(path) => vec![set::read(path, world.now)?],
        None => set::built_in(world.now)?,
    };
    if let Some(set) = &args.set
        && !projects.iter().any(|it| args.split.has(it.part))
    {
        return Err(NoPart { set: set.display().to_string(), split: args.split }.into());
    }
    if args.traits {
        let part = projects.iter().filter(|it| args.split.has(it.part));
        return say::print_json(&part.map(traits).collect::<Value>()).map(|()| Done::Well);
    }
    let mut rows = Vec::new();
    let mut out = Map::new();
    for of in Part::ALL.into_iter().filter(|it| args.split.has(*it)) {
        let part: Vec<&Project> = projects.iter().filter(|it| it.part == of).collect();
        let name = of.name();
        let Some(first) = part.first() else { continue };
        let is_own = matches!(of, Part::Own | Part::OwnHeldOut);
        let shown_as = if is_own { &first.name } else { name };
        let mut of_split = Map::new();
        for (method, choose) in METHODS {
            let asked = ask(&part, choose, world.now);
            let figures = Figures::of(&asked);
            rows.push(figures.row(shown_as, method));
            let mut shown = figures.as_json();
            if args.misses && method == "roz" {
                let misses: Vec<Misses> = asked.iter().filter_map(Misses::of).collect();
                if args.json {
                    shown["misses"] = misses.iter().map(Misses::as_json).collect();
                } else {
                    say::print(&misses.iter().map(Misses::line).collect::<String>())?;
                }
            }
            of_split.insert(method.to_owned(), shown);
        }
        out.insert(name.replace('-', "_"), of_split.into());
    }
    if args.json {
        say::print_json(&json!({ "learnings": learnings(&projects), "splits": out }))?;
        return Ok(Done::Well);
    }
    let heading = [
        "SET",
        "METHOD",
        "QUERIES",
        "RECALL@5",
        "OF ALL",
        "PRECISION",
        "NOISE",
        "MRR",
        "SILENT",
        "SHOWN",
    ];
    say::print(&say::Out::new(world).table(&heading, &rows))?;
    Ok(Done::Well)
}

fn traits(project: &Project) -> Value {
    let of_query = |it: &Labelled| {
        let evidence = project.index.traits(&it.query);
        let named = |all: Vec<(String, [f32; 9])>| -> Map<String, Value> {
            all.into_iter().map(|(id, numbers)| (id, json!(numbers))).collect()
        };
        json!({
            "id": it.id, "relevant": it.relevant, "also": it.also, "length": evidence.length,
            "clauses": evidence.clauses.into_iter().map(named).collect::<Vec<_>>(),
            "learnings": named(evidence.learnings),
        })
    };
    let learnings = &project.learnings;
    json!({
        "part": project.part.name(),
        "ids": learnings.iter().map(|it| &it.id).collect::<Vec<_>>(),
        "personal": learnings.iter().map(|it| it.scope == Scope::Personal).collect::<Vec<_>>(),
        "kinship": project.index.kinships(),
        "queries": project.queries.iter().map(of_query).collect::<Vec<_>>(),
    })
}

/// Each project's, and the user's own once, which stand beside all of them.
fn learnings(projects: &[Project]) -> usize {
    let (own, others): (Vec<_>, Vec<_>) =
        projects.iter().flat_map(|it| &it.learnings).partition(|it| it.scope == Scope::Personal);
    others.len() + own.iter().map(|it| &it.id).collect::<BTreeSet<_>>().len()
}

/// What a session start, or a prompt, would bring.
fn ours(query: &Query, project: &Project, now: DateTime<Utc>) -> Vec<String> {
    let policy = RetrievalPolicy::default();
    let (tallies, shown) = (BTreeMap::new(), BTreeSet::new());
    let on = Occasion { query, tallies: &tallies, shown: &shown, policy: &policy, now };
    project.index.choose(&on).into_iter().map(|it| it.id).collect()
}

/// A query and what it was shown.
struct Answered<'a> {
    labelled: &'a Labelled,
    shown: Vec<String>,
}

fn ask<'a>(projects: &[&'a Project], choose: Method, now: DateTime<Utc>) -> Vec<Answered<'a>> {
    let of_project = |project: &&'a Project| {
        let project = *project;
        project.queries.iter().map(move |labelled| Answered {
            labelled,
            shown: choose(&labelled.query, project, now),
        })
    };
    projects.iter().flat_map(of_project).collect()
}

impl Answered<'_> {
    fn is_relevant(&self, id: &String) -> bool {
        self.labelled.relevant.contains(id)
    }

    fn helps(&self, id: &String) -> bool {
        self.is_relevant(id) || self.labelled.also.contains(id)
    }

    fn helped(&self) -> usize {
        self.shown.iter().filter(|it| self.helps(it)).count()
    }
}

/// See the help of [`Args`]. None: there was nothing to take it from.
#[derive(Debug)]
struct Figures {
    queries: usize,
    recall: Option<f64>,
    recall_of_all: Option<f64>,
    precision: Option<f64>,
    noise: Option<f64>,
    mrr: Option<f64>,
    silent: Option<f64>,
    shown: usize,
}

impl Figures {
    fn of(asked: &[Answered]) -> Self {
        let must = |it: &&Answered| !it.labelled.relevant.is_empty();
        let may = |it: &&Answered| must(it) || !it.labelled.also.is_empty();
        let shown = asked.iter().map(|it| it.shown.len()).sum();
        let helped = asked.iter().map(Answered::helped).sum();
        let found = |it: &Answered, of: &[&Vec<String>]| {
            let wanted: Vec<&String> = of.iter().copied().flatten().collect();
            let hits = it.shown.iter().take(5).filter(|id| wanted.contains(id)).count();
            ratio(hits, wanted.len().min(5))
        };
        let first = |it: &Answered| it.shown.iter().position(|id| it.is_relevant(id));
        let silent = |it: &Answered| ratio(usize::from(it.shown.is_empty()), 1);
        Self {
            queries: asked.len(),
            recall: mean(asked.iter().filter(must).map(|it| found(it, &[&it.labelled.relevant]))),
            recall_of_all: mean(
                asked
                    .iter()
                    .filter(may)
                    .map(|it| found(it, &[&it.labelled.relevant, &it.labelled.also])),
            ),
            precision: mean(
                asked
                    .iter()
                    .filter(|it| !it.shown.is_empty())
                    .map(|it| ratio(it.helped(), it.shown.len())),
            ),
            noise: (shown > 0).then(|| 1.0 - ratio(helped, shown)),
            mrr: mean(
                asked.iter().filter(must).map(|it| first(it).map_or(0.0, |at| ratio(1, at + 1))),
            ),
            silent: mean(asked.iter().filter(|it| !may(it)).map(silent)),
            shown,
        }
    }

    fn row(&self, split: &str, method: &str) -> Vec<String> {
        let mut row = vec![split.to_owned(), method.to_owned(), self.queries.to_string()];
        let figures =
            [self.recall, self.recall_of_all, self.precision, self.noise, self.mrr, self.silent];
        row.extend(figures.map(|it| it.map_or("-".to_owned(), |it| format!("{it:.3}"))));
        row.push(self.shown.to_string());
        row
    }

    fn as_json(&self) -> Value {
        json!({
            "queries": self.queries,
            "recall_at_5": self.recall,
            "recall_at_5_of_all": self.recall_of_all,
            "precision": self.precision,
            "noise": self.noise,
            "mrr": self.mrr,
            "silent": self.silent,
            "shown": self.shown,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of learnings")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0_f64), |(sum, count), it| (sum + it, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// What was not as it should be with one query.
struct Misses<'a> {
    query: &'a str,
    shown: usize,
    missed: Vec<&'a str>,
    noise: Vec<&'a str>,
}

impl<'a> Misses<'a> {
    fn of(it: &'a Answered) -> Option<Self> {
        let missed = it.labelled.relevant.iter().filter(|id| !it.shown.contains(id));
        let noise = it.shown.iter().filter(|id| !it.helps(id));
        let found = Self {
            query: &it.labelled.id,
            shown: it.shown.len(),
            missed: missed.map(String::as_str).collect(),
            noise: noise.map(String::as_str).collect(),
        };
        (!found.missed.is_empty() || !found.noise.is_empty()).then_some(found)
    }

    fn line(&self) -> String {
        let list = |word: &str, ids: &[&str]| {
            if ids.is_empty() { String::new() } else { format!(", {word} {}", ids.join(" ")) }
        };
        let (missed, noise) = (list("missed", &self.missed), list("noise", &self.noise));
        format!("{}: shown {}{missed}{noise}\n", self.query, self.shown)
    }

    fn as_json(&self) -> Value {
        json!({
            "query": self.query, "shown": self.shown, "missed": self.missed, "noise": self.noise,
        })
    }
}
