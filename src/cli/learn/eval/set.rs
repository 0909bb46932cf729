//! Labelled sets: projects with their learnings, and queries of which somebody
//! has said what is relevant. `tests/retrieval/README.md` has the format.

use std::{collections::BTreeSet, fs, io, path::Path};

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;

use crate::core::{
    bounded,
    reflection::{
        learning::{Category, Confidence, Learning, Scope, Status},
        retrieval::{self, Index, Query},
    },
};

/// The set that roz is measured by, in its parts, and the user's own learnings in all of them. A
/// test holds the lists to the folders.
const DEV: &[&str] = &[
    include_str!("../../../../tests/retrieval/clinic.toml"),
    include_str!("../../../../tests/retrieval/compiler.toml"),
    include_str!("../../../../tests/retrieval/daw.toml"),
    include_str!("../../../../tests/retrieval/firmware.toml"),
    include_str!("../../../../tests/retrieval/game.toml"),
    include_str!("../../../../tests/retrieval/infra.toml"),
    include_str!("../../../../tests/retrieval/mobile.toml"),
    include_str!("../../../../tests/retrieval/pipeline.toml"),
    include_str!("../../../../tests/retrieval/webshop.toml"),
];
/// Files of `tests/retrieval/held-out/`.
const HELD_OUT: &[&str] = &[
    include_str!("../../../../tests/retrieval/held-out/broker.toml"),
    include_str!("../../../../tests/retrieval/held-out/forum.toml"),
    include_str!("../../../../tests/retrieval/held-out/homehub.toml"),
    include_str!("../../../../tests/retrieval/held-out/notes.toml"),
    include_str!("../../../../tests/retrieval/held-out/pkgman.toml"),
];
/// Files of `tests/retrieval/seen/`.
const SEEN: &[&str] = &[
    include_str!("../../../../tests/retrieval/seen/brewery.toml"),
    include_str!("../../../../tests/retrieval/seen/calendo.toml"),
    include_str!("../../../../tests/retrieval/seen/chargers.toml"),
    include_str!("../../../../tests/retrieval/seen/chessd.toml"),
    include_str!("../../../../tests/retrieval/seen/cliffnotes.toml"),
    include_str!("../../../../tests/retrieval/seen/coedit.toml"),
    include_str!("../../../../tests/retrieval/seen/dispatch.toml"),
    include_str!("../../../../tests/retrieval/seen/gridsim.toml"),
    include_str!("../../../../tests/retrieval/seen/groundstation.toml"),
    include_str!("../../../../tests/retrieval/seen/helpdesk.toml"),
    include_str!("../../../../tests/retrieval/seen/herbarium.toml"),
    include_str!("../../../../tests/retrieval/seen/hotel.toml"),
    include_str!("../../../../tests/retrieval/seen/identity.toml"),
    include_str!("../../../../tests/retrieval/seen/ledger.toml"),
    include_str!("../../../../tests/retrieval/seen/logship.toml"),
    include_str!("../../../../tests/retrieval/seen/mailclient.toml"),
    include_str!("../../../../tests/retrieval/seen/mailout.toml"),
    include_str!("../../../../tests/retrieval/seen/newsroom.toml"),
    include_str!("../../../../tests/retrieval/seen/parcel.toml"),
    include_str!("../../../../tests/retrieval/seen/photolab.toml"),
    include_str!("../../../../tests/retrieval/seen/robotarm.toml"),
    include_str!("../../../../tests/retrieval/seen/schooldesk.toml"),
    include_str!("../../../../tests/retrieval/seen/sitegen.toml"),
    include_str!("../../../../tests/retrieval/seen/stockroom.toml"),
    include_str!("../../../../tests/retrieval/seen/tariff.toml"),
    include_str!("../../../../tests/retrieval/seen/timetable.toml"),
];
/// Files of `tests/retrieval/strangers/`.
const STRANGERS: &[&str] = &[
    include_str!("../../../../tests/retrieval/strangers/boxoffice.toml"),
    include_str!("../../../../tests/retrieval/strangers/dbproxy.toml"),
    include_str!("../../../../tests/retrieval/strangers/payroll.toml"),
    include_str!("../../../../tests/retrieval/strangers/tilemap.toml"),
    include_str!("../../../../tests/retrieval/strangers/videocall.toml"),
];
const PERSONAL: &str = include_str!("../../../../tests/retrieval/personal.toml");

/// What a project is to retrieval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// It is tuned on it.
    Dev,
    /// It is not, but its misses have been looked at.
    Seen,
    /// Nobody has looked at it. Its author had read public trackers.
    HeldOut,
    /// Nobody has looked at it. Its author knew of the format alone.
    Strangers,
    /// It is the user's.
    Own,
    /// It is the user's, and says that it is held out.
    OwnHeldOut,
}

impl Part {
    pub(super) const ALL: [Part; 6] =
        [Part::Dev, Part::HeldOut, Part::Seen, Part::Strangers, Part::Own, Part::OwnHeldOut];

    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Dev => "dev",
            Part::Seen => "seen",
            Part::HeldOut => "held-out",
            Part::Strangers => "strangers",
            Part::Own | Part::OwnHeldOut => "own",
        }
    }
}

#[derive(Debug)]
pub(super) struct Project {
    pub(super) part: Part,
    /// What it is called in a table, if it is the user's.
    pub(super) name: String,
    pub(super) learnings: Vec<Learning>,
    pub(super) index: Index,
    pub(super) queries: Vec<Labelled>,
}

