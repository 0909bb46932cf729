//! `roz learn eval`: measures whether the wanted titles come back, at what cost, and whether
//! retrieval is silent when nothing helps.

mod baselines;
mod set;
mod small;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use clap::builder::{PossibleValue, PossibleValuesParser};
use serde_json::{Map, Value, json};

use self::set::{Labelled, Project};
use super::say;
use crate::{
    core::{
        policy::RetrievalPolicy,
        reflection::{
            self,
            retrieval::{Chosen, Occasion, Query},
            shown::Relevant,
        },
    },
    world::World,
};

/// Measure which titles come back, on labelled queries
///
/// Compares roz with plain BM25F, its prototype (no recency, and not silent for
/// queries that say nothing), and with keyword matching. The projects are
/// invented: some were once used for tuning, others are by other authors. Of the
/// latter, nobody has looked at `held-out` (written as in public trackers) and at
/// `strangers` (by authors who knew only the format). Below: small stores, with
/// one wanted learning each.
///
/// recall: the share of the learnings that must come back among the titles
/// shown; the mean over queries that have any. MRR: the mean of one over the
/// place of the first that must come back. titles, chars: the mean per query.
/// silent: the share of the queries for which nothing helps that got nothing.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Which part of the set (default: all)
    #[arg(long, value_parser = parts())]
    split: Option<String>,
}

/// `all` is what older versions called the default.
fn parts() -> PossibleValuesParser {
    let parts = set::PARTS.map(PossibleValue::new).into_iter();
    parts.chain([PossibleValue::new("all").hide(true)]).into()
}

const METHODS: [(&str, Method); 3] =
    [("roz", ours), ("plain", baselines::plain), ("keywords", baselines::keywords)];

/// Chooses what to show, best first.
type Method = fn(&Query, &Project, DateTime<Utc>) -> Vec<Chosen>;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let projects = set::built_in(world.now)?;
    let mut rows = Vec::new();
    let mut splits = Map::new();
    let wanted = args.split.as_deref().filter(|split| *split != "all");
    let is_measured = |part: &str| wanted.is_none_or(|split| split == part);
    for part in set::PARTS.into_iter().filter(|part| is_measured(part)) {
        let of_part = || projects.iter().filter(|project| project.part == part);
        let mut methods = Map::new();
        for (method, choose) in METHODS {
            let figures = Figures::of(&ask(of_part(), choose, world.now));
            rows.push(figures.row(part, method));
            methods.insert(method.to_owned(), figures.as_json());
        }
        splits.insert(part.replace('-', "_"), methods.into());
    }
    let mut small_stores = Vec::new();
    for size in small::SIZES {
        let measured = projects.iter().filter(|project| is_measured(project.part));
        let stores: Vec<Project> =
            measured.flat_map(|project| small::stores(project, size)).collect();
        let figures = Figures::of(&ask(stores.iter(), ours, world.now));
        rows.push(figures.row(&format!("stores of {size}"), "roz"));
        let mut figures = figures.as_json();
        figures["learnings"] = json!(size);
        small_stores.push(figures);
    }
    let value = json!({ "splits": splits, "small_stores": small_stores });
    let heading = ["SET", "METHOD", "QUERIES", "RECALL", "MRR", "TITLES", "CHARS", "SILENT"];
    super::said(value, say::Out::new(world).table(&heading, rows))
}

/// What a session start or a prompt would show.
fn ours(query: &Query, project: &Project, now: DateTime<Utc>) -> Vec<Chosen> {
    let policy = RetrievalPolicy::default();
    let (tallies, shown) = (BTreeMap::new(), BTreeSet::new());
    let on = Occasion { query, tallies: &tallies, shown: &shown, policy: &policy, now };
    project.index.choose(&on)
}

/// A query and the titles shown for it.
struct Answered<'a> {
    labelled: &'a Labelled,
    shown: Vec<Relevant>,
}

fn ask<'a>(
    projects: impl Iterator<Item = &'a Project>,
    choose: Method,
    now: DateTime<Utc>,
) -> Vec<Answered<'a>> {
    let of_project = |project: &'a Project| {
        let find = |id: &str| project.learnings.iter().find(|learning| learning.id == id);
        project.queries.iter().map(move |labelled| Answered {
            labelled,
            shown: reflection::as_shown(&choose(&labelled.query(), project, now), find),
        })
    };
    projects.flat_map(of_project).collect()
}

impl Answered<'_> {
    fn recall(&self) -> f64 {
        let wanted = &self.labelled.relevant;
        let is_shown = |id: &&String| self.shown.iter().any(|shown| shown.id == **id);
        ratio(wanted.iter().filter(is_shown).count(), wanted.len())
    }

    fn reciprocal_rank(&self) -> f64 {
        let is_wanted = |shown: &Relevant| self.labelled.relevant.contains(&shown.id);
        self.shown.iter().position(is_wanted).map_or(0.0, |at| ratio(1, at + 1))
    }

    fn characters(&self) -> usize {
        /// The text above the titles.
        const HEADING: &str = include_str!("../../../../templates/learnings.md");
        if self.shown.is_empty() {
            return 0;
        }
        let texts = self.shown.iter().flat_map(|shown| [Some(&shown.title), shown.whole.as_ref()]);
        let lines = texts.flatten().map(|text| text.chars().count() + 1);
        HEADING.replace("{{learnings}}", "").chars().count() + lines.sum::<usize>()
    }
}

/// See the help of [`Args`]. Each has its name and its number of decimals; `None` if there was no
/// data.
struct Figures {
    queries: usize,
    all: [(&'static str, Option<f64>, usize); 5],
}

impl Figures {
    fn of(asked: &[Answered]) -> Self {
        let (must, others): (Vec<&Answered>, Vec<&Answered>) =
            asked.iter().partition(|answered| !answered.labelled.relevant.is_empty());
        let wants_nothing = others.iter().filter(|other| other.labelled.also.is_empty());
        let silent = wants_nothing
            .map(|wants_nothing| ratio(usize::from(wants_nothing.shown.is_empty()), 1));
        let all = [
            ("recall", mean(must.iter().map(|answered| answered.recall())), 3),
            ("mrr", mean(must.iter().map(|answered| answered.reciprocal_rank())), 3),
            ("titles", mean(asked.iter().map(|answered| ratio(answered.shown.len(), 1))), 2),
            ("characters", mean(asked.iter().map(|answered| ratio(answered.characters(), 1))), 0),
            ("silent", mean(silent), 3),
        ];
        Self { queries: asked.len(), all }
    }

    fn row(&self, set: &str, method: &str) -> Vec<String> {
        let cell = |(_, figure, digits): &(&str, Option<f64>, usize)| {
            figure.map_or("-".to_owned(), |figure| format!("{figure:.digits$}"))
        };
        let row = [set.to_owned(), method.to_owned(), self.queries.to_string()];
        row.into_iter().chain(self.all.iter().map(cell)).collect()
    }

    fn as_json(&self) -> Value {
        let mut value = json!({ "queries": self.queries });
        for (name, figure, _) in self.all {
            value[name] = json!(figure);
        }
        value
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of learnings")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) =
        values.fold((0.0, 0.0_f64), |(sum, count), share| (sum + share, count + 1.0));
    (count > 0.0).then(|| sum / count)
}
