//! A learning: its fields, closed word lists and id.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    pub id: String,
    pub category: Category,
    pub summary: String,
    pub detail: String,
    #[serde(default)]
    pub scope: Scope,
    #[serde(default)]
    pub confidence: Confidence,
    #[serde(default)]
    pub status: Status,
    #[serde(default)]
    pub criteria: Vec<Criterion>,
    #[serde(default)]
    pub tags: Vec<String>,
    /// Relative to the project.
    #[serde(default)]
    pub context_files: Vec<String>,
    /// Occasions on which it is useful, separated by `;`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    pub created_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roz_version: Option<String>,
}

impl Status {
    pub fn unknown(word: &str) -> String {
        let all: Vec<&str> = Self::ALL.iter().map(|status| status.word()).collect();
        format!("`{word}` is not a status; it is one of {}", all.join(", "))
    }
}

/// Where a learning comes from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    pub now: DateTime<Utc>,
    pub session_id: Option<&'a str>,
    pub ticket_id: Option<&'a str>,
    /// `CARGO_PKG_VERSION` of the binary.
    pub roz_version: &'a str,
}

/// An enum with the words that JSON and people use for it.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$at:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $($(#[$at])* #[serde(rename = $word)] $variant),* }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// Ignores case; `-` equals `_`.
            pub fn find(word: &str) -> Option<Self> {
                let word = word.trim().to_lowercase().replace('-', "_");
                Self::ALL.iter().copied().find(|it| it.word() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

pub(super) use words;

words!(Category {
    Pattern = "pattern",
    Pitfall = "pitfall",
    Convention = "convention",
    Dependency = "dependency",
    Process = "process",
    Domain = "domain",
    Debugging = "debugging",
});

words!(
    /// For whom a learning is, which decides where it is stored.
    #[derive(Default)]
    Scope {
        #[default]
        Project = "project",
        Team = "team",
        /// For the user, in every project.
        Personal = "personal",
        /// For today, in a backend with a daily log.
        Ephemeral = "ephemeral",
    }
);

words!(
    #[derive(Default)]
    Confidence {
        High = "high",
        #[default]
        Medium = "medium",
        Low = "low",
    }
);

words!(
    #[derive(Default)]
    Status {
        #[default]
        Active = "active",
        Archived = "archived",
        Superseded = "superseded",
    }
);

words!(
    Criterion {
        BehaviorChanging = "behavior_changing",
        DecisionRationale = "decision_rationale",
        StableFact = "stable_fact",
        ExplicitRequest = "explicit_request",
    }
);

impl Learning {
    /// `cl_<YYYYMMDD>_<6 base-32 characters>`: the day, and a hash of content and author. Parallel
    /// processes and branches need no counter; if two contents collide, `salt` separates them.
    pub fn make_id(&self, salt: u32) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        let mut hash = Sha256::new();
        let session = self.session_id.as_deref().unwrap_or_default();
        let parts = [self.category.word(), &self.summary, &self.detail, session];
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hash.update(self.created_at.timestamp_micros().to_le_bytes());
        hash.update(salt.to_le_bytes());
        let hash = hash.finalize();
        let mut bits = u64::from_le_bytes(std::array::from_fn(|at| hash[at]));
        let mut id = format!("cl_{}_", self.created_at.format("%Y%m%d"));
        for _ in 0..6 {
            id.push(char::from(LETTERS[usize::try_from(bits % 32).unwrap_or(0)]));
            bits /= 32;
        }
        id
    }

    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }
}

/// An id of Total Recall's (`tr` and ten hexadecimal digits), or roz's own for a note without one
/// (`tr_…`).
pub fn is_note_id(id: &str) -> bool {
    let digits = id.strip_prefix("tr").map(|rest| rest.strip_prefix('_').unwrap_or(rest));
    digits.is_some_and(|digit| {
        digit.len() == 10 && digit.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}
