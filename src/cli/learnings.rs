//! Learnings with their use: shared by the commands about them.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    time::{Duration, Instant},
};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};

use super::{
    Done,
    say::{self, Out, Tone},
};
use crate::{
    core::{
        bounded,
        reflection::{
            learning::{Category, Learning, Scope, Status},
            retrieval::Filters,
            usage::{Entry, Event, Tally, View},
        },
    },
    memory::{Library, Problem},
    open::Roz,
    usage_log::UsageLog,
    world::{self, World},
};

pub(super) struct Stock {
    pub(super) roz: Roz,
    pub(super) library: Library,
    pub(super) log: UsageLog,
    /// Oldest first.
    pub(super) learnings: Vec<Learning>,
    places: BTreeMap<String, &'static str>,
    pub(super) view: View,
    pub(super) problems: Vec<Problem>,
    pub(super) tallies: BTreeMap<String, Tally>,
}

impl Stock {
    pub(super) fn here(world: &World) -> super::Result<Self> {
        Ok(Self::of(Roz::here(world)?, world))
    }

    /// Loads the learnings and the log. A log that cannot be read is one of the problems.
    pub(super) fn of(roz: Roz, world: &World) -> Self {
        let library = roz.library(world);
        let log = roz.usage_log(&library);
        let shelf = library.all();
        let mut problems = shelf.problems;
        let view = log.read().unwrap_or_else(|err| {
            problems.push(Problem {
                place: log.path().display().to_string(),
                what: world::in_a_line(&err),
            });
            View::default()
        });
        let tallies = view.tallies();
        let places =
            shelf.learnings.iter().map(|learning| (learning.learning.id.clone(), learning.backend));
        let places = places.collect();
        let learnings = shelf.learnings.into_iter().map(|learning| learning.learning).collect();
        Self { roz, library, log, learnings, places, view, problems, tallies }
    }

    /// The learnings that this project may archive. Those of a memory server may belong to others.
    pub(super) fn own(&self) -> Vec<Learning> {
        let is_served = |id: &str| self.places.get(id) == Some(&"mcp");
        let is_own =
            |learning: &&Learning| !is_served(&learning.id) || self.view.is_own(&learning.id);
        self.learnings.iter().filter(is_own).cloned().collect()
    }

    pub(super) fn find(&self, id: &str) -> Option<&Learning> {
        self.learnings.iter().find(|learning| learning.id == id)
    }

