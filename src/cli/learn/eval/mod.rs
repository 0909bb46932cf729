//! `roz learn eval`: whether the titles that are wanted come back, at what price, and what keeps
//! silent.

mod baselines;
mod set;
mod small;

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
        reflection::shown::Relevant,
        reflection::{
            self,
            learning::Scope,
            retrieval::{Chosen, Occasion, Query},
        },
    },
    world::World,
};

/// Measure which titles come back, on labelled queries
///
/// Beside roz: plain BM25F, which was its prototype (no recency, and no silence
/// where a query says nothing), and keyword matching. The built-in set is of invented projects:
/// those that retrieval was once tuned on, and those by other authors. Of these,
/// nobody has looked at the ones that are held out (they are written as in public
/// trackers) and at those of strangers (who knew of the format alone). Below:
/// small stores, with one wanted learning each.
///
/// recall: of the learnings that must come back, the share among the titles
/// shown; the mean over queries that have any. MRR: one over the place of the
/// first that must come back, the mean. titles, chars: shown for a query, the
/// mean. silent: of the queries for which nothing helps, the share that got
/// nothing. What there is no query for is `-` (in JSON: null).
#[derive(Debug, clap::Args)]
#[command(after_long_help = FORMAT)]
pub(super) struct Args {
    /// A labelled set of your own, in TOML as below, instead of the built-in one
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Which part of the set
    #[arg(long, value_enum, default_value_t = Part::All)]
    split: Part,
    /// Name what was missed, query by query
    #[arg(long)]
    misses: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
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
  title = \"A dark theme for the web pages\"
  relevant = []
";

#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not in this `--split`. Its `held_out` says in which it is")]
struct NotInSplit(String);

const METHODS: [(&str, Method); 3] =
    [("roz", ours), ("plain", baselines::plain), ("keywords", baselines::keywords)];

/// What is shown, best first.
type Method = fn(&Query, &Project, DateTime<Utc>) -> Vec<Chosen>;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let projects = match &args.set {
        Some(path) => vec![set::read(path, world.now)?],
        None => set::built_in(world.now)?,
    };
    let is_measured = |project: &&Project| args.split == Part::All || project.part == args.split;
    let measured: Vec<&Project> = projects.iter().filter(is_measured).collect();
    if let (Some(set), []) = (&args.set, &*measured) {
        return Err(NotInSplit(set.display().to_string()).into());
    }
    let mut rows = Vec::new();
    let mut splits = Map::new();
    for (part, name) in Part::MEASURED {
        let projects: Vec<&Project> =
            measured.iter().copied().filter(|project| project.part == part).collect();
        let Some(first) = projects.first() else { continue };
        let is_own = args.set.is_some();
        let key = if is_own { "own".to_owned() } else { name.replace('-', "_") };
        let shown_as = if !is_own {
            name
        } else if first.name.is_empty() {
            "own"
        } else {
            &first.name
        };
        let mut methods = Map::new();
        for (method, choose) in METHODS {
            let asked = ask(&projects, choose, world.now);
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
            methods.insert(method.to_owned(), shown);
        }
        splits.insert(key, methods.into());
    }
    let mut small_stores = Vec::new();
    for size in small::SIZES {
        let stores: Vec<Project> = measured
            .iter()
            .flat_map(|project| small::stores(project, size, args.set.is_some()))
            .collect();
        if stores.is_empty() {
            continue;
        }
        let figures = Figures::of(&ask(&stores.iter().collect::<Vec<_>>(), ours, world.now));
        rows.push(figures.row(&format!("stores of {size}"), "roz"));
        let mut figures = figures.as_json();
        figures["learnings"] = json!(size);
        small_stores.push(figures);
    }
    if args.json {
        say::print_json(&json!({
            "learnings": learnings(&projects), "splits": splits, "small_stores": small_stores,
        }))?;
        return Ok(Done::Well);
    }
    let heading = ["SET", "METHOD", "QUERIES", "RECALL", "MRR", "TITLES", "CHARS", "SILENT"];
    say::print(&say::Out::new(world).table(&heading, &rows))?;
    Ok(Done::Well)
}

/// Each project's, and the user's own once, which stand beside all of them.
fn learnings(projects: &[Project]) -> usize {
    let (own, others): (Vec<_>, Vec<_>) =
        projects.iter().flat_map(|it| &it.learnings).partition(|it| it.scope == Scope::Personal);
    others.len() + own.iter().map(|it| &it.id).collect::<BTreeSet<_>>().len()
}

