//! Learnings with what became of them: what the verbs about them share.

use std::{collections::BTreeMap, fmt::Write as _};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};

use super::say::{self, Out, Tone};
use crate::{
    config,
    core::{
        bounded,
        reflection::{
            learning::{Category, Learning, Scope, Status},
            retrieval::Filters,
            usage::{Tally, View},
        },
    },
    memory::{Library, Problem},
    open::Roz,
    usage_log::UsageLog,
    world::{World, in_a_line},
};

/// What could not be done, a line each.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\nroz: "))]
pub(super) struct Failed(pub(super) Vec<String>);

/// All that a project and its user have learned, and how it is used.
pub(super) struct Stock {
    pub(super) library: Library,
    pub(super) log: UsageLog,
    /// Oldest first, as the backends answered.
    pub(super) learnings: Vec<Learning>,
    /// By learning, the backend that has it.
    places: BTreeMap<String, &'static str>,
    pub(super) view: View,
    pub(super) problems: Vec<Problem>,
    pub(super) tallies: BTreeMap<String, Tally>,
}

impl Stock {
    /// A log that cannot be read is one of the problems.
    pub(super) fn open(roz: &Roz, world: &World) -> Self {
        let library = roz.library(world);
        let log = roz.usage_log(&library);
        let shelf = library.all();
        let mut problems = shelf.problems;
        let view = log.read().unwrap_or_else(|err| {
            problems
                .push(Problem { place: log.path().display().to_string(), what: in_a_line(&err) });
            View::default()
        });
        let tallies = view.tallies();
        let places = shelf.learnings.iter().map(|it| (it.learning.id.clone(), it.backend));
        let places = places.collect();
        let learnings = shelf.learnings.into_iter().map(|it| it.learning).collect();
        Self { library, log, learnings, places, view, problems, tallies }
    }

    /// Those that are this project's to put away: what a memory server holds may be another's.
    pub(super) fn own(&self) -> Vec<Learning> {
        let all = self.learnings.iter();
        let is_own = |it: &&Learning| !self.is_served(&it.id) || self.view.is_own(&it.id);
        all.filter(is_own).cloned().collect()
    }

    /// Whether a server keeps it, which no hook asks.
    pub(super) fn is_served(&self, id: &str) -> bool {
        self.places.get(id) == Some(&"mcp")
    }

    pub(super) fn find(&self, id: &str) -> Option<&Learning> {
        self.learnings.iter().find(|it| it.id == id)
    }

    pub(super) fn summary(&self, id: &str) -> &str {
        self.find(id).map_or("", |it| &it.summary)
    }

    pub(super) fn tally(&self, id: &str) -> Tally {
        self.tallies.get(id).cloned().unwrap_or_default()
    }

    /// `there is no learning …`, with the one that was meant where that is
    /// clear: one or two letters off, or known by the mark at its lines' ends.
    pub(super) fn no_such(&self, id: &str) -> String {
        let typed = id.trim().trim_start_matches('^');
        let is_end = |it: &str| typed.len() >= 6 && it.ends_with(typed);
        let is_near = |it: &str| typed.len() <= 64 && strsim::osa_distance(typed, it) <= 2;
        let all = || self.learnings.iter().map(|it| it.id.as_str());
        let meant = all().find(|it| is_end(it)).or_else(|| all().find(|it| is_near(it)));
        let shown = bounded::plain_line(&bounded::line(id, 60));
        let all = "`roz learn list` shows those that there are".to_owned();
        let remedy = meant.map_or(all, |it| format!("Did you mean `{it}`?"));
        format!("there is no learning `{shown}`. {remedy}")
    }

    /// A learning with all its fields, those that it lacks among them, and how
    /// it is used.
    pub(super) fn as_json(&self, it: &Learning) -> Value {
        let mut value = serde_json::to_value(it).unwrap_or_default();
        let tally = self.tally(&it.id);
        if let Some(fields) = value.as_object_mut() {
            let lacking = ["relevance", "ticket_id", "session_id", "supersedes", "roz_version"];
            for name in lacking {
                fields.entry(name).or_insert(Value::Null);
            }
            let use_of_it = json!({
                "backend": self.places.get(&it.id),
                "surfaced": tally.surfaced,
                "opened": tally.opened,
                "referenced": tally.referenced,
                "dismissed": tally.dismissed,
                "rated_useful": tally.rated_useful,
                "rated_useless": tally.rated_useless,
                "last_surfaced": tally.last_surfaced,
                "last_used": tally.last_used,
                "hit_rate": tally.hit_rate(),
            });
            fields.extend(use_of_it.as_object().cloned().unwrap_or_default());
        }
        value
    }

