//! The approvals of a repository: rows of a table, and which of them are valid.
//!
//! The table belongs to a repository, not to a session, so an approval serves every session and
//! every work tree of it. Rows are only added: one that withdraws an approval names it.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::{policy::later, review::decision::By};

/// Cleaning keeps this many of the newest approvals.
pub const MAX_ROWS: usize = 500;

/// One line: `{"row":"approved", …}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "snake_case")]
pub enum Row {
    /// The checked-out commit when the repository's first session began; `None` if there was none.
    First {
        at: DateTime<Utc>,
        head: Option<String>,
    },
    Approved(Box<Approved>),
    Withdrawn {
        at: DateTime<Utc>,
        approval: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approved {
    pub id: String,
    pub at: DateTime<Utc>,
    /// The git tree that was reviewed: tracked files and others known to be part of the work.
    pub tree: String,
    /// The tree that the work was compared with.
    pub base: String,
    /// The tree at which the branch left the default branch.
    pub fork: String,
    pub head: Option<String>,
    pub branch: Option<String>,
    /// The work trees of the review, this row's first.
    pub works: Vec<PathBuf>,
    pub by: By,
    pub session: String,
    pub summary: String,
    /// For an empty work: the gate key of the only approved call.
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<String>,
    /// With the reason if the reviewer gave one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
}

/// Valid approvals, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// See [`Row::First`].
    pub first: Option<Option<String>>,
    pub approvals: Vec<Approved>,
    /// Some approvals were dropped because they had expired.
    pub has_expired: bool,
}

impl Table {
    pub fn of(rows: impl IntoIterator<Item = Row>) -> Self {
        let mut table = Self::default();
        for row in rows {
            match row {
                Row::First { head, .. } => {
                    table.first.get_or_insert(head);
                }
                Row::Approved(approved) => table.approvals.push(*approved),
                Row::Withdrawn { approval, .. } => {
                    table.approvals.retain(|approved| approved.id != approval);
                }
            }
        }
        table
    }

    /// Drops approvals older than `review.gates.approval_ttl_seconds`.
    #[must_use]
    pub fn unexpired(mut self, ttl_seconds: Option<u64>, now: DateTime<Utc>) -> Self {
        if let Some(ttl) = ttl_seconds {
            let before = self.approvals.len();
            self.approvals.retain(|approved| later(approved.at, ttl) >= now);
            self.has_expired = self.approvals.len() < before;
        }
        self
    }
}

/// The rows that cleaning keeps: the first commit, and at most [`MAX_ROWS`] approvals, none of them
/// older than `before`.
pub fn kept(rows: Vec<Row>, before: DateTime<Utc>) -> Vec<Row> {
    let table = Table::of(rows.iter().cloned());
    let surplus = table.approvals.len().saturating_sub(MAX_ROWS);
    let holds: Vec<&str> = table.approvals[surplus..]
        .iter()
        .filter(|approved| approved.at >= before)
        .map(|approved| approved.id.as_str())
        .collect();
    let stays = |row: &Row| match row {
        Row::First { .. } => true,
        Row::Approved(approved) => holds.contains(&approved.id.as_str()),
        Row::Withdrawn { .. } => false,
    };
    rows.into_iter().filter(stays).collect()
}

#[cfg(test)]
mod tests;