#[derive(Debug)]
pub(super) struct Labelled {
    pub(super) id: String,
    pub(super) query: Query,
    /// What must come back.
    pub(super) relevant: Vec<String>,
    /// What may.
    pub(super) also: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("failed to read `{0}`")]
    Io(String, #[source] io::Error),
    #[error("failed to make sense of `{0}`. `roz help learn eval` shows what a set looks like")]
    Toml(String, #[source] Box<toml::de::Error>),
    #[error(
        "query `{query}` names `{id}`, and there is no such learning. Name the `id` of a \
         `[[learning]]` of the set (`roz help learn eval` shows one)"
    )]
    Unknown { query: String, id: String },
    #[error(
        "learning `{id}` is {days} days old, which is before any calendar. Lower its `age_days`"
    )]
    TooOld { id: String, days: u32 },
    #[error("two learnings have the id `{0}`. Give each one of its own")]
    Twice(String),
    #[error("two queries have the id `{0}`. Give each one of its own")]
    QueryTwice(String),
    #[error(
        "query `{query}` names `{id}` more than once. It is one of `relevant`, `also` and `near`, once"
    )]
    NamedTwice { query: String, id: String },
}

pub(super) fn built_in(now: DateTime<Utc>) -> Result<Vec<Project>, Error> {
    let personal = parse("personal", PERSONAL)?;
    let one = |text: &str, part: Part| {
        let file = parse("built in", text)?;
        let mut learnings = file.learnings(Scope::Project, now)?;
        learnings.extend(personal.learnings(Scope::Personal, now)?);
        Ok(Project { part, ..file.into_project(learnings)? })
    };
    let parts = [
        (DEV, Part::Dev),
        (HELD_OUT, Part::HeldOut),
        (SEEN, Part::Seen),
        (STRANGERS, Part::Strangers),
    ];
    parts.iter().flat_map(|(files, part)| files.iter().map(|it| one(it, *part))).collect()
}

pub(super) fn read(path: &Path, now: DateTime<Utc>) -> Result<Project, Error> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|err| Error::Io(name.clone(), err))?;
    let file = parse(&name, &text)?;
    let learnings = file.learnings(Scope::Project, now)?;
    file.into_project(learnings)
}

fn name(project: &str) -> String {
    let name = bounded::plain_line(&bounded::line(project.trim(), 40));
    if name.is_empty() { Part::Own.name().to_owned() } else { name }
}

fn parse(name: &str, text: &str) -> Result<File, Error> {
    toml::from_str(text).map_err(|err| Error::Toml(name.to_owned(), Box::new(err)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    project: String,
    #[serde(default)]
    held_out: bool,
    learning: Vec<LearningRow>,
    #[serde(default)]
    query: Vec<QueryRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LearningRow {
    id: String,
    category: Category,
    #[serde(default)]
    age_days: u32,
    summary: String,
    detail: String,
    tags: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    relevance: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QueryRow {
    id: String,
    #[serde(default, rename = "kind")]
    _kind: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    branch: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    relevant: Vec<String>,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    near: Vec<String>,
}

impl File {
    fn learnings(&self, scope: Scope, now: DateTime<Utc>) -> Result<Vec<Learning>, Error> {
        let learning = |it: &LearningRow| {
            let created_at = now.checked_sub_signed(TimeDelta::days(it.age_days.into()));
            let too_old = || Error::TooOld { id: it.id.clone(), days: it.age_days };
            Ok(Learning {
                id: it.id.clone(),
                category: it.category,
                summary: it.summary.clone(),
                detail: it.detail.clone(),
                scope,
                confidence: Confidence::default(),
                status: Status::Active,
                criteria: Vec::new(),
                tags: it.tags.clone(),
                context_files: it.files.clone(),
                relevance: it.relevance.clone(),
                ticket_id: None,
                session_id: None,
                supersedes: None,
                created_at: created_at.ok_or_else(too_old)?,
                roz_version: None,
            })
        };
        self.learning.iter().map(learning).collect()
    }

    fn into_project(self, learnings: Vec<Learning>) -> Result<Project, Error> {
        let mut known = BTreeSet::new();
        if let Some(twice) = learnings.iter().find(|it| !known.insert(&it.id)) {
            return Err(Error::Twice(twice.id.clone()));
        }
        let mut asked = BTreeSet::new();
        if let Some(twice) = self.query.iter().find(|it| !asked.insert(&it.id)) {
            return Err(Error::QueryTwice(twice.id.clone()));
        }
        for row in &self.query {
            let named = || row.relevant.iter().chain(&row.also).chain(&row.near);
            if let Some(id) = named().find(|it| !known.contains(*it)) {
                return Err(Error::Unknown { query: row.id.clone(), id: id.clone() });
            }
            // Counted twice it would be missed, or found, twice.
            let mut met = BTreeSet::new();
            if let Some(id) = named().find(|it| !met.insert(*it)) {
                return Err(Error::NamedTwice { query: row.id.clone(), id: id.clone() });
            }
        }
        let labelled = |row: QueryRow| Labelled {
            id: row.id,
            query: Query {
                text: row.text,
                ticket_title: row.title,
                ticket_description: row.description,
                branch: row.branch,
                tags: row.tags,
                paths: row.paths,
            },
            relevant: row.relevant,
            also: row.also,
        };
        Ok(Project {
            part: if self.held_out { Part::OwnHeldOut } else { Part::Own },
            name: name(&self.project),
            index: retrieval::build(&learnings).index,
            queries: self.query.into_iter().map(labelled).collect(),
            learnings,
        })
    }
}
