//! Labelled sets: projects with their learnings, and queries of which somebody has said what is
//! relevant. `roz help learn eval` shows the format.

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

/// Files of a folder of `tests/retrieval`, each with what its project is to retrieval.
macro_rules! files {
    ($part:ident $folder:literal $($name:literal)*) => {
        &[$((
            Part::$part,
            include_str!(concat!("../../../../tests/retrieval/", $folder, $name, ".toml")),
        )),*]
    };
}

/// The set that roz is measured by, in its parts, and the user's own learnings in all of them. A
/// test holds the lists to the folders.
const BUILT_IN: [&[(Part, &str)]; 4] = [
    files! { Dev ""
        "clinic" "compiler" "daw" "firmware" "game" "infra" "mobile" "pipeline" "webshop"
    },
    files! { HeldOut "held-out/"
        "broker" "forum" "homehub" "notes" "pkgman"
    },
    files! { Seen "seen/"
        "brewery" "calendo" "chargers" "chessd" "cliffnotes" "coedit" "dispatch" "gridsim"
        "groundstation" "helpdesk" "herbarium" "hotel" "identity" "ledger" "logship" "mailclient"
        "mailout" "newsroom" "parcel" "photolab" "robotarm" "schooldesk" "sitegen" "stockroom"
        "tariff" "timetable"
    },
    files! { Strangers "strangers/"
        "boxoffice" "dbproxy" "payroll" "tilemap" "videocall"
    },
];
const PERSONAL: &str = include_str!("../../../../tests/retrieval/personal.toml");

/// What a project is to retrieval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Part {
    All,
    /// What retrieval was once tuned on; of your own, what is not held out
    Dev,
    /// What nobody has looked at, written as in public trackers; of your own,
    /// what says `held_out = true`
    HeldOut,
    /// What it was not, and has been looked at
    Seen,
    /// What nobody has looked at, by authors who knew of the format alone
    Strangers,
}

impl Part {
    pub(super) const MEASURED: [(Part, &str); 4] = [
        (Part::Dev, "dev"),
        (Part::HeldOut, "held-out"),
        (Part::Seen, "seen"),
        (Part::Strangers, "strangers"),
    ];
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
    #[error("{0}")]
    Labels(String),
}

pub(super) fn built_in(now: DateTime<Utc>) -> Result<Vec<Project>, Error> {
    let personal = parse("personal", PERSONAL)?;
    let project = |(part, text): &(Part, &str)| {
        let file = parse("built in", text)?;
        let mut learnings = file.learnings(Scope::Project, now);
        learnings.extend(personal.learnings(Scope::Personal, now));
        Ok(Project { part: *part, ..file.into_project(learnings)? })
    };
    BUILT_IN.iter().copied().flatten().map(project).collect()
}

pub(super) fn read(path: &Path, now: DateTime<Utc>) -> Result<Project, Error> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|err| Error::Io(name.clone(), err))?;
    let file = parse(&name, &text)?;
    let learnings = file.learnings(Scope::Project, now);
    file.into_project(learnings)
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
    fn learnings(&self, scope: Scope, now: DateTime<Utc>) -> Vec<Learning> {
        let learning = |row: &LearningRow| Learning {
            id: row.id.clone(),
            category: row.category,
            summary: row.summary.clone(),
            detail: row.detail.clone(),
            scope,
            confidence: Confidence::default(),
            status: Status::Active,
            criteria: Vec::new(),
            tags: row.tags.clone(),
            context_files: row.files.clone(),
            relevance: row.relevance.clone(),
            ticket_id: None,
            session_id: None,
            supersedes: None,
            created_at: now.checked_sub_signed(TimeDelta::days(row.age_days.into())).unwrap_or(now),
            roz_version: None,
        };
        self.learning.iter().map(learning).collect()
    }

    fn into_project(self, learnings: Vec<Learning>) -> Result<Project, Error> {
        let mut known = BTreeSet::new();
        if let Some(twice) = learnings.iter().find(|learning| !known.insert(&learning.id)) {
            return Err(Error::Labels(format!("two learnings have the id `{}`", twice.id)));
        }
        let mut asked = BTreeSet::new();
        for row in &self.query {
            let query = &row.id;
            if !asked.insert(query) {
                return Err(Error::Labels(format!("two queries have the id `{query}`")));
            }
            let mut named = BTreeSet::new();
            for id in row.relevant.iter().chain(&row.also).chain(&row.near) {
                let problem = match (known.contains(id), named.insert(id)) {
                    (true, true) => continue,
                    (false, _) => "and there is no such learning",
                    // Counted twice it would be missed, or found, twice.
                    (_, false) => "more than once in `relevant`, `also` and `near`",
                };
                return Err(Error::Labels(format!("query `{query}` names `{id}` {problem}")));
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
                programs: Vec::new(),
            },
            relevant: row.relevant,
            also: row.also,
        };
        Ok(Project {
            part: if self.held_out { Part::HeldOut } else { Part::Dev },
            name: bounded::plain_line(&bounded::line(self.project.trim(), 40)),
            index: retrieval::build(&learnings).index,
            queries: self.query.into_iter().map(labelled).collect(),
            learnings,
        })
    }
}
