//! A search index of learnings, so that the start of a session need not read 10,000 of them.
//!
//! The index has the terms of each learning and its position in `texts`. It is stored as JSON, with
//! one number per posting.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Index {
    pub(super) documents: Vec<Document>,
    /// Sorted by term.
    pub(super) terms: Vec<(String, Vec<Posting>)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    pub index: Index,
    /// All learnings as JSON, concatenated.
    pub texts: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Document {
    pub(super) id: String,
    pub(super) is_active: bool,
    #[serde(with = "chrono::serde::ts_microseconds")]
    pub(super) created_at: DateTime<Utc>,
    pub(super) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub offset: u64,
    pub length: u32,
}

/// A learning's number, and in the last eight bits the term's strength from 1 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Posting(u32);

impl Posting {
    pub(super) fn new(document: u32, strength: u8) -> Self {
        Self(document << 8 | u32::from(strength))
    }

    pub(super) fn document(self) -> usize {
        (self.0 >> 8) as usize
    }

    pub(super) fn strength(self) -> f32 {
        f32::from(self.0.to_le_bytes()[0]) / 255.0
    }
}

impl Index {
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub fn place(&self, id: &str) -> Option<Place> {
        self.documents.iter().find(|document| document.id == id).map(|document| document.place)
    }

    pub(super) fn postings(&self, term: &str) -> &[Posting] {
        let found = self.terms.binary_search_by(|(known, _)| known.as_str().cmp(term));
        found.map_or(&[], |at| &self.terms[at].1)
    }
}