    /// A line for each tag that no learning has.
    pub(super) fn unknown_tags(&self, tags: &[String]) -> Vec<String> {
        let all = || self.learnings.iter().flat_map(|it| &it.tags);
        let is_unknown = |tag: &&String| !all().any(|it| it.eq_ignore_ascii_case(tag));
        let words = |tag: &String| {
            let shown = bounded::plain_line(&bounded::line(tag, 60));
            match config::nearest(tag, all().map(String::as_str)) {
                Some(near) => format!(
                    "no learning has the tag `{shown}`. Did you mean `{}`?",
                    bounded::plain_line(near)
                ),
                None => format!("no learning has the tag `{shown}`"),
            }
        };
        tags.iter().filter(is_unknown).map(words).collect()
    }

    /// What to say where nothing was found: `said`, or that there is nothing
    /// which could be read.
    pub(super) fn nothing(&self, said: &str) -> String {
        let is_of_a_learning = |it: &Problem| it.place != self.log.path().display().to_string();
        if self.learnings.is_empty() && self.problems.iter().any(is_of_a_learning) {
            return "None of what was learned here can be read.\n".to_owned();
        }
        format!("{said}\n")
    }

    /// What could not be read, for a person.
    pub(super) fn problems_in_words(&self, out: &Out) -> String {
        problems_in_words(&self.problems, out)
    }
}

pub(super) fn problems_in_words(problems: &[Problem], out: &Out) -> String {
    /// A file can hold any number of them.
    const TOLD: usize = 20;
    let warn = |said: &str| out.paint(super::say::Tone::Warn, &format!("roz: {said}")) + "\n";
    let line =
        |it: &Problem| warn(&format!("cannot be read: {}", bounded::plain_line(&it.to_string())));
    let mut text: String = problems.iter().take(TOLD).map(line).collect();
    if let Some(more @ 1..) = problems.len().checked_sub(TOLD) {
        text += &warn(&format!("{more} more cannot be read (`--json` names them)"));
    }
    text
}

pub(super) fn problems_as_json(problems: &[Problem]) -> Value {
    problems.iter().map(|it| json!({ "place": it.place, "what": it.what })).collect()
}

/// Which learnings are meant.
#[derive(Debug, clap::Args)]
pub(super) struct Narrow {
    /// Only of this category; can be given again
    #[arg(long, value_parser = word(Category::ALL, Category::word), ignore_case = true)]
    category: Vec<Category>,
    /// Only with this tag; can be given again, and any of them will do
    #[arg(long)]
    pub(super) tag: Vec<String>,
    /// Only of this scope; can be given again
    #[arg(long, value_parser = word(Scope::ALL, Scope::word), ignore_case = true)]
    scope: Vec<Scope>,
}

impl Narrow {
    pub(super) fn filters(&self, statuses: Vec<Status>, max_results: usize) -> Filters {
        Filters {
            statuses,
            scopes: self.scope.clone(),
            categories: self.category.clone(),
            tags: self.tag.iter().map(|it| it.trim().to_owned()).collect(),
            created_after: None,
            max_results,
        }
    }
}

/// One of a closed set of words: a misspelt one is told the nearest.
pub(super) fn word<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(|it| name(*it))).map(move |text| {
        let named = all.iter().find(|it| name(**it).eq_ignore_ascii_case(&text));
        *named.expect("clap takes no other word")
    })
}

/// Of a text this much is shown, in characters.
const MAX_DETAIL: usize = 2000;

/// What is known of a learning: its category, its status where it is not active, its age.
pub(super) fn known_of(learning: &Learning, world: &World) -> String {
    let status = match learning.status {
        Status::Active => String::new(),
        other => format!(", {other}"),
    };
    format!("{}{status}, {}", learning.category, say::ago(learning.created_at, world.now))
}

/// The summary, then its id and what is told about it, then the text. What somebody wrote down is
/// quoted, so that it is told apart from what roz says.
pub(super) fn in_words(learning: &Learning, about: &str, out: &Out) -> String {
    let summary = bounded::plain_line(&bounded::line(&learning.summary, 200));
    let about = bounded::plain_line(&format!("{} ({about})", learning.id));
    let mut text = out.paint(Tone::Bold, &say::folded(&summary, out.width, ""));
    let _ = writeln!(text, "\n  {}", say::folded(&about, out.width, "  "));
    for line in bounded::chars(learning.detail.trim(), MAX_DETAIL).lines() {
        let line = say::folded(&bounded::plain_line(line), out.width, "  > ");
        let _ = writeln!(text, "  > {line}");
    }
    text
}
