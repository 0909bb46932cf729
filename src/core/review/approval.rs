//! What is approved in a repository: the rows of its table, and which of them hold.
//!
//! The table belongs to a repository, not to a session, so an approval serves every session and
//! every work tree of it. Rows are only added: one that withdraws an approval names it.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::{policy::later, review::decision::By};

/// Cleaning keeps the newest so many approvals of a table.
pub const MAX_ROWS: usize = 500;

/// `{"row":"approved", …}`, one a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "snake_case")]
pub enum Row {
    /// The commit that was checked out when the first session of the repository began; none where
    /// there was no commit yet.
    First {
        at: DateTime<Utc>,
        head: Option<String>,
    },
    Approved(Box<Approved>),
    /// A later verdict took an approval back.
    Withdrawn {
        at: DateTime<Utc>,
        approval: String,
    },
}

/// The work of a repository as somebody approved it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approved {
    pub id: String,
    pub at: DateTime<Utc>,
    /// The git tree that was looked at: all that is tracked or known to be part of the work.
    pub tree: String,
    /// The tree that it was compared with.
    pub base: String,
    /// The tree in which the branch left the default branch.
    pub fork: String,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The work trees of the review; the first is the one of this row.
    pub works: Vec<PathBuf>,
    pub by: By,
    pub session: String,
    pub summary: String,
    /// Set where the work was empty: the one call that is approved, as its gate key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Files whose change the reviewer was shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<String>,
    /// Files that it was not shown, with the reason where it gave one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
}

/// The approvals that hold, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// See [`Row::First`].
    pub first: Option<Option<String>>,
    pub approvals: Vec<Approved>,
    /// Some were left out because their time is over.
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

    /// Leaves out what has expired (`review.gates.approval_ttl_seconds`).
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

/// The rows that stay when a table is cleaned: the first commit, and approvals that are younger
/// than `before`, at most [`MAX_ROWS`] of them.
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