/// What a session start, or a prompt, would bring.
fn ours(query: &Query, project: &Project, now: DateTime<Utc>) -> Vec<Chosen> {
    let policy = RetrievalPolicy::default();
    let (tallies, shown) = (BTreeMap::new(), BTreeSet::new());
    let on = Occasion { query, tallies: &tallies, shown: &shown, policy: &policy, now };
    project.index.choose(&on)
}

/// A query and what it was shown.
struct Answered<'a> {
    labelled: &'a Labelled,
    shown: Vec<Relevant>,
}

fn ask<'a>(projects: &[&'a Project], choose: Method, now: DateTime<Utc>) -> Vec<Answered<'a>> {
    let of_project = |project: &&'a Project| {
        let project = *project;
        let find = |id: &str| project.learnings.iter().find(|it| it.id == id);
        project.queries.iter().map(move |labelled| Answered {
            labelled,
            shown: reflection::as_shown(&choose(&labelled.query, project, now), find),
        })
    };
    projects.iter().flat_map(of_project).collect()
}

impl Answered<'_> {
    fn has(&self, id: &str) -> bool {
        self.shown.iter().any(|it| it.id == id)
    }

    fn characters(&self) -> usize {
        /// What stands above the titles.
        const HEADING: &str = include_str!("../../../../templates/learnings.md");
        if self.shown.is_empty() {
            return 0;
        }
        let texts = self.shown.iter().flat_map(|it| [Some(&it.title), it.whole.as_ref()]);
        let lines = texts.flatten().map(|text| text.chars().count() + 1);
        HEADING.replace("{{learnings}}", "").chars().count() + lines.sum::<usize>()
    }
}

/// See the help of [`Args`]. None: there was nothing to take it from.
#[derive(Debug)]
struct Figures {
    queries: usize,
    recall: Option<f64>,
    mrr: Option<f64>,
    titles: Option<f64>,
    characters: Option<f64>,
    silent: Option<f64>,
}

impl Figures {
    fn of(asked: &[Answered]) -> Self {
        let must = || asked.iter().filter(|it| !it.labelled.relevant.is_empty());
        let wants_nothing =
            |it: &&Answered| it.labelled.relevant.is_empty() && it.labelled.also.is_empty();
        let found = |it: &Answered| {
            let wanted = &it.labelled.relevant;
            ratio(wanted.iter().filter(|id| it.has(id)).count(), wanted.len())
        };
        let first = |it: &Answered| {
            let place = it.shown.iter().position(|shown| it.labelled.relevant.contains(&shown.id));
            place.map_or(0.0, |at| ratio(1, at + 1))
        };
        let silent = |it: &Answered| ratio(usize::from(it.shown.is_empty()), 1);
        Self {
            queries: asked.len(),
            recall: mean(must().map(found)),
            mrr: mean(must().map(first)),
            titles: mean(asked.iter().map(|it| ratio(it.shown.len(), 1))),
            characters: mean(asked.iter().map(|it| ratio(it.characters(), 1))),
            silent: mean(asked.iter().filter(wants_nothing).map(silent)),
        }
    }

    fn row(&self, split: &str, method: &str) -> Vec<String> {
        let mut row = vec![split.to_owned(), method.to_owned(), self.queries.to_string()];
        let as_text = |figure: Option<f64>, digits: usize| {
            figure.map_or("-".to_owned(), |it| format!("{it:.digits$}"))
        };
        let figures = [
            (self.recall, 3),
            (self.mrr, 3),
            (self.titles, 2),
            (self.characters, 0),
            (self.silent, 3),
        ];
        row.extend(figures.map(|(figure, digits)| as_text(figure, digits)));
        row
    }

    fn as_json(&self) -> Value {
        json!({
            "queries": self.queries,
            "recall": self.recall,
            "mrr": self.mrr,
            "titles": self.titles,
            "characters": self.characters,
            "silent": self.silent,
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

/// What one query must have been shown and was not.
struct Misses<'a> {
    query: &'a str,
    shown: usize,
    missed: Vec<&'a str>,
}

impl<'a> Misses<'a> {
    fn of(it: &'a Answered) -> Option<Self> {
        let missed = it.labelled.relevant.iter().filter(|id| !it.has(id));
        let missed: Vec<&str> = missed.map(String::as_str).collect();
        let query = &it.labelled.id;
        (!missed.is_empty()).then_some(Self { query, shown: it.shown.len(), missed })
    }

    fn line(&self) -> String {
        format!("{}: shown {}, missed {}\n", self.query, self.shown, self.missed.join(" "))
    }

    fn as_json(&self) -> Value {
        json!({ "query": self.query, "shown": self.shown, "missed": self.missed })
    }
}
