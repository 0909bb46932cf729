//! The intents that the sidecar's `active_intents.yaml` declares, and the problems in that file.
//! `sidecar::yaml` parses it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::core::bounded;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Intent {
    pub id: String,
    /// The id if there is no name.
    pub name: String,
    pub status: Status,
    /// Globs, as written: [`super::scope::Scope`] says what they mean.
    pub owned_scope: Vec<String>,
    pub constraints: Vec<String>,
    pub acceptance_criteria: Vec<String>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
    pub depends_on: Vec<String>,
    pub blocks: Vec<String>,
    /// In the file, from 1.
    pub line: usize,
}

/// Where an intent is in its life, in the words of all the design documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Status {
    /// Also where no status is given.
    #[default]
    Draft,
    Pending,
    Todo,
    InProgress,
    Blocked,
    Completed,
    Done,
    Archived,
    Cancelled,
    /// An unknown word: such an intent is not open.
    Unknown(String),
}

const WORDS: &[(Status, &str)] = &[
    (Status::Draft, "DRAFT"),
    (Status::Pending, "PENDING"),
    (Status::Todo, "TODO"),
    (Status::InProgress, "IN_PROGRESS"),
    (Status::Blocked, "BLOCKED"),
    (Status::Completed, "COMPLETED"),
    (Status::Done, "DONE"),
    (Status::Archived, "ARCHIVED"),
    (Status::Cancelled, "CANCELLED"),
];

impl Status {
    /// Ignores case, and `-`, `_` and blanks between words.
    pub fn read(text: &str) -> Self {
        let bare = |text: &str| -> String {
            let letters = text.chars().filter(|c| !c.is_whitespace() && !"-_".contains(*c));
            letters.flat_map(char::to_uppercase).collect()
        };
        let wanted = match bare(text).as_str() {
            "CANCELED" => "CANCELLED".to_owned(),
            other => other.to_owned(),
        };
        let found = WORDS.iter().find(|(_, word)| bare(word) == wanted);
        found.map_or_else(|| Self::Unknown(text.to_owned()), |(status, _)| status.clone())
    }

    pub fn word(&self) -> &str {
        match self {
            Self::Unknown(word) => word,
            known => WORDS.iter().find(|(status, _)| status == known).map_or("", |(_, word)| word),
        }
    }

    pub fn can_be_selected(&self) -> bool {
        match self {
            Self::Draft | Self::Pending | Self::Todo | Self::InProgress => true,
            Self::Blocked
            | Self::Completed
            | Self::Done
            | Self::Archived
            | Self::Cancelled
            | Self::Unknown(_) => false,
        }
    }
}

impl From<Status> for String {
    fn from(status: Status) -> Self {
        status.word().to_owned()
    }
}

impl From<String> for Status {
    fn from(word: String) -> Self {
        Self::read(&word)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What the sidecar declares. With a [broken](Catalogue::broken) catalogue, none of its intents can
/// be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    pub intents: Vec<Intent>,
    pub problems: Vec<Problem>,
}

/// What is wrong, where. Displays as `line 3, column 5: …`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// From 1; 0 for the whole file.
    pub line: usize,
    /// From 1, in characters; 0 for a whole line.
    pub column: usize,
    pub what: String,
    /// Whether the whole file is unusable. Otherwise the rest of it applies.
    pub breaks: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    Unknown {
        /// The id that was perhaps meant.
        nearest: Option<String>,
    },
    /// The lines of both.
    Twice(usize, usize),
}

impl Catalogue {
    pub fn broken(&self) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.breaks)
    }

    pub fn find(&self, id: &str) -> Result<&Intent, NotFound> {
        let mut found = self.intents.iter().filter(|intent| intent.id == id);
        match (found.next(), found.next()) {
            (Some(intent), None) => Ok(intent),
            (Some(one), Some(other)) => Err(NotFound::Twice(one.line, other.line)),
            (None, _) => Err(NotFound::Unknown { nearest: self.nearest(id) }),
        }
    }

    pub fn open(&self) -> impl Iterator<Item = &Intent> {
        self.intents.iter().filter(|intent| intent.status.can_be_selected())
    }

    fn nearest(&self, typed: &str) -> Option<String> {
        let plain = |text: &str| bounded::chars(text.trim(), 64).to_lowercase();
        let typed = plain(typed);
        let far = |intent: &&Intent| {
            let far = |text: &str| strsim::osa_distance(&typed, &plain(text));
            far(&intent.id).min(far(&intent.name))
        };
        let nearest = self.intents.iter().min_by_key(far)?;
        (far(&nearest) <= (typed.chars().count() / 3).max(1)).then(|| nearest.id.clone())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.what),
            (line, 0) => write!(f, "line {line}: {}", self.what),
            (line, column) => write!(f, "line {line}, column {column}: {}", self.what),
        }
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { nearest: None } => f.write_str("no such intent is declared"),
            Self::Unknown { nearest: Some(text) } => {
                write!(f, "no such intent is declared; did you mean `{text}`?")
            }
            Self::Twice(one, other) => {
                write!(f, "two intents have that id, on lines {one} and {other}")
            }
        }
    }
}
