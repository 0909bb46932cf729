//! The labelled set: projects with their learnings, and queries of which somebody has said what is
//! relevant. `tests/retrieval/README.md` says how it was made.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;

use crate::core::reflection::{
    learning::{Category, Confidence, Learning, Scope, Status},
    retrieval::{self, Index, Query},
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
    /// What retrieval was once tuned on
    Dev,
    /// What nobody has looked at, written as in public trackers
    HeldOut,
    /// What it was not, and has been looked at
    Seen,
    /// What nobody has looked at, by authors who knew of the format alone
    Strangers,
}

impl Part {
    pub(super) const ALL: [Part; 4] = [Part::Dev, Part::HeldOut, Part::Seen, Part::Strangers];

    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Dev => "dev",
            Part::HeldOut => "held-out",
            Part::Seen => "seen",
            Part::Strangers => "strangers",
        }
    }
}

#[derive(Debug)]
pub(super) struct Project {
    pub(super) part: Part,
    pub(super) learnings: Vec<Learning>,
    pub(super) index: Index,
    pub(super) queries: Vec<Labelled>,
}

#[derive(Debug)]
pub(super) struct Labelled {
    pub(super) query: Query,
    /// What must come back.
    pub(super) relevant: Vec<String>,
    /// What may.
    pub(super) also: Vec<String>,
}

pub(super) fn built_in(now: DateTime<Utc>) -> Result<Vec<Project>, toml::de::Error> {
    let personal: File = toml::from_str(PERSONAL)?;
    let project = |(part, text): &(Part, &str)| {
        let file: File = toml::from_str(text)?;
        let mut learnings = learnings(&file, Scope::Project, now);
        learnings.extend(self::learnings(&personal, Scope::Personal, now));
        let labelled = |row: QueryRow| Labelled {
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
        let queries = file.query.into_iter().map(labelled).collect();
        let index = retrieval::build(&learnings).index;
        Ok(Project { part: *part, learnings, index, queries })
    };
    BUILT_IN.iter().copied().flatten().map(project).collect()
}

fn learnings(file: &File, scope: Scope, now: DateTime<Utc>) -> Vec<Learning> {
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
        created_at: now - TimeDelta::days(row.age_days.into()),
        roz_version: None,
    };
    file.learning.iter().map(learning).collect()
}

#[derive(Debug, Deserialize)]
struct File {
    learning: Vec<LearningRow>,
    #[serde(default)]
    query: Vec<QueryRow>,
}

#[derive(Debug, Deserialize)]
struct LearningRow {
    id: String,
    category: Category,
    #[serde(default)]
    age_days: u16,
    summary: String,
    detail: String,
    tags: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    relevance: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct QueryRow {
    text: String,
    title: String,
    description: String,
    branch: String,
    tags: Vec<String>,
    paths: Vec<String>,
    relevant: Vec<String>,
    also: Vec<String>,
}