    /// The learnings with these ids, without duplicates, and the unknown ids.
    pub(super) fn find_all<'a>(
        &self,
        ids: impl Iterator<Item = &'a str>,
    ) -> (Vec<&Learning>, Vec<&'a str>) {
        let (mut found, mut unknown): (Vec<&Learning>, Vec<&str>) = Default::default();
        for id in ids {
            match self.find(id) {
                Some(learning) if found.iter().any(|had| had.id == learning.id) => (),
                Some(learning) => found.push(learning),
                None => unknown.push(id),
            }
        }
        (found, unknown)
    }

    pub(super) fn unknown(&self, ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| self.no_such(id)).collect()
    }

    pub(super) fn note(
        &self,
        events: impl Iterator<Item = Event>,
        world: &World,
    ) -> super::Result<()> {
        note(&self.log, events, world)
    }

    pub(super) fn tally(&self, id: &str) -> Tally {
        self.tallies.get(id).cloned().unwrap_or_default()
    }

    /// `there is no learning …`, with the one that was probably meant: one or two letters differ,
    /// or it is the mark at the ends of its lines.
    pub(super) fn no_such(&self, id: &str) -> String {
        let typed = id.trim().trim_start_matches('^');
        let is_end = |text: &str| typed.len() >= 6 && text.ends_with(typed);
        let is_near = |text: &str| typed.len() <= 64 && strsim::osa_distance(typed, text) <= 2;
        let all = || self.learnings.iter().map(|learning| learning.id.as_str());
        let meant = all().find(|text| is_end(text)).or_else(|| all().find(|text| is_near(text)));
        let shown = bounded::plain_line(&bounded::line(id, 60));
        let all = "`roz learn list` shows those that there are".to_owned();
        let remedy = meant.map_or(all, |meant| format!("Did you mean `{meant}`?"));
        format!("there is no learning `{shown}`. {remedy}")
    }

    /// A learning with all its fields, including empty ones, and its use.
    pub(super) fn as_json(&self, learning: &Learning) -> Value {
        let tally = self.tally(&learning.id);
        let mut value = json!({
            "relevance": null, "ticket_id": null, "session_id": null, "supersedes": null,
            "roz_version": null, "last_surfaced": null, "last_used": null,
            "backend": self.places.get(&learning.id),
            "hit_rate": tally.hit_rate(),
        });
        for more in [serde_json::to_value(learning), serde_json::to_value(&tally)] {
            for (name, field) in more.unwrap_or_default().as_object_mut().into_iter().flatten() {
                value[name.as_str()] = field.take();
            }
        }
        value
    }

    /// The message if nothing was found: `said`, or that nothing could be read.
    pub(super) fn nothing(&self, said: &str) -> String {
        let log = self.log.path().display().to_string();
        if self.learnings.is_empty() && self.problems.iter().any(|problem| problem.place != log) {
            return "None of what was learned here can be read.\n".to_owned();
        }
        format!("{said}\n")
    }

    /// The result of a command, with problems and with what could not be done.
    #[expect(clippy::unnecessary_wraps, reason = "verbs end with it")]
    pub(super) fn said(
        &self,
        mut value: Value,
        mut text: String,
        failed: &[String],
        out: &Out,
    ) -> super::Result {
        /// How many problems are shown, because a file can have any number of them.
        const TOLD: usize = 20;
        value["problems"] = problems_as_json(&self.problems);
        let mut warn = |said: &str| {
            let said = bounded::plain_line(&format!("roz: {said}"));
            let _ = writeln!(text, "{}", out.paint(Tone::Warn, &said));
        };
        for problem in self.problems.iter().take(TOLD) {
            warn(&format!("cannot be read: {problem}"));
        }
        if let Some(more @ 1..) = self.problems.len().checked_sub(TOLD) {
            warn(&format!("{more} more cannot be read (`--json` names them)"));
        }
        let end = if failed.is_empty() { Ok(0) } else { Err(failed.join("\nroz: ")) };
        Ok(Done::Said(value, text, end))
    }
}

/// Adds to a usage log.
pub(super) fn note(
    log: &UsageLog,
    events: impl IntoIterator<Item = Event>,
    world: &World,
) -> super::Result<()> {
    let entries = events.into_iter().map(|event| Entry::new(world.now, event));
    let entries: Vec<Entry> = entries.collect();
    Ok(log.append(&entries, Instant::now() + Duration::from_secs(10))?)
}

pub(super) fn problems_as_json(problems: &[Problem]) -> Value {
    problems.iter().map(|problem| json!({ "place": problem.place, "what": problem.what })).collect()
}

/// Filters for learnings.
#[derive(Debug, clap::Args)]
pub(super) struct Narrow {
    /// Only of this category; can be given again
    #[arg(long, value_parser = word(Category::ALL, Category::word), ignore_case = true)]
    category: Vec<Category>,
    /// Only with this tag; can be given again, and any of them will do
    #[arg(long)]
    tag: Vec<String>,
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
            tags: self.tag.iter().map(|text| text.trim().to_owned()).collect(),
            max_results,
        }
    }
}

/// A parser for a closed set of words, which suggests the nearest one for a misspelt word.
pub(super) fn word<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(|item| name(*item))).map(move |text| {
        let named = all.iter().find(|item| name(**item).eq_ignore_ascii_case(&text));
        *named.expect("clap takes no other word")
    })
}

/// How much of a text is shown, in characters.
const MAX_DETAIL: usize = 2000;

/// A learning's category, its status unless active, and its age.
pub(super) fn known_of(learning: &Learning, world: &World) -> String {
    let status = match learning.status {
        Status::Active => String::new(),
        other => format!(", {other}"),
    };
    format!("{}{status}, {}", learning.category, say::ago(learning.created_at, world.now))
}

/// The summary, the id with `about`, and the text. The text is quoted, to distinguish it from roz's
/// own words.
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

pub(super) fn in_a_line(learning: &Learning) -> String {
    let summary = bounded::plain_line(&bounded::line(&learning.summary, 200));
    format!("{}  {summary}", learning.id)
}
