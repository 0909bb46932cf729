//! The labelled set: projects with their learnings, and queries with the relevant learnings.
//! `tests/retrieval/README.md` says how it was made.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use toml::de::Error;

use crate::core::reflection::{
    learning::{Learning, Scope},
    retrieval::{self, Index, Query},
};

/// In order: used for tuning once; never looked at, and written as in public trackers; not used for
/// tuning, but looked at; never looked at, and by authors who knew only the format.
pub(super) const PARTS: [&str; 4] = ["dev", "held-out", "seen", "strangers"];

/// The files in a folder of `tests/retrieval`.
macro_rules! files {
    ($folder:literal $($name:literal)*) => {
        &[$(include_str!(concat!("../../../../tests/retrieval/", $folder, $name, ".toml"))),*]
    };
}

/// The set in its parts. A test compares the lists with the folders.
const BUILT_IN: [&[&str]; 4] = [
    files! { ""
        "clinic" "compiler" "daw" "firmware" "game" "infra" "mobile" "pipeline" "webshop"
    },
    files! { "held-out/"
        "broker" "forum" "homehub" "notes" "pkgman"
    },
    files! { "seen/"
        "brewery" "calendo" "chargers" "chessd" "cliffnotes" "coedit" "dispatch" "gridsim"
        "groundstation" "helpdesk" "herbarium" "hotel" "identity" "ledger" "logship" "mailclient"
        "mailout" "newsroom" "parcel" "photolab" "robotarm" "schooldesk" "sitegen" "stockroom"
        "tariff" "timetable"
    },
    files! { "strangers/"
        "boxoffice" "dbproxy" "payroll" "tilemap" "videocall"
    },
];
const PERSONAL: &str = include_str!("../../../../tests/retrieval/personal.toml");

#[derive(Debug)]
pub(super) struct Project {
    pub(super) part: &'static str,
    pub(super) learnings: Vec<Learning>,
    pub(super) index: Index,
    pub(super) queries: Vec<Labelled>,
}

/// A query with the learnings that must come back, and those that may.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Labelled {
    text: String,
    title: String,
    description: String,
    branch: String,
    tags: Vec<String>,
    paths: Vec<String>,
    pub(super) relevant: Vec<String>,
    pub(super) also: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct File {
    learning: Vec<toml::Table>,
    #[serde(default)]
    query: Vec<Labelled>,
}

impl Labelled {
    pub(super) fn query(&self) -> Query {
        Query {
            text: self.text.clone(),
            ticket_title: self.title.clone(),
            ticket_description: self.description.clone(),
            branch: self.branch.clone(),
            tags: self.tags.clone(),
            paths: self.paths.clone(),
            programs: Vec::new(),
        }
    }
}

pub(super) fn built_in(now: DateTime<Utc>) -> Result<Vec<Project>, Error> {
    let personal: File = toml::from_str(PERSONAL)?;
    let personal = learnings(personal.learning, Scope::Personal, now)?;
    let project = |(part, text): (&'static str, &&str)| {
        let file: File = toml::from_str(text)?;
        let mut learnings = learnings(file.learning, Scope::Project, now)?;
        learnings.extend(personal.iter().cloned());
        let index = retrieval::build(&learnings).index;
        Ok(Project { part, learnings, index, queries: file.query })
    };
    let parts = PARTS.iter().zip(BUILT_IN);
    parts.flat_map(|(part, files)| files.iter().map(|text| (*part, text))).map(project).collect()
}

fn learnings(
    rows: Vec<toml::Table>,
    scope: Scope,
    now: DateTime<Utc>,
) -> Result<Vec<Learning>, Error> {
    let learning = |mut row: toml::Table| {
        let age = row.remove("age_days").and_then(|days| days.as_integer()).unwrap_or(0);
        row.insert("created_at".to_owned(), (now - TimeDelta::days(age)).to_rfc3339().into());
        if let Some(files) = row.remove("files") {
            row.insert("context_files".to_owned(), files);
        }
        Ok(Learning { scope, ..row.try_into()? })
    };
    rows.into_iter().map(learning).collect()
}
